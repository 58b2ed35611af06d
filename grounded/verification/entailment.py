"""What a second opinion is: a model that reads claim, snippet and source, and says whether the claim follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pydantic import Field

from grounded.types import Frozen, Status


class EntailmentItem(Frozen):
    """One claim to judge. The model sees nothing else: not the question, not the other claims."""

    id: str = Field(description="the claim's id; the verdict comes back under it")
    claim: str
    snippet: str = Field(description="the located quotes, re-read from the page, one a line")
    source: str = Field(description="the cited chunks, with their section and table headers")


class ModelVerdict(Frozen):
    """What the model said about one item."""

    grounded: bool
    status: Status
    reason: str
    confidence: float = Field(ge=0, le=1)
    report: dict[str, Any] = Field(default_factory=dict, description="for the trace: prompt id, request id, model")


class Entailment(Protocol):
    """A judge of items. Items it could not judge are missing from the result; it raises ModelError when it could
    judge none because the model cannot be used at all."""

    model: str

    def judge(
        self, items: Sequence[EntailmentItem], *, cancelled: Callable[[], bool]
    ) -> Mapping[str, ModelVerdict]: ...
