"""Tables that go on on the next page, where their column headers are not printed again.

Such a table stands first on its page, has no header of its own, and its columns stand where those of the last table on
the page before stand. Its cells get that table's column headers and unit, as text only: spans belong to one page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grounded.documents.layout import PageLayout
from grounded.documents.table_grid import is_value
from grounded.types import Cell, CharSpan, Table

# Text that may stand between the two halves, furniture apart: notes, "(continued)", a title printed again.
_BELOW, _ABOVE = 400, 160
_OVERLAP = 0.5  # of the narrower of two columns that are one

Columns = dict[int, tuple[float, float]]


def with_continued_headers(
    pages: Sequence[PageLayout], furniture: Sequence[Sequence[CharSpan]], tables: Sequence[tuple[Table, ...]]
) -> list[tuple[Table, ...]]:
    """The tables of all pages, the continued ones with the headers of what they continue."""
    found: list[tuple[Table, ...]] = []
    for page, running, own in zip(pages, furniture, tables, strict=True):
        at = len(found)
        before = found[-1][-1] if found and found[-1] else None
        if own and before and _goes_on(pages[at - 1], furniture[at - 1], before, page, running, own[0]):
            own = (_inherit(before, own[0]), *own[1:])
        found.append(own)
    return found


def _goes_on(
    page: PageLayout,
    running: Sequence[CharSpan],
    upper: Table,
    next_page: PageLayout,
    next_running: Sequence[CharSpan],
    lower: Table,
) -> bool:
    if upper.n_cols != lower.n_cols or any(cell.col_headers for cell in lower.cells):
        return False
    below = _letters(page, running, (upper.span[1], len(page.text)))
    above = _letters(next_page, next_running, (0, lower.span[0]))
    return below <= _BELOW and above <= _ABOVE and _same_columns(_columns(upper), _columns(lower))


def _letters(page: PageLayout, running: Sequence[CharSpan], span: CharSpan) -> int:
    """How many characters of a span are no furniture."""
    start, end = span
    taken = sum(max(0, min(e, end) - max(s, start)) for s, e in running)
    return end - start - taken


def _columns(table: Table) -> Columns:
    """Where the filled cells of each column below the header stand, points from the left."""
    columns: Columns = {}
    for cell in table.cells:
        if cell.spans and not (cell.is_header and not cell.row_headers and cell.col > 0):
            low, high = columns.get(cell.col, (cell.box[0], cell.box[2]))
            columns[cell.col] = min(low, cell.box[0]), max(high, cell.box[2])
    return columns


def _same_columns(upper: Columns, lower: Columns) -> bool:
    shared = upper.keys() & lower.keys()
    return len(shared) > 1 and all(_overlaps(upper[col], lower[col]) for col in shared)


def _overlaps(a: tuple[float, float], b: tuple[float, float]) -> bool:
    width = min(a[1] - a[0], b[1] - b[0])
    return min(a[1], b[1]) - max(a[0], b[0]) >= _OVERLAP * width


def _inherit(upper: Table, lower: Table) -> Table:
    titles = {cell.col: cell.col_headers for cell in upper.cells if cell.col_headers}
    units = {col: _usual_unit(upper, col) for col in titles}
    cells = tuple(_titled(cell, titles, units) for cell in lower.cells)
    return lower.model_copy(update={"cells": cells, "caption": lower.caption or upper.caption})


def _usual_unit(table: Table, col: int) -> str:
    """The unit of most values of a column; a percent sign is a cell's own."""
    units = Counter(cell.unit for cell in table.cells if cell.col == col and is_value(cell.text))
    unit = units.most_common(1)[0][0] if units else ""
    return "" if unit == "%" else unit


def _titled(cell: Cell, titles: dict[int, tuple[str, ...]], units: dict[int, str]) -> Cell:
    unit = cell.unit or (units.get(cell.col, "") if is_value(cell.text) else "")
    return cell.model_copy(update={"col_headers": titles.get(cell.col, ()), "unit": unit})
