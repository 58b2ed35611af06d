"""Tables of a page: cells with the headers that give them meaning, ruled or not, and label–value blocks.

1. Where rules cross, the rules are the grid. 2. Elsewhere consecutive rows whose pieces stand in the same columns are.
3. Rows wrapped inside a cell are put together, 4. header rows told from data rows, 5. every cell gets its header paths
and unit. Running text never becomes a table: its pieces are wordy, or do not line up.
"""

from __future__ import annotations

from collections.abc import Sequence

from grounded.documents.layout import PageLayout
from grounded.documents.rules import Rules, read_rules
from grounded.documents.table_grid import Grid, VisualRow, cut_at_underlines, visual_rows
from grounded.documents.table_headers import build_table
from grounded.documents.table_lattice import find_lattices
from grounded.documents.table_stream import find_streams
from grounded.types import CharSpan, Table


def find_tables(page: PageLayout, furniture: Sequence[CharSpan] = (), rules: Rules | None = None) -> tuple[Table, ...]:
    """The page's tables in reading order; what stands in running headers and footers (`furniture`) is in none. rules:
    those of the page, when they have been read.

    Sections are filled in later (`structure.find_structure`).
    """
    rows = _without(visual_rows(page), {start for start, _ in furniture})
    if not rows:
        return ()
    rules = rules or read_rules(page)
    if len(rules.horizontal) > 1:
        rows = [cut_at_underlines(page, row, rules.horizontal) for row in rows]
    lattices = list(find_lattices(page, rows, rules))
    grids = [*lattices, *find_streams(page, _without(rows, _starts(lattices)), rules)]
    free = _without(rows, _starts(grids))
    tables = [table for grid in grids if (table := build_table(page, grid, free, rules)) is not None]
    tables.sort(key=lambda table: table.span)
    return tuple(table.model_copy(update={"index": index}) for index, table in enumerate(tables))


def _starts(grids: Sequence[Grid]) -> set[int]:
    """Where the pieces in the grids start."""
    return {piece.start for grid in grids for row in grid.rows for cell in row for piece in cell.pieces}


def _without(rows: Sequence[VisualRow], starts: set[int]) -> list[VisualRow]:
    """The rows none of whose pieces starts there."""
    return [row for row in rows if starts.isdisjoint([piece.start for piece in row.pieces])] if starts else list(rows)
