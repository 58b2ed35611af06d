"""Claims about order that a table decides: 'the second-largest sector', 'higher than in 2018', 'revenue fell'.

The claim must name the rows or periods it puts in order; the table then says whether the order holds, cell by cell.
What is named by half, has no such column, or comes out one way in one row and another way in the next is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Reading
from grounded.verification.cues import cues
from grounded.verification.formulas import direction
from grounded.verification.words import naming, stems

_TOP = "largest|biggest|highest|greatest|most|top|best|strongest|leading|maximum"
_BOTTOM = "smallest|lowest|least|worst|weakest|fewest|minimum"
_NTH = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "next": 2}
_EXTREME = re.compile(
    rf"\b(?:(?P<nth>{'|'.join(_NTH)})[\s-]+)?(?:(?P<top>{_TOP})|(?P<bottom>{_BOTTOM}))\b(?!\s+(?:of which|recent))",
    re.IGNORECASE,
)
_IN_PERIOD = re.compile(
    r"\s+(?:in|during|for|at|since)\s+(?:FY|fiscal|the\s+year|year|calendar)?\s*(?:year\s+)?\d{4}", re.IGNORECASE
)
_SOME = r"(?:two|three|four|five|six|ten|\d+)"
_GROUP = re.compile(rf"\b{_SOME}\s+(?:{_TOP}|{_BOTTOM})\b|\b(?:top|bottom) {_SOME}\b", re.IGNORECASE)
_ABOVE = re.compile(
    r"\b(?:(?:higher|larger|greater|bigger|more|better)\b.*?\bthan|above|exceed(?:s|ed)?|outweigh(?:s|ed)?"
    r"|surpass(?:es|ed)?)\b",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:(?:lower|smaller|less|fewer|worse)\b.*?\bthan|below|trail(?:s|ed)?|lag(?:s|ged)?)\b", re.IGNORECASE
)
_TOTAL = re.compile(r"^(?:total|sum|all\b|overall|top \w+|net change)|\btotal$", re.IGNORECASE)
_SIGN = re.compile(
    r"\b(?:(?P<below>negative)|positive)\s+(?:\w+\s+)?(?:returns?|growth|results?|cash|margins?|balance)\b"
)
_LOSS = re.compile(r"\b(?:loss|deficit|expense|cost|decrease|used|outflow)", re.IGNORECASE)
_NAMED = 0.5  # weighted share of a label that the claim must have
_WORDS_OF_ORDER = frozenset(s for word in f"{_TOP}|{_BOTTOM}|second|third|fourth|fifth".split("|") for s in stems(word))


@dataclass(frozen=True, slots=True)
class Order:
    """What a table says to the claim's order, and the cells that say it."""

    holds: bool
    detail: str
    grid: int
    cells: tuple[Value, ...]


class Line(NamedTuple):
    """Cells that are compared with each other: one column, or one row."""

    title: str
    cells: tuple[Value, ...]


def find_order(reading: Reading, sheets: Sequence[Sheet]) -> Order | None:
    """The first table that decides the claim's order, None when the claim states none or no table decides."""
    if "negation" in cues(reading.text) or _GROUP.search(reading.text):
        return None
    for grid, sheet in enumerate(sheets):
        for decide in (_extreme, _compared, _trend, _signed):
            found = decide(reading, sheet)
            if found is not None:
                return Order(found[0], found[1], grid, found[2])
    return None


_Found = tuple[bool, str, tuple[Value, ...]]


# ---------------------------------------------------------------- 'the second-largest'


def _extreme(reading: Reading, sheet: Sheet) -> _Found | None:
    match = _EXTREME.search(reading.subject)
    if match is None:
        return None
    place, top = _NTH.get((match["nth"] or "").lower(), 1), match["top"] is not None
    lines = _lines_with_item(reading, sheet, _over_time(reading, sheet, match))
    answers = [_ranked(line, item, place, top) for line, item in lines]
    return _unanimous(answers)


