"""Text read as values: each number of a sentence with the words and the period it belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import log

from grounded.quantities import Period, Quantity, periods, quantities
from grounded.quantities.numerals import DecimalMark
from grounded.text import sentence_spans
from grounded.verification.claims import opens_anew, paired
from grounded.verification.words import content, stems

_CLAUSE = re.compile(r"[,;:()] | and | but | of which | while | compared ")
# A new line begins a unit when the line before ends a clause, or when it starts like a list item or is a form's label;
# so does a capital behind a wide gap, where a full stop was lost.
_ITEM = re.compile(
    r"(?<=[.;:,])[ \t]*\n|(?<=\w)[ \u00a0]{2,}(?=[A-Z][a-z]+[ \u00a0])"
    r"|\n(?=[ \t]*(?:[•▪■◦*–—-]\s|\(?[a-zA-Z0-9]{1,4}[.)]\s|[A-Z][^\n:]{1,40}:(?:\s|$)))"
)
_GAP = 2  # characters between two lines, or paragraphs, of a text
_NOTE_MARK = re.compile(r"\d{1,2}(?= [A-Z][a-z]+ )")  # the number of a footnote or list item
_SEMICOLON = re.compile(r";\s")
_LONG = 500
_ENDS, _PIECES = re.compile(r"[.!?][\"”’)]*[¹²³⁰⁴-⁹]*$"), 4  # a sentence's end; pieces before, and in all twice as many
_COUNTED = frozenset({"number", "money", "percent", "multiple", "fraction", "year"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of the evidence."""

    index: int
    text: str
    span: tuple[int, int]
    words: frozenset[str]
    stem_set: frozenset[str]
    order: dict[str, int]
    bigrams: frozenset[tuple[str, str]]
    periods: tuple[Period, ...]
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """The sentences of a text, its stems, and the weight of each word: rarer among the sentences weighs more."""

    statements: tuple[Statement, ...]
    weights: dict[str, float]
    words: frozenset[str]

    def pieces(self, statement: Statement) -> tuple[Statement, ...]:
        """The statement with the pieces before and after it that line breaks cut from the same sentence."""
        first = last = statement.index
        while first > 0 and last - first < _PIECES and self._goes_on(first - 1):
            first -= 1
        while last + 1 < len(self.statements) and last - first < 2 * _PIECES and self._goes_on(last):
            last += 1
        return self.statements[first : last + 1]

    def _goes_on(self, at: int) -> bool:
        """Whether a statement has no end and the next one stands right behind it, as rows of a table do not."""
        own, behind = self.statements[at : at + 2]
        return not _ENDS.search(own.text) and behind.span[0] - own.span[1] <= _GAP


@lru_cache(maxsize=256)
def read_prose(text: str, mark: DecimalMark | None) -> Prose:
    """Split and read a text."""
    spans = statement_spans(text)
    statements = _in_period(
        [replace(_read(" ".join(text[a:b].split()), mark), index=i, span=(a, b)) for i, (a, b) in enumerate(spans)]
    )
    seen: dict[str, int] = {}
    for statement in statements:
        for word in statement.words:
            seen[word] = seen.get(word, 0) + 1
    everywhere = frozenset(s for statement in statements for s in statement.stem_set)
    return Prose(statements, {w: log(1 + len(statements) / n) for w, n in seen.items()}, everywhere)


def _in_period(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The rest of a sentence that was broken at a comma is about the period that its beginning named last."""
    told: list[Statement] = []
    for statement in statements:
        goes_on = told and told[-1].text.endswith(",") and not statement.periods
        told.append(replace(statement, periods=told[-1].periods[-1:]) if goes_on else statement)
    return tuple(told)


@lru_cache(maxsize=32768)
def _read(text: str, mark: DecimalMark | None) -> Statement:
    """A sentence by itself, as number 0 at no place: the same page is read once, whatever pages stand around it."""
    note = _NOTE_MARK.match(text)
    first = note.end() if note else 0
    counted = tuple(q for q in quantities(text, locale_hint=mark) if q.kind in _COUNTED and q.span[0] >= first)
    in_order = stems(text)
    order: dict[str, int] = {}
    for place, stem in enumerate(in_order):
        order.setdefault(stem, place)
    pairs = frozenset(pairwise(in_order))
    return Statement(0, text, (0, 0), content(text), frozenset(in_order), order, pairs, tuple(periods(text)), counted)


def statement_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the units that are compared: sentences, broken also at list items, labels and very long clauses."""
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        cuts = [start, *(start + m.start() for m in _ITEM.finditer(text[start:end])), end]
        for a, b in pairwise(cuts):
            spans.extend(_shorter(text, a, b))
    return spans


def _shorter(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A unit cut at semicolons when it is longer than a paragraph should be; blank ends trimmed, empty ones dropped."""
    cuts = [start]
    if end - start > _LONG:
        cuts += [start + m.end() for m in _SEMICOLON.finditer(text[start:end])]
    cuts.append(end)
    trimmed = []
    for a, b in pairwise(cuts):
        part = text[a:b]
        inner = (a + len(part) - len(part.lstrip()), b - len(part) + len(part.rstrip()))
        if inner[0] < inner[1]:
            trimmed.append(inner)
    return trimmed


def period_of(statement: Statement, quantity: Quantity) -> tuple[Period, ...]:
    """The period a number of the sentence belongs to; all of the sentence's when there is one number or one period."""
    behind = (p for p in statement.periods if p.span[0] >= quantity.span[1])
    others = [p for p in behind if opens_anew(statement.text, quantity, p)]
    spoken = tuple(p for p in statement.periods if p not in others)
    if len(spoken) < 2 or len(statement.quantities) < 2:
        return spoken
    return (paired(statement.text, quantity, spoken),)


def local_words(statement: Statement, quantity: Quantity) -> frozenset[str]:
    """The words of the number's own clause."""
    return content(clause_of(statement, quantity))


def clause_of(statement: Statement, quantity: Quantity) -> str:
    """The number's own clause. One between commas ('the average, 0.74 %, is') belongs to the clause before."""
    start, end = quantity.span
    opens = [0, *(m.end() for m in _CLAUSE.finditer(statement.text, 0, start))]
    right = _CLAUSE.search(statement.text, end)
    stop = right.start() if right else len(statement.text)
    own = statement.text[opens[-1] : stop]
    return own if len(opens) < 2 or content(own) else statement.text[opens[-2] : stop]


def coverage(words: frozenset[str], statement: Statement, before: Statement | None, weights: dict[str, float]) -> float:
    """Weighted share of the claim's words in the sentence; words of the sentence before count half. Words that the
    text nowhere has weigh like the rarest."""
    own, near = words & statement.words, words & before.words if before else frozenset[str]()
    if not own and not near:
        return 0.0
    rarest = max(weights.values(), default=1.0)
    asked = sum(weights.get(w, rarest) for w in words)
    hit = sum(weights.get(w, rarest) * (1.0 if w in own else 0.5) for w in own | near)
    return hit / asked
