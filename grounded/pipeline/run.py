"""What one question's nodes share, and how a step is recorded and told."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypedDict

from grounded.generation.reader import Reading
from grounded.library import Library
from grounded.pipeline.models import Models
from grounded.settings import Settings
from grounded.types import Answer, Context, Hit, Plan, VerifiedClaim

EventKind = Literal["started", "finished", "claim", "answer"]


@dataclass(frozen=True, slots=True)
class Event:
    """What a listener may show: a node began, or ended (its span is on disk), a claim came, the answer is sealed."""

    kind: EventKind
    node: str
    detail: str = ""
    data: Any = None


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the session with its answer's text: helps to read a follow-up, is never evidence."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What a node did: the state's update, and what its span records."""

    update: State
    input: dict[str, Any]
    output: dict[str, Any]
    reasoning: str


class Recorder(Protocol):
    """Where spans go: a trace of the audit log, or a notebook when a run is only repeated."""

    trace_id: str

    def span(
        self,
        name: str,
        input: Mapping[str, Any],
        output: Mapping[str, Any],
        reasoning: str = "",
        *,
        start: datetime,
        end: datetime,
    ) -> str: ...


@dataclass(slots=True)
class Run:
    """One question on its way."""

    question: str
    library: Library
    settings: Settings
    scope: tuple[str, ...]
    history: tuple[Turn, ...]
    models: Models
    trace: Recorder
    listener: Callable[[Event], None]
    cancelled: Callable[[], bool]
    judge: bool = False
    notes: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)

    def tell(self, kind: EventKind, node: str, detail: str = "", data: Any = None) -> None:
        """Hand an event to the listener."""
        self.listener(Event(kind, node, detail, data))

    def write(self, name: str, start: datetime, end: datetime, step: Step) -> None:
        """Put a step's span on disk."""
        self.trace.span(name, step.input, step.output, step.reasoning, start=start, end=end)

    @property
    def elapsed_ms(self) -> float:
        """Since the question was taken up: the nodes, and writing their spans down."""
        return round((time.perf_counter() - self.began) * 1000, 3)

    def spend(self, milliseconds: float, name: str) -> None:
        """Add to a node's time; a node may run twice."""
        self.timings[name] = round(self.timings.get(name, 0.0) + milliseconds, 3)


class State(TypedDict, total=False):
    """What flows along the arrows."""

    run: Run
    plan: Plan
    hits: list[Hit]
    context: Context
    reading: Reading
    verified: list[VerifiedClaim]
    rounds: int
    judgement: dict[str, Any] | None
    answer: Answer
