"""Runs of text as the eye groups them: a line of the page, cut where a wide gap opens."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.types import CharSpan, Page

GAP_HEIGHTS = 1.0  # a gap wider than this many line heights separates two fragments


class Fragment(NamedTuple):
    """`page.text[start:end]`, trimmed, with its box in points as displayed."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float

    def beside(self, other: Fragment) -> bool:
        """Whether both stand on one visual row: their heights overlap by more than half of the lower one."""
        shared = min(self.y1, other.y1) - max(self.y0, other.y0)
        return shared > 0.5 * min(self.y1 - self.y0, other.y1 - other.y0)


def fragments(page: Page, span: CharSpan) -> list[Fragment]:
    """The fragments of `page.text[span]` in text order."""
    start, end = span
    text = page.text[start:end]
    inked = np.flatnonzero(np.fromiter((not c.isspace() for c in text), bool, len(text)))
    if not inked.size:
        return []
    boxes = page.boxes[start:end][inked]
    cuts = np.flatnonzero(_breaks(text, inked, boxes)) + 1
    first = np.concatenate(([0], cuts))
    last = np.concatenate((cuts, [inked.size])) - 1
    low = np.minimum.reduceat(boxes[:, :2], first, axis=0)
    high = np.maximum.reduceat(boxes[:, 2:], first, axis=0)
    return [
        Fragment(start + int(inked[a]), start + int(inked[b]) + 1, *map(float, lo), *map(float, hi))
        for a, b, lo, hi in zip(first, last, low, high, strict=True)
    ]


def _breaks(text: str, inked: NDArray[np.intp], boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
    """For each inked character but the last: whether a new fragment starts behind it."""
    newline = np.cumsum(np.fromiter((c == "\n" for c in text), bool, len(text)))
    line = newline[inked]
    gap = boxes[1:, 0] - boxes[:-1, 2]
    height = np.maximum(boxes[1:, 3] - boxes[1:, 1], 1.0)
    broken: NDArray[np.bool_] = (line[1:] != line[:-1]) | (gap > GAP_HEIGHTS * height)
    return broken
