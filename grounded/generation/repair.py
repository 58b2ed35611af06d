"""One repair round: failed claims go back with their reasons; the model fixes quote or claim, or drops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field

from grounded.errors import ModelError
from grounded.generation import asking
from grounded.generation.claims import CALCULATION, CITATIONS, calculation_of, claim_text, nullable, quotes_of
from grounded.generation.claude import generate_call
from grounded.llm import Call, Client, Turn, encode, fence, never
from grounded.llm.lenient import records
from grounded.types import Claim, Context, Frozen, Plan

_ACTIONS = ("fix_quote", "fix_claim", "drop")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "repairs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "action": {"type": "string", "enum": list(_ACTIONS)},
                    "text": nullable({"type": "string"}),
                    "citations": CITATIONS,
                    "calculation": CALCULATION,
                },
                "required": ["id", "action", "text", "citations", "calculation"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["repairs"],
    "additionalProperties": False,
}


class Repair(Frozen):
    """What a repair round brought. Claims in neither field stay as they were."""

    claims: tuple[Claim, ...] = Field(default=(), description="rewritten, under their old ids: verify them again")
    dropped: tuple[str, ...] = Field(default=(), description="ids the model withdrew as unsupported")
    notes: tuple[str, ...] = ()
    report: dict[str, Any] = Field(default_factory=dict)


def repair(
    client: Client,
    plan: Plan,
    context: Context,
    claims: Sequence[Claim],
    failures: Mapping[str, str],
    *,
    cancelled: Callable[[], bool] = never,
) -> Repair:
    """Ask once more about the claims whose id is in `failures` (id -> reason).

    A failing model changes nothing: the claims stay, and the notes say why. Raises Cancelled when stopped.
    """
    failed = [claim for claim in claims if claim.id in failures]
    if not failed:
        return Repair()
    call = repair_call(client, plan, context, claims, failures)
    try:
        reply = client.complete(call, cancelled=cancelled)
    except ModelError as error:
        note = f"The failed claims could not be sent back for repair: {error.what}."
        return Repair(notes=(note,), report={"error": error.kind} | error.report)
    fixed, dropped = _read(reply.text, failed)
    notes = (f"Withdrawn as unsupported by the sources: {len(dropped)} claim(s).",) if dropped else ()
    report = asking.report(asking.prompt("repair"), [reply])
    return Repair(claims=fixed, dropped=dropped, notes=notes, report=report)


def repair_call(
    client: Client, plan: Plan, context: Context, claims: Sequence[Claim], failures: Mapping[str, str]
) -> Call:
    """The conversation so far (its prefix is read from the cache), then the failed claims with their reasons."""
    first = generate_call(client.settings, plan, context)
    said: Turn = {"role": "assistant", "content": encode({"claims": [_record(c) for c in claims]})}
    failed = [_record(claim) | {"reason": failures[claim.id]} for claim in claims if claim.id in failures]
    again = asking.user({"type": "text", "text": asking.prompt("repair").text + "\n\n" + fence("failed", failed)})
    return first.model_copy(
        update={"purpose": "repair", "messages": (*first.messages, said, again), "output_schema": _SCHEMA}
    )


def _record(claim: Claim) -> dict[str, Any]:
    citations = [{"source_id": quote.source_id, "quote": quote.text} for quote in claim.quotes] or None
    return {"id": claim.id, "text": claim.text, "citations": citations}


def _read(raw: str, failed: Sequence[Claim]) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    given = [record for record in records(raw, "repairs") if isinstance(record, dict)]
    fixed: list[Claim] = []
    dropped: list[str] = []
    for claim in failed:
        mine = [record for record in given if record.get("id") == claim.id]
        if len(mine) != 1:
            continue
        if mine[0].get("action") == "drop":
            dropped.append(claim.id)
        elif (new := _fixed(claim, mine[0])) is not None:
            fixed.append(new)
    return tuple(fixed), tuple(dropped)


def _fixed(claim: Claim, record: dict[str, Any]) -> Claim | None:
    """The claim with its new quotes, and its new text when the text was to be fixed; None when nothing changed."""
    text = claim_text(record) if record.get("action") == "fix_claim" else claim.text
    quotes = quotes_of(record)
    if not text or not quotes:
        return None
    new = Claim(id=claim.id, text=text, quotes=quotes, calculation=calculation_of(record))
    return None if new == claim else new
