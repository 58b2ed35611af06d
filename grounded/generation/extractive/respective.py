""" "$2.7 billion and $2.0 billion in 2019 and 2018, respectively": which of the values is of which year."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grounded.generation.extractive.question import Question
from grounded.types import CharSpan

_VALUE = re.compile(
    r"(?:[$€£¥]\s?|\b[A-Z]{2,3}\$?\s?|(?<![\w.,]))\(?\d[\d,]*(?:\.\d+)?\)?"
    r"(?:\s?%|\s(?:trillion|billion|million|thousand|percent|per cent|years?|months?|days?)\b)?"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_BETWEEN_VALUES = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")
_BETWEEN_YEARS = re.compile(
    r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:in\s+|for\s+)?(?:fiscal\s+)?(?:years?\s+)?(?:[A-Z][a-z]+\s+\d{1,2},\s+)?"
)


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
