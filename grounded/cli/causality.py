"""`causality`."""

from __future__ import annotations

import argparse

from grounded import locations
from grounded.audit.reader import read_trace
from grounded.cli import emit, note
from grounded.settings import load_settings


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Options."""
    parser.add_argument("trace_id", help="the trace of a question that a model answered")
    parser.add_argument("--run", action="store_true", help="do it; without this only the cost is shown")


def run(args: argparse.Namespace) -> int:
    """Show the cost of asking again without each source in turn, and with --run do it."""
    from grounded.library import Library
    from grounded.pipeline import Causality

    settings = load_settings({"library": args.library, "traces": args.traces})
    spans = read_trace(args.traces, args.trace_id, state=locations.state())
    asked = Causality(spans, Library(args.library, settings=settings), settings)
    cost = asked.cost()
    money = "unknown" if cost.ceiling_usd is None else f"at most {cost.ceiling_usd:.4f} USD"
    note(f"{cost.calls} calls, {cost.input_tokens} input tokens, cost {money}")
    effects = asked.run() if args.run else []
    if args.json:
        emit({"cost": cost.model_dump(mode="json"), "sources": [e.model_dump(mode="json") for e in effects]})
        return 0
    for effect in effects:
        print(f"{effect.source_id}: {'used' if effect.used else 'made no difference'}")
        for claim in effect.claims:
            if claim.effect != "same":
                cited = "cites it" if claim.cited else "does not cite it"
                instead = f", instead: {claim.instead}" if claim.instead else ""
                print(f"    {claim.claim_id} ({cited}): {claim.effect}{instead}")
    return 0
