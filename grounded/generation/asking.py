"""What every request to the model in this room is made of: fenced sources and questions, and the report of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grounded.llm import Prompt, Reply, Turn, fence, load_prompt, usages
from grounded.types import Context, Plan, Source


def prompt(name: str) -> Prompt:
    """A prompt file of this room."""
    return load_prompt("grounded.generation", name)


def sources_block(context: Context, *, include_citations: bool) -> dict[str, Any]:
    """The sources as a content block; cached, since repair and leave-one-out send the same ones again."""
    records = [source_record(source, include_citations=include_citations) for source in context.sources]
    return {"type": "text", "text": fence("sources", records), "cache_control": {"type": "ephemeral"}}


def source_record(source: Source, *, include_citations: bool) -> dict[str, str]:
    """One source as the model sees it; without citations only its id and text."""
    chunk = source.hit.chunk
    record = {"id": source.id}
    if include_citations:
        record |= {"document": chunk.source_name, "page": chunk.page_label or str(chunk.page), "section": chunk.section}
    if chunk.kind == "table" and chunk.context:
        record["context"] = chunk.context
    return record | {"text": source.text}


def question_block(plan: Plan) -> dict[str, Any]:
    """The question, and its steps when it has several."""
    steps = [step.text for step in plan.subquestions]
    record: dict[str, Any] = {"question": plan.question}
    if len(steps) > 1:
        record["steps"] = steps
    return {"type": "text", "text": fence("question", [record])}


def user(*blocks: dict[str, Any]) -> Turn:
    """A user turn."""
    return {"role": "user", "content": list(blocks)}


def report(used: Prompt, replies: Sequence[Reply]) -> dict[str, Any]:
    """For the trace: the prompt and the last reply, attempts of all of them, usage summed."""
    last = replies[-1].report()
    attempts = [attempt.model_dump(mode="json") for reply in replies for attempt in reply.attempts]
    usage = usages(replies).model_dump(mode="json")
    return last | {"prompt": used.record(), "attempts": attempts, "usage": usage, "calls": len(replies)}
