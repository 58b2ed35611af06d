"""Invented quarterly reports that look alike: 23 companies, six quarters each, one form, fiscal years that end in any
month. And questions on them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple


class Company(NamedTuple):
    """A registrant. year_end: the month its fiscal year ends in; January years are named after the year before. weeks:
    its quarters are 13 weeks long and end on a Saturday."""

    name: str
    ticker: str
    trade: str
    year_end: int = 12
    weeks: bool = False
    former: str = ""


COMPANIES = (
    Company("Larkspur Devices Inc.", "LKSD", "connected home devices", 9, weeks=True),
    Company("Larkspur Energy Corporation", "LKE", "natural gas transmission"),
    Company("Marrow Bay Bancorp", "MRWB", "community banking"),
    Company("Tessaly Software, Inc.", "TSLY", "workflow software", 6),
    Company("Quarrion Semiconductor Corp.", "QRRN", "power semiconductors", 1, weeks=True),
    Company("The Fennimore Company", "FNM", "packaged foods", 5),
    Company("Ponderix Networks plc", "PDRX", "optical networking"),
    Company("Brightloom Systems Limited", "BLM", "payment terminals"),
    Company("Halvard & Sons Holdings", "HVS", "furniture retail", 1),
    Company("Orchid Lane Therapeutics, Inc.", "ORCH", "rare disease therapies"),
    Company("United Basalt Materials Corp.", "UBM", "construction aggregates", 9),
    Company("American Willow Insurance Group", "AWIG", "property and casualty insurance"),
    Company("Caldera Airlines Group Inc.", "CALD", "regional passenger flights"),
    Company("Nimbus Realty Trust", "NRT", "warehouse properties"),
    Company("3K Robotics Company", "THRK", "industrial robots", 6),
    Company("MERIDIAN.COM, INC.", "MRDN", "online marketplaces"),
    Company("Advanced Copper Products, Inc.", "ACPR", "copper tubing"),
    Company("Advanced Copper Technologies Corporation", "ACT", "heat exchangers", 3),
    Company("Marrow Bay Holdings, Inc.", "MBH", "marinas and boat storage", 10),
    Company("Brightloom Software, Inc.", "BSFT", "tax software", 7),
    Company("Nimbus Industrial Realty Trust", "NIRT", "cold storage properties"),
    Company("General Tidewater Shipping Company", "GTS", "coastal freight"),
    Company("Vantor, Inc.", "VNTR", "digital advertising", former="Pagewell Media Group, Inc."),
)
YEARS = (2022, 2023)  # fiscal
METRICS = (
    "total revenues", "net income", "diluted earnings per share", "cash and cash equivalents", "long-term debt",
    "capital expenditures", "effective tax rate", "inventories", "research and development expenses",
)  # fmt: skip
_ORDINALS = ("first", "second", "third")
_SPANS = {False: ("three", "six", "nine"), True: ("thirteen", "twenty-six", "thirty-nine")}


class Filing(NamedTuple):
    """The report of one company on one quarter of its fiscal year."""

    company: Company
    year: int
    quarter: int

    @property
    def end(self) -> date:
        """The last day of the quarter."""
        early = self.company.year_end == 1  # the fiscal year ends in the next calendar year
        months = (self.year - 1 + early) * 12 + self.company.year_end + 3 * self.quarter
        last = date(months // 12, months % 12 + 1, 1) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - 5) % 7) if self.company.weeks else last

    @property
    def file_name(self) -> str:
        """A name that tells nothing."""
        return f"{100 + COMPANIES.index(self.company) * 7}-{self.year % 7 * 40 + self.quarter * 13}.pdf"


def filings() -> Iterator[tuple[str, str, Sequence[str]]]:
    """File name, title (none) and pages of each report."""
    for filing in _filings():
        yield filing.file_name, "", _pages(filing)


def questions() -> Iterator[tuple[str, str]]:
    """Question and the file name of the report it means."""
    chance = random.Random(11)
    for filing in _filings():
        said, end, year = _said(filing.company.name), filing.end, filing.year
        ordinal, span = _ORDINALS[filing.quarter - 1], _SPANS[filing.company.weeks][0]
        forms = [
            f"What was {said}'s {{}} for the quarter ended {_written(end)}?",
            f"How did {{}} of {filing.company.name} develop in Q{filing.quarter} {year}?",
            f"What {{}} did {said} report in the {ordinal} quarter of fiscal {year}?",
            f"{said} {{}} {filing.quarter}Q{year % 100}",
            f"{filing.company.ticker}: {{}} in FY{year % 100} Q{filing.quarter}?",
            f"Give {said}’s {{}} in the {span} months ended {end:%B} {end.day}, {end.year} and explain what drove it.",
            f"In its {year} Q{filing.quarter} 10-Q, what did {said} say about {{}}?",
        ]
        yield from ((form.format(chance.choice(METRICS)), filing.file_name) for form in (*forms, *_more(filing, said)))
    for company in COMPANIES:
        said, latest = _said(company.name), Filing(company, YEARS[-1], 3).file_name
        yield f"What is the latest {chance.choice(METRICS)} of {said}?", latest
        yield f"According to its most recent 10-Q, what were {company.ticker}'s {chance.choice(METRICS)}?", latest
        yield f"What legal proceedings does {said} describe?", latest
        yield f"How much {chance.choice(METRICS)} did {said} have at the end of the last quarter?", latest
        yield f"{company.ticker} {chance.choice(METRICS)} latest quarter", latest
        yield f"What is {said}'s most recently reported {chance.choice(METRICS)}?", latest
        yield f"What is the current {chance.choice(METRICS)} of {said} as of the last filing?", latest


def _more(filing: Filing, said: str) -> Iterator[str]:
    """The same question in further words."""
    end, quarter, year, ticker = filing.end, filing.quarter, filing.year, filing.company.ticker
    short, fiscal = f"{year % 100:02}", filing.company.year_end != 12
    yield f"{ticker} {{}} Q{quarter} FY{short}"
    yield f"{said.lower()} {{}} q{quarter} fy{year}"
    yield f"What {{}} did {said} report for the three months ended {end.day} {end:%B} {end.year}?"
    yield f"How much were {said}'s {{}} at {end.month}/{end.day}/{end.year}?"
    yield f"In {said}'s fiscal {_ORDINALS[quarter - 1]} quarter {year}, what happened to {{}}?"
    yield f"For {ticker}, summarize {{}} in {year}-Q{quarter}."
    yield f"What did {said} say about {{}} in the 10-Q for the period ended {end:%b} {end.day}, {end.year}?"
    yield f"{said}: {{}} in the {end:%B} {end.year} quarter"
    if quarter > 1:
        stretch = ("", "six", "nine")[quarter - 1]
        yield f"What were {said}'s year-to-date {{}} through {_written(end)}?"
        yield f"What were {{}} of {said} for the first {stretch} months of {'fiscal ' if fiscal else ''}{year}?"
        yield f"YTD Q{quarter} {year} {{}} of {ticker}"
    if filing.company.former:
        yield f"What {{}} did {_said(filing.company.former)} report for the quarter ended {_written(end)}?"


def _filings() -> Iterator[Filing]:
    return (Filing(*key) for key in itertools.product(COMPANIES, YEARS, (1, 2, 3)))


def _written(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


def _said(company: str) -> str:
    """As people say it: without the legal form."""
    if company.isupper():
        return company.split(".")[0].capitalize()
    words = company.replace(",", "").removeprefix("The ").split()
    legal = {"Inc", "Corp", "Corporation", "Company", "plc", "Limited"}
    return " ".join(words[:-1] if words[-1].rstrip(".") in legal else words)


def _pages(filing: Filing) -> list[str]:
    company, ticker, trade, year_end, _, former = filing.company
    chance, end = random.Random(f"{company}{filing.year}{filing.quarter}"), filing.end
    when, then = _written(end), _written(filing._replace(year=filing.year - 1).end)
    spans = _SPANS[filing.company.weeks]
    so_far = "" if filing.quarter == 1 else f" and {spans[filing.quarter - 1]}"
    unit = "weeks" if filing.company.weeks else "months"
    closed = _written(filing._replace(year=filing.year - 1, quarter=4).end)
    named = f"fiscal {filing.year}" if year_end != 12 else str(filing.year)

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
{former or "Not applicable"}
(Former name, former address and former fiscal year, if changed since last report)

Securities registered pursuant to Section 12(b) of the Act:
Common stock, par value $0.01 per share\t{ticker}\tNew York Stock Exchange
As of {end + timedelta(days=25):%B %d, %Y}, {money()},000 shares of common stock were outstanding."""
    income = f"""CONSOLIDATED STATEMENTS OF INCOME (in millions, except per share)
{spans[0].capitalize()}{so_far} {unit} ended {when} and {then}

Total revenues\t{money()}\t{money()}
Cost of sales\t{money()}\t{money()}
Research and development expenses\t{money()}\t{money()}
Income before income taxes\t{money()}\t{money()}
Effective tax rate\t{chance.randint(15, 25)}.{chance.randint(0, 9)}%\t{chance.randint(15, 25)}.4%
Net income\t{money()}\t{money()}
Diluted earnings per share\t{chance.randint(0, 4)}.{chance.randint(10, 99)}\t1.{chance.randint(10, 99)}"""
    balance = f"""CONSOLIDATED BALANCE SHEETS (in millions)
{when} and {closed}

Cash and cash equivalents\t{money()}\t{money()}
Accounts receivable\t{money()}\t{money()}
Inventories\t{money()}\t{money()}
Total assets\t{money()}\t{money()}
Long-term debt\t{money()}\t{money()}
Total liabilities and shareholders' equity\t{money()}\t{money()}"""
    talk = f"""Item 2. Management's Discussion and Analysis

Our business is {trade}. In the {_ORDINALS[filing.quarter - 1]} quarter of {named} revenues increased compared with the
{spans[0]} {unit} ended {then}, primarily due to
higher volumes and pricing, partially offset by foreign exchange. Capital expenditures were ${money()} million.
We believe that
cash and cash equivalents and our revolving credit facility are sufficient for the next twelve months."""
    legal = f"""Item 1. Legal Proceedings

From time to time the Company is a party to claims arising in the ordinary course of business. As of {when} the
Company had accrued ${money()} million for legal contingencies. Management does not expect a material effect.

Item 1A. Risk Factors

There have been no material changes to the risk factors disclosed in the Annual Report for the year ended {closed}."""
    return [cover, income, balance, talk, legal]
