"""Dates, periods and fiscal periods as values of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_MONTH_NAMES = (
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?P<year>(?:1[6-9]|20)\d{2})(?![\d,.]*\d)"
_WORD_NUMBERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_COUNTS = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "3": 3, "6": 6, "9": 9, "12": 12}
_FISCAL = r"(?P<fiscal>FY|fiscal(?:\s+years?)?|financial\s+year)"
_DURATION = re.compile(
    r"\b(three|six|nine|twelve|3|6|9|12)[- ]months?(?:\s+period)?\s+end(?:ed|ing)\s*$"
    r"|\b(quarter|year)s?\s+end(?:ed|ing)\s*$",
    re.IGNORECASE,
)
_MAY_HAVE = re.compile(r"\d|quarter|half", re.IGNORECASE)
Kind = Literal["time", "day", "month", "quarter", "half", "year", "range"]

_TWO = r"(?P<yy>\d{2})(?!\d|[.,%]\d|%)"
_OF_YEAR = rf"(?:\s*(?:of\s+|in\s+|,\s*)?(?:the\s+)?{_FISCAL}?[\s'’-]*(?:{_YEAR}|{_TWO}))?"
_NTH = r"first|second|third|fourth|1st|2nd|3rd|4th"
_LONG = r"(?:1[6-9]|20)\d{2}"
# Tried in this order; what an earlier form took, a later one may not.
_PATTERNS = {
    "iso": rf"(?<![\d.])(?P<year>{_LONG})-(?P<mm>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
    "numeric": rf"(?<![\d./])(?P<a>\d{{1,2}})(?P<sep>[/.])(?P<b>\d{{1,2}})(?P=sep)(?P<year>{_LONG}|\d{{2}})(?![\d/])",
    "mdy": rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|\s+){_YEAR}",
    "dmy": rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:day\s+of\s+|of\s+)?{_MONTH}[\s,-]+{_YEAR}",
    "quarter": rf"\b(?:Q(?P<q>[1-4])|(?P<qw>{_NTH})[\s-]+quarter|(?P<q2>[1-4])Q){_OF_YEAR}",
    "half": rf"\b(?:H(?P<h>[12])|(?P<hw>first|second)\s+half|(?P<h2>[12])H){_OF_YEAR}(?![A-Za-z0-9])",
    "fiscal": rf"\b{_FISCAL}[\s'’-]*(?:{_YEAR}(?:\s?[-–/]\s?(?P<end>\d{{4}}|\d{{2}})(?!\d))?|{_TWO})",
    "monthyear": rf"\b{_MONTH}[\s,-]+(?:of\s+)?{_YEAR}",
    "monthday": rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d.,]*\d|%)",
    "daymonth": rf"(?<![\d.,])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH}(?!\s+\d)",
    "span": r"(?<![\d.,$€£-])(?P<year>(?:19|20)\d{2})\s?[-–/]\s?(?P<end>(?:19|20)\d{2}|\d{2})(?![\d.,%]|-\d)",
    "decade": r"\b(?P<year>(?:1[6-9]|20)\d0)s\b",
    "year": rf"(?<![\d.,$€£/#-])(?<![A-Za-z]){_YEAR}(?![A-Za-z%])",
    "clock": r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])(?:\s?[ap]\.?m\b\.?)?",
}
_FORMS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _PATTERNS.items())


@dataclass(frozen=True, slots=True)
class Period:
    """A date or period at a half-open span. Fields that the text does not give are None.

    months: length when the text says it ('three months ended'). ambiguous: day and month could be swapped.
    """

    text: str
    span: tuple[int, int]
    kind: Kind
    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    end_year: int | None = None
    fiscal: bool = False
    months: int | None = None
    ambiguous: bool = False

    @property
    def key(self) -> tuple[int | None, ...]:
        """What makes two periods the same, the wording aside."""
        return (self.year, self.month, self.day, self.quarter, self.half, self.end_year, self.months)

    def agrees(self, other: Period) -> bool:
        """Whether no field given by both differs, nor the length; times of day must read the same. The day and month
        of an ambiguous date may be swapped."""
        if "time" in (self.kind, other.kind):
            return self.kind == other.kind and self.text.split() == other.text.split()
        if self._fields_agree(other):
            return True
        return any(p.ambiguous and p.swapped()._fields_agree(q) for p, q in ((self, other), (other, self)))

    @property
    def length(self) -> int | None:
        """Months that the period is said to last; None for days and where nothing says it."""
        if self.quarter or self.half:
            return 3 if self.quarter else 6
        bare_year = self.kind == "year" and self.end_year is None
        return self.months or (12 if bare_year else None)

    def swapped(self) -> Period:
        """The other reading of an ambiguous date."""
        return Period(self.text, self.span, self.kind, self.year, self.day, self.month)

    def _lasts_otherwise(self, other: Period) -> bool:
        """'Nine months ended September 30, 2023' is neither the year nor a quarter; 'Q3' agrees with its year."""
        told = self.months or other.months
        return bool(told) and self.length != other.length

    def _fields_agree(self, other: Period) -> bool:
        if self.end_year != other.end_year and self.year != other.year:
            return other.year in (self.year, self.end_year) or self.year in (other.year, other.end_year)
        if self.length and other.length and self._lasts_otherwise(other):
            return False
        return all(a is None or b is None or a == b for a, b in zip(self.key[:5], other.key[:5], strict=True))


def periods(text: str) -> list[Period]:
    """All dates and periods, left to right, none inside another."""
    taken: list[Period] = []
    if not _MAY_HAVE.search(text):
        return taken
    for form, pattern in _FORMS:
        for match in pattern.finditer(text):
            if all(match.end() <= p.span[0] or match.start() >= p.span[1] for p in taken):
                period = _period(form, match)
                if period is not None:
                    taken.append(period)
    return sorted(taken, key=lambda p: p.span)


def _period(form: str, match: re.Match[str]) -> Period | None:
    given = match.groupdict()
    year = int(given["year"]) if given.get("year") else _short_year(given.get("yy"))
    if form == "numeric":
        return _numeric(match)
    if form == "span":
        return _year_span(match)
    if form == "clock":
        return Period(match.group(), match.span(), "time")
    duration = _DURATION.search(match.string[max(0, match.start() - 40) : match.start()])
    months = _months(duration) if duration else None
    return Period(
        match.group(),
        match.span(),
        _kind(form),
        year,
        month=_month(given),
        day=int(given["day"]) if given.get("day") else None,
        quarter=_ordinal(given, ("q", "q2", "qw")),
        half=_ordinal(given, ("h", "h2", "hw")),
        end_year=_end_year(form, year, given.get("end")),
        fiscal=bool(given.get("fiscal")),
        months=months,
    )


def _end_year(form: str, year: int | None, end: str | None) -> int | None:
    """Last year of '1990s' and of 'FY2018/19'."""
    if year is None:
        return None
    if form == "decade":
        return year + 9
    return _full_year(year, end) if end else None


def _full_year(start: int, end: str) -> int:
    return int(end) if len(end) == 4 else start - start % 100 + int(end)


def _kind(form: str) -> Kind:
    kinds: dict[str, Kind] = {"quarter": "quarter", "half": "half", "monthyear": "month", "decade": "range"}
    if form in ("iso", "mdy", "dmy", "monthday", "daymonth"):
        return "day"
    return kinds.get(form, "year")


def _months(duration: re.Match[str]) -> int:
    count, unit = duration.groups()
    return _COUNTS[count.lower()] if count else {"quarter": 3, "year": 12}[unit.lower()]


def _month(given: dict[str, str | None]) -> int | None:
    if name := given.get("month"):
        return _MONTHS[name.lower()]
    return int(given["mm"] or 0) if given.get("mm") else None


def _ordinal(given: dict[str, str | None], names: tuple[str, ...]) -> int | None:
    value = next((given[n] for n in names if given.get(n)), None)
    return None if value is None else _WORD_NUMBERS.get(value.lower()) or int(value)


def _short_year(two_digits: str | None) -> int | None:
    """'24 -> 2024, '97 -> 1997 (the pivot POSIX uses: 69)."""
    if two_digits is None:
        return None
    return int(two_digits) + (1900 if int(two_digits) >= 69 else 2000)


def _numeric(match: re.Match[str]) -> Period | None:
    """9/30/2019 or 30.09.2019; day first after a point or when only that is a date; both ≤ 12 with '/' is ambiguous."""
    a, b = int(match["a"]), int(match["b"])
    year = int(match["year"]) if len(match["year"]) == 4 else _short_year(match["year"])
    if not (1 <= a <= 31 and 1 <= b <= 31) or (a > 12 and b > 12):
        return None
    if match["sep"] == "." and len(match["year"]) != 4:
        return None
    day_first = a > 12 or (match["sep"] == "." and b <= 12)
    day, month = (a, b) if day_first else (b, a)
    doubtful = match["sep"] == "/" and a <= 12 and b <= 12 and a != b
    return Period(match.group(), match.span(), "day", year, month, day, ambiguous=doubtful)


def _year_span(match: re.Match[str]) -> Period | None:
    start = int(match["year"])
    stop = _full_year(start, match["end"])
    if not start < stop <= start + 60:
        return None
    return Period(match.group(), match.span(), "range", start, end_year=stop)
