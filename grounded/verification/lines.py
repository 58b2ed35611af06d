"""The rows and columns of a table that a claim means: what orders and counts are decided on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from grounded.quantities import Period
from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Reading
from grounded.verification.fit import time_spans
from grounded.verification.words import naming, stems

TOP = "largest|biggest|highest|greatest|most|top|best|strongest|leading|maximum"
BOTTOM = "smallest|lowest|least|worst|weakest|fewest|minimum"
_TOTAL = re.compile(r"^(?:total|sum|all\b|overall|top \w+|net change)|\btotal$", re.IGNORECASE)
_NAMED = 0.5  # weighted share of a label that the claim must have
_WORDS_OF_ORDER = frozenset(s for word in f"{TOP}|{BOTTOM}|second|third|fourth|fifth".split("|") for s in stems(word))


class Line(NamedTuple):
    """Cells that are compared with each other: one column, or one row."""

    title: str
    cells: tuple[Value, ...]


def named_rows(text: str, sheet: Sheet, whole: bool = False) -> list[int]:
    """The rows that the text names best, by at least half of their label and by a word that no other row has. Rows of
    one label in several sections are named with their section."""
    said = frozenset(naming(text))
    labels = _labels(sheet)
    scores = {}
    for row, words in labels.items():
        if not words or not words & said:
            continue
        own = words - frozenset().union(*(other for r, other in labels.items() if r != row))
        share = sum(sheet.weights[w] for w in words & said) / sum(sheet.weights[w] for w in words)
        if share >= (1.0 if whole else _NAMED) and (own & said or words <= said):
            scores[row] = sum(sheet.weights[w] for w in words & said) * share
    best = max(scores.values(), default=0.0)
    return [row for row, score in scores.items() if score == best]


def _labels(sheet: Sheet) -> dict[int, frozenset[str]]:
    first = {v.row: v for v in reversed(sheet.values)}
    often = Counter(v.label_words for v in first.values())
    return {r: v.label_words | (v.section_words if often[v.label_words] > 1 else frozenset()) for r, v in first.items()}


def turned(sheet: Sheet) -> Sheet:
    """The same table with rows and columns exchanged: measures as rows, where they stand as columns."""
    values = (
        replace(v, row=v.col, col=v.row, label=v.column, column=v.label,
                label_words=v.column_words, column_words=v.label_words)
        for v in sheet.values
    )  # fmt: skip
    return replace(sheet, values=tuple(sorted(values, key=lambda v: v.place)))


def in_period(sheet: Sheet, reading: Reading) -> Sheet:
    """The values of one period, or of one length of time, where the claim names just one and some have it; else all."""
    spans = time_spans(reading.text)
    kept = tuple(v for v in sheet.values if time_spans(v.name) & spans)
    if len({p.key for p in reading.periods}) == 1:
        dated = [v for v in kept or sheet.values if not v.periods or _lasts_so(v, reading.periods[0])]
        kept = tuple(dated) if any(v.periods for v in dated) else kept
    return replace(sheet, values=kept) if kept else sheet


def _lasts_so(value: Value, asked: Period) -> bool:
    return any(asked.agrees(p) and (asked.length or p.length) == (p.length or asked.length) for p in value.periods)


def columns_of(reading: Reading, sheet: Sheet, rows: Sequence[int]) -> Iterator[Line]:
    """The columns that hold the rows (with no rows: all columns), without totals: those in the claim's period, or
    named by the claim, when there are such."""
    section = next((v.section for v in sheet.values if rows and v.row == rows[0]), None)
    columns: dict[int, list[Value]] = {}
    for value in sheet.values:
        kept = value.row in rows or not _TOTAL.search(value.label)
        if kept and (section is None or value.section == section or value.row in rows):
            columns.setdefault(value.col, []).append(value)
    lines = [
        Line(column[0].column, tuple(column))
        for column in columns.values()
        if {v.row for v in column} >= set(rows) and _comparable(column)
    ]
    said = naming(reading.text) - _WORDS_OF_ORDER
    timed = [x for x in lines if any(p.agrees(q) for p in x.cells[0].periods for q in reading.periods)]
    named = [x for x in timed or lines if x.cells[0].column_words & said]
    yield from named or timed or lines


def rows_over_time(reading: Reading, sheet: Sheet) -> Iterator[Line]:
    """The rows whose cells differ in period only: the one that the claim names, else all when it names the table."""
    named = named_rows(reading.text, sheet)
    rows: dict[int, list[Value]] = {}
    for value in sheet.values:
        rows.setdefault(value.row, []).append(value)
    for row, cells in rows.items():
        dated = [v for v in cells if v.periods]
        if (
            len(dated) >= 2
            and len(dated) == len(cells)
            and (row in named or (not named and is_about(reading, sheet, ())))
        ):
            yield Line(dated[0].label, tuple(dated))


def is_about(reading: Reading, sheet: Sheet, rows: Sequence[int]) -> bool:
    """Whether the claim says what the table is about: a word of its title, sections or columns beside the label."""
    labels = frozenset().union(*(v.label_words for v in sheet.values if v.row in rows)) if rows else frozenset()
    around = frozenset().union(*(v.section_words | v.column_words for v in sheet.values))
    return bool((naming(reading.text) - labels - _WORDS_OF_ORDER) & around)


def _comparable(column: Iterable[Value]) -> bool:
    cells = list(column)
    return len(cells) >= 2 and len({(v.quantity.unit, v.quantity.currency, v.exponents) for v in cells}) == 1
