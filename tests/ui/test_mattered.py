"""Cited or used: asked again without each source, the cost first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.tools import fake_claude
from tests.tools.scripted_messages import ScriptedMessages
from tests.ui.test_pages import answered, texts

Open = Callable[..., AppTest]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


def sources_of(test: AppTest) -> AppTest:
    return test.button_group(key="panel").set_value("Sources").run()


def test_the_cost_comes_first_and_then_every_source_is_tried(
    app: Open, sample_home: Path, model: ScriptedMessages
) -> None:
    test = sources_of(answered(app(home=sample_home), "What is the expense ratio?"))
    test.button(key="mattered_cost").click().run()
    assert "tokens in, at " in texts(test)
    asked = len(model.requests)
    test.button(key="mattered_go").click().run()
    trial = test.session_state[f"mattered_{test.query_params['trace']}"]
    trial._thread.join(60)
    test.run()
    count = trial.cost.calls
    assert count > 1 and f"{count} of {count} sources tried." in texts(test)
    assert len([r for r in model.requests[asked:] if r.path.endswith("/messages")]) == count
    table = test.dataframe[-1].value
    assert list(table["without"]) == list(trial.sources)
    assert set(table["outcome"]) <= {"used", "made no difference"} and any(table["cited by claims"])


def test_without_a_model_there_is_nothing_to_ask_again(app: Open, sample_home: Path) -> None:
    test = sources_of(answered(app(home=sample_home), "What is the expense ratio?"))
    assert "The extractive reader uses only what it cites." in texts(test)
