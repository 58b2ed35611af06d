import json
from pathlib import Path

import pytest

from grounded.audit.reader import read_trace
from grounded.cli import main
from grounded.errors import UsageError
from grounded.library import Library
from grounded.pipeline import Turn, ask, replay
from grounded.settings import Settings
from tests.tools import fake_claude
from tests.tools.scripted_messages import Body, ScriptedMessages, Step, reply


def test_an_extractive_question_comes_out_the_same(library: Library, settings: Settings) -> None:
    answer = ask("What is the largest sector?", library=library, settings=settings)
    done = replay(read_trace(settings.traces, answer.trace_id), library=library)
    assert [step.name for step in done.steps][-1] == "assemble"
    assert [step.differences for step in done.steps if step.outcome != "same"] == []
    assert (done.same, done.changed) == (True, ())


def test_a_changed_library_is_said_and_shows(
    library: Library, settings: Settings, samples: list[Path], tmp_path: Path
) -> None:
    answer = ask("What are the net assets?", library=library, settings=settings)
    smaller = Library(str(tmp_path / "smaller"))
    smaller.add(samples[:1])
    done = replay(read_trace(settings.traces, answer.trace_id), library=smaller)
    assert not done.same
    assert done.changed == ("the library holds other passages than it did then",)
    assert {step.name for step in done.steps if step.outcome == "different"} >= {"retrieve"}


def test_model_steps_are_answered_from_the_record_with_the_server_gone(library: Library, tmp_path: Path) -> None:
    def wrong_once(body: Body) -> Step:
        if fake_claude.asked_for(body) != "claims":
            return fake_claude.answer(body)
        lies = [{"text": "It is free.", "quotes": [{"source_id": "S1", "quote": "It is free of charge."}]}]
        return reply({"claims": [*fake_claude.claims(body), *lies], "unanswered": None})

    with ScriptedMessages([wrong_once]) as server:
        settings = fake_claude.settings_for(server.url, traces=tmp_path / "traces", library=library.uri)
        history = [Turn(question="What is the ticker?", answer="NMBF")]
        answer = ask("And the expense ratio?", library=library, settings=settings, history=history, judge=True)
    assert answer.status == "answered"
    spans = read_trace(settings.traces, answer.trace_id)
    assert {"repair", "judge"} <= {span["name"] for span in spans}
    done = replay(spans, library=library)
    assert [step.differences for step in done.steps if step.outcome != "same"] == []


def test_the_command(library: Library, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask("What is the ticker symbol?", library=library, settings=settings)
    places = ["--library", library.uri, "--traces", str(settings.traces), "--json"]
    assert main(["replay", answer.trace_id, *places]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["same"]
    assert {step["outcome"] for step in printed["steps"]} == {"same"}


def test_a_trace_that_is_no_question_is_refused(library: Library) -> None:
    with pytest.raises(UsageError, match="no question"):
        replay([{"trace_id": "x", "input": {}, "output": {}, "parent_id": None}], library=library)
