"""`witness serve` runs a witness; `witness cosign URL --key KEY` has one cosign this log; `witness stamp URL` has a
time-stamping authority (RFC 3161) put its time over it."""

from __future__ import annotations

import argparse
from pathlib import Path

from grounded import locations
from grounded.audit import anchors
from grounded.audit import witness as witnessing
from grounded.audit.ledger import Ledger
from grounded.audit.notes import VerifierKey, parse_key
from grounded.cli import emit, note
from grounded.errors import UsageError


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The action."""
    actions = parser.add_subparsers(dest="action", required=True)
    serve = actions.add_parser("serve", help="cosign checkpoints that extend what was cosigned before")
    serve.add_argument("--folder", type=Path, required=True, help="where the witness keeps its key and what it saw")
    serve.add_argument("--name", default="witness.local", help="the name it signs under (default: %(default)s)")
    serve.add_argument("--log", action="append", required=True, help="verifier key of a log it serves; repeatable")
    serve.add_argument("--port", type=int, default=8765, help="on the loopback address (default: %(default)s)")
    cosign = actions.add_parser("cosign", help="have a witness cosign the last checkpoint")
    cosign.add_argument("url")
    cosign.add_argument("--key", required=True, help="the witness's verifier key")
    stamp = actions.add_parser("stamp", help="have a time-stamping authority stamp the last checkpoint")
    stamp.add_argument("url")
    for action in (serve, cosign, stamp):
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS)
        action.add_argument("--traces", type=Path, default=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Do it."""
    if args.action == "serve":
        return _serve(args)
    ledger = Ledger(args.traces, state=locations.state())
    if args.action == "cosign":
        entry = witnessing.cosign(ledger, args.url, _key(args.key))
    else:
        entry = anchors.stamp(ledger, anchors.authority_at(args.url))
    if args.json:
        emit(entry)
    else:
        print(f"{entry['type']} over {entry['size']} entries, recorded as entry {entry['seq']}")
    return 0


def _serve(args: argparse.Namespace) -> int:
    witness = witnessing.Witness(args.folder, args.name, [_key(text) for text in args.log])
    server = witnessing.serve(witness, ("127.0.0.1", args.port))
    if args.json:
        emit({"url": f"http://127.0.0.1:{server.server_port}", "key": str(witness.key)})
    note(f"witness {witness.key} on http://127.0.0.1:{server.server_port} (stop with Ctrl-C)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
    return 0


def _key(text: str) -> VerifierKey:
    try:
        return parse_key(Path(text).read_text("utf-8") if Path(text).is_file() else text)
    except (ValueError, OSError) as error:
        raise UsageError(f"not a verifier key ({error})", where=text[:80]) from None
