"""The whole pipeline with Claude behind a scripted server: every fault ends in an answer that says so, in the trace,
without the key, without a traceback, and never with an unverified claim shown as grounded."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grounded import cli
from grounded.audit.verify import verify_folder
from grounded.library import Library
from grounded.pipeline import Event, Turn, ask
from grounded.settings import Settings
from grounded.types import Answer
from tests.tools import fake_claude
from tests.tools.fake_claude import fenced, settings_for
from tests.tools.scripted_messages import (
    Body,
    Script,
    ScriptedMessages,
    Step,
    drop_after,
    end,
    events,
    other_block,
    plain,
    reply,
    stall_after,
    start,
    status,
)

KEY = b"sk-ant-test-0123456789"
QUESTION = "What is the expense ratio?"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        yield running


@pytest.fixture
def play(server: ScriptedMessages, library: Library, tmp_path: Path) -> Callable[..., Settings]:
    def start_with(*script: Script, llm: dict[str, Any] | None = None, **more: Any) -> Settings:
        server.script, server.requests[:], server.disconnects[:] = script, [], []
        return settings_for(server.url, llm, traces=tmp_path / "traces", library=library.uri, **more)

    return start_with


Play = Callable[..., Settings]


def instead(wanted: str, step: Step) -> Script:
    """The fake model, but one kind of request meets `step`."""
    return lambda body: step if fake_claude.asked_for(body) == wanted else fake_claude.answer(body)


def spans(settings: Settings, answer: Answer) -> list[dict[str, Any]]:
    lines = (settings.traces / f"{answer.trace_id}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def assert_sound(answer: Answer, settings: Settings, state: Path) -> None:
    """What holds after every fault."""
    report = verify_folder(settings.traces, state=state)
    assert report.verdict == "intact"
    for claim in answer.claims:
        if claim.verdict.grounded:
            assert claim.citations
            assert all(c.match in ("exact", "folded") for c in claim.citations)
    for folder in (settings.traces, state):
        for path in folder.rglob("*"):
            assert not path.is_file() or KEY not in path.read_bytes()
    assert "Traceback" not in answer.model_dump_json()


def test_an_answer_from_first_claim_to_seal(
    play: Play, library: Library, private_state: Path, server: ScriptedMessages
) -> None:
    settings = play(fake_claude.answer)
    answer = ask(QUESTION, library=library, settings=settings, judge=True)
    assert (answer.status, answer.reader) == ("answered", "claude")
    assert answer.grounded_share == 1.0
    assert all(c.verdict.basis == "both" for c in answer.claims)
    assert answer.judge is not None
    assert answer.judge["faithfulness"] == 1.0
    assert answer.usage.input_tokens == 100 * len(server.requests)
    by_name = {span["name"]: span["output"] for span in spans(settings, answer)}
    assert by_name["generate"]["prompt"]["id"].startswith("generate@")
    assert by_name["verify"]["calls"][0]["prompt"]["id"].startswith("entail@")
    assert_sound(answer, settings, private_state)


SILENT = ("slow", "stalled")
GENERATION: dict[str, tuple[Step, str, str]] = {
    "400": (status(400, "invalid_request_error"), "failed", "invalid"),
    "401": (status(401, "authentication_error", KEY.decode()), "failed", "key"),
    "403": (status(403, "permission_error"), "failed", "right"),
    "404": (status(404, "not_found_error"), "failed", "ANTHROPIC_MODEL"),
    "413": (status(413, "request_too_large"), "failed", "too large"),
    "422": (status(422), "failed", "422"),
    "429": (status(429, "rate_limit_error"), "failed", "rate limit"),
    "429 for an hour": (status(429, "rate_limit_error", retry_after="3600"), "failed", "asks to wait 3"),
    "500": (status(500), "failed", "fault of its own"),
    "503": (status(503), "failed", "503"),
    "529": (status(529, "overloaded_error"), "failed", "overloaded"),
    "slow": (Step(delay=5), "failed", "did not begin"),
    "portal": (plain("<html>Sign in <b>here</b></html>"), "failed", "not a Messages API reply"),
    "refusal": (reply("", stop_reason="refusal"), "abstained", ""),
    "empty": (events(start(), *end()), "abstained", ""),
    "prose": (reply("The expense ratio is surely low."), "abstained", ""),
    "no claims": (reply({"claims": [], "unanswered": "Nothing on that."}), "abstained", ""),
    "unknown blocks": (events(start(), *other_block("thinking"), *other_block("hologram", 1), *end()), "abstained", ""),
    "html in a claim": (
        reply({"claims": [{"text": "<img src=x onerror=1> $x$ :red[y]", "citations": None}]}), "answered", "",
    ),
    "stalled": (stall_after('{"claims": [{"te', 5), "abstained", "stopped arriving"),
    "dropped": (drop_after('{"claims": [{"text": "It is 1 %.", "citations": null}, {"te'), "answered", "incomplete"),
    "max_tokens": (
        reply('{"claims": [{"text": "It is 1 %.", "citations": null}, {"te', stop_reason="max_tokens"),
        "answered", "length limit",
    ),
    "window": (reply('{"claims": [', stop_reason="model_context_window_exceeded"), "abstained", "context window"),
    "pause_turn": (reply('{"claims": [', stop_reason="pause_turn"), "abstained", "paused"),
}  # fmt: skip


@pytest.mark.parametrize("name", GENERATION)
def test_a_fault_of_the_generator(play: Play, library: Library, private_state: Path, name: str) -> None:
    step, ends, says = GENERATION[name]
    limits = {"first_byte_s": 0.5, "stall_s": 0.5} if name in SILENT else {}
    llm = limits | {"max_attempts": 2}
    settings = play(instead("claims", step), llm=llm, verification={"repair_rounds": 0})
    answer = ask(QUESTION, library=library, settings=settings)
    assert answer.status == ends
    assert says in " ".join(answer.notes)
    assert not [claim for claim in answer.claims if claim.verdict.grounded]
    (generate,) = [span["output"] for span in spans(settings, answer) if span["name"] == "generate"]
    assert generate["attempts"]
    assert_sound(answer, settings, private_state)


VERIFICATION: dict[str, Step] = {
    "401": status(401),
    "404": status(404),
    "429": status(429),
    "529": status(529, "overloaded_error"),
    "slow": Step(delay=5),
    "stalled": stall_after('{"verdicts": [{"id": "c1", "grounded": true', 5),
    "dropped": drop_after('{"verdicts": [{"id": "c1", "status": "grounded", "grounded": true, "confidence": 1'),
    "refusal": reply("", stop_reason="refusal"),
    "prose": reply("Everything is grounded!"),
    "empty list": reply({"verdicts": []}),
    "other ids": reply({"verdicts": [{"id": "c77", "status": "grounded", "grounded": True, "confidence": 1}]}),
    "wrong types": reply({"verdicts": [{"id": "c1", "status": "grounded", "grounded": "yes", "confidence": "1"}]}),
    "all grounded": reply({"verdicts": "all grounded"}),
}


@pytest.mark.parametrize("name", VERIFICATION)
def test_a_fault_of_the_verifier_grounds_nothing(play: Play, library: Library, private_state: Path, name: str) -> None:
    limits = {"first_byte_s": 0.5, "stall_s": 0.5} if name in SILENT else {}
    limits |= {"max_attempts": 2}
    settings = play(instead("verdicts", VERIFICATION[name]), llm=limits, verification={"repair_rounds": 0})
    answer = ask(QUESTION, library=library, settings=settings)
    assert answer.status == "answered"
    assert {claim.verdict.status for claim in answer.claims} == {"unverified"}
    assert answer.grounded_share == 0.0
    verified = [span["output"] for span in spans(settings, answer) if span["name"] == "verify"]
    assert verified[0]["calls"][0]["attempts"]
    assert_sound(answer, settings, private_state)


def test_a_budget_that_is_reached_stops_before_spending(play: Play, library: Library, server: ScriptedMessages) -> None:
    answer = ask(QUESTION, library=library, settings=play(fake_claude.answer, llm={"budget_usd_question": 0.001}))
    assert answer.status == "failed"
    assert "BUDGET_USD_QUESTION" in " ".join(answer.notes)
    assert not server.requests


def test_a_source_that_does_not_exist_gets_one_repair_and_is_never_shown(
    play: Play, library: Library, server: ScriptedMessages
) -> None:
    made_up = {"text": "The fee is 0.07 %.", "citations": [{"source_id": "S99", "quote": "0.07 %"}]}
    again = {"id": "c1", "action": "fix_quote", "citations": [{"source_id": "S98", "quote": "0.07 %"}]}

    def model(body: Body) -> Step:
        wanted = fake_claude.asked_for(body)
        said = {"claims": {"claims": [made_up]}, "repairs": {"repairs": [again]}}
        return reply(said[wanted]) if wanted in said else fake_claude.answer(body)

    answer = ask(QUESTION, library=library, settings=play(model))
    assert [fake_claude.asked_for(r.body) for r in server.requests] == ["claims", "repairs"]
    assert [claim.verdict.status for claim in answer.claims] == ["unverified"]
    assert not re.search(r"S9[89]", "".join(c.model_dump_json() for claim in answer.claims for c in claim.citations))


def test_stop_reaches_the_server_and_the_trace(
    play: Play, library: Library, server: ScriptedMessages, private_state: Path
) -> None:
    seen: list[Event] = []
    half = '{"claims": [{"text": "It is 1 %.", "citations": null}, {"te'
    settings = play(stall_after(half, 30), llm={"stall_s": 30})
    answer = ask(
        QUESTION,
        library=library,
        settings=settings,
        on_event=seen.append,
        cancelled=lambda: any(event.kind == "claim" for event in seen),
    )
    stopped = time.monotonic()
    while not server.disconnects and time.monotonic() < stopped + 5:
        time.sleep(0.01)
    assert server.disconnects
    assert answer.status == "cancelled"
    assert [claim.verdict.status for claim in answer.claims] == ["unverified"]
    assert len(server.requests) == 1
    assert_sound(answer, settings, private_state)


def test_the_first_claim_is_told_before_the_reply_ends(play: Play, library: Library) -> None:
    told: dict[str, float] = {}

    def slow(body: Body) -> Step:
        made = fake_claude.claims(body)
        return reply({"claims": made, "unanswered": None}, size=40, pause=0.005)

    def listen(event: Event) -> None:
        told.setdefault(f"{event.kind} {event.node}", time.monotonic())

    ask(QUESTION, library=library, settings=play(lambda b: slow(b) if "sources" in str(b) else fake_claude.answer(b)),
        on_event=listen)  # fmt: skip
    assert told["claim generate"] < told["finished generate"] - 0.05


def test_a_followup_is_rewritten_and_earlier_answers_are_no_evidence(
    play: Play, library: Library, server: ScriptedMessages
) -> None:
    history = [Turn("What does the Nimbus fund cost?", "It costs 77 percent, says the moon.")]
    answer = ask("And its ticker symbol?", library=library, settings=play(fake_claude.answer), history=history)
    kinds = [fake_claude.asked_for(request.body) for request in server.requests]
    assert kinds[0] == "question"
    assert all(b"77 percent" not in r.raw for r, kind in zip(server.requests, kinds, strict=True) if kind != "question")
    assert answer.question == "And its ticker symbol?"


def test_native_citations_go_through_the_same_checks(play: Play, library: Library) -> None:
    native = ask(QUESTION, library=library, settings=play(fake_claude.answer, generation={"mode": "native"}))
    assert native.claims
    assert native.grounded_share == 1.0


@pytest.mark.parametrize("name", ["401", "529", "portal", "dropped", "prose"])
def test_the_command_line_shows_no_traceback(
    play: Play, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    settings = play(instead("claims", GENERATION[name][0]))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY.decode())
    monkeypatch.setenv("ANTHROPIC_BASE_URL", str(settings.base_url))
    monkeypatch.setenv("GROUNDED_LLM__MAX_ATTEMPTS", "1")
    folders = ["--library", settings.library, "--traces", str(settings.traces)]
    code = cli.main(["ask", QUESTION, "--json", *folders])
    out, err = capsys.readouterr()
    assert code == {"failed": 1, "abstained": 3, "answered": 0}[GENERATION[name][1]]
    assert json.loads(out)["status"] == GENERATION[name][1]
    assert "Traceback" not in out + err
    assert KEY.decode() not in out + err


def test_what_is_sent_is_what_the_trace_says(play: Play, library: Library, server: ScriptedMessages) -> None:
    settings = play(fake_claude.answer)
    answer = ask(QUESTION, library=library, settings=settings)
    told = {span["name"]: span for span in spans(settings, answer)}
    sent = [record["id"] for record in fenced(server.requests[0].body, "sources")]
    assert told["generate"]["input"]["sources"] == sent
