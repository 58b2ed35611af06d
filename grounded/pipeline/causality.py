"""Cited or used? A recorded question asked again without one source at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from grounded import locations
from grounded.audit.writer import shared_log
from grounded.errors import UsageError
from grounded.generation.causality import Cost, SourceEffect, leave_one_out, leave_one_out_cost
from grounded.library import Library
from grounded.llm import Client
from grounded.pipeline.graph import walk
from grounded.pipeline.replay import second_run
from grounded.settings import Settings
from grounded.types import Claim, Context, Plan


class Causality:
    """Leave-one-source-out for one trace: first its cost, then, when wanted, the runs."""

    def __init__(self, spans: Sequence[Mapping[str, Any]], library: Library, settings: Settings) -> None:
        """The steps before the model come from the record. Raises UsageError for a trace that no model answered."""
        run, _ = second_run(spans, library)
        if run.models.client is None:
            raise UsageError("no model answered this question", advice="The extractive reader uses only what it cites")
        state = walk(run)
        self._of, self._library, self._settings = str(spans[0]["trace_id"]), library, settings
        self._plan: Plan = state["plan"]
        self._context: Context = state["context"]
        self._claims: tuple[Claim, ...] = state["reading"].claims
        self._client = Client(settings.model_copy(update={"model": run.settings.model}))
        self.sources = tuple(source.id for source in self._context.sources)

    def cost(self) -> Cost:
        """What `run` would cost at most."""
        return leave_one_out_cost(self._client, self._plan, self._context, self.sources)

    def run(
        self,
        *,
        on_source: Callable[[SourceEffect], None] = lambda effect: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[SourceEffect]:
        """Ask again without each source in turn; a trace of its own holds every run.

        Raises Cancelled when stopped, ModelError when a run failed; the trace keeps what was found until then."""
        log = shared_log(self._settings.traces, state=locations.state(), settings=self._settings.audit)
        asked = {"of": self._of, "question": self._plan.question, "sources": list(self.sources)}
        began = [datetime.now(UTC)]
        with log.open("leave_one_out", asked, "which sources were used, not only cited") as trace:

            def keep(effect: SourceEffect) -> None:
                now = datetime.now(UTC)
                said = "used" if effect.used else "made no difference"
                without = {"without": effect.source_id}
                trace.span("leave_out", without, effect.model_dump(mode="json"), said, start=began[-1], end=now)
                began.append(now)
                on_source(effect)

            return leave_one_out(
                self._client,
                self._plan,
                self._context,
                self._library,
                self._claims,
                self.sources,
                on_source=keep,
                cancelled=cancelled,
            )
