"""Writing the ledger: one entry and one signed checkpoint at a time, by one process at a time."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grounded.audit import keys, layout
from grounded.audit.canonical import Malformed, canonical, parse_strict, timestamp
from grounded.audit.entries import PROFILE, entry_fault
from grounded.audit.files import Files, append, open_regular, write_new
from grounded.audit.merkle import Frontier, leaf_hash
from grounded.audit.notes import parse_key, parse_note, signed_by
from grounded.errors import AuditError, GroundedError

_JUMP_MS = 2000  # the wall clock is adjusted by less than this all the time
_LOCK_S = 60.0


class Clock:
    """The wall clock and the steady one; a test's own clock has the same two methods."""

    def now(self) -> datetime:
        """Aware, UTC."""
        return datetime.now(UTC)

    def steady(self) -> float:
        """Seconds that never jump."""
        return time.monotonic()


@dataclass
class Head:
    """What the ledger says so far, as far as a writer needs it."""

    origin: str = ""
    keys: list[str] = field(default_factory=list)
    frontier: Frontier = field(default_factory=Frontier)
    entries_bytes: int = 0
    checkpoints_bytes: int = 0
    last_time: str = ""
    known: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    held: dict[str, int] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)

    def take(self, line: bytes) -> None:
        """Add one sealed entry. Raises AuditError when it does not follow."""
        try:
            entry = parse_strict(line)
        except Malformed as fault:
            raise _broken(f"entry {self.frontier.size} does not parse ({fault.code})") from None
        if fault_found := entry_fault(entry, self.frontier.size):
            raise _broken(f"entry {self.frontier.size} is wrong ({fault_found[0]})")
        self.frontier.append(leaf_hash(line))
        self.entries_bytes += len(line) + 1
        self.last_time = entry["time"]
        self._apply(entry)

    def _apply(self, entry: dict[str, Any]) -> None:
        kind, trace_id = entry["kind"], entry.get("trace_id", "")
        if kind == "log.genesis":
            self.origin, self.keys = entry["origin"], [entry["key"]]
        elif kind == "key.rotate":
            self.keys.append(entry["new"])
        elif kind == "trace.open":
            self.known.add(trace_id)
            self.open.add(trace_id)
        elif kind == "trace.close":
            self.open.discard(trace_id)
        elif kind in ("hold", "release"):
            self.held[trace_id] = self.held.get(trace_id, 0) + (1 if kind == "hold" else -1)
        elif kind == "erasure":
            self.erased.update(entry["commits"])


