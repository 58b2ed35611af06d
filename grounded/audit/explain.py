"""One page on one answer: what was asked, what was said, on what evidence, by which model, and what proves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from grounded.audit.reader import TraceSummary, rebuild_answer, trace_rows
from grounded.audit.report import Report, printable
from grounded.errors import AuditError, UsageError


def parse_moment(text: str) -> tuple[datetime, timedelta]:
    """A moment as people write it, and how exact it is: "2026-11-24 14:14", with seconds, with a zone, or a day.

    Without a zone it is this machine's local time. Raises UsageError."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"not a moment: {printable(text, 60)}", advice='Write it like "2026-11-24 14:14".') from None
    colons = text.split("+")[0].count(":")
    width = timedelta(days=1) if colons == 0 else timedelta(minutes=1) if colons == 1 else timedelta(seconds=1)
    return (moment if moment.tzinfo else moment.astimezone()).astimezone(UTC), width


def trace_at(folder: Path, text: str) -> tuple[TraceSummary, bool]:
    """The trace opened at that moment (the last one within it), or the last one before it; whether it is within it."""
    moment, width = parse_moment(text)
    before = [row for row in trace_rows(folder) if _opened(row) < moment + width]
    if not before:
        raise UsageError("nothing was recorded by then", where=printable(text, 60))
    return before[0], _opened(before[0]) >= moment


def explain(spans: Sequence[dict[str, Any]], report: Report) -> dict[str, Any]:
    """The page as data. spans: of one trace, content in place; report: of verifying its file."""
    root = spans[0] if spans else {}
    asked = _dict(root.get("input"))
    try:
        answer = rebuild_answer(spans)
    except AuditError:
        answer = {}
    return {
        "trace_id": root.get("trace_id"),
        "asked": root.get("start"),
        "question": asked.get("question"),
        "actor": asked.get("actor"),
        "answer": answer.get("answer"),
        "status": answer.get("status", "no answer was assembled"),
        "reader": answer.get("reader"),
        "model": answer.get("model"),
        "models_asked": sorted(set(map(str, _models(spans)))),
        "documents": asked.get("documents", []),
        "claims": [_claim(claim) for claim in _list(answer.get("claims"))],
        "generation_confidence": answer.get("generation_confidence"),
        "grounded_share": answer.get("grounded_share"),
        "why_not": _dict(answer.get("abstention")).get("reason"),
        "steps": [{"name": span.get("name"), "reasoning": span.get("reasoning")} for span in spans],
        "proof": {**report.as_json(), "findings": [str(finding) for finding in report.findings]},
    }


def _claim(claim: Any) -> dict[str, Any]:
    claim = _dict(claim)
    verdict = _dict(claim.get("verdict"))
    sources = [
        {
            key: _dict(citation).get(key)
            for key in ("source_id", "source_name", "page", "page_label", "section", "snippet")
        }
        for citation in _list(claim.get("citations"))
    ]
    judged = {key: verdict.get(key) for key in ("status", "confidence", "reason")}
    return {"text": claim.get("text"), **judged, "sources": sources}


def _models(spans: Sequence[dict[str, Any]]) -> list[Any]:
    outputs = [_dict(span.get("output")) for span in spans]
    return [output[key] for output in outputs for key in ("model", "model_answered") if output.get(key)]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def page(facts: dict[str, Any]) -> str:
    """The page as text, safe for a terminal."""
    asked = f"asked {facts['asked']}" + (f" by {facts['actor']}" if facts["actor"] else "")
    lines = [
        f"Trace {facts['trace_id']}, {asked}",
        "",
        f"Question: {facts['question']}",
        f"Answer ({facts['status']}):",
    ]
    lines += [f"  {line}" for line in str(facts["answer"] or facts["why_not"] or "—").splitlines()]
    for number, claim in enumerate(facts["claims"], 1):
        lines += [
            "",
            f"{number}. {claim['text']}",
            f"   {claim['status']}, confidence {claim['confidence']}: {claim['reason']}",
        ]
        lines += [
            f"   {s['source_name']}, p. {s['page_label'] or s['page']}, {s['section']}: “{s['snippet']}”"
            for s in claim["sources"]
        ]
    models = ", ".join(facts["models_asked"]) or facts["model"] or "none"
    lines += [
        "",
        f"Reader: {facts['reader']}. Models: {models}.",
        *_documents(facts["documents"]),
        *_proof(facts["proof"]),
    ]
    return "\n".join(printable(line, 2000) for line in lines)


def _documents(documents: Any) -> list[str]:
    known = [_dict(document) for document in _list(documents)]
    return [f"Document: {d.get('name')} ({d.get('pages')} pages), sha256 {d.get('sha256')}" for d in known]


def _proof(proof: Mapping[str, Any]) -> list[str]:
    lines = [
        "",
        f"Proof: {proof['verdict'].replace('_', ' ')}, assurance {proof['assurance']}, log {proof['log'] or 'none'}",
    ]
    lines += [f"  {finding}" for finding in proof["findings"]]
    return [
        *lines,
        *(f"  not checked: {item}" for item in proof["not_checked"]),
        "  It shows what was recorded, not that it is true.",
    ]


def _opened(row: TraceSummary) -> datetime:
    try:
        opened = datetime.fromisoformat(row.opened)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return opened if opened.tzinfo else opened.replace(tzinfo=UTC)
