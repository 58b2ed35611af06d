"""A page's text as positioned pieces, for the layer that is selected and copied over the page's image."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.types import Page

# A gap wider than this many line heights parts two columns of one line: one stretched piece would miss both.
_GAP_HEIGHTS = 1.0


class Piece(NamedTuple):
    """A run of text on one line. Box in points as displayed; turn in degrees clockwise: 0, 90 or 270."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    turn: int


def pieces(page: Page) -> list[Piece]:
    """The page's lines in reading order, parted at wide gaps."""
    found: list[Piece] = []
    cursor = 0
    for line in page.text.split("\n"):
        boxes = page.boxes[cursor : cursor + len(line)]
        found.extend(_piece(line[start:end], boxes[start:end]) for start, end in _runs(line, boxes))
        cursor += len(line) + 1
    return found


def _runs(line: str, boxes: NDArray[np.float32]) -> Iterator[tuple[int, int]]:
    """Half-open index ranges of `line` without a wide gap inside, trimmed of whitespace."""
    inked = [index for index, char in enumerate(line) if not char.isspace()]
    if not inked:
        return
    axis = 1 if _turn(boxes[inked]) else 0
    part = boxes[inked]
    height = float(np.median(part[:, 3 - axis] - part[:, 1 - axis]))
    start = inked[0]
    for before, after in pairwise(inked):
        gap = max(boxes[after, axis] - boxes[before, axis + 2], boxes[before, axis] - boxes[after, axis + 2])
        if gap > _GAP_HEIGHTS * height:
            yield start, before + 1
            start = after
    yield start, inked[-1] + 1


def _piece(text: str, boxes: NDArray[np.float32]) -> Piece:
    inked = boxes[[index for index, char in enumerate(text) if not char.isspace()]]
    x0, y0 = (round(float(value), 2) for value in inked[:, :2].min(axis=0))
    x1, y1 = (round(float(value), 2) for value in inked[:, 2:].max(axis=0))
    return Piece(text, x0, y0, x1, y1, _turn(inked))


def _turn(inked: NDArray[np.float32]) -> int:
    """Which way the text runs, by where its first and last characters stand."""
    if len(inked) < 2:
        return 0
    across = float(inked[-1, 0] + inked[-1, 2] - inked[0, 0] - inked[0, 2])
    down = float(inked[-1, 1] + inked[-1, 3] - inked[0, 1] - inked[0, 3])
    if abs(down) <= abs(across):
        return 0
    return 90 if down > 0 else 270
