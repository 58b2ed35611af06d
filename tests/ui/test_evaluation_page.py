"""The Evaluation page in its states, and marking an answer, without a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from grounded.evaluation import history, sets
from grounded.evaluation.cases import GoldCase, GoldSet, read_cases
from grounded.evaluation.history import RunReport
from grounded.evaluation.outcomes import Outcome, of_check
from grounded.evaluation.summary import summarise
from grounded.types import Verdict
from tests.ui.hostile import HOSTILE
from tests.ui.test_pages import answered, texts

Open = Callable[..., AppTest]
PAGE = "pages/evaluation.py"
GOLD = GoldSet("made up", "Claims that somebody made up.", "", (), caution="half of it is guessed")


def checked(number: int, grounded: bool, text: str = "a claim") -> Outcome:
    raw = {"id": f"case {number}", "task": "check", "kind": f"kind {number % 3}", "claim": text, "text": "t",
           "label": "supported" if number % 2 else "contradicted", "group": str(number % 4)}  # fmt: skip
    status = "grounded" if grounded else "contradicted"
    verdict = Verdict(grounded=grounded, status=status, confidence=0.8, reason="because")
    return of_check(GoldCase.model_validate(raw), verdict, (), 1.0)


def record(run: str, outcomes: list[Outcome]) -> str:
    report = RunReport(
        id=run, started="2026-01-01T00:00:00+00:00", seconds=3, code="c", settings={}, reader="extractive",
        embedder="e", part="ci", absent=("cuad",), sets=(summarise(GOLD, outcomes),),
    )  # fmt: skip
    history.save(report, {GOLD.name: outcomes})
    return report.id


@pytest.fixture
def runs(private_state: Path) -> tuple[str, str]:
    """Two runs; in the first every verdict is wrong, in the second every third."""
    first = record("20260101T000000Z-aaaaaa", [checked(n, n % 2 == 0) for n in range(12)])
    second = record("20260102T000000Z-bbbbbb", [checked(n, (n % 2 == 1) != (n % 3 == 0)) for n in range(12)])
    return first, second


def test_first_visit(app: Open, sample_home: Path) -> None:
    assert "No run is recorded yet" in texts(app(PAGE, home=sample_home))


def test_figures_of_the_newest_run(app: Open, sample_home: Path, runs: tuple[str, str]) -> None:
    test = app(PAGE, home=sample_home)
    assert "Claims that somebody made up." in texts(test) and "half of it is guessed" in texts(test)
    assert "not on this machine: cuad" in texts(test)
    table = test.dataframe[0].value.set_index("metric")
    assert table.loc["verdict right", "value"] == "0.667"
    assert table.loc["AUROC", "cases"] == 12


def test_cases_that_fail_and_the_one_chosen(app: Open, sample_home: Path, runs: tuple[str, str]) -> None:
    test = app(PAGE, home=sample_home)
    test.segmented_control(key="evaluation_panel").set_value("Cases").run()
    assert not test.exception
    assert list(test.dataframe[0].value["case"]) == ["case 0", "case 3", "case 6", "case 9"]
    test.toggle(key="evaluation_failing").set_value(False).run()
    assert len(test.dataframe[0].value) == 12


def test_charts_and_comparison(app: Open, sample_home: Path, runs: tuple[str, str]) -> None:
    test = app(PAGE, home=sample_home)
    test.segmented_control(key="evaluation_panel").set_value("Charts").run()
    assert not test.exception and len(test.get("plotly_chart")) == 2
    test.selectbox(key="evaluation_other").set_value(runs[0]).run()
    test.segmented_control(key="evaluation_panel").set_value("Compare").run()
    table = test.dataframe[0].value.set_index("metric")
    assert table.loc["verdict right", "verdict"] == "better" and table.loc["verdict right", "difference"] == "+0.667"
    assert len(test.dataframe[1].value) == 8  # the cases that changed


def test_nothing_a_set_says_is_markup(app: Open, sample_home: Path, private_state: Path) -> None:
    record("20260103T000000Z-cccccc", [checked(n, True, text) for n, text in enumerate(HOSTILE)])
    test = app(PAGE, home=sample_home)
    test.segmented_control(key="evaluation_panel").set_value("Cases").run()
    everywhere = [element.value for element in (*test.markdown, *test.caption)]
    assert not any(text in value for value in everywhere for text in HOSTILE)


def test_marks_become_a_set(app: Open, sample_home: Path) -> None:
    test = answered(app(home=sample_home), "What is the expense ratio?")
    test.segmented_control(key="panel").set_value("Mark").run()
    assert not test.exception
    claim = test.session_state["shown"].answer.claims[0]
    test.segmented_control(key=f"mark_{claim.id}").set_value("Correct").run()
    test.text_input(key=f"mark_text_{claim.id}").set_value("The expense ratio is 0.03%.").run()
    test.text_input(key=f"mark_quote_{claim.id}").set_value("these words stand nowhere").run()
    test.button(key="mark_keep").click().run()
    assert "stand in no document" in texts(test) and not sets.own_sets()
    test.text_input(key=f"mark_quote_{claim.id}").set_value("0.03%").run()
    test.button(key="mark_keep").click().run()
    assert "my answers has 3 cases" in texts(test)
    (path,) = sets.own_sets()
    assert [case.kind for case in read_cases(path)] == ["marked", "rejected", "corrected"]
