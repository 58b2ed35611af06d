"""Reading traces back: lists, spans, and the answer that was shown. Reading judges nothing: `verify` does.

Standard library only (orjson where present)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from grounded.audit import layout
from grounded.audit.canonical import Malformed, parse_strict
from grounded.audit.content import ContentStore, restore
from grounded.audit.files import open_regular, read_regular
from grounded.audit.keys import load_content_key
from grounded.errors import AuditError, UsageError

ROOT_MARKS = ("$log",)
_FIRST_LINE = 1 << 20


class TraceSummary(NamedTuple):
    """One row of the list. status: ok, error, aborted, cancelled, or open (not closed yet); spans None while open."""

    trace_id: str
    opened: str
    status: str
    spans: int | None
    name: str
    question: str


class TracePage(NamedTuple):
    """A part of the list, newest first. total counts all traces."""

    items: list[TraceSummary]
    total: int


def list_traces(folder: Path, *, offset: int = 0, limit: int = 50) -> TracePage:
    """The traces of a folder, newest first. Reads the ledger, and the first lines of the traces on this page."""
    rows = trace_rows(folder)
    return TracePage([_with_question(folder, row) for row in rows[offset : offset + limit]], len(rows))


def trace_rows(folder: Path) -> list[TraceSummary]:
    """All traces, newest first, without names and questions: the traces themselves are not read."""
    rows = _ledger_rows(folder)
    known = {row.trace_id for row in rows}
    return sorted([*_unlisted_rows(folder, known), *rows], key=lambda row: row.opened, reverse=True)


def read_trace(folder: Path, trace_id: str, *, state: Path | None = None) -> list[dict[str, Any]]:
    """The spans of a trace, oldest first, with what is kept beside the log put back in its place; what is erased or
    encrypted without a key here stays a commitment.

    Raises UsageError for an id that is none or names nothing, AuditError when the file cannot be read as spans."""
    store = ContentStore(folder, key=load_content_key(state) if state else None)
    return [opened(span, store) for span in raw_spans(trace_file(folder, trace_id))]


def raw_spans(path: Path) -> Iterator[dict[str, Any]]:
    """The spans of a file exactly as recorded; a torn last line is left out. Raises as `read_trace`."""
    try:
        lines = read_regular(path).split(b"\n")[:-1]
    except FileNotFoundError:
        raise UsageError("no such trace", where=str(path)) from None
    except OSError as error:
        raise AuditError(f"the trace cannot be read ({error.strerror or error})", where=str(path)) from None
    for number, line in enumerate(lines, 1):
        try:
            span = parse_strict(line)
        except Malformed as fault:
            raise _unreadable(path, number, fault.code) from None
        if not isinstance(span, dict) or not isinstance(span.get("input"), dict):
            raise _unreadable(path, number, "not a span")
        yield span


def opened(span: dict[str, Any], store: ContentStore) -> dict[str, Any]:
    """A span as its writer gave it: content back in place, the log's own marks gone."""
    values = {key: value for key, value in span["input"].items() if key not in ROOT_MARKS}
    return {**span, "input": restore(values, store), "output": restore(span.get("output"), store)}


def rebuild_answer(spans: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The answer as it was shown (contracts.md), from the trace alone. Raises AuditError when none was assembled."""
    for span in reversed(spans):
        output = span.get("output")
        answer = output.get("answer") if span.get("name") == "assemble" and isinstance(output, dict) else None
        if isinstance(answer, dict):
            return answer
    raise AuditError("no answer was assembled in this trace", advice="It failed, was stopped, or is still running.")


def trace_file(folder: Path, trace_id: str) -> Path:
    """The file of a trace. Raises UsageError for anything that is not an id: no path can be smuggled in."""
    if not layout.is_trace_id(trace_id):
        raise UsageError("not a trace id", where=ascii(trace_id[:80]), advice="`trace list` shows the ids.")
    return layout.trace_path(folder, trace_id)


def resolve(folder: Path, beginning: str) -> str:
    """The one trace id that begins so. Raises UsageError when none or several do."""
    if not layout.is_trace_id(beginning):
        raise UsageError("not a trace id", where=ascii(beginning[:80]), advice="`trace list` shows the ids.")
    if os.path.lexists(layout.trace_path(folder, beginning)):
        return beginning
    found = [row.trace_id for row in trace_rows(folder) if row.trace_id.startswith(beginning)]
    if len(found) != 1:
        raise UsageError(f"{len(found) or 'no'} traces begin so", where=beginning, advice="`trace list` shows the ids.")
    return found[0]


def entries(folder: Path) -> Iterator[dict[str, Any]]:
    """The ledger's entries as they stand, unverified; none without a ledger. A torn last line is left out."""
    try:
        descriptor = open_regular(folder / layout.ENTRIES)
    except OSError:
        return
    if descriptor is None:
        return
    with os.fdopen(descriptor, "rb") as stream:
        for raw in stream:
            entry = _loads(raw) if raw.endswith(b"\n") else None
            if isinstance(entry, dict):
                yield entry


def _ledger_rows(folder: Path) -> list[TraceSummary]:
    rows: dict[str, TraceSummary] = {}
    for entry in entries(folder):
        trace_id = entry.get("trace_id")
        if not isinstance(trace_id, str) or not layout.is_trace_id(trace_id):
            continue
        if entry.get("kind") == "trace.open":
            rows[trace_id] = TraceSummary(trace_id, str(entry.get("time")), "open", None, "", "")
        elif entry.get("kind") == "trace.close" and trace_id in rows:
            n = entry.get("n")
            rows[trace_id] = rows[trace_id]._replace(
                status=str(entry.get("status")), spans=n if isinstance(n, int) else None
            )
    return list(rows.values())


def _unlisted_rows(folder: Path, known: Iterable[str]) -> Iterator[TraceSummary]:
    """Traces no ledger lists, such as other writers'."""
    known = set(known)
    for path in folder.glob(f"*{layout.SUFFIX}") if folder.is_dir() else ():
        if path.stem in known or not layout.is_trace_id(path.stem):
            continue
        root = _root(path)
        if root:
            yield TraceSummary(path.stem, str(root.get("start", "")), "unlisted", None, "", "")


def _with_question(folder: Path, row: TraceSummary) -> TraceSummary:
    root = _root(layout.trace_path(folder, row.trace_id)) or {}
    question = root.get("input", {}).get("question", "") if isinstance(root.get("input"), dict) else ""
    if isinstance(question, dict):
        question = restore(question, ContentStore(folder))
    return row._replace(name=str(root.get("name", "")), question=question if isinstance(question, str) else "")


def _root(path: Path) -> dict[str, Any] | None:
    try:
        descriptor = open_regular(path)
    except OSError:
        return None
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        span = _loads(stream.readline(_FIRST_LINE))
    return span if isinstance(span, dict) else None


def _loads(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _unreadable(path: Path, number: int, why: str) -> AuditError:
    return AuditError(
        f"line {number} cannot be read ({why})", where=str(path), advice="`verify-log` says what is wrong with it."
    )
