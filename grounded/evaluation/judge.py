"""Judges of a finished answer, called explicitly. A score is a model's opinion, never proof; missing is null, not 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pydantic import Field

from grounded.errors import ModelError
from grounded.llm import Call, Client, fence, load_prompt, never
from grounded.llm.lenient import mapping
from grounded.types import Context, Frozen

SCORES = ("faithfulness", "context_relevance", "answer_relevance")
_SCORE: dict[str, Any] = {
    "type": "object",
    "properties": {"score": {"anyOf": [{"type": "number"}, {"type": "null"}]}, "reason": {"type": "string"}},
    "required": ["score", "reason"],
    "additionalProperties": False,
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": dict.fromkeys(SCORES, _SCORE),
    "required": list(SCORES),
    "additionalProperties": False,
}


class Judgement(Frozen):
    """Scores in 0..1 or None, a reason for each, and the judge's own words."""

    faithfulness: float | None = None
    context_relevance: float | None = None
    answer_relevance: float | None = None
    reasons: dict[str, str] = Field(default_factory=dict)
    raw: str = ""
    by: str = Field(description="the judge: a model's name, or a custom judge's")
    error: str | None = Field(default=None, description="why there are no scores")
    report: dict[str, Any] = Field(default_factory=dict, description="for the trace: prompt, request id, usage, …")

    def record(self) -> dict[str, Any]:
        """For `Answer.judge`: everything but the report."""
        return self.model_dump(mode="json", exclude={"report"})


class Judge(Protocol):
    """Anything that can judge an answer: a model, a policy, a program of the user's own."""

    def judge(
        self, question: str, claims: Sequence[str], context: Context, *, cancelled: Callable[[], bool] = never
    ) -> Judgement: ...


class ClaudeJudge:
    """The built-in judge."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._prompt = load_prompt("grounded.evaluation", "judge")

    def judge(
        self, question: str, claims: Sequence[str], context: Context, *, cancelled: Callable[[], bool] = never
    ) -> Judgement:
        """Score an answer (its claims as text). When the model fails the scores are None and `error` says why.
        Raises Cancelled when stopped."""
        model = self._client.settings.model
        try:
            reply = self._client.complete(self._call(question, claims, context), cancelled=cancelled)
        except ModelError as error:
            return Judgement(by=model, error=error.what, report={"error": error.kind} | error.report)
        scores = mapping(reply.text)
        report = reply.report() | {"prompt": self._prompt.record()}
        return Judgement(
            **{name: score_of(scores.get(name)) for name in SCORES},
            reasons={name: reason for name in SCORES if (reason := _reason(scores.get(name)))},
            raw=reply.text,
            by=reply.model or model,
            report=report,
        )

    def _call(self, question: str, claims: Sequence[str], context: Context) -> Call:
        passages = [{"id": source.id, "from": source.label, "text": source.text} for source in context.sources]
        answer = {"question": question, "claims": list(claims)}
        data = fence("context", passages) + "\n" + fence("answer", [answer])
        return Call(
            purpose="judge",
            model=self._client.settings.model,
            system=self._prompt.text,
            messages=({"role": "user", "content": [{"type": "text", "text": data}]},),
            max_tokens=3000,
            output_schema=_SCHEMA,
        )


def score_of(entry: Any) -> float | None:
    """The score of an entry ({"score": 0.9, …} or 0.9 itself) when it is a number in 0..1, else None."""
    value = entry.get("score") if isinstance(entry, dict) else entry
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 <= value <= 1 else None


def _reason(entry: Any) -> str:
    reason = entry.get("reason") if isinstance(entry, dict) else None
    return reason if isinstance(reason, str) else ""
