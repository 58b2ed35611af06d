"""A recorded question, run again: every step from the recorded inputs, model replies from the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from grounded.audit.replay import Replayed, Step, compare
from grounded.errors import GroundedError, UsageError
from grounded.library import Library
from grounded.pipeline.graph import walk
from grounded.pipeline.models import models_for, models_on
from grounded.pipeline.run import Run, Turn
from grounded.settings import Settings, load_settings
from grounded.types import Frozen


class Replay(Frozen):
    """How a second run went. changed: what is no longer as it was then, and so may explain a difference."""

    trace_id: str
    steps: tuple[Replayed, ...]
    changed: tuple[str, ...] = ()
    live: bool = False

    @property
    def same(self) -> bool:
        """Whether every step came out as recorded."""
        return all(step.outcome == "same" for step in self.steps)


class Notebook:
    """Takes the steps of a run that leaves no trace."""

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self.steps: list[Step] = []

    def span(
        self,
        name: str,
        input: Mapping[str, Any],
        output: Mapping[str, Any],
        reasoning: str = "",
        *,
        start: datetime,
        end: datetime,
    ) -> str:
        """Keep the step."""
        self.steps.append(Step(name, input, output))
        return ""


def replay(spans: Sequence[Mapping[str, Any]], *, library: Library, live: bool = False) -> Replay:
    """Run the question of a trace again over `library` and hold every step against the record.

    spans: as `audit.reader.read_trace` gives them. live: ask the model anew (costs money) instead of the record.
    Raises UsageError for a trace that is no question of this pipeline, or whose question was erased.
    """
    run, notebook = second_run(spans, library, live=live)
    with suppress(GroundedError):  # a step that failed then fails again, and is compared like any other
        walk(run)
    return Replay(
        trace_id=notebook.trace_id,
        steps=tuple(compare(spans, notebook.steps)),
        changed=tuple(_changed(spans[0]["input"], library)),
        live=live,
    )


def second_run(spans: Sequence[Mapping[str, Any]], library: Library, *, live: bool = False) -> tuple[Run, Notebook]:
    """The question of a trace, ready to run again without leaving a trace."""
    asked = _asked(spans)
    settings = load_settings(_settings_of(asked))
    notebook = Notebook(str(spans[0]["trace_id"]))
    run = Run(
        asked["question"],
        library,
        settings,
        tuple(asked["scope"]),
        tuple(Turn(**turn) for turn in asked["history"]),
        models_for(settings) if live else models_on(settings, spans),
        notebook,
        lambda event: None,
        lambda: False,
        bool(asked["judge"]),
    )
    return run, notebook


def _asked(spans: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    asked = spans[0]["input"] if spans else {}
    needed = {"question", "scope", "history", "settings", "judge"}
    if not isinstance(asked, dict) or not needed <= asked.keys() or not isinstance(asked["question"], str):
        raise UsageError("this trace holds no question that can be run again", advice="Choose a trace of `ask`")
    return asked


def _settings_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    recorded = {name: value for name, value in asked["settings"].items() if name in Settings.model_fields}
    return recorded | {"reader": asked["reader"]}


def _changed(asked: Mapping[str, Any], library: Library) -> list[str]:
    changed = []
    if library.index_digest != asked["index_digest"]:
        changed.append("the library holds other passages than it did then")
    if library.embedder.digest != asked["embedder_digest"]:
        changed.append("another embedding model is in use")
    return changed
