"""A run as one self-contained HTML page: no script, nothing fetched, and whatever others wrote is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from grounded.evaluation.catalogue import BY_NAME
from grounded.evaluation.history import RunReport
from grounded.evaluation.outcomes import KS, STAGES, Outcome
from grounded.evaluation.statistics import Figure
from grounded.evaluation.summary import SetReport, by_stage, stage_of

if TYPE_CHECKING:
    from jinja2 import Template

FAILURES = 25  # shown of each set
_SIDE = 240  # of a chart, pixels
_DASHES = {"retrieved": "2 4", "reranked": "", "read": "8 4"}


def page(report: RunReport, outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """The whole report."""
    parts = [_part(found, outcomes.get(found.name, ())) for found in report.sets]
    used = {row.metric for found in report.sets for row in found.rows if not stage_of(row.metric)}
    glossary = [BY_NAME[name] for name in BY_NAME if name in used or stage_of(name)]
    return _template().render(run=report, parts=parts, glossary=glossary, stages=STAGES)


@cache
def _template() -> Template:
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"figure": figure, "number": number}
    return environment.from_string((files("grounded.evaluation") / "report.html").read_text("utf-8"))


def figure(found: Figure) -> str:
    """Value with interval, how many cases, how many of them n/a."""
    if found.value is None:
        return f"n/a ({found.undefined} cases)" if found.undefined else "n/a"
    between = f" [{number(found.low)}, {number(found.high)}]" if found.low is not None else ""
    undefined = f", {found.undefined} n/a" if found.undefined else ""
    return f"{number(found.value)}{between} · n={found.n}{undefined}"


def number(value: float | None) -> str:
    """Three decimals, fewer for large ones."""
    return "n/a" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def _part(found: SetReport, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    wrong = [outcome for outcome in outcomes if outcome.right is False]
    dots = {name: [_dot(b.confidence, b.right, b.cases) for b in bins] for name, bins in found.reliability.items()}
    return {
        "set": found,
        "stages": by_stage(found),
        "rows": [row for row in found.rows if not stage_of(row.metric)],
        "recall": _recall_lines(found),
        "reliability": dots,
        "side": _SIDE,
        "kinds": sorted(found.kinds, key=lambda kind: kind.right / kind.cases),
        "wrong": wrong[:FAILURES],
        "more": max(0, len(wrong) - FAILURES),
    }


def _recall_lines(found: SetReport) -> list[dict[str, str]]:
    """Recall by k as a line a stage, in the chart's pixels."""
    staged = by_stage(found)
    lines = []
    for stage in STAGES:
        values = [figures[stage].value for k in KS if (figures := staged.get(f"recall@{k}")) and stage in figures]
        points = [_at(i / (len(KS) - 1), value) for i, value in enumerate(values) if value is not None]
        if points:
            lines.append({"stage": stage, "points": " ".join(points), "dash": _DASHES[stage]})
    return lines


def _at(x: float, y: float) -> str:
    return f"{x * _SIDE:.1f},{(1 - y) * _SIDE:.1f}"


def _dot(confidence: float, right: float, cases: int) -> dict[str, Any]:
    return {
        "x": f"{confidence * _SIDE:.1f}",
        "y": f"{(1 - right) * _SIDE:.1f}",
        "r": f"{min(14.0, 3 + cases**0.5 / 2):.1f}",
        "says": f"{cases} cases: confidence {confidence:.2f}, right {right:.2f}",
    }
