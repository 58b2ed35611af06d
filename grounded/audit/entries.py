"""The ledger's entries: which kinds there are, what each must say, and what they add up to. Standard library only."""

from __future__ import annotations

from typing import Any

from grounded.audit.canonical import SAFE_INTEGER, is_hash, is_profile_time
from grounded.audit.layout import is_trace_id

PROFILE = "grounded-audit/1"
STATUSES = frozenset(("ok", "error", "aborted", "cancelled"))
COMMON = frozenset(("seq", "time", "kind"))
OPTIONAL = frozenset(("clock_jump_ms",))  # how far the wall clock left the steady one since the last entry
# kind -> the fields it must have, the fields it may have
KINDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "log.genesis": (frozenset(("origin", "key", "profile")), frozenset(("replaces",))),
    "trace.open": (frozenset(("trace_id",)), frozenset()),
    "trace.close": (
        frozenset(("trace_id", "status", "n", "spans", "bytes", "file_sha256")),
        frozenset(("quarantined",)),
    ),
    "erasure": (frozenset(("trace_id", "commits", "reason", "actor")), frozenset()),
    "hold": (frozenset(("trace_id", "reason", "actor")), frozenset()),
    "release": (frozenset(("trace_id", "reason", "actor")), frozenset()),
    "key.rotate": (frozenset(("old", "new")), frozenset()),
    "anchor": (frozenset(("type", "size", "root", "token_sha256")), frozenset()),
    "heartbeat": (frozenset(("dropped_writes",)), frozenset()),
    "audit": (frozenset(("action", "actor")), frozenset(("trace_id",))),
    "ledger.recover": (frozenset(("entries_bytes", "checkpoints_bytes", "sha256")), frozenset()),
}
_COUNTS = frozenset(("n", "bytes", "size", "dropped_writes", "entries_bytes", "checkpoints_bytes"))
_DIGESTS = frozenset(("file_sha256", "token_sha256", "sha256", "root"))
_DIGEST_LISTS = frozenset(("spans", "commits"))
_TEXTS = frozenset(("origin", "key", "profile", "reason", "actor", "old", "new", "type", "action"))


def entry_fault(entry: Any, seq: int) -> tuple[str, str, str] | None:
    """What is wrong with the entry at position `seq`: (code, expected, found), or None."""
    if not isinstance(entry, dict) or not entry.keys() >= COMMON:
        return "ledger_fields", "an object with seq, time, kind", _keys(entry)
    if type(entry["seq"]) is not int or entry["seq"] != seq:
        return "ledger_seq", str(seq), str(entry["seq"])
    if not isinstance(entry["kind"], str) or entry["kind"] not in KINDS:
        return "ledger_kind", "one of " + ", ".join(KINDS), str(entry["kind"])
    must, may = KINDS[entry["kind"]]
    if not COMMON | must <= entry.keys() <= COMMON | must | may | OPTIONAL:
        return "ledger_fields", ", ".join(sorted(must)), _keys(entry)
    return _value_fault(entry)


def _value_fault(entry: dict[str, Any]) -> tuple[str, str, str] | None:
    if not isinstance(entry["time"], str) or not is_profile_time(entry["time"]):
        return "timestamp_format", "YYYY-MM-DDTHH:MM:SS.ffffffZ", str(entry["time"])
    for field, value in entry.items():
        if not _fits(field, value):
            return "ledger_value", f"a proper {field}", str(value)[:80]
    if entry["kind"] == "trace.close" and entry["n"] != len(entry["spans"]):
        return "ledger_value", f"n = {len(entry['spans'])}, the number of spans", str(entry["n"])
    return None


def _fits(field: str, value: Any) -> bool:
    if field in _COUNTS:
        return type(value) is int and 0 <= value <= SAFE_INTEGER
    if field in _DIGESTS:
        return isinstance(value, str) and is_hash(value)
    if field in _DIGEST_LISTS:
        return isinstance(value, list) and all(isinstance(item, str) and is_hash(item) for item in value)
    if field == "trace_id":
        return isinstance(value, str) and is_trace_id(value)
    if field == "status":
        return isinstance(value, str) and value in STATUSES
    if field == "clock_jump_ms":
        return type(value) is int and abs(value) <= SAFE_INTEGER
    return isinstance(value, str) if field in _TEXTS else True


def _keys(entry: Any) -> str:
    return ", ".join(sorted(map(str, entry))) if isinstance(entry, dict) else type(entry).__name__
