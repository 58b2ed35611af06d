"""A document laid out as passages: each table, over page breaks too, with the text between its neighbours.

A claim with numbers is held against passages, so that no formula runs over the cells of two tables that have nothing to
do with each other, and no scale of one is in force for another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from grounded.text import sentence_spans
from grounded.types import CharSpan, Page, PageSource, Table
from grounded.verification.cells import is_number, scale_notes
from grounded.verification.evidence import Grid, Rows
from grounded.verification.words import stems, tokens

_NUMERIC = 0.3  # share of a table's filled cells from which its text on the page is no prose
_LOOSE = 80  # characters that may stand between the end of a table and its rest on the next page: a note, '(continued)'
_HEAD = 600  # characters at the front of a document that say whose it is
_GLOBAL_NOTES = 3
_KEPT = 64  # documents
_TITLE = re.compile(r"Table\s+[\dIVX.]+[.:]", re.IGNORECASE)
_ROW = re.compile(r"^[^\n\t]{2,80}(?:\t[^\n\t]{1,24})*\t(?=[^\n\t]*\d)[^\n\t]{1,24}\n", re.MULTILINE)
_CONTINUED = re.compile(r"\bcont(?:inued|['’]?d|\.)", re.IGNORECASE)
_EVERYWHERE = re.compile(r"unless otherwise|\ball (?:amounts|figures|dollar|numbers)|\btabular\b", re.IGNORECASE)


class Piece(NamedTuple):
    """A stretch of a page's text."""

    page: int
    start: int
    end: int


class Part(NamedTuple):
    """What of a table stands on one page, as rows of a grid. at: its first row there; skipped: rows on top that the
    grid has already, headers printed again."""

    page: int
    table: int
    at: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Continued:
    """A table with its rest on later pages, as one grid."""

    grid: Grid
    parts: tuple[Part, ...]

    def place(self, row: int) -> tuple[Part, int]:
        """The part and the row in its table on the page that a row of the grid comes from."""
        part = next(p for p in reversed(self.parts) if p.at <= row or p is self.parts[0])
        return part, row - part.at + part.skipped

    def touches(self, page: int, span: CharSpan, pages: Mapping[int, Page]) -> bool:
        """Whether a stretch of a page stands in the table, wholly or in part."""
        own = (_span(part, pages) for part in self.parts if part.page == page)
        return any(piece.start < span[1] and span[0] < piece.end for piece in own)


@dataclass(frozen=True, slots=True)
class Passage:
    """What is read together. tables: the stems of its tables; words: all of its stems."""

    pieces: tuple[Piece, ...]
    tables: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Layout:
    """A document's passages, its words as written, and what is said once for all of it: the front, scale notes.
    unread: the pages that cannot be read, and why."""

    passages: tuple[Passage, ...]
    unread: Mapping[int, str]
    names: frozenset[str]
    around: str


_kept: dict[str, Layout] = {}


def layout(document: str, source: PageSource) -> Layout:
    """The passages of a document in page order; one for every page without a table that no table's passage reaches.
    The last few documents' are kept."""
    laid = _kept.get(document) or lay(tuple(source.page(document, n + 1) for n in range(source.page_count(document))))
    _kept[document] = laid
    for oldest in list(_kept)[:-_KEPT]:
        _kept.pop(oldest, None)
    return laid


def lay(every: tuple[Page, ...]) -> Layout:
    """The passages of some pages."""
    pages, unread = [p for p in every if p.readable], {p.number: p.unread_reason for p in every if not p.readable}
    groups = [c.parts for c in continued(pages) if is_numeric(c.grid)]
    by_number = {page.number: page for page in pages}
    stretches = [_around(parts, groups, by_number) for parts in groups]
    reached = {piece.page for pieces in stretches for piece in pieces}
    alone = [(Piece(p.number, 0, len(p.text)),) for p in pages if p.number not in reached]
    passages = [_passage(pieces, by_number) for pieces in (*stretches, *alone)]
    names = frozenset(t for p in pages for t in tokens(p.text) if not t.islower())
    head = pages[0].text[:_HEAD] if pages else ""
    notes = [note for p in pages for note in _global_notes(p.text)][:_GLOBAL_NOTES]
    return Layout(tuple(sorted(passages, key=lambda p: p.pieces)), unread, names, "\n".join([head, *notes]))


