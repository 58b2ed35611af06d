"""Which pieces of text stand next to each other on a page: to the right, below, at the start of the next row or column.

The page text has one reading order. People and models may read a table down its columns, or a row across, and both are
true to the page. Moving only forward between neighbours lets such quotes be found and never a quote put together
backwards.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from grounded.text import fold
from grounded.types import Box, Page

_PIECE = re.compile(r"[^\t\n]+")
_NEAR = 4.0  # heights of a piece: farther away nothing is a neighbour


class Piece(NamedTuple):
    """A stretch of the page text without tab or newline."""

    start: int
    end: int
    key_start: int  # offsets into the key of the page text
    key_end: int
    box: Box

    @property
    def height(self) -> float:
        return max(self.box[3] - self.box[1], 1.0)


class Neighbours:
    """The pieces of one page and, worked out when asked for, what follows each."""

    def __init__(self, page: Page) -> None:
        offsets = fold(page.text).offsets
        self.pieces: list[Piece] = []
        for match in _PIECE.finditer(page.text):
            start, end = match.span()
            inked = [i for i in range(start, end) if not page.text[i].isspace()]
            if inked:
                low, high = page.boxes[inked, :2].min(axis=0), page.boxes[inked, 2:].max(axis=0)
                keys = bisect_left(offsets, start), bisect_left(offsets, end)
                self.pieces.append(Piece(start, end, *keys, (*low.tolist(), *high.tolist())))
        self._boxes = np.array([piece.box for piece in self.pieces], np.float32).reshape(-1, 4)
        self._after: dict[int, list[int]] = {}

    def after(self, index: int) -> list[int]:
        """Pieces that may be read after this one, the one that follows in the text first."""
        if index not in self._after:
            following = [index + 1] if index + 1 < len(self.pieces) else []
            found = [*following, *self._right(index), *self._below(index), *self._next_row(index)]
            if not self._below(index):
                found += self._next_column(index)
            self._after[index] = list(dict.fromkeys(found))
        return self._after[index]

    def _right(self, index: int) -> list[int]:
        """The nearest piece to the right on the same row."""
        x1, here = self.pieces[index].box[2], self._same_row(index)
        right = np.flatnonzero(here & (self._boxes[:, 0] >= x1 - 1))
        return [int(right[np.argmin(self._boxes[right, 0])])] if len(right) else []

    def _same_row(self, index: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        _, y0, _, y1 = self.pieces[index].box
        middles = (self._boxes[:, 1] + self._boxes[:, 3]) / 2
        same = (middles >= y0) & (middles <= y1)
        same[index] = False
        return np.asarray(same)

    def _under(self, index: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        piece = self.pieces[index]
        bottom = piece.box[3]
        tops = self._boxes[:, 1]
        under = (tops >= bottom - 0.35 * piece.height) & (tops <= bottom + _NEAR * piece.height)
        under[index] = False
        return np.asarray(under)

    def _below(self, index: int) -> list[int]:
        """The pieces of the nearest row below that stand under this one."""
        x0, _, x1, _ = self.pieces[index].box
        overlapping = (self._boxes[:, 0] < x1) & (self._boxes[:, 2] > x0)
        return self._nearest_row(np.flatnonzero(self._under(index) & overlapping))

    def _next_row(self, index: int) -> list[int]:
        """The first piece of the nearest row below, for the last piece of its own row."""
        if self._right(index):
            return []
        row = self._nearest_row(np.flatnonzero(self._under(index)))
        return row[:1]

    def _next_column(self, index: int) -> list[int]:
        """Pieces at the top of a column to the right of and above this one."""
        _, y0, x1, _ = self.pieces[index].box
        candidates = np.flatnonzero((self._boxes[:, 0] >= x1 - 1) & (self._boxes[:, 1] < y0))
        return [i for i in candidates.tolist() if not self._above(i)]

    def _above(self, index: int) -> bool:
        piece = self.pieces[index]
        x0, y0, x1, _ = piece.box
        bottoms = self._boxes[:, 3]
        near = (bottoms <= y0 + 0.35 * piece.height) & (bottoms >= y0 - piece.height)
        return bool((near & (self._boxes[:, 0] < x1) & (self._boxes[:, 2] > x0)).any())

    def _nearest_row(self, candidates: np.ndarray[tuple[int], np.dtype[np.intp]]) -> list[int]:
        if not len(candidates):
            return []
        tops = self._boxes[candidates, 1]
        first = candidates[int(np.argmin(tops))]
        row = candidates[tops <= tops.min() + 0.5 * self.pieces[int(first)].height]
        return [int(i) for i in row[np.argsort(self._boxes[row, 0], kind="stable")]]


@lru_cache(maxsize=32)
def neighbours(page: Page) -> Neighbours:
    """The neighbours of a page's pieces, kept for the next quote."""
    return Neighbours(page)
