import json
from pathlib import Path

import pytest

from grounded.audit.reader import list_traces, read_trace
from grounded.cli import main
from grounded.errors import UsageError
from grounded.library import Library
from grounded.pipeline import Causality, ask
from grounded.settings import Settings
from tests.tools import fake_claude
from tests.tools.scripted_messages import ScriptedMessages


def test_leaving_a_source_out_shows_which_claims_need_it(library: Library, tmp_path: Path) -> None:
    with ScriptedMessages([fake_claude.answer]) as server:
        settings = fake_claude.settings_for(server.url, traces=tmp_path / "traces", library=library.uri)
        one = [library.find("nimbus_2025.pdf").id]  # the other year says much the same, and would stand in
        answer = ask("What is the expense ratio?", library=library, settings=settings, scope=one)
        spans = read_trace(settings.traces, answer.trace_id)
        server.requests.clear()
        asked = Causality(spans, library, settings)
        cost = asked.cost()
        assert cost.calls == len(asked.sources) > 1
        effects = asked.run()
    cited = {claim.id: {c.source_id for c in claim.citations} for claim in answer.claims}
    assert [effect.source_id for effect in effects] == list(asked.sources)
    for effect in effects:  # the fake quotes every source once, so each claim goes with its own source
        gone = {claim.claim_id for claim in effect.claims if claim.effect == "gone"}
        assert gone <= {claim for claim, sources in cited.items() if effect.source_id in sources}
    assert any(effect.used for effect in effects)
    newest = list_traces(settings.traces).items[0]
    assert (newest.name, newest.status, newest.spans) == ("leave_one_out", "ok", 1 + len(effects))


def test_the_cost_comes_first_and_nothing_is_asked_without_leave(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedMessages([fake_claude.answer]) as server:
        settings = fake_claude.settings_for(server.url, traces=tmp_path / "traces", library=library.uri)
        answer = ask("What is the expense ratio?", library=library, settings=settings)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        server.requests.clear()
        places = ["--library", library.uri, "--traces", str(settings.traces), "--json"]
        assert main(["causality", answer.trace_id, *places]) == 0
        assert [request.path for request in server.requests if request.path.endswith("/messages")] == []
    printed = json.loads(capsys.readouterr().out)
    assert printed["cost"]["calls"] > 1
    assert printed["sources"] == []


def test_an_extractive_answer_has_no_causality_to_ask_for(library: Library, settings: Settings) -> None:
    answer = ask("What is the ticker symbol?", library=library, settings=settings)
    with pytest.raises(UsageError, match="no model"):
        Causality(read_trace(settings.traces, answer.trace_id), library, settings)
