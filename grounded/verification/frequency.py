"""How often something happens: 'paid quarterly' against 'Dividend schedule: Quarterly' or 'reviewed each month'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grounded.verification.evidence import Evidence
from grounded.verification.prose import Statement
from grounded.verification.words import content

_UNITS = {"day": "dai", "week": "week", "month": "month", "quarter": "quarter", "year": "year|annual"}
_EACH = r"\b(?:(?:each|every|once an?|per)\s+{unit}s?|(?:{stem})ly)\b(?!\s+(?:volume|average|returns?))"
_OFTEN = {unit: re.compile(_EACH.format(unit=unit, stem=stem), re.IGNORECASE) for unit, stem in _UNITS.items()}
_ENOUGH = 0.5  # share of the claim's other words that a sentence or row must have


@dataclass(frozen=True, slots=True)
class Often:
    """Whether the best fitting sentence or row says the same frequency. statement: None for a row of a table."""

    holds: bool
    detail: str
    statement: Statement | None


def find_frequency(claim: str, statements: Sequence[Statement], evidence: Evidence) -> Often | None:
    """The sentence or row with most of the claim's words that says how often; None when none has enough of them."""
    asked = said_often(claim)
    words = content(_without(claim))
    if len(asked) != 1 or not words:
        return None
    best: tuple[float, str, Statement | None] | None = None
    for text, statement in _places(statements, evidence):
        share = _shared(words, content(_without(text)), whole=statement is None)
        if share >= _ENOUGH and said_often(text) and (best is None or share > best[0]):
            best = (share, text, statement)
    if best is None:
        return None
    return Often(bool(asked & said_often(best[1])), best[1], best[2])


def _shared(claimed: frozenset[str], own: frozenset[str], whole: bool) -> float:
    """Share of the claim's words that a place has; a row of a table ('Dividend schedule: Quarterly') may be the
    answer when half of its own words are the claim's."""
    common = len(claimed & own)
    return max(common / len(claimed), common / len(own) if whole and own else 0.0)


def _places(statements: Sequence[Statement], evidence: Evidence) -> Iterator[tuple[str, Statement | None]]:
    for statement in statements:
        yield statement.text, statement
    for grid in evidence.grids:
        for row in grid.rows:
            yield ": ".join(cell for cell in row if cell), None


def said_often(text: str) -> frozenset[str]:
    """The units of time in which a text says how often: 'monthly', 'every month' -> month."""
    return frozenset(unit for unit, pattern in _OFTEN.items() if pattern.search(text))


def _without(text: str) -> str:
    for pattern in _OFTEN.values():
        text = pattern.sub(" ", text)
    return text