def continued(pages: Sequence[Page]) -> list[Continued]:
    """The tables of pages in order, each with its rest on the pages behind."""
    found: list[Continued] = []
    for before, page in zip([None, *pages], pages, strict=False):
        for table in page.tables:
            grid = _read(page, table)
            if found and before is not None and table is page.tables[0] and _goes_on(found[-1], before, table, page):
                found[-1] = _with_rest(found[-1], grid, table)
            else:
                grid = _without_headers(grid) if before is not None and _between(before, table, page) else grid
                found.append(Continued(grid, (Part(page.number, table.index, grid.added),)))
    return found


def _goes_on(begun: Continued, before: Page, table: Table, page: Page) -> bool:
    """Whether a page begins with the rest of the table that the page before ends with."""
    last = begun.parts[-1]
    if last.page != before.number or page.number != before.number + 1 or last.table != before.tables[-1].index:
        return False
    if table.n_cols != len(begun.grid.rows[0]) or _between(before, table, page):
        return False
    if table.inherited_headers():
        return True
    between = _text_between(before, table, page).replace(before.tables[-1].caption, "").strip()
    said = not between or _CONTINUED.search(between) is not None
    return said and bool(_repeated(begun.grid.rows, Grid.of_table(table).rows))


def _between(before: Page, table: Table, page: Page) -> bool:
    """Whether text stands between the last table of the page before and a table, more than a note or two."""
    return len(_text_between(before, table, page).strip()) > _LOOSE


def _text_between(before: Page, table: Table, page: Page) -> str:
    end = before.tables[-1].span[1] if before.tables else 0
    return _plain(before)[end:] + _plain(page)[: table.span[0]]


def _without_headers(grid: Grid) -> Grid:
    """A table without headers of an earlier one that it does not go on."""
    return replace(grid, rows=grid.rows[grid.added :], added=0)


def _repeated(rows: Rows, below: Rows) -> int:
    """Leading rows that are printed again."""
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(rows, below, strict=False))))
    return same if any(any(row) for row in rows[:same]) else 0


def _with_rest(begun: Continued, grid: Grid, table: Table) -> Continued:
    skipped = _repeated(begun.grid.rows, grid.rows) if not grid.added else 0
    part = Part(table.page, table.index, len(begun.grid.rows), skipped)
    rows = begun.grid.rows + grid.rows[grid.added or skipped :]
    return Continued(replace(begun.grid, rows=rows), (*begun.parts, part))


def is_numeric(grid: Grid) -> bool:
    """A table of figures: not a form, nor a page's columns of text."""
    filled = [cell for row in grid.rows for cell in row if cell.strip()]
    labels = sum(
        any(cell.rstrip().endswith(":") and row[c + 1] for c, cell in enumerate(row[:-1])) for row in grid.rows
    )
    return labels * 2 < len(grid.rows) and sum(map(is_number, filled)) >= _NUMERIC * max(1, len(filled))


def prose(page: Page) -> str:
    """The page's text with the text of its tables of figures, their numbered titles, and what every page repeats
    blanked out, character by character, so that offsets stay."""
    text = _plain(page)
    for table in page.tables:
        if is_numeric(Grid.of_table(table)):
            text = _blanked(text, table.span)
            if title := _title(page, table):
                text = _blanked(text, title)
    return text


