"""`eval` from the command line: figures, resuming, gates, comparison, the page it writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grounded.cli import main
from grounded.evaluation import history
from grounded.evaluation.cases import GoldCase, GoldSet
from grounded.evaluation.history import RunReport
from grounded.evaluation.summary import SetReport
from grounded.library import Library
from grounded.pipeline.evaluate import Evaluation
from tests.tools import fake_claude
from tests.tools.fake_claude import settings_for
from tests.tools.scripted_messages import Script, ScriptedMessages, status
from tests.ui.hostile import HOSTILE

TABLE = [["", "2025"], ["Expense ratio", "0.03%"], ["Turnover", "2.9%"]]
CASES: list[dict[str, Any]] = [
    {"id": "cost", "question": "What is the expense ratio?", "documents": ["nimbus_2025.pdf"], "answers": ["0.03%"],
     "places": [{"document": "nimbus_2025.pdf", "page": 1, "quote": "0.03%"}]},
    {"id": "loan", "question": "What is the interest rate of the credit facility?", "documents": ["nimbus_2025.pdf"],
     "answerable": False},
    {"id": "found", "task": "search", "question": "top ten holdings", "places": [{"document": "nimbus_2024.pdf"}]},
    {"id": "wrong", "task": "check", "claim": "The expense ratio is 0.30%.", "table": TABLE,
     "label": "contradicted"},
    {"id": "gold is wrong", "task": "check", "claim": "The expense ratio is 0.30%.", "table": TABLE,
     "label": "supported"},
]  # fmt: skip


@pytest.fixture
def own(tmp_path: Path, samples: list[Path]) -> Path:
    """A set of the user's own with its documents beside it."""
    for path in samples:
        (tmp_path / path.name).symlink_to(path)
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, CASES)))
    return file


def evaluate(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["eval", *map(str, words), "--json"]) == code
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


def test_a_set_of_ones_own(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = evaluate(capsys, own, "--html", tmp_path / "report.html")
    report = RunReport.model_validate(first)
    found = report.sets[0]
    assert found.value("exact match") == 1 and found.value("recall@10") == 1 and found.value("page accuracy") == 1
    assert found.abstention and found.abstention.silent_unanswerable == 1
    assert found.value("verdict right") == 1 / 2 and found.value("contradictions named") == 1
    assert report.id in (tmp_path / "report.html").read_text()
    # Measurements leave no trace, and a set with documents of its own does not touch the library.
    assert not (tmp_path / "traces").exists() and not (tmp_path / ".grounded").exists()
    _resumed(own, report, capsys)
    _gates(own, report, first, tmp_path, capsys)


def _resumed(own: Path, before: RunReport, capsys: pytest.CaptureFixture[str]) -> None:
    again = RunReport.model_validate(evaluate(capsys, own))
    assert again.reused == len(CASES) and again.sets == before.sets
    pairs = evaluate(capsys, "compare", before.id, "latest")["sets"]["own"]
    assert {pair["difference"]["verdict"] for pair in pairs} <= {"no difference", "n/a"}
    assert history.find("latest").id == again.id


def _gates(
    own: Path, before: RunReport, printed: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    baseline, limits = folder / "baseline.json", folder / "limits.json"
    baseline.write_text(json.dumps(printed))
    assert evaluate(capsys, own, "--gate", baseline)["gate"] == {"passed": True, "regressions": []}
    limits.write_text(json.dumps({"gates": {"own": {"verdict right": 0.9, "ECE of verdicts": 0.0, "exact match": 1}}}))
    closed = evaluate(capsys, own, "--gate", limits, code=1)["gate"]["regressions"]
    assert [r["metric"] for r in closed] == ["verdict right", "ECE of verdicts"]
    limits.write_text(json.dumps({"gates": {"other": {"x": 1}}}))
    assert evaluate(capsys, own, "--gate", limits, code=1)["gate"]["regressions"][0]["why"] == "the set was not run"
    limits.write_text("[]")
    assert "not a report" in evaluate(capsys, own, "--gate", limits, code=2)["error"]["message"]


def test_documents_that_are_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lost.jsonl"
    file.write_text(json.dumps({"id": "1", "question": "q", "documents": ["gone.pdf"]}))
    said = evaluate(capsys, file, "--library", tmp_path / "library", code=2)["error"]["message"]
    assert "gone.pdf" in said and "index" in said


def test_what_others_wrote_stays_text_in_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hostile.jsonl"
    cases = [
        {"id": text, "task": "check", "kind": text, "claim": text, "text": text, "label": "contradicted"}
        for text in HOSTILE
    ]
    file.write_text("\n".join(map(json.dumps, cases)))
    evaluate(capsys, file, "--html", tmp_path / "report.html", "--library", tmp_path / "library")
    page = (tmp_path / "report.html").read_text()
    assert "<img" not in page and "<script" not in page and "<cite" not in page and "http-equiv" in page


def test_new_makes_an_empty_set(capsys: pytest.CaptureFixture[str], private_state: Path) -> None:
    made = evaluate(capsys, "new", "mine")
    assert Path(made["path"]).read_text() == ""
    assert "already" in evaluate(capsys, "new", "mine", code=2)["error"]["message"]
    assert "mine" in {s["name"] for s in evaluate(capsys, "--list")["sets"]}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([fake_claude.answer]) as running:
        yield running


def asked(server: ScriptedMessages, library: Library, *script: Script) -> SetReport:
    """Two questions to a scripted model, judged."""
    cases = tuple(
        GoldCase(id=str(n), question=f"What is the expense ratio? ({n})", answers=("0.03%",)) for n in range(2)
    )
    server.script = script
    settings = settings_for(server.url, library=library.uri)
    report = Evaluation(settings, lambda: library, judge=True).run([GoldSet("two", "", "", cases)])
    assert report.reader == "claude" and report.models["reader"] == settings.model
    assert {name.split("@")[0] for name in report.prompts} >= {"generate", "entail", "judge"}
    return report.sets[0]


def test_a_model_is_measured_with_its_costs_and_judged_beside_the_figures(
    server: ScriptedMessages, library: Library
) -> None:
    found = asked(server, library, fake_claude.answer)
    assert found.value("input tokens") and found.failed == 0
    signals = {signal.name: signal.mean for signal in found.signals}
    assert signals["judge: faithfulness"].value == 1


def test_questions_that_failed_are_in_no_figure_and_asked_again(server: ScriptedMessages, library: Library) -> None:
    found = asked(server, library, status(401))
    assert (found.failed, found.rows, found.undecided) == (2, (), 0)
    assert found.abstention is None
    assert asked(server, library, fake_claude.answer).failed == 0
