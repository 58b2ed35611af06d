"""Clauses of a contract: the parties, dates and titles as such, everything else as the sentence that says it."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.generation.extractive import compose
from grounded.generation.extractive.clauses import Kind
from grounded.generation.extractive.compose import Proposal
from grounded.generation.extractive.evidence import Sentence, Sheet
from grounded.generation.extractive.parties import parties
from grounded.generation.extractive.polar import yes_or_no
from grounded.generation.extractive.question import Question, analyse
from grounded.generation.extractive.spans import all_of
from grounded.generation.extractive.words import terms
from grounded.types import Claim

CLAUSE_NEAR = 0.1  # of the best one's likelihood: what else is shown beside it
SURE = 0.5  # likelihood from which a sentence is taken to be the clause, and to say yes or no to its question
MAX_SENTENCES = 3
MAX_CLAIMS = 6
MAX_PARTIES = 12


def clause(question: Question, kind: Kind, sheets: Sequence[Sheet], sentences: Sequence[Sentence]) -> Proposal:
    """The clause of this kind: the sentences most likely to be it; or that none is likely enough."""
    if kind.name == "Parties" and (named := _parties(sheets)):
        return Proposal(named[:MAX_PARTIES])
    likely = sorted(((kind.likelihood(s.stems), s) for s in sentences), key=lambda rated: -rated[0])
    best = likely[0][0] if likely else 0.0
    if best < kind.least:
        return Proposal(reason=f"Not stated in the passages found: no clause of the kind “{kind.name}”.")
    chosen = [(p, s) for p, s in likely[:MAX_SENTENCES] if p >= best * CLAUSE_NEAR]
    return Proposal([claim for p, s in chosen for claim in _claims(question, kind, s, p)][:MAX_CLAIMS])


def _parties(sheets: Sequence[Sheet]) -> list[Claim]:
    """The names on the first page that lists them."""
    for sheet in sorted(sheets, key=lambda sheet: sheet.page.number):
        found = [compose.from_place(sheet, span, 1.0) for span in parties(sheet.page.text)]
        if quoted := [claim for claim in found if claim.quotes]:
            return quoted
    return []


def _claims(question: Question, kind: Kind, sentence: Sentence, likelihood: float) -> list[Claim]:
    """The dates, names or titles of a sentence where the kind is one of those, else the sentence."""
    start, end = sentence.span
    wanted = analyse(kind.asks).kind
    spans = all_of(wanted, sentence.sheet.page.text[start:end]) if kind.brief else []
    found = [compose.from_span(sentence, (start + a, start + b), likelihood) for a, b in spans]
    word = yes_or_no(question, sentence, terms(kind.name)) if likelihood >= SURE else ""
    return found or [compose.from_answer(sentence, word, likelihood)]
