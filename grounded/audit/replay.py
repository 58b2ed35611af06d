"""Running recorded steps again: a deterministic node must give the recorded output from the recorded input.

The caller gives the nodes, by the names of their spans. A node takes the input as recorded (content in place) and the
recorded replies of the models, in the order they were given, and returns the output as it would be recorded. A node
that asks a model takes its reply from `Replies` (free, offline), or asks a live one and is then compared, not proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from grounded.audit.canonical import canonical
from grounded.audit.recorded import plain
from grounded.errors import AuditError, GroundedError

VOLATILE = frozenset(("timings_ms", "elapsed_ms", "duration_ms", "trace_id"))
_MAX_DIFFERENCES = 50


class Replies:
    """What models answered in one recorded step, in order. Reading past the end is an error: the step changed."""

    def __init__(self, recorded: Mapping[str, Any]) -> None:
        found = recorded.get("replies")
        self._left = list(found) if isinstance(found, list) else [recorded["raw"]] if "raw" in recorded else []

    def next(self) -> Any:
        """The next recorded reply."""
        if not self._left:
            raise AuditError("the step asks the model more often than it did when it was recorded")
        return self._left.pop(0)


Node = Callable[[dict[str, Any], Replies], Mapping[str, Any]]


class Difference(NamedTuple):
    """Where a value differs: a path like `hits[0].cosine`."""

    path: str
    recorded: Any
    replayed: Any


class Replayed(NamedTuple):
    """One step run again. same: equal; different: with the differences; failed: it raised; skipped: no node for it."""

    name: str
    span_id: str
    outcome: Literal["same", "different", "failed", "skipped"]
    differences: tuple[Difference, ...] = ()
    error: str = ""


def replay(
    spans: Sequence[Mapping[str, Any]], nodes: Mapping[str, Node], *, volatile: frozenset[str] = VOLATILE
) -> list[Replayed]:
    """Run the steps of a trace again that `nodes` has a function for. volatile: fields that never repeat (times)."""
    return [_step(span, nodes.get(str(span["name"])), volatile) for span in spans]


def _step(span: Mapping[str, Any], node: Node | None, volatile: frozenset[str]) -> Replayed:
    name, span_id = str(span["name"]), str(span["span_id"])
    if node is None:
        return Replayed(name, span_id, "skipped")
    try:
        output = plain(dict(node(dict(span["input"]), Replies(span["output"]))))
    except (GroundedError, LookupError, TypeError, ValueError) as error:
        return Replayed(name, span_id, "failed", error=f"{type(error).__name__}: {error}")
    recorded, replayed = stable(plain(span["output"]), volatile), stable(output, volatile)
    if canonical(recorded) == canonical(replayed):
        return Replayed(name, span_id, "same")
    return Replayed(name, span_id, "different", tuple(differences(recorded, replayed))[:_MAX_DIFFERENCES])


def stable(value: Any, volatile: frozenset[str] = VOLATILE) -> Any:
    """`value` without its volatile fields."""
    if isinstance(value, dict):
        return {key: stable(item, volatile) for key, item in value.items() if key not in volatile}
    return [stable(item, volatile) for item in value] if isinstance(value, list) else value


def differences(recorded: Any, replayed: Any, path: str = "") -> Iterator[Difference]:
    """Where two JSON values differ, in order."""
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        for key in sorted(recorded.keys() | replayed.keys()):
            yield from differences(recorded.get(key), replayed.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(recorded, list) and isinstance(replayed, list):
        for index in range(max(len(recorded), len(replayed))):
            left, right = (items[index] if index < len(items) else None for items in (recorded, replayed))
            yield from differences(left, right, f"{path}[{index}]")
    elif canonical(recorded) != canonical(replayed):
        yield Difference(path or "output", recorded, replayed)
