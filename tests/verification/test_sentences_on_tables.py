"""Sentences a person writes about a fact sheet, judged without a quote: true ones pass, wrong columns do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grounded.cli import main

TRUE = (
    "The expense ratio is 0.03%.",
    "The expense ratio of the Nimbus 500 Index Fund is 0.03%.",
    "Net assets were $59,283 million as of June 30, 2025.",
    "Information technology is the largest sector.",
    "The 10-year return at NAV was 13.46%.",
    "Health care makes up 9.5% of the fund.",
)
FALSE = (
    "The expense ratio is 0.3%.",
    "Net assets were $59,283 billion as of June 30, 2025.",
    "Net assets were $59,283 million as of June 30, 2024.",
    "The 5-year return at NAV was 13.46%.",
    "Health care makes up 9.6% of the fund.",
    "Financials make up 9.5% of the fund.",
)


@pytest.fixture(scope="module")
def grounded(samples: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    """Every claim's verdict, by the command."""
    folder = tmp_path_factory.mktemp("check")
    lines = [json.dumps({"claim": claim, "document": str(samples[1])}) for claim in (*TRUE, *FALSE)]
    (folder / "claims.jsonl").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: printed.append(" ".join(map(str, words))))
        main(["check", str(folder / "claims.jsonl"), "--json"])
    return {result["claim"]: result["verdict"]["grounded"] for result in json.loads(printed[0])["results"]}


@pytest.mark.parametrize("claim", TRUE)
def test_true(grounded: dict[str, bool], claim: str) -> None:
    assert grounded[claim]


@pytest.mark.parametrize("claim", FALSE)
def test_false(grounded: dict[str, bool], claim: str) -> None:
    assert not grounded[claim]
