"""`verify-log PATH…`: one finding a line, the first broken line first. 0 intact, 1 tampered, 2 not judged, 3 usage.

Several logs, one for each replica of an app: several paths, or the folder that holds them. Each is judged by itself;
the worst verdict is that of all.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from grounded import locations
from grounded.audit.report import EXIT_CODES, Report, Verdict, printable
from grounded.audit.verify import logs_of, shared_origins, verify
from grounded.cli import emit, note

USAGE_EXIT = 3
FAILURE_EXIT = 2  # not working is not tampering
_WORST: tuple[Verdict, ...] = ("intact", "not_judged", "tampered")
LIMITS = (
    "It detects, it does not prevent; who holds the key and every copy of every checkpoint can rewrite everything; "
    "it does not prove that what was recorded is true."
)


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """The path and what to trust."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a trace file, a folder of traces with its ledger, or a folder of such folders (one for each replica)",
    )
    parser.add_argument("--key", help="the only verifier keys to trust: a key itself, or a .vkey file of one or more")
    parser.add_argument("--no-remember", action="store_true", help="do not remember the checkpoint of an intact folder")


def run(args: argparse.Namespace) -> int:
    """Verify and print."""
    paths = list(dict.fromkeys(log for path in args.paths for log in logs_of(path)))
    reports = [verify(path, state=locations.state(), key=args.key, remember=not args.no_remember) for path in paths]
    twice = shared_origins([report for path, report in zip(paths, reports, strict=True) if path.is_dir()])
    verdict = max((r.verdict for r in reports), key=_WORST.index)
    if twice and verdict == "intact":
        verdict = "not_judged"
    if args.json:
        emit(reports[0].as_json() if len(reports) == 1 else _together(verdict, paths, reports, twice))
        return EXIT_CODES[verdict]
    for path, report in zip(paths, reports, strict=True):
        _print(report, path)
    for origin in twice:
        print(printable(f"not judged: several of these folders hold the log {origin}: only one can be the log itself"))
    if len(reports) > 1:
        print(f"{len(reports)} logs together: {verdict.replace('_', ' ')}")
    note(LIMITS)
    return EXIT_CODES[verdict]


def _together(verdict: Verdict, paths: Sequence[Path], reports: Sequence[Report], twice: Sequence[str]) -> object:
    logs = [{"path": str(path), **report.as_json()} for path, report in zip(paths, reports, strict=True)]
    return {"verdict": verdict, "logs": logs, "log_twice": twice}


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
