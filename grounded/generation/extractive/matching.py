"""How well a fact or a sentence fits a question: weighted shares of the question's terms, by where they are found."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from grounded.generation.extractive.evidence import Fact, Sentence, Sheet
from grounded.generation.extractive.question import Question
from grounded.generation.extractive.words import document_frequency, is_code, respell, terms
from grounded.quantities import Period


class Fit(NamedTuple):
    """How a unit fits, each 0..1 but the last.

    own: share of the subject's weight in the label (row and column) or the sentence itself. group: in its section or
    caption only. page: elsewhere on the page only. scope: share of the words that say which document is meant that
    hold for this document. precision: share of the label's own terms that the question asks for; for a sentence, how
    brief it is. period: 1 the question's period, 0 none asked or none shown, -1 another one.
    """

    own: float
    group: float
    page: float
    scope: float
    precision: float
    period: float

    @property
    def score(self) -> float:
        """One number to rank by."""
        covered = self.own + 0.7 * self.group + 0.2 * self.page
        return covered * (0.35 + 0.65 * self.precision) * (1 + 0.25 * self.period) * (0.4 + 0.6 * self.scope)


SCOPE_WEIGHT = 0.3  # of a word that only says which document is meant
SENTENCE_TERMS = 60  # a sentence with so many terms is only half as much to the point as a short one
COLUMN_SHARE = 0.2  # how much a column header's own terms count against the row label's
UNSEEN_WEIGHT = 0.4  # of a word that stands nowhere in the context: the asker's own, or what is missing


class Matcher:
    """A question against one context: its terms weighted by how rare they are there, typing errors mended."""

    def __init__(self, question: Question, sheets: Sequence[Sheet], units: Iterable[Iterable[str]]) -> None:
        self.question = question
        self.sheets = sheets
        self.units = units = [set(unit) for unit in units]
        frequency = document_frequency(units)
        scope = {t for sheet in sheets for t in sheet.about}
        vocabulary = set(frequency) | scope
        self.spelling = {t: fixed for t in question.every if t not in vocabulary and (fixed := respell(t, vocabulary))}
        rarest = math.log(1 + len(units) / 1.5)
        self.names = scope
        self.scope = {t for t in question.every if self._mended(t) in scope}
        if any(is_code(t) and t in self.scope for t in question.tail):
            self.scope |= set(question.tail)
        if not set(question.subject) - self.scope:
            self.scope = set()  # nothing but names of the document: they are the subject
        self.asked = {self._mended(t) for t in question.every} | {t for p in question.periods for t in terms(p.text)}
        self.weights = {t: self._weight(t, frequency, len(units), rarest) for t in question.every}

    def about(self, question: Question) -> Matcher:
        """The same context, another question."""
        return Matcher(question, self.sheets, self.units)

    def column(self, facts: Sequence[Fact]) -> Fit:
        """Fit of a column of a table as a whole: its header, section, caption, and what heads all its rows."""
        first = facts[0]
        shared = set(first.row_stems).intersection(*(f.row_stems for f in facts))
        own = {*first.column_stems, *first.group_stems, *first.stub_stems, *shared}
        return self._fit(own, frozenset(), first.sheet, 1.0, first.periods if first.column else ())

    def _weight(self, term: str, frequency: Mapping[str, int], total: int, rarest: float) -> float:
        base = self.question.weight(term) * (SCOPE_WEIGHT if term in self.scope else 1.0)
        count = frequency.get(self._mended(term), 0)
        return base * (math.log(1 + total / (0.5 + count)) / rarest if count else UNSEEN_WEIGHT)

    def fact(self, fact: Fact) -> Fit:
        """Fit of a labelled value."""
        own = {*fact.row_stems, *fact.column_stems}
        row, column = self._asked(fact.row_stems), self._asked(fact.column_stems)
        precision = row * (1 - COLUMN_SHARE + COLUMN_SHARE * column) if fact.row_stems else column
        return self._fit(own, fact.group_stems, fact.sheet, precision, fact.periods)

    def sentence(self, sentence: Sentence) -> Fit:
        """Fit of a sentence."""
        shown = sentence.periods or sentence.sheet.periods
        brief = 1 / (1 + len(sentence.stems) / SENTENCE_TERMS)
        return self._fit(set(sentence.stems), sentence.group_stems, sentence.sheet, brief, shown)

    def _fit(
        self, own: set[str], group: frozenset[str], sheet: Sheet, precision: float, shown: Sequence[Period]
    ) -> Fit:
        own_weight = group_weight = page_weight = total = 0.0
        for term, weight in self.weights.items():
            mended = self._mended(term)
            if term in self.scope and mended not in own:
                continue  # it says which document is meant; only where it also stands in the label does it count
            total += weight
            own_weight += weight * (mended in own)
            group_weight += weight * (mended not in own and mended in group)
            page_weight += weight * (mended not in own and mended not in group and mended in sheet.stems)
        total = total or 1.0
        named = [self._mended(t) for t in self.scope if self._mended(t) in self.names]
        holds = sum(t in sheet.about for t in named) / len(named) if named else 1.0
        shares = own_weight / total, group_weight / total, page_weight / total
        return Fit(*shares, holds, precision, self._period(shown))

    def _asked(self, label: Sequence[str]) -> float:
        """Share of a label's terms that the question asks for; 1 for no label."""
        return sum(t in self.asked for t in label) / len(label) if label else 1.0

    def _period(self, shown: Sequence[Period]) -> float:
        """Whether the periods in force there are among those of the question."""
        wanted = self.question.periods
        if not wanted or not shown:
            return 0.0
        return 1.0 if any(w.agrees(p) for w in wanted for p in shown) else -1.0

    def _mended(self, term: str) -> str:
        return self.spelling.get(term, term)
