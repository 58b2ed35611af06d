"""How well a fact or a sentence fits a question: weighted shares of the question's terms, by where they are found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from grounded.generation.extractive.evidence import Fact, Sentence, Sheet, timeless
from grounded.generation.extractive.forms import fits
from grounded.generation.extractive.question import COMPUTING, Question
from grounded.generation.extractive.words import LETTER, document_frequency, is_code, respell, stem, terms
from grounded.quantities import Period, periods


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
    precision: float = 1.0
    period: float = 0.0
    form: float = 0.0

    @property
    def score(self) -> float:
        """One number to rank by."""
        covered = self.own + 0.7 * self.group + 0.2 * self.page
        fitting = (0.35 + 0.65 * self.precision) * (0.4 + 0.6 * self.scope)
        timely = OTHER_PERIOD if self.period < 0 else 1 + 0.25 * self.period
        return covered * fitting * timely * (WRONG_FORM if self.form < 0 else 1 + 0.25 * self.form)


OTHER_PERIOD = 0.4  # of a value's fit, when it is of another period than the question's
WRONG_FORM = 0.4  # of a value's fit, when it has not the form asked for
SCOPE_WEIGHT = 0.3  # of a word that only says which document is meant
SENTENCE_TERMS = 60  # a sentence with so many terms is only half as much to the point as a short one
COLUMN_SHARE = 0.2  # how much a column header's own terms count against the row label's
FEW_ROWS = 5  # of a table, of which the first is a fair guess
GENERIC = 0.3  # of a label's "number", "total", "amount", against its other words
UNNAMED_ROW = 0.9  # of a value whose column alone is named: which row is meant stays open
UNSEEN_WEIGHT = 0.7  # of a word that stands nowhere in the context: the asker's own, or what is missing
UNSEEN_NUMBER = 3.0  # of a number that does: "15 years" where only 10 are told of
OTHER_WORDS = 0.45  # of the question's own words, when only the vocabulary's other words for them stand there
ACRONYM_LETTERS = range(3, 6)  # of a short name that may stand for words beginning so: "CEO"
KEY_SHARE = 0.95  # of the highest weight, from which a word is as telling as the most telling one
HALF = 0.5  # of a row label's words
_BRACKETS = re.compile(r"\([^()]*\)")
_DATE = stem("date")
_PERCENTAGE = frozenset(terms("weight weighting allocation exposure percentage percent share proportion portion"))
_MONEY = frozenset(terms("money dollar dollars"))

# What a question speaks of -> how that is printed: (the question's words, the printed forms).
Vocabulary = Callable[[str], Sequence[tuple[Collection[str], Sequence[str]]]]


class Matcher:
    """A question against one context: its terms weighted by how rare they are there, typing errors mended."""

    def __init__(
        self,
        question: Question,
        sheets: Sequence[Sheet],
        units: Iterable[Iterable[str]],
        vocabulary: Vocabulary = lambda question: (),
        *,
        literal: bool = True,
    ) -> None:
        self.question, self.sheets, self.vocabulary, self.literal = question, sheets, vocabulary, literal
        self.units = [set(unit) for unit in units]
        self.names = {t for sheet in sheets for t in sheet.about}
        frequency = document_frequency(self.units)
        known = set(frequency) | self.names
        self.spelling = {t: right for t in question.every if t not in known and (right := respell(t, known))}
        self.acronyms = {t for t in question.every if t not in known and t.isalpha() and len(t) in ACRONYM_LETTERS}
        self.scope = self._scope()
        self.weights = {t: self._weight(t, frequency) for t in question.every}
        self.keys = self._keys(frequency)
        self.senses = [
            (said, [set(terms(form)) for form in forms])
            for words, forms in vocabulary(question.text)
            if (said := {t for t in map(stem, words) if t in self.weights})
        ]
        dates = {t for period in question.periods for t in terms(period.text)}
        self.asked = {self._mended(t) for t in question.every} | dates
        self.meant = self.asked.union(*(form for _, forms in self.senses for form in forms))

    def about(self, question: Question, *, literal: bool = False) -> Matcher:
        """The same context, another question, or the same one read another way."""
        return Matcher(question, self.sheets, self.units, self.vocabulary, literal=literal)

    def fact(self, fact: Fact) -> Fit:
        """Fit of a labelled value."""
        own = {*fact.row_stems, *fact.column_stems, *fact.aliases}
        if _DATE in self.asked and any(p.day for p in periods(fact.row_text)):
            own.add(_DATE)
        own |= self._said_by_value(fact)
        row = 1.0 if fact.aliases & self.asked else self._row_asked(fact)
        column = self._asked(fact.column_stems, fact.column_text) if fact.column_stems else 1.0
        row = UNNAMED_ROW * row if fact.is_sum else row
        precision = row * (1 - COLUMN_SHARE + COLUMN_SHARE * column) if row else UNNAMED_ROW * column
        return self._fit(own, fact.group_stems, fact.sheet)._replace(
            precision=precision, period=self._period(fact.periods), form=self._form(fact)
        )

    def _row_asked(self, fact: Fact) -> float:
        """Share of a row label's words that the question asks for. The row's own words, brackets aside, count as much
        as all with those of its headings: "interest expense" is no "Other income (expense) › Interest income"."""
        whole, (*headings, leaf) = self._asked(fact.row_stems, fact.row_text), fact.row_text.split(" › ")
        own = _BRACKETS.sub("", leaf)
        return (whole + self._asked(terms(own), own)) / 2 if headings else whole

    def _said_by_value(self, fact: Fact) -> frozenset[str]:
        """The question's words that the value itself answers to: "weight" to a percentage, "money" to an amount."""
        words = (_PERCENTAGE | _MONEY) & self.asked - self.question.cue
        found = fact.quantity if words else None
        if found is None:
            return frozenset()
        return words & _PERCENTAGE if found.unit == "percent" else words & _MONEY if found.currency else frozenset()

    def sentence(self, sentence: Sentence) -> Fit:
        """Fit of a sentence."""
        spelled = {t for t in self.acronyms if t in sentence.initials}
        return self._fit({*sentence.stems, *spelled}, sentence.group_stems, sentence.sheet)._replace(
            precision=1 / (1 + len(sentence.stems) / SENTENCE_TERMS),
            period=self._period(sentence.periods or sentence.sheet.periods),
            form=fits(self.question.kind, sentence.text),
        )

    def column(self, facts: Sequence[Fact]) -> Fit:
        """Fit of a column of a table as a whole: its header, section, caption, and what heads all its rows."""
        first = facts[0]
        shared = set(first.row_stems).intersection(*(f.row_stems for f in facts))
        own = {*first.column_stems, *first.group_stems, *first.stub_stems, *shared}
        return self._fit(own, frozenset(), first.sheet)._replace(
            period=self._period(first.periods) if first.column else 0.0
        )

    def holds_all(self, stems: Sequence[str]) -> bool:
        """Whether a title says all that the question asks for, in its words or in the vocabulary's."""
        said = set(stems)
        spoken = {t for words, forms in self.senses for t in words if any(form and form <= said for form in forms)}
        wanted = {t for t in self.question.subject if t not in self.scope}
        return bool(wanted) and all(self._mended(t) in said or t in spoken for t in wanted)

    def means(self, fact: Fact) -> bool:
        """Whether the question singles the fact out, or at least its column by more than the name of the document."""
        return self.picks(fact) or bool(set(fact.column_stems) & self.meant - self.names)

    def picks(self, fact: Fact) -> bool:
        """Whether the question singles the fact out: it names its row, or there are few rows to mean."""
        few = fact.table is not None and fact.table.n_rows <= FEW_ROWS
        return few or bool({*fact.row_stems, *fact.aliases} & self.meant)

    def tells(self, sentence: Sentence) -> bool:
        """Whether a sentence holds the question's rarest word, as far as the context holds it."""
        return not self.keys or bool(self.keys & set(sentence.stems))

    def names_row(self, fact: Fact) -> bool:
        """Whether the question names the value's row, by half of the row's words or more."""
        return self._asked(fact.row_stems, fact.row_text) >= HALF if fact.row_stems else False

    def names_whole_row(self, fact: Fact) -> bool:
        """Whether the question holds every word of the value's own label."""
        own = terms(fact.row_text.rsplit(" › ", 1)[-1])
        return bool(own) and all(t in self.asked for t in own)

    def heading(self, titles: Sequence[str], rows: Sequence[Fact]) -> Fit:
        """Fit of what heads several rows, their column considered for its period and words. titles: from the closest
        to all of them together."""
        stems = terms(titles[-1])
        column = set(rows[0].column_stems) | set(rows[0].stub_stems)
        return self._fit({*stems, *column}, frozenset(), rows[0].sheet)._replace(
            precision=max(self._asked(terms(title), title) for title in titles), period=self._period(rows[0].periods)
        )

    def missing(self, facts: Sequence[Fact]) -> set[str]:
        """The question's subject terms that none of the facts' labels holds."""
        held = {t for fact in facts for t in (*fact.row_stems, *fact.column_stems, *fact.group_stems)}
        return {self._mended(t) for t in self.question.subject if t not in self.scope} - held

    def _scope(self) -> set[str]:
        """The question's terms that only say which document is meant."""
        named = {t for t in self.question.every if self._mended(t) in self.names}
        if any(is_code(t) and t in named for t in self.question.tail):
            named |= set(self.question.tail)
        return named if set(self.question.subject) - named else set()

    def _weight(self, term: str, frequency: Mapping[str, int]) -> float:
        base = self.question.weight(term, literal=self.literal) * (SCOPE_WEIGHT if term in self.scope else 1.0)
        count, total = frequency.get(self._mended(term), 0), len(self.units)
        rarest = math.log(1 + total / 1.5)
        if not count:
            return base * (UNSEEN_NUMBER if term.isdigit() or term[0] == LETTER else UNSEEN_WEIGHT)
        return base * math.log(1 + total / (0.5 + count)) / rarest

    def _keys(self, frequency: Mapping[str, int]) -> set[str]:
        """The rarest of the subject's words that the context holds."""
        seen = {m: self.weights[t] for t in self.question.subject if frequency.get(m := self._mended(t), 0)}
        top = max(seen.values(), default=0.0)
        return {t for t, weight in seen.items() if weight >= KEY_SHARE * top}

    def _fit(self, own: set[str], group: frozenset[str], sheet: Sheet) -> Fit:
        """The shares of the question's weight by where its terms stand. A term of the scope counts only where it also
        stands in the unit itself."""
        places = {"own": 0.0, "group": 0.0, "page": 0.0, "": 0.0}
        for term, weight in self.weights.items():
            mended = self._mended(term)
            if mended in own:
                places["own"] += weight
            elif term not in self.scope:
                places["group" if mended in group else "page" if mended in sheet.stems else ""] += weight
        total = sum(places.values()) or 1.0
        unsaid = OTHER_WORDS * (total - places["own"])
        meant = places["own"] + min(unsaid, self._by_other_words(own))
        named = [self._mended(t) for t in self.scope if self._mended(t) in self.names]
        holds = sum(t in sheet.about for t in named) / len(named) if named else 1.0
        return Fit(meant / total, places["group"] / total, places["page"] / total, holds)

    def _by_other_words(self, own: set[str]) -> float:
        """Weight that stands in `own` only in the vocabulary's other words for the question's."""
        added = 0.0
        for said, forms in self.senses:
            unsaid = [t for t in said if t not in self.scope and not t.isdigit() and self._mended(t) not in own]
            if unsaid:
                spoken = max((len(form & own) / len(form) for form in forms if form), default=0.0)
                added += OTHER_WORDS * spoken * sum(self.weights[t] for t in unsaid)
        return added

    def _asked(self, stems: Sequence[str], label: str) -> float:
        """Share of a label's terms, dates aside, that the question asks for; 1 for no label but a date."""
        held = set(stems)
        forms = [f for said, forms in self.senses if said - held for f in forms if f and f <= held]
        meant = self.asked.union(*forms) if any(t in self.asked for t in stems) else self.meant
        subject = {t: GENERIC if t in COMPUTING else 1.0 for t in (*timeless(label), *(t for t in stems if t in meant))}
        if not subject:
            return float(bool(stems))
        return sum(weight for t, weight in subject.items() if t in meant) / sum(subject.values())

    def _form(self, fact: Fact) -> float:
        """A date may stand in the label: "Net assets as of June 30" answers what they were on that day."""
        dated = self.question.kind == "date" and timeless(fact.row_text)
        shown = fits(self.question.kind, fact.value_text)
        return max(shown, fits(self.question.kind, fact.row_text)) if dated else shown

    def _period(self, shown: Sequence[Period]) -> float:
        """Whether the periods in force there are among those of the question."""
        wanted = self.question.periods
        if not wanted or not shown:
            return 0.0
        return 1.0 if any(w.agrees(p) for w in wanted for p in shown) else -1.0

    def _mended(self, term: str) -> str:
        return self.spelling.get(term, term)
