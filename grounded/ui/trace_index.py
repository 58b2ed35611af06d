"""The rows of the Traces table and the standing of the whole log, kept up to date beside the screen. No Streamlit here.

Ten thousand traces take seconds to read, so a thread of its own reads what is new, a batch at a time, newest first;
the screen shows what is there by then and says how far it is.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from grounded.audit.content import ContentStore, restore
from grounded.audit.layout import LEDGER, SUFFIX, trace_path
from grounded.audit.reader import TraceSummary, trace_rows
from grounded.audit.report import Finding, Report
from grounded.audit.verify import verify_folder
from grounded.errors import GroundedError

_BATCH = 200  # rows put on the screen together
_TAIL = 1 << 22  # the last span of a trace is no longer than this, or its row goes without the claims


class TraceRow(NamedTuple):
    """One run. opened: UTC, ISO 8601. claims and grounded are None when no answer was assembled."""

    trace_id: str
    opened: str
    question: str
    documents: tuple[str, ...]
    reader: str
    status: str
    claims: int | None
    grounded: int | None
    verdicts: tuple[str, ...]

    def matches(self, words: Sequence[str]) -> bool:
        """Does every word stand in its question, documents or id?"""
        text = " ".join((self.question, *self.documents, self.trace_id)).casefold()
        return all(word in text for word in words)


@dataclass(frozen=True)
class Standing:
    """What the last check of the whole log said, and when. broken: trace id -> its findings. unsure: traces that could
    not be judged. covered: the traces there were when it began; of later ones it says nothing. sound: nothing is wrong
    with the ledger itself, and no finding was left out."""

    report: Report
    at: datetime
    covered: frozenset[str]
    broken: Mapping[str, Sequence[Finding]] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    sound: bool = True

    def of(self, trace_id: str, *, listed: bool) -> str:
        """`intact`, `tampered`, `not judged`, or `not checked yet` for one trace."""
        if trace_id in self.broken:
            return "tampered"
        if trace_id not in self.covered:
            return "not checked yet"
        judged = listed and self.sound and trace_id not in self.unsure and self.report.verdict != "not_judged"
        return "intact" if judged else "not judged"


class TraceIndex:
    """All rows of a traces folder."""

    def __init__(self, folder: Path, state: Path) -> None:
        self._folder, self._state = folder, state
        self._lock = threading.Lock()
        self._rows: dict[str, TraceRow] = {}
        self._order: list[str] = []
        self._seen: dict[str, str] = {}
        self._mark: object = None
        self._reader: threading.Thread | None = None
        self._checker: threading.Thread | None = None
        self.standing: Standing | None = None
        self.trouble: str = ""

    def refresh(self) -> None:
        """Look for new traces, and check the log again when anything in it changed. Returns at once."""
        mark = _mark(self._folder)
        with self._lock:
            if mark != self._mark:
                self._mark = mark
                self._reader = self._begin(self._reader, self._read)
                self._checker = self._begin(self._checker, self._check)

    def check(self) -> None:
        """Check the whole log again. Returns at once."""
        with self._lock:
            self.standing = None
            self._checker = self._begin(self._checker, self._check)

    @property
    def rows(self) -> list[TraceRow]:
        """What has been read so far, newest first."""
        with self._lock:
            return [self._rows[key] for key in self._order if key in self._rows]

    @property
    def total(self) -> int:
        """How many traces there are."""
        return len(self._order)

    @property
    def busy(self) -> bool:
        """Is it still reading or checking?"""
        return any(thread is not None and thread.is_alive() for thread in (self._reader, self._checker))

    def wait(self, seconds: float) -> bool:
        """Wait for reading and checking, at most that long; is it done?"""
        for thread in (self._reader, self._checker):
            if thread:
                thread.join(seconds)
        return not self.busy

    def _begin(self, before: threading.Thread | None, work: Callable[[], None]) -> threading.Thread:
        def after() -> None:
            if before:
                before.join()
            work()

        thread = threading.Thread(target=after, name="traces", daemon=True)
        thread.start()
        return thread

    def _read(self) -> None:
        try:
            summaries = trace_rows(self._folder)
        except (GroundedError, OSError) as error:
            self.trouble = str(error)
            return
        with self._lock:
            self._order = [summary.trace_id for summary in summaries]
        fresh = [summary for summary in summaries if self._seen.get(summary.trace_id) != summary.status]
        for start in range(0, len(fresh), _BATCH):
            self._take(fresh[start : start + _BATCH])

    def _take(self, summaries: Sequence[TraceSummary]) -> None:
        rows = {summary.trace_id: row(self._folder, summary) for summary in summaries}
        with self._lock:
            self._rows |= rows
            self._seen |= {summary.trace_id: summary.status for summary in summaries}

    def _check(self) -> None:
        begun, covered = datetime.now(UTC), frozenset(path.stem for path in self._folder.glob("*.jsonl"))
        try:
            self.standing = standing(verify_folder(self._folder, state=self._state), begun, covered)
        except (GroundedError, OSError) as error:
            self.trouble = str(error)


def standing(report: Report, at: datetime, covered: Iterable[str]) -> Standing:
    """A report begun at that moment over those traces, with its errors sorted by trace."""
    broken: dict[str, list[Finding]] = {}
    unsure: set[str] = set()
    sound = not report.omitted
    for finding in report.findings:
        trace = finding.file.removesuffix(SUFFIX)
        if finding.severity == "unknown":
            unsure.add(trace)
        elif finding.severity == "error":
            broken.setdefault(trace, []).append(finding)
            sound = sound and finding.file.split("/")[0] != LEDGER
    return Standing(report, at, frozenset(covered), broken, frozenset(unsure), sound)


def row(folder: Path, summary: TraceSummary) -> TraceRow:
    """A row from a trace's first and last span."""
    first, last = _ends(trace_path(folder, summary.trace_id))
    asked, output = _part(first, "input"), _part(last, "output")
    answer = _part(output, "answer") or None
    verdicts = tuple(_verdicts(answer)) if answer else ()
    return TraceRow(
        trace_id=summary.trace_id,
        opened=summary.opened,
        question=_question(folder, asked),
        documents=tuple(str(d.get("name", "")) for d in asked.get("documents", []) if isinstance(d, dict)),
        reader=str(asked.get("reader", "")),
        status=str(answer.get("status")) if answer else summary.status,
        claims=len(verdicts) if answer else None,
        grounded=verdicts.count("grounded") if answer else None,
        verdicts=verdicts,
    )


