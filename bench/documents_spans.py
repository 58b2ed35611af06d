"""What PyMuPDF itself says stands on a page, and whether the boxes of a located quote cover just that.

Nothing of our own reading is used: glyphs and words come from `rawdict`, in its order or row by row. Left out is what
nobody sees: it has no ink, or the rendered page shows none where it should be. A glyph drawn twice at nearly the same
place is one glyph: no box can cover one of the two alone.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from grounded.types import Box, LocateMatch

Words = Sequence[range]  # of offsets into the text
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

FEWEST, MOST = 5, 20  # words of a quote
_NEAR = 0.3  # font sizes between two copies of a glyph
_COVERED = 0.25  # of a glyph's area: what lies less in the boxes is a stamp behind them
_INKED = 16 | 32  # of a span's char_flags: filled or stroked
_SHOWS = 40  # of 255: between the darkest and the lightest pixel
_OTHER = 0.1  # of the pixels of a text have another colour than it
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")


class Glyphs(NamedTuple):
    """A page's visible characters as PyMuPDF gives them, hidden ones as blanks, line ends as newlines."""

    text: str
    boxes: Floats  # (len(text), 4) points as displayed; NaN for whitespace
    blocks: list[Words]  # the words of its text blocks
    same: list[int]  # for each character the first one drawn at its place

    @property
    def middles(self) -> Floats:
        """(len(text), 2)"""
        return (self.boxes[:, :2] + self.boxes[:, 2:]) / 2

    def visible(self, offsets: Iterable[int]) -> set[int]:
        """Those of the characters that have ink, each copy as the first one."""
        return {self.same[i] for i in offsets if not np.isnan(self.boxes[i, 0])}


def glyphs(page: pymupdf.Page) -> Glyphs:
    """The characters of a page in PyMuPDF's order."""
    chars: list[str] = []
    boxes: list[Box] = []
    sizes: list[float] = []
    blocks: list[Words] = []
    frame, shows = _as_displayed(page), _Rendered(page).shows
    nowhere = (np.nan,) * 4
    for block in page.get_text("rawdict", flags=pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES)["blocks"]:
        start = len(chars)
        for line in block["lines"]:
            for span in line["spans"]:
                seen = not _is_unseen(span) and shows(pymupdf.Rect(span["bbox"]) * frame, span["color"])
                for char in span["chars"]:
                    inked = seen and _has_ink(char["c"])
                    chars.append(char["c"] if seen else " ")
                    boxes.append(tuple(pymupdf.Rect(char["bbox"]) * frame) if inked else nowhere)
                    sizes.append(span["size"])
            chars.append("\n")
            boxes.append(nowhere)
            sizes.append(0.0)
        text = "".join(chars[start:])
        blocks.append([range(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text)])
    found = Glyphs("".join(chars), np.array(boxes).reshape(-1, 4), blocks, [])
    return found._replace(same=_firsts(found.text, found.middles.tolist(), sizes))


def _is_unseen(span: dict[str, Any]) -> bool:
    """Transparent, or neither filled nor stroked; of glyphs that are drawings PyMuPDF does not know that."""
    return not span["alpha"] or not (span["char_flags"] & _INKED or span["font"].startswith("Type3"))


def _has_ink(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) != "Cf"


def _as_displayed(page: pymupdf.Page) -> pymupdf.Matrix:
    """PyMuPDF's rotation matrix does not know UserUnit: the page's rectangle does."""
    turn = pymupdf.Matrix(page.rotation_matrix)
    turn.e = page.rect.width if turn.e else 0.0
    turn.f = page.rect.height if turn.f else 0.0
    return turn


class _Rendered:
    """The page's pixels."""

    def __init__(self, page: pymupdf.Page) -> None:
        self._scale = min(2.0, (4e6 / max(1.0, page.rect.width * page.rect.height)) ** 0.5)
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(self._scale, self._scale), colorspace=pymupdf.csRGB, alpha=False)
        self._pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)

    def shows(self, rect: pymupdf.Rect, colour: int) -> bool:
        """Something is to be seen in a rectangle, and not all of it has the text's colour. True off the page."""
        x0, y0, x1, y1 = (round(value * self._scale) for value in rect)
        part = self._pixels[max(0, y0) : max(0, y1 + 1), max(0, x0) : max(0, x1 + 1)].reshape(-1, 3).astype(int)
        around = self._pixels[max(0, y0 - 2) : max(0, y1 + 3), max(0, x0 - 2) : max(0, x1 + 3)].reshape(-1, 3)
        other = np.abs(part - (colour >> 16 & 255, colour >> 8 & 255, colour & 255)).max(axis=1, initial=0) > _SHOWS
        return not len(part) or (int(np.ptp(around.astype(int), axis=0).max()) > _SHOWS and other.mean() > _OTHER)