def _title(page: Page, table: Table) -> CharSpan | None:
    """The paragraph beside a table that begins with its number: 'Table 4: …'."""
    before, behind = page.text[: table.span[0]].rstrip(), page.text[table.span[1] :]
    start = before.rfind("\n\n") + 2 if "\n\n" in before else 0
    if _TITLE.match(before, start):
        return (start, len(before))
    at = table.span[1] + len(behind) - len(behind.lstrip())
    end = page.text.find("\n\n", at)
    return (at, end if end >= 0 else len(page.text)) if _TITLE.match(page.text, at) else None


def _read(page: Page, table: Table) -> Grid:
    """The table with all of its title."""
    grid, title = Grid.of_table(table), _title(page, table)
    if title is None or not is_numeric(grid):
        return grid
    return replace(grid, caption=f"{' '.join(page.text[slice(*title)].split())} {grid.caption}")


def row_starts(page: Page) -> list[int]:
    """Where the rows of tables begin, each on a line of its own; also of tables that are none to the page: lines that
    end in a short cell with a figure. Behind such a line begins the next."""
    cells = ((table.index, cell.row, start) for table in page.tables for cell in table.cells for start, _ in cell.spans)
    rows: dict[tuple[int, int], int] = {}
    for table, row, start in cells:
        rows[table, row] = min(start, rows.get((table, row), start))
    lines = [at for match in _ROW.finditer(page.text) for at in match.span()]
    return sorted({at for at in (*rows.values(), *lines) if page.text[at - 1 : at] == "\n"})


def furniture(page: Page) -> str:
    """What the page shares with others: running headers and footers."""
    return "\n".join(page.text[start:end] for start, end in page.furniture)


def _plain(page: Page) -> str:
    text = page.text
    for span in page.furniture:
        text = _blanked(text, span)
    return text


def _blanked(text: str, span: CharSpan) -> str:
    """A gap that no sentence runs over."""
    gap = "\n\n".ljust(span[1] - span[0])[: span[1] - span[0]]
    return text[: span[0]] + gap + text[span[1] :]


def _around(parts: Sequence[Part], groups: Sequence[Sequence[Part]], pages: Mapping[int, Page]) -> tuple[Piece, ...]:
    """The text from the table before to the table behind, at most one page away."""
    ends = [_span(group[-1], pages) for group in groups]
    begins = [_span(group[0], pages) for group in groups]
    at = groups.index(parts)
    first, last = parts[0].page, parts[-1].page
    low = max((ends[at - 1].page, ends[at - 1].end) if at else (0, 0), (first - 1, 0))
    behind = begins[at + 1] if at + 1 < len(groups) else None
    high = min((behind.page, behind.start) if behind else (last + 2, 0), (last + 2, 0))
    pieces = []
    for number in range(max(first - 1, low[0]), min(last + 1, high[0]) + 1):
        if number in pages:
            start = low[1] if number == low[0] else 0
            end = high[1] if number == high[0] else len(pages[number].text)
            if start < end:
                pieces.append(Piece(number, start, end))
    return tuple(pieces)


def _span(part: Part, pages: Mapping[int, Page]) -> Piece:
    table = next(t for t in pages[part.page].tables if t.index == part.table)
    return Piece(part.page, *table.span)


def _passage(pieces: tuple[Piece, ...], pages: Mapping[int, Page]) -> Passage:
    text = "\n".join(pages[p.page].text[p.start : p.end] for p in pieces)
    tables = [t for p in pieces for t in pages[p.page].tables if p.start <= t.span[0] < p.end]
    printed = " ".join(f"{t.caption} {pages[t.page].text[slice(*t.span)]}" for t in tables)
    return Passage(pieces, frozenset(stems(printed)), frozenset(stems(text)))


def _global_notes(text: str) -> Iterator[str]:
    """Sentences that state a scale for a whole document."""
    if _EVERYWHERE.search(text) is None or not scale_notes(text):
        return
    for start, end in sentence_spans(text):
        if _EVERYWHERE.search(text, start, end) and scale_notes(text[start:end]):
            yield text[start:end]
