"""Visual rows into table rows: what is wrapped inside a cell is put together again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from grounded.documents.layout import PageLayout
from grounded.documents.rules import Rules
from grounded.documents.table_grid import GridCell, VisualRow

Fitted = Sequence[Sequence[GridCell]]  # per visual row its cells

_WANTS_MORE = re.compile(
    r"\b(?:of|and|or|for|the|a|an|to|in|on|at|by|with|from|before|after|per|net|than|under)\s*$|[,–-]\s*$",
    re.IGNORECASE,
)
_CONTINUES = re.compile(r"[a-z(&,]|\d{4}\b")


def group_rows(
    page: PageLayout, rows: Sequence[VisualRow], fitted: Fitted, separators: Sequence[float] | None
) -> list[list[int]]:
    """Row numbers that belong together. `separators`: heights of rules between rows, None when the table has none
    between most of its rows."""
    groups: list[list[int]] = []
    for index in range(len(rows)):
        if groups and _goes_on(page, rows, fitted, index, groups[-1], separators):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def stack(rows: Fitted) -> list[GridCell]:
    """Cells of wrapped rows, joined by column."""
    cells: dict[int, GridCell] = {}
    for row in rows:
        for cell in row:
            old = cells.get(cell.col)
            pieces = (*(old.pieces if old else ()), *cell.pieces)
            cells[cell.col] = GridCell(cell.col, max(cell.span, old.span if old else 1), pieces)
    return [cells[col] for col in sorted(cells)]


def find_separators(rows: Sequence[VisualRow], rules: Rules, low: float, high: float) -> list[float]:
    """Heights between consecutive rows where a rule runs over most of the table's width (low to high)."""
    wide = [y for y, x0, x1 in rules.horizontal if min(x1, high) - max(x0, low) > 0.7 * (high - low)]
    return [
        (above.y1 + below.y0) / 2
        for above, below in pairwise(rows)
        if any(above.y1 - 2 <= y <= below.y0 + 2 for y in wide)
    ]


def _goes_on(
    page: PageLayout,
    rows: Sequence[VisualRow],
    fitted: Fitted,
    index: int,
    group: Sequence[int],
    separators: Sequence[float] | None,
) -> bool:
    """Whether a visual row continues the table row above: in one band, or wrapped text of one of its cells."""
    above, row = rows[group[-1]], rows[index]
    before = {cell.col for i in group for cell in fitted[i]}
    taken = {cell.col for i in group for cell in fitted[i] if _valued(cell)}
    if any(_valued(cell) and cell.col in taken for cell in fitted[index]):
        return False
    if separators is not None:
        headers = 0 not in before and not taken
        return not headers and not any(above.y1 - 2 <= y <= row.y0 + 2 for y in separators)
    return _wraps(page, rows, fitted, index, group, before, taken)


def _wraps(
    page: PageLayout,
    rows: Sequence[VisualRow],
    fitted: Fitted,
    index: int,
    group: Sequence[int],
    before: set[int],
    taken: set[int],
) -> bool:
    """Text of a cell that goes on below it, close by; a label only when it begins in small letters."""
    row, above = rows[index], rows[group[-1]]
    gap = row.y0 - above.y1
    columns = {cell.col for cell in fitted[index]}
    if 0 not in columns:
        valued = any(_valued(cell) for cell in fitted[index])
        return gap < 0.45 * row.size and not valued and columns <= before and 0 in before and not taken & columns
    label = fitted[index][0].pieces[0]
    small = _CONTINUES.match(page.text, label.start) is not None and label.x0 >= above.x0 - 1
    hangs = bool(taken) and label.x0 > rows[group[0]].x0 + 2 and not _indents(rows, index)
    starts = before == {0} and (small or _open(page, fitted[group[-1]][0]))
    return gap < row.size and (starts or ((small or hangs) and len(columns) == 1))


def _open(page: PageLayout, label: GridCell) -> bool:
    """The label ends in a word that wants another: "Net income attributable to"."""
    return _WANTS_MORE.search(page.text[label.pieces[-1].start : label.pieces[-1].end]) is not None


def _indents(rows: Sequence[VisualRow], index: int) -> bool:
    """The next row is set no further out: the label has rows of its own."""
    return index + 1 < len(rows) and rows[index + 1].x0 > rows[index].x0 - 1


def _valued(cell: GridCell) -> bool:
    return any(piece.is_value for piece in cell.pieces)
