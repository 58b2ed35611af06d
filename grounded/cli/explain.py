"""`explain ID` or `explain --at "2026-11-24 14:14"`: one page on one answer."""

from __future__ import annotations

import argparse

from grounded import locations
from grounded.audit.explain import explain, page, trace_at
from grounded.audit.reader import read_trace, resolve, trace_file
from grounded.audit.verify import verify_file
from grounded.cli import emit, note
from grounded.errors import UsageError


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Which answer."""
    parser.add_argument("id", nargs="?", help="a trace id, or the beginning of one")
    parser.add_argument("--at", help='a moment: "2026-11-24 14:14" (local time unless it says its zone), or a day')


def run(args: argparse.Namespace) -> int:
    """Print the page."""
    if (args.id is None) == (args.at is None):
        raise UsageError("give a trace id or --at, one of them")
    if args.at is not None:
        row, within = trace_at(args.traces, args.at)
        trace_id = row.trace_id
        if not within:
            note(f"nothing was asked at that moment; the last question before it is of {row.opened}")
    else:
        trace_id = resolve(args.traces, args.id)
    report = verify_file(trace_file(args.traces, trace_id), state=locations.state())
    facts = explain(read_trace(args.traces, trace_id, state=locations.state()), report)
    if args.json:
        emit(facts)
    else:
        print(page(facts))
    return 0
