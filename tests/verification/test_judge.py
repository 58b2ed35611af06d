"""What decides a claim without a model, and the reason a reader gets."""

from __future__ import annotations

import pytest

from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import judge

INCOME = Grid(
    (
        ("", "Years ended December 31,", ""),
        ("", "2019", "2018"),
        ("Revenue", "$ 1,234", "$ 987"),
        ("Cost of sales", "(810)", "(640)"),
        ("Net (loss) income", "(56)", "12"),
        ("Dividends", "", "4"),
    ),
    "Income statement (in thousands)",
)
TABLE = Evidence(grids=(INCOME,))
TEXT = Evidence(
    text="The Receiving Party shall not disclose the Know-how to third parties, unless the law requires it. "
    "In 2019, revenue of Acme Corp. rose 25% to $1,234 thousand from $987 thousand in 2018."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Revenue was 1,234 thousand in 2019.",
        "Revenue was $1.2 million in 2019.",
        "Net loss was (56) thousand in 2019.",
        "What was the revenue in 2018? — 987 thousand",
        "What was the change in revenue from 2018 to 2019? — 247 thousand",
        "What was the percentage change in revenue from 2018 to 2019? — 25.03%",
    ],
)
def test_right_cells(claim: str) -> None:
    verdict = judge(claim, TABLE)
    assert verdict.grounded, verdict


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("What was the revenue in 2019? — 987 thousand", "wrong year"),
        ("What was the revenue in 2019? — 1,234 million", "wrong scale"),
        ("Revenue was 1,234 billion in 2019.", "wrong scale"),
        ("What was the net income in 2019? — 56 thousand", "wrong sign"),
        ("What was the revenue in 2019? — 4,321 thousand", "1,234"),
        ("Revenue was not 1,234 thousand in 2019.", "not"),
    ],
)
def test_wrong_cells_and_why(claim: str, reason: str) -> None:
    verdict = judge(claim, TABLE)
    assert not verdict.grounded
    assert reason in verdict.reason, verdict.reason


def test_a_derived_number_shows_its_formula() -> None:
    verdict = judge("What was the change in revenue from 2018 to 2019? — 247 thousand", TABLE)
    assert "1,234" in verdict.reason and "987" in verdict.reason and "247" in verdict.reason


@pytest.mark.parametrize(
    "claim",
    [
        "The Receiving Party shall not disclose the Know-how to third parties, unless the law requires it.",
        "In 2019, revenue of Acme Corp. rose 25% to $1,234 thousand.",
        "Revenue of Acme Corp. increased 25% in 2019.",
    ],
)
def test_right_words(claim: str) -> None:
    verdict = judge(claim, TEXT)
    assert verdict.grounded, verdict


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (
            "The Receiving Party shall disclose the Know-how to third parties, unless the law requires it.",
            "not",
        ),
        (
            "The Receiving Party may not disclose the Know-how to third parties, unless the law requires it.",
            "shall",
        ),
        ("The Receiving Party shall not disclose the Know-how to third parties.", "unless"),
        ("In 2019, revenue of Acme Corp. fell 25% to $1,234 thousand.", "rose"),
        ("In 2019, revenue of Apex Corp. rose 25% to $1,234 thousand.", "Apex"),
        ("In 2019, revenue of Acme Corp. rose 25% to $1,243 thousand.", "1,2"),
        ("In 2018, revenue of Acme Corp. rose 25% to $1,234 thousand.", "2018"),
    ],
)
def test_turned_words_and_which(claim: str, word: str) -> None:
    verdict = judge(claim, TEXT)
    assert not verdict.grounded
    assert word in verdict.reason, verdict.reason


def test_a_form_field_decides() -> None:
    form = Evidence(text="Registration:\nN5921D\nAircraft Damage:\nSubstantial\nRated Power:\n\nOwner:\nA. Forman")
    assert judge("The aircraft damage is Substantial.", form).grounded
    refused = judge("The aircraft damage is Destroyed.", form)
    assert refused.status == "contradicted" and "Substantial" in refused.reason


def test_part_of_a_claim() -> None:
    verdict = judge("Revenue was 1,234 thousand in 2019. The dividend was 77 thousand in 2019.", TABLE)
    assert not verdict.grounded
    assert verdict.status in ("partial", "contradicted")
    assert "dividend" in verdict.reason


def test_nothing_related() -> None:
    verdict = judge("The fund lends its securities to brokers.", TEXT)
    assert not verdict.grounded


def test_the_same_input_gives_the_same_verdict() -> None:
    claim = "What was the revenue in 2019? — 987 thousand"
    assert judge(claim, TABLE) == judge(claim, Evidence(grids=(Grid(INCOME.rows, INCOME.caption),)))


def test_a_comparison_in_a_table_alone_is_never_certain() -> None:
    scores = Evidence(grids=(Grid((("Model", "A set", "B set"), ("Alpha", "91.0", "88.0"), ("Beta", "80.0", "79.0"))),))
    assert judge("Alpha outperforms Beta.", scores).confidence < 0.95
