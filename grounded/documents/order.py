"""Reading order: fragments of text -> columns and bands -> visual rows -> paragraph-like blocks.

Columns are read one after the other when they hold prose; the cells of a table row or of a label and its value stay
together. All of it works in a writing frame (u along the text, v across lines), so that turned text is read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple


class Item(NamedTuple):
    """A fragment in the writing frame: u0..u1 along the text, v0..v1 across lines, growing in reading order."""

    number: int  # position in the content stream
    u0: float
    v0: float
    u1: float
    v1: float
    size: float
    chars: int
    letters: int
    kind: str = ""  # what people write once about themselves: "name", "title", "email", …; "" for other text

    @property
    def middle(self) -> float:
        return (self.v0 + self.v1) / 2


Row = list[Item]


@dataclass(slots=True)
class Region:
    """A column, or a band over the whole width: its rows from first to last."""

    rows: list[Row] = field(default_factory=list)


class Gutter(NamedTuple):
    """A strip no fragment of rows[first:last] crosses, with text on both sides."""

    first: int
    last: int
    left: float
    right: float
    stop: int  # the row that crosses it, or the number of rows


# The least width of a gutter in font sizes, and how many rows must have text on both sides of it.
_MIN_GUTTER, _MIN_ROWS = 0.6, 3
_LONGEST_BLOCK = 12  # rows about one person


def regions(items: Sequence[Item]) -> list[Region]:
    """Split fragments into regions, in reading order."""
    return [Region(rows) for rows in _arrange(list(items), depth=0) if rows]


def _arrange(items: list[Item], depth: int) -> list[list[Row]]:
    rows = cluster(items)
    gutter = _best_gutter(rows) if depth < 6 else None
    if gutter is None:
        return [rows]
    middle = (gutter.left + gutter.right) / 2
    inside = [item for row in rows[gutter.first : gutter.last] for item in row]
    parts = [
        [item for row in rows[: gutter.first] for item in row],
        [item for item in inside if item.u0 < middle],
        [item for item in inside if item.u0 >= middle],
        [item for row in rows[gutter.last :] for item in row],
    ]
    return [found for part in parts if part for found in _arrange(part, depth + 1)]


def cluster(items: list[Item]) -> list[Row]:
    """Visual rows: fragments whose middles lie within each other's height, left to right."""
    rows: list[Row] = []
    low = high = 0.0
    for item in sorted(items, key=lambda i: i.middle):
        if rows and (low <= item.middle <= high) and item.v0 <= (low + high) / 2 <= item.v1:
            rows[-1].append(item)
        else:
            rows.append([item])
            low, high = item.v0, item.v1
    for row in rows:
        row.sort(key=lambda i: (i.u0, i.u1))
    return rows


def _best_gutter(rows: list[Row]) -> Gutter | None:
    """The longest gutter that separates columns of running text, None when the rows should be read across."""
    tried: list[Gutter] = []
    found: list[Gutter] = []
    for start, row in enumerate(rows):
        for left, right in _gaps(row):
            if any(_covers(gutter, rows, start, left, right) for gutter in tried):
                continue
            gutter = _extend(rows, start, left, right)
            if gutter is not None:
                tried.append(gutter)
                if _separates_columns(rows, gutter):
                    found.append(_raise(rows, gutter))
    return max(found, key=lambda g: (g.last - g.first, g.right - g.left), default=None)


def _covers(known: Gutter, rows: list[Row], start: int, left: float, right: float) -> bool:
    """A gutter already followed passes through this gap, and this gap would end at the same row."""
    if not (known.first <= start < known.last and left <= known.left and known.right <= right):
        return False
    return known.stop == len(rows) or not _passes(rows[known.stop], left, right, _least(rows[start]))


def _gaps(row: Row) -> list[tuple[float, float]]:
    gaps: list[tuple[float, float]] = []
    reach = row[0].u1
    for item in row[1:]:
        if item.u0 - reach >= _MIN_GUTTER * min(item.size, row[0].size):
            gaps.append((reach, item.u0))
        reach = max(reach, item.u1)
    return gaps


def _least(row: Row) -> float:
    return _MIN_GUTTER * row[0].size


def _extend(rows: list[Row], start: int, left: float, right: float) -> Gutter | None:
    """Follow a gap down while no fragment crosses it; end at the last row with text on both sides (or close below)."""
    least, size = _least(rows[start]), rows[start][0].size
    last, both, stop = start + 1, 0, len(rows)
    for number in range(start, len(rows)):
        narrowed = _passes(rows[number], left, right, least)
        if narrowed is None:
            stop = number
            break
        two_sided = len({item.u0 >= right - 0.01 for item in rows[number]}) == 2
        both += two_sided
        if two_sided or (last == number and _follows(rows[number - 1], rows[number], size)):
            last = number + 1
            left, right = narrowed
    return Gutter(start, last, left, right, stop) if both >= _MIN_ROWS else None


