"""Text read as values: each number of a sentence with the words and the period it belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import log

from grounded.quantities import Period, Quantity, periods, quantities
from grounded.quantities.numerals import DecimalMark
from grounded.text import sentence_spans
from grounded.verification.claims import paired
from grounded.verification.words import content

_CLAUSE = re.compile(r"[,;:()] | and | but | of which | while | compared ")
_COUNTED = frozenset({"number", "money", "percent", "multiple", "fraction", "year"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of the evidence."""

    index: int
    text: str
    words: frozenset[str]
    periods: tuple[Period, ...]
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """The sentences of a text and the weight of each word: rarer among the sentences weighs more."""

    statements: tuple[Statement, ...]
    weights: dict[str, float]


@lru_cache(maxsize=256)
def read_prose(text: str, mark: DecimalMark | None) -> Prose:
    """Split and read a text."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    statements = tuple(_statement(i, " ".join(s.split()), mark) for i, s in enumerate(sentences))
    seen: dict[str, int] = {}
    for statement in statements:
        for word in statement.words:
            seen[word] = seen.get(word, 0) + 1
    return Prose(statements, {w: log(1 + len(statements) / n) for w, n in seen.items()})


def _statement(index: int, text: str, mark: DecimalMark | None) -> Statement:
    counted = tuple(q for q in quantities(text, locale_hint=mark) if q.kind in _COUNTED)
    return Statement(index, text, content(text), tuple(periods(text)), counted)


def period_of(statement: Statement, quantity: Quantity) -> tuple[Period, ...]:
    """The period a number of the sentence belongs to; all of the sentence's when there is one number or one period."""
    if len(statement.periods) < 2 or len(statement.quantities) < 2:
        return statement.periods
    return (paired(statement.text, quantity, statement.periods),)


def local_words(statement: Statement, quantity: Quantity) -> frozenset[str]:
    """The words of the number's own clause."""
    start, end = quantity.span
    left = max((m.end() for m in _CLAUSE.finditer(statement.text, 0, start)), default=0)
    right = _CLAUSE.search(statement.text, end)
    return content(statement.text[left : right.start() if right else len(statement.text)])


def coverage(words: frozenset[str], statement: Statement, before: Statement | None, weights: dict[str, float]) -> float:
    """Weighted share of the claim's words in the sentence; words of the sentence before count half. Words that the
    text nowhere has weigh like the rarest."""
    rarest = max(weights.values(), default=1.0)
    asked = sum(weights.get(w, rarest) for w in words)
    if not asked:
        return 0.0
    near = before.words if before else frozenset()
    hit = sum(weights.get(w, rarest) * (1.0 if w in statement.words else 0.5 if w in near else 0.0) for w in words)
    return hit / asked
