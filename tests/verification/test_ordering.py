"""Ranks, extremes, comparisons, trends and frequencies that a table decides, true and false ones."""

from __future__ import annotations

import pytest

from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import judge

SECTORS = Grid(
    (
        ("", "As of June 30, 2025"),
        ("Technology", "32.7%"),
        ("Financials", "14.2%"),
        ("Health care", "9.5%"),
        ("Materials", "1.8%"),
        ("Total", "100.0%"),
    ),
    "Sector diversification (%)",
)
SALES = Grid(
    (
        ("(in thousands)", "2019", "2018", "2017"),
        ("Net sales", "1,234", "987", "1,100"),
        ("Operating income", "120", "150", "90"),
        ("Gains on sales", "31", "46", "5"),
    )
)
RETURNS = Grid(
    (
        ("", "2022", "2023", "2024"),
        ("Net asset value", "-18.21%", "25.89%", "24.70%"),
        ("Index", "-18.17%", "25.94%", "24.75%"),
    ),
    "Calendar-year returns (%)",
)
FACTS = Grid((("Dividend schedule", "Quarterly"), ("Ticker symbol", "NMBF")), "Quick facts")
EVIDENCE = Evidence(text="The index is reviewed each quarter.", grids=(SECTORS, SALES, RETURNS, FACTS))


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Technology is the largest sector.", True),
        ("Financials is the largest sector.", False),
        ("Financials is the second-largest sector.", True),
        ("Health care is the second-largest sector.", False),
        ("Materials is the smallest sector.", True),
        ("Health care is the smallest sector.", False),
        ("Health care is the smallest sector, at 1.8%.", False),
        ("Net sales were highest in 2019.", True),
        ("Net sales were highest in 2017.", False),
        ("2018 had the lowest net sales.", True),
        ("Which year had the highest operating income? — 2018", True),
        ("Which year had the highest operating income? — 2019", False),
        ("2022 was the worst calendar year.", True),
        ("2024 was the best calendar year.", False),
        ("Health care has a smaller weight than financials.", True),
        ("Health care has a larger weight than financials.", False),
        ("Financials outweigh health care.", True),
        ("Net sales rose from 2018 to 2019.", True),
        ("Net sales fell from 2018 to 2019.", False),
        ("Net sales did not fall from 2018 to 2019.", True),
        ("Net sales did not rise from 2018 to 2019.", False),
        ("Health care is not the smallest sector.", True),
        ("Financials is not the second-largest sector.", False),
        ("Operating income declined in 2019.", True),
        ("Operating income increased in 2019.", False),
        ("The fund had a negative return in 2022.", True),
        ("The fund had a negative return in 2023.", False),
        ("Dividends are paid quarterly.", True),
        ("Dividends are paid monthly.", False),
        ("The fund pays dividends every month.", False),
        ("The gains on sales were 31 in 2019.", True),
        ("The gains on sales rose in 2019.", False),
        ("The index is reviewed every quarter.", True),
        ("The index is reviewed every month.", False),
    ],
)
def test_order(claim: str, holds: bool) -> None:
    verdict = judge(claim, EVIDENCE)
    assert verdict.grounded == holds, verdict
    assert holds or verdict.status == "contradicted", verdict


def test_the_reason_names_the_cells() -> None:
    verdict = judge("Health care is the second-largest sector.", EVIDENCE)
    assert "Financials" in verdict.reason and "14.2%" in verdict.reason
    assert [check.name for check in verdict.checks] == ["order"]


def test_a_cell_of_another_length_of_time_decides_nothing() -> None:
    """'Over ten years' is not settled by a deviation over three."""
    risk = Grid((("", "Fund", "Index"), ("Standard deviation (3 years)", "15.9%", "15.9%")))
    verdict = judge("Over ten years the fund trailed the index.", Evidence(grids=(risk,)))
    assert verdict.status == "unverified", verdict.reason
