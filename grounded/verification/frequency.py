"""How often something happens: 'paid quarterly' against 'Dividend schedule: Quarterly' or 'reviewed each month'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grounded.verification.evidence import Evidence
from grounded.verification.prose import Statement
from grounded.verification.words import content

_UNITS = {"day": "dai", "week": "week", "month": "month", "quarter": "quarter", "year": "year|annual"}
_EACH = r"\b(?:(?:each|every|(?:once|twice|times) an?|per)\s+{unit}s?|(?:{stem})ly)\b(?!\s+(?:volume|average|returns?))"
_OFTEN = {unit: re.compile(_EACH.format(unit=unit, stem=stem), re.IGNORECASE) for unit, stem in _UNITS.items()}
_TIMES = {
    2: re.compile(r"\b(?:twice|(?:two|2) times)\s", re.IGNORECASE),
    3: re.compile(r"\b(?:three|3) times\s", re.IGNORECASE),
}
_BEFORE = 12  # letters in front of 'a day' or 'daily' where its 'twice' stands
_ENOUGH = 0.5  # share of the claim's other words that a sentence or row must have


@dataclass(frozen=True, slots=True)
class Often:
    """Whether the best fitting sentence or row says the same frequency. statement: None for a row of a table."""

    holds: bool
    detail: str
    statement: Statement | None


def find_frequency(claim: str, statements: Sequence[Statement], evidence: Evidence) -> Often | None:
    """The sentence or row with most of the claim's words that says how often, one that agrees before others; None when
    none has enough of them."""
    asked = said_often(claim)
    words = content(_without(claim))
    if len(asked) != 1 or not words:
        return None
    found: list[tuple[bool, float, str, Statement | None]] = []
    for text, statement in _places(statements, evidence):
        share = _shared(words, content(_without(text)), whole=statement is None)
        if share >= _ENOUGH and (said := said_often(text)):
            found.append((bool(asked & said), share, text, statement))
    best = max(found, key=lambda f: f[:2], default=None)
    return Often(best[0], best[2], best[3]) if best else None


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


def said_often(text: str) -> frozenset[tuple[str, int]]:
    """The units of time in which a text says how often, and how often in each: 'monthly', 'every month' -> month, 1."""
    return frozenset(
        (unit, _times(text[max(0, match.start() - _BEFORE) : match.end()]))
        for unit, pattern in _OFTEN.items()
        for match in pattern.finditer(text)
    )


def often_words(text: str) -> frozenset[str]:
    """The words in which a text says how often: 'once', 'day'."""
    stretches = (match.group() for pattern in _OFTEN.values() for match in pattern.finditer(text))
    return frozenset(word for stretch in stretches for word in stretch.lower().split())


def _times(said: str) -> int:
    return next((times for times, pattern in _TIMES.items() if pattern.search(said)), 1)


def _without(text: str) -> str:
    for pattern in _OFTEN.values():
        text = pattern.sub(" ", text)
    return text
