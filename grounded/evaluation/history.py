"""Runs on disk, each with what it was run with: `<state>/evaluation/runs/<id>/report.json` and `cases.jsonl`; and what
was worked out case by case, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from grounded import __version__, locations
from grounded.errors import UsageError
from grounded.evaluation.catalogue import BY_NAME
from grounded.evaluation.outcomes import Outcome
from grounded.evaluation.summary import Compared, SetReport, compare
from grounded.types import Frozen

PACKAGE = Path(__file__).resolve().parents[1]
_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}")


class RunReport(Frozen):
    """A run: what it was run with, and its figures."""

    id: str
    started: str = Field(description="UTC, ISO 8601")
    seconds: float = Field(description="wall time; cases taken from an earlier run cost none")
    version: str = __version__
    commit: str = Field(default="", description="of the checkout, when known; + when files differed from it")
    code: str = Field(description="sha256 over this program's files")
    settings: dict[str, Any]
    reader: str
    models: dict[str, str | None] = Field(default_factory=dict, description="of reader and second opinion")
    prompts: dict[str, str] = Field(default_factory=dict, description="prompt id -> sha256")
    embedder: str = Field(description="digest")
    indexes: dict[str, str] = Field(default_factory=dict, description="set -> digest of its index")
    libraries: dict[str, str] = Field(
        default_factory=dict, description="set -> folder of its own library, where it has one"
    )
    part: str = Field(description="all, ci, or how many cases a set")
    reused: int = Field(default=0, description="cases taken from an earlier run with the same everything")
    absent: tuple[str, ...] = Field(default=(), description="sets that are not on this machine")
    sets: tuple[SetReport, ...] = ()

    def set(self, name: str) -> SetReport | None:
        """The report on one set."""
        return next((found for found in self.sets if found.name == name), None)


class Regression(NamedTuple):
    """Why a gate is closed."""

    set: str
    metric: str
    why: str


# ---------------------------------------------------------------- runs


def folder() -> Path:
    """Where evaluation keeps its runs, sets, libraries and worked-out cases."""
    return locations.state() / "evaluation"


def libraries() -> Path:
    """Where the sets' own documents are indexed, a folder a set."""
    return folder() / "libraries"


