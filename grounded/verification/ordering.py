"""Claims about order that a table decides: 'the second-largest sector', 'higher than in 2018', 'revenue fell'.

The claim must name the rows or periods it puts in order; the table then says whether the order holds, cell by cell.
What is named by half, has no such column, or comes out one way in one row and another way in the next is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Reading, read_claim
from grounded.verification.cues import cues
from grounded.verification.fit import time_spans
from grounded.verification.formulas import direction
from grounded.verification.lines import (
    BOTTOM,
    TOP,
    Line,
    columns_of,
    in_period,
    is_about,
    named_rows,
    rows_over_time,
    turned,
)
from grounded.verification.words import stem, tokens

_NTH = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "next": 2}
_EXTREME = re.compile(
    rf"\b(?:(?P<nth>{'|'.join(_NTH)})[\s-]+)?(?:(?P<top>{TOP})|(?P<bottom>{BOTTOM}))\b(?!\s+(?:of which|recent))",
    re.IGNORECASE,
)
_IN_PERIOD = re.compile(
    r"\s+(?:in|during|for|at|since)\s+(?:FY|fiscal|the\s+year|year|calendar)?\s*(?:year\s+)?\d{4}", re.IGNORECASE
)
_SOME = r"(?:two|three|four|five|six|ten|\d+)"
_GROUP = re.compile(rf"\b{_SOME}\s+(?:{TOP}|{BOTTOM})\b|\b(?:top|bottom) {_SOME}\b", re.IGNORECASE)
_ABOVE = re.compile(
    r"\b(?:(?:higher|larger|greater|bigger|more|better)\b.*?\bthan|above|exceed(?:s|ed)?|outweigh(?:s|ed)?"
    r"|surpass(?:es|ed)?)\b",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:(?:lower|smaller|less|fewer|worse)\b.*?\bthan|below|trail(?:s|ed)?|lag(?:s|ged)?)\b",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"\b(?:(?P<below>negative)|positive)\s+(?:\w+\s+)?(?:returns?|growth|results?|cash|margins?|balance)\b"
)
_NOT = re.compile(r"\b(?:(?:do|does|did) )?not\b|\b(?:do|does|did)n['’]t\b|(?<=[a-z])n['’]t\b", re.IGNORECASE)
_LOSS = re.compile(r"\b(?:loss|deficit|expense|cost|decrease|used|outflow)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Order:
    """What a table says to the claim's order, and the cells that say it."""

    holds: bool
    detail: str
    grid: int
    cells: tuple[Value, ...]


def find_order(reading: Reading, sheets: Sequence[Sheet]) -> Order | None:
    """The first table that decides the claim's order, None when the claim states none or no table decides. 'Did not
    fall' holds where 'fell' does not."""
    denied = "negation" in cues(reading.text)
    said = read_claim(_NOT.sub(" ", reading.text, count=1), None) if denied else reading
    if (denied and (reading.is_answer or "negation" in cues(said.text))) or _GROUP.search(reading.text):
        return None
    for grid, sheet in enumerate(sheets):
        for decide in (_extreme, _compared, _trend, _signed):
            found = decide(said, sheet)
            if found is not None:
                return Order(found[0] != denied, found[1], grid, found[2])
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
    return dated_before and not named_rows(reading.subject[: extreme.start()], sheet)


def _lines_with_item(reading: Reading, sheet: Sheet, over_time: bool) -> Iterator[tuple[Line, Value]]:
    """Columns in which the claim names one row, or rows in which it names one period."""
    dated = list(_dated_items(reading, sheet))
    rows = named_rows(reading.stated, sheet) or _rows_of_period(reading, sheet)
    if len(rows) == 1 and is_about(reading, sheet, rows) and not (over_time and dated):
        for line in columns_of(reading, sheet, rows):
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
    for line in rows_over_time(reading, sheet):
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
    split = at_comparison(reading.text)
    if split is None:
        return None
    dated = in_period(sheet, reading)
    return _above(reading, dated, split) or _above(reading, turned(dated), split)


def _above(reading: Reading, sheet: Sheet, split: tuple[str, str, bool]) -> _Found | None:
    before, after, above = split
    first, second = named_rows(before, sheet), named_rows(after, sheet)
    if len(first) != 1 or len(second) != 1 or first == second:
        return None
    rows = [*first, *second]
    own = replace(sheet, values=tuple(v for v in sheet.values if v.row in rows))
    pairs = [
        (next(v for v in line.cells if v.row in first), next(v for v in line.cells if v.row in second))
        for line in columns_of(reading, own, rows)
    ]
    return _unanimous([_against(a, b, above) for a, b in pairs if not _of_other_time(reading, a)])


def _of_other_time(reading: Reading, value: Value) -> bool:
    """Whether a claim 'over ten years' meets a cell that says another length of time, '3 years'."""
    asked, given = time_spans(reading.text), time_spans(f"{value.label} {value.column}")
    return bool(asked and given) and not asked & given


def at_comparison(text: str) -> tuple[str, str, bool] | None:
    """What stands before and after 'higher than' or 'below', and whether it says above; None without just one such."""
    above, below = _ABOVE.search(text), _BELOW.search(text)
    match = above or below
    if match is None or (above and below):
        return None
    return text[: match.start()], text[match.end() :], above is not None


def _against(a: Value, b: Value, above: bool) -> _Found:
    x, y = a.quantity.number, b.quantity.number
    sign = ">" if x > y else "<" if x < y else "="
    return (x > y) if above else (x < y), f"{a.name}: {a.text.strip()} {sign} {b.name}: {b.text.strip()}", (a, b)


# ---------------------------------------------------------------- 'rose', 'fell'


def _trend(reading: Reading, sheet: Sheet) -> _Found | None:
    spoken = sorted({p.year for p in reading.periods if p.year and p.kind == "year"})
    rows = named_rows(reading.text, sheet, whole=True)
    compared = at_comparison(reading.text)
    if not spoken or len(spoken) > 2 or len(rows) != 1 or (compared and named_rows(compared[1], sheet)):
        return None
    label = next(v.label_words for v in sheet.values if v.row == rows[0])
    said = direction(" ".join(t for t in tokens(reading.subject) if stem(t) not in label))  # 'gains on sales' is a name
    if not said:
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
    for line in rows_over_time(reading, sheet):
        items = [next((v for v in line.cells if any(p.agrees(q) for q in v.periods)), None) for p in spoken]
        if all(items):
            cells = tuple(v for v in items if v is not None)
            below = [v.quantity.number < 0 for v in cells]
            shown = "; ".join(f"{v.name}: {v.text.strip()}" for v in cells)
            answers.append((all(below) if match["below"] else not any(below), shown, cells))
    return _unanimous(answers)


def _unanimous(answers: Sequence[_Found]) -> _Found | None:
    """The answer that all columns or rows give; None when they differ or there is none."""
    return answers[0] if answers and len({holds for holds, _, _ in answers}) == 1 else None
