"""What one pass over a page's characters gives, for sections, tables and furniture: nobody extracts twice.

All boxes are points as displayed; all spans are half-open offsets into the text of the finished page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.types import Box, CharSpan


class Run(NamedTuple):
    """Characters of one line set alike."""

    start: int
    end: int
    size: float  # points
    bold: bool
    italic: bool
    font: str
    colour: int  # 0xRRGGBB


class Line(NamedTuple):
    """One fragment of a visual row: a line of a column, or a cell of a table row. Its text has no separator inside."""

    start: int
    end: int
    box: Box
    runs: tuple[Run, ...]
    row: int  # visual row on the page, reading order; fragments of one row are tab-separated in the text
    block: int  # paragraph-like group of rows; a blank line stands between blocks
    region: int  # column or full-width band; a line of another column has another region
    angle: int  # direction of writing as displayed, degrees clockwise: 0, 90, 180, 270

    @property
    def size(self) -> float:
        """Font size of most of its characters."""
        if len(self.runs) == 1:
            return self.runs[0].size
        return max(self.runs, key=lambda run: run.end - run.start).size

    @property
    def bold(self) -> bool:
        """All of it is bold."""
        if len(self.runs) == 1:
            return self.runs[0].bold
        return all(run.bold for run in self.runs)


class Rule(NamedTuple):
    """A drawn line, frame or filled area (its bounding box)."""

    box: Box
    stroked: bool
    rectangle: bool
    colour: int  # 0xRRGGBB
    order: int = 0  # position in the content stream
    opaque: bool = False  # a rectangle filled without transparency: nothing under it is to be seen


class OutlineEntry(NamedTuple):
    """One entry of the document's own outline (bookmarks). y: points from the top as displayed, None when unknown."""

    level: int  # 1 = outermost
    title: str
    page: int
    y: float | None


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page before sections, tables and furniture are known."""

    number: int
    label: str
    width: float
    height: float
    text: str
    boxes: NDArray[np.float32]  # (len(text), 4)
    lines: tuple[Line, ...]  # reading order
    rules: tuple[Rule, ...] = ()
    images: tuple[Box, ...] = ()

    def line_text(self, line: Line) -> str:
        """The characters of a line."""
        return self.text[line.start : line.end]

    def span_box(self, span: CharSpan) -> Box:
        """Bounding box of a non-empty span."""
        part = self.boxes[span[0] : span[1]]
        low, high = part[:, :2].min(axis=0), part[:, 2:].max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])
