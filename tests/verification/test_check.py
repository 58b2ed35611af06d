"""`check`: claims from anywhere, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grounded.cli import main
from grounded.errors import UsageError
from grounded.verification.check import read_item

TABLE = [["", "2019", "2018"], ["(in millions)", "", ""], ["Total sales", "$1,496.5", "$1,202.9"]]


def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], *items: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    path = tmp_path / "claims.jsonl"
    path.write_text("\n".join(json.dumps(item) for item in items), "utf-8")
    code = main(["check", str(path), "--json", "--library", str(tmp_path / "none")])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else {}


def test_inline_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = {"claim": "What was the amount of total sales in 2019? — 1,496.5 million", "table": TABLE}
    wrong = {"claim": "What was the amount of total sales in 2019? — 1,202.9 million", "table": TABLE}
    code, report = run(tmp_path, capsys, right, wrong)
    assert code == 1
    assert [r["verdict"]["grounded"] for r in report["results"]] == [True, False]
    assert (report["grounded"], report["total"]) == (1, 2)
    assert run(tmp_path, capsys, right)[0] == 0


def test_a_document_without_a_quote(tmp_path: Path, capsys: pytest.CaptureFixture[str], samples: list[Path]) -> None:
    item = {"claim": "The fund was founded on the moon by 77 astronauts.", "document": str(samples[0])}
    code, report = run(tmp_path, capsys, item)
    assert code == 1
    assert not report["results"][0]["verdict"]["grounded"]


def test_a_quote_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str], samples: list[Path]) -> None:
    item = {"claim": "x", "quote": "no such words in this sheet at all", "document": str(samples[0])}
    _, report = run(tmp_path, capsys, item)
    verdict = report["results"][0]["verdict"]
    assert (verdict["grounded"], verdict["status"], verdict["confidence"]) == (False, "unverified", 0.9)


@pytest.mark.parametrize("item", [{}, {"claim": ""}, {"claim": "x"}])
def test_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str], item: dict[str, Any]) -> None:
    assert run(tmp_path, capsys, item)[0] == 2


def test_cells_may_be_numbers_or_null() -> None:
    item = read_item({"claim": "x", "table": [["a", 1, None]], "id": "ignored"}, "here")
    assert item.table == (("a", "1", ""),)


def test_a_wrong_field_is_named() -> None:
    with pytest.raises(UsageError, match="page"):
        read_item({"claim": "x", "document": "d", "page": 0}, "line 1")
