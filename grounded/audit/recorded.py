"""Turning Python values into the JSON that a span records."""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from grounded.audit.canonical import SAFE_INTEGER, canonical, timestamp
from grounded.audit.content import LARGE, SALT_BYTES, Commitment, ContentStore, Erasable, commitment_of


class Recorder:
    """Makes recorded values and keeps the large and the erasable ones beside the log.

    store None: those values are only committed to, not kept. erasable: names of fields that are always erasable."""

    def __init__(self, store: ContentStore | None, erasable: Collection[str] = ()) -> None:
        self._store, self._erasable = store, frozenset(erasable)
        self.kept = 0

    def record(self, value: Any) -> Any:
        """The JSON for `value`: models dumped, tuples as lists, keys as text, large and erasable values committed to.

        Numbers JSON cannot carry safely (NaN, infinities, integers beyond 2^53) become text; lone surrogates become
        U+FFFD; unknown objects their repr."""
        if isinstance(value, Erasable):
            return self._commit(plain(value.value))
        value = _opened(value)
        if isinstance(value, Mapping):
            return {escape_key(key): self._field(str(key), item) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.record(item) for item in value]
        simple = plain(value)
        return self._commit(simple) if isinstance(simple, str) and len(simple) > LARGE else simple

    def _field(self, name: str, item: Any) -> Any:
        return self._commit(plain(item)) if name in self._erasable and item is not None else self.record(item)

    def _commit(self, value: Any) -> dict[str, Any]:
        content = canonical(value)
        if self._store is None:
            return not_kept(content).as_json()
        self.kept += 1
        return self._store.put(content).as_json()


def not_kept(content: bytes) -> Commitment:
    """A commitment whose content and salt are thrown away: it says that there was something, and how long it was."""

    return Commitment(commitment_of(secrets.token_bytes(SALT_BYTES), content), len(content), stored=False)


def plain(value: Any) -> Any:
    """`value` as JSON data, nothing committed to."""
    value = _opened(value.value if isinstance(value, Erasable) else value)
    if isinstance(value, Mapping):
        return {escape_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return value if value.isascii() else _without_lone_surrogates(value)
    if value is None or isinstance(value, bool):
        return value
    return _number(value)


def escape_key(key: Any) -> str:
    """A field name as recorded: `$` is reserved for the log's own marks."""
    name = _without_lone_surrogates(str(key))
    return f"${name}" if name.startswith("$") else name


def _opened(value: Any) -> Any:
    """Models, arrays and dates as built-in types."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return value.tolist()
    return timestamp(value) if isinstance(value, datetime) and value.tzinfo else value


def _number(value: Any) -> Any:
    if isinstance(value, int):
        return int(value) if abs(value) <= SAFE_INTEGER else str(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    return _without_lone_surrogates(str(value))


def _without_lone_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
