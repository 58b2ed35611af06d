"""Which is the most: answered by a sentence that says so, and by no other."""

import pytest

from grounded.generation.extractive.superlatives import asks_superlative, says_superlative
from tests.generation.extractive.sheets import Pages, ask, page

REPORT = page(
    "The most recent survey of the harbour towns lists jobs by trade. Fishing is projected to lose 300 jobs. "
    "Rope making will lose 120 jobs. Of all trades, boat building is projected to add the most jobs in the harbour."
)


@pytest.mark.parametrize(
    ("question", "sentence", "says"),
    [
        ("Which party won the most seats?", "The Greens gained the largest number of seats.", True),
        ("Which party won the most seats?", "The most recent poll gave the Greens 20 seats.", False),
        ("Which is the largest city of the region?", "Arven is one of the largest cities of the region.", False),
        ("Which is the largest city of the region?", "Arven is the capital and largest city.", True),
        ("Who is the second largest oil producer?", "Iran is the world's second-largest oil producer.", True),
        ("What is the lowest fee?", "The highest fee is 2%.", False),
        ("Where was growth the highest?", "Growth was highest in Arven.", True),
    ],
)
def test_a_sentence_that_says_which_is_the_most(question: str, sentence: str, says: bool) -> None:
    assert says_superlative(question, sentence) is says


def test_at_least_is_no_superlative() -> None:
    assert not asks_superlative("Which vessels carry at least two boats?")
    assert not asks_superlative("When were most of the boats lost?")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which trade is projected to lose the most jobs?", None),
        ("Which trade is projected to add the most jobs?", "boat building"),
    ],
)
def test_running_text(question: str, answer: str | None) -> None:
    said = [claim.text for claim in ask(question, Pages({"harbour.pdf": [REPORT]})).claims]
    assert any(answer in text for text in said) if answer else not said
