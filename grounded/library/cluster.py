"""Preparing files on a Ray cluster: a task for each file, a pool of embedding actors, one committer (the caller).

The one door to ray. The driver reads the files and writes the library, so the machines of the cluster need neither;
they need Grounded's requirements installed. Ray retries what a lost worker had; a file that takes its worker down every
time is an error in its place. Reports to Ray's makers and its dashboard are off.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import socket
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from grounded.documents.pool import limit_memory, now_and_then, read_or_error
from grounded.errors import GroundedError, LibraryError, LimitExceeded, UsageError
from grounded.library.preparing import SLICE, Cancel, Item, Outcome, Prepared, prepare, stopped, with_vectors
from grounded.library.results import PageProgress
from grounded.library.vectors import VectorCache, Vectors
from grounded.retrieval.embed import Embedder
from grounded.settings import DocumentSettings

ATTEMPTS = 3  # of a file whose worker dies
AHEAD = 2  # files under way for each processor of the cluster: the back-pressure
POLL_SECONDS = 0.2
REACH_SECONDS = 10
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # Ray's switch for "no other machine": it listens on 127.0.0.1
ONE_ATTEMPT = ("RAY_gcs_server_port_wait_time_s", "1")  # to greet a head, of 40 s; Ray's twenty would take minutes
LOCAL_STORE_BYTES = 200_000_000  # shared memory of a cluster that we start


@dataclass
class _Embedding:
    """A file that was read and waits for vectors."""

    number: int
    name: str
    prepared: Prepared
    open: set[Any] = field(default_factory=set)  # references of vectors to come


class _Reading(NamedTuple):
    number: int
    name: str


class RayEngine:
    """Prepares files on the cluster at `address` ("auto" for the one this machine belongs to); without an address on
    one of `workers` processes that is started here and ended on `close`. A process that is connected stays so.

    Raises LibraryError when ray is not installed or the cluster cannot be reached."""

    def __init__(
        self,
        settings: DocumentSettings,
        embedder: Embedder,
        vectors: VectorCache,
        *,
        address: str | None = None,
        workers: int | None = None,
    ) -> None:
        self._digest, self._vectors = embedder.digest, vectors
        self._ray, self._connected_here = connect(address, workers)
        cpus = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        pickled = pickle.dumps(embedder)
        self._limit = AHEAD * cpus
        self._read = self._ray.remote(max_retries=ATTEMPTS - 1)(_read_file).options(scheduling_strategy="SPREAD")
        actor = self._ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=ATTEMPTS - 1)(_Encoder)
        self._pool = [actor.options(scheduling_strategy="SPREAD").remote(pickled, self._digest) for _ in range(cpus)]
        self._encoders = cycle(self._pool)
        self._board = self._ray.remote(num_cpus=0, max_restarts=-1)(_Board).remote()
        self._news = self._board.take.remote()
        self._arguments = self._ray.put(settings), self._ray.put(pickled)
        self._reading: dict[Any, _Reading] = {}
        self._embedding: dict[Any, _Embedding] = {}

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        for actor in (*self._pool, self._board):
            self._ray.kill(actor)
        if self._connected_here:
            self._ray.shutdown()

    def run(self, items: Iterable[Item], *, cancelled: Cancel, progress: PageProgress) -> Iterator[tuple[int, Outcome]]:
        """Outcomes as they come."""
        todo = enumerate(items)
        try:
            while True:
                yield from self._submit(todo)
                waiting = [*self._reading, *self._embedding]
                if not waiting:
                    return
                if cancelled():
                    raise stopped()
                done, _ = self._ray.wait(waiting, timeout=POLL_SECONDS)
                self._tell(progress)
                for reference in done:
                    yield from self._advance(reference, progress)
        finally:
            self._abandon()

    def _submit(self, todo: Iterator[tuple[int, Item]]) -> Iterator[tuple[int, Outcome]]:
        """Hand out files until enough are under way. Yields those that cannot even be opened."""
        while len(self._reading) + len({e.number for e in self._embedding.values()}) < self._limit:
            number, item = next(todo, (-1, None))
            if item is None:
                return
            name, path, password = item
            try:
                data = path.read_bytes()
            except OSError as error:
                yield number, UsageError(f"the file cannot be read ({error.strerror})", where=name)
                continue
            reference = self._read.remote(name, data, password, *self._arguments, self._board)
            self._reading[reference] = _Reading(number, name)

    def _tell(self, progress: PageProgress) -> None:
        """Hand on what the readers of files under way have reported; without it work goes on."""
        ready, _ = self._ray.wait([self._news], timeout=0)
        if ready:
            reading = {job.name for job in self._reading.values()}
            with contextlib.suppress(self._ray.exceptions.RayError):
                for name, (done, total) in self._ray.get(self._news).items():
                    if name in reading:
                        progress(name, done, total)
            self._news = self._board.take.remote()

    def _advance(self, reference: Any, progress: PageProgress) -> Iterator[tuple[int, Outcome]]:
        """Take what has come, and yield the file's outcome if that was the last of it."""
        job = self._reading.pop(reference, None) or self._embedding.pop(reference)
        try:
            result = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            yield job.number, _lost(job.name, error)
            self._drop(job.number)
            return
        if isinstance(result, GroundedError):
            yield job.number, result
        elif isinstance(job, _Reading):
            pages = result.entry.record.pages
            progress(job.name, pages, pages)
            yield from self._embed(job, result)
        else:
            texts, vectors = result
            self._vectors.keep(self._digest, texts, vectors)
            job.open.discard(reference)
            yield from self._finish(job)

    def _embed(self, job: _Reading, prepared: Prepared) -> Iterator[tuple[int, Outcome]]:
        missing = self._vectors.missing(self._digest, prepared.entry.searched)
        waiting = _Embedding(job.number, job.name, prepared)
        for start in range(0, len(missing), SLICE):
            reference = next(self._encoders).encode.remote(missing[start : start + SLICE])
            waiting.open.add(reference)
            self._embedding[reference] = waiting
        yield from self._finish(waiting)

    def _finish(self, job: _Embedding) -> Iterator[tuple[int, Outcome]]:
        if not job.open:
            vectors = self._vectors.get(self._digest, job.prepared.entry.searched)
            yield job.number, with_vectors(job.prepared, [vectors])

    def _drop(self, number: int) -> None:
        """Forget the other slices of a file that failed."""
        self._embedding = {ref: job for ref, job in self._embedding.items() if job.number != number}

    def _abandon(self) -> None:
        for reference in self._reading:
            self._ray.cancel(reference, force=True)
        for reference in self._embedding:
            self._ray.cancel(reference)
        self._reading.clear()
        self._embedding.clear()


