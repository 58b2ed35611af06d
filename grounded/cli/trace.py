"""`trace list`, `trace show ID`, `trace diff ID ID`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grounded import locations
from grounded.audit.reader import list_traces, read_trace, resolve
from grounded.audit.replay import Replayed, diff
from grounded.audit.report import printable
from grounded.cli import emit


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The action and its ids."""
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="the traces, newest first")
    listing.add_argument("--limit", type=int, default=50)
    listing.add_argument("--offset", type=int, default=0)
    show = actions.add_parser("show", help="one trace, step by step")
    show.add_argument("id", help="a trace id, or the beginning of one")
    two = actions.add_parser("diff", help="what changed between two runs")
    two.add_argument("ids", nargs=2, metavar="ID")
    for action in (listing, show, two):
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS)
        action.add_argument("--traces", type=Path, default=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Do it."""
    return {"list": _list, "show": _show, "diff": _diff}[args.action](args)


def _list(args: argparse.Namespace) -> int:
    page = list_traces(args.traces, offset=max(0, args.offset), limit=max(0, args.limit))
    if args.json:
        emit({"traces": [row._asdict() for row in page.items], "total": page.total})
        return 0
    for row in page.items:
        print(printable(f"{row.trace_id}  {row.opened[:19]}  {row.status:<9}  {row.question}", 160))
    print(f"{len(page.items)} of {page.total} traces")
    return 0


def _read(args: argparse.Namespace, trace_id: str) -> list[dict[str, Any]]:
    return read_trace(args.traces, resolve(args.traces, trace_id), state=locations.state())


def _show(args: argparse.Namespace) -> int:
    spans = _read(args, args.id)
    if args.json:
        emit({"trace_id": spans[0]["trace_id"] if spans else args.id, "spans": spans})
        return 0
    for span in spans:
        print(printable(f"{span['start'][11:23]} {span['name']}: {span['reasoning']}"))
        for side in ("input", "output"):
            for key, value in span[side].items():
                print(printable(f"    {side}.{key} = {json.dumps(value, ensure_ascii=False)}", 200))
    return 0


def _diff(args: argparse.Namespace) -> int:
    steps = diff(*(_read(args, trace_id) for trace_id in args.ids))
    if args.json:
        emit({"steps": [as_json(step) for step in steps]})
    else:
        print_steps(steps)
    return 0


def as_json(step: Replayed) -> dict[str, Any]:
    """A compared step for --json."""
    return {**step._asdict(), "differences": [difference._asdict() for difference in step.differences]}


def print_steps(steps: Sequence[Replayed]) -> None:
    """Compared steps for a person."""
    for step in steps:
        print(f"{step.outcome:<9} {printable(step.name, 60)}")
        for found in step.differences:
            before, after = (json.dumps(value, ensure_ascii=False) for value in (found.recorded, found.replayed))
            print(printable(f"    {found.path}: {before[:90]} -> {after[:90]}", 240))
