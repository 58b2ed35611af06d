"""Checking the ledger: entries, Merkle roots, checkpoint signatures, and who signed. One pass, streaming.

What must hold, in this order (SPEC.md §3):
1 every complete line is a canonical entry with the next seq, and the first is log.genesis;
2 checkpoint k is a signed note of this log, covers k entries, is signed by the key in force, and has their root;
3 there is a checkpoint for every entry (one missing at the end is what a crash leaves: not judged);
4 the keys the log names include those known from outside;
5 the log extends what was remembered of it.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from grounded.audit import layout
from grounded.audit.canonical import MAX_LINE, Malformed, canonical
from grounded.audit.chain import Seal, read_line
from grounded.audit.entries import entry_fault
from grounded.audit.files import open_regular
from grounded.audit.keys import Trust
from grounded.audit.merkle import Frontier, leaf_hash
from grounded.audit.notes import NOTE_LINES, Checkpoint, VerifierKey, parse_key, parse_note, signed_by
from grounded.audit.report import Findings

_MAX_NOTE_LINE = 1000


class Pin(NamedTuple):
    """A remembered checkpoint."""

    origin: str
    size: int
    root: bytes


@dataclass
class LedgerView:
    """What a ledger says. Only what `sealed` checkpoints cover is vouched for."""

    origin: str = ""
    keys: list[VerifierKey] = field(default_factory=list)
    entries: int = 0
    sealed: int = 0
    complete: bool = False  # it was read to its end
    known_key: bool = False
    remembered: bool = False
    replaces: str | None = None
    opened: dict[str, int] = field(default_factory=dict)
    seals: dict[str, Seal] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    held: dict[str, int] = field(default_factory=dict)
    anchors: list[dict[str, Any]] = field(default_factory=list)
    roots: bytearray = field(default_factory=bytearray)

    def root_at(self, size: int) -> bytes:
        """The Merkle root over the first `size` (at least one) entries."""
        return bytes(self.roots[32 * size - 32 : 32 * size])


class NoteReader:
    """The notes of a checkpoints file, one after the other. rest: bytes that make no whole note follow the last."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        self._stream = stream
        self.count = 0
        self.rest = False

    def next(self) -> bytes | None:
        """The next whole note, or None."""
        if self._stream is None or self.rest:
            return None
        lines = [self._stream.readline(_MAX_NOTE_LINE) for _ in range(NOTE_LINES)]
        if not all(line.endswith(b"\n") for line in lines):
            self.rest = any(lines)
            return None
        self.count += 1
        return b"".join(lines)


