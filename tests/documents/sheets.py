"""PDFs typeset for the tests of this room, and reading them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from grounded.documents import read
from grounded.settings import DocumentSettings
from grounded.types import Cell, Document, Table

WIDTH, HEIGHT = 612.0, 792.0
Draw = Callable[["Sheet"], None]


class Sheet:
    """A canvas that measures y from the top, as the boxes of a Page do."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    def text(self, x: float, y: float, value: str, *, size: float = 10, bold: bool = False) -> None:
        self.canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
        self.canvas.drawString(x, HEIGHT - y, value)

    def right(self, x: float, y: float, value: str, *, size: float = 10, bold: bool = False) -> None:
        self.text(
            x - stringWidth(value, "Helvetica-Bold" if bold else "Helvetica", size), y, value, size=size, bold=bold
        )

    def mark(self, x: float, y: float, value: str) -> None:
        """A raised footnote mark."""
        self.text(x, y - 3.5, value, size=6)

    def rule(self, x0: float, x1: float, y: float) -> None:
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x0, HEIGHT - y, x1, HEIGHT - y)

    def upright(self, x: float, y0: float, y1: float) -> None:
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x, HEIGHT - y0, x, HEIGHT - y1)

    def paragraph(self, x: float, y: float, lines: Sequence[str], *, size: float = 10) -> float:
        """Lines of running text; returns the y below."""
        for line in lines:
            self.text(x, y, line, size=size)
            y += 1.25 * size
        return y


def typeset(*pages: Draw) -> bytes:
    """A PDF with one page per function."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=1)
    for draw in pages:
        draw(Sheet(canvas))
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def document(*pages: Draw) -> Document:
    """The pages, typeset and read."""
    return read(typeset(*pages), "sheet.pdf", settings=DocumentSettings())


def cell_of(table: Table, text: str) -> Cell:
    """The first cell with that text."""
    return next(cell for cell in table.cells if cell.text == text)
