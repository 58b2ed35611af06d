"""The reader that needs no model: it answers with the document's own words, or is silent and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from grounded.generation.extractive.answering import Answering
from grounded.generation.extractive.comparing import asks_each, compare
from grounded.generation.extractive.compose import Proposal
from grounded.generation.extractive.matching import Vocabulary
from grounded.generation.extractive.ranking import Pairs
from grounded.generation.reader import Reading, not_mentioned
from grounded.types import Claim, Context, PageSource, Plan, ReaderName, SubQuestion

UNSURE = 0.45  # of a claim's score, below which a third of the claims answers what was asked (docs/reader.md)
NOT_SURE = "The reader is not sure that this answers the question."


class ExtractiveReader:
    """Reads by rules; never writes a word that is not in a source.

    vocabulary: what a question's words mean on the page ("fee" -> "expense ratio"); see `matching.Vocabulary`. pairs:
    the encoder that reads question and passage together, loaded when running text is asked; None to do without.
    """

    name: ReaderName = "extractive"

    def __init__(self, vocabulary: Vocabulary = lambda question: (), pairs: Pairs | None = None) -> None:
        self.vocabulary, self.pairs = vocabulary, pairs

    def read(
        self,
        plan: Plan,
        context: Context,
        pages: PageSource,
        *,
        on_claim: Callable[[Claim], None],
        cancelled: Callable[[], bool],
    ) -> Reading:
        """Read the context for each sub-question of the plan; a comparison's sub-questions together."""
        claims: list[Claim] = []
        reasons: list[str] = []
        steps = _steps(plan)
        for step in steps:
            if cancelled():
                return Reading(claims=tuple(claims), stop="cancelled")
            proposal = self._answered(step, context, pages)
            for claim in _numbered(proposal, len(claims)):
                on_claim(claim)
                claims.append(claim)
            if proposal.reason:
                reasons.append(proposal.reason if len(steps) == 1 else f"“{step.text}”: {proposal.reason}")
        if not claims:
            return Reading(abstained=" ".join(reasons) or "There was nothing to read.")
        return Reading(claims=tuple(claims), notes=tuple(reasons))

    def _answered(self, step: _Step, context: Context, pages: PageSource) -> Proposal:
        """A passage that was found for one part may answer another: each is read from all that its documents gave."""
        sources = [s for s in context.sources if not step.documents or s.hit.chunk.document in step.documents]
        answering = Answering(step.text, sources, pages, self.vocabulary, self.pairs)
        if step.unmentioned and not answering.clause_kind:  # a contract may call its parties otherwise
            return Proposal(reason=not_mentioned(step.unmentioned))
        found = compare(answering) if step.together or asks_each(step.text) else answering.answer()
        unsure = not answering.clause_kind and any((claim.score or 0.0) < UNSURE for claim in found.claims)
        return found._replace(reason=f"{found.reason} {NOT_SURE}".strip()) if unsure else found


class _Step(NamedTuple):
    """One part of what was asked. documents: those it is read from, none for all; together: to be compared;
    unmentioned: names that none of them has."""

    text: str
    documents: frozenset[str]
    together: bool
    unmentioned: tuple[str, ...]


def _steps(plan: Plan) -> list[_Step]:
    """The parts in order; a part that is asked of several documents is one step."""
    asked = plan.subquestions or (SubQuestion(text=plan.question),)
    if plan.kind == "comparison":
        return [_Step(asked[0].text, frozenset(), True, _in_none(asked))]
    parts: dict[str, list[SubQuestion]] = {}
    for sub in asked:
        parts.setdefault(sub.text, []).append(sub)
    return [
        _Step(text, frozenset(doc for sub in subs for doc in sub.documents), len(subs) > 1, _in_none(subs))
        for text, subs in parts.items()
    ]


def _in_none(steps: Sequence[SubQuestion]) -> tuple[str, ...]:
    """The names that the documents of none of the steps have."""
    first, *rest = (step.unmentioned for step in steps)
    return tuple(name for name in first if all(name in other for other in rest))


def _numbered(proposal: Proposal, before: int) -> list[Claim]:
    return [claim.model_copy(update={"id": f"c{before + i}"}) for i, claim in enumerate(proposal.claims, 1)]
