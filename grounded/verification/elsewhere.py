"""A claim that one place bears out and another, in the same document or another one, speaks against: both are shown.

Only a place that gives the same subject another value in the same period counts. Rows of another section, sentences on
another year, reports of the same kind on another date and documents about somebody else contradict nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from grounded.quantities import Period, Quantity, compare, periods
from grounded.quantities.compare import units_agree
from grounded.verification.claims import read_claim
from grounded.verification.judgement import Judgement
from grounded.verification.lexicon import front_words
from grounded.verification.numbers import Seen
from grounded.verification.prose import Statement, period_of
from grounded.verification.words import content, stems, tokens

_OPPOSED = frozenset({"number", "negation", "modality", "direction", "quantifier"})  # of two sentences (edits.py)
_SAME = 0.8  # share of words in common (of all words of both) from which two rows or sentences have one subject
_SERIES = 0.85  # the same for the fronts of two documents that differ in their date only
_FRONT = 250  # characters that say what a document is, whose and of when


class Place(NamedTuple):
    """A number with what says whose and when it is. label: of a table row; empty for a sentence."""

    quantity: Quantity
    label: frozenset[str]
    section: frozenset[str]
    words: frozenset[str]
    periods: tuple[Period, ...]


def differs(claim: str, mine: Judgement, other: Judgement, *, in_one: bool) -> bool:
    """Whether `other`, a judgement on other text, rests on another value, or on the contrary, for what bears the claim
    out in `mine`. in_one: both are in one document, where rows of different sections are different things."""
    if other.verdict.status != "contradicted":
        return False
    if mine.statements and other.statements and not (mine.cells or other.cells):
        said = [tuple(p for s in judgement.statements for p in s.periods) for judgement in (mine, other)]
        opposed = any(check.name in _OPPOSED for check in other.verdict.checks)
        return opposed and _same_time(claim, said[0], said[1], in_one)
    if len(read_claim(claim, None).targets) != 1:
        return False
    one, two = _place(claim, mine), _place(claim, other)
    if one is None or two is None or not units_agree(one.quantity, two.quantity):
        return False
    if compare(one.quantity, two.quantity).agrees or compare(two.quantity, one.quantity).agrees:
        return False
    return _one_subject(content(claim), one, two, in_one) and _same_time(claim, one.periods, two.periods, in_one)


def _same_time(claim: str, one: tuple[Period, ...], two: tuple[Period, ...], in_one: bool) -> bool:
    """Whether two places may be about the same period. Where one of two documents says none, and the claim says none,
    both are about their own present."""
    if one and two:
        return any(a.agrees(b) for a in one for b in two)
    return not (one or two) or not (in_one or read_claim(claim, None).periods)


def _one_subject(claim: frozenset[str], one: Place, two: Place, in_one: bool) -> bool:
    if one.label and two.label:
        return _alike(one.label, two.label) and not (in_one and one.section != two.section)
    if one.label or two.label:
        label, said = (one.label, two.words) if one.label else (two.label, one.words)
        return len(label & said & claim) >= _SAME * len(label) and len(label) * 2 >= len(claim & said)
    return _alike(one.words & claim, two.words & claim)


def _alike(one: frozenset[str], two: frozenset[str], least: float = _SAME) -> bool:
    return bool(one) and len(one & two) >= least * len(one | two)


def _place(claim: str, judgement: Judgement) -> Place | None:
    """The cell, field or sentence that a judgement rests on, when it is one."""
    if len(judgement.cells) == 1:
        return _of_seen(claim, judgement.cells[0])
    if len(judgement.statements) == 1 and not judgement.cells:
        return _of_statement(claim, judgement.statements[0])
    return None


def _of_seen(claim: str, seen: Seen) -> Place | None:
    if seen.statement is not None:
        return _of_statement(claim, seen.statement, seen.quantity)
    if seen.value is None:
        return None
    value = seen.value
    label = value.label_words or value.column_words
    return Place(seen.quantity, label, value.section_words if value.label_words else frozenset(), label, value.periods)


def _of_statement(claim: str, statement: Statement, quantity: Quantity | None = None) -> Place | None:
    """A sentence's number: the one given, or its only one in the claim's unit."""
    claimed = read_claim(claim, None).targets[0].quantity
    like = [q for q in statement.quantities if q.kind != "year" and units_agree(claimed, q)]
    own = quantity or (like[0] if len(like) == 1 else None)
    if own is None:
        return None
    return Place(own, frozenset(), frozenset(), statement.words, period_of(statement, own))


# ---------------------------------------------------------------- documents


class Front(NamedTuple):
    """How a document begins, and its words as written, as far as they were read."""

    text: str
    names: frozenset[str]


def are_comparable(claim: str, one: Front, two: Front) -> bool:
    """Whether two documents, by their first lines, may contradict each other on a claim. A name in the claim that only
    one of them has says which one is meant."""
    named = [t for t in tokens(claim)[1:] if not (t.islower() or t[0].isdigit())]
    if any((t in one.names) != (t in two.names) for t in named):
        return False
    a, b = one.text[:_FRONT], two.text[:_FRONT]
    return not _are_others(_names(a), _names(b)) and not _are_series(a, b)


def _names(front: str) -> frozenset[str]:
    return frozenset(t for t in tokens(front) if t[0].isupper() and t.lower() not in front_words())


def _are_others(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether the names at the front of two documents are mostly other ones."""
    return bool(one and two) and len(one & two) * 2 <= min(len(one), len(two))


def _are_series(one: str, two: str) -> bool:
    """Whether two documents are the same kind of report on different dates."""
    dates, others = periods(one), periods(two)
    if not dates or not others or any(a.agrees(b) for a in dates for b in others):
        return False
    return _alike(_undated(one, dates), _undated(two, others), _SERIES)


def _undated(front: str, dates: list[Period]) -> frozenset[str]:
    for period in dates:
        front = front.replace(period.text, " ")
    return frozenset(s for s in stems(front) if not re.search(r"\d", s))
