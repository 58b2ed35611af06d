"""The invented reports are of filing length, and their questions are answered where they say."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from bench.annual_long import typeset


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("How much did Harrowgate spend on property, plant and equipment in 2021?", "INVESTING ACTIVITIES"),
        ("What drove the gross margin change in FY2021 for Harrowgate?", "decline of gross margin"),
        ("Is Harrowgate being sued?", "Stanhope v. Harrowgate"),
    ],
)
def test_the_gold_pages_hold_the_answer(folder: Path, asked: str, printed: str) -> None:
    (question,) = [q for q in typeset(folder, tickers=("HGA",)) if q.text == asked]
    with pymupdf.open(folder / question.file_name) as report:
        assert len(report) > 150
        text = "".join(report[page - 1].get_text() for page in question.pages)
    assert printed in " ".join(text.split())
