"""Words, sections, labels, glossaries and questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grounded.errors import UsageError
from grounded.retrieval.glossary import Glossary, GlossaryEntry, load_glossary
from grounded.retrieval.question import core, read_question
from grounded.retrieval.words import content_stems, label_match, section_match, words


def test_codes_stay_whole() -> None:
    assert words("Item 7A of the 10-Q, U.S. GAAP") == ["item", "7a", "of", "the", "10-q", "u.s", "gaap"]


def test_stems_join_forms_of_a_word() -> None:
    assert content_stems("companies expensed ratios") == content_stems("company expensing ratio")


@pytest.mark.parametrize(
    ("question", "section", "expected"),
    [
        ("What is the expense ratio?", "Expense ratio comparison", 1.0),
        ("Which risk factors are named?", "Part I › Item 1A › Risk Factors", 1.0),
        ("Who are the holders?", "Ten largest holdings", 0.0),
        ("What is the fund's performance?", "Annual performance", 0.25),
        ("What is the expense ratio?", "", 0.0),
        ("What is it?", "The", 0.0),
    ],
)
def test_section_match(question: str, section: str, expected: float) -> None:
    assert section_match(question, section) == expected


def test_a_label_of_a_form_or_table_answers_its_name() -> None:
    form = "Location:\tTallahassee, FL\tDate & Time:\t12/08/2007\nReport Date:\t01/31/2008"
    assert label_match("What is the date and time?", form) == 1.0
    assert label_match("What is the engine model?", form) == 0.0
    assert label_match("total current assets", "Total current assets\t1,234\t1,100\nAssets\t9") == 1.0


@pytest.mark.parametrize(
    ("question", "page", "form"),
    [
        ("What was capex in FY2021?", "cash flow statement", "purchases of property"),
        ("What is the days payable outstanding?", "balance sheet", "accounts payable"),
        ("Which law governs this agreement?", "", "governed by and construed"),
        ("Who are the parties?", "front", "by and between"),
    ],
)
def test_a_glossary_knows_how_it_is_printed_and_where(question: str, page: str, form: str) -> None:
    senses = load_glossary().senses(question)
    assert any(form in printed for sense in senses for printed in sense.entry.forms)
    assert not page or any(page in sense.entry.pages for sense in senses)


def test_a_question_without_terms_has_no_senses() -> None:
    assert load_glossary().senses("Does zinc bind to tau?") == []


def test_the_better_said_idea_displaces_the_wider_one() -> None:
    said = [sense.said for sense in load_glossary().senses("Is there a perpetual and irrevocable license?")]
    assert not any(one < other for one in said for other in said)


def test_users_add_their_own_terms(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text(json.dumps([{"terms": ["zorble"], "forms": ["quantity of zorbles shipped"]}]))
    assert read_question("How many zorbles?", load_glossary(own)).vocabulary.startswith("quantity zorbles shipped")
    own.write_text('{"terms": 1}')
    with pytest.raises(UsageError, match="glossary"):
        load_glossary(own)


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("What is the NAV? Answer in one sentence.", "What is the NAV?"),
        ("Based on the document, what is the NAV?", "what is the NAV?"),
        ("Assume you are an analyst. What is the NAV?", "What is the NAV?"),
        ("What is the margin? If margin is not a useful metric here, say so.", "What is the margin?"),
        ("Please tell me", "Please tell me"),
        ("Answer yes.", "Answer yes."),
        ("Use of proceeds?", "Use of proceeds?"),
    ],
)
def test_instructions_are_not_searched(question: str, searched: str) -> None:
    assert core(question) == searched


def test_fiscal_years_are_spelled_out() -> None:
    assert "2018" in read_question("FY18 revenue", load_glossary()).words.split()


@pytest.mark.parametrize(
    "question",
    [
        "DUSP4 increases apoptosis.",
        "Why did the light fade?",
        "How many people came?",
        "List the leases.",
        "What caused it?",
    ],
)
def test_everyday_words_are_no_terms(question: str) -> None:
    assert load_glossary().senses(question) == []


def test_a_reason_is_looked_for_where_reasons_are_given() -> None:
    """Of the margin's two homes the discussion comes first when its change is to be explained."""
    first, *others = load_glossary().senses("Why did gross margin fall?")
    assert "discussion" in first.entry.pages
    assert any("income statement" in sense.entry.pages for sense in others)
    assert "discussion" not in load_glossary().senses("What was gross margin?")[0].entry.pages


def test_words_apart_or_turned_round_say_a_term_less() -> None:
    glossary = Glossary([GlossaryEntry(terms=("revenue share",), forms=("royalty",))])
    weights = [glossary.senses(f"What is the {said}?")[0].weight for said in (
        "revenue share", "share of revenue", "share that customers add to net revenue",
    )]  # fmt: skip
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == 3


def test_off_balance_sheet_is_no_balance_sheet() -> None:
    (sense, *_) = load_glossary().senses("Are there off-balance sheet arrangements?")
    assert "balance sheet" not in sense.entry.pages
