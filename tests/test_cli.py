"""The promises of the command line: what is printed, where, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grounded.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def folder(samples: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of the samples."""
    made = tmp_path_factory.mktemp("cli")
    assert main(["index", *map(str, samples), "--library", str(made / "library")]) == 0
    return made


@pytest.fixture(autouse=True)
def traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Each test has a log of its own, as it has keys of its own."""
    monkeypatch.setenv("GROUNDED_TRACES", str(tmp_path / "traces"))
    return tmp_path / "traces"


def run(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> tuple[int, Any, str]:
    """Exit code, the one JSON document on stdout, stderr."""
    places = ["--library", str(folder / "library"), "--json"]
    code = main([*words, *places])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in COMMANDS)


def test_an_unknown_command_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    assert "frobnicate" in capsys.readouterr().err


def test_ask_prints_the_answer_of_the_contract(capsys: pytest.CaptureFixture[str], folder: Path, traces: Path) -> None:
    code, answer, _ = run(capsys, folder, "ask", "What is the expense ratio?", "--doc", "nimbus_2025.pdf")
    assert code == 0
    promised = {
        "trace_id", "question", "status", "reader", "model", "answer", "claims", "generation_confidence",
        "grounded_share", "hits", "usage", "judge", "timings_ms",
    }  # fmt: skip
    assert promised <= set(answer)
    assert (answer["status"], answer["reader"], answer["model"]) == ("answered", "extractive", None)
    claim = answer["claims"][0]
    assert {"id", "text", "citations", "verdict"} <= set(claim)
    assert {"grounded", "status", "confidence", "reason", "checks"} <= set(claim["verdict"])
    citation = claim["citations"][0]
    assert {
        "source_id", "document", "source_name", "page", "page_label", "section", "snippet", "spans", "boxes",
        "chunk_id", "match", "score",
    } <= set(citation)  # fmt: skip
    hit = answer["hits"][0]
    expected = 0.7 * hit["cosine"] + 0.3 * hit["section_match"]
    assert hit["retrieval_confidence"] == pytest.approx(expected, abs=1e-6)
    assert (traces / f"{answer['trace_id']}.jsonl").is_file()


def test_ask_without_trace_leaves_the_hits_out(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, answer, _ = run(capsys, folder, "ask", "What is the ticker symbol?", "--no-include-trace")
    assert code == 0
    assert "hits" not in answer


def test_an_abstention_exits_3(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, answer, _ = run(capsys, folder, "ask", "Who composed the opera Rusalka?")
    assert (code, answer["status"], answer["claims"], answer["generation_confidence"]) == (3, "abstained", [], None)


@pytest.mark.parametrize("words", [["ask", ""], ["ask"], ["ask", "x", "--top-k", "0"], ["search"]])
def test_usage_errors_exit_2_and_are_json(capsys: pytest.CaptureFixture[str], folder: Path, words: list[str]) -> None:
    code, document, err = run(capsys, folder, *words)
    assert code == 2
    assert document["error"]["type"] == "UsageError"
    assert "Traceback" not in err


def test_asking_an_empty_library_fails_with_advice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, document, _ = run(capsys, tmp_path, "ask", "Anything?")
    assert code == 1
    assert "Add PDFs" in document["error"]["message"]


def test_search_prints_top_k_hits(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, found, _ = run(capsys, folder, "search", "largest sector", "--top-k", "4")
    assert code == 0
    assert [hit["reranked_rank"] for hit in found["hits"]] == [1, 2, 3, 4]


def test_search_batch_prints_a_line_a_question(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    batch = folder / "batch.jsonl"
    lines = [
        {"id": "a", "question": "expense ratio", "doc": "nimbus_2024.pdf"},
        {"id": "b", "question": "expense ratio", "doc": "no such document"},
        {"id": "c", "question": "expense ratio"},
    ]
    batch.write_text("\n".join(map(json.dumps, lines)))
    code = main(["search", "--batch", str(batch), "--library", str(folder / "library"), "--json"])
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["id"] for line in printed] == ["a", "b", "c"]
    assert {hit["source_name"] for hit in printed[0]["hits"]} == {"nimbus_2024.pdf"}
    assert printed[1]["error"]["type"] == "LibraryError"
    assert (code, bool(printed[2]["hits"])) == (1, True)


@pytest.mark.parametrize("text", ["not json", '{"q": 1}', "[1]"])
def test_a_bad_batch_line_is_named(capsys: pytest.CaptureFixture[str], folder: Path, text: str) -> None:
    batch = folder / "bad.jsonl"
    batch.write_text(f'{{"question": "fine"}}\n{text}\n')
    code, document, _ = run(capsys, folder, "ask", "--batch", str(batch))
    assert code == 2
    assert "bad.jsonl:2" in document["error"]["message"]


def test_locate_exit_codes(capsys: pytest.CaptureFixture[str], folder: Path, samples: list[Path]) -> None:
    code, found, _ = run(capsys, folder, "locate", str(samples[0]), "--quote", "Nimbus 500 Index Fund")
    assert (code, found["found"], found["pages_searched"]) == (0, True, 2)
    code, found, _ = run(capsys, folder, "locate", "nimbus_2024.pdf", "--quote", "Nimbus 501 Index Fund")
    assert code == 1
    assert not found["found"]


def test_verify_log_of_the_questions_asked(capsys: pytest.CaptureFixture[str], folder: Path, traces: Path) -> None:
    run(capsys, folder, "ask", "What is the ticker symbol?")
    code = main(["verify-log", str(traces), "--json"])
    assert (code, json.loads(capsys.readouterr().out)["verdict"]) == (0, "intact")


def test_verify_log_loads_nothing_heavy(folder: Path, tmp_path: Path) -> None:
    heavy = "{'streamlit','torch','lancedb','anthropic','pydantic','numpy','langgraph','pymupdf'}"
    script = (
        "import sys\nfrom grounded.cli import main\n"
        f"code = main(['verify-log', {str(tmp_path / 'none.jsonl')!r}])\n"
        f"print(code, sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[-2] == "3 []"


def test_check_gives_every_claim_a_verdict(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, samples: list[Path]
) -> None:
    claims = tmp_path / "claims.jsonl"
    lines = [
        {"claim": "The expense ratio is 0.03%.", "document": str(samples[1])},
        {"claim": "The expense ratio is 0.05%.", "document": "nimbus_2025.pdf"},
        {"claim": "Anything.", "document": "no such document.pdf"},
        {"claim": "Sales were 12\u2028million.", "text": "Sales were 12 million."},
    ]
    claims.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    code, printed, _ = run(capsys, folder, "check", str(claims))
    assert (code, printed["total"]) == (1, 4)
    assert [result["verdict"]["grounded"] for result in printed["results"]] == [True, False, False, True]
    assert printed["results"][2]["verdict"]["status"] == "unverified"
    assert printed["results"][0]["citations"][0]["page"] == 1
