"""Claude as a reader, against a scripted server: claims one by one, faults as notes, nothing made up."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grounded.errors import ModelBusy
from grounded.generation import asking as requests
from grounded.settings import Settings
from grounded.types import Claim, Context, Plan, Quote, SubQuestion
from tests.generation.asking import QUESTION, ask, read
from tests.tools import fake_claude
from tests.tools.fake_claude import fenced, settings_for
from tests.tools.scripted_messages import (
    Pause,
    Script,
    ScriptedMessages,
    Step,
    drop_after,
    end,
    event,
    events,
    other_block,
    pieces,
    reply,
    stall_after,
    start,
    status,
    text_block,
)
from tests.verification.small import Pages

FEE, STOCKS = "The expense ratio is 0.03 %.", "The fund holds 505 stocks."
PAGES = Pages(FEE, STOCKS)


def claim(text: str, *quotes: tuple[str, str]) -> dict[str, Any]:
    citations = [{"source_id": source, "quote": quote} for source, quote in quotes] or None
    return {"text": text, "citations": citations, "calculation": None}


TWO = {"claims": [claim(FEE, ("S1", FEE)), claim(STOCKS, ("S2", STOCKS))], "unanswered": None}
RAW = json.dumps(TWO)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        yield running


@pytest.fixture
def play(server: ScriptedMessages) -> Callable[..., Settings]:
    """Settings that lead to this script."""

    def start_with(*script: Script, llm: dict[str, Any] | None = None, **more: Any) -> Settings:
        server.script, server.requests[:], server.disconnects[:] = script, [], []
        return settings_for(server.url, llm, **more)

    return start_with


Play = Callable[..., Settings]


# ------------------------------------------------------------------ what goes out


def test_the_request_is_strict_cached_fenced_and_without_sampling(play: Play, server: ScriptedMessages) -> None:
    read(play(reply(TWO)), PAGES)
    body = server.requests[0].body
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    sources, _ = body["messages"][0]["content"]
    assert sources["cache_control"] == {"type": "ephemeral"}
    assert [record["id"] for record in fenced(body, "sources")] == ["S1", "S2"]
    assert fenced(body, "question") == [{"question": QUESTION}]
    assert not {"temperature", "top_p", "top_k", "seed"} & set(body)
    assert body["stream"] is True


def test_every_object_of_the_schema_is_closed_and_complete(play: Play, server: ScriptedMessages) -> None:
    def check(schema: Any) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
                assert schema["required"] == list(schema["properties"])
            for value in schema.values():
                check(value)
        elif isinstance(schema, list):
            for value in schema:
                check(value)

    ask(play(fake_claude.answer), PAGES)
    assert len(server.requests) == 2
    for request in server.requests:
        check(request.body["output_config"]["format"]["schema"])


def test_without_citations_the_labels_stay_out_of_the_prompt(play: Play, server: ScriptedMessages) -> None:
    settings = play(reply(TWO), generation={"include_citations": False})
    assert len(read(settings, PAGES).claims) == 2
    assert fenced(server.requests[0].body, "sources")[0] == {"id": "S1", "text": FEE}


def test_a_plan_of_several_steps_is_told_to_the_model() -> None:
    steps = (SubQuestion(text="Fee in 2024?"), SubQuestion(text="Fee in 2025?"))
    text = requests.question_block(Plan(question="Which fee is lower?", subquestions=steps))["text"]
    assert json.loads(text.splitlines()[1])["steps"] == ["Fee in 2024?", "Fee in 2025?"]


# ------------------------------------------------------------------ what comes back


def test_the_report_holds_what_an_auditor_needs(play: Play) -> None:
    reading = read(play(status(529), reply(TWO, model="claude-sonnet-5-5", request_id="req_7")), PAGES)
    report = reading.report
    assert report["prompt"]["id"].startswith("generate@")
    assert len(report["prompt"]["sha256"]) == len(report["request_sha256"]) == 64
    assert (report["model_asked"], report["model"]) == ("claude-sonnet-5-5", "claude-sonnet-5-5")
    assert (report["request_id"], report["stop_reason"], report["raw"]) == ("req_7", "end_turn", RAW)
    assert [a["status"] for a in report["attempts"]] == [529, 200]
    assert report["usage"]["cost_usd"] > 0
    json.dumps(report)


def test_claims_appear_before_the_reply_ends(play: Play) -> None:
    seen: list[float] = []
    read(play(reply(TWO, size=6, pause=0.01)), PAGES, on_claim=lambda _: seen.append(time.monotonic()))
    assert len(seen) == 2
    assert seen[1] - seen[0] > 0.05
    assert time.monotonic() - seen[0] > 0.1


def test_a_calculation_comes_through(play: Play) -> None:
    sum_ = {"operation": "sum", "formula": "1 + 2 = 3", "operands": ["1", "2"], "result": "3"}
    made = claim("They are 3.", ("S1", "1"), ("S1", "2")) | {"calculation": sum_}
    (got,) = read(play(reply({"claims": [made], "unanswered": None})), PAGES).claims
    assert got.calculation is not None
    assert got.calculation.operands == ("1", "2")


ENDINGS = {
    "max_tokens": ("partial", "length limit"),
    "model_context_window_exceeded": ("partial", "context window"),
    "pause_turn": ("partial", "paused"),
    "refusal": ("partial", "declined"),
    "end_turn": ("complete", ""),
    "stop_sequence": ("complete", ""),
}


@pytest.mark.parametrize("reason", ENDINGS)
def test_a_reply_that_stops_early_keeps_its_whole_claims_and_says_so(play: Play, reason: str) -> None:
    stop, says = ENDINGS[reason]
    reading = read(play(reply(RAW[:-60], stop_reason=reason)), PAGES)
    assert [c.text for c in reading.claims] == [FEE]
    assert reading.stop == stop
    assert says in " ".join(reading.notes)


SILENCES: dict[str, tuple[Step, str]] = {
    "refusal": (reply("", stop_reason="refusal"), "declined"),
    "refusal in words": (reply("I can't help with that.", stop_reason="refusal"), "declined"),
    "no content": (events(start(), *end()), "empty"),
    "white space": (reply("  \n"), "empty"),
    "only thinking": (events(start(), *other_block("thinking"), *end()), "empty"),
    "no claims": (reply({"claims": [], "unanswered": None}), "do not answer"),
    "unanswered": (reply({"claims": [], "unanswered": "They do not name the manager."}), "name the manager"),
    "prose": (reply("The fund costs 0.03 %."), "agreed form"),
    "another object": (reply({"answer": "0.03 %"}), "agreed form"),
    "claims without text": (reply({"claims": [{"text": ""}, {"text": None}, {}, 7, "x"]}), "agreed form"),
    "cut before the first claim": (reply(RAW[:40], stop_reason="max_tokens"), "before its first claim"),
    "an abstention that cites": (
        reply({"claims": [claim("The sources do not mention the manager.", ("S1", FEE))], "unanswered": None}),
        "do not mention the manager",
    ),
}


@pytest.mark.parametrize("name", SILENCES)
def test_nothing_to_say_is_an_abstention_with_its_reason(play: Play, name: str) -> None:
    step, says = SILENCES[name]
    reading = read(play(step), PAGES)
    assert reading.claims == ()
    assert says in str(reading.abstained)


def test_without_sources_nothing_is_sent(play: Play, server: ScriptedMessages) -> None:
    reading = read(play(reply(TWO)), PAGES, context=Context())
    assert reading.abstained
    assert not server.requests


def test_a_remark_on_what_is_missing_is_a_note_not_a_claim(play: Play) -> None:
    said = {"claims": [claim(FEE, ("S1", FEE)), claim("The documents don't say who manages it.")], "unanswered": None}
    reading = read(play(reply(said)), PAGES)
    assert [c.text for c in reading.claims] == [FEE]
    assert "who manages it" in " ".join(reading.notes)


FROM_S1 = Claim(id="c1", text=FEE, quotes=(Quote(source_id="S1", text=FEE),))
FORMS: dict[str, tuple[dict[str, Any], Claim]] = {
    "single citation": (
        {"text": FEE, "citation": {"source_id": "S1", "quote": FEE}},
        FROM_S1,
    ),
    "flat": (
        {"claim": FEE, "source": "S1", "quote": FEE},
        FROM_S1,
    ),
    "bracketed id": (
        {"text": FEE, "citations": [{"source_id": "[S1] voo.pdf", "quote": FEE}]},
        FROM_S1,
    ),
    "cite tags and markers": (
        {"text": '<cite index="0-1">The expense ratio</cite> is 0.03 %. [S1, S2]', "citations": None},
        Claim(id="c1", text=FEE),
    ),
    "a lone tag is text": ({"text": "Use <cite> & <b>.", "citations": None}, Claim(id="c1", text="Use <cite> & <b>.")),
    "wrong types": (
        {"text": FEE, "citations": [{"source_id": 1, "quote": FEE}, {"quote": 3}, "S1", None]},
        Claim(id="c1", text=FEE, quotes=(Quote(source_id="1", text=FEE),)),
    ),
    "line breaks": ({"text": "The expense\n ratio  is 0.03 %.", "citations": None}, Claim(id="c1", text=FEE)),
    "quote twice": (
        {"text": FEE, "citations": [{"source_id": "S1", "quote": FEE}] * 3},
        FROM_S1,
    ),
    "half a calculation": (
        {"text": FEE, "citations": None, "calculation": {"operation": "sum"}},
        Claim(id="c1", text=FEE),
    ),
    "hebrew and emoji": (
        {"text": "דמי הניהול הם 0.03 % 🙂", "citations": [{"source_id": "S1", "quote": "دمي"}]},
        Claim(id="c1", text="דמי הניהול הם 0.03 % 🙂", quotes=(Quote(source_id="S1", text="دمي"),)),
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_claim_in_another_form_is_read_and_nothing_is_added(play: Play, name: str) -> None:
    record, expected = FORMS[name]
    assert read(play(reply({"claims": [record], "unanswered": None})), PAGES).claims == (expected,)


@pytest.mark.parametrize("noise", [[None], [None, "x", 7], [{"text": ""}]])
def test_noise_between_claims_neither_doubles_nor_hides_one(play: Play, noise: list[Any]) -> None:
    said = [*noise, claim(FEE, ("S1", FEE)), *noise, claim(STOCKS, ("S2", STOCKS)), *noise]
    shown: list[Claim] = []
    reading = read(play(reply({"claims": said, "unanswered": None})), PAGES, on_claim=shown.append)
    assert [c.text for c in reading.claims] == [FEE, STOCKS]
    assert shown == list(reading.claims)


def test_two_hundred_claims_get_two_hundred_verdicts(play: Play, server: ScriptedMessages) -> None:
    many = {"claims": [claim(FEE, ("S1", FEE))] * 200, "unanswered": None}
    asked = ask(play(reply(many, size=400), fake_claude.answer), PAGES)
    assert [c.id for c in asked.claims] == [f"c{i}" for i in range(1, 201)]
    assert all(c.verdict.grounded for c in asked.claims)
    assert len(server.requests) == 1 + 67


# ------------------------------------------------------------------ faults under way


def test_a_reply_dropped_half_way_is_partial_and_says_so(play: Play, server: ScriptedMessages) -> None:
    reading = read(play(drop_after(RAW[:-60])), PAGES)
    assert [c.text for c in reading.claims] == [FEE]
    assert reading.stop == "partial"
    assert "broke off" in " ".join(reading.notes)
    assert len(server.requests) == 1


@pytest.mark.parametrize("step", [drop_after(RAW[:30]), stall_after(RAW[:30], 5)], ids=["dropped", "stalled"])
def test_a_reply_that_broke_before_its_first_claim_is_asked_for_again(play: Play, step: Step) -> None:
    reading = read(play(step, reply(TWO), llm={"stall_s": 0.5}), PAGES)
    assert len(reading.claims) == 2
    assert reading.stop == "complete"
    assert [a["outcome"] == "ok" for a in reading.report["attempts"]] == [False, True]
    assert reading.report["calls"] == 2


def test_an_error_in_the_stream_after_a_claim_keeps_it(play: Play) -> None:
    broken = events(
        start(),
        *text_block(pieces(RAW[:-60]))[:-1],
        event("error", error={"type": "overloaded_error", "message": "busy"}),
    )
    reading = read(play(broken), PAGES)
    assert len(reading.claims) == 1
    assert "overloaded" in " ".join(reading.notes)


def test_no_reply_at_all_is_an_error_with_every_attempt(play: Play) -> None:
    with pytest.raises(ModelBusy) as caught:
        read(play(status(529)), PAGES)
    assert len(caught.value.report["attempts"]) == 4


def test_stop_after_a_claim_keeps_it_and_spends_nothing_more(play: Play, server: ScriptedMessages) -> None:
    seen: list[Claim] = []
    endless = events(start(), *text_block(pieces(RAW[:-60]))[:-1], Pause(20))
    reading = read(play(endless), PAGES, on_claim=seen.append, cancelled=lambda: bool(seen))
    assert (reading.stop, len(reading.claims)) == ("cancelled", 1)
    assert "Stopped" in " ".join(reading.notes)
    until = time.monotonic() + 5
    while not server.disconnects and time.monotonic() < until:
        time.sleep(0.01)
    assert server.disconnects
    assert len(server.requests) == 1


# ------------------------------------------------------------------ native citations


def test_native_citations_become_the_same_claims(play: Play, server: ScriptedMessages) -> None:
    quotes = ask(play(fake_claude.answer), PAGES)
    native = ask(play(fake_claude.answer, generation={"mode": "native"}), PAGES)
    assert [(c.text, c.verdict.status) for c in native.claims] == [(c.text, c.verdict.status) for c in quotes.claims]
    assert native.reading.claims[1].quotes == (Quote(source_id="S2", text=STOCKS, span=(0, len(STOCKS))),)
    body = server.requests[0].body
    assert "output_config" not in body
    assert all(b["citations"] == {"enabled": True} for b in body["messages"][0]["content"] if b["type"] == "document")


def cited(text: str, **location: Any) -> dict[str, Any]:
    return {"type": "char_location", "cited_text": text} | location


def test_native_sentences_may_run_over_blocks(play: Play) -> None:
    fee = cited("0.03 %", document_index=0, start_char_index=21, end_char_index=27)
    blocks = [
        *text_block(["The fee is "], index=0),
        *text_block(["0.03 %"], index=1, citations=[fee]),
        *text_block([". Nobody knows why. It holds "], index=2),
        *text_block(["505 stocks."], index=3, citations=[cited("505 stocks", document_index=9)]),
    ]
    claims = read(play(events(start(), *blocks, *end()), generation={"mode": "native"}), PAGES).claims
    assert [c.text for c in claims] == ["The fee is 0.03 %.", "Nobody knows why.", "It holds 505 stocks."]
    assert claims[0].quotes == (Quote(source_id="S1", text="0.03 %", span=(21, 27)),)
    assert claims[1].quotes == ()
    assert claims[2].quotes[0].source_id == "document 9"


OFF = cited("x", document_index=True, start_char_index=-1, end_char_index=9**9)


@pytest.mark.parametrize("citation", [{}, {"cited_text": 3}, {"cited_text": "x"}, OFF])
def test_a_native_citation_that_is_none_grounds_nothing(play: Play, citation: dict[str, Any]) -> None:
    said = events(start(), *text_block([FEE], citations=[citation]), *end())
    asked = ask(play(said, fake_claude.answer, generation={"mode": "native"}), PAGES, repairs=False)
    assert [c.verdict.grounded for c in asked.claims] == [False]


def test_native_abstention(play: Play) -> None:
    silent = reply("NOT IN THE SOURCES: they do not name the manager.")
    reading = read(play(silent, generation={"mode": "native"}), PAGES)
    assert reading.abstained == "they do not name the manager."