class LedgerCheck:
    """One pass over the entries and the checkpoints beside them.

    every_signature False checks only the last checkpoint's: it vouches for all entries, and is enough for one trace."""

    def __init__(self, folder: Path, trust: Trust, findings: Findings, *, every_signature: bool = True) -> None:
        self.view = LedgerView()
        self._entries, self._checkpoints = folder / layout.ENTRIES, folder / layout.CHECKPOINTS
        self._trust, self._findings, self._every = trust, findings, every_signature
        self._frontier = Frontier()
        self._line = self._seq = 0
        self._sound = True  # no broken entry and no wrong root so far: roots can be compared
        self._last_time = ""
        self._deferred: tuple[Checkpoint, VerifierKey, int] | None = None

    def run(self) -> LedgerView:
        """Check it all. Never raises on what the files hold."""
        try:
            with ExitStack() as stack:
                self._run(stack)
        except OSError as error:
            self._findings.unknown("unreadable", layout.LEDGER, None, "readable files", error.strerror or str(error))
        return self.view

    def _run(self, stack: ExitStack) -> None:
        if not os.path.lexists(self._entries):
            return self._without_entries()
        entries = self._open(stack, self._entries, layout.ENTRIES)
        has_notes = os.path.lexists(self._checkpoints)
        notes = NoteReader(self._open(stack, self._checkpoints, layout.CHECKPOINTS) if has_notes else None)
        if entries is None:
            return None
        torn = self._walk(entries, notes)
        self._compare_counts(torn, notes, has_notes)
        self.view.complete = True
        return self._judge_keys()

    def _open(self, stack: ExitStack, path: Path, label: str) -> IO[bytes] | None:
        descriptor = open_regular(path)
        if descriptor is None:
            self._findings.error("not_a_regular_file", label, None, "a regular file", "a link, folder, FIFO or device")
            return None
        return stack.enter_context(os.fdopen(descriptor, "rb", buffering=1 << 18))

    def _without_entries(self) -> None:
        """A crash at the very start leaves this, and no traces."""
        left = {entry.name for entry in self._entries.parent.iterdir()} - {Path(layout.LOCK).name}
        if left or any(self._entries.parent.parent.glob(f"*{layout.SUFFIX}")):
            self._findings.error("ledger_missing", layout.LEDGER, None, layout.ENTRIES, "nothing")
        else:
            self._findings.unknown("ledger_empty", layout.LEDGER, None, "entries", "none")

    def _walk(self, entries: IO[bytes], notes: NoteReader) -> int:
        """Take every complete entry with its checkpoint; how many bytes a torn last line has."""
        while raw := entries.readline(MAX_LINE + 1):
            if not raw.endswith(b"\n"):
                return len(raw)
            raw = raw[:-1]  # the seal of a long trace is megabytes: one copy at a time
            self._line += 1
            before = self.view.keys[-1:]  # a rotation is sealed by the old key
            self._take(raw)
            note, signing = notes.next(), before or self.view.keys[-1:]
            if note is not None and signing:  # without a key the genesis entry is broken, and reported
                self._check_note(note, signing[0])
        return 0

    # ------------------------------------------------------------ entries

    def _take(self, raw: bytes) -> None:
        self._frontier.append(leaf_hash(raw))
        self.view.roots += self._frontier.root()
        self.view.entries += 1
        seq, self._seq = self._seq, self._seq + 1
        try:
            line = read_line(raw)
        except Malformed as fault:
            return self._broken(fault.code, "", fault.detail)
        entry = line.value
        if fault_found := entry_fault(entry, seq):
            self._resume(entry)
            return self._broken(*fault_found)
        if not line.fast and canonical(entry) != raw:
            return self._broken("non_canonical_bytes", "the canonical JSON of its content", "another spelling of it")
        if (entry["kind"] == "log.genesis") != (seq == 0):
            return self._broken("ledger_genesis", "log.genesis first and only first", entry["kind"])
        if entry["time"] < self._last_time and "clock_jump_ms" not in entry:
            self._findings.note(
                "time_order", layout.ENTRIES, self._line, f"not before {self._last_time}", entry["time"]
            )
        self._last_time = entry["time"]
        return self._apply(entry)

    def _resume(self, entry: Any) -> None:
        """After a gap go on from the number found, so that one missing entry is one finding."""
        if isinstance(entry, dict) and type(entry.get("seq")) is int and 0 <= entry["seq"] < 2**53:
            self._seq = entry["seq"] + 1

    def _broken(self, code: str, expected: str, found: str) -> None:
        self._sound = False
        self._findings.error(code, layout.ENTRIES, self._line, expected, found)

    def _apply(self, entry: dict[str, Any]) -> None:
        view, kind = self.view, entry["kind"]
        if kind == "log.genesis":
            view.origin, view.replaces = entry["origin"], entry.get("replaces")
            self._add_key(entry["key"])
        elif kind == "key.rotate":
            self._rotate(entry)
        elif kind == "trace.open":
            self._open_trace(entry["trace_id"])
        elif kind == "trace.close":
            self._close_trace(entry)
        elif kind == "erasure":
            self._erase(entry)
        elif kind in ("hold", "release"):
            view.held[entry["trace_id"]] = view.held.get(entry["trace_id"], 0) + (1 if kind == "hold" else -1)
        elif kind == "anchor":
            self._anchor(entry)

    def _add_key(self, text: str) -> None:
        try:
            key = parse_key(text)
        except ValueError as error:
            return self._broken("ledger_value", "a verifier key", str(error))
        if key.name != self.view.origin:
            return self._broken("ledger_value", f"a key named {self.view.origin}", key.name)
        return self.view.keys.append(key)

    def _rotate(self, entry: dict[str, Any]) -> None:
        if not self.view.keys or entry["old"] != str(self.view.keys[-1]):
            return self._broken("ledger_value", "the key in force as the old one", entry["old"])
        return self._add_key(entry["new"])

    def _open_trace(self, trace_id: str) -> None:
        if trace_id in self.view.opened:
            return self._broken("ledger_order", "each trace opened once", trace_id)
        self.view.opened[trace_id] = self._line
        return None

    def _close_trace(self, entry: dict[str, Any]) -> None:
        trace_id = entry["trace_id"]
        if trace_id not in self.view.opened or trace_id in self.view.seals:
            return self._broken("ledger_order", "each open trace closed once", trace_id)
        hashes = bytes.fromhex("".join(entry["spans"]))
        self.view.seals[trace_id] = Seal(entry["status"], entry["n"], hashes, entry["bytes"], entry["file_sha256"])
        return None

    def _erase(self, entry: dict[str, Any]) -> None:
        if self.view.held.get(entry["trace_id"], 0) > 0:
            self._findings.error("erased_under_hold", layout.ENTRIES, self._line, "no erasure", entry["trace_id"])
        self.view.erased.update(entry["commits"])

    def _anchor(self, entry: dict[str, Any]) -> None:
        size = entry["size"]
        if not 0 < size < self.view.entries or self.view.root_at(size).hex() != entry["root"]:
            return self._broken("anchor_root", "the root over the entries it names", entry["root"])
        return self.view.anchors.append({**entry, "line": self._line})

    # ------------------------------------------------------------ checkpoints

    def _check_note(self, note: bytes, key: VerifierKey) -> None:
        try:
            checkpoint = parse_note(note)
        except Malformed as fault:
            return self._bad_note(self._line, fault.code, "", fault.detail)
        if fault_found := self._note_fault(checkpoint, key):
            return self._bad_note(self._line, *fault_found)
        root = self.view.root_at(self._line)
        if self._sound and checkpoint.root != root:
            self._sound = False  # every later root differs too
            return self._bad_note(self._line, "ledger_root", checkpoint.root.hex(), root.hex())
        self.view.sealed = self._line
        return None

    def _bad_note(self, number: int, code: str, expected: str, found: str) -> None:
        self._findings.error(code, layout.CHECKPOINTS, number, expected, found)

    def _note_fault(self, checkpoint: Checkpoint, key: VerifierKey) -> tuple[str, str, str] | None:
        signature, who = checkpoint.signatures[0], f"{key.name}+{key.key_id.hex()}"
        if checkpoint.origin != self.view.origin:
            return "checkpoint_untrusted_key", self.view.origin, checkpoint.origin
        if (signature.name, signature.key_id) != (key.name, key.key_id):
            return "checkpoint_untrusted_key", who, f"{signature.name}+{signature.key_id.hex()}"
        self._deferred = checkpoint, key, self._line
        if self._every and not signed_by(checkpoint.text, signature, key):
            return "checkpoint_signature", f"a signature by {who}", "one that does not verify"
        return None if checkpoint.size == self._line else ("checkpoint_size", str(self._line), str(checkpoint.size))

    def _compare_counts(self, torn: int, notes: NoteReader, has_notes: bool) -> None:
        while notes.next() is not None:
            pass
        self._check_deferred()
        entries, unsealed = layout.ENTRIES, self._line - notes.count
        if not self._line and not notes.count:
            self._findings.unknown("ledger_empty", layout.LEDGER, None, "entries", "none: a crash at the start")
        elif not has_notes or (notes.count == 0 and self._line > 1):
            self._findings.error("cp_missing", layout.LEDGER, None, layout.CHECKPOINTS, "no checkpoint")
        elif unsealed < 0:
            found = f"{self._line} entries"
            self._bad_note(notes.count, "ledger_truncated", f"{notes.count} entries", found)
        elif unsealed > 1:  # the writer recovers before it adds: a crash leaves one at most
            self._findings.error(
                "unsealed_ledger_tail", entries, notes.count + 1, "a checkpoint for every entry", "none"
            )
        elif unsealed == 1:
            self._findings.unknown("unsealed_ledger_tail", entries, self._line, "a checkpoint for it", "none")
        elif notes.rest:
            self._bad_note(notes.count + 1, "checkpoint_form", "whole notes", "further bytes")
        if torn:
            self._findings.unknown("torn_tail", entries, self._line + 1, "a complete line", f"{torn} bytes")

    def _check_deferred(self) -> None:
        if self._every or self._deferred is None:
            return
        checkpoint, key, number = self._deferred
        if not signed_by(checkpoint.text, checkpoint.signatures[0], key):
            self._bad_note(number, "checkpoint_signature", f"a signature by {key.name}", "one that does not verify")

    def _judge_keys(self) -> None:
        """The keys known from outside must be a run of the keys this log names."""
        known, named = self._trust.logs.get(self.view.origin, ()), self.view.keys
        if not self._trust.logs or not named:
            return
        runs = (tuple(named[i : i + len(known)]) for i in range(len(named)))
        if not known or known not in runs:
            expected = ", ".join(f"{k.name}+{k.key_id.hex()}" for keys in self._trust.logs.values() for k in keys)
            self._bad_note(1, "checkpoint_untrusted_key", expected, f"{named[-1].name}+{named[-1].key_id.hex()}")
            return
        self.view.known_key = True


def check_pin(view: LedgerView, pin: Pin, findings: Findings) -> None:
    """The ledger must extend what was remembered of it."""
    if pin.size > view.entries:
        findings.error("rollback", layout.LEDGER, None, f"{pin.size} entries or more", f"{view.entries} entries")
    elif pin.root != view.root_at(pin.size):
        findings.error("fork", layout.LEDGER, None, f"{pin.root.hex()} at {pin.size}", view.root_at(pin.size).hex())
    else:
        view.remembered = True