class Ledger:
    """The ledger of one traces folder. Safe for threads and for many processes.

    Nothing is claimed before it is durable, and nothing is acknowledged before its checkpoint is (SPEC.md §4)."""

    def __init__(self, folder: Path, *, state: Path, files: Files | None = None, clock: Clock | None = None) -> None:
        self.folder, self.state = folder, state
        self.files, self.clock = files or Files(), clock or Clock()
        self._entries, self._checkpoints = folder / layout.ENTRIES, folder / layout.CHECKPOINTS
        self._thread_lock = threading.RLock()
        self._head: Head | None = None
        self._signer: keys.Signer | None = None
        self._skew = self._wall_minus_steady()

    @property
    def origin(self) -> str:
        """The log's name (empty before the first lock)."""
        return self._head.origin if self._head else ""

    @contextmanager
    def locked(self) -> Iterator[Head]:
        """The only writer, with the head as it is on disk now. Creates the log when the folder has none.

        Raises AuditError when the ledger cannot be read, does not verify, or stays locked for a minute."""
        from filelock import FileLock, Timeout

        with self._thread_lock:
            try:
                self.files.make_folder(self.folder / layout.LEDGER)
                with FileLock(self.folder / layout.LOCK, timeout=_LOCK_S, thread_local=False, mode=0o640):
                    yield self._synced()
            except Timeout:
                raise AuditError("another process holds the log's lock", where=str(self.folder)) from None
            except OSError as error:
                self._head = None
                raise AuditError(f"the log cannot be written ({error})", where=str(self.folder)) from error
            except GroundedError:
                raise
            except BaseException:  # Ctrl-C may strike anywhere: read everything afresh next time
                self._head = None
                raise

    def append(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Add one entry with its checkpoint, both durable on return. Raises AuditError; then nothing was added."""
        with self.locked() as head:
            return self.add(head, kind, fields)

    def signed_head(self, head: Head) -> bytes:
        """The checkpoint over everything so far, as a signed note. For whoever holds the lock."""
        return self._signing_key(head).note(head.frontier.size, head.frontier.root())

    def rotate_key(self) -> str:
        """A new signing key takes over: the old one signs the entry that names it. Returns the new public key."""
        with self.locked() as head:
            coming, path = layout.next_key_path(self.state, head.origin), layout.key_path(self.state, head.origin)
            signer = keys.Signer.new(head.origin)
            keys.write_private(coming, signer.export())
            self.add(head, "key.rotate", {"old": head.keys[-1], "new": str(signer.key)})
            coming.replace(path)
            keys.remember_key(self.state, signer.key)
            self._signer = signer
            self.add(head, "heartbeat", {"dropped_writes": 0})  # so that the newest checkpoint is the new key's
        return str(signer.key)

    # ------------------------------------------------------------ one entry

    def add(self, head: Head, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
        """`append` for whoever holds the lock already."""
        entry = {"seq": head.frontier.size, "time": timestamp(self.clock.now()), "kind": kind, **fields}
        if jump := self._clock_jump(entry["time"], head.last_time):
            entry["clock_jump_ms"] = jump
        line = canonical(entry)
        after = head.frontier.copy()
        after.append(leaf_hash(line))
        note = self._signing_key(head).note(after.size, after.root())
        try:
            self._extend(self._entries, line + b"\n", head.entries_bytes)
            self._extend(self._checkpoints, note, head.checkpoints_bytes)
        except BaseException:
            self._undo(head)
            raise
        head.take(line)
        head.checkpoints_bytes += len(note)
        return entry

    def _extend(self, path: Path, data: bytes, size: int) -> None:
        descriptor = self.files.open_append(path)
        try:
            if os.fstat(descriptor).st_size != size:
                raise AuditError("the ledger changed while it was locked", where=str(path))
            append(self.files, descriptor, data)
        finally:
            os.close(descriptor)

    def _undo(self, head: Head) -> None:
        """Take back a half-written entry. If that fails too, the next lock finds an unsealed tail and recovers."""
        for path, size in ((self._checkpoints, head.checkpoints_bytes), (self._entries, head.entries_bytes)):
            try:
                self._cut(path, size)
            except OSError:
                break

    def _cut(self, path: Path, size: int) -> None:
        descriptor = self.files.open_append(path)
        try:
            if os.fstat(descriptor).st_size > size:
                self.files.truncate(descriptor, size)
                self.files.sync(descriptor)
        finally:
            os.close(descriptor)

    def _signing_key(self, head: Head) -> keys.Signer:
        if self._signer is None or str(self._signer.key) != head.keys[-1]:
            self._signer = self._load_signer(head)
        return self._signer

    def _load_signer(self, head: Head) -> keys.Signer:
        path, coming = layout.key_path(self.state, head.origin), layout.next_key_path(self.state, head.origin)
        if coming.is_file() and str(keys.load_signer(coming).key) == head.keys[-1]:
            coming.replace(path)  # a rotation was interrupted after its entry was sealed
        signer = keys.load_signer(path)
        if str(signer.key) != head.keys[-1]:
            raise AuditError("the signing key is not the one in force in this log", where=str(path))
        keys.remember_key(self.state, signer.key)
        return signer

    # ------------------------------------------------------------ the head

    def _synced(self) -> Head:
        """The head brought up to what is on disk; a tail that no checkpoint covers is recovered first."""
        head, self._head = self._head, None  # stays so when something fails: the next lock reads everything afresh
        if head is None or not os.path.lexists(self._entries):
            self._create_files()
            head = Head()
        entries, notes = _tail(self._entries, head.entries_bytes), _tail(self._checkpoints, head.checkpoints_bytes)
        lines, records = entries.split(b"\n")[:-1], _whole_notes(notes)
        if len(records) > len(lines):
            raise _broken(f"it has {len(lines)} new entries but {len(records)} new checkpoints")
        self._take_sealed(head, lines[: len(records)], records)
        torn_entries, torn_notes = entries[_size(lines[: len(records)]) :], notes[sum(map(len, records)) :]
        if torn_entries or torn_notes:
            self._recover(head, torn_entries, torn_notes)
        self._head = head
        if head.frontier.size == 0:
            self._begin(head)
        return head

    def _take_sealed(self, head: Head, lines: list[bytes], notes: list[bytes]) -> None:
        """Add sealed entries. The last checkpoint covers them all: checking it alone suffices to write on."""
        for line in lines:
            signing_key = head.keys[-1] if head.keys else ""  # a rotation's own checkpoint is the old key's
            head.take(line)
        head.checkpoints_bytes += sum(map(len, notes))
        if notes:
            self._check(head, notes[-1], signing_key or head.keys[-1])

    def _check(self, head: Head, note: bytes, signing_key: str) -> None:
        try:
            checkpoint, key = parse_note(note), parse_key(signing_key)
        except (Malformed, ValueError):
            raise _broken("its last checkpoint or the key in force does not parse") from None
        if (checkpoint.size, checkpoint.root) != (head.frontier.size, head.frontier.root()):
            raise _broken(f"checkpoint {head.frontier.size} does not fit the entries")
        if not any(signed_by(checkpoint.text, signature, key) for signature in checkpoint.signatures):
            raise _broken(f"checkpoint {head.frontier.size} has a wrong signature")

    def _recover(self, head: Head, entries: bytes, notes: bytes) -> None:
        """Set aside what a crash left beyond the last checkpoint: it was never acknowledged, so it is never signed."""
        if entries.count(b"\n") > 1:
            raise _broken("more than one entry has no checkpoint: no crash leaves that")
        self.quarantine(f"ledger-{head.frontier.size}", entries + notes)
        self._cut(self._checkpoints, head.checkpoints_bytes)
        self._cut(self._entries, head.entries_bytes)
        if head.frontier.size:
            sizes = {"entries_bytes": len(entries), "checkpoints_bytes": len(notes)}
            self.add(head, "ledger.recover", {**sizes, "sha256": hashlib.sha256(entries + notes).hexdigest()})

    def quarantine(self, label: str, data: bytes) -> None:
        """Keep bytes that do not belong in the log, for whoever investigates. Durable on return."""
        folder = self.folder / layout.QUARANTINE
        self.files.make_folder(folder)
        stamp = self.clock.now().strftime("%Y%m%dT%H%M%S%f")
        write_new(self.files, folder / f"{label}-{stamp}-{os.getpid()}.torn", data)
        self.files.sync_folder(folder)

    def _create_files(self) -> None:
        """Empty files first, so that a missing one later means that somebody removed it."""
        for path in (self._entries, self._checkpoints):
            if not os.path.lexists(path):
                if path == self._entries and os.path.lexists(self._checkpoints):
                    raise _broken("its entries are missing")
                if path == self._checkpoints and self._entries.stat().st_size:
                    raise _broken("its checkpoints are missing")
                write_new(self.files, path, b"")
        self.files.sync_folder(self.folder / layout.LEDGER)

    def _begin(self, head: Head) -> None:
        """The first entry of a new log. The key is on disk before the log names it."""
        signer = keys.Signer.new(keys.new_origin())
        origin = signer.key.name
        keys.write_private(layout.key_path(self.state, origin), signer.export())
        keys.remember_key(self.state, signer.key)
        earlier = keys.remembered_origin(self.state, self.folder)
        head.origin, head.keys = origin, [str(signer.key)]
        fields = {"origin": origin, "key": str(signer.key), "profile": PROFILE}
        self.add(head, "log.genesis", fields | ({"replaces": earlier} if earlier else {}))
        keys.remember_folder(self.state, self.folder, origin)

    # ------------------------------------------------------------ time

    def _wall_minus_steady(self) -> float:
        return self.clock.now().timestamp() - self.clock.steady()

    def _clock_jump(self, now: str, last: str) -> int:
        """Milliseconds the wall clock jumped since the last entry (negative: backwards); 0 for ordinary drift."""
        skew = self._wall_minus_steady()
        jump, self._skew = round((skew - self._skew) * 1000), skew
        if abs(jump) >= _JUMP_MS:
            return jump
        if last and now < last:  # set back while no process of ours was running
            gap = datetime.fromisoformat(now) - datetime.fromisoformat(last)
            return min(-1, round(gap.total_seconds() * 1000))
        return 0


def _broken(what: str) -> AuditError:
    return AuditError(
        f"the ledger does not verify: {what}",
        advice="Nothing is added to it. Run `python -m grounded verify-log` on the traces folder.",
    )


def _tail(path: Path, start: int) -> bytes:
    descriptor = open_regular(path)
    if descriptor is None:
        raise AuditError("not a regular file", where=str(path))
    with os.fdopen(descriptor, "rb") as stream:
        if os.fstat(stream.fileno()).st_size < start:
            raise _broken("it was cut while this process was running")
        stream.seek(start)
        return stream.read()


def _size(lines: list[bytes]) -> int:
    return sum(len(line) + 1 for line in lines)


def _whole_notes(data: bytes) -> list[bytes]:
    """The complete notes at the start of `data`, five lines each."""
    lines = data.split(b"\n")[:-1]
    whole = len(lines) - len(lines) % 5
    return [b"\n".join(lines[i : i + 5]) + b"\n" for i in range(0, whole, 5)]
