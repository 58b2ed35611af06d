"""A copy of a trace for Langfuse, when LANGFUSE_PUBLIC_KEY is set. Derived data: the local log is always on and alone
is evidence. The only home of `langfuse` (requirements-extra.txt)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from grounded import locations
from grounded.audit.export import otel_span_id, otel_trace_id
from grounded.errors import AuditError

if TYPE_CHECKING:
    from langfuse import Langfuse

_TYPES = {
    "retrieve": "retriever",
    "rerank": "retriever",
    "generate": "generation",
    "judge": "evaluator",
    "verify": "guardrail",
}


def enabled() -> bool:
    """Whether the user asked for Langfuse."""
    return locations.langfuse_public_key() is not None


def connect() -> Langfuse:
    """The client, by the LANGFUSE_* variables. Raises AuditError when the package is missing."""
    try:
        from langfuse import Langfuse
    except ImportError:
        raise AuditError(
            "LANGFUSE_PUBLIC_KEY is set but langfuse is not installed", advice="pip install -r requirements-extra.txt"
        ) from None
    return Langfuse()


def copy_if_asked(spans: Callable[[], Sequence[Mapping[str, Any]]]) -> str | None:
    """Send a closed trace when Langfuse is asked for. A copy that fails costs no answer: why is returned, and told."""
    if not enabled():
        return None
    try:
        send(spans(), _client())
    except Exception as error:  # noqa: BLE001 — whatever its client raises
        return f"no copy at Langfuse: {error}"
    return None


@lru_cache(maxsize=1)
def _client() -> Langfuse:
    return connect()


def send(spans: Sequence[Mapping[str, Any]], client: Langfuse) -> int:
    """Send a trace; how many observations. Recorded times and hashes travel as metadata: Langfuse stamps its own."""
    parents: dict[str, str] = {}
    for span in spans:
        context: dict[str, str] = {"trace_id": otel_trace_id(span["trace_id"])}
        if span["parent_id"] in parents:
            context["parent_span_id"] = parents[span["parent_id"]]
        observation = client.start_observation(trace_context=context, name=span["name"], **_facts(span))
        parents[span["span_id"]] = observation.id
        observation.end()
    client.flush()
    return len(parents)


def _facts(span: Mapping[str, Any]) -> dict[str, Any]:
    output = span["output"]
    metadata = {key: span[key] for key in ("start", "end", "reasoning", "this_hash")}
    facts: dict[str, Any] = {"as_type": _TYPES.get(span["name"], "chain"), "input": span["input"], "output": output}
    facts["metadata"] = {**metadata, "span_id": otel_span_id(span["span_id"])}
    if facts["as_type"] == "generation":
        usage = output.get("usage")
        counts = {key: value for key, value in usage.items() if type(value) is int} if isinstance(usage, dict) else {}
        facts |= {"model": output.get("model"), "usage_details": counts}
    return facts