def _over_time(reading: Reading, sheet: Sheet, extreme: re.Match[str]) -> bool:
    """Whether periods are compared, not rows: 'sales were highest in 2019', '2019 had the highest sales'."""
    if _IN_PERIOD.match(reading.subject, extreme.end()):
        return True
    dated_before = any(p.span[1] <= extreme.start() for p in reading.periods)
    return dated_before and not _named_rows(reading.subject[: extreme.start()], sheet)


def _lines_with_item(reading: Reading, sheet: Sheet, over_time: bool) -> Iterator[tuple[Line, Value]]:
    """Columns in which the claim names one row, or rows in which it names one period."""
    dated = list(_dated_items(reading, sheet))
    rows = _named_rows(reading.stated, sheet) or _rows_of_period(reading, sheet)
    if len(rows) == 1 and _about(reading, sheet, rows) and not (over_time and dated):
        for line in _columns(reading, sheet, rows):
            yield line, next(v for v in line.cells if v.row in rows)
    elif over_time or not rows:
        yield from dated


def _rows_of_period(reading: Reading, sheet: Sheet) -> list[int]:
    """The one row whose own period is the one that the claim names."""
    spoken = reading.answered or reading.periods
    if len({p.key for p in spoken}) != 1:
        return []
    rows = {v.row for v in sheet.values if any(spoken[0].agrees(p) for p in v.periods)}
    return list(rows) if len(rows) == 1 else []


def _dated_items(reading: Reading, sheet: Sheet) -> Iterator[tuple[Line, Value]]:
    """Rows over time with the one cell whose period the claim names."""
    spoken = [p for p in reading.answered or reading.periods if p.year]
    if len({p.key for p in spoken}) != 1:
        return
    for line in _rows_over_time(reading, sheet):
        items = [v for v in line.cells if any(p.agrees(spoken[0]) for p in v.periods)]
        if len(items) == 1:
            yield line, items[0]


def _ranked(line: Line, item: Value, place: int, top: bool) -> _Found:
    number = item.quantity.number
    ordered = sorted((v.quantity.number for v in line.cells), reverse=top)
    at = ordered[place - 1] if place <= len(ordered) else None
    holder = next((v for v in line.cells if v.quantity.number == at), item)
    which = f"{'' if place == 1 else f'number {place} from the '}{'top' if top else 'bottom'}"
    detail = f"{which} among {len(line.cells)}: {holder.name} with {holder.text.strip()}"
    if at != number:
        detail += f"; {item.name} has {item.text.strip()}"
    return at == number, detail, tuple(dict.fromkeys((holder, item)))


# ---------------------------------------------------------------- 'higher than'


def _compared(reading: Reading, sheet: Sheet) -> _Found | None:
    above, below = _ABOVE.search(reading.text), _BELOW.search(reading.text)
    match = above or below
    if match is None or (above and below):
        return None
    before, after = reading.text[: match.start()], reading.text[match.end() :]
    first, second = _named_rows(before, sheet), _named_rows(after, sheet)
    if len(first) != 1 or len(second) != 1 or first == second:
        return None
    pairs = [
        (next(v for v in line.cells if v.row in first), next(v for v in line.cells if v.row in second))
        for line in _columns(reading, sheet, [*first, *second])
    ]
    return _unanimous([_against(a, b, above is not None) for a, b in pairs])


def _against(a: Value, b: Value, above: bool) -> _Found:
    x, y = a.quantity.number, b.quantity.number
    sign = ">" if x > y else "<" if x < y else "="
    return (x > y) if above else (x < y), f"{a.name}: {a.text.strip()} {sign} {b.name}: {b.text.strip()}", (a, b)


# ---------------------------------------------------------------- 'rose', 'fell'


