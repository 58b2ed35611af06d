"""Writing traces: a span is on disk before anybody sees its step, and a closed trace is sealed in the ledger."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from grounded.audit import layout
from grounded.audit.canonical import HASHES, MAX_LINE, ZERO_HASH, canonical, timestamp
from grounded.audit.content import ContentStore
from grounded.audit.files import Files, append, claim
from grounded.audit.ledger import Clock, Ledger
from grounded.audit.recorded import Recorder
from grounded.audit.recovery import recover
from grounded.errors import AuditError, Cancelled

if TYPE_CHECKING:
    from grounded.settings import AuditSettings

CloseStatus = Literal["ok", "error", "aborted", "cancelled"]
Moment = datetime | float
LOG_MARK = "$log"  # in the root span's input: the log that seals this trace
REPLICA_MARK = "$replica"  # in the root span's input: which of several replicas of the app wrote it
_HEARTBEAT_S = 3600.0


class AuditLog:
    """The log of one traces folder. Safe for threads and beside other processes.

    folder: where traces lie. state: the private folder with keys, outside it. Nothing is created before the first
    trace. With settings.fail_closed a step that cannot be recorded raises AuditError; otherwise it is counted, and the
    next heartbeat confesses how many writes were dropped."""

    def __init__(
        self,
        folder: Path,
        *,
        state: Path,
        settings: AuditSettings,
        files: Files | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.folder, self.state, self.settings = folder, state, settings
        self.files, self.clock = files or Files(), clock or Clock()
        self.ledger = Ledger(folder, state=state, files=self.files, clock=self.clock)
        self._recovered = False
        self._dropped = 0
        self._beat: float | None = None

    def open(
        self,
        name: str = "ask",
        input: Mapping[str, Any] | None = None,
        reasoning: str = "",
        *,
        start: Moment | None = None,
    ) -> Trace:
        """Begin a trace: its file, its `trace.open` entry and its root span are durable on return."""
        trace = Trace(self, self.new_trace_id())
        moment = start if start is not None else self.clock.now()
        try:
            with self.tolerated(trace):
                self.recover()
                with self.ledger.locked() as head:
                    trace.create()
                    self.ledger.add(head, "trace.open", {"trace_id": trace.trace_id})
                self._beat_if_due()
            trace.write_root(name, {**(input or {})}, reasoning, moment)
        except BaseException:
            trace.abandon()
            raise
        return trace

    def recover(self) -> None:
        """Close what a crash left open, once per process. Called by `open`; an app may call it when it starts."""
        if not self._recovered:
            recover(self.ledger)
            self._recovered = True

    def heartbeat(self) -> dict[str, Any]:
        """Say in the ledger that the log is alive, and how many writes were dropped since the last time."""
        entry = self.ledger.append("heartbeat", dropped_writes=self._dropped)
        self._dropped, self._beat = 0, self.clock.steady()
        return entry

    def note_access(self, action: Literal["read", "export", "verify"], actor: str, trace_id: str | None = None) -> None:
        """Record that somebody read, exported or verified the log."""
        self.ledger.append("audit", action=action, actor=actor, **({"trace_id": trace_id} if trace_id else {}))

    @staticmethod
    def new_trace_id() -> str:
        """128 random bits, hex: cannot be guessed, safe as a file name, usable as an OpenTelemetry trace id."""
        return secrets.token_hex(16)

    def recorder(self) -> Recorder:
        """What turns values into recorded JSON under this log's settings."""
        store = ContentStore(self.folder, files=self.files, key=content_key(self.state, self.settings))
        return Recorder(store if self.settings.store_content else None, self.settings.erasable)

    @contextmanager
    def tolerated(self, trace: Trace) -> Iterator[None]:
        """A write: its failure ends the trace, and is raised or counted, as the settings say."""
        try:
            yield
        except (OSError, AuditError) as error:
            trace.failed, self._recovered = True, False
            if self.settings.fail_closed:
                raise error if isinstance(error, AuditError) else _unwritable(error, trace) from error
            self._dropped += 1

    def drop(self) -> None:
        """Count a write that was not even tried, because its trace had failed."""
        self._dropped += 1

    def _beat_if_due(self) -> None:
        now = self.clock.steady()
        if self._dropped or (self._beat is not None and now - self._beat >= _HEARTBEAT_S):
            self.heartbeat()
        elif self._beat is None:
            self._beat = now


