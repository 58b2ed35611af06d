"""What PyMuPDF itself says stands on a page, and whether the boxes of a located quote cover just that.

Nothing of our own reading is used: glyphs and words come from `rawdict`, in its order or row by row. A glyph drawn
twice at nearly the same place is one glyph: no box can cover one of the two alone.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pymupdf

from grounded.types import Box, LocateMatch

Words = Sequence[range]  # of offsets into the text
Middles = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

FEWEST, MOST = 5, 20  # words of a quote
_NEAR = 0.3  # font sizes between two copies of a glyph
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")


class Glyphs(NamedTuple):
    """A page's characters as PyMuPDF gives them, line ends as newlines."""

    text: str
    middles: Middles  # (len(text), 2) points as displayed; NaN for whitespace
    blocks: list[Words]  # the words of its text blocks
    same: list[int]  # for each character the first one drawn at its place

    def visible(self, offsets: Iterable[int]) -> set[int]:
        """Those of the characters that have ink, each copy as the first one."""
        return {self.same[i] for i in offsets if not np.isnan(self.middles[i, 0])}


def glyphs(page: pymupdf.Page) -> Glyphs:
    """The characters of a page in PyMuPDF's order."""
    chars: list[str] = []
    middles: list[tuple[float, float]] = []
    sizes: list[float] = []
    blocks: list[Words] = []
    frame = _as_displayed(page)
    for block in page.get_text("rawdict", flags=pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES)["blocks"]:
        start = len(chars)
        for line in block["lines"]:
            for span in line["spans"]:
                for char in span["chars"]:
                    middle = pymupdf.Rect(char["bbox"]).tl + pymupdf.Rect(char["bbox"]).br
                    middle = middle / 2 * frame
                    chars.append(char["c"])
                    middles.append((middle.x, middle.y) if _has_ink(char["c"]) else (np.nan, np.nan))
                    sizes.append(span["size"])
            chars.append("\n")
            middles.append((np.nan, np.nan))
            sizes.append(0.0)
        text = "".join(chars[start:])
        blocks.append([range(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text)])
    return Glyphs("".join(chars), np.array(middles).reshape(-1, 2), blocks, _firsts(chars, middles, sizes))


def _has_ink(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) != "Cf"


def _as_displayed(page: pymupdf.Page) -> pymupdf.Matrix:
    """PyMuPDF's rotation matrix does not know UserUnit: the page's rectangle does."""
    turn = pymupdf.Matrix(page.rotation_matrix)
    turn.e = page.rect.width if turn.e else 0.0
    turn.f = page.rect.height if turn.f else 0.0
    return turn


def _firsts(chars: Sequence[str], middles: Sequence[tuple[float, float]], sizes: Sequence[float]) -> list[int]:
    """For each glyph the nearest earlier equal one within _NEAR font sizes; neighbours in a line ("ll") are two."""
    known: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    firsts: list[int] = []
    for i, (char, (x, y)) in enumerate(zip(chars, middles, strict=True)):
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
    words = [word for block in source.blocks for word in block]
    middles = [np.nanmean(source.middles[word.start : word.stop], axis=0) for word in words if source.visible(word)]
    kept = [word for word in words if source.visible(word)]
    order = sorted(range(len(kept)), key=lambda k: (round(float(middles[k][1]) / 3), float(middles[k][0])))
    return [kept[k] for k in order]


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


def covered(middles: Middles, boxes: Iterable[Box]) -> set[int]:
    """Which characters have their middle in one of the boxes."""
    inside = np.zeros(len(middles), bool)
    for x0, y0, x1, y1 in boxes:
        inside |= (middles[:, 0] >= x0) & (middles[:, 0] <= x1) & (middles[:, 1] >= y0) & (middles[:, 1] <= y1)
    return set(np.flatnonzero(inside).tolist())


def exact(matches: Iterable[LocateMatch], source: Glyphs, words: Words) -> bool:
    """The boxes of one of the matches cover all glyphs of the words, and no other."""
    wanted = source.visible(i for word in words for i in word)
    return any(source.visible(covered(source.middles, match.boxes)) == wanted for match in matches)
