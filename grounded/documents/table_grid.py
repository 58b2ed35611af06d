"""Geometry of tables: pieces of text on visual rows, the columns they stand in, the rows they add up to.

A piece is what stands in one cell on one visual row. Columns are the strips between gutters that no piece of a data
row crosses. All of it works on boxes of the page layout, in points.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from grounded.documents.layout import Line, PageLayout
from grounded.types import Box, CharSpan

NARROW_GAP = 0.33  # font sizes: values closer than this are one number written with blanks ("12 345")
MIN_GUTTER = 1.2  # points

_VALUE = re.compile(
    r"[(\[<>~≈≥≤±+\-−–*†‡]*\s?(?:US|A|C|HK)?[$€£¥]?\s?[(\-−–]?"
    r"(?:\d(?:[\d,.’' ]*\d)?\.?|[.,]\d+)\s?(?:%|[xX]|bp|bps|pp|pts?)?[)\]]*%?[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§]*|"
    r"[-—–−.]{1,3}%?|n/?[am]\.?|nil|\$?[-—–]",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+?(?:(?=\s|$)|(?<=[a-z%)])(?=[A-Z]))")  # "yearsSince" is two, printed without a gap
_LEADERS = re.compile(r"[.\s…]+")
_MARK = re.compile(r"[(\[]?(?:\d{1,2}|[a-z]|[*†‡§⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?:,\s?(?:\d{1,2}|[a-z⁰¹²³⁴⁵⁶⁷⁸⁹]+))*[)\]]?")
_CURRENCY = re.compile(r"(?:US|A|C|HK|CA|AU)?[$€£¥][(\-−–]?|\(|(?:USD|EUR|GBP|CHF|JPY)")
_TRAILING = re.compile(r"[%)\]*†‡§⁰¹²³⁴⁵⁶⁷⁸⁹]+|\([a-z\d]\)")


class Piece(NamedTuple):
    """Text of one cell on one visual row."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    is_value: bool

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


@dataclass(frozen=True)
class VisualRow:
    """Pieces on one baseline of one region, left to right."""

    pieces: tuple[Piece, ...]
    fragments: int  # lines of the layout they came from
    region: int
    block: int

    @cached_property
    def y0(self) -> float:
        return min(piece.y0 for piece in self.pieces)

    @cached_property
    def y1(self) -> float:
        return max(piece.y1 for piece in self.pieces)

    @property
    def x0(self) -> float:
        return self.pieces[0].x0

    @cached_property
    def x1(self) -> float:
        return max(piece.x1 for piece in self.pieces)

    @cached_property
    def size(self) -> float:
        return max(self.pieces, key=lambda piece: piece.end - piece.start).size

    @cached_property
    def values(self) -> int:
        return sum(piece.is_value for piece in self.pieces)


class GridCell(NamedTuple):
    """A cell: columns col..col+span-1 of a logical row."""

    col: int
    span: int
    pieces: tuple[Piece, ...]


class Grid(NamedTuple):
    """Columns as (x0, x1), logical rows as (y0, y1), and the cells of each row, left to right, blanks left out."""

    columns: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float], ...]
    rows: tuple[tuple[GridCell, ...], ...]
    ruled: bool = False  # its cells are drawn: spans need no guess


def cell_spans(page: PageLayout, pieces: Sequence[Piece]) -> tuple[CharSpan, ...]:
    """Spans of the pieces, cut where the page text has a tab or a line break between parts ("$", "48,210")."""
    return tuple(
        (piece.start + part.start(), piece.start + part.end())
        for piece in pieces
        for part in re.finditer(r"[^\t\n]*[^\s]", page.text[piece.start : piece.end])
    )


@lru_cache(maxsize=8192)
def is_value(text: str) -> bool:
    """A number, amount, percentage, dash or "n/a": what stands in a data cell."""
    return _VALUE.fullmatch(text.strip()) is not None


# ---------------------------------------------------------------- visual rows


def visual_rows(page: PageLayout) -> list[VisualRow]:
    """The page's horizontal rows, each line cut into pieces where values stand side by side."""
    lines = [line for line in page.lines if line.angle == 0]
    rows = []
    for _, group in groupby(lines, key=lambda line: (line.region, line.row)):
        members = tuple(group)
        pieces = [piece for line in members for piece in _pieces(page, line)]
        if len(pieces) > 1:
            pieces = [piece for piece in pieces if not _LEADERS.fullmatch(page.text[piece.start : piece.end])] or pieces
            pieces = _join_symbols(page, _without_marks(page, sorted(pieces, key=lambda piece: piece.x0)))
        rows.append(VisualRow(tuple(pieces), len(members), members[0].region, members[0].block))
    return rows


