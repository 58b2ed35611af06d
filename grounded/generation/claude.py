"""Claude as the reader of sources: streamed strict JSON, claims one by one, every degradation said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from grounded.generation import asking
from grounded.generation.claims import SCHEMA, ClaimCollector
from grounded.generation.native import NativeCollector, native_call
from grounded.generation.reader import Reading
from grounded.llm import Call, Client, Reply, usages
from grounded.settings import Settings
from grounded.types import Claim, Context, PageSource, Plan, ReaderName

_CUT = {
    "max_tokens": "The reply was cut off at its length limit; what came after the last complete claim is missing.",
    "model_context_window_exceeded": "The model's context window was full; the rest of the reply is missing.",
    "pause_turn": "The model paused before the end of its reply.",
    "refusal": "The model declined to go on.",
}
Collector = ClaimCollector | NativeCollector


class ClaudeReader:
    """The Reader that asks Claude. One client for one question; make a new reader for the next."""

    name: ReaderName = "claude"

    def __init__(self, settings: Settings, client: Client | None = None) -> None:
        self._settings = settings
        self.client = client or Client(settings)

    def read(
        self,
        plan: Plan,
        context: Context,
        pages: PageSource,
        *,
        on_claim: Callable[[Claim], None],
        cancelled: Callable[[], bool],
    ) -> Reading:
        """Read the context for the plan's question (see Reader). Raises ModelError when no reply came at all."""
        if not context.sources:
            return Reading(abstained="No passage was found to answer from.", report={"calls": 0})
        native = self._settings.generation.mode == "native"
        replies: list[Reply] = []
        collector: Collector = ClaimCollector(on_claim)
        for _ in range(2):  # a reply that broke off before its first claim is asked for once more
            collector = NativeCollector(on_claim, context) if native else ClaimCollector(on_claim)
            call = (
                native_call(self._settings, plan, context) if native else generate_call(self._settings, plan, context)
            )
            replies.append(self._send(call, collector, cancelled))
            if replies[-1].complete or replies[-1].cancelled or collector.claims:
                break
        prompt = asking.prompt("native" if native else "generate")
        return _reading(collector, replies).model_copy(update={"report": asking.report(prompt, replies)})

    def _send(self, call: Call, collector: Collector, cancelled: Callable[[], bool]) -> Reply:
        if isinstance(collector, NativeCollector):
            return self.client.send(call, on_block=collector.feed, cancelled=cancelled)
        return self.client.send(call, on_text=collector.feed, cancelled=cancelled)


def generate_call(settings: Settings, plan: Plan, context: Context) -> Call:
    """The request for an answer in claims with verbatim quotes."""
    sources = asking.sources_block(context, include_citations=settings.generation.include_citations)
    return Call(
        purpose="generate",
        model=settings.model,
        system=asking.prompt("generate").text,
        messages=(asking.user(sources, asking.question_block(plan)),),
        max_tokens=settings.generation.max_tokens,
        output_schema=SCHEMA,
        effort=settings.generation.effort,
    )


def _reading(collector: Collector, replies: list[Reply]) -> Reading:
    reply = replies[-1]
    unanswered = None if reply.cancelled else collector.finish(reply.text)
    claims = tuple(collector.claims)
    return Reading(
        claims=claims,
        abstained=None if claims else _why_nothing(collector, reply, unanswered),
        model=reply.model,
        usage=usages(replies),
        stop=_stop(reply),
        notes=_notes(collector, reply, unanswered if claims else None),
    )


def _stop(reply: Reply) -> Literal["complete", "partial", "cancelled"]:
    if reply.cancelled:
        return "cancelled"
    return "complete" if reply.complete and reply.stop_reason not in _CUT else "partial"


def _why_nothing(collector: Collector, reply: Reply, unanswered: str | None) -> str:
    if reply.cancelled:
        return "Stopped before the first claim."
    if reply.stop_reason == "refusal":
        return "The model declined to answer this question."
    if unanswered:
        return unanswered
    if reply.fault or reply.stop_reason in _CUT:
        return "The reply ended before its first claim was complete."
    if not reply.text.strip():
        return "The model gave an empty reply."
    if collector.unreadable or not collector.understood(reply.text):
        return "The model's reply was not in the agreed form and could not be read."
    return "The sources do not answer this question."


def _notes(collector: Collector, reply: Reply, unanswered: str | None) -> tuple[str, ...]:
    notes = list(reply.notes)
    if reply.cancelled:
        notes.append("Stopped: the answer is incomplete.")
    elif reply.fault:
        notes.append(f"The answer is incomplete: {reply.fault}.")
    elif reply.stop_reason in _CUT:
        notes.append(_CUT[reply.stop_reason])
    if collector.unreadable:
        notes.append(
            f"{collector.unreadable} part(s) of the model's reply could not be read as claims and were left out."
        )
    if unanswered:
        notes.append(f"Not answered by the sources: {unanswered}")
    return tuple(notes)
