"""`verify-log PATH`: one finding a line, the first broken line first. 0 intact, 1 tampered, 2 not judged, 3 usage."""

from __future__ import annotations

import argparse
from pathlib import Path

from grounded import locations
from grounded.audit.report import Report, printable
from grounded.audit.verify import verify
from grounded.cli import emit, note

USAGE_EXIT = 3
FAILURE_EXIT = 2  # not working is not tampering
LIMITS = (
    "It detects, it does not prevent; who holds the key and every copy of every checkpoint can rewrite everything; "
    "it does not prove that what was recorded is true."
)


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The path and what to trust."""
    parser.add_argument("path", type=Path, metavar="PATH", help="a trace file, or a folder of traces with its ledger")
    parser.add_argument("--key", help="the only verifier key to trust: the key itself or a .vkey file")
    parser.add_argument("--no-remember", action="store_true", help="do not remember the checkpoint of an intact folder")


def run(args: argparse.Namespace) -> int:
    """Verify and print."""
    report = verify(args.path, state=locations.state(), key=args.key, remember=not args.no_remember)
    if args.json:
        emit(report.as_json())
    else:
        _print(report, args.path)
    return report.exit_code


def _print(report: Report, path: Path) -> None:
    for finding in report.findings:
        print(finding)
    if report.omitted:
        print(f"… and {report.omitted} more findings")
    print(f"{printable(str(path))}: {report.verdict.replace('_', ' ')} · assurance {report.assurance} · ", end="")
    print(
        f"{report.spans} spans in {report.traces} traces"
        + (f" · {report.entries} ledger entries" if report.entries else "")
    )
    for item in report.not_checked:
        print(f"not checked: {printable(item)}")
    note(LIMITS)
