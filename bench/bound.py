"""Contexts of the public sets (paragraphs with a table, agreements, abstracts) bound into PDFs, in several layouts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table

MARGIN, GUTTER, FONT = 54.0, 18.0, "Helvetica"
MOST_HEADERS = 3  # rows
_NUMBER = re.compile(r"[\d.,]*\d[\d.,]*")


class Layout(NamedTuple):
    """How contexts are printed. bound: contexts in one document. low: points left empty above a table, so that it
    breaks at the end of a page; repeated: whether its header is printed again on the next."""

    name: str
    bound: int = 1
    columns: int = 1
    grid: bool = False
    low: float = 0.0
    repeated: bool = False


LAYOUTS = (
    Layout("alone"),
    Layout("ruled", grid=True),
    Layout("columns", columns=2),
    Layout("broken", low=430),
    Layout("broken, header repeated", low=430, repeated=True),
    Layout("bound", bound=40),
    Layout("bound, ruled", bound=40, grid=True),
    Layout("bound, columns", bound=40, columns=2),
)


class Context(NamedTuple):
    """What is printed together: paragraphs, and a table behind the first two of them under its caption."""

    key: str
    paragraphs: Sequence[str]
    table: Sequence[Sequence[str]] = ()
    caption: str = ""


class _Mark(Flowable):  # type: ignore[misc]
    """Takes no room, and tells on which page it came to stand."""

    def __init__(self, tell: Callable[[int], object]) -> None:
        super().__init__()
        self.tell = tell

    def wrap(self, *_: float) -> tuple[float, float]:
        return 0.0, 0.0

    def draw(self) -> None:
        self.tell(self.canv.getPageNumber())


def bind(path: Path, contexts: Sequence[Context], layout: Layout) -> dict[str, range]:
    """Writes a PDF; returns the 1-based pages of each context."""
    width = (letter[0] - 2 * MARGIN - GUTTER * (layout.columns - 1)) / layout.columns
    frames = [
        Frame(MARGIN + i * (width + GUTTER), MARGIN, width, letter[1] - 2 * MARGIN, 0, 0, 0, 0)
        for i in range(layout.columns)
    ]
    marks: dict[str, list[int]] = {context.key: [] for context in contexts}
    story: list[Any] = []
    for context in contexts:
        story += [_Mark(marks[context.key].append), *_printed(context, layout, width)]
        story += [_Mark(marks[context.key].append), Spacer(1, 14)]
    document = BaseDocTemplate(str(path), pagesize=letter, invariant=1)
    document.addPageTemplates(PageTemplate("page", frames, onPage=_running if layout.bound > 1 else _plain))
    document.build(story)
    return {key: range(pages[0], pages[-1] + 1) for key, pages in marks.items()}


def _plain(canvas: Any, _: Any) -> None:
    """No running header."""


def _running(canvas: Any, _: Any) -> None:
    canvas.setFont(FONT, 7)
    canvas.drawString(MARGIN, letter[1] - 36, "Selected reports, notes and schedules")
    canvas.drawCentredString(letter[0] / 2, 30, str(canvas.getPageNumber()))


def _printed(context: Context, layout: Layout, width: float) -> list[Any]:
    style = ParagraphStyle("text", fontName=FONT, fontSize=9, leading=11.5, spaceAfter=5)
    texts = [Paragraph(escape(text), style) for text in context.paragraphs if text.strip()]
    if not context.table:
        return texts
    low = [Spacer(1, layout.low)] if layout.low else []
    caption = [Paragraph(escape(context.caption), style)] if context.caption else []
    return [*texts[:2], *low, *caption, _table(context.table, layout, width), Spacer(1, 8), *texts[2:]]


def _table(rows: Sequence[Sequence[str]], layout: Layout, width: float) -> Table:
    """Labels left and wrapped, figures right."""
    count = max(map(len, rows))
    cells = [[" ".join(str(c).split()) for c in row] + [""] * (count - len(row)) for row in rows]
    least = width / 3 if count > 1 else width
    size, wanted = 8.5, [width]
    while size > 4 and least + sum(wanted) > width:  # figures never break, headers do
        size -= 0.5
        words = [
            [word for row in cells for word in (row[c].split() if n else [row[c]])]
            for c in range(1, count)
            for n in [any(len(row[c]) > 14 for row in cells)]
        ]
        wanted = [max(stringWidth(word, FONT, size) for word in column or [""]) + 6 for column in words]
    widths = [width - sum(wanted), *wanted]
    left = ParagraphStyle("label", fontName=FONT, fontSize=size, leading=size + 1.5)
    right = ParagraphStyle("figure", parent=left, alignment=2)
    printed = [[Paragraph(escape(c), right if i else left) for i, c in enumerate(row)] for row in cells]
    lines = [("GRID", (0, 0), (-1, -1), 0.4, "black")] if layout.grid else []
    tight = [("TOPPADDING", (0, 0), (-1, -1), 1.5), ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5)]
    tight += [("LEFTPADDING", (0, 0), (-1, -1), 2.0), ("RIGHTPADDING", (0, 0), (-1, -1), 2.0)]
    tight += [("NOSPLIT", (0, 0), (-1, min(MOST_HEADERS, len(cells) - 1)))]
    headers = _headers(cells) if layout.repeated else 0
    return Table(printed, widths, repeatRows=headers, style=[*lines, ("VALIGN", (0, 0), (-1, -1), "BOTTOM"), *tight])


def _headers(rows: Sequence[Sequence[str]]) -> int:
    """Rows above the first one with a label of its own and figures."""
    for n, row in enumerate(rows[:MOST_HEADERS]):
        if row[0] and any(_NUMBER.fullmatch(c.strip("$ %()")) for c in row[1:]):
            return n
    return min(MOST_HEADERS, len(rows) - 1)
