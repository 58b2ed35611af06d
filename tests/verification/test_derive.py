"""Numbers that nobody printed: what follows from the table, with its formula, and what does not."""

from __future__ import annotations

import pytest

from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import judge

COSTS = Grid(
    (
        ("", "2019", "2018", "2017"),
        ("Revenue", "$ 1,200", "$ 1,050", "$ 800"),
        ("Cost of sales", "(600)", "(550)", "(480)"),
        ("Current assets", "340", "300", "260"),
        ("Current liabilities", "160", "200", "130"),
        ("Net cash used in investing", "(75)", "(60)", "(20)"),
    ),
    "(in millions)",
)
EVIDENCE = Evidence(grids=(COSTS,))


@pytest.mark.parametrize(
    ("claim", "formula"),
    [
        ("What was the average revenue growth from 2017 to 2019 in percent? — 22.77%", "1,050) / $ 1,050"),
        (
            "What was the change in the ratio of current assets to current liabilities from 2018 to 2019? — 0.63",
            "/ 160 −",
        ),
        (
            "What is the difference between average revenue of 2018 and 2019 and of 2017 and 2018? — 200 million",
            "/ 2 −",
        ),
    ],
)
def test_two_steps(claim: str, formula: str) -> None:
    verdict = judge(claim, EVIDENCE)
    assert formula in verdict.reason, verdict


def test_half_away_from_zero_at_the_last_digit() -> None:
    assert judge("What was the average of current liabilities in 2017 and 2018? — 165 million", EVIDENCE).grounded
    assert not judge("What was the average of current liabilities in 2017 and 2018? — 164 million", EVIDENCE).grounded


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Net cash used in investing was $75 million in 2019.", True),
        ("Net cash used in investing was $60 million in 2019.", False),
        ("Cost of sales was $600 million in 2019.", True),
        ("Revenue was $(1,200) million in 2019.", False),
    ],
)
def test_a_deduction_is_named_by_its_size(claim: str, holds: bool) -> None:
    verdict = judge(claim, EVIDENCE)
    assert verdict.grounded == holds, verdict


def test_a_percentage_is_no_difference_of_amounts() -> None:
    verdict = judge("What was the percentage change in revenue from 2018 to 2019? — 200%", EVIDENCE)
    assert not verdict.grounded, verdict