def _firsts(text: str, middles: Sequence[Sequence[float]], sizes: Sequence[float]) -> list[int]:
    """For each glyph the first equal one within _NEAR font sizes; neighbours in a line ("ll") are two."""
    known: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    firsts: list[int] = []
    for i, (char, (x, y)) in enumerate(zip(text, middles, strict=True)):
        first = i
        if not np.isnan(x):
            column, row = int(x // 8), int(y // 8)
            near = (j for c in (-1, 0, 1) for r in (-1, 0, 1) for j in known[char, column + c, row + r])
            apart = {j: max(abs(middles[j][0] - x), abs(middles[j][1] - y)) for j in near if j + 4 < i}
            first = min((j for j in apart if apart[j] < _NEAR * sizes[i]), key=apart.__getitem__, default=i)
            if first == i:
                known[char, column, row].append(i)
        firsts.append(first)
    return firsts


def row_by_row(source: Glyphs) -> Words:
    """All words of a page from top to bottom and from left to right, as `get_text(sort=True)` has them."""
    words = [word for block in source.blocks for word in block if source.visible(word)]
    middles = [np.nanmean(source.middles[word.start : word.stop], axis=0).tolist() for word in words]
    order = sorted(range(len(words)), key=lambda k: (round(middles[k][1] / 3), middles[k][0]))
    return [words[k] for k in order]


def random_quotes(pools: Sequence[Words], rng: random.Random, count: int) -> Iterator[Words]:
    """Runs of 5 to 20 consecutive words out of one of the pools, each pool as likely as it is long."""
    usable = [pool for pool in pools if len(pool) >= FEWEST]
    for _ in range(count if usable else 0):
        (pool,) = rng.choices(usable, [len(pool) for pool in usable])
        size = min(rng.randint(FEWEST, MOST), len(pool))
        first = rng.randrange(len(pool) - size + 1)
        yield pool[first : first + size]


def as_written(source: Glyphs, words: Words) -> str:
    """The words with a blank between, or a newline where PyMuPDF has another line."""
    parts = [source.text[words[0].start : words[0].stop]]
    for before, word in pairwise(words):
        together = before.stop <= word.start and "\n" not in source.text[before.stop : word.start]
        parts += [" " if together else "\n", source.text[word.start : word.stop]]
    return "".join(parts)


def as_a_model_writes(text: str) -> str:
    """Ligatures spelled out, hyphens at line ends joined, quotes straight, single blanks."""
    text = re.sub(r"(?<=[a-z])[-\u00ad]\n(?=[a-z])", "", text)
    text = re.sub(r"(?<!\d)\u00ad|\u00ad(?!\d)", "", text)
    text = "".join(unicodedata.normalize("NFKC", c) if "\ufb00" <= c <= "\ufb06" else c for c in text)
    return " ".join(text.translate(_STRAIGHT).split())


def covered(source: Glyphs, boxes: Iterable[Box]) -> set[int]:
    """Which characters have their middle, and enough of their area, in the boxes."""
    inside = np.zeros(len(source.boxes), bool)
    share = np.zeros(len(source.boxes))
    (left, top, right, bottom), middles = source.boxes.T, source.middles
    for x0, y0, x1, y1 in boxes:
        inside |= ((middles >= (x0, y0)) & (middles <= (x1, y1))).all(axis=1)
        share += np.clip(np.minimum(right, x1) - np.maximum(left, x0), 0, None) * np.clip(
            np.minimum(bottom, y1) - np.maximum(top, y0), 0, None
        )
    enough = share >= _COVERED * (right - left) * (bottom - top)
    return source.visible(np.flatnonzero(inside & enough).tolist())


def exact(matches: Iterable[LocateMatch], source: Glyphs, words: Words) -> bool:
    """The boxes of one of the matches cover all glyphs of the words, and no other."""
    wanted = source.visible(i for word in words for i in word)
    return any(covered(source, match.boxes) == wanted for match in matches)
