"""From a grid to a Table: header rows, row and column header paths, units, caption."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from grounded.documents.layout import PageLayout
from grounded.documents.rules import Rules
from grounded.documents.table_grid import Grid, GridCell, Piece, VisualRow, cell_spans, is_value
from grounded.documents.table_units import is_scaled_out, unit_in
from grounded.text import collapse
from grounded.types import Box, Cell, CharSpan, Table

MAX_HEADER_ROWS = 6
CAPTION_ROWS = 4
CAPTION_GAP = 2.8  # font sizes between a caption row and what is below it

_MARKS = re.compile(r"(?:\s*[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§]+|\s?\(\d{1,2}\))+$")
_PERIOD = re.compile(
    r"(?:(?:fy|q[1-4]|h[12]|cy)\W{0,2})?(?:19|20)\d\d(?:[/–-]\d{2,4})?e?|(?:fy|q[1-4]|h[12])\W{0,2}\d{2,4}|\d{1,2}/\d{1,2}/\d{2,4}"
    r"|\d{1,2}[.-]\d{1,2}[.-]\d{2,4}|(?:\d{1,2}\s)?[a-z]{3,9}\.?\s(?:\d{1,2},?\s)?(?:19|20)\d\d",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:table|exhibit|figure|schedule|chart|tab\.|tableau|tabelle)\s*[\dA-Z]", re.IGNORECASE)
_NOTE = re.compile(r"(?:notes?|sources?|quelle|\*+|[†‡§¹²³⁴⁵⁶⁷⁸⁹]|[a-z\d]\s+[A-Z])\b|\*|[†‡§]|\(\d\)\s", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\(\d{1,2}\)|[*†‡§]+")
_LEADERS = re.compile(r"(?:\s?[.…_]){3,}\s*$")
_IDENTIFIER = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-Z\d]{8,}")
_RANK = re.compile(r"\(?(?:\d{1,3}|[a-z])[.)]?|[•●▪]")


class Header(NamedTuple):
    """A header cell over columns first..last."""

    row: int
    first: int
    last: int
    text: str
    spans: tuple[CharSpan, ...]
    pieces: tuple[Piece, ...]


@dataclass
class _Draft:
    """What is known of a table while its cells are written."""

    page: PageLayout
    grid: Grid
    header_rows: int
    headers: list[Header]
    label_columns: set[int]
    pairs: bool  # label and value columns alternate
    unit: str
    groups: list[tuple[float, str, CharSpan, bool]] = field(default_factory=list)


def build_table(page: PageLayout, grid: Grid, rows: Sequence[VisualRow], rules: Rules) -> Table | None:
    """The table of a grid, None when fewer than two cells hold text. Index and section are set by the caller."""
    grid = _core(page, grid)
    filled = [cell for row in grid.rows for cell in row]
    if len(filled) < 2 or len(grid.rows) < 2:
        return None
    pairs = _is_pairs(page, grid)
    header_rows = 0 if pairs else _count_header_rows(page, grid, rules)
    headers = _headers(page, grid, header_rows, rules)
    caption, caption_span = _caption(page, grid, rows)
    around = " ".join([caption, *(h.text for h in headers if h.first == 0)])
    labels = _label_columns(page, grid, header_rows, pairs)
    draft = _Draft(page, grid, header_rows, headers, labels, pairs, unit_in(around, header=False))
    cells = tuple(_cells(draft))
    spans = [span for cell in cells for span in cell.spans]
    return Table(
        page=page.number,
        index=0,
        box=_box([piece for cell in filled for piece in cell.pieces]),
        span=(min(s for s, _ in spans), max(e for _, e in spans)),
        n_rows=len(grid.rows),
        n_cols=len(grid.columns),
        caption=caption,
        caption_span=caption_span,
        cells=cells,
    )


def _core(page: PageLayout, grid: Grid) -> Grid:
    """Without a title (a first row of one cell over all columns, or set larger) and without notes at the end."""
    size = median([p.size for row in grid.rows for cell in row for p in cell.pieces] or [0.0])
    first = 0
    while first < len(grid.rows) - 1 and len(grid.rows[first]) == 1:
        cell = grid.rows[first][0]
        if cell.span < len(grid.columns) and cell.pieces[0].size < 1.1 * size:
            break
        first += 1
    last = len(grid.rows)
    while last > first + 2 and _is_note(page, grid.rows[last - 1], grid.rows[last - 2]):
        last -= 1
    return grid._replace(bands=grid.bands[first:last], rows=grid.rows[first:last])


def _is_note(page: PageLayout, row: Sequence[GridCell], above: Sequence[GridCell]) -> bool:
    """A row below the table that is running text, a source or a footnote."""
    if len(row) != 1 or row[0].col > 0:
        return False
    text = _text(page, row[0])
    return _NOTE.match(text) is not None or len(text.split()) > 14 or (len(above) == 1 and row[0].span > 2)


# ---------------------------------------------------------------- header rows


def _is_pairs(page: PageLayout, grid: Grid) -> bool:
    """Labels and values side by side: "Age: | 85 | Seat occupied: | Left"."""
    columns = len(grid.columns)
    if columns not in (2, 4, 6):
        return False
    labels = [cell for row in grid.rows for cell in row if cell.col % 2 == 0]
    values = [cell for row in grid.rows for cell in row if cell.col % 2 == 1]
    if not labels:
        return False
    colons = sum(_text(page, cell).endswith(":") for cell in labels) >= 0.6 * len(labels)
    if columns == 2 or not values:
        return colons
    weight = sum(_bold(c) for c in labels) / len(labels) - sum(_bold(c) for c in values) / len(values)
    numbers = sum(is_value(_text(page, cell)) for cell in labels) / len(labels)
    return (colons or abs(weight) > 0.8) and numbers < 0.3


def _count_header_rows(page: PageLayout, grid: Grid, rules: Rules) -> int:
    """Leading rows that stand over the data columns and read as titles: no data, or years; set apart from the rows
    below by weight or a rule, or without a label of their own."""
    if ruled := _rows_above_rule(page, grid, rules):
        return ruled
    if not any(_has_data(page, row) for row in grid.rows):
        return _bold_first_row(grid)
    data = [_has_data(page, row) and not _is_period_row(page, row) for row in grid.rows]
    count = 0
    for index in range(min(len(grid.rows) - 1, MAX_HEADER_ROWS)):
        if data[index]:
            break
        over = any(cell.col + cell.span > 1 for cell in grid.rows[index])
        if over and _reads_as_title(grid, index, data):
            count = index + 1
    return count


def _rows_above_rule(page: PageLayout, grid: Grid, rules: Rules) -> int:
    """Rows above a rule over the table's width near its top, in a table with few such rules: its head. 0 when there
    is none, or the rows above are data."""
    low, high = grid.columns[0][0], grid.columns[-1][1]
    wide = [y for y, x0, x1 in rules.horizontal if min(x1, high) - max(x0, low) > 0.7 * (high - low)]
    ruled = [
        index
        for index, (above, below) in enumerate(pairwise(grid.bands), start=1)
        if any(above[1] - 2 <= y <= below[0] + 2 for y in wide)
    ]
    if len(ruled) > max(2, 0.4 * len(grid.rows)):
        return 0
    near = [index for index in ruled if index <= min(MAX_HEADER_ROWS, len(grid.rows) // 2)]
    return max((index for index in near if _titles(page, grid, index)), default=0)


def _titles(page: PageLayout, grid: Grid, count: int) -> bool:
    """Most cells over the data columns in the first rows are words or periods, in each row some."""
    over = [[_text(page, cell) for cell in row if cell.col > 0] for row in grid.rows[:count]]
    worded = [[not is_value(t) or _PERIOD.fullmatch(_strip(t)) is not None for t in texts] for texts in over]
    flat = [title for row in worded for title in row]
    return len(flat) > 0 and sum(flat) >= 0.4 * len(flat) and all(any(row) for row in worded if row)


def _reads_as_title(grid: Grid, index: int, data: Sequence[bool]) -> bool:
    row = grid.rows[index]
    labelled = any(cell.col == 0 for cell in row)
    body = [cell for other in grid.rows[index + 1 :] for cell in other]
    bold = all(_bold(cell) for cell in row) and sum(_bold(cell) for cell in body) < 0.5 * len(body)
    needed = 0.6 if len(grid.columns) > 2 else 0.8
    numeric = sum(data[index + 1 :]) >= max(needed * len(data[index + 1 :]), 2)
    return not labelled or bold or (numeric and not any(data[:index]))


def _has_data(page: PageLayout, row: Sequence[GridCell]) -> bool:
    """Half of the cells over the data columns, or more, hold values or identifiers (an ISIN, a serial number)."""
    told = [_text(page, cell) for cell in row if cell.col > 0]
    over = [is_value(text) or _IDENTIFIER.fullmatch(text) is not None for text in told]
    return any(over) and sum(over) >= 0.5 * len(over)


def _is_period_row(page: PageLayout, row: Sequence[GridCell]) -> bool:
    """Years or dates over the data columns: a header though it reads as numbers."""
    over = [_text(page, cell) for cell in row if cell.col > 0]
    label = next((_text(page, cell) for cell in row if cell.col == 0), "")
    periods = [_PERIOD.fullmatch(_strip(text)) is not None for text in over]
    titles = [
        period or not is_value(text) or _NOTE_MARK.fullmatch(text) is not None
        for period, text in zip(periods, over, strict=True)
    ]
    return any(periods) and all(titles) and not is_value(label)


def _bold_first_row(grid: Grid) -> int:
    """1 when the first row is bold and fills the columns while later rows are not all bold."""
    if len(grid.rows) < 2 or not grid.rows[0]:
        return 0
    first = grid.rows[0]
    rest = [cell for row in grid.rows[1:] for cell in row]
    bold_rest = sum(_bold(cell) for cell in rest)
    fills = sum(cell.span for cell in first) >= len(grid.columns) - 1
    return int(fills and all(_bold(cell) for cell in first) and bold_rest < 0.5 * max(1, len(rest)))


def _headers(page: PageLayout, grid: Grid, count: int, rules: Rules) -> list[Header]:
    """Header cells top down; titles of one column wrapped over several rows are one."""
    found: list[Header] = []
    open_at: dict[int, int] = {}  # column -> place of its last one-column header
    for row in range(count):
        for cell in grid.rows[row]:
            first, last = _reach(grid, row, cell, rules)
            pieces = cell.pieces
            above = open_at.get(first) if first == last else None
            if above is not None and found[above].last == first:
                old = found[above]
                pieces = (*old.pieces, *cell.pieces)
                found[above] = _header(page, old.row, first, last, pieces)
            else:
                found.append(_header(page, row, first, last, pieces))
                for column in range(first, last + 1):
                    open_at.pop(column, None)
                if first == last:
                    open_at[first] = len(found) - 1
    return found


def _header(page: PageLayout, row: int, first: int, last: int, pieces: tuple[Piece, ...]) -> Header:
    spans = cell_spans(page, pieces)
    text = _strip(" ".join(collapse(page.text[s:e]) for s, e in spans))
    return Header(row, first, last, text, spans, pieces)


def _reach(grid: Grid, row: int, cell: GridCell, rules: Rules) -> tuple[int, int]:
    """Columns a header cell stands over: its own, those its underline reaches, those it is centred over."""
    first, last = cell.col, cell.col + cell.span - 1
    if grid.ruled:
        return first, last
    x0, x1 = min(p.x0 for p in cell.pieces), max(p.x1 for p in cell.pieces)
    under = _underline(grid, row, (x0, x1), rules)
    if under is not None:
        hit = [i for i, (a, b) in enumerate(grid.columns) if under[0] - 2 <= (a + b) / 2 <= under[1] + 2]
        return (min(first, hit[0]), max(last, hit[-1])) if hit else (first, last)
    if first == last and _in_column(grid.columns[first], x0, x1):
        return first, last
    return _centred(grid, row, cell, (x0 + x1) / 2)


def _underline(grid: Grid, row: int, extent: tuple[float, float], rules: Rules) -> tuple[float, float] | None:
    """The rule right under a header, when it is the header's own: it does not reach over the label column."""
    bottom = grid.bands[row][1]
    for y, a, b in rules.horizontal:
        if -3 <= y - bottom <= 5 and a <= extent[0] + 3 and b >= extent[1] - 3 and a > grid.columns[0][0] + 5:
            return a, b
    return None


