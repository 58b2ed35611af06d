"""Dates and periods as documents print them and questions ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

_NAMES = "january february march april may june july august september october november december"
_MONTHS = _NAMES.split()
_MONTH = r"(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "may" else "may" for m in _MONTHS) + r"|sept)\.?"
_DATE = re.compile(
    rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s*(?P<year>(?:19|20)\d\d)\b"
    rf"|\b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+day\s+of)?\s+{_MONTH.replace('month', 'month2')}\s*,?\s*"
    r"(?P<year2>(?:19|20)\d\d)\b"
    r"|\b(?P<year3>(?:19|20)\d\d)-(?P<month3>\d\d)-(?P<day3>\d\d)\b"
    r"|\b(?P<month4>\d{1,2})/(?P<day4>\d{1,2})/(?P<year4>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_MONTH_YEAR = re.compile(rf"\b{_MONTH}(?:\s*,?\s+(?P<year>(?:19|20)\d\d)|\s*[-'’](?P<short>\d\d))\b", re.IGNORECASE)
_WORD_QUARTER = r"(?P<word>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal[\s-]+)?quarter"
_QUARTER = re.compile(
    rf"\b(?:q(?P<q>[1-4])|(?P<front>[1-4])q|{_WORD_QUARTER})(?:\s+(?:of|in|for))?"
    r"(?:\s*(?:fiscal(?:\s+year)?|fy|the\s+year|year))?[\s,'’-]*(?P<year>(?:19|20)?\d\d)?\b",
    re.IGNORECASE,
)
_YEAR_QUARTER = re.compile(
    rf"(?:\b(?:fy|fiscal(?:\s+year)?)[\s'’]*(?P<short>\d\d)|(?<!\d)(?P<year>(?:19|20)\d\d))(?:['’]s)?[\s_,-]*"
    rf"(?:q(?P<q>[1-4])(?!\d)|(?P<front>[1-4])q\b|{_WORD_QUARTER})",
    re.IGNORECASE,
)
_STRETCH = re.compile(
    r"\b(?:(?:first\s+|(?P<later>(?:second|latter)\s+))?(?:(?P<two>half|six\s+months)|nine\s+months)|(?P<h>h1))(?:\s+(?:of|in))?"
    r"(?:\s+(?:fiscal(?:\s+year)?|fy|the\s+year|year))?[\s'’]*(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(
    rf"\b(?:ended|ending|end\s+of|as\s+of|as\s+at|through|until|at)\s+(?:\d{{1,2}}\s+)?{_MONTH}(?:\s+\d{{1,2}})?"
    rf"(?!\w|\s*,?\s*(?:19|20)\d\d)|\b{_MONTH.replace('month', 'named')}\s+(?:quarter|period)\b",
    re.IGNORECASE,
)
_SHORT_YEAR = re.compile(r"\bfy\s*['’]?(\d\d)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:fy|fiscal(?:\s+year)?)?[\s'’]*((?:19|20)\d\d)\b", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:latest|newest|most\s+recent(?:ly)?|last\s+(?:reported|available|quarter|filing|report)|"
    r"(?:current|this)\s+(?:quarter|period|filing|report|version|edition|fact\s*sheet))\b",
    re.IGNORECASE,
)
_EARLIEST = re.compile(r"\b(?:earliest|oldest|first\s+available)\b", re.IGNORECASE)
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}


SPILL_DAYS = 6


class Period(NamedTuple):
    """A time a question speaks of. Fields it leaves open are None."""

    year: int | None = None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None


def dates(text: str) -> list[str]:
    """The full dates in `text` as ISO strings, in order. "13/02/2024" and other impossible ones are left out."""
    found = (_iso(match.groupdict()) for match in _DATE.finditer(text))
    return list(dict.fromkeys(iso for iso in found if iso))


def dates_with_places(text: str) -> list[tuple[int, str]]:
    """The full dates in `text` with the offset where each begins."""
    return [(m.start(), iso) for m in _DATE.finditer(text) if (iso := _iso(m.groupdict()))]


def periods(text: str) -> list[Period]:
    """The dates, quarters, months and years in `text`, each at its finest, in the order they are written."""
    found = [(match.start(), period) for match, read in _times(text) if (period := read(match))]
    return list(dict.fromkeys(period for _, period in sorted(found, key=lambda pair: pair[0])))


def said_times(text: str) -> list[tuple[Period, str]]:
    """The times in `text`, each with the words it is written in."""
    return [(period, match.group()) for match, read in _times(text) if (period := read(match))]


def _times(text: str) -> Iterator[tuple[re.Match[str], Callable[[re.Match[str]], Period | None]]]:
    """Matches of the finest pattern first; what one has taken no other sees."""
    rest = text
    for pattern, read in _READERS:
        yield from ((match, read) for match in pattern.finditer(rest))
        rest = pattern.sub(lambda m: " " * len(m.group()), rest)


def asks_for_latest(text: str) -> bool:
    """Does the question want the newest document?"""
    return bool(_LATEST.search(text))


def asks_for_earliest(text: str) -> bool:
    """Does the question want the oldest document?"""
    return bool(_EARLIEST.search(text))


def fits(period: Period, iso: str) -> bool:
    """Does the ISO date lie in the period? Quarters are calendar quarters. The first days of a month also count for
    the month before: fiscal periods of 13 weeks end a few days late."""
    if not iso:
        return False
    end = date.fromisoformat(iso)
    if period.day is not None:
        return (period.year, period.month, period.day) == (end.year, end.month, end.day)
    return any(_in(period, day) for day in {end, end - timedelta(days=SPILL_DAYS)})


def _in(period: Period, day: date) -> bool:
    return (
        period.year in (None, day.year)
        and period.quarter in (None, (day.month + 2) // 3)
        and period.month in (None, day.month)
    )


def _iso(groups: dict[str, str | None]) -> str:
    year, month, day = (
        next((groups[name + suffix] for suffix in ("", "2", "3", "4") if groups.get(name + suffix)), None) or ""
        for name in ("year", "month", "day")
    )
    number = int(month) if month.isdigit() else _month_number(month)
    try:
        return date(int(year), number, int(day)).isoformat()
    except ValueError:
        return ""


def _month_number(name: str) -> int:
    return next(i for i, month in enumerate(_MONTHS, 1) if month.startswith(name[:3].lower()))


def _day(match: re.Match[str]) -> Period | None:
    if not (iso := _iso(match.groupdict())):
        return None
    year, month, day = (int(part) for part in iso.split("-"))
    return Period(year=year, month=month, day=day)


def _month(match: re.Match[str]) -> Period:
    return Period(year=int(match["year"] or f"20{match['short']}"), month=_month_number(match["month"]))


def _month_of_any_year(match: re.Match[str]) -> Period:
    return Period(month=_month_number(match["month"] or match["named"]))


def _quarter(match: re.Match[str]) -> Period:
    said = match["q"] or match["front"]
    quarter = int(said) if said else _ORDINALS[match["word"].lower()]
    year = match.groupdict().get("short") or match["year"]
    return Period(year=None if not year else int(year) if len(year) == 4 else 2000 + int(year), quarter=quarter)


def _stretch(match: re.Match[str]) -> Period:
    """The quarter that ends it: its report covers the year so far."""
    return Period(year=int(match["year"]), quarter=4 if match["later"] else 2 if match["two"] or match["h"] else 3)


def _year(match: re.Match[str]) -> Period:
    return Period(year=int(match[1]))


def _short_year(match: re.Match[str]) -> Period:
    return Period(year=2000 + int(match[1]))


_READERS = (
    (_DATE, _day),
    (_MONTH_YEAR, _month),
    (_YEAR_QUARTER, _quarter),
    (_STRETCH, _stretch),
    (_QUARTER, _quarter),
    (_MONTH_ONLY, _month_of_any_year),
    (_YEAR, _year),
    (_SHORT_YEAR, _short_year),
)
