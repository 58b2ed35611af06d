"""Questions taken apart."""

import pytest

from grounded.generation.extractive.question import analyse


@pytest.mark.parametrize(
    ("asked", "operation"),
    [
        ("Which region is the largest, and what share of sales is it?", "largest"),
        ("What is the smallest item and how much did they pay for it?", "smallest"),
        ("What share of sales is the largest region?", "share"),
        ("What percentage of revenue is cost, and what percentage of sales is it?", "share"),
    ],
)
def test_an_extreme_is_asked_for_even_when_its_share_is_asked_too(asked: str, operation: str) -> None:
    assert analyse(asked).operation == operation


def test_a_second_question_about_another_time_is_kept() -> None:
    assert [p.year for p in analyse("Which is the largest region, and what share was it in 2019?").periods] == [2019]
