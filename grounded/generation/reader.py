"""What every reader is: question and context in, claims out, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from pydantic import Field

from grounded.types import Claim, Context, Frozen, PageSource, Plan, ReaderName, Usage


class Reading(Frozen):
    """All a reader has to say about one question."""

    claims: tuple[Claim, ...] = ()
    abstained: str | None = Field(default=None, description="why there is no claim; None when there are claims")
    model: str | None = None
    usage: Usage = Usage()
    stop: Literal["complete", "partial", "cancelled"] = "complete"
    notes: tuple[str, ...] = Field(default=(), description="degradations, in words a user reads")
    report: dict[str, Any] = Field(
        default_factory=dict,
        description="for the trace: prompt id and sha256, request ids, stop reason, attempts, raw output, …",
    )


class Reader(Protocol):
    """A reader of sources: the extractive one and Claude have the same shape."""

    name: ReaderName

    def read(
        self,
        plan: Plan,
        context: Context,
        pages: PageSource,
        *,
        on_claim: Callable[[Claim], None],
        cancelled: Callable[[], bool],
    ) -> Reading:
        """Read the context for the plan's question. Calls on_claim as each claim completes; asks cancelled() often.

        Raises ModelError when the model cannot be used at all; everything less is a note in the Reading.
        """
        ...


def not_mentioned(names: Sequence[str]) -> str:
    """What a reader of the answer has to know of names that stand in no document."""
    said = ", ".join(f"“{name}”" for name in dict.fromkeys(names))
    return f"No document searched mentions {said}."
