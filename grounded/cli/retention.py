"""`erase ID`, `hold ID`, `release ID`: what is kept beside the log goes, or must not go. A hold beats an erasure."""

from __future__ import annotations

import argparse

from grounded import locations
from grounded.audit import retention
from grounded.audit.ledger import Ledger
from grounded.audit.reader import resolve
from grounded.cli import emit


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Which trace, why, and who says so."""
    parser.add_argument("id", help="a trace id, or the beginning of one")
    parser.add_argument("--reason", required=True, help="recorded in the ledger")
    parser.add_argument("--actor", required=True, help="who decided it; recorded in the ledger")
    if command == "erase":
        parser.add_argument("--value", action="append", metavar="SHA256", help="only this value (default: all kept)")


def run(args: argparse.Namespace) -> int:
    """Do it."""
    ledger, trace_id = Ledger(args.traces, state=locations.state()), resolve(args.traces, args.id)
    done: dict[str, object] = {"trace_id": trace_id, "action": args.command}
    if args.command == "erase":
        done["erased"] = retention.erase(ledger, trace_id, reason=args.reason, actor=args.actor, commits=args.value)
    elif args.command == "hold":
        retention.hold(ledger, trace_id, reason=args.reason, actor=args.actor)
    else:
        retention.release(ledger, trace_id, reason=args.reason, actor=args.actor)
    if args.json:
        emit(done)
    else:
        print(f"{args.command} {trace_id}: " + (f"{len(done['erased'])} values" if "erased" in done else "recorded"))  # type: ignore[arg-type]
    return 0