def _question(folder: Path, asked: Mapping[str, Any]) -> str:
    """The question, fetched from beside the log when it is kept there so that it can be erased."""
    question = asked.get("question", "")
    if isinstance(question, dict):
        question = restore(question, ContentStore(folder))
    return question if isinstance(question, str) else ""


def _part(span: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = span.get(name)
    return part if isinstance(part, dict) else {}


def _verdicts(answer: Mapping[str, Any]) -> list[str]:
    claims = answer.get("claims")
    if not isinstance(claims, list):
        return []
    verdicts = [claim.get("verdict") for claim in claims if isinstance(claim, dict)]
    return [str(verdict.get("status")) for verdict in verdicts if isinstance(verdict, dict)]


def _ends(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """First and last whole line of a trace as JSON; {} for what cannot be read."""
    try:
        with path.open("rb") as stream:
            first = stream.readline(_TAIL)
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(0, size - _TAIL))
            lines = stream.read(_TAIL).rsplit(b"\n", 2)
    except OSError:
        return {}, {}
    return _object(first), _object(lines[-2] if len(lines) > 1 else b"")


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _mark(folder: Path) -> object:
    """Changes when a file of the log is added, removed or written to. By ctime, which a forger cannot set back."""
    newest = size = count = 0
    for place in (folder, folder / "ledger"):
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue
        for entry in entries:
            stat = entry.stat(follow_symlinks=False)
            newest, size, count = max(newest, stat.st_ctime_ns), size + stat.st_size, count + 1
    return newest, size, count
