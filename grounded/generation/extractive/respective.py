"""Which of a sentence's values is of which year: "$2.7 billion and $2.0 billion in 2019 and 2018, respectively", "from
69.4 percent in 2010 to 71.1 percent in 2020", "from $16 to $21 between 2010 and 2020"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from grounded.generation.extractive.question import Question
from grounded.quantities import periods
from grounded.types import CharSpan

_VALUE = re.compile(
    r"(?:[$€£¥]\s?|\b[A-Z]{2,3}\$?\s?|(?<![\w.,]))\(?\d(?:[\d,]*\d)?(?:\.\d+)?\)?"
    r"(?:\s?%|\s(?:trillion|billion|million|thousand|percent|per cent|years?|months?|days?)\b)?"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_BETWEEN_VALUES = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_BETWEEN_YEARS = re.compile(
    r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:in\s+|for\s+)?(?:fiscal\s+)?(?:years?\s+)?(?:[A-Z][a-z]+\s+\d{1,2},\s+)?"
)


_OF_YEAR = re.compile(
    r"(?:\s+(?:in|for|during|at the end of|by|of))?\s+(?:fiscal\s+)?(?:years?\s+)?\(?(?P<year>(?:19|20)\d\d)\b"
    r"(?!\s*(?:[–-]|,? ?(?:and |or )?(?:19|20)\d\d\b))"  # of that year alone
)
_ABOUT = r"(?:about|nearly|almost|over|some)"
_TO = re.compile(rf"\s+to\s+(?:{_ABOUT}\s+)?")
_FROM = re.compile(rf"\bfrom\s+(?:{_ABOUT}\s+)?$", re.IGNORECASE)
_SPAN = re.compile(r"\b(?P<first>(?:19|20)\d\d)(?:\s?[–-]\s?|\s+(?:and|to)\s+)(?P<last>(?:19|20)\d\d)\b")


def of_years(question: Question, text: str, span: CharSpan) -> list[CharSpan]:
    """The values of the years the question names, in its order, when `span` holds a value that the sentence gives to
    some year; [] when the sentence does not tell them apart."""
    wanted = [period.year or 0 for period in question.periods]
    told = _dated_values(text) if wanted else {}
    held = any(value[0] < span[1] and span[0] < value[1] for value in told.values())
    return [told[year] for year in wanted] if held and all(year in told for year in wanted) else []


def _dated_values(text: str) -> dict[int, CharSpan]:
    """The values of a sentence that are said to be of a year, by year; none when two are of one."""
    dates = [p.span for p in periods(text) if p.year is not None or p.month is not None]
    values = [m.span() for m in _VALUE.finditer(text) if not any(a < m.end() and m.start() < b for a, b in dates)]
    found = [(int(m["year"]), value) for value in values if (m := _OF_YEAR.match(text, value[1]))]
    moved = [(a, b) for a, b in pairwise(values) if _FROM.search(text[: a[0]]) and _TO.fullmatch(text[a[1] : b[0]])]
    spans = {(m["first"], m["last"]) for m in _SPAN.finditer(text)}
    if len(moved) == len(spans) == 1:
        ((first, last),) = spans
        found += zip((int(first), int(last)), moved[0], strict=True)
    return dict(found) if len({year for year, _ in found}) == len(found) else {}


def respective(question: Question, text: str, span: CharSpan) -> list[CharSpan]:
    """Of the row of values in which `span` lies: those of the years the question names, in its order; all of them when
    it asks for each, "respectively"; [] when the sentence does not tell them apart."""
    if "respectively" not in text.casefold():
        return []
    years = [m.span() for m in _YEAR.finditer(text)]
    values = [m.span() for m in _VALUE.finditer(text) if m.span() not in years]
    row = next((r for r in _rows(text, values, _BETWEEN_VALUES) if r[0][0] < span[1] and span[0] < r[-1][1]), [])
    keys = [r for r in _rows(text, years, _BETWEEN_YEARS) if len(r) == len(row)]
    wanted = [period.year for period in question.periods]
    if keys and wanted:
        told = {int(text[slice(*key)]): value for key, value in zip(keys[0], row, strict=True)}
        return [told[year] for year in wanted if year in told]
    return row if re.search(r"\brespective", question.text, re.IGNORECASE) else []


def _rows(text: str, spans: Iterable[CharSpan], between: re.Pattern[str]) -> list[list[CharSpan]]:
    """Spans joined by commas and "and", two or more."""
    rows: list[list[CharSpan]] = []
    for span in spans:
        if rows and between.fullmatch(text[rows[-1][-1][1] : span[0]]):
            rows[-1].append(span)
        else:
            rows.append([span])
    return [row for row in rows if len(row) > 1]
