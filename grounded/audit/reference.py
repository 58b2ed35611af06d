"""The reference verifier: slow, obvious, standard library only. It must agree with `verify` on every case.

Whole files in memory, the Merkle tree by its recursive definition, signatures in pure Python, one rule after the other
in the order of SPEC.md. It shares with the fast verifier only the strict reading of a line, the table of ledger
entries, and the form of a finding; nothing of how the work is done.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from grounded.audit.canonical import (
    FIELDS,
    MAX_LINE,
    TEXT_FIELDS,
    ZERO_HASH,
    Malformed,
    beyond_safe_integers,
    canonical,
    is_hash,
    is_profile_time,
    is_rfc3339,
    parse_strict,
    span_hash,
)
from grounded.audit.entries import entry_fault
from grounded.audit.layout import CHECKPOINTS, CONTENT, ENTRIES, FOLDER_NAMES, LEDGER, LEDGER_NAMES, SUFFIX, TOKENS
from grounded.audit.receipt_verify import ed25519
from grounded.audit.report import Finding, Severity

Place = tuple[Severity, str, str, int | None]
_VKEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)\Z")
_NOTE = re.compile(
    r"([^\s+]{1,200})\n(0|[1-9][0-9]{0,17})\n([A-Za-z0-9+/]{43}=)\n\n— ([^\s+]{1,200}) ([A-Za-z0-9+/]+=*)\n\Z"
)


@dataclass
class Log:
    """What the ledger says."""

    origin: str = ""
    replaces: bool = False
    keys: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    closed: dict[str, dict[str, Any]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    anchors: list[tuple[int, str]] = field(default_factory=list)  # line, hash of the token


def verify_reference(path: Path, *, key: str | None = None, pin: tuple[int, bytes] | None = None) -> list[Place]:
    """The findings for a trace file alone, or for a folder judged by `key` and a remembered (size, root)."""
    if path.name.endswith(SUFFIX) or not path.is_dir():
        found = _trace(path, str(path), None, None, None)
    else:
        found = _folder(path, key, pin)
    return [(finding.severity, finding.code, finding.file, finding.line) for finding in found]


# ---------------------------------------------------------------- one trace


def _regular(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _trace(
    path: Path, label: str, entry: dict[str, Any] | None, log: Log | None, content: Path | None
) -> list[Finding]:
    """Rules 2.1 to 2.4. entry: the trace's `trace.close`; log None: a file alone, by no profile."""
    if not _regular(path):
        return [Finding("error", "not_a_regular_file", label)]
    data = path.read_bytes()
    *lines, rest = data.split(b"\n")
    too_long = [i for i, line in enumerate([*lines, rest]) if len(line) > MAX_LINE]
    if too_long:  # what follows is not read
        lines, rest = lines[: too_long[0]], b" " * (MAX_LINE + 1)
    spans = [_read(line) for line in lines]
    found = [Finding("error", span.code, label, i) for i, span in enumerate(spans, 1) if isinstance(span, Malformed)]
    found += _fields(spans, label)
    good = {i: span for i, span in enumerate(spans, 1) if not isinstance(span, Malformed) and not _fields([span], "")}
    found += _identity(good, path.name.removesuffix(SUFFIX), label)
    found += _chain(good, label)
    found += _form(good, lines, label, profile=log is not None)
    found += _values(good, label, profile=log is not None)
    found += _against_seal(good, len(lines), bool(rest), entry, label)
    found += _parents(good, label, torn=bool(rest))
    found += _kept(good, label, log, content)
    if rest:
        found.append(Finding("unknown", "line_too_long" if too_long else "torn_tail", label, len(lines) + 1))
    errors = any(finding.severity == "error" for finding in found)
    if entry and not errors and (len(data), _sha256(data)) != (entry["bytes"], entry["file_sha256"]):
        found.append(Finding("error", "file_sha256", label))
    return found


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _read(line: bytes) -> Any:
    try:
        return parse_strict(line)
    except Malformed as fault:
        return fault


def _fields(spans: list[Any], label: str) -> list[Finding]:
    """2: exactly the eleven fields, of the right types, hashes in lower-case hex."""
    found = []
    for number, span in enumerate(spans, 1):
        if isinstance(span, Malformed):
            continue
        if not isinstance(span, dict) or set(span) != FIELDS or not _typed(span):
            found.append(Finding("error", "fields", label, number))
        elif not (is_hash(span["prev_hash"]) and is_hash(span["this_hash"])):
            found.append(Finding("error", "hash_format", label, number))
    return found


