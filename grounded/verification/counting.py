"""Counts that a table decides: 'in how many years did sales exceed 1,000?', 'two sectors weigh more than 10 %'.

What is counted is the cells of one row over its periods, or the rows of a column, that lie beyond a threshold: a
number, or, year by year, another row. Where several columns could be meant they must agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from grounded.quantities import Quantity, quantities
from grounded.quantities.compare import units_agree
from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Reading
from grounded.verification.lines import Line, columns_of, is_about, named_rows, rows_over_time
from grounded.verification.ordering import Order, at_comparison

_TIME = r"(?:fiscal |calendar |financial )?(?:years|quarters|months|periods)"
_ASKED = re.compile(
    rf"\b(?:how many|number of) (?:(?P<time>{_TIME})|(?P<things>[a-z][a-z -]*?))\b"
    r"(?= (?:did|do|does|was|were|are|is|had|have|has|in|between|from|during|for|with|where|whose|which|that)\b)",
    re.IGNORECASE,
)
_NUMBER = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|none|no)"
_STATED = re.compile(
    rf"(?P<n>\b{_NUMBER}) (?:of (?:the |its )?(?:{_NUMBER} )?)?(?:(?P<time>{_TIME})|(?P<things>[a-z]{{4,}}s))\b"
    r"(?! ended| ending)",
    re.IGNORECASE,
)
_BOUNDS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "over": Decimal.__gt__, "at least": Decimal.__ge__, "under": Decimal.__lt__, "at most": Decimal.__le__,
}  # fmt: skip


class _Asked(NamedTuple):
    """What a claim counts, and the number it gives. rest: the claim without the count."""

    claimed: int
    over_time: bool
    rest: str


_Counted = tuple[tuple[Value, ...], int]  # the cells that were beyond, and out of how many


def find_count(reading: Reading, sheets: Sequence[Sheet]) -> Order | None:
    """What the first table that can count says to the claim's count; None when the claim counts nothing, or no table
    decides."""
    asked = _asked(reading)
    if asked is None:
        return None
    for grid, sheet in enumerate(sheets):
        counted = list(_counted(reading, asked, sheet))
        if counted and len({len(beyond) for beyond, _ in counted}) == 1:
            beyond, total = counted[0]
            named = "; ".join(f"{v.name}: {v.text.strip()}" for v in beyond) or "none"
            return Order(len(beyond) == asked.claimed, f"{len(beyond)} of {total}: {named}", grid, beyond)
    return None


def _asked(reading: Reading) -> _Asked | None:
    if reading.is_answer:
        match, numbers = _ASKED.search(reading.subject), quantities(reading.stated)
        whole = len(numbers) == 1 and numbers[0].number == int(numbers[0].number)
        if match is None or not whole:
            return None
        rest = f"{reading.subject[: match.start()]} {reading.subject[match.end() :]}"
        return _Asked(int(numbers[0].number), match["time"] is not None, rest)
    match = _STATED.search(reading.text)
    if match is None:
        return None
    spelled = quantities(match["n"])
    rest = f"{reading.text[: match.start()]} {reading.text[match.end() :]}"
    return _Asked(int(spelled[0].number) if spelled else 0, match["time"] is not None, rest)


def _counted(reading: Reading, asked: _Asked, sheet: Sheet) -> Iterator[_Counted]:
    threshold = next((q for q in quantities(asked.rest) if q.approx in _BOUNDS and q.kind != "year"), None)
    if threshold is None:
        yield from _beyond_row(reading, asked, sheet)
        return
    for line in _lines(reading, asked, sheet):
        beyond = [_is_beyond(value, threshold) for value in line.cells]
        if None not in beyond:
            yield tuple(v for v, is_so in zip(line.cells, beyond, strict=True) if is_so), len(beyond)


def _lines(reading: Reading, asked: _Asked, sheet: Sheet) -> Iterator[Line]:
    if not asked.over_time:
        if is_about(reading, sheet, ()):
            yield from columns_of(reading, sheet, ())
        return
    named = named_rows(asked.rest, sheet)
    for line in rows_over_time(reading, sheet):
        if line.cells[0].row in named:
            yield _in_spoken_years(line, reading)


def _in_spoken_years(line: Line, reading: Reading) -> Line:
    """The cells between the first and the last year that the claim names, when it names two."""
    years = sorted({p.year for p in reading.periods if p.year})
    if len(years) < 2:
        return line
    kept = [v for v in line.cells if any(p.year and years[0] <= p.year <= years[-1] for p in v.periods)]
    return Line(line.title, tuple(kept))


def _is_beyond(value: Value, threshold: Quantity) -> bool | None:
    """Whether a cell lies beyond the threshold; None when its unit or scale does not allow to say."""
    if not units_agree(threshold, value.quantity):
        return None
    cell, limit = value.quantity.number, threshold.number
    if threshold.scaled_by and threshold.kind != "percent":
        if len(value.exponents) != 1:
            return None
        cell, limit = cell.scaleb(value.exponents[0]), limit.scaleb(threshold.exponent)
    elif threshold.currency and any(value.exponents):
        return None
    return _BOUNDS[threshold.approx](cell, limit)


def _beyond_row(reading: Reading, asked: _Asked, sheet: Sheet) -> Iterator[_Counted]:
    """Periods in which one named row is above, or below, another."""
    split = at_comparison(asked.rest)
    if split is None or not asked.over_time:
        return
    before, after, above = split
    first, second = named_rows(before, sheet), named_rows(after, sheet)
    if len(first) != 1 or len(second) != 1 or first == second:
        return
    lines = {line.cells[0].row: line for line in rows_over_time(reading, sheet)}
    if first[0] not in lines or second[0] not in lines:
        return
    others = {v.col: v for v in _in_spoken_years(lines[second[0]], reading).cells}
    holds = _BOUNDS["over" if above else "under"]
    pairs = [(v, others[v.col]) for v in lines[first[0]].cells if v.col in others]
    yield tuple(a for a, b in pairs if holds(a.quantity.number, b.quantity.number)), len(pairs)
