"""The fiscal calendar of a report, read from the report itself, and whether a report covers a time that was asked for.

A fiscal year is named after the calendar year it ends in; one that ends in its first weeks may be named after the year
before, as retailers do: then the report's own words decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from grounded.retrieval import dates
from grounded.types import Card, Document

STATEMENT_PAGES = 12  # by then a quarterly report has shown its statements
NAMING_PAGES = 40  # by then a report has called its year by name
QUARTER_DAYS = 91
EARLY_MONTH = 2  # a year that ends up to here may be named after the year before
_STRETCH = r"\b(?:{span})[\s-]+(?:months?|weeks?)(?:\s+periods?)?\s+ended"
_STRETCHES = tuple(
    (quarter, re.compile(_STRETCH.format(span=span), re.IGNORECASE))
    for quarter, span in (
        (3, r"nine|thirty[\s-]+nine|39|40|forty"),
        (2, r"six|twenty[\s-]+(?:six|four|eight)|26|24|28"),
        (1, r"three|thirteen|twelve|sixteen|13|12|16"),
    )
)
_FISCAL_YEAR = re.compile(
    r"\b(?:fiscal(?:\s+year)?|fy|quarter\s+of|quarter\s+of\s+fiscal)\s*['’]?(20\d\d)\b", re.IGNORECASE
)


def quarter(document: Document) -> int | None:
    """The fiscal quarter of a quarterly report, by the longest stretch its statements cover; None when they show none.
    A first quarter shows three months only."""
    text = _opening(document, STATEMENT_PAGES)
    return next((number for number, stretch in _STRETCHES if stretch.search(text)), None)


def year(document: Document, period_end: str, quarter_of_year: int | None) -> int | None:
    """The fiscal year a report belongs to: `quarter_of_year` for a quarterly one, None for an annual one."""
    if not period_end:
        return None
    left = (4 - (quarter_of_year or 4)) * QUARTER_DAYS
    end = date.fromisoformat(period_end) + timedelta(days=left - dates.SPILL_DAYS)
    if end.month > EARLY_MONTH:
        return end.year
    named = Counter(int(number) for number in _FISCAL_YEAR.findall(_opening(document, NAMING_PAGES)))
    return end.year - 1 if named[end.year - 1] > named[end.year] else end.year


def covers(card: Card, period: dates.Period) -> bool:
    """Does the document report on the period? By its own calendar where it has one; days and months are everyone's."""
    if period.day is not None or period.month is not None or card.fiscal_year is None:
        return dates.fits(period, card.period_end)
    if period.quarter is None:
        quarterly = card.quarter is not None and dates.fits(period, card.period_end)
        return card.fiscal_year == period.year or quarterly
    return period.year in (None, card.fiscal_year) and (card.quarter or 4) == period.quarter


def covering(period: dates.Period, cards: Sequence[Card]) -> list[bool]:
    """Which of the cards report on the period. A quarter that is nobody's own is a calendar quarter, a day that is
    nobody's period end means the month that ends there."""
    own = [covers(card, period) for card in cards]
    return own if any(own) else [dates.fits(period._replace(day=None), card.period_end) for card in cards]


def _opening(document: Document, pages: int) -> str:
    return "\n".join(page.text for page in document.pages[:pages] if page.readable)
