"""Reading many files: worker processes with a limit of time and memory per file.

PyMuPDF is not thread-safe and a damaged file can take a process down, so every file is read in a process of its own
pool; when one dies or overstays, that file is an error and a fresh worker takes the next.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from grounded.documents.reader import read
from grounded.errors import Cancelled, DocumentError, GroundedError, LimitExceeded, UsageError
from grounded.settings import DocumentSettings
from grounded.types import Document

Item = tuple[str, Path, str | None]  # name, file, password
Outcome = Document | GroundedError
PageProgress = Callable[[str, int, int], None]  # name, pages done, pages in all

_POLL_S = 0.2
_PROGRESS_EVERY = 20  # pages


def read_many(
    items: Iterable[Item],
    settings: DocumentSettings,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    progress: PageProgress = lambda name, done, total: None,
) -> Iterator[tuple[str, Outcome]]:
    """Read files in parallel; one (name, Document or error) each, in the order given.

    A file that cannot be read is an error in its place, and one that kills its worker or overstays its time a
    LimitExceeded. Raises Cancelled when `cancelled()` turns true; what was yielded before stays valid.
    """
    workers = settings.workers or os.cpu_count() or 1
    with contextlib.closing(_Pool(workers, settings, cancelled, progress)) as pool:
        yield from pool.run(items)


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    slot: int = -1  # position of the item it works on, -1 when idle
    name: str = ""
    deadline: float = 0.0


class _Pool:
    def __init__(
        self, size: int, settings: DocumentSettings, cancelled: Callable[[], bool], progress: PageProgress
    ) -> None:
        self._size, self._settings = size, settings
        self._cancelled, self._progress = cancelled, progress
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._done: dict[int, tuple[str, Outcome]] = {}

    def run(self, items: Iterable[Item]) -> Iterator[tuple[str, Outcome]]:
        """Hand out items, at most two waiting results per worker, and yield in order."""
        todo = iter(enumerate(items))
        waiting: deque[int] = deque()
        exhausted = False
        while not exhausted or waiting:
            while not exhausted and len(waiting) < 2 * self._size and (worker := self._idle()) is not None:
                entry = next(todo, None)
                if entry is None:
                    exhausted = True
                    break
                waiting.append(entry[0])
                self._start(worker, *entry)
            while waiting and waiting[0] in self._done:
                yield self._done.pop(waiting.popleft())
            if waiting and waiting[0] not in self._done:
                self._attend()

    def _idle(self) -> _Worker | None:
        free = next((w for w in self._workers if w.slot < 0), None)
        if free is None and len(self._workers) < self._size:
            free = self._spawn()
        return free

    def _spawn(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, self._settings), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _start(self, worker: _Worker, slot: int, item: Item) -> None:
        worker.slot, worker.name = slot, item[0]
        worker.deadline = time.monotonic() + self._settings.timeout_s
        worker.pipe.send(item)

    def _attend(self) -> None:
        """Wait a moment for messages, deaths and deadlines."""
        if self._cancelled():
            raise Cancelled("reading was stopped")
        busy = {w.pipe: w for w in self._workers if w.slot >= 0}
        for pipe in wait(list(busy), _POLL_S):
            self._receive(busy[pipe])  # type: ignore[index]
        now = time.monotonic()
        for worker in [w for w in self._workers if w.slot >= 0 and now > w.deadline]:
            self._fail(worker, f"reading took more than {self._settings.timeout_s:g} s")

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(1)
            self._fail(worker, f"reading it ended the worker process (exit code {worker.process.exitcode})")
            return
        if isinstance(message, tuple):
            self._progress(worker.name, *message)
        else:
            self._done[worker.slot] = worker.name, message
            worker.slot = -1

    def _fail(self, worker: _Worker, what: str) -> None:
        advice = "Other files were read. Raise GROUNDED_DOCUMENTS__TIMEOUT_S or __MEMORY_MB, or split the file"
        self._done[worker.slot] = worker.name, LimitExceeded(what, where=worker.name, advice=advice)
        self._end(worker)

    def _end(self, worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        self._workers.remove(worker)

    def close(self) -> None:
        """End every worker."""
        for worker in list(self._workers):
            self._end(worker)


def _work(pipe: Connection, settings: DocumentSettings) -> None:
    """A worker's life: files in, documents or errors out."""
    limit_memory(settings.memory_mb)
    while True:
        try:
            name, path, password = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        pipe.send(_outcome(pipe, name, path, password, settings))


def _outcome(pipe: Connection, name: str, path: Path, password: str | None, settings: DocumentSettings) -> Outcome:
    try:
        data = path.read_bytes()
    except OSError as error:
        return UsageError(f"the file cannot be read ({error.strerror})", where=name)
    return read_or_error(data, name, password, settings, now_and_then(lambda done, total: pipe.send((done, total))))


def now_and_then(tell: Callable[[int, int], object]) -> Callable[[int, int], None]:
    """`tell`, called with every 20th page and the last."""

    def seldom(done: int, total: int) -> None:
        if done % _PROGRESS_EVERY == 0 or done == total:
            tell(done, total)

    return seldom


def read_or_error(
    data: bytes,
    name: str,
    password: str | None,
    settings: DocumentSettings,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Outcome:
    """`read`, with every failure as a value."""
    try:
        return read(data, name, password=password, settings=settings, progress=progress)
    except GroundedError as error:
        return error
    except MemoryError:
        return LimitExceeded(f"reading needs more than {settings.memory_mb} MB", where=name)
    except Exception as error:  # noqa: BLE001 - one bad file must not end the batch
        return DocumentError(f"reading failed ({type(error).__name__}: {error})", where=name)


def limit_memory(megabytes: int, *, beyond_present: bool = False) -> None:
    """Cap this process's private memory where the system can (Linux, macOS); elsewhere the time limit remains.
    beyond_present: what it has now comes on top (Linux)."""
    try:
        import resource
    except ImportError:
        return
    limit = megabytes * 1_000_000 + (_present_memory() if beyond_present else 0)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _present_memory() -> int:
    """Bytes of private memory this process has asked for; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0
