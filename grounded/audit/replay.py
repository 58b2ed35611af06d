"""Running a recorded question again: the same steps must come out.

Who knows the pipeline gives the steps of a second run (`pipeline.replay`); here they are held against the record. Steps
that ask no model, or whose model is answered from the recorded replies, must be equal but for what never repeats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

from grounded.audit.canonical import canonical
from grounded.audit.recorded import plain

VOLATILE = frozenset(
    ("timings_ms", "elapsed_ms", "duration_ms", "first_text_ms", "started", "attempts", "trace_id", "request_id")
)
_MAX_DIFFERENCES = 50


class Step(NamedTuple):
    """A step of a second run, as its span would record it."""

    name: str
    input: Mapping[str, Any]
    output: Mapping[str, Any]


class Difference(NamedTuple):
    """Where a value differs: a path like `output.hits[0].cosine`."""

    path: str
    recorded: Any
    replayed: Any


class Replayed(NamedTuple):
    """One step held against the record. missing: the second run did not come to it; added: only there."""

    name: str
    outcome: Literal["same", "different", "missing", "added"]
    differences: tuple[Difference, ...] = ()


def compare(
    recorded: Sequence[Mapping[str, Any]], steps: Iterable[Step], *, volatile: frozenset[str] = VOLATILE
) -> list[Replayed]:
    """The spans of a trace (content in place, its root left out) against a second run, step by step."""
    spans = [span for span in recorded if span["parent_id"] is not None]
    return [_step(span, step, volatile) for span, step in zip_longest(spans, steps)]


def _step(span: Mapping[str, Any] | None, step: Step | None, volatile: frozenset[str]) -> Replayed:
    if span is None or step is None:
        return Replayed(
            step.name if step else str(span["name"] if span else ""), "missing" if step is None else "added"
        )
    before = stable({"name": span["name"], "input": span["input"], "output": span["output"]}, volatile)
    after = stable(plain({"name": step.name, "input": step.input, "output": step.output}), volatile)
    found = tuple(differences(before, after))
    return Replayed(step.name, "different" if found else "same", found[:_MAX_DIFFERENCES])


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
        for index, (before, after) in enumerate(zip_longest(recorded, replayed)):
            yield from differences(before, after, f"{path}[{index}]")
    elif canonical(recorded) != canonical(replayed):
        yield Difference(path, recorded, replayed)


def diff(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> list[Replayed]:
    """Two recorded runs, step by step: what changed between them."""
    return compare(first, [Step(s["name"], s["input"], s["output"]) for s in second if s["parent_id"] is not None])
