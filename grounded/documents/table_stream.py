"""Tables without a grid of rules: rows whose pieces stand in the same columns, label–value blocks among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median

from grounded.documents.layout import PageLayout
from grounded.documents.rules import Rules
from grounded.documents.table_grid import Grid, GridCell, Piece, VisualRow, find_columns, fit_row, nearest_column
from grounded.documents.table_rows import find_separators, group_rows, stack

MAX_GAP = 2.6  # font sizes between two rows of a table
MAX_BRIDGE = 3  # rows of one piece between rows of several
HEADER_ROWS = 3  # rows of one piece above the first row of several that may be spanning headers

_LEADERS = re.compile(r"(?:\.\s?){5,}|_{5,}")
_ENUMERATOR = re.compile(r"[•●▪◦·*\-–—o□☐✓]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)]|\d{1,2}(?:\.\d{1,3}){1,4}\.?")

Covered = list[tuple[float, float]]
Columns = tuple[tuple[float, float], ...]


def find_streams(page: PageLayout, rows: Sequence[VisualRow], rules: Rules) -> Iterator[Grid]:
    """Grids of the tables among `rows`, region by region."""
    for _, region in groupby(rows, key=lambda row: row.region):
        members = list(region)
        for first, last in _blocks(page, members):
            block = members[first:last]
            several = [row for row in block if _is_multi(page, row)]
            columns = _columns(several)
            if _is_table(page, block, several, columns, rules):
                above = _spanning_headers(members, first, columns)
                below = _continuations(members, last, columns)
                yield _grid(page, [*above, *block, *below], columns, rules)


# ---------------------------------------------------------------- blocks


def _blocks(page: PageLayout, rows: Sequence[VisualRow]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of rows that may be a table: they begin and end with a row of several pieces."""
    position = 0
    while position < len(rows):
        if not _is_multi(page, rows[position]):
            position += 1
            continue
        last = _grow(page, rows, position)
        yield position, last
        position = last


def _is_multi(page: PageLayout, row: VisualRow) -> bool:
    """Several pieces, not a list item behind its mark, not a line of a table of contents."""
    texts = [page.text[piece.start : piece.end] for piece in row.pieces]
    if len(texts) < 2 or (len(texts) == 2 and _is_contents_entry(texts)):
        return False
    marked = _ENUMERATOR.fullmatch(texts[0].strip()) is not None
    return not (marked and len(texts) == 2 and not row.pieces[1].is_value)


def _is_contents_entry(texts: Sequence[str]) -> bool:
    """A title, leaders and a page number."""
    return _LEADERS.search(texts[0]) is not None and re.fullmatch(r"[A-Z]?-?\d{1,4}|[ivxlc]+", texts[1]) is not None


