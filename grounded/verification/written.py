"""A page in the order in which its file writes it, which other PDF readers give as its text.

The page text is in reading order; people and programs also quote the file's own: a table column by column, headers
last, lines of two columns by turns. Both are true to the page, and both go through the same comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from grounded.text import MIRRORED
from grounded.types import CharSpan, Page
from grounded.verification.marks import cuts_end, cuts_start, part_of_word


class Body(NamedTuple):
    """A text made of a page's characters, and where each stands on the page; -1 for a line break put between."""

    text: str
    offsets: Sequence[int]


@lru_cache(maxsize=64)
def written(page: Page) -> Body | None:
    """The page as its file writes it, None when that is the order of the page text."""
    if not len(page.stream):
        return None
    stream: list[int] = page.stream.tolist()
    text = "".join(
        page.text[i] if i >= 0 else "\n" if i == -1 else page.text[-2 - i].translate(MIRRORED) for i in stream
    )
    return Body(text, [i if i >= -1 else -2 - i for i in stream])


def page_spans(page: Page, offsets: Iterable[int]) -> tuple[CharSpan, ...]:
    """The spans of characters in that order. Letters written from the right are put back in reading order."""
    kept = [i for i in offsets if i >= 0]
    if any(after == before - 1 for before, after in pairwise(kept)):
        kept.sort()
    spans: list[CharSpan] = []
    for i in kept:
        if spans and spans[-1][1] <= i and not page.text[spans[-1][1] : i].strip():
            spans[-1] = spans[-1][0], i + 1
        else:
            spans.append((i, i + 1))
    return tuple(spans)


def are_whole(page: Page, spans: Sequence[CharSpan], *, as_proof: bool) -> bool:
    """On the page, as in the file, the spans cut no number, and neither end of the quote cuts a word."""
    text, (first, last) = page.text, (spans[0][0], spans[-1][1])
    outer = set() if not as_proof and part_of_word(text, first, last) else {first, last}
    starts = [start for start, _ in spans if start in outer or _has_digit(text[start : start + 2])]
    ends = [end for _, end in spans if end in outer or _has_digit(text[end - 1])]
    return not (any(cuts_start(text, at) for at in starts) or any(cuts_end(text, at) for at in ends))


def reaches_a_number(page: Page, spans: Sequence[CharSpan]) -> bool:
    """Some step from span to span leaves its row for a number: read so, a table would get new rows."""
    return any(
        _has_digit(page.text[slice(*after)]) and not _same_row(page, before, after) for before, after in pairwise(spans)
    )


def _same_row(page: Page, before: CharSpan, after: CharSpan) -> bool:
    _, top, _, bottom = page.boxes[before[1] - 1].tolist()
    _, y0, _, y1 = page.boxes[after[0]].tolist()
    return bool(top <= (y0 + y1) / 2 <= bottom)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
