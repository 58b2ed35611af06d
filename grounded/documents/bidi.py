"""Right-to-left lines: from the order glyphs stand on the page to the order they are read in.

PDF writers put such lines down in either order, so the stored order is ignored: characters are sorted by position and
then read from the right, numbers and left-to-right words excepted (the inverse of the Unicode bidirectional algorithm
for one line, without embeddings).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from grounded.text import MIRRORED

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\U00010800-\U00010fff\U0001e800-\U0001efff]")
_NUMBER_JOINTS = frozenset(".,:/٫٬")
_NUMBER_ENDS = frozenset("%$€£¥₪‰")


def has_rtl(text: str) -> bool:
    """Any right-to-left letter in it?"""
    return _RTL.search(text) is not None


def is_rtl(text: str) -> bool:
    """More right-to-left letters than others?"""
    rtl = len(_RTL.findall(text))
    return rtl > 0 and 2 * rtl >= sum(char.isalpha() for char in text)


def logical_order(text: str, middles: Sequence[float], *, rtl: bool) -> tuple[list[int], str]:
    """Indices of `text` in reading order, and the text so ordered, brackets mirrored where the page mirrors them.

    middles: position of each character along the line, growing to the right. rtl: the line as a whole reads from the
    right; otherwise only its right-to-left stretches do.
    """
    clusters = _clusters(text, middles)
    kinds = [_kind(text[cluster[0]]) for cluster in clusters]
    order = _from_right(clusters, kinds) if rtl else _stretches(clusters, kinds)
    indices = [index for cluster in order for index in cluster]
    return indices, _unmirror("".join(text[i] for i in indices))


def _clusters(text: str, middles: Sequence[float]) -> list[list[int]]:
    """Base characters from left to right, each with the marks that stand on it."""
    marks = [i for i, char in enumerate(text) if unicodedata.category(char) == "Mn"]
    bases = sorted(set(range(len(text))) - set(marks), key=lambda i: (middles[i], i))
    if not bases:
        return [[i] for i in range(len(text))]
    clusters = {base: [base] for base in bases}
    for mark in marks:
        clusters[min(bases, key=lambda base: abs(middles[base] - middles[mark]))].append(mark)
    return [clusters[base] for base in bases]


def _kind(char: str) -> str:
    """R right-to-left, L left-to-right, N number, J joins numbers, E ends them, blank otherwise."""
    kind = unicodedata.bidirectional(char)
    if kind in {"R", "AL"}:
        return "R"
    if kind in {"L", "EN", "AN"}:
        return "L" if kind == "L" else "N"
    return "J" if char in _NUMBER_JOINTS else "E" if char in _NUMBER_ENDS else " "


def _from_right(clusters: list[list[int]], kinds: list[str]) -> list[list[int]]:
    pattern = "".join(kinds)
    order: list[list[int]] = []
    end = len(clusters)
    for match in reversed(list(re.finditer(r"E*[LN](?:[LNJE ]*[LN])?E*|.", pattern))):
        run = clusters[match.start() : match.end()]
        order.extend(_words(run, match.group()))
        end = match.start()
    return order if end == 0 else clusters


def _words(run: list[list[int]], kinds: str) -> list[list[int]]:
    """A left-to-right stretch keeps its order, but numbers apart from each other are still read from the right."""
    if "L" in kinds or " " not in kinds:
        return run
    parts = [run[m.start() : m.end()] for m in re.finditer(r"[^ ]+| ", kinds)]
    return [cluster for part in reversed(parts) for cluster in part]


def _stretches(clusters: list[list[int]], kinds: list[str]) -> list[list[int]]:
    order: list[list[int]] = []
    last = 0
    for match in re.finditer(r"R(?:[^L]*R)?", "".join(kinds)):
        order.extend(clusters[last : match.start()])
        order.extend(_from_right(clusters[match.start() : match.end()], kinds[match.start() : match.end()]))
        last = match.end()
    return order + clusters[last:]


def _unmirror(text: str) -> str:
    """Swap brackets when they would close before they open."""
    opening = min((text.find(c) for c in "([{" if c in text), default=-1)
    closing = min((text.find(c) for c in ")]}" if c in text), default=-1)
    return text.translate(MIRRORED) if 0 <= closing < opening else text