def _in_column(column: tuple[float, float], x0: float, x1: float) -> bool:
    """The header shares an edge or the middle with the column."""
    middle = (column[0] + column[1]) / 2
    slack = max(3.0, 0.15 * (column[1] - column[0]))
    return min(abs(x0 - column[0]), abs(x1 - column[1]), abs((x0 + x1) / 2 - middle)) <= slack


def _centred(grid: Grid, row: int, cell: GridCell, middle: float) -> tuple[int, int]:
    """The widest range of free columns about its own whose middle is the header's."""
    others = {c for other in grid.rows[row] if other is not cell for c in range(other.col, other.col + other.span)}
    own = range(cell.col, cell.col + cell.span)
    best, best_error = (own[0], own[-1]), 1e9
    for first in range(own[0], 0, -1):
        if first in others:
            break
        for last in range(own[-1], len(grid.columns)):
            if last in others:
                break
            error = abs((grid.columns[first][0] + grid.columns[last][1]) / 2 - middle)
            if error < best_error - 3 or (error < best_error + 3 and last - first > best[1] - best[0]):
                best, best_error = (first, last), min(error, best_error)
    return best


# ---------------------------------------------------------------- cells


def _label_columns(page: PageLayout, grid: Grid, header_rows: int, pairs: bool) -> set[int]:
    """Columns that hold row headers: the first, and the second behind a column of ranks or marks."""
    if pairs:
        return set(range(0, len(grid.columns), 2))
    firsts = [_text(page, c) for row in grid.rows[header_rows:] for c in row if c.col == 0 and c.span == 1]
    seconds = [_text(page, c) for row in grid.rows[header_rows:] for c in row if c.col == 1]
    ranked = len(firsts) >= 2 and sum(_RANK.fullmatch(t) is not None for t in firsts) >= 0.8 * len(firsts)
    wordy = sum(not is_value(t) for t in seconds) >= 0.8 * len(seconds) if seconds else False
    return {0, 1} if ranked and wordy and len(grid.columns) > 2 else {0}