def cut_at_underlines(page: PageLayout, row: VisualRow, underlines: Sequence[tuple[float, float, float]]) -> VisualRow:
    """The row, its pieces cut where one underline (y, x0, x1) ends and another begins: titles of two groups of columns
    may stand a blank apart. `underlines` are sorted."""
    at = bisect_left(underlines, (row.y0, 0.0, 0.0))
    near = [line for line in underlines[at : at + 40] if line[0] <= row.y1 + 5]
    if len(near) < 2:
        return row
    pieces = [part for piece in row.pieces for part in _parted(page, piece, near)]
    return row if len(pieces) == len(row.pieces) else replace(row, pieces=tuple(pieces))


def _parted(page: PageLayout, piece: Piece, near: Sequence[tuple[float, float, float]]) -> Iterator[Piece]:
    own = sorted((x0, x1) for y, x0, x1 in near if -3 <= y - piece.y1 <= 5 and x0 < piece.x1 and x1 > piece.x0)
    gaps = [(a[1], b[0]) for a, b in pairwise(own) if 0 < b[0] - a[1] < 3 * piece.size]
    blanks = [m.span() for m in re.finditer(r"\s+", page.text[piece.start : piece.end])] if gaps else []
    middles = [float(page.boxes[piece.start + a - 1, 2] + page.boxes[piece.start + b, 0]) / 2 for a, b in blanks]
    start = piece.start
    for low, high in gaps:
        inside = [i for i, x in enumerate(middles) if low - 3 <= x <= high + 3 and piece.start + blanks[i][0] > start]
        if inside:
            nearest = min(inside, key=lambda i: abs(middles[i] - (low + high) / 2))
            yield _sub(page, piece, start, piece.start + blanks[nearest][0])
            start = piece.start + blanks[nearest][1]
    yield piece if start == piece.start else _sub(page, piece, start, piece.end)


def _without_marks(page: PageLayout, pieces: Sequence[Piece]) -> list[Piece]:
    """Small raised footnote marks right behind a piece are no part of it: "1,234" with a raised 1 is not 12,341."""
    kept: list[Piece] = []
    for piece in pieces:
        before = kept[-1] if kept else None
        small = before is not None and piece.size < 0.8 * before.size and piece.y1 < before.y1 - 0.1 * before.size
        near = before is not None and -1 <= piece.x0 - before.x1 < 0.4 * before.size
        if not (small and near and _MARK.fullmatch(page.text[piece.start : piece.end])):
            kept.append(piece)
    return kept


def _pieces(page: PageLayout, line: Line) -> Iterator[Piece]:
    text = page.text[line.start : line.end]
    if not _is_telling(text.rsplit(None, 1)[-1]):  # running text, mostly
        start, end = line.start + len(text) - len(text.lstrip()), line.end - len(text) + len(text.rstrip())
        yield make_piece(page, line, start, end)
        return
    words = [(line.start + m.start(), line.start + m.end()) for m in re.finditer(r"\S+", text)]
    cuts = _cuts(page, words, line.size) if len(words) > 1 else []
    for first, last in pairwise([0, *cuts, len(words)]):
        yield make_piece(page, line, words[first][0], words[last - 1][1])


def make_piece(page: PageLayout, line: Line, start: int, end: int) -> Piece:
    """The piece of `line` between two offsets."""
    if (start, end) == (line.start, line.end):
        return Piece(start, end, *line.box, line.size, line.bold, is_value(page.text[start:end]))
    box = page.span_box((start, end))
    runs = [run for run in line.runs if run.start < end and run.end > start] or list(line.runs)
    bold = all(run.bold for run in runs)
    return Piece(start, end, *box, line.size, bold, is_value(page.text[start:end]))


