"""Sentences a person writes about a fact sheet, judged without a quote: true ones pass, wrong columns do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
AGAINST = {  # false -> what stands at the place that speaks against it
    "The expense ratio is 0.30%.": "0.03%",
    "The 10-year return at net asset value was 12.46% in 2025.": "13.46%",
    "Net assets were $58,283 million as of June 30, 2025.": "$59,283 million",
}


@pytest.fixture(scope="module")
def checked(samples: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Every claim's result, by the command."""
    folder = tmp_path_factory.mktemp("check")
    lines = [json.dumps({"claim": claim, "document": str(samples[1])}) for claim in (*TRUE, *FALSE, *AGAINST)]
    (folder / "claims.jsonl").write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setattr("builtins.print", lambda *words, **_: printed.append(" ".join(map(str, words))))
        main(["check", str(folder / "claims.jsonl"), "--json"])
    return {result["claim"]: result for result in json.loads(printed[0])["results"]}


@pytest.mark.parametrize("claim", TRUE)
def test_true(checked: dict[str, dict[str, Any]], claim: str) -> None:
    assert checked[claim]["verdict"]["grounded"]


@pytest.mark.parametrize("claim", FALSE)
def test_false(checked: dict[str, dict[str, Any]], claim: str) -> None:
    assert not checked[claim]["verdict"]["grounded"]


@pytest.mark.parametrize(("claim", "stated"), AGAINST.items())
def test_a_contradiction_shows_its_place(checked: dict[str, dict[str, Any]], claim: str, stated: str) -> None:
    assert checked[claim]["verdict"]["status"] == "contradicted"
    assert any(stated in citation["snippet"] for citation in checked[claim]["citations"])