def _cells(draft: _Draft) -> Iterator[Cell]:
    for row in range(len(draft.grid.rows)):
        if row < draft.header_rows:
            yield from _header_cells(draft, row)
        else:
            yield from _body_cells(draft, row)


def _header_cells(draft: _Draft, row: int) -> Iterator[Cell]:
    here = {header.first: header for header in draft.headers if header.row == row}
    covered = {c for h in here.values() for c in range(h.first, h.last + 1)}
    for column in range(len(draft.grid.columns)):
        if header := here.get(column):
            yield Cell(
                row=row,
                col=column,
                text=" ".join(draft.page.text[s:e] for s, e in header.spans),
                spans=header.spans,
                box=_box(header.pieces),
                is_header=True,
            )
        elif column not in covered:
            yield Cell(row=row, col=column, text="", spans=(), box=_place(draft.grid, row, column), is_header=True)


def _body_cells(draft: _Draft, row: int) -> Iterator[Cell]:
    cells = {cell.col: cell for cell in draft.grid.rows[row]}
    covered = {c for cell in cells.values() for c in range(cell.col + 1, cell.col + cell.span)}
    row_path = _row_path(draft, row, cells)
    for column in range(len(draft.grid.columns)):
        if column in covered and column not in cells:
            continue
        yield _body_cell(draft, row, column, cells.get(column), _path_of(draft, column, cells, row_path))


