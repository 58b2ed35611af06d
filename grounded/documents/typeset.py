"""Text and a table typeset as PDF pages, the way a report would: gold sets whose documents never were PDFs become some.

The same sheet gives the same bytes, so its document id stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pymupdf

WIDTH, HEIGHT, MARGIN = 612.0, 792.0, 54.0
SIZE, LEADING = 9.0, 12.0
MIN_LABEL, GAP = 140.0, 12.0
TITLE_SIZE = 13.0


@cache
def _font() -> Any:
    return pymupdf.Font("helv")


class _Pen:
    """A cursor that runs down pages."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.y = HEIGHT
        self.fresh()

    def fresh(self) -> None:
        self.sheet = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.y = MARGIN

    def room(self, height: float) -> None:
        if self.y + height > HEIGHT - MARGIN:
            self.fresh()

    def text(self, x: float, y: float, text: str, size: float = SIZE) -> None:
        writer = pymupdf.TextWriter(self.sheet.rect)
        writer.append((x, y + size), text, font=_font(), fontsize=size)
        writer.write_text(self.sheet)


def typeset(paragraphs: Sequence[str], table: Sequence[Sequence[object]] = (), *, title: str = "") -> bytes:
    """A PDF: title, at most the first two paragraphs, the table, the rest of the paragraphs."""
    pen = _Pen()
    texts = [" ".join(text.split()) for text in paragraphs]
    if title:
        pen.document.set_metadata({"title": title})
        _lines_of(pen, title, TITLE_SIZE)
    for text in texts[:2]:
        _lines_of(pen, text, SIZE)
    if table:
        _table(pen, [[" ".join(str(c).split()) for c in row] for row in table])
    for text in texts[2:]:
        _lines_of(pen, text, SIZE)
    data: bytes = pen.document.tobytes(deflate=True, no_new_id=True)
    pen.document.close()
    return data


def _lines_of(pen: _Pen, text: str, size: float) -> None:
    leading = size * LEADING / SIZE
    for line in _lines(_latin(text), WIDTH - 2 * MARGIN, size):
        pen.room(leading)
        pen.text(MARGIN, pen.y, line, size)
        pen.y += leading
    pen.y += leading / 2


def _table(pen: _Pen, rows: Sequence[Sequence[str]]) -> None:
    count = max(map(len, rows))
    cells = [[_latin(c) for c in row] + [""] * (count - len(row)) for row in rows]
    widths = _widths(cells, count)
    edges = [MARGIN + sum(widths[: i + 1]) for i in range(count)]
    pen.room(LEADING * min(len(rows), 40))
    for row in cells:
        wrapped = [list(_lines(cell, width - GAP / 2)) for cell, width in zip(row, widths, strict=True)]
        height = LEADING * max(1, *map(len, wrapped))
        pen.room(height)
        for column, lines in enumerate(wrapped):
            for i, line in enumerate(lines, int(height / LEADING) - len(lines)):
                left = MARGIN if column == 0 else edges[column] - _font().text_length(line, SIZE)
                pen.text(left, pen.y + i * LEADING, line)
        pen.y += height
    pen.y += LEADING


def _widths(cells: Sequence[Sequence[str]], count: int) -> list[float]:
    """Label column as wide as what the others leave it, the others as wide as their longest cell allows."""
    room = WIDTH - 2 * MARGIN
    wanted = [max(_font().text_length(row[c], SIZE) for row in cells) + GAP for c in range(count)]
    others = sum(wanted[1:])
    share = min(1.0, (room - MIN_LABEL) / others) if others else 1.0
    widths = [w * share for w in wanted[1:]]
    return [min(room - sum(widths), max(wanted[0], MIN_LABEL)), *widths]


def _lines(text: str, width: float, size: float = SIZE) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and _font().text_length(longer, size) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line


def _latin(text: str) -> str:
    """Text in the characters the standard fonts have."""
    plain = text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("−", "-").replace("‑", "-")
    return "".join(c if _font().has_glyph(ord(c)) else "?" for c in plain)