def _cuts(page: PageLayout, words: Sequence[tuple[int, int]], size: float) -> list[int]:
    """Word numbers where a line of values is cut: between two values with more than a blank's width between."""
    tokens = [page.text[start:end] for start, end in words]
    telling = [_is_telling(token) for token in tokens]
    if sum(telling) < 2 or not all(telling[1:]):
        return []
    cuts = []
    for index in range(1, len(words)):
        gap = float(page.boxes[words[index][0], 0] - page.boxes[words[index - 1][1] - 1, 2])
        complete = re.search(r"%|\d[.,]\d+\)?$|\)$", tokens[index - 1]) and _VALUE.fullmatch(tokens[index])
        label = index == 1 and not telling[0]
        if gap > NARROW_GAP * size or (complete and not label and gap > 0.15 * size):
            cuts.append(index)
    return cuts


def _is_telling(token: str) -> bool:
    """A value, or a part of one."""
    return bool(_VALUE.fullmatch(token) or _CURRENCY.fullmatch(token) or _TRAILING.fullmatch(token))


def _join_symbols(page: PageLayout, pieces: Sequence[Piece]) -> list[Piece]:
    """Put a currency sign or opening bracket to the value behind it, a percent sign or bracket to the one before."""
    joined: list[Piece] = []
    for piece in pieces:
        text = page.text[piece.start : piece.end]
        before = joined[-1] if joined else None
        opens = before is not None and _CURRENCY.fullmatch(page.text[before.start : before.end]) is not None
        closes = before is not None and before.is_value and _TRAILING.fullmatch(text) is not None
        near = before is not None and piece.x0 - before.x1 < (6 if opens else 1.2) * piece.size
        if before is not None and near and ((opens and piece.is_value) or closes) and before.end <= piece.start:
            joined[-1] = _join(before, piece)
        else:
            joined.append(piece)
    return joined


def _join(first: Piece, second: Piece) -> Piece:
    return first._replace(
        end=second.end,
        y0=min(first.y0, second.y0),
        x1=second.x1,
        y1=max(first.y1, second.y1),
        is_value=True,
    )


# ---------------------------------------------------------------- columns


def find_columns(rows: Sequence[VisualRow]) -> tuple[tuple[float, float], ...]:
    """Strips (x0, x1) that the pieces of `rows` stand in. Gutters are judged on the fullest rows, those with values
    when there are two; at most one of them in twelve may cross."""
    rows = _fullest(rows)
    pieces = [piece for row in rows for piece in row.pieces]
    low, high = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    coverage = np.zeros(int((high - low) * 4) + 2, np.int32)  # quarter points
    for row in rows:
        covered = np.zeros_like(coverage)
        for piece in row.pieces:
            covered[int((piece.x0 - low) * 4) : int((piece.x1 - low) * 4) + 1] = 1
        coverage += covered
    open_strip = coverage <= len(rows) // 12
    strips = [(low + first / 4, low + last / 4) for filled, first, last in _stretches(open_strip) if not filled]
    return tuple(_close_gutters(strips))


def _fullest(rows: Sequence[VisualRow]) -> list[VisualRow]:
    valued = [row for row in rows if row.values]
    rows = valued if len(valued) >= 2 else list(rows)
    counts = sorted((len(row.pieces) for row in rows), reverse=True)
    usual = counts[min(1, len(counts) - 1)]
    return [row for row in rows if len(row.pieces) >= 0.7 * usual]


def _stretches(flags: np.ndarray) -> Iterator[tuple[bool, int, int]]:
    edges = [0, *(np.flatnonzero(np.diff(flags.astype(np.int8))) + 1).tolist(), len(flags)]
    for first, last in pairwise(edges):
        yield bool(flags[first]), first, last


