"""One repair round: reasons and sources go back, fixes come home under their ids, a failing model changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grounded.errors import Cancelled
from grounded.generation.repair import repair
from grounded.llm import Client
from grounded.types import Claim, Quote
from tests.generation.asking import ask, plan
from tests.tools import fake_claude
from tests.tools.fake_claude import fenced, settings_for
from tests.tools.scripted_messages import Body, Script, ScriptedMessages, Step, drop_after, reply, status
from tests.verification.small import Pages

FEE, STOCKS = "The expense ratio is 0.03 %.", "The fund holds 505 stocks."
PAGES = Pages(FEE, STOCKS)
CLAIMS = [
    Claim(id="c1", text=FEE, quotes=(Quote(source_id="S1", text="The cost is 0.03 %"),)),
    Claim(id="c2", text="The fund holds 506 stocks.", quotes=(Quote(source_id="S2", text=STOCKS),)),
    Claim(id="c3", text="The moon is cheese."),
]
FAILURES = {"c1": "snippet not found", "c2": "506 is not in the source", "c3": "the claim cites no source"}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        yield running


@pytest.fixture
def play(server: ScriptedMessages) -> Callable[..., Client]:
    def start_with(*script: Script, **more: Any) -> Client:
        server.script, server.requests[:] = script, []
        return Client(settings_for(server.url, **more))

    return start_with


Play = Callable[..., Client]


def fix(claim_id: str, action: str, text: str | None = None, *quotes: tuple[str, str]) -> dict[str, Any]:
    citations = [{"source_id": source, "quote": quote} for source, quote in quotes] or None
    return {"id": claim_id, "action": action, "text": text, "citations": citations, "calculation": None}


GOOD = [
    fix("c1", "fix_quote", "Ignored: the claim stays.", ("S1", FEE)),
    fix("c2", "fix_claim", STOCKS, ("S2", STOCKS)),
    fix("c3", "drop"),
]


def test_fix_the_quote_fix_the_claim_drop(play: Play) -> None:
    got = repair(play(reply({"repairs": GOOD})), plan(), PAGES.context(), CLAIMS, FAILURES)
    assert [(c.id, c.text, c.quotes) for c in got.claims] == [
        ("c1", FEE, (Quote(source_id="S1", text=FEE),)),
        ("c2", STOCKS, (Quote(source_id="S2", text=STOCKS),)),
    ]
    assert got.dropped == ("c3",)
    assert got.report["prompt"]["id"].startswith("repair@")


def test_only_failed_claims_are_asked_for_with_sources_and_reasons(play: Play, server: ScriptedMessages) -> None:
    repair(play(fake_claude.answer), plan(), PAGES.context(), CLAIMS, {"c2": FAILURES["c2"]})
    (request,) = server.requests
    (failed,) = fenced(request.body, "failed")
    assert (failed["id"], failed["reason"]) == ("c2", FAILURES["c2"])
    assert [turn["role"] for turn in request.body["messages"]] == ["user", "assistant", "user"]
    assert "<sources>" in request.body["messages"][0]["content"][0]["text"]


def test_the_prefix_is_the_one_that_was_cached(play: Play, server: ScriptedMessages) -> None:
    ask(play(unproven).settings, PAGES)
    generate, again = server.requests[0].body, server.requests[-1].body
    assert again["system"] == generate["system"]
    assert again["messages"][0] == generate["messages"][0]


def unproven(body: Body) -> Step:
    """A model whose only claim cites nothing."""
    if fake_claude.asked_for(body) != "claims":
        return fake_claude.answer(body)
    return reply({"claims": [{"text": FEE, "citations": None, "calculation": None}], "unanswered": None})


ODD: dict[str, list[Any]] = {
    "missing": [],
    "unknown id": [fix("c9", "fix_claim", "New.", ("S1", FEE))],
    "twice": [fix("c1", "fix_quote", None, ("S1", FEE)), fix("c1", "drop")],
    "no citations": [fix("c1", "fix_quote"), fix("c2", "fix_claim", STOCKS)],
    "no text": [fix("c2", "fix_claim", None, ("S2", STOCKS))],
    "no change": [fix("c1", "fix_quote", None, ("S1", "The cost is 0.03 %"))],
    "no objects": ["c1", 7, None, []],
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_repair_changes_nothing(play: Play, name: str) -> None:
    got = repair(play(reply({"repairs": ODD[name]})), plan(), PAGES.context(), CLAIMS, FAILURES)
    assert (got.claims, got.dropped) == ((), ())


@pytest.mark.parametrize("step", [status(529), status(400), drop_after('{"rep')], ids=["529", "400", "dropped"])
def test_a_failing_model_changes_nothing_and_says_so(play: Play, step: Step) -> None:
    got = repair(play(step), plan(), PAGES.context(), CLAIMS, FAILURES)
    assert (got.claims, got.dropped) == ((), ())
    assert "could not be sent back" in got.notes[0]
    assert got.report["attempts"]


def test_nothing_failed_nothing_sent(play: Play, server: ScriptedMessages) -> None:
    repair(play(fake_claude.answer), plan(), PAGES.context(), CLAIMS, {})
    assert not server.requests


def test_stop_is_passed_on(play: Play) -> None:
    with pytest.raises(Cancelled):
        repair(play(Step(delay=5)), plan(), PAGES.context(), CLAIMS, FAILURES, cancelled=lambda: True)


def test_repaired_claims_are_verified_again_and_both_rounds_are_kept(play: Play, server: ScriptedMessages) -> None:
    def model(body: Body) -> Step:
        wanted = fake_claude.asked_for(body)
        if wanted == "claims":
            wrong = {"text": STOCKS, "citations": [{"source_id": "S9", "quote": STOCKS}], "calculation": None}
            return reply({"claims": [wrong], "unanswered": None})
        if wanted == "repairs":
            return reply({"repairs": [fix("c1", "fix_quote", None, ("S2", STOCKS))]})
        return fake_claude.answer(body)

    asked = ask(play(model).settings, PAGES)
    (claim,) = asked.claims
    assert claim.verdict.grounded
    assert claim.citations[0].source_id == "S2"
    assert [fake_claude.asked_for(r.body) for r in server.requests] == ["claims", "repairs", "verdicts"]


def test_a_repair_that_invents_is_still_unverified(play: Play) -> None:
    def model(body: Body) -> Step:
        if fake_claude.asked_for(body) == "repairs":
            return reply({"repairs": [fix("c1", "fix_claim", "The fee is 9 %.", ("S1", "The fee is 9 %."))]})
        return unproven(body)

    asked = ask(play(model).settings, PAGES)
    assert [c.verdict.grounded for c in asked.claims] == [False]
    assert json.dumps(asked.claims[0].verdict.reason)
