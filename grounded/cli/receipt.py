"""`receipt ID`: one trace with its proof, to hand over. `python receipt_verify.py RECEIPT KEY` checks it anywhere."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from grounded import locations
from grounded.audit.files import read_regular
from grounded.audit.layout import ENTRIES
from grounded.audit.ledger import Ledger
from grounded.audit.reader import resolve
from grounded.audit.receipt import build_receipt, signing_key
from grounded.cli import emit
from grounded.errors import UsageError


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """What to hand over."""
    parser.add_argument("id", help="a trace id, or the beginning of one")
    parser.add_argument("-o", "--output", type=Path, help="the file to write (default: ID.receipt.zip)")
    parser.add_argument("--spans", help="show only the spans of these names, comma-separated; withhold the others")
    parser.add_argument("--no-content", action="store_true", help="leave out what is kept beside the log")
    parser.add_argument("--actor", help="record in the ledger that this person exported it")


def run(args: argparse.Namespace) -> int:
    """Write the receipt."""
    trace_id = resolve(args.traces, args.id)
    names = None if args.spans is None else frozenset(args.spans.split(","))
    data = build_receipt(args.traces, trace_id, state=locations.state(), spans=names, contents=not args.no_content)
    output = args.output or Path(f"{trace_id}.receipt.zip")
    try:
        output.write_bytes(data)
    except OSError as error:
        raise UsageError(f"the receipt cannot be written ({error.strerror})", where=str(output)) from None
    if args.actor:
        ledger = Ledger(args.traces, state=locations.state())
        ledger.append("audit", action="export", actor=args.actor, trace_id=trace_id)
    key = signing_key([json.loads(line) for line in read_regular(args.traces / ENTRIES).split(b"\n")[:-1]])
    if args.json:
        emit({"trace_id": trace_id, "file": str(output), "bytes": len(data), "key": key})
    else:
        print(f"{output}: {len(data)} bytes. Its reader needs the key from you, by another way:\n{key}")
    return 0