def save(report: RunReport, outcomes: Mapping[str, Sequence[Outcome]]) -> Path:
    """Write a run down; its folder."""
    home = folder() / "runs" / report.id
    home.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"set": name} | o.model_dump(mode="json")) for name, part in outcomes.items() for o in part)
    (home / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (home / "report.json").write_text(report.model_dump_json(indent=1), encoding="utf-8")
    return home


def runs() -> list[RunReport]:
    """The recorded runs, newest first. One that cannot be read (another version wrote it) is left out."""
    found = []
    for path in sorted((folder() / "runs").glob("*/report.json"), reverse=True):
        try:
            found.append(_kept_report(path))
        except (OSError, ValidationError):
            continue
    return found


@lru_cache(maxsize=256)  # a report never changes; the page looks at all of them again and again
def _kept_report(path: Path) -> RunReport:
    return RunReport.model_validate_json(path.read_bytes())


def find(name: str) -> RunReport:
    """A run by id or its beginning, `latest`, or the file of a report. Raises UsageError when there is none."""
    if (path := Path(name)).is_file():
        return read_report(path)
    fitting = [run for run in runs() if name == "latest" or run.id.startswith(name)]
    if not fitting:
        raise UsageError("there is no such run", where=name, advice="`eval --history` lists them")
    return fitting[0]


def read_report(path: Path) -> RunReport:
    """A report that `eval --json` printed. Raises UsageError when the file is none."""
    try:
        raw = json.loads(path.read_bytes())
        return RunReport.model_validate({k: v for k, v in raw.items() if k != "gate"})  # of a gated run, too
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError("this is not a report of `eval --json`", where=str(path)) from error


def outcomes_of(run: str) -> Mapping[str, Sequence[Outcome]]:
    """The cases of a recorded run, by set. Raises UsageError when they are not on this machine."""
    path = folder() / "runs" / run / "cases.jsonl"
    if not _ID.fullmatch(run) or not path.is_file():
        raise UsageError("the cases of this run are not on this machine", where=run, advice="Run it here first")
    return _kept_outcomes(path)


@lru_cache(maxsize=8)
def _kept_outcomes(path: Path) -> Mapping[str, Sequence[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            raw = json.loads(line)
            found.setdefault(raw.pop("set"), []).append(Outcome.model_validate(raw))
    return found


def compare_runs(first: str, second: str) -> dict[str, list[Compared]]:
    """Second minus first, for every set that both have. Raises UsageError."""
    a, b = outcomes_of(first), outcomes_of(second)
    return {name: compare(a[name], b[name]) for name in a if name in b}


# ---------------------------------------------------------------- gates


def gate(report: RunReport, baseline: Path) -> list[Regression]:
    """What is worse than the baseline: a report of `eval --json`, or limits `{"gates": {"set": {"metric": limit}}}`.

    Against a report whose cases are on this machine the comparison is paired; else a metric is worse when its whole
    interval is on the wrong side of the baseline's value. Costs are no gate unless they have a limit. Raises UsageError
    when the file is neither.
    """
    limits = _limits(baseline)
    if limits is not None:
        return [r for name, part in limits.items() for r in _beyond(report, name, part)]
    before = read_report(baseline)
    try:
        pairs = compare_runs(before.id, report.id)
    except UsageError:
        pairs = {}
    return [r for old in before.sets for r in _worse(old, report.set(old.name), pairs.get(old.name))]


def _limits(path: Path) -> dict[str, dict[str, float]] | None:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError("the baseline cannot be read", where=str(path), advice="Give a report, or gates") from error
    if not isinstance(raw, dict) or "gates" not in raw:
        return None
    try:
        return {str(name): {str(m): float(v) for m, v in part.items()} for name, part in raw["gates"].items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise UsageError('gates are {"set": {"metric": number}}', where=str(path)) from error


def _beyond(report: RunReport, name: str, limits: Mapping[str, float]) -> list[Regression]:
    found = report.set(name)
    if found is None:
        return [Regression(name, "", "the set was not run")]
    return [r for metric, limit in limits.items() if (r := _limit(found, metric, limit)) is not None]


def _limit(found: SetReport, metric: str, limit: float) -> Regression | None:
    if metric not in BY_NAME:
        return Regression(found.name, metric, "there is no such metric")
    value = found.value(metric)
    if value is None:
        return Regression(found.name, metric, "n/a")
    fine = value >= limit if BY_NAME[metric].more_is_better else value <= limit
    return None if fine else Regression(found.name, metric, f"{value:.3f}, limit {limit:g}")


def _worse(old: SetReport, new: SetReport | None, pairs: Sequence[Compared] | None) -> list[Regression]:
    """A set that was not run this time says nothing."""
    if new is None:
        return []
    verdicts = {pair.metric: pair for pair in pairs or ()}
    found = []
    for row in old.rows:
        if row.section != "cost" and row.metric in BY_NAME and row.figure.value is not None:
            why = _why(row.metric, row.figure.value, new, verdicts.get(row.metric))
            found += [Regression(old.name, row.metric, why)] if why else []
    return found


def _why(metric: str, before: float, new: SetReport, pair: Compared | None) -> str:
    figure = next((row.figure for row in new.rows if row.metric == metric), None)
    if figure is None or figure.value is None:
        return f"n/a, was {before:.3f}"
    if pair is not None:
        d = pair.difference
        return f"{figure.value:.3f}, was {before:.3f}, paired {d.value:+.3f}" if d.verdict == "worse" else ""
    if figure.low is None or figure.high is None:
        return ""
    worse = figure.high < before if BY_NAME[metric].more_is_better else figure.low > before
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}], was {before:.3f}" if worse else ""


# ---------------------------------------------------------------- what a run was run with


def commit() -> str:
    """Short hash of the checkout's commit, with + when files differ from it; '' outside a checkout."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return head + "+" if head and _git("status", "--porcelain", "--untracked-files=no") else head
    except OSError:
        return ""


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=PACKAGE, capture_output=True, text=True, check=False)
    return done.stdout.strip()


@cache
def code_digest() -> str:
    """sha256 over every file of this package: what was worked out by other code is not taken for this one's."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in {".py", ".json", ".toml", ".md", ".txt"} and path.is_file():
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


class CaseCache:
    """Cases worked out before, by everything they depend on. Losing it loses time only."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        with closing(self._connect()) as connection, connection:
            connection.execute("CREATE TABLE IF NOT EXISTS cases (key TEXT PRIMARY KEY, outcome TEXT) WITHOUT ROWID")

    def get(self, key: str) -> Outcome | None:
        """The outcome under a key, None when it was not worked out yet."""
        with closing(self._connect()) as connection:
            row = connection.execute("SELECT outcome FROM cases WHERE key = ?", (key,)).fetchone()
        return Outcome.model_validate_json(row[0]) if row else None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome."""
        with closing(self._connect()) as connection, connection:
            connection.execute("INSERT OR REPLACE INTO cases VALUES (?, ?)", (key, outcome.model_dump_json()))

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60)


def key_of(**parts: Any) -> str:
    """sha256 hex over everything an outcome depends on."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