Path = tuple[tuple[str, CharSpan], ...]


def _row_path(draft: _Draft, row: int, cells: dict[int, GridCell]) -> Path:
    """Group labels above the row and its own label; a row of a label only opens a group."""
    label = cells.get(max(draft.label_columns) if not draft.pairs else 0) or cells.get(0)
    if draft.pairs or label is None or label.col not in draft.label_columns:
        return tuple((text, span) for _, text, span, _ in draft.groups)
    text, x0 = _label(draft.page, label), label.pieces[0].x0
    bold = _bold(label)
    alone = len(cells) == 1 and len(draft.grid.columns) > 1
    closes = re.match(r"(?:sub)?total\b", text, re.IGNORECASE) is not None
    while draft.groups and (
        x0 < draft.groups[-1][0] - 1 or (_level(draft.groups[-1], x0) and (alone or closes or bold))
    ):
        draft.groups.pop()
    above = tuple((group, span) for gx, group, span, _ in draft.groups if gx < x0 - 1 or not closes)
    if alone and text:
        draft.groups.append((x0, text, _whole(label), bold))
    return (*above, (text, _whole(label))) if text else above


def _level(group: tuple[float, str, CharSpan, bool], x0: float) -> bool:
    return abs(group[0] - x0) <= 1


def _path_of(draft: _Draft, column: int, cells: dict[int, GridCell], row_path: Path) -> Path:
    if not draft.pairs:
        return () if column in draft.label_columns else row_path
    label = cells.get(column - 1) if column % 2 else None
    return ((_label(draft.page, label), _whole(label)),) if label else ()


def _body_cell(draft: _Draft, row: int, column: int, cell: GridCell | None, path: Path) -> Cell:
    over = [h for h in draft.headers if h.first <= column <= h.last]
    spans = cell_spans(draft.page, cell.pieces) if cell else ()
    text = " ".join(draft.page.text[s:e] for s, e in spans)
    is_label = column in draft.label_columns
    return Cell(
        row=row,
        col=column,
        text=text,
        spans=spans,
        box=_box(cell.pieces) if cell else _place(draft.grid, row, column),
        is_header=is_label,
        row_headers=tuple(label for label, _ in path),
        row_header_spans=tuple(span for _, span in path),
        col_headers=tuple(h.text for h in over),
        col_header_spans=tuple((h.spans[0][0], h.spans[-1][1]) if len(h.spans) == 1 else h.spans[0] for h in over),
        unit="" if is_label else _unit(draft, text, path, over),
    )


