"""Running headers, footers and page numbers: what repeats at the edge of pages and belongs to no sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from grounded.documents.layout import Line, PageLayout
from grounded.types import CharSpan

EDGE_ROWS = 5  # rows from an edge of the page that are looked at
EDGE_SHARE = 0.16  # of the page height
MAX_FRAGMENTS = 3  # a row of more is a table's, even when it repeats on each page
Y_STEP = 0.02  # of the page height: how far a running line may move from page to page

_DIGITS = re.compile(r"\d+")
_PAGE_OF = re.compile(r"\bpage\s*\d+|\b\d+\s*(?:of|/)\s*\d+", re.IGNORECASE)
_BARE = re.compile(r"^[^\w]*(?:[a-z]{1,2}[-.])?(\d{1,4}|[ivxlc]{1,7})[^\w]*$", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class EdgeRow(NamedTuple):
    """A row near the top or bottom of a page."""

    page: int  # index into the pages given
    top: bool
    lines: tuple[Line, ...]
    text: str
    y: float  # middle, as a share of the page height
    apart: bool  # the next row inwards is further away than a line


def find_furniture(pages: Sequence[PageLayout]) -> list[tuple[CharSpan, ...]]:
    """For each page the spans of its running headers, footers and page numbers, in text order.

    A row near an edge counts when the same row, digits aside, stands at the same height of enough other pages, or
    when it is a page number that counts up with the pages.
    """
    rows = [row for index, page in enumerate(pages) for row in _edge_rows(index, page)]
    running = {id(row) for row in [*_repeated(rows, len(pages)), *_numbers(rows)]}
    found: dict[int, list[CharSpan]] = defaultdict(list)
    for _, side in groupby(rows, key=lambda row: (row.page, row.top)):
        for row in _outermost(list(side), running):
            found[row.page].extend((line.start, line.end) for line in row.lines)
    return [tuple(sorted(set(found[index]))) for index in range(len(pages))]


def _outermost(side: Sequence[EdgeRow], running: set[int]) -> list[EdgeRow]:
    """The rows from the edge inwards that run, up to the last one that is set apart from what comes next, or that is
    followed by other text: a form's body, the same on each page, is neither."""
    kept = 0
    for number, row in enumerate(side, start=1):
        if id(row) not in running:
            break
        if row.apart or (number < len(side) and id(side[number]) not in running):
            kept = number
    return list(side[:kept])


def _edge_rows(index: int, page: PageLayout) -> Iterator[EdgeRow]:
    rows = _rows_by_height(page)
    for top, ordered in ((True, rows), (False, rows[::-1])):
        for number, lines in enumerate(ordered[:EDGE_ROWS]):
            y = (min(line.box[1] for line in lines) + max(line.box[3] for line in lines)) / 2 / page.height
            if len(lines) <= MAX_FRAGMENTS and (y < EDGE_SHARE if top else y > 1 - EDGE_SHARE):
                text = " ".join(page.line_text(line) for line in lines)
                inner = ordered[number + 1] if number + 1 < len(ordered) else None
                yield EdgeRow(index, top, tuple(lines), text, y, inner is None or _apart(lines, inner))


def _apart(row: Sequence[Line], other: Sequence[Line]) -> bool:
    """At least three quarters of a line's height lie between two rows."""
    upper, lower = sorted((row, other), key=lambda lines: lines[0].box[3])
    gap = min(line.box[1] for line in lower) - max(line.box[3] for line in upper)
    return gap >= 0.75 * (row[0].box[3] - row[0].box[1])


def _rows_by_height(page: PageLayout) -> list[list[Line]]:
    """Lines grouped by baseline over the whole page width, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted((line for line in page.lines if line.angle == 0), key=lambda line: (line.box[3], line.box[0])):
        if rows and line.box[3] - rows[-1][-1].box[3] < 0.4 * (line.box[3] - line.box[1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _repeated(rows: Sequence[EdgeRow], pages: int) -> list[EdgeRow]:
    """Rows of words that stand, digits aside, at the same height of at least three pages (two of two, three, four)."""
    groups: dict[tuple[bool, str], list[EdgeRow]] = defaultdict(list)
    for row in rows:
        if sum(map(str.isalpha, row.text)) >= 2:
            groups[row.top, _DIGITS.sub("#", row.text.casefold())].append(row)
    needed = 2 if pages <= 4 else 3
    return [row for group in groups.values() for row in group if _company(row, group) >= needed]


def _company(row: EdgeRow, group: Sequence[EdgeRow]) -> int:
    """On how many pages the row stands, itself included."""
    return len({other.page for other in group if abs(other.y - row.y) <= Y_STEP})


def _numbers(rows: Sequence[EdgeRow]) -> list[EdgeRow]:
    """Rows that are page numbers: "Page 3 of 8" anywhere at the edge, bare numbers when the pages count up."""
    explicit = [row for row in rows if len(row.text) < 30 and _PAGE_OF.search(row.text)]
    bare = {(row.page, row.top, value): row for row in rows if (value := _number(row.text)) is not None}
    counted = [
        row
        for (page, top, value), row in bare.items()
        if any((page + step, top, value + step) in bare for step in (-2, -1, 1, 2))
    ]
    return explicit + counted


def _number(text: str) -> int | None:
    match = _BARE.match(text.strip())
    if not match:
        return None
    token = match.group(1).casefold()
    return int(token) if token.isdigit() else _roman(token)


def _roman(token: str) -> int:
    values = [_ROMAN[char] for char in token]
    return sum(-v if v < max(values[i:], default=0) else v for i, v in enumerate(values))
