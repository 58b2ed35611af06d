"""`check`: claims from anywhere, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from grounded.cli import main
from grounded.documents.typeset import typeset
from grounded.errors import UsageError
from grounded.verification.check import CheckItem, check_claims, read_item
from tests.verification.small import DOCUMENT, Pages

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


LINES = [
    '{"claim": "x"',
    "[1]",
    '"x"',
    "[" * 100_000,
    '{"claim": "   ", "document": "a"}',
    '{"claim": null, "document": "a"}',
    '{"claim": "x", "document": 7}',
    '{"claim": "x", "document": ""}',
    '{"claim": "x", "document": []}',
    '{"claim": "x", "table": "t"}',
    '{"claim": "x", "document": "a", "page": "two"}',
]


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_line_that_is_no_claim_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    path = tmp_path / "claims.jsonl"
    path.write_text('{"claim": "x", "text": "x"}\n' + line, "utf-8")
    assert main(["check", str(path)]) == 2
    assert f"{path}:2" in capsys.readouterr().err


def test_each_claim_has_its_outcome_in_the_order_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = typeset(["The “Fee” is EUR 12,000 per month — payable in advance. Die Laufzeit beträgt 5 Jahre."])
    for name, data in {"good": good, "empty": b"", "cut": good[:200], "text": b"no PDF"}.items():
        (tmp_path / f"{name}.pdf").write_bytes(data)
    with pikepdf.open(tmp_path / "good.pdf") as pdf:
        pdf.save(tmp_path / "locked.pdf", encryption=pikepdf.Encryption(user="u", owner="o"))
    claim, quote = "The Fee is EUR 12,000 per month.", 'The "Fee" is EUR 12,000 per month - payable in advance.'
    expected = [
        ({"claim": claim, "document": "good"}, "grounded", "same words"),
        ({"claim": claim, "document": "locked"}, "unverified", "encrypted"),
        ({"claim": claim, "document": "empty"}, "unverified", "empty"),
        ({"claim": claim, "document": "text"}, "unverified", "not a PDF"),
        ({"claim": claim, "document": "cut"}, "unverified", "cut.pdf"),
        ({"claim": claim, "document": "absent"}, "unverified", "no such file"),
        ({"claim": claim, "document": "good", "quote": quote}, "grounded", "same words"),
        ({"claim": claim.replace("12", "13"), "document": "good", "quote": quote}, "contradicted", "12,000"),
        ({"claim": claim, "document": "good", "page": 7}, "unverified", "ends with page 1"),
        ({"claim": claim, "document": "good", "quote": " "}, "grounded", "same words"),
        ({"claim": "Die Laufzeit beträgt 6 Jahre.", "document": "good"}, "contradicted", "5"),
        ({"claim": f"{claim} It is due in arrears.", "document": "good"}, "partial", "arrears"),
        ({"claim": "契約期間は五年である。", "document": "good"}, "unverified", "nowhere"),
    ]
    items = [item | {"document": str(tmp_path / f"{item['document']}.pdf")} for item, _, _ in expected]
    code, report = run(tmp_path, capsys, *items)
    assert code == 1
    for (item, status, reason), result in zip(expected, report["results"], strict=True):
        assert result["claim"] == item["claim"]
        assert result["verdict"]["status"] == status, result
        assert reason in result["verdict"]["reason"]


def test_claims_without_a_document_are_held_against_all_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, fee in (("first", "12,000"), ("second", "13,500")):
        text = f"The service fee is EUR {fee} per month. The {name} annex is void."
        (tmp_path / f"{name}.pdf").write_bytes(typeset([text], title="Harlan and Osprey"))
    path = tmp_path / "claims.jsonl"
    claims = ("The service fee is EUR 13,500 per month.", "The second annex is void.")
    path.write_text("\n".join(json.dumps({"claim": claim}) for claim in claims), "utf-8")
    given = [part for name in ("first", "second") for part in ("--doc", str(tmp_path / f"{name}.pdf"))]
    assert main(["check", str(path), "--json", *given]) == 0
    disputed, single = json.loads(capsys.readouterr().out)["results"]
    assert {c["source_name"] for c in disputed["conflicts"][0]["citations"]} == {"first.pdf", "second.pdf"}
    assert single["conflicts"] == []
    assert single["citations"][0]["source_name"] == "second.pdf"


def test_a_place_much_nearer_the_claim_outweighs_a_number_in_a_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """'500 stocks' is nothing that 'Nimbus 500 Index Fund' bears out, where the row of stocks says 505."""
    claims = tmp_path / "claims.jsonl"
    claims.write_text(json.dumps({"claim": "The fund holds 500 stocks.", "document": "data/nimbus_2025.pdf"}))
    assert main(["check", str(claims), "--json"]) == 1
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["verdict"]["status"] == "contradicted"


def test_another_frequency_outweighs_a_number() -> None:
    """A right figure on one page does not bear out what is said of the schedule on another."""
    source = Pages(
        "The yearly charge of the trust is 0.31%. " * 20, "Distributions of the trust are paid each quarter."
    )
    item = CheckItem(claim="The trust has a charge of 0.31% and distributions are paid monthly.", document="facts.pdf")
    [result] = check_claims([item], lambda name: (DOCUMENT, source))
    assert not result.verdict.grounded
