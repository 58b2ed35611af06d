"""One question against its sources: what fits is computed, looked up or quoted; what does not is left alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from grounded.generation.extractive import amounts, compose, operations
from grounded.generation.extractive.asking import asking
from grounded.generation.extractive.clauses import Kind, is_contract, kind_of
from grounded.generation.extractive.compose import Proposal
from grounded.generation.extractive.computing import OVER_PERIODS, Computer, every_year
from grounded.generation.extractive.contracts import clause
from grounded.generation.extractive.definitions import asked_term, definition, said_to_be
from grounded.generation.extractive.evidence import Fact, Sentence, facts, sentences, sheets
from grounded.generation.extractive.headings import brief_under, told_behind, told_under
from grounded.generation.extractive.listing import asks_members, members
from grounded.generation.extractive.matching import Fit, Matcher, Vocabulary
from grounded.generation.extractive.operations import Computed
from grounded.generation.extractive.polar import yes_or_no
from grounded.generation.extractive.prose import Phrase, phrase
from grounded.generation.extractive.question import analyse, speaks_of
from grounded.generation.extractive.ranking import Pairs
from grounded.generation.extractive.respective import of_years, respective
from grounded.generation.extractive.several import named_things
from grounded.generation.extractive.spans import asks_defined, defined, in_words, whole_clause, whole_list
from grounded.generation.extractive.superlatives import asks_superlative, says_superlative
from grounded.generation.extractive.words import stem
from grounded.quantities import Period
from grounded.types import CharSpan, Claim, Context, PageSource, Source

MIN_SCORE = 0.42  # of the best fact, below which the reader is silent
MIN_SENTENCE = 0.4  # of the best sentence, whose score has its price taken off
SENTENCE_PRICE = 0.75  # a sentence must fit this much better than a fact: it says more than was asked
NEAR = 0.85  # of the best sentence's score: what else is shown beside it
TIED = 0.999  # of the best fact's score: what is as good an answer
MAX_CLAIMS = 3
CONFIDENT = 0.4  # that a passage answers the question, below which its phrases are not offered
VERY_CONFIDENT = 0.9  # the same, where forms and tables stand beside the text and its sentences fit less than well
PROBABLE = 0.25  # of a phrase and those like it, below which its sentence alone is shown
MIN_LOOSE = 0.3  # of the best sentence there
MOST = 0.9  # of a sentence: a phrase that is shorter is followed by its sentence
TOLD = ("reason", "definition", "manner", "yes-no", "person", "place")  # kinds of question that no number answers
MIN_PART_SCORE = 0.2  # of a fact that answers the rest of "A and B"
MEMBERS_FIRST = 0.7  # of the best value's score, from which its parts are shown when they are asked for
ROW = 3  # things named from which "number of" or "average" in one of them is part of its name
MAX_MEMBERS = 15  # of a list
MIN_PART_OWN = 0.6  # share of a part's words that its value's labels, or the sentence that tells values, must hold
MIN_COMPARED = 0.55  # share of a question for the most that a sentence must hold
_ANY_AMOUNT = frozenset(map(stem, ("money", "dollars", "cash", "amount", "time")))
_COMPARES = re.compile(
    r"(?<!inter)(?<!inv)(?<!requ)(?<!for)est\b|\b(?:most|least|worst|top|main|primary|principal|leading|maximum|minimum|"
    r"more|less|only|\w+er than|exceed\w*|first|last|up to|at least)\b",
    re.IGNORECASE,
)
NEAR_CAUSES = 4  # sentences in which a cause is looked for
CAUSE = 0.6  # of the best one's score
_GOES_BACK = re.compile(r"(?:The|This|These|It|Such)\b")
_ASKS_NOTE = re.compile(
    r"\b(?:included?|includes|excludes?|excluded|consists?|comprises?|relates?|represents?)\b", re.IGNORECASE
)
_MARK = re.compile(r"\((\d)\)$")
_RATE = stem("percent")
_ASKS_TITLE = re.compile(r"who(?:\s+(?:is|are|was|were)|['’]s)\b", re.IGNORECASE)
CLAUSE_FORMS = ("what", "what is", "why", "how")  # of questions that a clause answers
TITLE_TERMS = 4  # of a question for a person by title
TITLE_SHARE = 0.5  # of them in a sentence: the rest may tell one title from another
WHOLE = 0.9  # share of the question's words from which one value's labels say all of it
UNMEANT = 0.5  # of a value's score, when the question names neither its row nor its column
SILENT = Proposal(reason="No passage answers the question closely enough.")


class Candidate(NamedTuple):
    """A fact or a sentence with its fit."""

    score: float
    fit: Fit
    unit: Fact | Sentence


class Answering:
    """The evidence for one question, read once."""

    def __init__(
        self,
        text: str,
        sources: Sequence[Source],
        pages: PageSource,
        vocabulary: Vocabulary,
        pairs: Pairs | None = None,
    ) -> None:
        self.question, self.pairs = analyse(text), pairs
        self.sheets = sheets(Context(sources=tuple(sources)), pages)
        by_sheet = [(sheet, facts(sheet)) for sheet in self.sheets]
        self.facts = [fact for _, found in by_sheet for fact in found]
        self.sentences = [sentence for sheet, found in by_sheet for sentence in sentences(sheet, found)]
        units = [*(f.row_stems for f in self.facts), *(s.stems for s in self.sentences)]
        self.matcher = Matcher(self.question, self.sheets, units, vocabulary)
        self.computer = Computer(self.question, self.matcher.about(self.question), self.facts)

    @cached_property
    def clause_kind(self) -> Kind | None:
        """The kind of clause that is asked for, of a contract."""
        return kind_of(self.question.text) if any(is_contract(sheet.head) for sheet in self.sheets) else None

    def answer(self) -> Proposal:
        """The best that can be said."""
        if not self.sheets:
            return Proposal(reason="No passage was found for the question.")
        term = asked_term(self.question.text)
        defined_in = definition(term, self.sheets, self.sentences) if term else None
        if claim := defined_in or said_to_be(self.question.text, self.sentences):
            return Proposal([claim])
        if self.clause_kind:
            return clause(self.question, self.clause_kind, self.sheets, self.sentences)
        ranked = self.ranked()
        several = self._several(ranked)
        if several.claims:
            return several
        computed = self.computed(ranked) or self._in_every_period()
        if computed:
            return Proposal([compose.from_computed(one) for one in computed[:MAX_MEMBERS]])
        series = self._at_each_period()
        if series:
            return Proposal(series)
        best = ranked[0] if ranked else None
        if best is None or not isinstance(best.unit, Fact) or best.score < MIN_SCORE:
            return self._told(ranked)
        listed = self._listed(best.score)
        return Proposal(listed) if listed else self._looked_up(best, ranked)

    def ranked(self) -> list[Candidate]:
        """Facts and sentences, the best first."""
        found = self.ranked_facts(self.matcher)
        for sentence in self.sentences:
            fit = self.matcher.sentence(sentence)
            found.append(Candidate(fit.score * SENTENCE_PRICE, fit, sentence))
        return sorted(found, key=lambda c: -c.score)

    def ranked_facts(self, matcher: Matcher) -> list[Candidate]:
        """Facts, the best first, as a reading of the question rates them. Where it names a row, no total is meant."""
        found: list[Candidate] = []
        named = {id(f.table) for f in self.facts if f.table and not f.is_sum and matcher.names_whole_row(f)}
        for fact in self.facts:
            fit = matcher.fact(fact)
            meant = matcher.means(fact) and not (fact.is_sum and id(fact.table) in named)
            found.append(Candidate(fit.score * (1.0 if meant else UNMEANT), fit, fact))
        return sorted(found, key=lambda c: -c.score)

    def computed(self, ranked: Sequence[Candidate]) -> list[Computed]:
        """The computation asked for, unless its result is printed: "total", "change" in a label that fits as well."""
        found = self.computer.compute()
        if not found or found[0].score < MIN_SCORE:
            return []
        printed = next((c for c in ranked if isinstance(c.unit, Fact) and c.unit.value), None)
        if printed and isinstance(printed.unit, Fact) and printed.score >= found[0].score:
            named = {*printed.unit.row_stems, *printed.unit.column_stems}
            rate = self.question.operation == "difference" and _RATE in printed.unit.column_stems
            if self.question.cue and self.question.cue <= named and printed.unit.quantity and not rate:
                return []
        return found

    def _in_every_period(self) -> list[Computed]:
        """The periods asked for, "in which years", each with its value."""
        found = self.computer.at_every_period() if self.question.operation is None else []
        return [one for one in found if one.score >= MIN_SCORE]

    def computed_in(self, document: str) -> list[Computed]:
        """The computation asked for, over one document alone."""
        known = [fact for fact in self.facts if fact.sheet.document == document]
        found = Computer(self.question, self.matcher.about(self.question), known).compute()
        return found if found and found[0].score >= MIN_SCORE else []

    def _several(self, ranked: Sequence[Candidate]) -> Proposal:
        """One value for each of the things the question names in a row, unless one value is labelled with them all."""
        parts = named_things(self.question.text)
        if self.question.operation not in (None, "sum") and len(parts) < ROW:
            return Proposal()
        if not parts or not ranked or (ranked[0].fit.own >= WHOLE and isinstance(ranked[0].unit, Fact)):
            return Proposal()
        found = [self._best_of(readings) for readings in parts]
        named = [(fact, score) for fact, score in found if fact]
        if len({id(fact) for fact, _ in named}) < 2:
            return Proposal()
        missing = [readings[0] for readings, (fact, _) in zip(parts, found, strict=True) if fact is None]
        reason = " ".join(f"“{part}”: no passage answers it closely enough." for part in missing)
        score = min(score for _, score in named)
        chosen = self._joined([fact for fact, _ in named])
        return Proposal([compose.from_fact(fact, score) for fact in chosen], reason)

    def _best_of(self, readings: Sequence[str]) -> tuple[Fact | None, float]:
        """The value that answers a part of the question, in the first of its readings that names a value's row."""
        for part in readings:
            matcher = self.matcher.about(analyse(part), literal=True)
            named = [fact for fact in self.facts if fact.value and matcher.picks(fact)]
            rated = [(fit.score, -n) for n, fact in enumerate(named) if (fit := matcher.fact(fact)).own >= MIN_PART_OWN]
            score, n = max(rated, default=(0.0, 0))
            if score >= MIN_SCORE:
                return named[-n], score
        return None, 0.0

    def _at_each_period(self) -> list[Claim]:
        """One value for each period the question names."""
        wanted = every_year(self.question)
        line = self.computer.over(wanted) if len(wanted) > 1 and self.question.kind not in TOLD else None
        return [compose.from_fact(f, line.score) for f in line.facts] if line and line.score >= MIN_SCORE else []

    def _listed(self, score: float) -> list[Claim]:
        """Every member of what is asked for, when a heading fits the question better than any single value."""
        parts = asks_members(self.question.text)
        asked = parts or self.question.kind == "list"
        found = members(self.matcher.about(self.question), self.facts) if asked else None
        if found is None or found.score < score * (MEMBERS_FIRST if parts else 1.0):
            return []
        return [compose.from_fact(fact, found.score, leaf=True) for fact in found.facts[:MAX_MEMBERS]]

    def _looked_up(self, best: Candidate, ranked: Sequence[Candidate]) -> Proposal:
        fact = best.unit
        assert isinstance(fact, Fact)
        near = [(c.score, c.unit) for c in ranked if isinstance(c.unit, Fact) and c.unit.value]
        filled = [(score, unit) for score, unit in near if score >= best.score * TIED]
        if not fact.value and not filled:
            return Proposal(reason=f"The document leaves “{fact.row_text or fact.column_text}” blank.")
        chosen = self._completed(filled[0][1], [unit for score, unit in near if score >= MIN_PART_SCORE])
        return Proposal([compose.from_fact(unit, filled[0][0]) for unit in chosen])

    def _completed(self, first: Fact, others: Sequence[Fact]) -> list[Fact]:
        """The fact, with others for what it leaves unanswered of "A and B"; or one value that says it all."""
        chosen = [first]
        if " and " not in self.question.text:
            return chosen
        for fact in others:
            missing = self.matcher.missing(chosen)
            new = missing & set(fact.row_stems)
            if new and fact.sheet.document == first.sheet.document and len(chosen) < MAX_CLAIMS:
                chosen.append(fact)
        return self._joined(chosen)

    def _joined(self, chosen: list[Fact]) -> list[Fact]:
        """The one value that says all of them, or each."""
        values = [fact.value_text for fact in chosen]
        whole = [f for f in self.facts if len(chosen) > 1 and all(v in f.value_text for v in values)]
        return whole[:1] or chosen

    @property
    def _is_prose(self) -> bool:
        """Whether the context is running text: where values stand in forms and tables, its sentences say little."""
        return 2 * len(self.facts) < len(self.sentences)

    def _told(self, ranked: Sequence[Candidate]) -> Proposal:
        """What running text answers: a section named like the question, a phrase, or a sentence."""
        told = [(c, c.unit) for c in ranked if isinstance(c.unit, Sentence) and c.fit.own]
        if not told:
            return SILENT
        score = told[0][0].score
        fitting = [(candidate.score, sentence) for candidate, sentence in told]
        if told_here := self._noted() or self._because(fitting):
            return Proposal(told_here)
        fits = score >= MIN_SENTENCE and score >= ranked[0].score
        if fits and self.question.kind == "yes-no":
            return Proposal(self._quoted(fitting)) if self.matcher.tells(told[0][1]) else SILENT
        if fits and asks_defined(self.question) and (part := self._defined(fitting)):
            return Proposal(part)
        named = fits and told[0][0].fit.own >= MIN_PART_OWN and self.matcher.tells(told[0][1])
        if named and (row := self._of_years(told[0][1], score)):
            return Proposal(row)
        headed = self._listed(score) or self._headed(score)
        if headed or self.question.kind == "yes-no":
            return Proposal(headed) if headed else SILENT
        found = phrase(self.question.text, fitting, self.sentences, self.pairs)
        strict = VERY_CONFIDENT if score >= MIN_LOOSE else 1.0
        least = CONFIDENT if fits or self._is_prose else strict
        if found and found.confident >= least and not self._is_another(found.sentence):
            return self._shown(found, fitting)
        says_all = fits and told[0][0].fit.own >= WHOLE and told[0][0].fit.form > 0
        return Proposal([compose.from_sentence(told[0][1], score)]) if says_all else SILENT

    def _because(self, fitting: Sequence[tuple[float, Sentence]]) -> list[Claim]:
        """What is given as the cause, in the best sentence that gives one, or the one behind it: "This is due to …"."""
        if self.question.kind != "reason" or fitting[0][0] < MIN_LOOSE:
            return []
        near = [(score, told) for score, told in fitting[:NEAR_CAUSES] if score >= CAUSE * fitting[0][0]]
        following = {id(told): [s for s in self.sentences if s.before == told.text] for _, told in near}
        for score, told in near:
            for sentence in (told, *following[id(told)]):
                start, end = sentence.span
                part = defined(sentence.sheet.page.text[start:end], cause=True)
                if part and (sentence is told or _GOES_BACK.match(sentence.text)):
                    span = compose.from_span(sentence, (start + part[0], start + part[1]), score)
                    return [span, compose.from_sentence(sentence, score)]
        return []

    def _of_years(self, sentence: Sentence, score: float) -> list[Claim]:
        """Of the values the sentence tells of several years, those that are asked for, and the sentence."""
        begin, stop = sentence.span
        text, asked = sentence.sheet.page.text[begin:stop], replace(self.question, periods=self._periods_meant)
        several = len(asked.periods) > 1 and self.question.kind not in TOLD
        found = respective(asked, text, (0, len(text))) or (of_years(asked, text, (0, len(text))) if several else [])
        spans = [(begin + start, begin + end) for start, end in found]
        if not spans:
            return []
        computed = self._computed_over(sentence, spans, score)
        values = [computed] if computed else [compose.from_span(sentence, span, score) for span in spans]
        return [*values, compose.from_sentence(sentence, score)]

    @property
    def _periods_meant(self) -> tuple[Period, ...]:
        """The periods whose values are asked for: of a change the two ends, of all else every year in between."""
        ends = self.question.operation in ("difference", "growth")
        return self.question.periods if ends else tuple(every_year(self.question))

    def _computed_over(self, sentence: Sentence, spans: Sequence[CharSpan], score: float) -> Claim | None:
        """What the question computes over values of a sentence, one for each period it names."""
        operation = OVER_PERIODS.get(self.question.operation or "")
        years = [period.year or 0 for period in self._periods_meant]
        if operation is None or not 1 < len(spans) == len(years):
            return None
        values = [span for _, span in sorted(zip(years, spans, strict=True))]
        facts = [fact for span in values if (fact := Fact(sentence.sheet, (), (), (span,), "")).quantity]
        alike = len(facts) == len(values) and amounts.comparable([operations.number(f) for f in facts])
        computed = operation(facts, score) if alike else None
        return compose.from_computed(computed) if computed else None

    def _noted(self) -> list[Claim]:
        """The footnote of the row that is asked about: "What is included in customer costs?" """
        if not _ASKS_NOTE.search(self.question.text):
            return []
        marks = {
            (fact.sheet, mark[1])
            for fact in self.facts
            if self.matcher.names_whole_row(fact) and (mark := _MARK.search(fact.sheet.text(fact.row)))
        }
        found = [
            s for sheet, mark in marks for s in self.sentences if s.sheet is sheet and s.text.startswith(f"({mark})")
        ]
        return self._said_in(found[0], found[0].text.index(")") + 1) if len(marks) == 1 and found else []

    def _said_in(self, note: Sentence, mark: int) -> list[Claim]:
        """What a footnote defines, and all of it, without its mark."""
        start, end = note.span
        text = note.sheet.page.text[start:end]
        whole = (mark + len(text[mark:]) - len(text[mark:].lstrip()), len(text))
        spans = [part for part in (defined(text), whole) if part]
        return [compose.from_span(note, (start + a, start + b), 1.0) for a, b in spans]

    def _headed(self, score: float) -> list[Claim]:
        """What stands under a heading that says all that is asked for."""
        open_ended = self.question.kind in ("any", "list", "manner")
        under = told_under(self.matcher, self.sentences) if open_ended else []
        under = under or told_behind(self.question.text, self.sentences)
        score = max(score, WHOLE)
        if under:
            return [compose.from_sentence(sentence, score) for sentence in under]
        brief = brief_under(self.matcher, self.sheets) if self.question.kind != "yes-no" else None
        return [compose.from_place(*brief, score)] if brief else []

    def _shown(self, found: Phrase, fitting: Sequence[tuple[float, Sentence]]) -> Proposal:
        """The phrase with its sentence; where the phrase is a guess, its sentence alone, or the one of its passage that
        fits best."""
        said = self._each(found) if found.probability >= PROBABLE else []
        own = [found.sentence, *(s for _, s in fitting if s.source is found.sentence.source)]
        sentence = found.sentence if said else next(filter(self.matcher.tells, own), None)
        if sentence is None:
            return SILENT
        size = found.span[1] - found.span[0]
        if not said or size < MOST * (sentence.span[1] - sentence.span[0]):
            said.append(compose.from_sentence(sentence, found.confident))
        return Proposal(said)

    def _each(self, found: Phrase) -> list[Claim]:
        """The phrase; of a row of values, those that are asked for."""
        begin, stop = found.sentence.span
        text = found.sentence.sheet.page.text[begin:stop]
        own = (found.span[0] - begin, found.span[1] - begin)
        whole = whole_list(text, own)
        if self._wants_clause and text[own[0]].islower() and not any(c.isdigit() for c in text[slice(*own)]):
            whole = whole_clause(text, whole)
        dated = respective(self.question, text, own) or of_years(self.question, text, own)
        spans = dated or [in_words(text, whole)]
        score = found.confident * found.probability
        return [compose.from_span(found.sentence, (begin + start, begin + end), score) for start, end in spans]

    @property
    def _wants_clause(self) -> bool:
        """Whether more than a name or a number is asked for, of a document that is no running text."""
        asked = asking(self.question.text)
        return not self._is_prose and asked.form in CLAUSE_FORMS and asked.kind == "thing"

    def _is_another(self, sentence: Sentence) -> bool:
        """Whether "who is the chief financial officer" meets a sentence on the chief executive officer, "the most" one
        that compares nothing, or "how much lactose" one on something else."""
        own, asked = self.matcher.sentence(sentence).own, asking(self.question.text)
        if asks_superlative(self.question.text):
            says = says_superlative(self.question.text, sentence.text) and speaks_of(self.question.moved, sentence.text)
            return own < MIN_COMPARED or not says
        if self.question.operation in ("largest", "smallest"):
            return own < MIN_COMPARED or not _COMPARES.search(sentence.text)
        if asked.form == "how much" and asked.noun not in ("", *_ANY_AMOUNT, *sentence.stems):
            return True
        titled = _ASKS_TITLE.match(self.question.text) and len(self.question.subject) <= TITLE_TERMS
        return bool(titled) and TITLE_SHARE < own < WHOLE

    def _quoted(self, fitting: Sequence[tuple[float, Sentence]]) -> list[Claim]:
        """The best sentences, with "Yes" or "No" where they plainly say so."""
        telling = {s.text: (score, s) for score, s in reversed(fitting) if self.matcher.tells(s)}
        near = [(score, s) for score, s in [*reversed(telling.values())][:MAX_CLAIMS] if score >= fitting[0][0] * NEAR]
        words = [yes_or_no(self.question, sentence) for _, sentence in near]
        said = [(score, s, word) for (score, s), word in zip(near, words, strict=True) if word or not words[0]]
        return [compose.from_answer(sentence, word, score) for score, sentence, word in said]

    def _defined(self, fitting: Sequence[tuple[float, Sentence]]) -> list[Claim]:
        """The part of the best sentence that defines, with the sentence behind it; [] when it defines nothing."""
        score, sentence = fitting[0]
        start, end = sentence.span
        part = defined(sentence.sheet.page.text[start:end]) if self.matcher.tells(sentence) else None
        if part is None:
            return []
        span = compose.from_span(sentence, (start + part[0], start + part[1]), score)
        return [span, compose.from_sentence(sentence, score)]
