"""The bytes a span is hashed over, and the strict way lines are read. Standard library only.

The rules are fixed (SPEC.md §1): this_hash = sha256(prev_hash + canonical(body)), body = the span without its hashes.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime
from typing import Any

FIELDS = frozenset(
    (
        "span_id",
        "parent_id",
        "trace_id",
        "name",
        "start",
        "end",
        "input",
        "output",
        "reasoning",
        "prev_hash",
        "this_hash",
    )
)
HASHES = ("prev_hash", "this_hash")
TEXT_FIELDS = ("span_id", "trace_id", "name", "start", "end", "reasoning", "prev_hash", "this_hash")
ZERO_HASH = "0" * 64
MAX_DEPTH = 500  # nesting of one line; below the recursion limits of every parser used here
MAX_LINE = 32 * 2**20  # bytes; our writer keeps large values beside the log, so only an attack comes near
SAFE_INTEGER = 2**53 - 1  # beyond it other languages' JSON readers lose digits

_HASH = re.compile(r"[0-9a-f]{64}\Z")
_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)"
_RFC3339 = re.compile(rf"{_DATE}[Tt ]{_TIME}(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)\Z", re.ASCII)
_PROFILE_TIME = re.compile(rf"{_DATE}T{_TIME}\.\d{{6}}Z\Z", re.ASCII)


class Malformed(Exception):
    """A line that is not strict JSON. `code` is the finding's code, `detail` what was found."""

    def __init__(self, code: str, detail: str) -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}")


def canonical(value: Any) -> bytes:
    """Python's json.dumps with sorted keys, no whitespace and ASCII escapes. ValueError on NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def span_hash(prev_hash: str, span: dict[str, Any]) -> str:
    """this_hash of `span` (its own hash fields are left out) after `prev_hash`: 64 lower-case hex."""
    body = {key: value for key, value in span.items() if key not in HASHES}
    return hashlib.sha256(prev_hash.encode("utf-8") + canonical(body)).hexdigest()


def is_hash(text: str) -> bool:
    """64 lower-case hexadecimal digits."""
    return _HASH.match(text) is not None


def is_rfc3339(text: str) -> bool:
    """A point in time that says its zone: what any writer of the format must give."""
    return _RFC3339.match(text) is not None


def is_profile_time(text: str) -> bool:
    """UTC with six digits and a Z: what our own writer gives."""
    return _PROFILE_TIME.match(text) is not None


def timestamp(moment: datetime) -> str:
    """An aware datetime as our writer spells it, UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_strict(line: bytes) -> Any:
    """The value of one line (without its newline). Raises Malformed on everything JSON readers disagree about."""
    if line.startswith(b"\xef\xbb\xbf"):
        raise Malformed("bom", "a byte order mark")
    if line.endswith(b"\r"):
        raise Malformed("crlf", "a carriage return before the newline")
    if not line.strip():
        raise Malformed("blank_line", "no span on this line")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("invalid_utf8", f"byte 0x{line[error.start]:02x} at column {error.start + 1}") from None
    if nesting(text) > MAX_DEPTH:
        raise Malformed("invalid_json", f"nested deeper than {MAX_DEPTH}")
    value = _loads(text)
    _refuse_lone_surrogates(value)
    return value


def nesting(text: str) -> int:
    """How deep arrays and objects of a JSON text are nested (an upper bound when the text is not JSON)."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for mark in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        depth += (mark in "[{") - (mark in "]}")
        deepest = max(deepest, depth)
    return deepest


def _loads(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise Malformed("invalid_json", f"{error.msg} at column {error.colno}") from None
    except (RecursionError, ValueError) as error:  # ValueError: an integer of thousands of digits
        raise Malformed("invalid_json", str(error)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Malformed("duplicate_key", twice)
    return found


def _refuse_constant(name: str) -> Any:
    raise Malformed("non_finite_number", name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise Malformed("non_finite_number", digits)
    return number


def _refuse_lone_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Malformed("lone_surrogate", f"\\u{ord(error.object[error.start]):04x}") from None


def beyond_safe_integers(value: Any) -> int | None:
    """The first integer outside ±(2^53 - 1) anywhere in `value`, or None."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, int) and abs(item) > SAFE_INTEGER:
            return item
    return None
