"""Ruled tables: crossing rules are the grid, missing edges merge cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from grounded.documents.layout import PageLayout
from grounded.documents.rules import Rules, Segment
from grounded.documents.table_grid import Grid, GridCell, VisualRow, fit_row
from grounded.documents.table_rows import Fitted, group_rows, stack

TOUCH = 3.0  # points: rules nearer than this meet
THIN = 6.5  # points: lines nearer than this are one, no cell fits between
LEAST_LEVEL, LEAST_UPRIGHT = 0.42, 0.12  # of the grid's extent: shorter lines are shading inside a cell
BLANK_COLUMN = 30.0  # points: an empty strip between rules that is as wide is a column of blank cells
MAX_PAIRS = 250_000  # rules that may meet on one page: drawings, maps
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
    """Connected sets of rules with at least three lines one way and two the other, open sides closed."""
    if len(rules.vertical) < 2 or len(rules.horizontal) < 2 or len(rules.vertical) * len(rules.horizontal) > MAX_PAIRS:
        return
    for horizontal, vertical in _connected(rules):
        if not horizontal or not vertical:
            continue
        xs, ys = _lines(vertical, horizontal, LEAST_UPRIGHT), _lines(horizontal, vertical, LEAST_LEVEL)
        if len(xs) >= 3 and len(ys) >= 3:
            yield Lattice(xs, ys, tuple(horizontal), tuple(vertical))


def _lines(segments: Sequence[Segment], across: Sequence[Segment], least: float) -> tuple[float, ...]:
    """Positions of the lines that run over a good part of the set, and of its ends where no line closes it."""
    low, high = min(s[1] for s in segments), max(s[2] for s in segments)
    groups: list[list[Segment]] = []
    for segment in sorted(segments):
        if groups and segment[0] - groups[-1][-1][0] <= THIN:
            groups[-1].append(segment)
        else:
            groups.append([segment])
    found = [sum(s[0] for s in group) / len(group) for group in groups if _length(group) >= least * (high - low)]
    ends = min(s[1] for s in across), max(s[2] for s in across)
    if found and found[0] - ends[0] > THIN:
        found.insert(0, ends[0])
    if found and ends[1] - found[-1] > THIN:
        found.append(ends[1])
    return tuple(found)


def _length(segments: Sequence[Segment]) -> float:
    """Length of the union of segments along their line."""
    total, reach = 0.0, -1e9
    for _, low, high in sorted(segments, key=lambda s: s[1]):
        total += max(0.0, high - max(low, reach))
        reach = max(reach, high)
    return total


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


def _fill(page: PageLayout, rows: Sequence[VisualRow], lattice: Lattice) -> Grid | None:
    inside = [row for row in rows if _holds(lattice, row)]
    walls = _walls(lattice, inside)
    if len(walls) < 3:
        return None
    columns = tuple((left[1] + 0.5, right[0] - 0.5) for left, right in pairwise(walls))
    bands: list[tuple[float, float]] = []
    filled: list[list[GridCell]] = []
    for band in pairwise(lattice.ys):
        here = [row for row in inside if band[0] - 1 <= (row.y0 + row.y1) / 2 < band[1] - 1]
        fitted = [fit_row(page, row, columns, ruled=True) for row in here]
        for part in _split_band(page, here, fitted):
            bands.append((here[part[0]].y0, here[part[-1]].y1) if part and len(part) < len(here) else band)
            filled.append(_merged(stack([fitted[i] for i in part]), walls, lattice, bands[-1]))
    if not _is_table(filled, page):
        return None
    kept = [(band, tuple(cells)) for band, cells in zip(bands, filled, strict=True) if cells]
    return Grid(columns, tuple(band for band, _ in kept), tuple(cells for _, cells in kept), ruled=True)


Wall = tuple[float, float]


def _walls(lattice: Lattice, rows: Sequence[VisualRow]) -> list[Wall]:
    """Vertical borders (x0, x1) of the columns that hold text or are wide enough to (the blank fields of a form); a
    narrow empty strip between two columns is one thick wall."""
    pieces = [piece for row in rows for piece in row.pieces]
    strips = list(pairwise(lattice.xs))
    used = [
        number
        for number, (x0, x1) in enumerate(strips)
        if x1 - x0 >= BLANK_COLUMN
        or any(x0 <= piece.middle <= x1 and piece.x1 - piece.x0 < 1.5 * (x1 - x0) for piece in pieces)
    ]
    if not used:
        return []
    inner = [(strips[a][1], strips[b][0]) for a, b in pairwise(used)]
    return [(strips[used[0]][0],) * 2, *inner, (strips[used[-1]][1],) * 2]


def _holds(lattice: Lattice, row: VisualRow) -> bool:
    middle = (row.y0 + row.y1) / 2
    return (
        lattice.ys[0] - 1 <= middle <= lattice.ys[-1] + 1
        and row.x0 >= lattice.xs[0] - TOUCH
        and row.x1 <= lattice.xs[-1] + TOUCH
    )


def _split_band(page: PageLayout, rows: Sequence[VisualRow], fitted: Fitted) -> list[list[int]]:
    """A band with several rows of values is several table rows without rules between them."""
    valued = [row for row in rows if row.values >= 1 and len(row.pieces) >= 2]
    if len(valued) < 3 or len(valued) < 0.4 * len(rows):
        return [list(range(len(rows)))]
    return group_rows(page, rows, fitted, None)


def _merged(
    cells: Sequence[GridCell], walls: Sequence[Wall], lattice: Lattice, band: tuple[float, float]
) -> list[GridCell]:
    """Widen cells over empty columns that no vertical rule separates from them in this band."""
    middle = (band[0] + band[1]) / 2
    drawn = [
        any(x0 - THIN <= x <= x1 + THIN and y0 - 1 <= middle <= y1 + 1 for x, y0, y1 in lattice.vertical)
        for x0, x1 in walls
    ]
    taken = {column for cell in cells for column in range(cell.col, cell.col + cell.span)}
    widened: list[GridCell] = []
    for cell in cells:
        first, last = cell.col, cell.col + cell.span
        while first > 0 and not drawn[first] and first - 1 not in taken:
            first -= 1
        while last < len(walls) - 1 and not drawn[last] and last not in taken:
            last += 1
        taken.update(range(first, last))
        widened.append(GridCell(first, last - first, cell.pieces))
    return widened


def _is_table(rows: Sequence[Sequence[GridCell]], page: PageLayout) -> bool:
    cells = [cell for row in rows for cell in row]
    wordy = [cell for cell in cells if _words(cell, page) > MAX_CELL_WORDS]
    several = sum(len(row) >= 2 for row in rows)
    return len(cells) >= 4 and several >= 2 and len({c.col for c in cells}) >= 2 and len(wordy) * 4 <= len(cells)


def _words(cell: GridCell, page: PageLayout) -> int:
    return sum(len(page.text[p.start : p.end].split()) for p in cell.pieces)
