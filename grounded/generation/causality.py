"""Leave one source out: which claims disappear or change? Tells "cited" from "used". Costs one call a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

from pydantic import Field

from grounded.errors import Cancelled
from grounded.generation.claude import ClaudeReader, generate_call
from grounded.generation.context import without
from grounded.generation.reader import Reading
from grounded.llm import Client, estimate_tokens, never
from grounded.quantities import quantities
from grounded.types import Claim, Context, Frozen, PageSource, Plan

_SAME = 0.8  # share of common words from which two sentences say the same, numbers being equal
_CHANGED = 0.5
Effect = Literal["same", "changed", "gone"]


class Cost(Frozen):
    """What leave-one-out would cost, to be shown before it runs."""

    calls: int
    input_tokens: int
    ceiling_usd: float | None = Field(description="the most it can cost; None when the model has no price")


class ClaimEffect(Frozen):
    """What became of one claim without one source."""

    claim_id: str
    cited: bool = Field(description="the claim cites that source")
    effect: Effect
    instead: str | None = Field(default=None, description="the sentence it changed into")


class SourceEffect(Frozen):
    """The answer without one source. `used`: some claim disappeared or changed."""

    source_id: str
    claims: tuple[ClaimEffect, ...]
    abstained: str | None = None
    report: dict[str, Any] = Field(default_factory=dict)

    @property
    def used(self) -> bool:
        """Whether leaving it out made a difference."""
        return any(claim.effect != "same" for claim in self.claims)


def leave_one_out_cost(client: Client, plan: Plan, context: Context, source_ids: Sequence[str]) -> Cost:
    """The cost of leaving out each of the sources in turn: the full prompt once, counted by the endpoint, less what
    each run leaves out, every reply at its length limit."""
    call = generate_call(client.settings, plan, context)
    whole, _ = client.count_tokens(call)
    parts = [max(0, whole - estimate_tokens(s.text)) for s in context.sources if s.id in source_ids]
    ceilings = [client.prices.ceiling(call.model, tokens, call.max_tokens) for tokens in parts]
    known = [ceiling for ceiling in ceilings if ceiling is not None]
    return Cost(
        calls=len(parts),
        input_tokens=sum(parts),
        ceiling_usd=sum(known) if len(known) == len(ceilings) else None,
    )


def leave_one_out(
    client: Client,
    plan: Plan,
    context: Context,
    pages: PageSource,
    claims: Sequence[Claim],
    source_ids: Sequence[str],
    *,
    on_source: Callable[[SourceEffect], None] = lambda _: None,
    cancelled: Callable[[], bool] = never,
) -> list[SourceEffect]:
    """Ask again without each source in turn and compare with `claims`.

    Raises Cancelled when stopped and ModelError when a run failed; what was found until then went to `on_source`.
    """
    effects: list[SourceEffect] = []
    for source_id in source_ids:
        reading = _read(client, plan, without(context, [source_id]), pages, cancelled)
        effect = SourceEffect(
            source_id=source_id,
            claims=tuple(_effect(claim, source_id, reading.claims) for claim in claims),
            abstained=reading.abstained,
            report=reading.report,
        )
        effects.append(effect)
        on_source(effect)
    return effects


def _read(client: Client, plan: Plan, context: Context, pages: PageSource, cancelled: Callable[[], bool]) -> Reading:
    reader = ClaudeReader(client.settings, client)
    reading = reader.read(plan, context, pages, on_claim=lambda _: None, cancelled=cancelled)
    if reading.stop == "cancelled":
        raise Cancelled("stopped by the user")
    return reading


def _effect(claim: Claim, source_id: str, others: Sequence[Claim]) -> ClaimEffect:
    cited = any(quote.source_id == source_id for quote in claim.quotes)
    best = max(others, key=lambda other: likeness(claim.text, other.text), default=None)
    closeness = likeness(claim.text, best.text) if best else 0.0
    if best and closeness >= _SAME and _values(claim.text) == _values(best.text):
        return ClaimEffect(claim_id=claim.id, cited=cited, effect="same")
    if best and closeness >= _CHANGED:
        return ClaimEffect(claim_id=claim.id, cited=cited, effect="changed", instead=best.text)
    return ClaimEffect(claim_id=claim.id, cited=cited, effect="gone")


def likeness(one: str, other: str) -> float:
    """Common words / words of the longer sentence, 0..1, repeated words counted."""
    first, second = Counter(one.casefold().split()), Counter(other.casefold().split())
    longer = max(first.total(), second.total())
    return (first & second).total() / longer if longer else 0.0


def _values(text: str) -> list[str]:
    return sorted(q.text.strip() for q in quantities(text))
