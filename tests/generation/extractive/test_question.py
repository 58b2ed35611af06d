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


def test_what_a_careful_asker_puts_in_brackets() -> None:
    assert analyse("What is the increase / (decrease) in sales from 2018 to 2019?").operation == "difference"
    assert analyse("percentage increase/(decrease) in sales").operation == "growth"
    assert analyse("In which year was rent less than15,000?").operation == "smallest"


def test_words_that_only_look_like_a_computation() -> None:
    assert analyse("What is the category average of the fee?").operation is None
    assert analyse("In which years was the total equity calculated?").operation is None
    assert analyse("year to date return").kind == "any"
    assert analyse("the highest return over 10 years").subject[-1] == "year"


@pytest.mark.parametrize(
    ("question", "top", "rank"),
    [("What are the top three holdings?", 3, 1), ("the second largest issuer", 1, 2), ("the top holding", 1, 1)],
)
def test_how_many_are_asked_for(question: str, top: int, rank: int) -> None:
    asked = analyse(question)
    assert (asked.top, asked.rank) == (top, rank)


def test_whose_it_is_matters_little() -> None:
    assert analyse("What was the change in Autodesk's goodwill?").owner == {"autodesk"}
