"""JSON as models write it: fenced, with prose around, stringified, with trailing commas, cut off.

Only *complete* values are ever returned: a value that was cut off is dropped, never closed for the model, since half a
sentence can say something else than the whole one.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

_MENDS = re.compile(
    r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])|\b(?:None|undefined)\b|\bTrue\b|\bFalse\b',
    re.DOTALL,
)
_WORDS = {"None": "null", "undefined": "null", "True": "true", "False": "false", ",": ""}
_OPENING = re.compile(r"[{\[]")
_MAX_NESTING = 3
_MAX_STEPS = 4_000_000  # characters looked at for one text: keeps hostile input linear
_MAX_LITERAL = 200_000


def decode(raw: str) -> Any:
    """One JSON value, mended where that is safe, or None. NaN and infinities become null."""
    for text in (raw, _MENDS.sub(_mend, raw)):
        try:
            return json.loads(text, strict=False, parse_constant=lambda _: None)
        except (ValueError, RecursionError):
            continue
    return _python_literal(raw)


def records(raw: str, key: str) -> list[Any]:
    """The elements of the list under `key`, whatever the model put around it; [] when there is none."""
    whole = _elements(decode(raw), key, _MAX_NESTING)
    if whole is not None:
        return whole
    if scanned := ListScanner(key).feed(raw):
        return scanned
    return next((found for v in _values(raw) if (found := _elements(v, key, _MAX_NESTING)) is not None), [])


def mapping(raw: str) -> dict[str, Any]:
    """The first JSON object in the text; {} when there is none."""
    for value in _values(raw):
        if isinstance(value, str):
            return mapping(value) if value != raw else {}
        if isinstance(value, dict):
            return value
    return {}


class ListScanner:
    """Finds the elements of the list under `key` in a text that is still arriving."""

    def __init__(self, key: str) -> None:
        self._head = re.compile(rf'"{re.escape(key)}"\s*:\s*\[')
        self._text = ""
        self._at = 0
        self._inside = self._done = False
        self._depth, self._quoted, self._escaped = 0, False, False
        self._start: int | None = None

    def feed(self, text: str) -> list[Any]:
        """The elements that are complete now and were not before; elements that are no JSON are left out."""
        self._text += text
        found: list[Any] = []
        if not self._inside and not self._done:
            self._enter()
        while self._inside and self._at < len(self._text):
            element = self._step(self._text[self._at])
            if element is not None and (value := decode(element)) is not None:
                found.append(value)
        return found

    def _enter(self) -> None:
        if head := self._head.search(self._text, self._at):
            self._inside, self._at = True, head.end()

    def _step(self, char: str) -> str | None:
        """Take one character; the raw text of an element when it ends there."""
        self._at += 1
        if self._quoted:
            self._in_string(char)
        elif char == '"':
            self._quoted = True
            self._begin()
        elif char in "{[":
            self._begin()
            self._depth += 1
        elif char in "}]":
            return self._close()
        elif char == "," and self._depth == 0:
            return self._end(self._at - 1)
        elif not char.isspace():
            self._begin()
        return None

    def _in_string(self, char: str) -> None:
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == '"':
            self._quoted = False

    def _begin(self) -> None:
        if self._start is None:
            self._start = self._at - 1

    def _close(self) -> str | None:
        if self._depth == 0:
            self._inside, self._done = False, True
            return self._end(self._at - 1)
        self._depth -= 1
        return self._end(self._at) if self._depth == 0 else None

    def _end(self, at: int) -> str | None:
        start, self._start = self._start, None
        return self._text[start:at] if start is not None else None


def _values(raw: str) -> Iterator[Any]:
    """The whole text when it is one value, else every complete object or list in it, outermost first."""
    text = raw.strip().removeprefix("\ufeff").strip()
    whole = decode(text) if text[:1] in ('"', "{", "[") else None
    if whole is not None:
        yield whole
        return
    at = 0
    for _ in range(max(3, _MAX_STEPS // max(1, len(text)))):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        end = _balanced(text, opening.start())
        value = decode(text[opening.start() : end]) if end else None
        if value is not None:
            yield value
        at = end if end and value is not None else opening.start() + 1


def _balanced(text: str, start: int) -> int | None:
    """The offset after the bracket that closes the one at `start`; None when it is never closed."""
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        char = text[at]
        if quoted:
            quoted = escaped or char != '"'
            escaped = not escaped and char == "\\"
        elif char == '"':
            quoted = True
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if depth == 0:
                return at + 1
    return None


def _elements(value: Any, key: str, nesting: int) -> list[Any] | None:
    if nesting and isinstance(value, str):
        return _elements(decode(value), key, nesting - 1)
    if isinstance(value, list):
        return value if any(isinstance(v, dict) for v in value) else None
    if not isinstance(value, dict) or key not in value:
        return None
    inner = value[key]
    if isinstance(inner, str):
        inner = decode(inner)
    if isinstance(inner, dict):
        return list(inner.values()) if inner and all(isinstance(v, dict) for v in inner.values()) else [inner]
    return inner if isinstance(inner, list) else []


def _python_literal(raw: str) -> Any:
    """A dict or list with single quotes, as Python prints it; None when it is none."""
    if len(raw) > _MAX_LITERAL:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(raw.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _mend(match: re.Match[str]) -> str:
    return _WORDS.get(match.group(), match.group())
