"""The fast check of one trace file: one pass, bounded memory, every rule of SPEC.md §2 on every line.

A line whose bytes equal the canonical spelling of what they parse to cannot hide a duplicate key, another number
spelling or another encoding, and its body can be cut out of it as it stands. orjson decides that in C; whatever it
cannot decide goes through the strict reader. `reference.py` says the same in the slow, obvious way.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from grounded.audit.canonical import (
    FIELDS,
    HASHES,
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
)
from grounded.audit.content import COMMIT, Commitment, commitments
from grounded.audit.files import open_regular
from grounded.audit.report import Findings

try:
    import orjson
except ImportError:  # everything still verifies, only slower
    orjson = None  # type: ignore[assignment]

LOG_MARK = "$log"
_OPTIONS = 0 if orjson is None else orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER
_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False).encode
_HEX = re.compile(rb"[0-9a-f]{4}\Z")
_FEW = 12  # escapes a line; measured
_TIME_DASHES = 4  # of the two times of a span: more may be an exponent's
_MARK = b',"prev_hash":"'
_MEMBER = len(_MARK) + 64 + 1  # `,"prev_hash":"…"`; this_hash has the same length
_COMMIT_MARK = f'"{COMMIT}"'.encode()
_MAX_ODD = 1000


class Seal(NamedTuple):
    """What the ledger says about a closed trace. hashes: 32 bytes a span."""

    status: str
    n: int
    hashes: bytes
    size: int
    sha256: str

    def hash_at(self, number: int) -> str:
        """this_hash of span `number`, counted from 1."""
        return self.hashes[32 * number - 32 : 32 * number].hex()


class Expected(NamedTuple):
    """What a file is held against. profile: it must be as our own writer writes."""

    trace_id: str
    profile: bool = False
    seal: Seal | None = None
    being_written: bool = False


class Line(NamedTuple):
    """A parsed line. fast: its bytes are canonical and its integers safe."""

    value: Any
    fast: bool


OnCommitment = Callable[[int, Commitment], None]


def read_line(line: bytes) -> Line:
    """Parse a line strictly, the quick way when its bytes allow it. Raises Malformed."""
    if orjson is not None and line.isascii():
        try:
            value = orjson.loads(line)
            spelled = orjson.dumps(value, option=_OPTIONS)
        except (
            ValueError,
            TypeError,
        ):  # no JSON, too deep, or numbers orjson does not carry: the strict reader decides
            return Line(parse_strict(line), fast=False)
        quick = (spelled == line or _same_escaped(spelled, line)) and not _may_differ(line)
        if quick or _ENCODE(value).encode() == line:
            return Line(value, fast=True)
    return Line(parse_strict(line), fast=False)


def _same_escaped(spelled: bytes, line: bytes) -> bool:
    """Whether `line` is orjson's UTF-8 with Python's escapes. Few escapes are undone one by one, many are made at once.

    Where a spelling is not exactly Python's the result is no JSON, or another value's: it equals no line, and no
    spelling, of this value."""
    first, *rest = line.split(b"\\u")
    if len(rest) <= _FEW:
        return first + b"".join([_character(part[:4]) + part[4:] for part in rest]) == spelled
    escaped = spelled.decode().encode("ascii", "backslashreplace")
    return (escaped.replace(b"\\x", b"\\u00") if b"\\x" in escaped else escaped) == line


@lru_cache(maxsize=4096)
def _character(digits: bytes) -> bytes:
    """UTF-8 for an escape as Python spells it; the escape itself for any other, and for control characters."""
    code = int(digits, 16) if _HEX.match(digits) else 0
    if code < 0x80 or 0xD800 <= code <= 0xDFFF:
        return b"\\u" + digits
    return chr(code).encode()


def _may_differ(line: bytes) -> bool:
    """Whether orjson's spelling, which the line has, may not be Python's: DEL, and floats below 1e-4 (Python writes
    1e-07 and 1e-05 where orjson writes 1e-7 and 0.00001)."""
    if b"\x7f" in line or (line.count(b"-") > _TIME_DASHES and _has(line, b"e-", 2, b"56789")):
        return True
    return _has(line, b"0.0000", -1, b":,[-")


def _has(line: bytes, mark: bytes, offset: int, neighbours: bytes) -> bool:
    """Whether `mark` occurs with one of `neighbours` at `offset` from it."""
    at = line.find(mark)
    while at >= 0:
        if line[at + offset : at + offset + 1] in neighbours:
            return True
        at = line.find(mark, at + 1)
    return False


class ChainCheck:
    """The state of one pass over one file."""

    def __init__(self, label: str, expected: Expected, findings: Findings, on_commitment: OnCommitment | None) -> None:
        self.count = 0
        self.log_mark: str | None = None
        self._label, self._expected, self._findings, self._on_commitment = label, expected, findings, on_commitment
        self._previous: tuple[str, ...] = (ZERO_HASH,)  # what the next prev_hash may be; empty: unknown
        self._ids: set[str] = set()
        self._missing_parents: dict[str, int] = {}
        self._canonical = 0
        self._odd: list[int] = []
        self._wrong_ids: set[str] = set()
        self._differs = False

    def line(self, raw: bytes) -> None:
        """Check the next complete line (without its newline)."""
        self.count += 1
        previous, self._previous = self._previous, ()
        try:
            line = read_line(raw)
        except Malformed as fault:
            return self._error(fault.code, "", fault.detail)
        span = line.value
        if not self._well_formed(span):
            return None
        self._identity(span)
        computed = self._chain(span, raw, line.fast, previous)
        self._form(raw, line)
        self._times(span)
        self._integers(line)
        self._sealed(span, raw, line.fast, computed)
        self._extras(span, raw)
        self._previous = (span["this_hash"], computed)
        return None

    def finish(self, torn: bool) -> None:
        """Rules over the whole file. torn: bytes without a newline follow the last complete line."""
        severe = self._findings.unknown if torn else self._findings.error
        for parent, number in self._missing_parents.items():
            severe("unknown_parent", self._label, number, "a span_id of this file", parent)
        for number in self._odd if self._canonical else ():
            self._findings.error("non_canonical_bytes", self._label, number, "canonical JSON like its other lines")
        if self._odd and not self._canonical:
            self._findings.note("form", self._label, None, "", "another writer's spelling; the chain is judged alone")

    # ------------------------------------------------------------ one line

    def _error(self, code: str, expected: str, found: str) -> None:
        self._findings.error(code, self._label, self.count, expected, found)

    def _well_formed(self, span: Any) -> bool:
        if not isinstance(span, dict) or span.keys() != FIELDS:
            found = ", ".join(sorted(span)) if isinstance(span, dict) else type(span).__name__
            self._error("fields", ", ".join(sorted(FIELDS)), found)
            return False
        if wrong := _wrong_type(span):
            self._error("fields", wrong, type(span[wrong.split()[0]]).__name__)
            return False
        if not is_hash(span["prev_hash"]) or not is_hash(span["this_hash"]):
            bad = next(name for name in HASHES if not is_hash(span[name]))
            self._error("hash_format", f"{bad} of 64 lower-case hex digits", span[bad])
            return False
        return True

    def _identity(self, span: dict[str, Any]) -> None:
        found = span["trace_id"]
        if found != self._expected.trace_id and found not in self._wrong_ids and len(self._wrong_ids) < _MAX_ODD:
            self._wrong_ids.add(found)
            self._error("trace_id", self._expected.trace_id, found)

    def _chain(self, span: dict[str, Any], raw: bytes, fast: bool, previous: tuple[str, ...]) -> str:
        prev, this = span["prev_hash"], span["this_hash"]
        linked = not previous or prev in previous
        if not linked and self.count == 1:
            self._error("genesis", ZERO_HASH, prev)
        elif not linked:
            self._error("prev_hash", previous[0], prev)
        computed = _hash(prev, span, raw, fast)
        # A wrong prev_hash alone is one break, not two.
        if computed != this and (linked or _hash(previous[0], span, raw, fast) != this):
            self._error("this_hash", computed, this)
        return computed

    def _form(self, raw: bytes, line: Line) -> None:
        if line.fast or canonical(line.value) == raw:
            self._canonical += 1
        elif self._expected.profile:
            self._error("non_canonical_bytes", "the canonical JSON of its content", "another spelling of it")
        elif len(self._odd) < _MAX_ODD:
            self._odd.append(self.count)

    def _times(self, span: dict[str, Any]) -> None:
        valid = is_profile_time if self._expected.profile else is_rfc3339
        for name in ("start", "end"):
            if not valid(span[name]):
                self._error("timestamp_format", f"{name} as RFC 3339 with its zone", span[name])

    def _integers(self, line: Line) -> None:
        if self._expected.profile and not line.fast:
            large = beyond_safe_integers(line.value)
            if large is not None:
                self._error("integer_domain", "integers within ±(2^53 - 1)", str(large)[:40])

    def _sealed(self, span: dict[str, Any], raw: bytes, fast: bool, computed: str) -> None:
        seal = self._expected.seal
        if seal is None:
            return
        if self.count == seal.n + 1:
            self._error("trace_extended", f"{seal.n} spans as sealed", "a further span")
        elif self.count <= seal.n and span["this_hash"] != seal.hash_at(self.count) and self._altered(span, raw, fast):
            self._differs = True
            self._error("differs_from_sealed_span", seal.hash_at(self.count), span["this_hash"])

    def _altered(self, span: dict[str, Any], raw: bytes, fast: bool) -> bool:
        """After a first altered span every later hash differs; only those whose own content differs are reported."""
        seal = self._expected.seal
        if seal is None or not self._differs:
            return True
        return _hash(seal.hash_at(self.count - 1), span, raw, fast) != seal.hash_at(self.count)

    def _extras(self, span: dict[str, Any], raw: bytes) -> None:
        span_id, parent = span["span_id"], span["parent_id"]
        if span_id in self._ids:
            self._findings.note("duplicate_span_id", self._label, self.count, "", span_id)
        self._ids.add(span_id)
        self._missing_parents.pop(span_id, None)
        if parent is not None and (parent not in self._ids or parent == span_id):
            self._missing_parents.setdefault(parent, self.count)
        if self.count == 1 and isinstance(span["input"].get(LOG_MARK), str):
            self.log_mark = span["input"][LOG_MARK]
        if self._on_commitment and _COMMIT_MARK in raw:
            for commitment in commitments([span["input"], span["output"]]):
                self._on_commitment(self.count, commitment)


def _wrong_type(span: dict[str, Any]) -> str:
    for name in TEXT_FIELDS:
        if type(span[name]) is not str:
            return f"{name} as text"
    for name in ("input", "output"):
        if type(span[name]) is not dict:
            return f"{name} as an object"
    return "" if span["parent_id"] is None or type(span["parent_id"]) is str else "parent_id as text or null"


def _hash(prev_hash: str, span: dict[str, Any], raw: bytes, fast: bool) -> str:
    """this_hash after `prev_hash`. In a canonical line the two hash members, the last of their names, are cut out:
    what follows them at the top level is text, in which no bare quote can stand."""
    digest = hashlib.sha256(prev_hash.encode())
    if not fast:
        digest.update(canonical({key: value for key, value in span.items() if key not in HASHES}))
        return digest.hexdigest()
    first, second = raw.rindex(_MARK), raw.rindex(b',"this_hash":"')
    digest.update(raw[:first])
    digest.update(raw[first + _MEMBER : second])
    digest.update(raw[second + _MEMBER :])
    return digest.hexdigest()


class FileResult(NamedTuple):
    """What one file held. log_mark: the log its root span says it is sealed in."""

    spans: int = 0
    log_mark: str | None = None


def check_file(
    path: Path, label: str, expected: Expected, findings: Findings, on_commitment: OnCommitment | None = None
) -> FileResult:
    """Check one trace file against the rules and, when there is one, its seal. Never raises on what a file holds."""
    start = len(findings.items)
    try:
        descriptor = open_regular(path)
        if descriptor is None:
            findings.error("not_a_regular_file", label, None, "a regular file", "a link, a folder, a FIFO or a device")
            return FileResult()
        result = _check_open_file(descriptor, label, expected, findings, on_commitment)
    except OSError as error:
        findings.unknown("unreadable", label, None, "a readable file", error.strerror or str(error))
        return FileResult()
    findings.sort_from(start)
    return result


def _check_open_file(
    descriptor: int, label: str, expected: Expected, findings: Findings, on_commitment: OnCommitment | None
) -> FileResult:
    errors = findings.counts["error"]
    check = ChainCheck(label, expected, findings, on_commitment)
    digest, size, rest = hashlib.sha256(), 0, b""
    with os.fdopen(descriptor, "rb", buffering=1 << 18) as stream:
        while raw := stream.readline(MAX_LINE + 1):
            size += len(raw)
            if expected.seal is not None:
                digest.update(raw)
            if raw[-1] != 10:
                rest = raw
                break
            check.line(raw[:-1])
    check.finish(torn=bool(rest))
    if rest and not expected.being_written:
        code = "torn_tail" if len(rest) <= MAX_LINE else "line_too_long"
        findings.unknown(
            code, label, check.count + 1, "a complete line", f"{len(rest)} bytes or more without a newline"
        )
    if expected.seal is not None:
        _against_seal(expected.seal, label, check.count + bool(rest), check.count, findings)
        if findings.counts["error"] == errors and (size, digest.hexdigest()) != (
            expected.seal.size,
            expected.seal.sha256,
        ):
            findings.error("file_sha256", label, None, expected.seal.sha256, digest.hexdigest())
    return FileResult(check.count, check.log_mark)


def _against_seal(seal: Seal, label: str, lines: int, whole: int, findings: Findings) -> None:
    if whole < seal.n:
        findings.error("trace_truncated", label, whole + 1, f"{seal.n} spans as sealed", f"{whole} spans")
    elif lines > whole == seal.n:
        findings.error("trace_extended", label, whole + 1, f"{seal.n} spans as sealed", "further bytes")