def _trend(reading: Reading, sheet: Sheet) -> _Found | None:
    said = direction(reading.subject)
    spoken = sorted({p.year for p in reading.periods if p.year and p.kind == "year"})
    if not said or not spoken or len(spoken) > 2:
        return None
    rows = _named_rows(reading.text, sheet, whole=True)
    if len(rows) != 1:
        return None
    dated = {p.year: v for v in sheet.values if v.row in rows for p in v.periods if p.year and not v.quantity.unit}
    last, first = spoken[-1], spoken[0] if len(spoken) == 2 else spoken[-1] - 1
    if first not in dated or last not in dated or len(dated) != sum(v.row in rows for v in sheet.values):
        return None
    old, new = dated[first], dated[last]
    if min(old.quantity.number, new.quantity.number) <= 0 or _LOSS.search(new.label):
        return None
    rose = new.quantity.number > old.quantity.number
    how = "rose" if rose else "fell" if new.quantity.number < old.quantity.number else "stayed"
    detail = f"{new.label or new.section} {how}: {old.text.strip()} ({old.column}), {new.text.strip()} ({new.column})"
    return (how == "rose") if said > 0 else (how == "fell"), detail, (old, new)


# ---------------------------------------------------------------- 'a negative return in 2018'


def _signed(reading: Reading, sheet: Sheet) -> _Found | None:
    match = _SIGN.search(reading.subject)
    spoken = [p for p in reading.periods if p.year]
    if match is None or not spoken:
        return None
    answers: list[_Found] = []
    for line in _rows_over_time(reading, sheet):
        items = [next((v for v in line.cells if any(p.agrees(q) for q in v.periods)), None) for p in spoken]
        if all(items):
            cells = tuple(v for v in items if v is not None)
            below = [v.quantity.number < 0 for v in cells]
            shown = "; ".join(f"{v.name}: {v.text.strip()}" for v in cells)
            answers.append((all(below) if match["below"] else not any(below), shown, cells))
    return _unanimous(answers)


# ---------------------------------------------------------------- rows, columns, and whether they are meant


def _named_rows(text: str, sheet: Sheet, whole: bool = False) -> list[int]:
    """The rows that the text names best, by at least half of their label and by a word that no other row has."""
    said = frozenset(naming(text))
    labels = {v.row: v.label_words for v in sheet.values}
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


def _columns(reading: Reading, sheet: Sheet, rows: Sequence[int]) -> Iterator[Line]:
    """The columns that hold the rows, without totals: those in the claim's period, or named by the
    claim, when there are such."""
    section = next(v.section for v in sheet.values if v.row == rows[0])
    columns: dict[int, list[Value]] = {}
    for value in sheet.values:
        kept = value.row in rows or not _TOTAL.search(value.label)
        if kept and (value.section == section or value.row in rows):
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


def _rows_over_time(reading: Reading, sheet: Sheet) -> Iterator[Line]:
    """The rows whose cells differ in period only: the one that the claim names, else all when it names the table."""
    named = _named_rows(reading.text, sheet)
    rows: dict[int, list[Value]] = {}
    for value in sheet.values:
        rows.setdefault(value.row, []).append(value)
    for row, cells in rows.items():
        dated = [v for v in cells if v.periods]
        if (
            len(dated) >= 2
            and len(dated) == len(cells)
            and (row in named or (not named and _about(reading, sheet, ())))
        ):
            yield Line(dated[0].label, tuple(dated))


def _about(reading: Reading, sheet: Sheet, rows: Sequence[int]) -> bool:
    """Whether the claim says what the table is about: a word of its title, sections or columns beside the label."""
    labels = frozenset().union(*(v.label_words for v in sheet.values if v.row in rows)) if rows else frozenset()
    around = frozenset().union(*(v.section_words | v.column_words for v in sheet.values))
    return bool((naming(reading.text) - labels - _WORDS_OF_ORDER) & around)


def _comparable(column: Iterable[Value]) -> bool:
    cells = list(column)
    return len(cells) >= 2 and len({(v.quantity.unit, v.quantity.currency, v.exponents) for v in cells}) == 1


def _unanimous(answers: Sequence[_Found]) -> _Found | None:
    """The answer that all columns or rows give; None when they differ or there is none."""
    return answers[0] if answers and len({holds for holds, _, _ in answers}) == 1 else None
