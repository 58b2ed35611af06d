"""Crashes and failing disks at every single write: never "tampered" afterwards, nothing acknowledged is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grounded.audit.content import Erasable
from grounded.audit.files import Files
from grounded.audit.reader import entries, raw_spans
from grounded.audit.verify import verify
from grounded.audit.writer import AuditLog
from grounded.errors import AuditError
from tests.audit.logs import BROKEN_DISK, NO_SPACE, NOW, Counting, Quick, die, make_log, write_run

Acknowledged = Iterator[tuple[str, str]]


def work(log: AuditLog) -> Acknowledged:
    """Two runs; yields (trace, span or "closed") as soon as it is acknowledged."""
    for number in range(2):
        with log.open("ask", {"question": f"q{number}", "who": Erasable("Ann")}) as trace:
            yield trace.trace_id, trace.root_id
            yield trace.trace_id, trace.span("x", {"long": "y" * 17_000}, {}, start=NOW, end=NOW)
        yield trace.trace_id, "closed"


def operations() -> int:
    """How many changes on disk the work makes."""
    import tempfile

    files = Counting()
    with tempfile.TemporaryDirectory() as folder:
        list(work(make_log(Path(folder), files=files)))
    return files.count


def check_after(tmp_path: Path, acknowledged: list[tuple[str, str]]) -> None:
    """Before and after recovery: not tampered; what was acknowledged is there; the log goes on."""
    log = make_log(tmp_path)
    if log.folder.exists():
        at_once = verify(log.folder, state=log.state, remember=False)
        assert at_once.verdict != "tampered", at_once.findings
    log.recover()
    write_run(log)
    report = verify(log.folder, state=log.state)
    assert report.verdict == "intact", report.findings
    closed = {entry["trace_id"] for entry in entries(log.folder) if entry["kind"] == "trace.close"}
    for trace_id, what in acknowledged:
        spans = [span["span_id"] for span in raw_spans(log.folder / f"{trace_id}.jsonl")]
        assert trace_id in closed if what == "closed" else what in spans


OPERATIONS = operations()


@pytest.mark.parametrize("half", [False, True], ids=["before", "half-way"])
@pytest.mark.parametrize("at", range(1, OPERATIONS + 1))
def test_killed_at_every_write(tmp_path: Path, at: int, half: bool) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover — ends by SIGKILL
        os.close(reader)
        for trace_id, what in work(make_log(tmp_path, files=Counting(at, die, half=half))):
            os.write(writer, f"{trace_id} {what}\n".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        acknowledged = [(line.split()[0], line.split()[1]) for line in pipe]
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    check_after(tmp_path, acknowledged)


@pytest.mark.parametrize("strike", [NO_SPACE, BROKEN_DISK], ids=["ENOSPC", "EIO"])
@pytest.mark.parametrize("at", range(1, OPERATIONS + 1))
def test_a_failing_disk_at_every_write(tmp_path: Path, at: int, strike: Any) -> None:
    acknowledged: list[tuple[str, str]] = []
    with pytest.raises(AuditError):
        acknowledged.extend(work(make_log(tmp_path, files=Counting(at, strike, half=bool(at % 2)))))
    check_after(tmp_path, acknowledged)


@pytest.mark.parametrize("at", range(1, OPERATIONS + 1, 3))
def test_a_disk_that_fails_from_then_on(tmp_path: Path, at: int) -> None:
    class Failing(Counting):
        def _next(self) -> bool:
            self.count += 1
            return self.count >= at

    acknowledged: list[tuple[str, str]] = []
    with pytest.raises(AuditError):
        acknowledged.extend(work(make_log(tmp_path, files=Failing(at, BROKEN_DISK, half=True))))
    check_after(tmp_path, acknowledged)


class PowerLoss(Files):
    """Knows what has reached the disk: bytes after a sync of the file, names after a sync of the folder."""

    def __init__(self, at: int) -> None:
        self._at, self._count = at, 0
        self._synced: dict[str, int] = {}
        self._names: set[str] = set()

    def _step(self) -> None:
        self._count += 1
        if self._count >= self._at:
            raise SystemExit("the power went")

    def create(self, path: Path) -> int:
        self._step()
        descriptor = super().create(path)
        self._names.add(str(path))
        self._synced[str(path)] = 0
        return descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        self._step()
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self._step()
        self._synced[str(Path(f"/proc/self/fd/{descriptor}").readlink())] = os.fstat(descriptor).st_size

    def truncate(self, descriptor: int, size: int) -> None:
        self._step()
        super().truncate(descriptor, size)

    def sync_folder(self, path: Path) -> None:
        self._step()
        self._names -= {name for name in self._names if Path(name).parent == path}

    def lose(self, folder: Path) -> None:
        """Take away everything that had not reached the disk."""
        for name in self._names:
            Path(name).unlink(missing_ok=True)
        for path in folder.rglob("*"):
            if path.is_file() and str(path) in self._synced:
                os.truncate(path, min(path.stat().st_size, self._synced[str(path)]))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to know a descriptor's file")
@pytest.mark.parametrize("at", range(1, OPERATIONS + 1))
def test_the_power_goes_at_every_write(tmp_path: Path, at: int) -> None:
    """Nothing unsynced survives: the ledger must not claim what is not there any more."""
    files = PowerLoss(at)
    acknowledged: list[tuple[str, str]] = []
    with pytest.raises(SystemExit):
        acknowledged.extend(work(make_log(tmp_path, files=files)))
    files.lose(tmp_path / "traces")
    check_after(tmp_path, acknowledged)


def test_a_torn_end_goes_to_quarantine_and_the_trace_is_aborted(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace = log.open("ask", {"question": "q"})
    trace._release()  # as the kernel does when the process dies
    with trace.path.open("ab") as stream:
        stream.write(b'{"end":"2026')
    other = make_log(tmp_path)
    other.recover()
    assert [path.read_bytes() for path in (log.folder / "quarantine").iterdir()] == [b'{"end":"2026']
    close = [entry for entry in entries(log.folder) if entry["kind"] == "trace.close"]
    assert [(entry["status"], entry["n"]) for entry in close] == [("aborted", 1)]
    assert verify(log.folder, state=log.state).verdict == "intact"


def test_a_complete_line_that_does_not_parse_is_never_removed(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace = log.open("ask", {"question": "q"})
    trace._release()
    with trace.path.open("ab") as stream:
        stream.write(b"not a span\n")
    before = trace.path.read_bytes()
    make_log(tmp_path).recover()
    assert trace.path.read_bytes() == before
    report = verify(log.folder, state=log.state)
    assert (report.verdict, report.findings[0].code) == ("tampered", "invalid_json")


def test_a_living_trace_is_left_alone(tmp_path: Path) -> None:
    log = make_log(tmp_path)
    trace = log.open("ask", {"question": "q"})
    other = make_log(tmp_path)
    write_run(other)
    report = verify(log.folder, state=log.state)
    assert (report.verdict, [f.code for f in report.findings]) == ("intact", ["trace_open"])
    assert any("being written" in item for item in report.not_checked)
    trace.span("x", {}, {}, start=NOW, end=NOW)
    trace.close()
    assert verify(log.folder, state=log.state).findings == []


def test_recovery_that_is_killed_recovers_again(tmp_path: Path) -> None:
    for at in range(1, 12):
        folder = tmp_path / str(at)
        log = make_log(folder)
        trace = log.open("ask", {"question": "q"})
        trace._release()
        with trace.path.open("ab") as stream:
            stream.write(b'{"torn')
        child = os.fork()
        if child == 0:  # pragma: no cover — may end by SIGKILL
            make_log(folder, files=Counting(at, die, half=True)).recover()
            os._exit(0)
        os.waitpid(child, 0)
        check_after(folder, [(trace.trace_id, trace.root_id)])
    assert isinstance(log.files, Quick)
