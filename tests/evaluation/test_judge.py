"""The judge: three scores in 0..1 with reasons, the raw reply kept, missing is null and never zero."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from grounded.errors import Cancelled
from grounded.evaluation.judge import SCORES, ClaudeJudge, Judge, Judgement
from grounded.llm import Client, never
from grounded.types import Context
from tests.tools import fake_claude
from tests.tools.fake_claude import fenced, settings_for
from tests.tools.scripted_messages import Script, ScriptedMessages, Step, reply, status
from tests.verification.small import Pages

FEE = "The expense ratio is 0.03 %."
CONTEXT = Pages(FEE).context()


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        yield running


@pytest.fixture
def play(server: ScriptedMessages) -> Callable[..., ClaudeJudge]:
    def start_with(*script: Script, **more: Any) -> ClaudeJudge:
        server.script, server.requests[:] = script, []
        return ClaudeJudge(Client(settings_for(server.url, **more)))

    return start_with


Play = Callable[..., ClaudeJudge]


def entry(score: Any, reason: Any = "because") -> dict[str, Any]:
    return {"score": score, "reason": reason}


def test_scores_reasons_and_raw_come_back(play: Play, server: ScriptedMessages) -> None:
    said = {"faithfulness": entry(1), "context_relevance": entry(0.25), "answer_relevance": entry(0.0, "off topic")}
    got = play(reply(said)).judge("What does it cost?", [FEE], CONTEXT)
    assert (got.faithfulness, got.context_relevance, got.answer_relevance) == (1.0, 0.25, 0.0)
    assert got.reasons["answer_relevance"] == "off topic"
    assert json.loads(got.raw) == said
    assert got.report["prompt"]["id"].startswith("judge@")
    assert got.report["usage"]["output_tokens"] == 50
    assert fenced(server.requests[0].body, "answer") == [{"question": "What does it cost?", "claims": [FEE]}]
    assert set(got.record()) == {*SCORES, "reasons", "raw", "by", "error"}


@pytest.mark.parametrize("score", [None, "0.9", True, -0.1, 1.01, 95, float("nan"), float("inf"), [], {}])
def test_a_score_that_is_none_is_null(play: Play, score: Any) -> None:
    raw = json.dumps({"faithfulness": entry(score), "answer_relevance": entry(0.5, 3)})
    got = play(reply(raw)).judge("Q?", [FEE], CONTEXT)
    assert (got.faithfulness, got.context_relevance, got.answer_relevance) == (None, None, 0.5)
    assert got.reasons == {"faithfulness": "because"}


@pytest.mark.parametrize("step", [status(529), status(401), reply("Great answer!"), reply("[]")])
def test_no_judgement_is_null_three_times(play: Play, step: Step) -> None:
    got = play(step).judge("Q?", [FEE], CONTEXT)
    assert [getattr(got, name) for name in SCORES] == [None, None, None]
    assert got.error or got.raw


def test_stop_is_passed_on(play: Play) -> None:
    with pytest.raises(Cancelled):
        play(Step(delay=5)).judge("Q?", [FEE], CONTEXT, cancelled=lambda: True)


def test_a_judge_of_ones_own_has_the_same_shape() -> None:
    class Strict:
        def judge(
            self, question: str, claims: Sequence[str], context: Context, *, cancelled: Callable[[], bool] = never
        ) -> Judgement:
            return Judgement(faithfulness=float(all(c in context.text for c in claims)), by="strict policy")

    own: Judge = Strict()
    assert own.judge("Q?", [FEE], CONTEXT).record()["context_relevance"] is None
