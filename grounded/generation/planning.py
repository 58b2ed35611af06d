"""The query plan by Claude: a comparison becomes one search for each side. The same Plan as the rules make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import Field

from grounded.errors import ModelError
from grounded.generation import asking
from grounded.llm import Call, Client, fence, never
from grounded.llm.lenient import mapping
from grounded.text import collapse
from grounded.types import Frozen, Plan, SubQuestion

_MAX_STEPS = 6
_KINDS = ("single", "comparison", "several")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": list(_KINDS)},
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "question": {"type": "string"},
                    "documents": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["question", "documents"],
                "additionalProperties": False,
            },
        },
        "reason": {"type": "string"},
    },
    "required": ["kind", "steps", "reason"],
    "additionalProperties": False,
}


class Planned(Frozen):
    """A plan and how it came about. `plan` is the given one when the model brought none."""

    plan: Plan
    notes: tuple[str, ...] = ()
    report: dict[str, Any] = Field(default_factory=dict)


def plan_by_model(
    client: Client, plan: Plan, titles: Mapping[str, str], *, cancelled: Callable[[], bool] = never
) -> Planned:
    """Ask Claude how to look up `plan.question` in the documents (`titles`: document id -> title or card).

    The plan by rules stands when the model fails or answers something unusable. Raises Cancelled when stopped.
    """
    names = {f"D{number}": document for number, document in enumerate(titles, 1)}
    try:
        reply = client.complete(plan_call(client, plan, titles), cancelled=cancelled)
    except ModelError as error:
        note = f"The question was planned by rules: {error.what}."
        return Planned(plan=plan, notes=(note,), report={"error": error.kind} | error.report)
    report = asking.report(asking.prompt("plan"), [reply])
    made = _read(mapping(reply.text), plan, names)
    if made is None:
        return Planned(
            plan=plan, notes=("The question was planned by rules: the model's plan was unusable.",), report=report
        )
    return Planned(plan=made, report=report)


def plan_call(client: Client, plan: Plan, titles: Mapping[str, str]) -> Call:
    """The request; documents are named D1, D2, … so that no id has to be copied."""
    documents = [{"id": f"D{number}", "title": title} for number, title in enumerate(titles.values(), 1)]
    data = fence("documents", documents) + "\n" + fence("question", [{"question": plan.question}])
    return Call(
        purpose="plan",
        model=client.settings.model,
        system=asking.prompt("plan").text,
        messages=(asking.user({"type": "text", "text": data}),),
        max_tokens=2500,
        output_schema=_SCHEMA,
    )


def _read(record: dict[str, Any], plan: Plan, names: Mapping[str, str]) -> Plan | None:
    given = record.get("steps")
    steps = [_step(entry, names) for entry in given] if isinstance(given, list) else []
    usable = [step for step in steps if step is not None]
    if not usable or len(usable) != len(steps) or len(usable) > _MAX_STEPS:
        return None
    reason = record.get("reason")
    return Plan(
        question=plan.question,
        subquestions=tuple(usable),
        kind=_kind(record.get("kind"), len(usable)),
        by="model",
        reason=collapse(reason) if isinstance(reason, str) else "",
    )


def _kind(said: Any, steps: int) -> Literal["single", "comparison", "several"]:
    if steps == 1:
        return "single"
    return "comparison" if said == "comparison" else "several"


def _step(entry: Any, names: Mapping[str, str]) -> SubQuestion | None:
    """A step; a document id that was never given makes it ask all documents rather than none."""
    if not isinstance(entry, dict) or not isinstance(entry.get("question"), str) or not entry["question"].strip():
        return None
    ids = entry.get("documents")
    named = tuple(names[i] for i in ids if isinstance(i, str) and i in names) if isinstance(ids, list) else ()
    return SubQuestion(text=collapse(entry["question"]), documents=named)
