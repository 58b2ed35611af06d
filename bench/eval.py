"""The gold sets' figures as one table: `python -m bench.eval [--report FILE] [--keep FILE]`.

Runs `eval --all` (its CI subset), or takes a report that it printed. --keep writes what of the report a reader of the
figures needs, without paths and settings of this machine; README's table is made from that file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grounded.cli import main as grounded

# Set -> the figures of most interest; the others are in the report.
HEADLINES: dict[str, tuple[str, ...]] = {
    "samples": ("exact match", "page accuracy", "balanced abstention", "balanced accuracy"),
    "cuad": ("recall@5", "page accuracy", "span F1", "balanced abstention"),
    "ntsb": ("right page first", "exact match", "page accuracy", "box IoU", "balanced abstention", "balanced accuracy"),
    "tatqa": ("numeric exact match", "answer contained", "balanced accuracy", "AUROC", "ECE of verdicts"),
    "contractnli": ("balanced accuracy", "AUROC", "ECE of verdicts"),
    "scifact": ("nDCG@10", "balanced accuracy", "ECE of verdicts"),
    "scitab": ("balanced accuracy", "ECE of verdicts"),
    "xquad_en": ("answer contained", "page accuracy", "balanced abstention"),
}
_KEPT = ("id", "started", "version", "commit", "code", "reader", "models", "embedder", "part", "absent")
_KEPT_OF_A_SET = ("name", "licence", "caution", "cases", "documents")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, help="a report of `eval --json` instead of a run")
    parser.add_argument("--keep", type=Path, help="write the report's figures there")
    args = parser.parse_args()
    report = kept(json.loads(args.report.read_text("utf-8") if args.report else _run()))
    if args.keep:
        args.keep.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table(report), end="")
    return 0


def _run() -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = grounded(["eval", "--all", "--subset", "ci", "--json"])
    if code:
        sys.exit(code)
    return printed.getvalue()


def kept(report: Mapping[str, Any]) -> dict[str, Any]:
    """Of a report what may be published: no settings, no paths."""
    sets = [
        {key: found[key] for key in _KEPT_OF_A_SET}
        | {"figures": {row["metric"]: _rounded(row["figure"]) for row in found["rows"] if row["section"] != "cost"}}
        for found in report["sets"]
    ]
    return {key: report[key] for key in _KEPT} | {"sets": sets}


def _rounded(figure: Mapping[str, Any]) -> dict[str, Any]:
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in figure.items()}


def table(report: Mapping[str, Any]) -> str:
    """A line a figure: set, cases and documents, metric, value with its interval."""
    lines = [line for found in report["sets"] for line in _lines(found)]
    head = f"commit {report['commit'] or 'unknown'}, reader {report['reader']}, cases: {report['part']}; 95 % intervals"
    return "".join(f"{line}\n" for line in [head, *lines])


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    size = f"{found['cases']} cases, {found['documents']} documents"
    for name in HEADLINES.get(found["name"], ()):
        figure = found["figures"].get(name)
        if figure is not None:
            yield f"{found['name']:<12}{size:<29}{name:<22}{_said(figure)}"
            size = ""
    if found["caution"]:
        yield f"{'':12}caution: {found['caution']}"


def _said(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "n/a"
    between = f" [{figure['low']:.3f}, {figure['high']:.3f}]" if figure["low"] is not None else ""
    return f"{figure['value']:.3f}{between}"


if __name__ == "__main__":
    sys.exit(main())
