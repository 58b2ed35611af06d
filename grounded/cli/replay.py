"""`replay`."""

from __future__ import annotations

import argparse

from grounded import locations
from grounded.audit.reader import read_trace
from grounded.cli import emit, note


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Options."""
    parser.add_argument("trace_id", help="the trace to run again")
    parser.add_argument("--live", action="store_true", help="ask the model anew (costs money), show the differences")


def run(args: argparse.Namespace) -> int:
    """Run a recorded question again: 0 every step came out as recorded, 1 something differs."""
    from grounded.library import Library
    from grounded.pipeline import replay

    spans = read_trace(args.traces, args.trace_id, state=locations.state())
    done = replay(spans, library=Library(args.library), live=args.live)
    if args.json:
        steps = [
            {"name": s.name, "outcome": s.outcome, "differences": [d._asdict() for d in s.differences]}
            for s in done.steps
        ]
        emit({"trace_id": done.trace_id, "same": done.same, "steps": steps, "changed": list(done.changed)})
        return 0 if done.same else 1
    for step in done.steps:
        print(f"{step.outcome:<10} {step.name}")
        for difference in step.differences:
            print(f"    {difference.path}: recorded {difference.recorded!r}, now {difference.replayed!r}")
    for text in done.changed:
        note(f"changed since: {text}")
    return 0 if done.same else 1