def _raise(rows: list[Row], gutter: Gutter) -> Gutter:
    """Start it at the highest row near above that has text on both sides and does not cross it."""
    top, (left, right) = gutter.first, gutter[2:4]
    for number in range(gutter.first - 1, -1, -1):
        narrowed = _passes(rows[number], left, right, _least(rows[number]))
        if narrowed is None or not _follows(rows[number], rows[number + 1], 2 * rows[number][0].size):
            break
        left, right = narrowed
        if len({item.u0 >= right - 0.01 for item in rows[number]}) == 2:
            top, gutter = number, gutter._replace(left=left, right=right)
    return gutter._replace(first=top)


def _passes(row: Row, left: float, right: float, least: float) -> tuple[float, float] | None:
    """What is left of the gap beside this row, None when less than `least`."""
    narrowed = _narrow(row, left, right)
    return narrowed if narrowed is not None and narrowed[1] - narrowed[0] >= least else None


def _narrow(row: Row, left: float, right: float) -> tuple[float, float] | None:
    for item in row:
        if item.u1 <= (left + right) / 2:
            left = max(left, item.u1)
        elif item.u0 >= (left + right) / 2:
            right = min(right, item.u0)
        else:
            return None
    return left, right


def _follows(above: Row, below: Row, size: float) -> bool:
    """The row stands right under the other: no paragraph gap between."""
    return min(i.v0 for i in below) - max(i.v1 for i in above) < 0.6 * size


def _separates_columns(rows: list[Row], gutter: Gutter) -> bool:
    middle = (gutter.left + gutter.right) / 2
    inside = rows[gutter.first : gutter.last]
    left = [item for row in inside for item in row if item.u0 < middle]
    right = [item for row in inside for item in row if item.u0 >= middle]
    if _is_prose(left) and _is_prose(right):
        return True
    if _are_parallel(inside, middle):
        return True
    return _drawn_apart(left, right) and _wordy(left) and _wordy(right) and not _aligned(left, right)


def _are_parallel(rows: list[Row], middle: float) -> bool:
    """Blocks about several people side by side (signatures, addresses, authors): some row begins to say the same kind
    of thing on both sides, and none says it again, as the rows of a table would."""
    if len(rows) > _LONGEST_BLOCK:
        return False
    said: list[str] = []
    for row in rows:
        right = next((i.kind for i in row if i.u0 >= middle), "")
        if right and any(i.kind == right for i in row if i.u0 < middle):
            said.append(right)
    return 0 < len(said) == len(set(said))


def _is_prose(items: list[Item]) -> bool:
    """Lines of running text: wordy, and most of them as long as the column is wide."""
    if not _wordy(items) or median(i.chars for i in items) < 18:
        return False
    lines = [(min(i.u0 for i in row), max(i.u1 for i in row)) for row in cluster(items)]
    width = max(e for _, e in lines) - min(s for s, _ in lines)
    full = sum(1 for s, e in lines if e - s >= 0.6 * width)
    return full >= 0.5 * len(lines)


def _wordy(items: list[Item]) -> bool:
    return sum(i.letters for i in items) >= 0.6 * sum(i.chars for i in items)


def _drawn_apart(left: list[Item], right: list[Item]) -> bool:
    """The content stream writes one side, then the other."""
    sides = [side for _, side in sorted([(i.number, 0) for i in left] + [(i.number, 1) for i in right])]
    changes = sum(1 for a, b in pairwise(sides) if a != b)
    return changes <= max(1, min(len(left), len(right)) // 4)


def _aligned(left: list[Item], right: list[Item]) -> bool:
    """Most lines of the shorter side have a partner on the same base line: rows of a table or form."""
    few, many = sorted((left, right), key=len)
    bottoms = [i.v1 for i in many]
    partners = sum(1 for i in few if any(abs(i.v1 - b) < 0.15 * i.size for b in bottoms))
    return partners >= 0.8 * len(few)


def blocks(region: Region) -> list[list[Row]]:
    """Split a region where the distance between rows, or the font size, changes: paragraph-like groups."""
    rows = region.rows
    if not rows:
        return []
    pitches = [_pitch(a, b) for a, b in pairwise(rows)]
    usual = median(pitches) if pitches else 0.0
    groups = [[rows[0]]]
    for (above, below), pitch in zip(pairwise(rows), pitches, strict=True):
        if _ends_block(above, below, pitch, usual):
            groups.append([below])
        else:
            groups[-1].append(below)
    return groups


def _pitch(above: Row, below: Row) -> float:
    return max(i.v1 for i in below) - max(i.v1 for i in above)


def _ends_block(above: Row, below: Row, pitch: float, usual: float) -> bool:
    size = max(i.size for i in below)
    before = max(i.size for i in above)
    if abs(size - before) > 0.15 * max(size, before):
        return True
    gap = min(i.v0 for i in below) - max(i.v1 for i in above)
    return gap > 0.55 * size and pitch > 1.25 * min(usual, 1.6 * size)
