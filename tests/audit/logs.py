"""Small logs to test on, file layers that fail on purpose, and clocks that are set."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from grounded.audit.files import Files
from grounded.audit.ledger import Clock
from grounded.audit.writer import AuditLog, Trace
from grounded.settings import AuditSettings

NOW = datetime(2026, 11, 24, 14, 14, tzinfo=UTC)


class Quick(Files):
    """Everything but waiting for the disk."""

    def sync(self, descriptor: int) -> None:
        """Not waited for: these tests lose no power."""

    def sync_folder(self, path: Path) -> None:
        """Not waited for."""


class SetClock(Clock):
    """A clock that goes a second with every look, and jumps when told."""

    def __init__(self, start: datetime = NOW) -> None:
        self.wall, self.ticks = start, 0.0

    def now(self) -> datetime:
        self.wall += timedelta(milliseconds=10)
        self.ticks += 0.01
        return self.wall

    def steady(self) -> float:
        return self.ticks

    def jump(self, seconds: float) -> None:
        self.wall += timedelta(seconds=seconds)


def make_log(folder: Path, *, files: Files | None = None, clock: Clock | None = None, **settings: Any) -> AuditLog:
    """A log in `folder`/traces with its keys in `folder`/state."""
    chosen = AuditSettings(**settings)
    return AuditLog(folder / "traces", state=folder / "state", settings=chosen, files=files or Quick(), clock=clock)


def write_run(log: AuditLog, question: str = "What is the yield?", **more: Any) -> Trace:
    """A short closed run."""
    with log.open("ask", {"question": question, "actor": "tester", **more}, start=NOW) as trace:
        trace.span(
            "retrieve", {"question": question}, {"hits": [{"chunk_id": "c1", "cosine": 0.5}]}, start=NOW, end=NOW
        )
        answer = {
            "answer": "1.2 %",
            "question": question,
            "status": "answered",
            "claims": [],
            "trace_id": trace.trace_id,
        }
        trace.span("assemble", {}, {"answer": answer}, "one claim", start=NOW, end=NOW)
    return trace


class Counting(Quick):
    """Counts every change it is asked for and calls `strike` before the nth; half: a write does half its work first."""

    def __init__(self, at: int = 0, strike: Callable[[], None] = lambda: None, *, half: bool = False) -> None:
        self.count, self._at, self._strike, self._half = 0, at, strike, half

    def _next(self) -> bool:
        self.count += 1
        return self.count == self._at

    def _step(self) -> None:
        if self._next():
            self._strike()

    def create(self, path: Path) -> int:
        self._step()
        return super().create(path)

    def write(self, descriptor: int, data: bytes) -> int:
        if not self._next():
            return super().write(descriptor, data)
        if self._half:
            super().write(descriptor, data[: len(data) // 2])
        self._strike()
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self._step()

    def sync_folder(self, path: Path) -> None:
        self._step()

    def truncate(self, descriptor: int, size: int) -> None:
        self._step()
        super().truncate(descriptor, size)

    def unlink(self, path: Path) -> None:
        self._step()
        super().unlink(path)


def die() -> None:
    """As the kernel does it: no handler, no flush, no finally."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail_with(code: int) -> Callable[[], None]:
    """A strike that raises."""

    def strike() -> None:
        raise OSError(code, os.strerror(code))

    return strike


NO_SPACE, BROKEN_DISK = fail_with(errno.ENOSPC), fail_with(errno.EIO)
