"""Fragments in reading order -> the page's text, its boxes, and the lines that other modules build on.

Fragments of one visual row are joined by a blank, or by a tab across a wide gap; rows end with a newline; a blank line
stands between blocks. Separators have boxes without area at the end of the character before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.documents import bidi, order
from grounded.documents.characters import NOTE_MARK, SMALL, SUPERSCRIPTS, WIDE_GAP, Characters, Floats, Fragment
from grounded.documents.layout import Line, Run
from grounded.types import Box

# Below this gap (font sizes) two fragments of a row belong to one word.
_NO_GAP = 0.12
# A small number whose lower edge is this much (of its own size) above that of the word before it is a note's mark.
_RAISED = 0.25


_PERSONAL = re.compile(
    r"^(?P<label>by|name|title|its|attn|attention|tel|telephone|phone|fax|facsimile|e-?mail)\b\s?[:.]|[^\s@]@[^\s@]+\.\w",
    re.IGNORECASE,
)


class Assembled(NamedTuple):
    """Text of a page in reading order."""

    text: str
    boxes: Floats
    lines: tuple[Line, ...]
    stream: NDArray[np.int32]  # as in types.Page


NOTHING = Assembled("", np.zeros((0, 4), np.float32), (), np.zeros(0, np.int32))


class _Placed(NamedTuple):
    fragment: Fragment
    raised: bool  # beside the fragment before it
    before: str  # separator that comes before it
    row: int
    block: int
    region: int


def assemble(characters: Characters, fragments: Sequence[Fragment]) -> Assembled:
    """Put `fragments` (of `characters`) in reading order and write them out."""
    writer = _Writer(characters)
    for placed in _in_order(characters.text, fragments):
        writer.add(placed)
    return writer.finish()


def _in_order(text: str, fragments: Sequence[Fragment]) -> Iterator[_Placed]:
    """Each direction of writing in turn, the most used one first."""
    usage = Counter[int]()
    for fragment in fragments:
        usage[fragment.angle] += fragment.end - fragment.start
    rtl = bidi.has_rtl(text) and bidi.is_rtl(text)
    rows, blocks, regions = count(), count(), count()
    before = ""
    for angle, _ in usage.most_common():
        turned = [f for f in fragments if f.angle == angle]
        items = [_item(i, f, text, rtl=rtl) for i, f in enumerate(turned)]
        for region in order.regions(items):
            number = next(regions)
            for group in order.blocks(region):
                block = next(blocks)
                for row in group:
                    yield from _row(row, turned, before, (next(rows), block, number))
                    before = "\n"
                before = "\n\n"


def _row(row: order.Row, fragments: list[Fragment], before: str, place: tuple[int, int, int]) -> Iterator[_Placed]:
    previous: order.Item | None = None
    for item in row:
        raised = False
        if previous is not None:
            before = _separator((item.u0 - previous.u1) / max(previous.size, 0.1))
            raised = before == "" and item.size < SMALL * previous.size and item.v1 < previous.v1 - _RAISED * item.size
        yield _Placed(fragments[item.number], raised, before, *place)
        previous = item


def _separator(gap: float) -> str:
    if gap > WIDE_GAP:
        return "\t"
    return "" if abs(gap) < _NO_GAP else " "


def _item(index: int, fragment: Fragment, text: str, *, rtl: bool) -> order.Item:
    u0, v0, u1, v1 = frame(fragment.box, fragment.angle)
    if rtl:
        u0, u1 = -u1, -u0
    string = text[fragment.start : fragment.end]
    letters = sum(map(str.isalpha, string)) + string.count(" ")
    return order.Item(index, u0, v0, u1, v1, fragment.size, len(string), letters, _kind(string))


def _kind(text: str) -> str:
    match = _PERSONAL.search(text)
    return (match["label"] or "email").lower() if match else ""


def frame(box: Box, angle: int) -> Box:
    """A displayed box in the writing frame of text turned by `angle` degrees clockwise."""
    x0, y0, x1, y1 = box
    if angle == 90:
        return y0, -x1, y1, -x0
    if angle == 180:
        return -x1, -y1, -x0, -y0
    if angle == 270:
        return -y1, x0, -y0, x1
    return box


class _Writer:
    """The growing page: text parts, source indices (-1 for separators), lines."""

    def __init__(self, characters: Characters) -> None:
        self._source = characters
        self._has_rtl = bidi.has_rtl(characters.text)
        self._parts: list[str] = []
        self._firsts: list[int] = []  # for each part the index of its first character, -1 for separators
        self._reordered: list[tuple[int, NDArray[np.intp]]] = []  # where, and the indices of a right-to-left part
        self._lines: list[Line] = []
        self._starts: list[int] = []
        self._mirrored: list[int] = []
        self._length = 0

    def add(self, placed: _Placed) -> None:
        """Write the separator and the fragment."""
        fragment = placed.fragment
        self._write(placed.before, -1)
        start = self._length
        self._starts.append(fragment.start)
        text = self._source.text[fragment.start : fragment.end]
        if self._has_rtl and bidi.has_rtl(text):
            text = self._read(fragment, text)
        if placed.raised and NOTE_MARK.fullmatch(text):
            text = text.translate(SUPERSCRIPTS)
        self._write(text, fragment.start)
        shift = start - fragment.start
        runs = tuple(
            Run(
                p.start + shift, p.end + shift, p.style.size, p.style.bold, p.style.italic, p.style.font, p.style.colour
            )
            for p in fragment.pieces
        )
        self._lines.append(
            Line(start, self._length, fragment.box, runs, placed.row, placed.block, placed.region, fragment.angle)
        )

    def _read(self, fragment: Fragment, text: str) -> str:
        """The text of a fragment with right-to-left letters as it is read."""
        boxes = self._source.boxes[fragment.start : fragment.end].tolist()
        framed = [frame((x0, y0, x1, y1), fragment.angle) for x0, y0, x1, y1 in boxes]
        ordered, read = bidi.logical_order(text, [(u0 + u1) / 2 for u0, _, u1, _ in framed], rtl=bidi.is_rtl(text))
        self._mirrored += [self._length + at for at, i in enumerate(ordered) if text[i] != read[at]]
        self._reordered.append((self._length, fragment.start + np.array(ordered, np.intp)))
        return read

    def _write(self, text: str, first: int) -> None:
        if text:
            self._parts.append(text)
            self._firsts.append(first)
            self._length += len(text)

    def finish(self) -> Assembled:
        """The page so far, with a newline at the end."""
        if not self._parts:
            return NOTHING
        self._write("\n", -1)
        source = self._indices()
        boxes = _take(self._source.boxes, source)
        return Assembled("".join(self._parts), boxes, tuple(self._lines), self._stream(source))

    def _indices(self) -> NDArray[np.intp]:
        """For each character its index in the source, -1 for separators."""
        counts = np.array(list(map(len, self._parts)), np.intp)
        firsts = np.array(self._firsts, np.intp)
        source: NDArray[np.intp] = np.arange(self._length) + np.repeat(firsts - (np.cumsum(counts) - counts), counts)
        source[np.repeat(firsts < 0, counts)] = -1
        for at, indices in self._reordered:
            source[at : at + len(indices)] = indices
        return source

    def _stream(self, source: NDArray[np.intp]) -> NDArray[np.int32]:
        """Offsets of the characters in the order of the content stream, as in types.Page. source: their indices there,
        -1 for separators."""
        written = np.flatnonzero(source >= 0)
        if (np.diff(source[written]) > 0).all() and not self._source.copies:
            return NOTHING.stream
        order = written[np.argsort(source[written], kind="stable")]
        indices = source[order]
        starts = np.zeros(len(self._source.text), bool)
        starts[self._starts] = True
        first = starts[indices]
        first[0] = False
        if self._mirrored:
            order = np.where(np.isin(order, self._mirrored), -2 - order, order)
        at, put = np.flatnonzero(first).tolist(), [-1] * int(first.sum())
        for copy in self._source.copies:
            again = order[np.searchsorted(indices, copy.start) : np.searchsorted(indices, copy.end)].tolist()
            at += [int(np.searchsorted(indices, copy.at))] * (len(again) + 2)
            put += [-1, *again, -1]
        return np.insert(order, at, put).astype(np.int32)


def _take(boxes: Floats, source: NDArray[np.intp]) -> Floats:
    """Boxes of the characters; a separator sits at the lower right corner of the character before it."""
    separators = source < 0
    last = np.maximum.accumulate(np.where(separators, -1, np.arange(len(source))))
    taken: Floats = boxes[source[last]]
    taken[separators, :2] = taken[separators, 2:]
    return taken
