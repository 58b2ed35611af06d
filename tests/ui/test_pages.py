"""States of the pages, without a browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from grounded.ui import access, ask
from tests.ui.hostile import HOSTILE

Open = Callable[..., AppTest]


def texts(test: AppTest) -> str:
    """Every literal text on the page."""
    assert not test.exception, test.exception
    return "\n".join(element.value for element in (*test.text, *test.warning, *test.error, *test.header))


def answered(test: AppTest, question: str) -> AppTest:
    """Ask and go on until the answer is there."""
    test.chat_input[0].set_value(question).run()
    for _ in range(600):
        test.run()
        if "run" not in test.query_params:
            return test
        time.sleep(0.05)
    raise AssertionError("no answer came")


def test_empty_library_says_what_to_do(app: Open) -> None:
    test = app()
    assert "The library is empty" in texts(test)
    assert test.chat_input[0].disabled


def test_first_visit(app: Open, sample_home: Path) -> None:
    test = app(home=sample_home)
    assert "Every sentence of an answer is checked" in texts(test)
    assert "Nothing leaves this machine" in texts(test)
    assert [b.label for b in test.button][:3] == list(ask._EXAMPLES)


def test_what_leaves_the_machine_names_host_and_model(
    app: Open, sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-test-1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert "are sent to http://127.0.0.1:9 (claude-test-1, " in texts(app(home=sample_home))


def test_a_local_endpoint_needs_no_key_and_the_set_reader_is_the_first(
    app: Open, sample_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GROUNDED_READER", "extractive")
    reader = app(home=sample_home).selectbox(key="option_reader")
    assert reader.options == ["auto", "claude", "extractive"] and reader.value == "extractive"


def test_question_and_follow_up(app: Open, sample_home: Path) -> None:
    test = answered(app(home=sample_home), "What is the expense ratio?")
    trace = test.query_params["trace"]
    assert len(trace) == 32 and test.session_state["shown"].answer.claims
    answered(test, "Which sector is the largest?")
    assert [entry.question for entry in test.session_state["asked"]] == [
        "What is the expense ratio?",
        "Which sector is the largest?",
    ]
    assert test.query_params["trace"] != trace


def test_link_rebuilds_the_answer_from_its_trace(app: Open, sample_home: Path) -> None:
    shown = answered(app(home=sample_home), "What is the expense ratio?").session_state["shown"].answer
    access.workspace_of.cache_clear()
    again = app(home=sample_home, trace=shown.trace_id)
    assert again.session_state["shown"].answer == shown


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"trace": "0" * 32}, "no such trace"),
        ({"trace": "../../../etc/passwd"}, "not a trace id"),
        ({"doc": "f" * 64}, "This document is not in the library."),
        ({"run": "gone"}, "interrupted"),
        ({"doc": "f" * 64, "page": "-3"}, "not in the library"),
    ],
)
def test_links_that_lead_nowhere_say_so(app: Open, sample_home: Path, query: dict[str, str], words: str) -> None:
    assert words in texts(app(home=sample_home, **query))


def test_library_that_cannot_be_opened(app: Open, tmp_path: Path) -> None:
    (tmp_path / "library").write_text("not a folder")
    test = app()
    assert "This page cannot be shown." in texts(test)
    assert [b.label for b in test.button] == ["Try again"]


@pytest.mark.parametrize("text", HOSTILE[::3])
def test_hostile_question_stays_text(app: Open, sample_home: Path, text: str) -> None:
    test = answered(app(home=sample_home), text)
    everywhere = [element.value for element in (*test.markdown, *test.caption)]
    assert not any(text in value for value in everywhere)


def test_library_page_lists_documents(app: Open, sample_home: Path) -> None:
    test = app("pages/library.py", home=sample_home)
    assert list(test.dataframe[0].value["name"]) == ["nimbus_2025.pdf", "nimbus_2024.pdf"]
    test.text_input[0].set_value("2024").run()
    assert list(test.dataframe[0].value["name"]) == ["nimbus_2024.pdf"]


def test_traces_page_with_nothing_in_it(app: Open, sample_home: Path) -> None:
    assert "0 runs" in texts(app("pages/traces.py", home=sample_home))
