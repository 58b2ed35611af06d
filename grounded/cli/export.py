"""`export [ID…]`: traces as OTLP/JSON; `--langfuse` sends them there. Copies are derived data, never evidence."""

from __future__ import annotations

import argparse
from pathlib import Path

from grounded import locations
from grounded.audit import langfuse_export
from grounded.audit.export import otlp
from grounded.audit.reader import read_trace, resolve, trace_rows
from grounded.cli import emit, note
from grounded.errors import UsageError


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """What and where to."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="trace ids, or beginnings of them (default: all)")
    parser.add_argument("-o", "--output", type=Path, help="a file for the OTLP/JSON (default: stdout)")
    parser.add_argument("--langfuse", action="store_true", help="send to Langfuse (needs LANGFUSE_PUBLIC_KEY)")


def run(args: argparse.Namespace) -> int:
    """Export."""
    chosen = [resolve(args.traces, trace_id) for trace_id in args.ids]
    ids = chosen or [row.trace_id for row in reversed(trace_rows(args.traces))]
    traces = [read_trace(args.traces, trace_id, state=locations.state()) for trace_id in ids]
    if args.langfuse:
        if not langfuse_export.enabled():
            raise UsageError("LANGFUSE_PUBLIC_KEY is not set")
        client = langfuse_export.connect()
        sent = sum(langfuse_export.send(spans, client) for spans in traces)
        emit({"traces": len(traces), "observations": sent})
        return 0
    document = otlp(traces)
    if args.output is None:
        emit(document)
        return 0
    import json

    args.output.write_text(json.dumps(document), "utf-8")
    note(f"{len(traces)} traces in {args.output}")
    return 0
