"""Invented quarterly reports that look alike: 15 companies, six quarters each, one form. And questions on them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date

COMPANIES = (
    ("Larkspur Devices Inc.", "LKSD", "connected home devices"),
    ("Larkspur Energy Corporation", "LKE", "natural gas transmission"),
    ("Marrow Bay Bancorp", "MRWB", "community banking"),
    ("Tessaly Software, Inc.", "TSLY", "workflow software"),
    ("Quarrion Semiconductor Corp.", "QRRN", "power semiconductors"),
    ("The Fennimore Company", "FNM", "packaged foods"),
    ("Ponderix Networks plc", "PDRX", "optical networking"),
    ("Brightloom Systems Limited", "BLM", "payment terminals"),
    ("Halvard & Sons Holdings", "HVS", "furniture retail"),
    ("Orchid Lane Therapeutics, Inc.", "ORCH", "rare disease therapies"),
    ("United Basalt Materials Corp.", "UBM", "construction aggregates"),
    ("American Willow Insurance Group", "AWIG", "property and casualty insurance"),
    ("Caldera Airlines Group Inc.", "CALD", "regional passenger flights"),
    ("Nimbus Realty Trust", "NRT", "warehouse properties"),
    ("3K Robotics Company", "THRK", "industrial robots"),
)
QUARTERS = (
    date(2022, 3, 31),
    date(2022, 6, 30),
    date(2022, 9, 30),
    date(2023, 3, 31),
    date(2023, 6, 30),
    date(2023, 9, 30),
)
METRICS = (
    "total revenues", "net income", "diluted earnings per share", "cash and cash equivalents", "long-term debt",
    "capital expenditures", "effective tax rate", "inventories", "research and development expenses",
)  # fmt: skip
_ORDINAL = {3: "first", 6: "second", 9: "third"}


def filings() -> Iterator[tuple[str, str, Sequence[str]]]:
    """File name (which tells nothing), title (none) and pages of each report."""
    for number, (company, ticker, trade) in enumerate(COMPANIES):
        for place, end in enumerate(QUARTERS):
            yield _name(number, place), "", _pages(company, ticker, trade, end, random.Random(f"{number}-{place}"))


def questions() -> Iterator[tuple[str, str]]:
    """Question and the file name of the report it means."""
    chance = random.Random(11)
    for number, (company, ticker, _) in enumerate(COMPANIES):
        said = _said(company)
        for place, end in enumerate(QUARTERS):
            metric = chance.choice(METRICS)
            when = f"{end:%B} {end.day}, {end.year}"
            yield f"What was {said}'s {metric} for the quarter ended {when}?", _name(number, place)
            yield f"How did {metric} of {company} develop in Q{end.month // 3} {end.year}?", _name(number, place)
            ordinal = _ORDINAL[end.month]
            yield f"What {metric} did {said} report in the {ordinal} quarter of {end.year}?", _name(number, place)
        latest = _name(number, len(QUARTERS) - 1)
        yield f"What is the latest {chance.choice(METRICS)} of {said}?", latest
        yield f"According to its most recent 10-Q, what were {ticker}'s {chance.choice(METRICS)}?", latest
        yield f"What legal proceedings does {said} describe?", latest


def _name(number: int, place: int) -> str:
    return f"{100 + number * 7}-{place * 13}.pdf"


def _said(company: str) -> str:
    """As people say it: without the legal form."""
    words = company.replace(",", "").removeprefix("The ").split()
    return (
        " ".join(words[:-1])
        if words[-1].rstrip(".") in {"Inc", "Corp", "Corporation", "Company", "plc", "Limited"}
        else " ".join(words)
    )


def _pages(company: str, ticker: str, trade: str, end: date, chance: random.Random) -> list[str]:
    before = end.replace(year=end.year - 1)
    when, then = f"{end:%B} {end.day}, {end.year}", f"{before:%B} {before.day}, {before.year}"

    def money() -> str:
        return f"{chance.randint(100, 9999):,}"

    cover = f"""UNITED STATES
SECURITIES AND EXCHANGE COMMISSION
Washington, D.C. 20549

FORM 10-Q

QUARTERLY REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934
For the quarterly period ended {when}
Commission File Number: 001-{chance.randint(10000, 99999)}

{company}
(Exact name of registrant as specified in its charter)

Securities registered pursuant to Section 12(b) of the Act:
Common stock, par value $0.01 per share\t{ticker}\tNew York Stock Exchange
As of {date(end.year, end.month + 1, 25):%B %d, %Y}, {money()},000 shares of common stock were outstanding."""
    income = f"""CONSOLIDATED STATEMENTS OF INCOME (in millions, except per share)
Three months ended {when} and {then}

Total revenues\t{money()}\t{money()}
Cost of sales\t{money()}\t{money()}
Research and development expenses\t{money()}\t{money()}
Income before income taxes\t{money()}\t{money()}
Effective tax rate\t{chance.randint(15, 25)}.{chance.randint(0, 9)}%\t{chance.randint(15, 25)}.4%
Net income\t{money()}\t{money()}
Diluted earnings per share\t{chance.randint(0, 4)}.{chance.randint(10, 99)}\t1.{chance.randint(10, 99)}"""
    balance = f"""CONSOLIDATED BALANCE SHEETS (in millions)
{when} and December 31, {end.year - 1}

Cash and cash equivalents\t{money()}\t{money()}
Accounts receivable\t{money()}\t{money()}
Inventories\t{money()}\t{money()}
Total assets\t{money()}\t{money()}
Long-term debt\t{money()}\t{money()}
Total liabilities and shareholders' equity\t{money()}\t{money()}"""
    talk = f"""Item 2. Management's Discussion and Analysis

Our business is {trade}. Revenues increased compared with the three months ended
{then}, primarily due to
higher volumes and pricing, partially offset by foreign exchange. Capital expenditures were ${money()} million.
We believe that
cash and cash equivalents and our revolving credit facility are sufficient for the next twelve months."""
    legal = f"""Item 1. Legal Proceedings

From time to time the Company is a party to claims arising in the ordinary course of business. As of {when} the
Company had accrued ${money()} million for legal contingencies. Management does not expect a material effect.

Item 1A. Risk Factors

There have been no material changes to the risk factors disclosed in the Annual Report for {end.year - 1}."""
    return [cover, income, balance, talk, legal]
