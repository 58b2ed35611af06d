"""Ruled tables: crossing rules are the grid, missing edges merge cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from grounded.documents.layout import PageLayout
from grounded.documents.table_grid import Grid, GridCell, Rules, Segment, VisualRow, fit_row

TOUCH = 3.0  # points: rules nearer than this meet
THIN = 6.5  # points: lines nearer than this are one, no cell fits between
MAX_CELL_WORDS = 120  # a frame around paragraphs is no table


class Lattice(NamedTuple):
    """Grid lines of one connected set of rules."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    horizontal: tuple[Segment, ...]
    vertical: tuple[Segment, ...]


def find_lattices(page: PageLayout, rows: Sequence[VisualRow], rules: Rules) -> Iterator[Grid]:
    """Grids of the page's ruled tables of at least two rows and columns with text in them."""
    for lattice in _lattices(rules):
        grid = _fill(page, rows, lattice)
        if grid is not None:
            yield grid


def _lattices(rules: Rules) -> Iterator[Lattice]:
    """Connected sets of rules with at least three lines each way."""
    if len(rules.vertical) < 3 or len(rules.horizontal) < 3 or len(rules.vertical) + len(rules.horizontal) > 4000:
        return
    groups = _connected(rules)
    for horizontal, vertical in groups:
        xs, ys = _cluster([x for x, _, _ in vertical]), _cluster([y for y, _, _ in horizontal])
        if len(xs) >= 3 and len(ys) >= 3:
            yield Lattice(xs, ys, tuple(horizontal), tuple(vertical))


def _connected(rules: Rules) -> list[tuple[list[Segment], list[Segment]]]:
    """Group horizontal and vertical rules that meet."""
    parent = list(range(len(rules.horizontal) + len(rules.vertical)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    offset = len(rules.horizontal)
    for h, (y, x0, x1) in enumerate(rules.horizontal):
        for v, (x, y0, y1) in enumerate(rules.vertical):
            if x0 - TOUCH <= x <= x1 + TOUCH and y0 - TOUCH <= y <= y1 + TOUCH:
                parent[root(h)] = root(offset + v)
    groups: dict[int, tuple[list[Segment], list[Segment]]] = {}
    for i in range(len(parent)):
        group = groups.setdefault(root(i), ([], []))
        group[i >= offset].append(rules.horizontal[i] if i < offset else rules.vertical[i - offset])
    return list(groups.values())


def _cluster(values: Sequence[float]) -> tuple[float, ...]:
    """Sorted values, those with no room between replaced by their mean."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= THIN:
            groups[-1].append(value)
        else:
            groups.append([value])
    return tuple(sum(group) / len(group) for group in groups)


def _fill(page: PageLayout, rows: Sequence[VisualRow], lattice: Lattice) -> Grid | None:
    columns = tuple((x0 + 0.5, x1 - 0.5) for x0, x1 in pairwise(lattice.xs))
    inside = [row for row in rows if _holds(lattice, row)]
    if not inside:
        return None
    bands: list[tuple[float, float]] = []
    filled: list[list[GridCell]] = []
    for band in pairwise(lattice.ys):
        here = [row for row in inside if band[0] - 1 <= (row.y0 + row.y1) / 2 < band[1] + 1]
        for part in _split_band(here, band):
            bands.append((part[0].y0, part[-1].y1) if len(here) != len(part) and part else band)
            filled.append(_cells(page, part, columns))
    if not _is_table(filled, page):
        return None
    spans = [_merged(cells, lattice, band) for cells, band in zip(filled, bands, strict=True)]
    return _without_empty(Grid(columns, tuple(bands), tuple(tuple(row) for row in spans)))


def _holds(lattice: Lattice, row: VisualRow) -> bool:
    middle = (row.y0 + row.y1) / 2
    return (
        lattice.ys[0] - 1 <= middle <= lattice.ys[-1] + 1
        and row.x0 >= lattice.xs[0] - TOUCH
        and row.x1 <= lattice.xs[-1] + TOUCH
    )


def _split_band(rows: Sequence[VisualRow], band: tuple[float, float]) -> list[list[VisualRow]]:
    """A band with several rows of values is several table rows without rules between them."""
    valued = [row for row in rows if row.values >= 1 and len(row.pieces) >= 2]
    if len(valued) < 3 or len(valued) < 0.6 * len(rows):
        return [list(rows)]
    return [[row] for row in rows]


def _cells(page: PageLayout, rows: Sequence[VisualRow], columns: Sequence[tuple[float, float]]) -> list[GridCell]:
    """Cells of one band: the pieces of all its visual rows, by column."""
    cells: dict[int, GridCell] = {}
    for row in rows:
        for cell in fit_row(page, row, columns, ruled=True):
            old = cells.get(cell.col)
            span = max(cell.span, old.span) if old else cell.span
            cells[cell.col] = GridCell(cell.col, span, (*(old.pieces if old else ()), *cell.pieces))
    return [cells[col] for col in sorted(cells)]


def _merged(cells: Sequence[GridCell], lattice: Lattice, band: tuple[float, float]) -> list[GridCell]:
    """Widen cells over columns that no vertical rule separates from them in this band."""
    middle = (band[0] + band[1]) / 2
    walls = [
        any(abs(v - x) <= THIN and y0 - 1 <= middle <= y1 + 1 for v, y0, y1 in lattice.vertical) for x in lattice.xs
    ]
    widened: list[GridCell] = []
    for cell in cells:
        first, last = cell.col, cell.col + cell.span
        while first > 0 and not walls[first]:
            first -= 1
        while last < len(lattice.xs) - 1 and not walls[last]:
            last += 1
        if widened and widened[-1].col + widened[-1].span > first:
            before = widened.pop()
            cell = GridCell(before.col, max(before.span, last - before.col), (*before.pieces, *cell.pieces))
        else:
            cell = GridCell(first, last - first, cell.pieces)
        widened.append(cell)
    return widened


def _is_table(rows: Sequence[Sequence[GridCell]], page: PageLayout) -> bool:
    cells = [cell for row in rows for cell in row]
    wordy = [cell for cell in cells if _words(cell, page) > MAX_CELL_WORDS]
    several = sum(len(row) >= 2 for row in rows)
    return len(cells) >= 4 and several >= 2 and len({c.col for c in cells}) >= 2 and len(wordy) * 4 <= len(cells)


def _words(cell: GridCell, page: PageLayout) -> int:
    return sum(len(page.text[p.start : p.end].split()) for p in cell.pieces)


def _without_empty(grid: Grid) -> Grid:
    """Columns and rows with no text in the whole table (double rules, margins) go."""
    used = sorted({cell.col for row in grid.rows for cell in row})
    place = {col: sum(u < col for u in used) for col in range(len(grid.columns) + 1)}
    rows, bands = [], []
    for row, band in zip(grid.rows, grid.bands, strict=True):
        if row:
            rows.append(
                tuple(GridCell(place[c.col], max(1, place[c.col + c.span] - place[c.col]), c.pieces) for c in row)
            )
            bands.append(band)
    return Grid(tuple(grid.columns[col] for col in used), tuple(bands), tuple(rows))
