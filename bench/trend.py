"""Every recorded benchmark figure that is a ratio, in one JSON, and two such JSONs compared.

    python -m bench.trend > now.json          what docs/figures.md and docs/evaluation.json hold at this commit
    python -m bench.trend before.json now.json

Machines are noisy and differ; ratios against a floor of the same run, and shares, can be compared. A figure has moved
when it changed by more than a tenth (times) or more than its 95 % interval, or 0.02 without one (shares).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.__main__ import EVALUATION, recorded_parts
from grounded.evaluation.catalogue import BY_NAME

TIMES, SHARE = 0.1, 0.02  # relative, absolute
# Benchmark -> lines that give a ratio. A named group is the figure's name.
_RATIOS: dict[str, tuple[str, ...]] = {
    "ask": (r"(?P<name>whole / \(embedding the question alone\)): (?P<value>[\d.]+)",),
    "index": (r"(?P<name>indexing / \(reading \+ embedding\)) = (?P<value>[\d.]+)",),
    "app": (r"(?P<name>first load) .*?, (?P<value>[\d.]+) x a bare",),
    "claude": (r"(?P<name>first claim) after [\d.]+ s \((?P<value>\d+)%\)",),
    "audit": (r'"(?P<name>\w*(?:ratio|over|share)\w*)": (?P<value>[\d.]+)',),
    "documents": (r'"(?P<name>[\w ]*(?:ratio|share|recall|precision|f1|iou|accuracy)[\w ]*)": (?P<value>[\d.]+)',),
    "reader": (r"^  (?P<name>.+): (?P<value>[01]\.\d+) \(n=",),
    "verification": (r"balanced (?P<name>accuracy) (?P<value>[01]\.\d+)",),
}
_PEERS = re.compile(
    r"^(?P<peer>\w+) +[\d.]+ +(?P<index>[\d.]+) +\d+ +[\d.]+ +(?P<ask>[\d.]+)"
    r" +(?P<one>[\d.]+) +(?P<five>[\d.]+) +(?P<f1>[\d.]+)$",
    re.MULTILINE,
)


class Ratio(NamedTuple):
    """A figure. less: less is better. low, high: its interval, where it has one. times: a quotient of times."""

    value: float
    less: bool = False
    times: bool = False
    low: float | None = None
    high: float | None = None


def main() -> int:
    """Print the JSON, or the comparison of two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="JSON", help="two: before and now")
    args = parser.parse_args()
    if len(args.files) == 2:
        before, now = (_read(path) for path in args.files)
        for line in moved(before, now):
            print(line)
    elif args.files:
        parser.error("give two files to compare, or none")
    else:
        print(json.dumps({name: ratio._asdict() for name, ratio in ratios().items()}, indent=1))
    return 0


def ratios() -> dict[str, Ratio]:
    """What is recorded at this commit."""
    found = dict(_printed(recorded_parts()))
    if EVALUATION.exists():
        found |= dict(_evaluated(json.loads(EVALUATION.read_text("utf-8"))))
    return found


def _printed(parts: Mapping[str, str]) -> Iterator[tuple[str, Ratio]]:
    for bench, patterns in _RATIOS.items():
        timed = bench in ("ask", "index", "app", "claude", "audit")
        for pattern in patterns:
            for match in re.finditer(pattern, parts.get(bench, ""), re.MULTILINE):
                yield f"{bench}: {match['name'].strip()}", Ratio(float(match["value"]), timed, timed)
    for match in _PEERS.finditer(parts.get("peers", "")):
        peer = match["peer"]
        for name in ("index", "ask"):
            yield f"peers: {peer} {name} / bm25", Ratio(float(match[name]), less=True, times=True)
        for name, key in (("page@1", "one"), ("page@5", "five"), ("citation F1", "f1")):
            yield f"peers: {peer} {name}", Ratio(float(match[key]))


def _evaluated(report: Mapping[str, Any]) -> Iterator[tuple[str, Ratio]]:
    for found in report["sets"]:
        for metric, f in found["figures"].items():
            if f["value"] is not None and metric in BY_NAME:
                less = not BY_NAME[metric].more_is_better
                yield f"eval: {found['name']} {metric}", Ratio(f["value"], less, False, f["low"], f["high"])


def _read(path: Path) -> dict[str, Ratio]:
    return {name: Ratio(**raw) for name, raw in json.loads(path.read_text("utf-8")).items()}


def moved(before: Mapping[str, Ratio], now: Mapping[str, Ratio]) -> Iterator[str]:
    """A line for each figure that is better, worse, new or gone; one line with the number of the others."""
    same = 0
    for name in [*before, *(name for name in now if name not in before)]:
        if name not in now or name not in before:
            yield f"{'gone' if name in before else 'new':<8}{name}"
        elif verdict := _verdict(before[name], now[name]):
            yield f"{verdict:<8}{name}: {before[name].value:.3f} -> {now[name].value:.3f}"
        else:
            same += 1
    yield f"{same} figures did not move"


def _verdict(before: Ratio, now: Ratio) -> str:
    change = now.value - before.value
    if now.times:
        still = abs(change) <= TIMES * max(before.value, 1e-9)
    elif before.low is not None and before.high is not None:
        still = before.low <= now.value <= before.high
    else:
        still = abs(change) <= SHARE
    return "" if still else "worse" if (change > 0) == now.less else "better"


if __name__ == "__main__":
    sys.exit(main())
