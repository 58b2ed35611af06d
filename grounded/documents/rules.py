"""Drawn lines of a page, from the bounding boxes of its vector graphics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.documents.layout import PageLayout, Rule
from grounded.types import Box

MAX_LINE = 3.5  # points: a filled area no thicker is a line
MAX_SWOLLEN = 24.0  # points: the box of a stroked line is no thicker
SURE_LINE = 5.0  # points: a stroked box no thicker is a line whatever text it lies on
MIN_CELL = (8.0, 5.0)  # points: width and height of the least filled area or frame that can be a cell

Segment = tuple[float, float, float]


class Rules(NamedTuple):
    """Drawn lines and edges of filled areas and frames: horizontal as (y, x0, x1), vertical as (x, y0, y1), sorted."""

    horizontal: tuple[Segment, ...]
    vertical: tuple[Segment, ...]


def read_rules(page: PageLayout) -> Rules:
    """The page's rules. MuPDF's box of a stroked line is larger than its ink by the line width times the mitre limit
    on each side, up to a text line high: such a box is told from a frame by not having text through its middle."""
    horizontal: list[Segment] = []
    vertical: list[Segment] = []
    text = np.array([line.box for line in page.lines if line.angle == 0], np.float32).reshape(-1, 4)
    lines = [_is_line(rule, text) for rule in page.rules]
    swells = (
        _thickness(rule.box) / 2 for rule, is_line in zip(page.rules, lines, strict=True) if rule.stroked and is_line
    )
    frame_swell = min(swells, default=0.0)
    for rule, is_line in zip(page.rules, lines, strict=True):
        if is_line:
            _add_line(rule, horizontal, vertical)
        elif rule.rectangle:
            _add_area(rule.box, frame_swell if rule.stroked else 0.0, page.height, horizontal, vertical)
    return Rules(tuple(_joined(horizontal)), tuple(_joined(vertical)))


def _thickness(box: Box) -> float:
    return min(box[2] - box[0], box[3] - box[1])


def _is_line(rule: Rule, text: NDArray[np.float32]) -> bool:
    x0, y0, x1, y1 = rule.box
    thick, length = _thickness(rule.box), max(x1 - x0, y1 - y0)
    if not rule.stroked:
        return thick <= MAX_LINE and length > 3
    if thick > MAX_SWOLLEN or length - thick <= 3:
        return False
    return thick <= SURE_LINE or not _through_text(rule.box, text)


def _through_text(box: Box, text: NDArray[np.float32]) -> bool:
    """Text runs over the middle of the box, as it does in a frame around it."""
    x0, y0, x1, y1 = box
    across = (text[:, 0] < x1) & (text[:, 2] > x0)
    down = (text[:, 1] < y1) & (text[:, 3] > y0)
    if x1 - x0 >= y1 - y0:
        middle, quarter = (text[:, 1] + text[:, 3]) / 2, (text[:, 3] - text[:, 1]) / 4
        return bool((across & (np.abs(middle - (y0 + y1) / 2) < quarter)).any())
    centre = (x0 + x1) / 2
    return bool((down & (text[:, 0] + 2 < centre) & (text[:, 2] - 2 > centre)).any())


def _add_line(rule: Rule, horizontal: list[Segment], vertical: list[Segment]) -> None:
    x0, y0, x1, y1 = rule.box
    trim = _thickness(rule.box) / 2 if rule.stroked else 0.0
    if x1 - x0 >= y1 - y0:
        horizontal.append(((y0 + y1) / 2, x0 + trim, x1 - trim))
    else:
        vertical.append(((x0 + x1) / 2, y0 + trim, y1 - trim))


def _add_area(box: Box, swell: float, page_height: float, horizontal: list[Segment], vertical: list[Segment]) -> None:
    """The four edges of a filled area or frame that is neither tiny nor most of the page."""
    x0, y0, x1, y1 = box[0] + swell, box[1] + swell, box[2] - swell, box[3] - swell
    if x1 - x0 <= MIN_CELL[0] or y1 - y0 <= MIN_CELL[1] or y1 - y0 >= 0.6 * page_height:
        return
    horizontal += [(y0, x0, x1), (y1, x0, x1)]
    vertical += [(x0, y0, y1), (x1, y0, y1)]


def _joined(segments: Sequence[Segment]) -> list[Segment]:
    """Segments of one line that touch or lie on each other as one: the edges of neighbouring cells."""
    joined: list[Segment] = []
    for at, low, high in sorted(segments, key=lambda s: (round(s[0]), s[1])):
        before = joined[-1] if joined else None
        if before and abs(before[0] - at) < 1.0 and low <= before[2] + 1.5:
            joined[-1] = (before[0], before[1], max(before[2], high))
        else:
            joined.append((at, low, high))
    return sorted(joined)
