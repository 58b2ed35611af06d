"""Numbers and words of the screen."""

from __future__ import annotations

import pytest

from grounded.ui import words
from tests.ui.gallery import example


@pytest.mark.parametrize(
    ("numbers", "text"), [([], ""), ([3], "3"), ([1, 2, 3, 7], "1–3, 7"), ([9, 7, 8, 8], "7–9"), ([1, 3, 5], "1, 3, 5")]
)
def test_ranges(numbers: list[int], text: str) -> None:
    assert words.ranges(numbers) == text


def test_where_shows_label_and_position_when_they_differ() -> None:
    citation = example()[0].claims[0].citations[0]
    assert words.where(citation) == "nimbus_2025.pdf · p. 1 · Quick facts"
    moved = citation.model_copy(update={"page": 8, "page_label": "A-1", "section": ""})
    assert words.where(moved) == "nimbus_2025.pdf · p. A-1 (page 8)"


def test_listed_says_how_many_are_left_out() -> None:
    assert words.listed(["a", "b"]) == "a, b"
    assert words.listed([str(i) for i in range(2000)], 2) == "0, 1 and 1,998 more"


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.00213, "$0.0021"), (12.5, "$12.50")])
def test_money(value: float | None, text: str) -> None:
    assert words.money(value) == text


def test_summary_names_the_reader_and_counts_grounded_claims() -> None:
    done = example()[0]
    assert words.summary(done) == [
        "3 of 6 grounded", "confidence 0.76", "retrieval 0.73", "extractive reader, no model", "0.86 s",
    ]  # fmt: skip
