"""`keys list|rotate|trust`: whose signatures count here. Private keys stay in the state folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from grounded import locations
from grounded.audit import keys, layout
from grounded.audit.ledger import Ledger
from grounded.audit.notes import COSIGNATURE, parse_key
from grounded.cli import emit
from grounded.errors import UsageError


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The action."""
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list", help="the public keys known here")
    rotate = actions.add_parser("rotate", help="a new signing key for this log; the old one signs the change")
    trust = actions.add_parser("trust", help="trust a log, a witness (verifier key) or a time-stamping authority (PEM)")
    trust.add_argument("key", help="a verifier key, a file with one, or a .pem file of root certificates")
    for action in (listing, rotate, trust):
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS)
        action.add_argument("--traces", type=Path, default=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Do it."""
    state = locations.state()
    if args.action == "rotate":
        _say(args, {"key": Ledger(args.traces, state=state).rotate_key()})
    elif args.action == "trust":
        _say(args, {"trusted": _trust(state, args.key)})
    else:
        trust = keys.load_trust(state)
        logs = {origin: [str(key) for key in known] for origin, known in trust.logs.items()}
        witnesses, authorities = [str(key) for key in trust.witnesses], [path.name for path in trust.authorities]
        _say(args, {"logs": logs, "witnesses": witnesses, "authorities": authorities})
    return 0


def _trust(state: Path, given: str) -> str:
    path = Path(given)
    if path.suffix == ".pem" and path.is_file():
        keys.write_private(layout.authorities_path(state) / path.name, path.read_text("utf-8"))
        return path.name
    try:
        key = parse_key(path.read_text("utf-8") if path.is_file() else given)
    except (ValueError, OSError) as error:
        raise UsageError(f"not a verifier key ({error})", where=given[:80]) from None
    if key.algorithm == COSIGNATURE:
        keys.remember_witness(state, key)
    else:
        keys.remember_key(state, key)
    return str(key)


def _say(args: argparse.Namespace, facts: dict[str, object]) -> None:
    if args.json:
        emit(facts)
        return
    for name, value in facts.items():
        print(f"{name}: {value}")
