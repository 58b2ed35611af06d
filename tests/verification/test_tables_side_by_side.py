"""Statements on tables with columns side by side: years with shares and changes, plan and actual, fund and index."""

from __future__ import annotations

import pytest

from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import judge


def _table(caption: str, *rows: tuple[str, ...]) -> Evidence:
    return Evidence(grids=(Grid(rows, caption),))


SHARES = _table(
    "",
    ("(in millions)", "2020", "% of total", "2019", "% of total"),
    ("Net sales", "1,200.5", "60.1%", "1,100.2", "58.3%"),
    ("Licence fees", "400.3", "20.0%", "410.9", "21.8%"),
    ("Other", "396.4", "19.9%", "375.0", "19.9%"),
)
CHANGES = _table(
    "",
    ("In millions", "2020", "2019", "Change", "% change"),
    ("Net sales", "1,200.5", "1,100.2", "100.3", "9.1%"),
    ("Licence fees", "400.3", "410.9", "(10.6)", "(2.6)%"),
)
PLAN = _table(
    "FY 2023, £m",
    ("", "Actual", "Budget", "Variance"),
    ("Revenue", "512.3", "500.0", "12.3"),
    ("Costs", "(310.2)", "(300.0)", "(10.2)"),
)
WEIGHTS = _table(
    "Sector weights as of 31 March 2024",
    ("Sector", "Fund (%)", "Benchmark (%)"),
    ("Technology", "28.4", "31.2"),
    ("Health care", "14.1", "12.0"),
)
RETURNS = _table(
    "Performance as of 30 June 2024",
    ("", "1 month", "YTD", "1 year", "3 years p.a."),
    ("Fund (net)", "1.2%", "5.4%", "10.1%", "4.2%"),
    ("Benchmark", "1.0%", "5.9%", "9.5%", "4.4%"),
)
GERMAN = _table(
    "", ("in Mio. EUR", "2023", "2022"), ("Umsatzerlöse", "1.234,5", "1.100,2"), ("Aufwand", "-610,3", "-580")
)


@pytest.mark.parametrize(
    ("evidence", "claim", "holds"),
    [
        (SHARES, "Net sales made up 60.1% of the total in 2020.", True),
        (SHARES, "Net sales made up 58.3% of the total in 2020.", False),
        (SHARES, "Net sales were $1,200.5 million, or 58.3% of the total, in 2020.", False),
        (CHANGES, "Licence fees fell 2.6% in 2020.", True),
        (CHANGES, "Licence fees rose 2.6% in 2020.", False),
        (CHANGES, "Net sales rose 9.1% to $1,200.5 million.", True),
        (CHANGES, "Net sales rose 9.1% to $1,100.2 million.", False),
        (CHANGES, "Net sales rose from $1,100.2 million to $1,200.5 million.", True),
        (CHANGES, "Net sales fell from $1,200.5 million to $1,100.2 million.", False),
        (CHANGES, "Licence fees fell from $400.3 million to $410.9 million.", False),
        (PLAN, "Revenue was £512.3 million, against a budget of £500.0 million.", True),
        (PLAN, "Revenue was £500.0 million in FY 2023, against a budget of £512.3 million.", False),
        (PLAN, "Actual costs were £300.0 million.", False),
        (WEIGHTS, "Technology and health care together make up 42.5% of the fund.", True),
        (WEIGHTS, "Technology and health care together make up 43.2% of the fund.", False),
        (RETURNS, "The fund returned 10.1% over one year, against 9.5% for the benchmark.", True),
        (RETURNS, "The fund returned 9.5% over one year, against 10.1% for the benchmark.", False),
        (RETURNS, "Year to date, the fund lagged its benchmark by 0.5 percentage points.", True),
        (RETURNS, "Year to date, the fund beat its benchmark by 0.5 percentage points.", False),
        (GERMAN, "Die Umsatzerlöse betrugen 2023 1.234,5 Mio. EUR.", True),
        (GERMAN, "Die Umsatzerlöse betrugen 2023 1.234,5 Mrd. EUR.", False),
    ],
)
def test_statement(evidence: Evidence, claim: str, holds: bool) -> None:
    verdict = judge(claim, evidence)
    assert verdict.grounded == holds, verdict


RETURNS = Grid(
    (
        ("", "1 year", "5 years", "10 years"),
        ("Market price", "24.26%", "14.80%", "12.68%"),
        ("Index", "24.33%", "14.85%", "12.72%"),
    ),
    "Average annual returns",
)


@pytest.mark.parametrize(
    ("claim", "status", "reason"),
    [
        ("The 10-year return at market price was 12.68%.", "grounded", "Market price, 10 years"),
        ("The 5-year return at market price was 12.68%.", "contradicted", "wrong year"),
        ("The 10-year return was 14.36%.", "contradicted", "the source gives 12.72% for Index, 10 years"),
    ],
)
def test_a_length_of_time_says_which_number_is_meant(claim: str, status: str, reason: str) -> None:
    said = "Returns for periods of less than one year are not annualized."
    verdict = judge(claim, Evidence(text=said, grids=(RETURNS,)))
    assert (verdict.status, reason in verdict.reason) == (status, True), verdict