def _grow(page: PageLayout, rows: Sequence[VisualRow], first: int) -> int:
    """End of the block that begins at `first`: rows follow closely and leave at least two columns open."""
    covered, paired = _cover([], rows[first]), True
    end, size = first + 1, rows[first].size
    for position in range(first + 1, min(len(rows), first + 400)):
        row = rows[position]
        if row.y0 - rows[position - 1].y1 > MAX_GAP * size or (row.size > 1.15 * size and len(row.pieces) == 1):
            break
        if not _is_multi(page, row):
            if position - end >= MAX_BRIDGE or not _bridges(page, rows, position, covered):
                break
            continue
        joined, paired = _cover(covered, row), paired and _paired(rows[first], row)
        if not paired and len(joined) < max(2, (len(covered) + 1) // 2):
            break
        covered, end = joined, position + 1
    return end


def _paired(first: VisualRow, row: VisualRow) -> bool:
    """Two pieces each, at the same left edge and with a common edge of the second: labels and values whose lengths
    overlap, so that no gutter is common to all rows."""
    if len(first.pieces) != 2 or len(row.pieces) != 2:
        return False
    (a, b), (c, d) = first.pieces, row.pieces
    return abs(a.x0 - c.x0) <= 2 and (abs(b.x1 - d.x1) <= 2 or abs(b.x0 - d.x0) <= 2)


def _columns(rows: Sequence[VisualRow]) -> Columns:
    """Columns of rows of several pieces; two with a boundary before the leftmost value when labels and values are
    paired."""
    columns = find_columns(rows)
    if len(columns) == 1 and all(_paired(rows[0], row) for row in rows):
        start = min(row.pieces[1].x0 for row in rows)
        return (columns[0][0], start - 1), (start, columns[0][1])
    return columns


def _cover(covered: Covered, row: VisualRow) -> Covered:
    """Union of intervals the pieces so far stand in."""
    merged: Covered = []
    for low, high in sorted([*covered, *((p.x0, p.x1) for p in row.pieces)]):
        if merged and low < merged[-1][1] + 0.8:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _bridges(page: PageLayout, rows: Sequence[VisualRow], position: int, covered: Covered) -> bool:
    """A single piece that may be a group label, or go on in a cell: within the width of the table with the next row
    of several pieces (above it there may be titles over the data columns only), short, or closely framed by rows that
    stand in the same columns."""
    piece = rows[position].pieces[0]
    ahead = next((row for row in rows[position + 1 : position + 1 + MAX_BRIDGE] if _is_multi(page, row)), None)
    low = min(covered[0][0], ahead.x0 if ahead else covered[0][0])
    high = covered[-1][1]
    if piece.x0 < low - 12 or piece.x1 > high + 12:
        return False
    text = page.text[piece.start : piece.end]
    short = piece.x1 - piece.x0 < 0.7 * (high - low) and len(text.split()) <= 16
    return short or (ahead is not None and not text.endswith(".") and _in_columns(ahead, covered))


def _in_columns(row: VisualRow, covered: Covered) -> bool:
    """All its pieces but the first end where columns end."""
    return all(any(abs(piece.x1 - high) < 4 for _, high in covered) for piece in row.pieces[1:])


def _spanning_headers(rows: Sequence[VisualRow], first: int, columns: Columns) -> list[VisualRow]:
    """Rows of one piece right above that stand over the data columns, not over the label column."""
    found: list[VisualRow] = []
    for position in range(first - 1, max(-1, first - 1 - HEADER_ROWS), -1):
        row = rows[position]
        below = rows[position + 1]
        over = len(row.pieces) == 1 and row.x0 > columns[0][1] - 2 and row.x1 <= columns[-1][1] + 12
        if not over or below.y0 - row.y1 > 1.2 * row.size or row.size > 1.15 * below.size:
            break
        found.insert(0, row)
    return found


def _continuations(rows: Sequence[VisualRow], last: int, columns: Columns) -> list[VisualRow]:
    """Rows of one piece right below that go on in a column other than the first."""
    found: list[VisualRow] = []
    for position in range(last, min(len(rows), last + MAX_BRIDGE)):
        row, above = rows[position], rows[position - 1]
        aligned = any(abs(row.x0 - low) < 2.5 for low, _ in columns[1:])
        if len(row.pieces) != 1 or not aligned or row.y0 - above.y1 > 0.6 * row.size or row.size > 1.1 * above.size:
            break
        found.append(row)
    return found


# ---------------------------------------------------------------- evidence


def _is_table(
    page: PageLayout, block: Sequence[VisualRow], rows: Sequence[VisualRow], columns: Columns, rules: Rules
) -> bool:
    """Numbers in line, labels with values, rows between rules, or short cells that line up. rows: those of the block
    with several pieces."""
    if len(rows) < 2 or len(columns) < 2:
        return False
    by_column = _by_column(rows, columns)
    if _is_prose(page, rows, columns, by_column):
        return False
    separated = find_separators(block, rules, columns[0][0], columns[-1][1])
    return (
        _numeric(by_column)
        or _labelled(page, rows)
        or (len(separated) >= 0.6 * (len(block) - 1) and len(rows) >= 2 and len(separated) >= 1)
        or (len(rows) >= 3 and _short_and_aligned(page, by_column) and not _broken_text(page, rows))
    )


def _by_column(rows: Sequence[VisualRow], columns: Columns) -> list[list[Piece]]:
    found: list[list[Piece]] = [[] for _ in columns]
    for row in rows:
        for piece in row.pieces:
            found[nearest_column(piece.middle, columns)].append(piece)
    return found


def _is_prose(
    page: PageLayout,
    rows: Sequence[VisualRow],
    columns: Columns,
    by_column: Sequence[Sequence[Piece]],
) -> bool:
    """Two or more columns of running text that the reading order did not separate, or words spaced far apart."""
    wordy = 0
    for (low, high), pieces in zip(columns, by_column, strict=True):
        words = median(len(page.text[p.start : p.end].split()) for p in pieces) if pieces else 0
        full = sum(p.x1 - p.x0 > 0.75 * (high - low) for p in pieces)
        wordy += words >= 4 and full >= 0.6 * len(pieces) and len(pieces) >= 4
    values = sum(row.values > 0 for row in rows)
    return wordy >= 2 and values < 0.5 * len(rows)


def _numeric(by_column: Sequence[Sequence[Piece]]) -> bool:
    """A column other than the first in which values stand one below the other."""
    return any(
        sum(p.is_value for p in pieces) >= 2
        and sum(p.is_value for p in pieces) >= 0.5 * len(pieces)
        and _aligned(pieces)
        for pieces in by_column[1:]
    )


def _aligned(pieces: Sequence[Piece]) -> bool:
    """Most share their left edge, their right edge or their middle."""
    for edge in ([p.x0 for p in pieces], [p.x1 for p in pieces], [p.middle for p in pieces]):
        usual = median(edge)
        if sum(abs(x - usual) <= 2.5 for x in edge) >= 0.6 * len(pieces):
            return True
    return False


def _labelled(page: PageLayout, rows: Sequence[VisualRow]) -> bool:
    """Labels with a colon, or set in another weight than the values beside them."""
    colons = sum(page.text[row.pieces[0].end - 1] == ":" for row in rows)
    contrast = sum(row.pieces[0].bold != row.pieces[1].bold for row in rows)
    return colons >= 0.6 * len(rows) or contrast >= 0.8 * len(rows)


def _broken_text(page: PageLayout, rows: Sequence[VisualRow]) -> bool:
    """Many pieces begin in small letters or end in a hyphen: lines of running text side by side."""
    texts = [page.text[piece.start : piece.end] for row in rows for piece in row.pieces]
    return sum(text[0].islower() or text[-1] in "-\u00ad" for text in texts) > 0.25 * len(texts)


def _short_and_aligned(page: PageLayout, by_column: Sequence[Sequence[Piece]]) -> bool:
    lengths = [len(page.text[p.start : p.end].split()) for pieces in by_column for p in pieces]
    full = [pieces for pieces in by_column if len(pieces) >= 3]
    return median(lengths) <= 5 and len(full) >= 2 and all(_aligned(pieces) for pieces in full)


# ---------------------------------------------------------------- the grid


def _grid(page: PageLayout, rows: Sequence[VisualRow], columns: Columns, rules: Rules) -> Grid:
    fitted = [_fit(page, row, columns) for row in rows]
    separators = find_separators(rows, rules, columns[0][0], columns[-1][1])
    banded = len(separators) >= 0.45 * (len(rows) - 1)
    groups = group_rows(page, rows, fitted, separators if banded else None)
    cells = tuple(tuple(stack([fitted[i] for i in group])) for group in groups)
    bands = tuple((min(rows[i].y0 for i in group), max(rows[i].y1 for i in group)) for group in groups)
    return Grid(columns, bands, cells)


def _fit(page: PageLayout, row: VisualRow, columns: Columns) -> list[GridCell]:
    """A label that reaches under the values of other rows stays a label."""
    if len(columns) == 2 and len(row.pieces) == 2:
        return [GridCell(i, 1, (piece,)) for i, piece in enumerate(row.pieces)]
    return fit_row(page, row, columns)