def _typed(span: dict[str, Any]) -> bool:
    texts = all(isinstance(span[name], str) for name in TEXT_FIELDS)
    return (
        texts
        and isinstance(span["parent_id"], (str, type(None)))
        and isinstance(span["input"], dict)
        and isinstance(span["output"], dict)
    )


def _identity(good: dict[int, dict[str, Any]], trace_id: str, label: str) -> list[Finding]:
    """The trace_id is the file's name; each wrong one is reported where it first occurs."""
    first = {span["trace_id"]: number for number, span in reversed(good.items()) if span["trace_id"] != trace_id}
    return [Finding("error", "trace_id", label, number) for number in first.values()]


def _chain(good: dict[int, dict[str, Any]], label: str) -> list[Finding]:
    """2.1: the genesis rule, the links, the hashes. A line after an unreadable one has no link to judge."""
    found = []
    for number, span in good.items():
        before = good.get(number - 1)
        prev, this = span["prev_hash"], span["this_hash"]
        allowed = (
            [ZERO_HASH]
            if number == 1
            else [before["this_hash"], span_hash(before["prev_hash"], before)]
            if before
            else [prev]
        )
        if prev not in allowed:
            found.append(Finding("error", "genesis" if number == 1 else "prev_hash", label, number))
        right = [span_hash(prev, span)] + ([span_hash(allowed[0], span)] if prev not in allowed else [])
        if this not in right:
            found.append(Finding("error", "this_hash", label, number))
    return found


def _form(good: dict[int, dict[str, Any]], lines: list[bytes], label: str, *, profile: bool) -> list[Finding]:
    """2.2: canonical bytes. Another writer may spell all lines otherwise, not some."""
    odd = [number for number, span in good.items() if canonical(span) != lines[number - 1]]
    if odd and not profile and len(odd) == len(good):
        return [Finding("note", "form", label)]
    return [Finding("error", "non_canonical_bytes", label, number) for number in odd]


def _values(good: dict[int, dict[str, Any]], label: str, *, profile: bool) -> list[Finding]:
    """2.3: times, and in the profile integers."""
    is_time = is_profile_time if profile else is_rfc3339
    found = []
    for number, span in good.items():
        found += [Finding("error", "timestamp_format", label, number) for n in ("start", "end") if not is_time(span[n])]
        if profile and beyond_safe_integers(span) is not None:
            found.append(Finding("error", "integer_domain", label, number))
    return found


def _against_seal(
    good: dict[int, dict[str, Any]], lines: int, rest: bool, entry: dict[str, Any] | None, label: str
) -> list[Finding]:
    """3.4: the spans are those the ledger sealed. After a first altered one only those altered themselves count."""
    if entry is None:
        return []
    sealed = entry["spans"]
    found: list[Finding] = []
    for number, span in good.items():
        if number > len(sealed) or span["this_hash"] == sealed[number - 1]:
            continue
        unaltered = number > 1 and span_hash(sealed[number - 2], span) == sealed[number - 1]
        if not (found and unaltered):
            found.append(Finding("error", "differs_from_sealed_span", label, number))
    if lines < len(sealed):
        found.append(Finding("error", "trace_truncated", label, lines + 1))
    elif (rest and lines == len(sealed)) or len(sealed) + 1 in good:
        found.append(Finding("error", "trace_extended", label, len(sealed) + 1))
    return found


def _parents(good: dict[int, dict[str, Any]], label: str, *, torn: bool) -> list[Finding]:
    """2.4: every parent is another span of the file (unless the end is torn off); ids occur once."""
    ids = [span["span_id"] for span in good.values()]
    found: list[Finding] = []
    missing: set[str] = set()
    for position, (number, span) in enumerate(good.items()):
        if span["span_id"] in ids[:position]:
            found.append(Finding("note", "duplicate_span_id", label, number))
        parent = span["parent_id"]
        others = ids[:position] + ids[position + 1 :]
        if parent is not None and parent not in others and parent not in missing:
            missing.add(parent)
            found.append(Finding("unknown" if torn else "error", "unknown_parent", label, number))
    return found


# ---------------------------------------------------------------- values kept beside the log


