"""Kinds of question: definitions, values told respectively, things named in a row, the form a phrase must have."""

import pytest

from grounded.generation.extractive.definitions import asked_term
from grounded.generation.extractive.forms import suits
from grounded.generation.extractive.listing import asks_members
from grounded.generation.extractive.question import analyse
from grounded.generation.extractive.respective import of_years, respective
from grounded.generation.extractive.several import named_things
from grounded.generation.extractive.spans import defined, in_words, whole_clause, whole_list
from tests.generation.extractive.sheets import Pages, ask, page

TEXT = page(
    "“Goods” means the machines listed in the annex. The adjusted operating profit (AOP) grew. "
    "AOP is the profit before one-off items. "
    "Rent was $4.2 million and $3.9 million in 2019 and 2018, respectively. The lessee insures the machines."
)


def said(question: str) -> list[str]:
    return [claim.text for claim in ask(question, Pages({"lease.pdf": [TEXT]})).claims]


def at(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What does “Goods” mean?", "Goods"),
        ("what is meant by the term Closing Date?", "Closing Date"),
        ("Definition of change of control in the agreement", "change of control"),
        ("What does the lessee insure?", ""),
    ],
)
def test_the_term_whose_meaning_is_asked_for(question: str, term: str) -> None:
    assert asked_term(question) == term


def test_a_definition_is_the_sentence_that_defines() -> None:
    assert said("What does Goods mean?") == ["“Goods” means the machines listed in the annex."]
    assert said("What does AOP stand for?") == ["adjusted operating profit (AOP)"]
    assert said("what is aop") == ["AOP is the profit before one-off items."]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("What was the rent in 2018?", ["$3.9 million"]),
        ("What was the rent in 2018 and 2019?", ["$3.9 million", "$4.2 million"]),
        ("What was the rent respectively?", ["$4.2 million", "$3.9 million"]),
        ("What was the rent?", []),
    ],
)
def test_values_told_respectively(question: str, values: list[str]) -> None:
    text = TEXT.text
    found = respective(analyse(question), text, at(text, "$4.2 million and"))
    assert [text[slice(*span)] for span in found] == values


def test_values_of_years_that_stand_in_another_number_are_not_told_apart() -> None:
    text = "Rent was $4 and $3 in 2019, 2018 and 2017, respectively."
    assert respective(analyse("What was the rent in 2018?"), text, at(text, "$4")) == []


@pytest.mark.parametrize(
    ("text", "picked", "value"),
    [
        ("Its share rose from 69.4 percent in 2010 to 71.1 percent in 2020.", "69.4 percent", ["71.1 percent"]),
        ("It will rise between 2010 and 2020, from about 143.1 million to 163.5 million.", "143.1", ["163.5 million"]),
        ("On March 7, 2020, it issued 40 notices.", "March 7, 2020", []),
        ("Rent was $4 and $3 in 2020 and 2010, respectively.", "$3", []),
        ("The fund was closed in 2020.", "The fund", []),
    ],
)
def test_the_value_of_the_year_that_is_asked_for(text: str, picked: str, value: list[str]) -> None:
    found = of_years(analyse("What was it in 2020?"), text, at(text, picked))
    assert [text[slice(*span)] for span in found] == value


def test_things_named_in_a_row() -> None:
    assert named_things("What are the fee and the yield of the fund?") == [
        ("What is the fee of the fund?",),
        ("What is the yield of the fund?",),
    ]
    assert named_things("return of class A and class B")[1] == (
        "What is the class B?",
        "What is the return of class B?",
    )
    assert named_things("What is the difference between the fee and the yield?") == []


@pytest.mark.parametrize(
    ("question", "phrase", "may"),
    [
        ("In how many years does it end?", "$4", False),
        ("In how many years does it end?", "4", True),
        ("How much does it cost?", "the lessee", False),
        ("Who is the finance director?", "finance director", False),
        ("Who is the finance director?", "Ada Brenner", True),
    ],
)
def test_the_form_of_a_phrase(question: str, phrase: str, may: bool) -> None:
    text = f"It ends in {phrase} years." if "years" in question else phrase
    assert suits(question, text, at(text, phrase)) is may


def test_a_number_of_a_name_counts_nothing() -> None:
    text = "On that day Harbour Ferry 610 sank with 14 boats."
    assert not suits("How many people died?", text, at(text, "610"))
    assert suits("How many boats sank?", text, at(text, "14"))


def test_phrases_are_shown_whole() -> None:
    text = "Payment falls due within thirty (30) days for paper, chemicals and food; then interest runs."
    assert text[slice(*in_words(text, at(text, "30")))] == "thirty (30)"
    assert text[slice(*whole_list(text, at(text, "paper, chemicals")))] == "paper, chemicals and food"


def test_the_parts_of_something_are_no_value_of_it() -> None:
    assert asks_members("What are the components of total revenue?")
    assert asks_members("What do current assets consist of?")
    assert not asks_members("What is total revenue?")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Revenue rose 4%, primarily due to higher prices.", "higher prices"),
        ("Costs fell because of the new plant in Oslo.", "the new plant in Oslo"),
        ("Costs fell in 2019.", ""),
    ],
)
def test_what_is_given_as_a_cause(text: str, cause: str) -> None:
    part = defined(text, cause=True)
    assert (text[slice(*part)] if part else "") == cause


def test_a_phrase_with_the_rest_of_its_clause() -> None:
    text = "It relies on royalty reports received from third parties, which it may audit."
    assert (
        text[slice(*whole_clause(text, at(text, "royalty reports")))] == "royalty reports received from third parties"
    )
    assert whole_clause(text, at(text, "third parties")) == at(text, "third parties")


def test_values_of_a_sentence_are_computed_with() -> None:
    assert said("What was the change in rent from 2018 to 2019?")[0] == "$4.2 million − $3.9 million = $0.3 million"
