"""Counts over the rows or the periods of a table, asked and stated, right and wrong."""

from __future__ import annotations

import pytest

from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import judge

SALES = Grid(
    (
        ("(in millions)", "2019", "2018", "2017", "2016"),
        ("Net sales", "1,234", "987", "1,100", "900"),
        ("Total costs", "1,200", "1,000", "950", "910"),
    )
)
SECTORS = Grid(
    (
        ("Sector", "Weight"),
        ("Technology", "32.7%"),
        ("Financials", "14.2%"),
        ("Health care", "9.5%"),
        ("Materials", "1.8%"),
        ("Total", "100.0%"),
    ),
    "Sector weights",
)


@pytest.mark.parametrize(
    ("claim", "count"),
    [
        ("In how many years did net sales exceed $1,000 million? — {n}", 2),
        ("In how many years did net sales exceed $1 billion? — {n}", 2),
        ("How many years did net sales exceed 950 million? — {n}", 3),
        ("In how many years were net sales below 950 million? — {n}", 1),
        ("In how many years did net sales exceed total costs? — {n}", 2),
        ("In how many years between 2017 and 2019 did net sales exceed 1,000 million? — {n}", 2),
        ("Net sales exceeded 1,000 million in {n} years.", 2),
        ("Net sales exceeded 1,000 million in {n} of the four years.", 2),
        ("Net sales were below total costs in {n} of the four years.", 2),
        ("How many sectors have a weight of more than 10%? — {n}", 2),
        ("{n} sectors have a weight of at least 9.5%.", 3),
    ],
)
def test_counts(claim: str, count: int) -> None:
    evidence = Evidence(grids=(SALES, SECTORS))
    right = judge(claim.format(n=count), evidence)
    assert right.grounded, right
    assert right.checks[0].name == "count"
    wrong = judge(claim.format(n=count + 1), evidence)
    assert wrong.status == "contradicted", wrong


def test_a_threshold_in_dollars_decides_nothing_over_cells_in_millions() -> None:
    verdict = judge("In how many years did net sales exceed $1,000? — 2", Evidence(grids=(SALES,)))
    assert all(check.name != "count" for check in verdict.checks)
