"""The reader that needs no model: it answers with the document's own words, or is silent and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grounded.generation.extractive.answering import Answering
from grounded.generation.extractive.comparing import asks_each, compare
from grounded.generation.extractive.compose import Proposal
from grounded.generation.extractive.matching import Vocabulary
from grounded.generation.extractive.ranking import Pairs
from grounded.generation.reader import Reading
from grounded.types import Claim, Context, PageSource, Plan, ReaderName, Source


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
        for text, sources in _steps(plan, context):
            if cancelled():
                return Reading(claims=tuple(claims), stop="cancelled")
            answering = Answering(text, sources, pages, self.vocabulary, self.pairs)
            together = plan.kind == "comparison" or asks_each(text)
            proposal = compare(answering) if together else answering.answer()
            for claim in _numbered(proposal, len(claims)):
                on_claim(claim)
                claims.append(claim)
            reasons += [proposal.reason] if proposal.reason else []
        reasons = list(dict.fromkeys(reasons))
        if not claims:
            return Reading(abstained=" ".join(reasons) or "There was nothing to read.")
        return Reading(claims=tuple(claims), notes=tuple(reasons))


def _steps(plan: Plan, context: Context) -> list[tuple[str, Sequence[Source]]]:
    """Each question with the sources it is read from: those found for it, or all when it stands alone."""
    if len(plan.subquestions) == 1 or plan.kind == "comparison":
        return [(plan.subquestions[0].text if plan.subquestions else plan.question, context.sources)]
    return [
        (sub.text, [s for s in context.sources if s.hit.subquestion == index])
        for index, sub in enumerate(plan.subquestions)
    ]


def _numbered(proposal: Proposal, before: int) -> list[Claim]:
    return [claim.model_copy(update={"id": f"c{before + i}"}) for i, claim in enumerate(proposal.claims, 1)]
