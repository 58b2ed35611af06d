"""One question asked of several documents: both values, both places, and what lies between them."""

from __future__ import annotations

from grounded.generation.extractive import amounts, compose, operations
from grounded.generation.extractive.answering import MIN_SCORE, Answering, Proposal
from grounded.generation.extractive.evidence import Fact, timeless
from grounded.quantities import Period

_GROWTH = "growth"
_CHANGES = ("difference", _GROWTH)


def compare(answering: Answering) -> Proposal:
    """The value in each document, oldest first, and the change; the plain answer when there are no two values."""
    computed = answering.computed(answering.ranked()) if len(answering.question.periods) > 1 else []
    if computed:
        return Proposal([compose.from_computed(one) for one in computed])
    line = _values(answering)
    if len(line) < 2 and answering.question.operation in _CHANGES and len(answering.question.periods) > 1:
        return Proposal(reason="The values to compare were not found at every date.")
    if len(line) < 2:
        return answering.answer()
    claims = [compose.from_fact(fact, score, named=True) for fact, score in line]
    facts = [fact for fact, _ in line]
    if len(line) == 2 and all(f.quantity for f in facts) and amounts.comparable([operations.number(f) for f in facts]):
        operation = operations.growth if answering.question.operation == _GROWTH else operations.difference
        change = operation(facts, min(score for _, score in line))
        claims += [compose.from_computed(change)] if change else []
    return Proposal(claims)


def _values(answering: Answering) -> list[tuple[Fact, float]]:
    """The best-fitting fact of each document, all with one label, in order of their documents' dates."""
    best: dict[str, tuple[Fact, float]] = {}
    for candidate in answering.ranked():
        fact = candidate.unit
        if not isinstance(fact, Fact) or not fact.value or candidate.score < MIN_SCORE:
            continue
        if not answering.matcher.picks(fact):
            continue
        if all(_says_the_same(fact, other) for other, _ in best.values()):
            best.setdefault(fact.sheet.document, (fact, candidate.score))
    return sorted(best.values(), key=lambda found: _dated(found[0]))


def _says_the_same(fact: Fact, other: Fact) -> bool:
    """Whether two facts have one label, dates aside."""
    same_row = set(timeless(fact.row_text)) == set(timeless(other.row_text))
    return same_row and set(timeless(fact.column_text)) == set(timeless(other.column_text))


def _dated(fact: Fact) -> tuple[int, ...]:
    dates: tuple[Period, ...] = fact.sheet.periods
    return tuple(part or 0 for part in dates[0].key) if dates else ()