def shared_log(folder: Path, *, state: Path, settings: AuditSettings) -> AuditLog:
    """This process's one writer for a folder: it reads the ledger once, and then only what others added."""
    return _shared_log(folder.resolve(), state.resolve(), settings)


@lru_cache(maxsize=8)
def _shared_log(folder: Path, state: Path, settings: AuditSettings) -> AuditLog:
    return AuditLog(folder, state=state, settings=settings)


class _Written(NamedTuple):
    """What is acknowledged; replaced in one step."""

    spans: int
    size: int
    digest: Any


class Trace:
    """One run. Spans are appended and never changed; `close` seals them."""

    def __init__(self, log: AuditLog, trace_id: str) -> None:
        self.trace_id = trace_id
        self.root_id = ""
        self.failed = False
        self.closed = False
        self._log, self._lock = log, threading.RLock()
        self._recorder = log.recorder()
        self._spans: list[dict[str, Any]] = []
        self._descriptor: int | None = None
        self._written = _Written(0, 0, hashlib.sha256())

    @property
    def path(self) -> Path:
        """The trace's file."""
        return layout.trace_path(self._log.folder, self.trace_id)

    @property
    def spans(self) -> tuple[dict[str, Any], ...]:
        """The spans on disk, as recorded, oldest first."""
        return tuple(self._spans)

    def span(
        self,
        name: str,
        input: Mapping[str, Any],
        output: Mapping[str, Any],
        reasoning: str = "",
        *,
        start: Moment,
        end: Moment,
        parent_id: str | None = None,
    ) -> str:
        """Record one step and return its id; it is durable on return. parent_id: the root span unless given.

        Raises AuditError when it cannot be recorded and the log fails closed, or when the trace is closed."""
        with self._lock:
            if self.closed:
                raise AuditError("the trace is closed", where=self.trace_id)
            return self._record(name, input, output, reasoning, start, end, parent_id or self.root_id)

    @contextmanager
    def step(self, name: str, input: Mapping[str, Any], parent_id: str | None = None) -> Iterator[Step]:
        """A step as a block: set `output` and `reasoning` on what it yields; the span is written when the block ends,
        also when it ends in an error (then with {"error": …} in its output)."""
        step, start = Step(), self._log.clock.now()
        try:
            yield step
        except BaseException as error:
            step.output = {**step.output, "error": {"type": type(error).__name__, "message": str(error)}}
            raise
        finally:
            args = (name, input, step.output, step.reasoning)
            step.span_id = self.span(*args, start=start, end=self._log.clock.now(), parent_id=parent_id)

    def close(self, status: CloseStatus = "ok") -> None:
        """Seal the trace; durable on return. A trace that failed is sealed as `error`. Closing twice does nothing.

        Raises AuditError when it cannot be sealed and the log fails closed."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            try:
                if self._descriptor is not None:
                    with self._log.tolerated(self):
                        self._seal("error" if self.failed and status == "ok" else status)
            finally:
                self._release()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None:
            self.close("ok")
        else:
            self.close("cancelled" if isinstance(error, (Cancelled, KeyboardInterrupt)) else "error")

    # ------------------------------------------------------------ for the log

    def create(self) -> None:
        """The empty file, claimed by this process and durable by name. Under the ledger's lock."""
        self._descriptor = self._log.files.create(self.path)
        if not claim(self._descriptor):
            raise AuditError("another process writes this trace", where=str(self.path))
        self._log.files.sync_folder(self._log.folder)

    def abandon(self) -> None:
        """Leave the trace to recovery: nobody will close it."""
        self.closed = True
        self._release()

    def write_root(self, name: str, input: Mapping[str, Any], reasoning: str, moment: Moment) -> None:
        """The first span."""
        with self._lock:
            self.root_id = self._record(name, input, {}, reasoning, moment, moment, None)

    def _record(
        self,
        name: str,
        input: Mapping[str, Any],
        output: Mapping[str, Any],
        reasoning: str,
        start: Moment,
        end: Moment,
        parent_id: str | None,
    ) -> str:
        span_id = secrets.token_hex(8)
        if self.failed or self._descriptor is None:
            self._log.drop()
            return span_id
        with self._log.tolerated(self):
            body = {"span_id": span_id, "parent_id": parent_id, "trace_id": self.trace_id, "name": name}
            body |= {"start": _moment(start), "end": _moment(end), "reasoning": reasoning}
            body |= self._payload(input, output, is_root=parent_id is None)
            self._append(body)
        return span_id

    def _payload(self, input: Mapping[str, Any], output: Mapping[str, Any], *, is_root: bool) -> dict[str, Any]:
        kept = self._recorder.kept
        payload = {"input": self._recorder.record(dict(input)), "output": self._recorder.record(dict(output))}
        if is_root:
            payload["input"][LOG_MARK] = self._log.ledger.origin
            if self._log.settings.replica:
                payload["input"][REPLICA_MARK] = self._log.settings.replica
        if self._recorder.kept > kept:
            self._log.files.sync_folder(self._log.folder / layout.CONTENT)
        return payload

    def _append(self, body: dict[str, Any]) -> None:
        previous = self._spans[-1]["this_hash"] if self._spans else ZERO_HASH
        span = chained(body, previous)
        line = canonical(span) + b"\n"
        if len(line) > MAX_LINE:
            raise AuditError(f"a span of {len(line)} bytes is too large", where=self.trace_id)
        descriptor, digest = self._open_descriptor(), self._written.digest.copy()
        digest.update(line)
        try:
            append(self._log.files, descriptor, line)
            self._spans.append(span)
            self._written = _Written(len(self._spans), self._written.size + len(line), digest)
        except BaseException:  # Ctrl-C too: what is not acknowledged must not stay
            self._take_back(descriptor)
            raise

    def _take_back(self, descriptor: int) -> None:
        """Remove a line that may be torn or not durable. If that fails, recovery finds what is there."""
        del self._spans[self._written.spans :]
        try:
            self._log.files.truncate(descriptor, self._written.size)
            self._log.files.sync(descriptor)
        except OSError:
            self._release()

    def _seal(self, status: CloseStatus) -> None:
        self._log.files.sync(self._open_descriptor())
        spans = [span["this_hash"] for span in self._spans]
        seal = {"n": len(spans), "spans": spans, "bytes": self._written.size}
        seal["file_sha256"] = self._written.digest.hexdigest()
        self._log.ledger.append("trace.close", trace_id=self.trace_id, status=status, **seal)

    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise AuditError("the trace is not being written", where=self.trace_id)
        return self._descriptor

    def _release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class Step:
    """What a step's block fills in."""

    def __init__(self) -> None:
        self.output: dict[str, Any] = {}
        self.reasoning = ""
        self.span_id = ""


def chained(body: Mapping[str, Any], prev_hash: str) -> dict[str, Any]:
    """The span that `body` becomes after `prev_hash`."""
    unhashed = {key: value for key, value in body.items() if key not in HASHES}
    this_hash = hashlib.sha256(prev_hash.encode() + canonical(unhashed)).hexdigest()
    return {**unhashed, "prev_hash": prev_hash, "this_hash": this_hash}


def content_key(state: Path, settings: AuditSettings) -> bytes | None:
    """The key stored content is encrypted with; None when it is not. Made on first use, mode 0600."""
    from grounded.audit.keys import load_content_key, new_content_key

    if settings.encrypt_content:
        return load_content_key(state) or new_content_key(state)
    return load_content_key(state)


def _moment(moment: Moment) -> str:
    if isinstance(moment, datetime):
        return timestamp(moment if moment.tzinfo else moment.astimezone())
    return timestamp(datetime.fromtimestamp(moment, UTC))


def _unwritable(error: OSError, trace: Trace) -> AuditError:
    return AuditError(
        f"the audit log cannot be written ({error.strerror or error})",
        where=str(trace.path),
        advice="Free space or repair the disk; no answer is shown that is not on record.",
    )
