"""A verdict with the places it rests on, and how sure a rule is of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grounded.types import Check, Status, Verdict
from grounded.verification.fields import Field
from grounded.verification.numbers import Seen
from grounded.verification.prose import Statement

SURE = 0.97
LIKELY, GUESSED = 0.85, 0.75  # a name or number is missing; only other words
DECIDED = 0.5
READ = 0.4  # chance of support at which what the encoder read counts
SPEAKS_AGAINST = 0.7  # confidence from which a claim that was read, not proven, is called contradicted
PASSED: dict[Status, bool] = {"grounded": True, "contradicted": False}
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the places it rests on."""

    verdict: Verdict
    statements: tuple[Statement, ...] = ()
    cells: tuple[Seen, ...] = ()
    fields: tuple[Field, ...] = ()

    @property
    def fit(self) -> float:
        """How well the best fitting of its cells and numbers suits the claim (fit.py), 0 without any."""
        return max((round(seen.fit.total, 1) for seen in self.cells), default=0.0)


def refused(reason: str, check: str, sure: float = LIKELY) -> Judgement:
    """Unverified, because of what a check found."""
    return Judgement(ruled("unverified", sure, reason, [Check(name=check, passed=False, detail=reason)]))


def on_statement(status: Status, confidence: float, why: str, statement: Statement) -> Judgement:
    """What a head says. That it finds nothing stated is no objection: a language model may know better."""
    reason = f"{why} “{short(statement.text)}”"
    check = Check(name="words", passed=PASSED.get(status), detail=reason)
    return Judgement(ruled(status, confidence, reason, [check]), (statement,))


def ruled(status: Status, confidence: float, reason: str, checks: Sequence[Check]) -> Verdict:
    """A verdict whose basis is rules."""
    return Verdict(
        grounded=status == "grounded",
        status=status,
        confidence=round(confidence, 4),
        reason=reason,
        checks=tuple(checks),
    )


def short(text: str, length: int = 160) -> str:
    """On one line, cut at so many characters."""
    flat = _SPACE.sub(" ", text).strip()
    return flat if len(flat) <= length else f"{flat[: length - 1].rstrip()}…"