def connect(address: str | None, workers: int | None) -> tuple[Any, bool]:
    """The module `ray`, connected, and whether it was not before. Otherwise as RayEngine."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0"}
    os.environ.setdefault(*ONE_ATTEMPT)
    if address:
        _reach(address)
    else:
        os.environ |= LOOPBACK
    try:
        import ray
    except ImportError as error:
        raise LibraryError(
            "indexing on a cluster needs the package ray", advice="pip install -r requirements-extra.txt"
        ) from error
    if ray.is_initialized():
        return ray, False
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address:
            ours = str(Path(__file__).resolve().parents[1])
            ray.init(address=address, runtime_env={"py_modules": [ours]}, **quiet)
        else:
            _start(ray, workers, quiet)
    except (RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise LibraryError(
            f"the Ray cluster cannot be used ({first})",
            where=address or "this machine",
            advice="Check the address; the cluster needs the same versions of Python and ray",
        ) from error
    return ray, True


def _start(ray: Any, workers: int | None, options: Mapping[str, Any]) -> None:
    """A cluster of this machine. LanceDB warns of every fork; Ray's children only become another program."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "lancedb fork support")
        ray.init(
            address="local",
            num_cpus=workers or os.cpu_count(),
            include_dashboard=False,
            object_store_memory=LOCAL_STORE_BYTES,
            **options,
        )


def _reach(address: str) -> None:
    """Raises LibraryError when nobody listens at "host:port"; other forms of address are Ray's to understand."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise LibraryError(
                f"no Ray cluster answers there ({getattr(error, 'strerror', None) or error})",
                where=address,
                advice="Start its head with `ray start --head --port=6379`, or leave --address out",
            ) from error


def _lost(name: str, error: Exception) -> GroundedError:
    kind = type(error).__name__
    return LimitExceeded(
        f"no worker finished it in {ATTEMPTS} attempts ({kind})",
        where=name,
        advice="Other files were indexed. Raise GROUNDED_DOCUMENTS__TIMEOUT_S or __MEMORY_MB, or split the file",
    )


# ------------------------------------------------------------ in the workers


def _read_file(
    name: str, data: bytes, password: str | None, settings: DocumentSettings, pickled: bytes, board: Any
) -> Prepared | GroundedError:
    """A task. A file that overstays its time ends the process, whatever it is stuck in: Ray starts another."""
    embedder = _loaded(pickled)
    _limit_memory_once(settings.memory_mb)
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(settings.timeout_s, exit=True, file=nowhere)
        try:
            progress = now_and_then(lambda done, total: board.tell.remote(name, done, total))
            document = read_or_error(data, name, password, settings, progress)
            return document if isinstance(document, GroundedError) else prepare(document, settings, embedder)
        finally:
            faulthandler.cancel_dump_traceback_later()


class _Board:
    """An actor: the readers pin up how far they are, the driver takes it down."""

    def __init__(self) -> None:
        self._pinned: dict[str, tuple[int, int]] = {}

    def tell(self, name: str, done: int, total: int) -> None:
        """Pages read of a file, and its pages in all."""
        self._pinned[name] = done, total

    def take(self) -> dict[str, tuple[int, int]]:
        """What was told since the last time, by name."""
        pinned, self._pinned = self._pinned, {}
        return pinned


class _Encoder:
    """An actor."""

    def __init__(self, pickled: bytes, digest: str) -> None:
        self._embedder = _loaded(pickled)
        if self._embedder.digest != digest:
            raise LibraryError("a machine of the cluster has another embedding model", advice="Delete its .onnx_cache")

    def encode(self, texts: Sequence[str]) -> tuple[Sequence[str], Vectors]:
        """The texts and their vectors."""
        return texts, self._embedder.encode_documents(texts)


@lru_cache(maxsize=1)
def _loaded(pickled: bytes) -> Embedder:
    embedder: Embedder = pickle.loads(pickled)  # noqa: S301 - sent by our own driver
    return embedder


@lru_cache(maxsize=1)
def _limit_memory_once(megabytes: int) -> None:
    limit_memory(megabytes, beyond_present=True)