def _commitments(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        known = value.keys() <= {"$commit", "bytes", "stored"} and type(value.get("bytes")) is int
        if known and isinstance(value.get("$commit"), str) and is_hash(value["$commit"]):
            return [value]
        return [found for item in value.values() for found in _commitments(item)]
    return [found for item in value for found in _commitments(item)] if isinstance(value, list) else []


def _kept(good: dict[int, dict[str, Any]], label: str, log: Log | None, folder: Path | None) -> list[Finding]:
    """3.5: what a span commits to is there and is that, or is recorded as erased."""
    if log is None or folder is None:
        return []
    return [
        Finding(severity, code, label, number)
        for number, span in good.items()
        for commitment in _commitments([span["input"], span["output"]])
        for severity, code in _judged(commitment, log, folder / commitment["$commit"])
    ]


def _judged(commitment: dict[str, Any], log: Log, path: Path) -> list[tuple[Severity, str]]:
    erased = commitment["$commit"] in log.erased
    if commitment.get("stored") is False:
        return [("note", "content_not_kept")]
    if not os.path.lexists(path):
        return [("note", "content_erased") if erased else ("error", "content_missing")]
    blob = path.read_bytes() if _regular(path) else b""
    digest = hashlib.sha256(b"grounded-audit/content/v1\x00" + blob).hexdigest()
    if (digest, len(blob) - 32) != (commitment["$commit"], commitment["bytes"]):
        return [("error", "content_altered")]
    return [("note", "erasure_unfinished")] if erased else []


# ---------------------------------------------------------------- the folder and its ledger


def _folder(path: Path, key: str | None, pin: tuple[int, bytes] | None) -> list[Finding]:
    names = sorted(entry.name for entry in path.iterdir())
    traces = [name for name in names if name.endswith(SUFFIX)]
    found: list[Finding] = []
    if LEDGER not in names:
        found = (
            [Finding("error", "ledger_missing", LEDGER)] if key or any(map(_marked, map(path.joinpath, traces))) else []
        )
        return found + [finding for name in traces for finding in _trace(path / name, name, None, None, None)]
    log = Log()
    if (path / LEDGER).is_symlink() or not (path / LEDGER).is_dir():
        found.append(Finding("error", "not_a_regular_file", LEDGER))
    else:
        found += _ledger(path, log, key, pin)
    for trace_id in log.opened:
        found += _listed(path, trace_id, log)
    for name in traces:
        if name.removesuffix(SUFFIX) not in log.opened:
            found += _unlisted(path, name)
    return found + _tokens(path, log) + _strays(path, names)


def _tokens(path: Path, log: Log) -> list[Finding]:
    """3.6: the evidence an anchor names is there, unaltered. Who gave it is not this verifier's to judge."""
    found = []
    for line, digest in log.anchors:
        token = path / TOKENS / digest
        if not os.path.lexists(token):
            found.append(Finding("error", "token_missing", ENTRIES, line))
        elif not _regular(token) or _sha256(token.read_bytes()) != digest:
            found.append(Finding("error", "token_altered", ENTRIES, line))
    return found


def _marked(path: Path) -> bool:
    if not _regular(path):
        return False
    first = _read(path.read_bytes().split(b"\n")[0])
    return isinstance(first, dict) and isinstance(first.get("input"), dict) and "$log" in first["input"]


def _listed(path: Path, trace_id: str, log: Log) -> list[Finding]:
    name = f"{trace_id}{SUFFIX}"
    if not os.path.lexists(path / name):
        return [Finding("error", "trace_missing", name)]
    found = _trace(path / name, name, log.closed.get(trace_id), log, path / CONTENT)
    return found + ([] if trace_id in log.closed else [Finding("unknown", "trace_open", name)])


def _unlisted(path: Path, name: str) -> list[Finding]:
    if _regular(path / name) and (path / name).stat().st_size == 0:
        return [Finding("unknown", "unregistered_empty", name)]
    listed = [Finding("error", "trace_not_in_ledger", name)] if _regular(path / name) else []
    return listed + _trace(path / name, name, None, Log(), None)


def _strays(path: Path, names: list[str]) -> list[Finding]:
    found = [Finding("error", "stray_file", n) for n in names if n not in FOLDER_NAMES and not n.endswith(SUFFIX)]
    if (path / LEDGER).is_dir():
        inner = sorted(entry.name for entry in (path / LEDGER).iterdir())
        found += [Finding("error", "stray_file", f"{LEDGER}/{name}") for name in inner if name not in LEDGER_NAMES]
    return found


def _ledger(path: Path, log: Log, key: str | None, pin: tuple[int, bytes] | None) -> list[Finding]:
    """3.1 to 3.3."""
    if not os.path.lexists(path / ENTRIES):
        left = {entry.name for entry in (path / LEDGER).iterdir()} - {"lock"}
        empty = not left and not any(path.glob(f"*{SUFFIX}"))
        return [Finding("unknown", "ledger_empty", LEDGER) if empty else Finding("error", "ledger_missing", LEDGER)]
    irregular = [n for n in (ENTRIES, CHECKPOINTS) if os.path.lexists(path / n) and not _regular(path / n)]
    found = [Finding("error", "not_a_regular_file", name) for name in irregular]
    if ENTRIES in irregular:
        return found
    *lines, rest = (path / ENTRIES).read_bytes().split(b"\n")
    too_long = [i for i, line in enumerate(lines) if len(line) > MAX_LINE]
    if too_long:
        lines, rest = lines[: too_long[0]], b"x"
    signers, broken = _entries(lines, log)
    found += broken
    has_notes = os.path.lexists(path / CHECKPOINTS)
    notes, tail = _split_notes((path / CHECKPOINTS).read_bytes() if has_notes and CHECKPOINTS not in irregular else b"")
    found += _checkpoints(lines, notes, signers, log.origin, sound=not any(f.severity == "error" for f in broken))
    found += _counts(len(lines), len(notes), has_notes, tail)
    if rest:
        found.append(Finding("unknown", "torn_tail", ENTRIES, len(lines) + 1))
    if log.replaces:
        found.append(Finding("note", "log_replaced", LEDGER))
    if key and log.keys and key not in log.keys:
        found.append(Finding("error", "checkpoint_untrusted_key", CHECKPOINTS, 1))
    if pin and pin[0] > len(lines):
        found.append(Finding("error", "rollback", LEDGER))
    elif pin and merkle_root(lines[: pin[0]]) != pin[1]:
        found.append(Finding("error", "fork", LEDGER))
    return found


def _entries(lines: list[bytes], log: Log) -> tuple[list[str], list[Finding]]:
    """3.1: for every entry the key its checkpoint must be signed with, and what is wrong with the entries."""
    signers: list[str] = []
    found: list[Finding] = []
    held: dict[str, int] = {}
    seq, last = 0, ""
    for number, line in enumerate(lines, 1):
        signer = log.keys[-1] if log.keys else ""
        entry = _read(line)
        code = entry.code if isinstance(entry, Malformed) else (entry_fault(entry, seq) or ("",))[0]
        if isinstance(entry, dict) and code and type(entry.get("seq")) is int:
            seq = entry["seq"]
        if not code and canonical(entry) != line:
            code = "non_canonical_bytes"
        code = code or ("ledger_genesis" if (entry["kind"] == "log.genesis") != (seq == 0) else "")
        if not code:
            if entry["time"] < last and "clock_jump_ms" not in entry:
                found.append(Finding("note", "time_order", ENTRIES, number))
            last = entry["time"]
            code = _apply(entry, log, held, lines)
        seq += 1
        found += [Finding("error", code, ENTRIES, number)] if code else []
        signers.append(signer or (log.keys[-1] if log.keys else ""))
    return signers, found


def _apply(entry: dict[str, Any], log: Log, held: dict[str, int], lines: list[bytes]) -> str:
    """What an entry adds to the log; the code of a finding when it cannot."""
    kind, trace_id = entry["kind"], entry.get("trace_id", "")
    if kind == "log.genesis":
        log.origin, log.replaces = entry["origin"], "replaces" in entry
        return _new_key(entry["key"], log)
    if kind == "key.rotate":
        return _new_key(entry["new"], log) if log.keys and entry["old"] == log.keys[-1] else "ledger_value"
    if kind == "trace.open":
        if trace_id in log.opened:
            return "ledger_order"
        log.opened.append(trace_id)
    elif kind == "trace.close":
        if trace_id not in log.opened or trace_id in log.closed:
            return "ledger_order"
        log.closed[trace_id] = entry
    elif kind in ("hold", "release"):
        held[trace_id] = held.get(trace_id, 0) + (1 if kind == "hold" else -1)
    elif kind == "erasure":
        log.erased |= set(entry["commits"])
        return "erased_under_hold" if held.get(trace_id, 0) > 0 else ""
    elif kind == "anchor":
        before = 0 < entry["size"] <= entry["seq"]
        if not before or merkle_root(lines[: entry["size"]]).hex() != entry["root"]:
            return "anchor_root"
        log.anchors.append((entry["seq"] + 1, entry["token_sha256"]))
    return ""


def _new_key(text: str, log: Log) -> str:
    if _public(text) is None or text.split("+")[0] != log.origin:
        return "ledger_value"
    log.keys.append(text)
    return ""


def _public(vkey: str) -> tuple[bytes, bytes] | None:
    """(key id, public key) of a verifier key, or None when it is none."""
    parts = _VKEY.match(vkey)
    blob = _bytes(parts[3]) if parts else None
    if parts is None or blob is None or len(blob) != 33 or blob[0] not in (1, 4):
        return None
    key_id = hashlib.sha256(parts[1].encode() + b"\n" + blob).digest()[:4]
    return (key_id, blob[1:]) if key_id.hex() == parts[2] else None


def _bytes(encoded: str) -> bytes | None:
    try:
        blob = base64.b64decode(encoded, validate=True)
    except ValueError:
        return None
    return blob if base64.b64encode(blob).decode() == encoded else None


# ---------------------------------------------------------------- checkpoints


def _split_notes(data: bytes) -> tuple[list[bytes], bool]:
    """The whole notes, five lines each, and whether something is left over."""
    pieces = data.split(b"\n")
    whole = (len(pieces) - 1) // 5
    notes = [b"\n".join(pieces[5 * i : 5 * i + 5]) + b"\n" for i in range(whole)]
    return notes, len(data) > sum(map(len, notes))


def _checkpoints(
    lines: list[bytes], notes: list[bytes], signers: list[str], origin: str, *, sound: bool
) -> list[Finding]:
    """3.2: checkpoint k is signed by the key in force and has the root over the first k entries."""
    found = []
    for number, note in enumerate(notes[: len(lines)], 1):
        code, root = _note_fault(note, number, signers[number - 1], origin)
        if not code and sound and root != merkle_root(lines[:number]):
            code, sound = "ledger_root", False
        if code:
            found.append(Finding("error", code, CHECKPOINTS, number))
    return found


def _note_fault(note: bytes, number: int, signer: str, origin: str) -> tuple[str, bytes]:
    if not signer:  # no genesis key: reported, and nothing to judge by
        return "", b""
    try:
        parts = _NOTE.match(note.decode())
    except UnicodeDecodeError:
        return "checkpoint_form", b""
    root, mark = (_bytes(parts[3]), _bytes(parts[5])) if parts else (None, None)
    known = _public(signer)
    if parts is None or root is None or mark is None or len(mark) < 5 or known is None:
        return "checkpoint_form", b""
    if (parts[1], parts[4], mark[:4]) != (origin, signer.split("+")[0], known[0]):
        return "checkpoint_untrusted_key", b""
    if not _signed(known[1], mark[4:], note.split(b"\n\n")[0] + b"\n"):
        return "checkpoint_signature", b""
    return ("" if int(parts[2]) == number else "checkpoint_size"), root


@cache
def _signed(public: bytes, signature: bytes, text: bytes) -> bool:
    return ed25519(public, signature, text)


def _counts(lines: int, notes: int, has_notes: bool, tail: bool) -> list[Finding]:
    """3.3: a checkpoint for every entry."""
    if not lines and not notes:
        return [Finding("unknown", "ledger_empty", LEDGER)]
    if not has_notes or (notes == 0 and lines > 1):
        return [Finding("error", "cp_missing", LEDGER)]
    if notes > lines:
        return [Finding("error", "ledger_truncated", CHECKPOINTS, notes)]
    if lines - notes > 1:
        return [Finding("error", "unsealed_ledger_tail", ENTRIES, notes + 1)]
    if lines - notes == 1:
        return [Finding("unknown", "unsealed_ledger_tail", ENTRIES, lines)]
    return [Finding("error", "checkpoint_form", CHECKPOINTS, notes + 1)] if tail else []


def merkle_root(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962 §2.1, as it is defined there."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + merkle_root(leaves[:k]) + merkle_root(leaves[k:])).digest()
