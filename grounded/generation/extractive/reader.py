"""The reader that needs no model: it answers with the document's own words, or is silent and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from grounded.generation.extractive import compose
from grounded.generation.extractive.computing import Computer
from grounded.generation.extractive.evidence import Fact, Sentence, Sheet, facts, sentences, sheets
from grounded.generation.extractive.matching import Fit, Matcher
from grounded.generation.extractive.question import analyse
from grounded.generation.reader import Reading
from grounded.types import Claim, Context, PageSource, Plan, ReaderName

MIN_SCORE = 0.42  # of the best candidate, below which the reader is silent
SENTENCE_PRICE = 0.75  # a sentence must fit this much better than a fact: it says more than was asked
MAX_CLAIMS = 3


class _Candidate(NamedTuple):
    score: float
    fit: Fit
    unit: Fact | Sentence


class ExtractiveReader:
    """Reads by rules and a small trained ranker; never writes a word that is not in a source."""

    name: ReaderName = "extractive"

    def read(
        self,
        plan: Plan,
        context: Context,
        pages: PageSource,
        *,
        on_claim: Callable[[Claim], None],
        cancelled: Callable[[], bool],
    ) -> Reading:
        """Read the context for each sub-question of the plan."""
        claims: list[Claim] = []
        reasons: list[str] = []
        for index, sub in enumerate(plan.subquestions):
            if cancelled():
                return Reading(claims=tuple(claims), stop="cancelled")
            of_this = [s for s in context.sources if s.hit.subquestion == index or len(plan.subquestions) == 1]
            found, reason = _answer(sub.text, Context(sources=tuple(of_this)), pages, len(claims))
            for claim in found:
                on_claim(claim)
            claims += found
            reasons += [reason] if reason else []
        abstained = None if claims else " ".join(dict.fromkeys(reasons)) or "Nothing was found to read."
        return Reading(claims=tuple(claims), abstained=abstained, notes=tuple(reasons) if claims else ())


def _answer(text: str, context: Context, pages: PageSource, before: int) -> tuple[list[Claim], str]:
    """Claims for one question, or the reason for none."""
    question = analyse(text)
    opened = sheets(context, pages)
    if not opened:
        return [], "No passage was found for the question."
    by_sheet = [(sheet, facts(sheet)) for sheet in opened]
    known = [fact for _, found in by_sheet for fact in found]
    said = [sentence for sheet, found in by_sheet for sentence in sentences(sheet, found)]
    matcher = Matcher(question, opened, [*(f.row_stems for f in known), *(s.stems for s in said)])
    computed = Computer(question, matcher, known).compute()
    if computed and computed[0].score >= MIN_SCORE:
        return [compose.from_computed(f"c{before + i}", one) for i, one in enumerate(computed, 1)], ""
    ranked = _ranked(matcher, known, said)
    if not ranked or ranked[0].score < MIN_SCORE:
        return [], "No passage answers the question closely enough."
    best = ranked[0]
    if isinstance(best.unit, Fact) and not best.unit.value:
        return [], f"The document leaves “{best.unit.row_text}” blank."
    return [_claim(f"c{before + 1}", best)], ""


def _ranked(matcher: Matcher, known: Sequence[Fact], said: Sequence[Sentence]) -> list[_Candidate]:
    found: list[_Candidate] = []
    for fact in known:
        fit = matcher.fact(fact)
        found.append(_Candidate(fit.score, fit, fact))
    for sentence in said:
        fit = matcher.sentence(sentence)
        found.append(_Candidate(fit.score * SENTENCE_PRICE, fit, sentence))
    return sorted(found, key=lambda c: -c.score)


def _claim(claim_id: str, candidate: _Candidate) -> Claim:
    if isinstance(candidate.unit, Fact):
        return compose.from_fact(claim_id, candidate.unit, candidate.score)
    return compose.from_sentence(claim_id, candidate.unit, candidate.score)


__all__ = ["ExtractiveReader", "Sheet"]