def _unit(draft: _Draft, text: str, path: Path, over: Sequence[Header]) -> str:
    """The nearest unit: of the column, of the row, of the table. A percent sign in the cell needs no scale."""
    if "%" in text or not is_value(text):
        return "%" if is_value(text) else ""
    own = [unit_in(h.text, header=True) for h in reversed(over)] + [unit_in(t, header=True) for t, _ in reversed(path)]
    nearest = next((unit for unit in own if unit), "")
    if nearest:
        return nearest
    labels = [t for t, _ in path] + [h.text for h in over]
    return "" if is_scaled_out(draft.unit, labels) else draft.unit


# ---------------------------------------------------------------- caption


def _caption(page: PageLayout, grid: Grid, rows: Sequence[VisualRow]) -> tuple[str, CharSpan | None]:
    """Short rows right above the table, or a "Table 3 …" row right below it. Such a title may stand at the margin,
    beside a table that is set in the middle of its column."""
    x0, x1 = grid.columns[0][0], grid.columns[-1][1]
    top, bottom = grid.bands[0][0], grid.bands[-1][1]
    first = min(piece.start for row in grid.rows for cell in row for piece in cell.pieces)
    region = next((line.region for line in page.lines if line.end > first), -1)
    near = [
        row
        for row in rows
        if (row.x0 < x1 + 10 and row.x1 > x0 - 10) or (row.region == region and _TITLE.match(_row_text(page, row)))
    ]
    found: list[VisualRow] = []
    for row in sorted((r for r in near if r.y1 <= top + 1), key=lambda r: -r.y1)[:CAPTION_ROWS]:
        limit = found[0].y0 if found else top
        if limit - row.y1 > CAPTION_GAP * row.size or not _captions(page, row):
            break
        if found and _stands_out(found[0], row):  # a heading: what is above it belongs to something else
            break
        found.insert(0, row)
    if not found:
        below = [row for row in near if 0 <= row.y0 - bottom < 3 * row.size]
        found = [row for row in sorted(below, key=lambda r: r.y0) if _TITLE.match(_row_text(page, row))][:1]
    if not found:
        return "", None
    spans = [(row.pieces[0].start, row.pieces[-1].end) for row in found]
    text = " ".join(_strip(collapse(page.text[s:e])) for s, e in spans)
    return text, (min(s for s, _ in spans), max(e for _, e in spans))


def _stands_out(row: VisualRow, above: VisualRow) -> bool:
    """Set bolder or larger than the row above."""
    bolder = all(p.bold for p in row.pieces) and not all(p.bold for p in above.pieces)
    return (bolder and row.size > 0.95 * above.size) or row.size > 1.1 * above.size


def _captions(page: PageLayout, row: VisualRow) -> bool:
    text = _row_text(page, row).strip()
    if _TITLE.match(text) or text.startswith("("):
        return True
    words = text.split()
    if is_value(text):
        return False
    return len(row.pieces) == 1 and len(words) <= 16 and not text[0].islower() and text[-1] not in ".,;"


def _row_text(page: PageLayout, row: VisualRow) -> str:
    return page.text[row.pieces[0].start : row.pieces[-1].end]


# ---------------------------------------------------------------- small


def _text(page: PageLayout, cell: GridCell) -> str:
    return collapse(" ".join(page.text[p.start : p.end] for p in cell.pieces))


def _label(page: PageLayout, cell: GridCell) -> str:
    return _strip(_LEADERS.sub("", _text(page, cell))).rstrip(" :")


def _whole(cell: GridCell) -> CharSpan:
    return min(p.start for p in cell.pieces), max(p.end for p in cell.pieces)


def _strip(text: str) -> str:
    """Without footnote marks at the end."""
    return _MARKS.sub("", text)


def _bold(cell: GridCell) -> bool:
    return all(piece.bold for piece in cell.pieces)


def _box(pieces: Sequence[Piece]) -> Box:
    return (
        min(p.x0 for p in pieces),
        min(p.y0 for p in pieces),
        max(p.x1 for p in pieces),
        max(p.y1 for p in pieces),
    )


def _place(grid: Grid, row: int, column: int) -> Box:
    """Where a blank cell is."""
    (x0, x1), (y0, y1) = grid.columns[column], grid.bands[row]
    return x0, y0, x1, y1
