"""Untrusted text inside a prompt: one JSON value a line between two marker lines it cannot contain.

JSON strings end at an unescaped quote only, and the encoder escapes every quote. Beyond what JSON asks, `<` and `>`
are escaped (so no closing marker can be spelled inside), and every control, format, private and line-separating
character (so hidden text, for example the tag characters U+E0000–E007F, shows itself as an escape instead of
being read). `json.loads` of each line gives back exactly what was put in.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_PLAIN = re.compile(r"[^\x20-\x7e]|[<>]")


def fence(name: str, records: Iterable[Any]) -> str:
    """The records as data, one JSON line each, between `<name>` and `</name>`."""
    lines = [f"<{name}>", *(encode(record) for record in records), f"</{name}>"]
    return "\n".join(lines)


def encode(record: Any) -> str:
    """One JSON line without any character that could end the line, the string or the fence."""
    return _PLAIN.sub(_escape, json.dumps(record, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char not in "<>" and unicodedata.category(char) not in _INVISIBLE:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
