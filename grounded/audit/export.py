"""Traces as OTLP/JSON with OpenTelemetry GenAI and OpenInference attribute names. Derived data, never evidence."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

SCOPE = {"name": "grounded.audit", "version": "1"}
_OTEL_TRACE_ID, _OTEL_SPAN_ID = re.compile(r"[0-9a-f]{32}\Z"), re.compile(r"[0-9a-f]{16}\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# span name -> (OpenInference span kind, GenAI operation)
_KINDS = {
    "retrieve": ("RETRIEVER", None),
    "rerank": ("RERANKER", None),
    "embed": ("EMBEDDING", "embeddings"),
    "generate": ("LLM", "chat"),
    "judge": ("EVALUATOR", "chat"),
    "verify": ("GUARDRAIL", None),
}
_STATUS_ERROR = 2


def otlp(traces: Iterable[Sequence[Mapping[str, Any]]], *, service: str = "grounded") -> dict[str, Any]:
    """An ExportTraceServiceRequest (OTLP/JSON) with the spans of some traces, by the replica that wrote them."""
    by_replica: dict[str, list[dict[str, Any]]] = {}
    for trace in traces:
        replica = str(trace[0]["input"].get("$replica", "")) if trace else ""
        by_replica.setdefault(replica, []).extend(_span(span, trace) for span in trace)
    return {
        "resourceSpans": [
            {"resource": _resource(service, replica), "scopeSpans": [{"scope": SCOPE, "spans": spans}]}
            for replica, spans in by_replica.items()
        ]
    }


def _resource(service: str, replica: str) -> dict[str, Any]:
    named = {"service.instance.id": replica} if replica else {}
    return {"attributes": _attributes({"service.name": service, **named})}


def otel_trace_id(trace_id: str) -> str:
    """32 hex digits: the id itself when it is such (ours are), else derived from it."""
    return trace_id if _OTEL_TRACE_ID.match(trace_id) and int(trace_id, 16) else _digest(trace_id)[:32]


def otel_span_id(span_id: str) -> str:
    """16 hex digits, as `otel_trace_id`."""
    return span_id if _OTEL_SPAN_ID.match(span_id) and int(span_id, 16) else _digest(span_id)[:16]


def nanoseconds(moment: str) -> int:
    """Unix nanoseconds of a recorded time."""
    delta = datetime.fromisoformat(moment) - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 10**9 + delta.microseconds * 1000


def attributes_of(span: Mapping[str, Any]) -> dict[str, Any]:
    """The flat attributes of a span: OpenInference, GenAI, and the chain's own under `grounded.`."""
    kind, operation = _KINDS.get(str(span["name"]), ("CHAIN", None))
    flat: dict[str, Any] = {
        "openinference.span.kind": kind,
        "input.value": _json(span["input"]),
        "input.mime_type": "application/json",
        "output.value": _json(span["output"]),
        "output.mime_type": "application/json",
        "grounded.reasoning": span["reasoning"],
        "grounded.prev_hash": span["prev_hash"],
        "grounded.this_hash": span["this_hash"],
    }
    if operation:
        flat |= {"gen_ai.operation.name": operation, **_model_attributes(span["input"], span["output"])}
    if kind in ("RETRIEVER", "RERANKER"):
        flat |= _document_attributes(span["output"], "retrieval" if kind == "RETRIEVER" else "reranker.output")
    return {key: value for key, value in flat.items() if value is not None}


def _model_attributes(input: Mapping[str, Any], output: Mapping[str, Any]) -> dict[str, Any]:
    counted = output.get("usage")
    usage = counted if isinstance(counted, dict) else {}
    asked, answered = input.get("model"), output.get("model")
    tokens_in, tokens_out = usage.get("input_tokens"), usage.get("output_tokens")
    stop = output.get("stop_reason")
    return {
        "gen_ai.provider.name": "anthropic" if str(answered or asked or "").startswith("claude") else None,
        "gen_ai.request.model": asked,
        "gen_ai.response.model": answered,
        "gen_ai.response.id": output.get("request_id"),
        "gen_ai.response.finish_reasons": [stop] if stop else None,
        "gen_ai.usage.input_tokens": tokens_in,
        "gen_ai.usage.output_tokens": tokens_out,
        "llm.model_name": answered or asked,
        "llm.provider": "anthropic" if str(answered or asked or "").startswith("claude") else None,
        "llm.token_count.prompt": tokens_in,
        "llm.token_count.completion": tokens_out,
        "llm.token_count.total": tokens_in + tokens_out
        if isinstance(tokens_in, int) and isinstance(tokens_out, int)
        else None,
    }


def _document_attributes(output: Mapping[str, Any], group: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    hits = output.get("hits")
    for index, hit in enumerate(hits if isinstance(hits, list) else []):
        if isinstance(hit, dict):
            prefix = f"{group}.documents.{index}.document"
            metadata = {key: hit[key] for key in ("document", "page", "section", "span") if key in hit}
            flat |= {
                f"{prefix}.id": hit.get("chunk_id"),
                f"{prefix}.content": hit.get("text"),
                f"{prefix}.score": hit.get("rerank_score")
                if group.startswith("rerank")
                else hit.get("retrieval_confidence"),
                f"{prefix}.metadata": _json(metadata),
            }
    return flat


def _span(span: Mapping[str, Any], trace: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    parent = span["parent_id"]
    error = span["output"].get("error") if isinstance(span["output"], dict) else None
    made: dict[str, Any] = {
        "traceId": otel_trace_id(span["trace_id"]),
        "spanId": otel_span_id(span["span_id"]),
        "name": span["name"],
        "kind": 1,
        "startTimeUnixNano": str(nanoseconds(span["start"])),
        "endTimeUnixNano": str(nanoseconds(_end(span, trace))),
        "attributes": _attributes(attributes_of(span)),
        "status": {"code": _STATUS_ERROR, "message": _json(error)} if error else {},
    }
    return made | ({"parentSpanId": otel_span_id(parent)} if parent is not None else {})


def _end(span: Mapping[str, Any], trace: Sequence[Mapping[str, Any]]) -> str:
    """The root span is written first, when nothing has ended yet: on a time line it lasts as long as its children."""
    return str(
        max(trace, key=lambda item: nanoseconds(item["end"]))["end"] if span["parent_id"] is None else span["end"]
    )


def _attributes(flat: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in flat.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": value if isinstance(value, str) else _json(value)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
