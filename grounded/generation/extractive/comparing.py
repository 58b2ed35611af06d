"""One question asked of several documents: both values, both places, and what lies between them."""

from __future__ import annotations

import re

from grounded.generation.extractive import amounts, compose, operations
from grounded.generation.extractive.answering import MIN_SCORE, Answering
from grounded.generation.extractive.compose import Proposal
from grounded.generation.extractive.evidence import Fact, timeless
from grounded.quantities import Period
from grounded.types import Claim

_EACH = re.compile(
    r"\b(?:each|every|both|all)\b(?: of)?(?: the)?(?: (?:two|three|four))? (?:\w+ )?"
    r"(?:documents?|files?|sheets?|factsheets?|reports?|filings?|contracts?|agreements?|funds?|pdfs?)\b",
    re.IGNORECASE,
)
_GROWTH = "growth"
_CHANGES = ("difference", _GROWTH)


def compare(answering: Answering) -> Proposal:
    """The value in each document, oldest first, and the change; the plain answer when there are no two values."""
    question = answering.question
    whole = len(question.periods) > 1 or question.moved or answering.computer.compares_within()
    computed = answering.computed(answering.ranked()) if whole else []
    if computed:
        return Proposal([compose.from_computed(one) for one in computed])
    extremes = _extremes(answering) if question.operation in ("largest", "smallest") else []
    if len(extremes) > 1:
        return Proposal(extremes)
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


def asks_each(question: str) -> bool:
    """Whether one answer is wanted of each document."""
    return bool(_EACH.search(question))


def _extremes(answering: Answering) -> list[Claim]:
    """The largest (or smallest) in each document, oldest document first."""
    documents = {fact.sheet.document: fact for fact in answering.facts}
    found: list[Claim] = []
    for document in sorted(documents, key=lambda d: _dated(documents[d])):
        computed = answering.computed_in(document)
        found += [compose.from_computed(one, named=True) for one in computed]
    return found


def _values(answering: Answering) -> list[tuple[Fact, float]]:
    """The best-fitting fact of each document, all with one label, in order of their documents' dates."""
    best: dict[str, tuple[Fact, float]] = {}
    changes = answering.question.operation in _CHANGES  # then "change" stands in no label
    for candidate in answering.ranked_facts(answering.computer.matcher if changes else answering.matcher):
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
    same_row = timeless(fact.row_text) == timeless(other.row_text)
    return same_row and timeless(fact.column_text) == timeless(other.column_text)


def _dated(fact: Fact) -> tuple[int, ...]:
    dates: tuple[Period, ...] = fact.sheet.periods
    return tuple(part or 0 for part in dates[0].key) if dates else ()
