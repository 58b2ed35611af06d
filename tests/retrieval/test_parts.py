"""One sentence that asks several things."""

import pytest

from grounded.retrieval.parts import questions


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("What is the fee, and who is the auditor?", ["What is the fee?", "who is the auditor?"]),
        (
            "What is the fee, what is the yield and when was it launched?",
            ["What is the fee?", "what is the yield?", "when was it launched?"],
        ),
        (
            "What was revenue in 2019 and what was the cost?",
            ["What was revenue in 2019?", "what was the cost in 2019?"],
        ),
        ("tell me the yield and what the fund costs", ["tell me the yield?", "what the fund costs?"]),
        ("Does it pay dividends and is it hedged?", ["Does it pay dividends?", "is it hedged?"]),
        ("What is the NAV? Who manages it?", ["What is the NAV?", "Who manages it?"]),
    ],
)
def test_several_questions(asked: str, parts: list[str]) -> None:
    assert questions(asked) == parts


@pytest.mark.parametrize(
    "asked",
    [
        "Which sector is the largest, and what is its weight?",
        "From 2017 to 2019, how many years was revenue above 5 million?",
        "What is the difference between what was paid and what was owed?",
        "What is the company, which was founded in 1990, worth?",
        "If the agreement ends, what is the notice period?",
        "What are revenue and cost?",
    ],
)
def test_one_question(asked: str) -> None:
    assert questions(asked) == [asked]