def _close_gutters(strips: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join strips with less than the least gutter between."""
    columns: list[tuple[float, float]] = []
    for low, high in strips:
        if columns and low - columns[-1][1] < MIN_GUTTER:
            columns[-1] = (columns[-1][0], high)
        else:
            columns.append((low, high))
    return columns


def fit_row(
    page: PageLayout, row: VisualRow, columns: Sequence[tuple[float, float]], *, ruled: bool = False
) -> list[GridCell]:
    """The row's cells: each piece goes to the columns it overlaps. One over several columns is cut at blanks in the
    gutters that are wider than its other blanks, else it spans them. ruled: the gutters are drawn, so that any piece
    is cut at them."""
    cells: dict[int, GridCell] = {}
    for piece in row.pieces:
        for part, first, last in _cut_at_gutters(page, piece, columns, ruled=ruled):
            while first in cells and first < last:  # it only reaches over its neighbour
                first += 1
            if first in cells:
                old = cells[first]
                cells[first] = GridCell(first, max(old.span, last - first + 1), (*old.pieces, part))
            else:
                cells[first] = GridCell(first, last - first + 1, (part,))
    return [cells[col] for col in sorted(cells)]


def _overlapped(piece: Piece, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """First and last column the piece reaches well into; the nearest when it touches none."""
    slack = min(2.0, (piece.x1 - piece.x0) / 4)
    hit = [i for i, (low, high) in enumerate(columns) if piece.x0 < high - slack and piece.x1 > low + slack]
    if not hit:
        nearest = nearest_column(piece.middle, columns)
        return nearest, nearest
    return hit[0], hit[-1]


def nearest_column(x: float, columns: Sequence[tuple[float, float]]) -> int:
    """The first column (x0, x1, from left to right) that x lies in, else the nearest."""
    best, least = 0, float("inf")
    for number, (low, high) in enumerate(columns):
        distance = low - x if x < low else x - high
        if distance <= 0:
            return number
        if distance < least:
            best, least = number, distance
    return best


def _cut_at_gutters(
    page: PageLayout, piece: Piece, columns: Sequence[tuple[float, float]], *, ruled: bool
) -> list[tuple[Piece, int, int]]:
    """The piece, or its parts, each with the first and last column it stands in."""
    first, last = _overlapped(piece, columns)
    if first == last:
        return [(piece, first, last)]
    text = page.text[piece.start : piece.end]
    words = [(piece.start + m.start(), piece.start + m.end()) for m in re.finditer(r"\S+", text)]
    gaps = [(float(page.boxes[a[1] - 1, 2]), float(page.boxes[b[0], 0])) for a, b in pairwise(words)]
    cuts = _widest(gaps, columns[first : last + 1], 0.5 * piece.size, ruled=ruled)
    if not cuts:
        words = [(piece.start + m.start(), piece.start + m.end()) for m in _WORD.finditer(text)]
        cuts = _aligned([page.span_box(word) for word in words], columns[first : last + 1], 0.12 * piece.size)
    if len(cuts) < last - first:
        return [(piece, first, last)]
    edges = enumerate(pairwise([0, *cuts, len(words)]), start=first)
    return [(_sub(page, piece, words[begin][0], words[end - 1][1]), col, col) for col, (begin, end) in edges]


def _widest(
    gaps: Sequence[tuple[float, float]], columns: Sequence[tuple[float, float]], usual: float, *, ruled: bool
) -> list[int]:
    """For each gutter the number of the word behind the widest gap in it; [] when gaps there are not wider than
    elsewhere (a title over several columns) or, with no gap elsewhere, than usual."""
    cuts: list[int] = []
    for (low, high), (next_low, next_high) in pairwise(columns):
        reach = (high, next_low) if ruled else ((low + high) / 2, (next_low + next_high) / 2)
        inside = [i for i, (a, b) in enumerate(gaps) if a < reach[1] and b > reach[0] and i + 1 > max(cuts, default=0)]
        if not inside:
            return []
        cuts.append(1 + max(inside, key=lambda i: gaps[i][1] - gaps[i][0]))
    widths = [b - a for a, b in gaps]
    narrowest = min(widths[cut - 1] for cut in cuts)
    blank = max((width for i, width in enumerate(widths) if i + 1 not in cuts), default=usual)
    return cuts if ruled or narrowest > 1.15 * blank else []


def _aligned(words: Sequence[Box], columns: Sequence[tuple[float, float]], slack: float) -> list[int]:
    """For each column but the last the number of the word behind the one that ends where the column ends, when the
    last word ends with the last column too: titles set to the right over narrow columns, with no gap left between."""
    cuts: list[int] = []
    for _, high in columns[:-1]:
        ends = [
            i + 1 for i, box in enumerate(words[:-1]) if abs(box[2] - high) <= slack and i + 1 > max(cuts, default=0)
        ]
        if not ends:
            return []
        cuts.append(min(ends, key=lambda i: abs(words[i - 1][2] - high)))
    return cuts if words and abs(words[-1][2] - columns[-1][1]) <= slack else []


def _sub(page: PageLayout, piece: Piece, start: int, end: int) -> Piece:
    return Piece(start, end, *page.span_box((start, end)), piece.size, piece.bold, is_value(page.text[start:end]))
