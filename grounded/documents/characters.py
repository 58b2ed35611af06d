"""One pass of PyMuPDF's `rawdict` over a page -> fragments of text with a box per character, as displayed.

Everything per character is flat (one string, one array): per-character Python work is what makes extraction slow.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pymupdf
from numpy.typing import NDArray

from grounded.documents.layout import Rule
from grounded.documents.pdf import displayed
from grounded.types import Box

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.intp]
Direction = tuple[float, float]
# Directions whose boxes can be trimmed: level text, upside down, upwards, downwards.
_WAYS: dict[Direction, int] = {(1.0, 0.0): 0, (-1.0, 0.0): 1, (0.0, -1.0): 2, (0.0, 1.0): 3}

FLAGS: int = (
    pymupdf.TEXT_PRESERVE_LIGATURES
    | pymupdf.TEXT_PRESERVE_WHITESPACE
    | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    | pymupdf.TEXT_COLLECT_VECTORS
    | pymupdf.TEXT_IGNORE_ACTUALTEXT
    | pymupdf.TEXT_CLIP
)
# How far ink usually reaches above and below the baseline, in font sizes. Fonts' own boxes are often higher and touch
# the next line; above 1.2 sizes they are PyMuPDF's guess for a font that is not in the file, and are cut closer.
RISE, DROP = 0.88, 0.22
_HAIR = 0.1  # points
_GUESSED, _GUESSED_RISE = 1.2, 0.78
# A gap this wide (in font sizes) ends a fragment: the next word is another cell or column.
WIDE_GAP = 1.3
# Two copies of a line this near (font sizes) are one line drawn bold or with a shadow: lines are farther apart.
_SHADOW = 0.3
# Latin ligatures, and the shapes of Arabic letters, many of them ligatures too.
_LIGATURE = re.compile("[ﬀ-ﬆ\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdfb\ufe76-\ufefc]")
_LAST_LATIN_LIGATURE = "ﬆ"
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_CONTROL_BLANK = re.compile("[\t-\r\x85]")
_RARE_BLANK = re.compile("[\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]")
NOTE_MARK = re.compile(r"[-−–+]?[0-9]+[0-9, ]*")
_MORE_MARKS = re.compile(r"[-−–0-9, ]+")
SMALL = 0.85  # of the size beside it: a raised digit of that size is a mark
SUPERSCRIPTS = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_BOLD_FONT = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
# Bits of a rawdict span's `flags` and `char_flags` (MuPDF's FZ_STEXT_FILLED, _STROKED, _UNICODE_IS_CID).
_SUPERSCRIPT, _ITALIC, _BOLD = 1, 2, 16
_INKED, _UNMAPPED = 16 | 32, 128
_OPAQUE = 255
_LOOK = itemgetter("font", "size", "flags", "color", "alpha", "char_flags")
_CHARS, _CHAR, _BBOX = itemgetter("chars"), itemgetter("c"), itemgetter("bbox")


class Style(NamedTuple):
    """How one span of characters is set."""

    size: float
    font: str
    bold: bool
    italic: bool
    colour: int
    alpha: int
    inked: bool  # filled or stroked; false in the invisible render mode
    unmapped: bool  # the font has no Unicode for these glyphs
    raised: bool  # PyMuPDF takes it for superscript


class Piece(NamedTuple):
    """A half-open range of characters in one style."""

    start: int
    end: int
    style: Style


class Fragment(NamedTuple):
    """A stretch of one line, without a wide gap inside and without whitespace around it."""

    start: int
    end: int
    box: Box
    angle: int  # direction of writing as displayed, degrees clockwise: 0, 90, 180, 270
    pieces: tuple[Piece, ...]
    order: int  # of its block in the content stream, comparable with Rule.order

    @property
    def size(self) -> float:
        """Font size of its longest piece, points."""
        if len(self.pieces) == 1:
            return self.pieces[0].style.size
        return max(self.pieces, key=lambda piece: piece.end - piece.start).style.size


class Copy(NamedTuple):
    """What was drawn a second time at nearly the same place (bold or shadowed so): only the last of them is kept."""

    at: int  # the copy stood in front of the character with this index
    start: int  # the characters that are kept
    end: int


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of a page in the order of the content stream. All offsets are into `text`."""

    text: str
    boxes: Floats  # (len(text), 4), points as displayed
    fragments: tuple[Fragment, ...]
    rules: tuple[Rule, ...]
    stream: str  # the text as PyMuPDF gave it, before ligatures were spelled out and so on
    unprintable: int  # how many were control codes, lone surrogates, …; they are U+FFFD now
    copies: tuple[Copy, ...] = ()


def read_characters(page: pymupdf.Page, flags: int = FLAGS, clip: pymupdf.Rect | None = None) -> Characters:
    """Extract a page once. Raises whatever PyMuPDF raises on a damaged page. clip: instead of the page's rectangle."""
    blocks = page.get_text("rawdict", flags=flags, clip=clip)["blocks"]
    matrix = None if page.rotation == 0 else displayed(page)
    lines = [(line, block["number"]) for block in blocks if "lines" in block for line in block["lines"]]
    looks = _Looks()
    spans, counts, text_lines = _text_lines(lines, looks)
    chars = list(chain.from_iterable(map(_CHARS, spans)))
    stream = "".join(map(_CHAR, chars))
    if len(stream) != len(chars):
        stream = "".join([c["c"][:1] or "\ufffd" for c in chars])
    boxes = _trimmed_boxes(chars, stream, looks, counts)
    text = stream
    if not text.isascii() and _LIGATURE.search(text):
        text, boxes, text_lines = _spell_out(text, boxes, text_lines)
    if looks.raised:
        text = _raise_marks(text, text_lines)
    text, unprintable = _UNPRINTABLE.subn("\ufffd", _CONTROL_BLANK.sub(" ", text))
    boxes = _displayed(boxes, matrix)
    copies: tuple[Copy, ...] = ()
    if pairs := list(_drawn_twice(text, boxes, text_lines)):
        text, boxes, text_lines, copies = _without_copies(text, boxes, text_lines, pairs)
    fragments = tuple(_fragments(text, boxes, text_lines, page.rotation))
    return Characters(text, boxes, fragments, _rules(blocks, matrix), stream, unprintable, copies)


class _Look(NamedTuple):
    """A style and the way it is written, with the first character so written: most others are as high."""

    style: Style
    direction: Direction
    vertical: bool
    char: dict[str, Any]


class _TextLine(NamedTuple):
    """One of PyMuPDF's lines: a half-open range of characters."""

    start: int
    end: int
    direction: Direction  # cosine, sine, unrotated
    pieces: tuple[Piece, ...]
    order: int


class _Looks:
    """The looks of a page's spans: there are few, and working one out costs more than looking it up."""

    def __init__(self) -> None:
        self.found: list[_Look] = []
        self.used: list[int] = []  # which of them each span has
        self.raised = False  # some span is set as superscript
        self._known: dict[tuple[Any, Direction], int] = {}
        self._styles: dict[Style, Style] = {}

    def of(self, span: dict[str, Any], line: dict[str, Any]) -> Style:
        """The style of the next span."""
        key = _LOOK(span), line["dir"]
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.found)
            style = _style(span)
            style = self._styles.setdefault(style, style)
            self.found.append(_Look(style, line["dir"], bool(line["wmode"]), span["chars"][0]))
            self.raised |= style.raised
        self.used.append(number)
        return self.found[number].style


def _text_lines(
    lines: list[tuple[dict[str, Any], int]], looks: _Looks
) -> tuple[list[dict[str, Any]], list[int], list[_TextLine]]:
    """All spans with characters, how many each has, and the lines over them."""
    used: list[dict[str, Any]] = []
    counts: list[int] = []
    found: list[_TextLine] = []
    end = 0
    for line, order in lines:
        start = end
        styles: list[tuple[int, Style]] = []
        for span in line["spans"]:
            if count := len(span["chars"]):
                styles.append((end, looks.of(span, line)))
                used.append(span)
                counts.append(count)
                end += count
        if end > start:
            found.append(_TextLine(start, end, line["dir"], _pieces(styles, end), order))
    return used, counts, found


def _pieces(styles: list[tuple[int, Style]], end: int) -> tuple[Piece, ...]:
    """Neighbouring spans set alike are one piece: PyMuPDF starts a span at every blank it made up."""
    if len(styles) == 1:
        return (Piece(styles[0][0], end, styles[0][1]),)
    starts = [styles[0], *(new for old, new in pairwise(styles) if new[1] is not old[1])]
    stops = [start for start, _ in starts[1:]] + [end]
    return tuple(Piece(start, stop, style) for (start, style), stop in zip(starts, stops, strict=True))


def _trimmed_boxes(chars: list[dict[str, Any]], text: str, looks: _Looks, counts: list[int]) -> Floats:
    """The box of every character, trimmed to about the ink; boxes without area get one from the font size. What a
    look's first character needs fits those of the same height; others (large signs, blanks that PyMuPDF made up) are
    trimmed by themselves."""
    flat = np.frombuffer(struct.pack(f"{4 * len(chars)}d", *chain.from_iterable(map(_BBOX, chars)))).astype(np.float32)
    flat = flat.reshape(-1, 4)
    firsts = [look.char for look in looks.found]
    first_boxes = np.array(list(map(_BBOX, firsts))).reshape(-1, 4)
    every = np.arange(len(firsts))
    of = np.repeat(np.array(looks.used, np.intp), counts)
    boxes: Floats = flat + _trims(first_boxes, firsts, looks.found, every)[of]
    axis = np.array([1 if look.direction[1] == 0.0 else 0 for look in looks.found], np.intp)
    heights = (first_boxes[every, axis + 2] - first_boxes[every, axis]).astype(np.float32)
    upright = axis[of] == 1
    sides = np.where(upright, flat[:, 3] - flat[:, 1], flat[:, 2] - flat[:, 0])
    odd = np.flatnonzero(np.abs(sides - heights[of]) > _HAIR)
    if len(odd):
        boxes[odd] = flat[odd] + _trims(flat[odd].astype(np.float64), [chars[i] for i in odd], looks.found, of[odd])
    empty = np.flatnonzero((boxes[:, 2] <= boxes[:, 0]) | (boxes[:, 3] <= boxes[:, 1]))
    if len(empty):
        sizes = np.array([look.style.size for look in looks.found], np.float32)[of]
        _fill_out(boxes, [i for i in empty.tolist() if not text[i].isspace()], sizes)
    return boxes


def _fill_out(boxes: Floats, indices: list[int], sizes: Floats) -> None:
    """Give characters without an area half a font size of width and most of one of height, in place."""
    for i in indices:
        x0, y0, x1, y1 = boxes[i]
        if x1 <= x0:
            x0, x1 = min(x0, x1), max(x0, x1) + sizes[i] / 2
        if y1 <= y0:
            y0, y1 = min(y0, y1) - RISE * sizes[i], max(y0, y1) + DROP * sizes[i]
        boxes[i] = x0, y0, x1, y1


def _style(span: dict[str, Any]) -> Style:
    font, flags, marks = span["font"], span["flags"], span["char_flags"]
    bold = bool(flags & _BOLD) or bool(_BOLD_FONT.search(font))
    return Style(
        size=span["size"],
        font=font,
        bold=bold,
        italic=bool(flags & _ITALIC),
        colour=span["color"] & 0xFFFFFF,
        alpha=span["alpha"],
        inked=bool(marks & _INKED),
        unmapped=bool(marks & _UNMAPPED),
        raised=bool(flags & _SUPERSCRIPT),
    )


def _raise_marks(text: str, lines: list[_TextLine]) -> str:
    """Write small raised digits right behind a letter or number (footnote marks, exponents) as superscript digits, so
    that "1,234" with note 1 is never read as "1,2341"."""
    parts: list[str] = []
    done = 0
    for line in lines:
        goes_on = False
        for before, piece in pairwise(line.pieces):
            mark = text[piece.start : piece.end]
            small = piece.style.raised and piece.style.size < SMALL * before.style.size
            begins = small and not text[piece.start - 1].isspace() and NOTE_MARK.fullmatch(mark)
            goes_on = bool(begins or (goes_on and piece.style.raised and _MORE_MARKS.fullmatch(mark)))
            if goes_on:
                parts += text[done : piece.start], mark.translate(SUPERSCRIPTS)
                done = piece.end
    return "".join([*parts, text[done:]])


def _spell_out(text: str, boxes: Floats, lines: list[_TextLine]) -> tuple[str, Floats, list[_TextLine]]:
    """Write ligatures as letters; each letter gets its share of the glyph's box, from the side it is read from."""
    repeats = np.ones(len(text), np.intp)
    for match in _LIGATURE.finditer(text):
        repeats[match.start()] = len(_letters(match[0]))
    moved = np.concatenate([[0], np.cumsum(repeats)])
    spread = np.repeat(boxes, repeats, axis=0)
    for match in _LIGATURE.finditer(text):
        first, count = int(moved[match.start()]), int(repeats[match.start()])
        edges = np.linspace(boxes[match.start(), 0], boxes[match.start(), 2], count + 1)
        rows = slice(first, first + count)
        from_right = match[0] > _LAST_LATIN_LIGATURE
        spread[rows, 0] = edges[:-1][::-1] if from_right else edges[:-1]
        spread[rows, 2] = edges[1:][::-1] if from_right else edges[1:]
    return _LIGATURE.sub(lambda match: _letters(match[0]), text), spread, [_shifted(line, moved) for line in lines]


def _letters(ligature: str) -> str:
    return unicodedata.normalize("NFKC", ligature)


def _shifted(line: _TextLine, moved: Ints) -> _TextLine:
    """The same line with offsets into the longer text."""
    pieces = tuple(Piece(int(moved[p.start]), int(moved[p.end]), p.style) for p in line.pieces)
    return line._replace(start=pieces[0].start, end=pieces[-1].end, pieces=pieces)


def _drawn_twice(text: str, boxes: Floats, lines: list[_TextLine]) -> Iterator[tuple[_TextLine, _TextLine]]:
    """Lines of the same text at nearly the same place, each with the last such line."""
    groups: dict[str, list[_TextLine]] = defaultdict(list)
    for line in lines:
        groups[text[line.start : line.end]].append(line)
    for string, same in groups.items():
        if len(same) > 1 and not string.isspace():
            seen = [line for line in same if _is_seen(line)]
            yield from ((seen[copy], seen[kept]) for copy, kept in _copies(boxes, seen))


def _is_seen(line: _TextLine) -> bool:
    return all(piece.style.inked and piece.style.alpha for piece in line.pieces)


def _copies(boxes: Floats, lines: list[_TextLine]) -> Iterator[tuple[int, int]]:
    """Which of the lines begins and ends nearer than _SHADOW font sizes to which last one behind it."""
    ends = boxes[np.array([[line.start, line.end - 1] for line in lines], np.intp).reshape(-1, 2)].reshape(-1, 8)
    reach = _SHADOW * np.array([line.pieces[0].style.size for line in lines])
    for i in range(len(lines) - 1):
        near = np.flatnonzero(np.abs(ends[i + 1 :] - ends[i]).max(axis=1) <= reach[i])
        if len(near):
            yield i, i + 1 + int(near[-1])


def _without_copies(
    text: str, boxes: Floats, lines: list[_TextLine], pairs: Sequence[tuple[_TextLine, _TextLine]]
) -> tuple[str, Floats, list[_TextLine], tuple[Copy, ...]]:
    """All of it without the first of each pair, and what that was."""
    keep = np.ones(len(text), bool)
    for copy, _ in pairs:
        keep[copy.start : copy.end] = False
    moved = np.concatenate([[0], np.cumsum(keep)])
    gone = {copy.start for copy, _ in pairs}
    copies = sorted(Copy(*(int(moved[i]) for i in (copy.start, kept.start, kept.end))) for copy, kept in pairs)
    shorter = "".join(compress(text, keep.tolist()))
    return shorter, boxes[keep], [_shifted(line, moved) for line in lines if line.start not in gone], tuple(copies)


def _trims(boxes: Doubles, chars: Sequence[dict[str, Any]], looks: Sequence[_Look], of: Ints) -> Floats:
    """What to add to the boxes (n, 4) of characters so that they are no higher than RISE + DROP font sizes: nothing
    where the text is neither level nor upright. of: which of the looks each has."""
    trims = np.zeros((len(chars), 4), np.float32)
    origins = np.array([char["origin"] for char in chars]).reshape(-1, 2)
    sizes = np.array([look.style.size for look in looks])[of]
    ways = np.array([-1 if look.vertical else _WAYS.get(look.direction, -1) for look in looks], np.intp)[of]
    for way in set(ways.tolist()) - {-1}:
        rows = np.flatnonzero(ways == way)
        low, high = (1, 3) if way < 2 else (0, 2)  # the sides of the box that lie along the line
        before, after = origins[rows, low % 2] - boxes[rows, low], boxes[rows, high] - origins[rows, low % 2]
        if way % 2:
            under, over = _excess(after, before, sizes[rows])[::-1]
            trims[rows, low], trims[rows, high] = under, -over
        else:
            over, under = _excess(before, after, sizes[rows])
            trims[rows, low], trims[rows, high] = over, -under
    return trims


def _excess(rise: Doubles, drop: Doubles, size: Doubles) -> tuple[Doubles, Doubles]:
    height = rise + drop
    allowed = np.where(height > _GUESSED * size, _GUESSED_RISE, RISE) * size
    middle = (rise - drop) / 2  # stays inside: a box may be told by its middle
    over = np.maximum(0.0, rise - np.maximum(allowed, middle + _HAIR))
    under = np.maximum(0.0, drop - np.maximum(DROP * size, _HAIR - middle))
    fits = (height <= (RISE + DROP) * size) | (rise < 0) | (drop < 0)
    return np.where(fits, 0.0, over), np.where(fits, 0.0, under)


def _displayed(boxes: Floats, matrix: pymupdf.Matrix | None) -> Floats:
    """Boxes in the frame of the page as displayed (PyMuPDF answers in unrotated space)."""
    return boxes if matrix is None or not len(boxes) else transformed(boxes, matrix)


def transformed(boxes: Floats, matrix: pymupdf.Matrix) -> Floats:
    """The bounding boxes of boxes (n, 4) after a transformation."""
    x, y = boxes[:, 0::2], boxes[:, 1::2]
    across, down = matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f
    edges = across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1)
    return np.stack(edges, axis=1).astype(np.float32)


def _rules(blocks: list[dict[str, Any]], matrix: pymupdf.Matrix | None) -> tuple[Rule, ...]:
    vectors = [b for b in blocks if b["type"] == pymupdf.mupdf.FZ_STEXT_BLOCK_VECTOR]
    if not vectors:
        return ()
    boxes = _displayed(np.array([b["bbox"] for b in vectors], np.float32), matrix).tolist()
    return tuple(
        Rule((x0, y0, x1, y1), b["stroked"], b["isrect"], b["color"] & 0xFFFFFF, b["number"], _is_opaque(b))
        for (x0, y0, x1, y1), b in zip(boxes, vectors, strict=True)
        if b["alpha"]
    )


def _is_opaque(block: dict[str, Any]) -> bool:
    return bool(block["isrect"] and not block["stroked"] and block["alpha"] == _OPAQUE)


def _fragments(text: str, boxes: Floats, lines: list[_TextLine], rotation: int) -> Iterator[Fragment]:
    """Split every line at wide gaps; drop the whitespace around."""
    inked = np.flatnonzero(~_blank(text))
    if not len(inked):
        return
    counts = [line.end - line.start for line in lines]
    line_of = np.repeat(np.arange(len(lines)), counts)[inked]
    widths = np.array([WIDE_GAP * max(p.style.size for p in line.pieces) for line in lines], np.float32)
    starts = np.concatenate([[0], 1 + np.flatnonzero(_breaks(boxes, inked, line_of, widths))])
    firsts, lasts = inked[starts], inked[np.append(starts[1:], len(inked)) - 1] + 1
    low, high = np.minimum.reduceat(boxes[inked, :2], starts), np.maximum.reduceat(boxes[inked, 2:], starts)
    angles: dict[Direction, int] = {}
    rows = zip(firsts.tolist(), lasts.tolist(), line_of[starts].tolist(), low.tolist(), high.tolist(), strict=True)
    for start, end, number, first, last in rows:
        line = lines[number]
        angle = angles.get(line.direction)
        if angle is None:
            angle = angles[line.direction] = _angle(line.direction, rotation)
        yield Fragment(start, end, (*first, *last), angle, _cut(line.pieces, start, end), line.order)


def _blank(text: str) -> NDArray[np.bool_]:
    """Which characters are whitespace, zero-width ones included."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    blank: NDArray[np.bool_] = (codes <= 0x20) | (codes == 0xA0)
    if not text.isascii() and _RARE_BLANK.search(text):
        blank |= np.array([_RARE_BLANK.match(char) is not None for char in text], bool)
    return blank


def _breaks(boxes: Floats, inked: Ints, line_of: Ints, widths: Floats) -> NDArray[np.bool_]:
    """Between which neighbouring inked characters a fragment ends: a new line, three blanks, or a wide gap."""
    before, after = boxes[inked[:-1]], boxes[inked[1:]]
    skipped = np.diff(inked)
    apart = np.maximum(after[:, :2] - before[:, 2:], before[:, :2] - after[:, 2:]).max(axis=1)
    broken: NDArray[np.bool_] = (np.diff(line_of) > 0) | (skipped > 3)
    broken |= (skipped > 1) & (apart > widths[line_of[1:]])
    return broken


def _angle(direction: Direction, rotation: int) -> int:
    """Direction of writing as displayed, to the nearest quarter turn, degrees clockwise."""
    x, y = direction
    quarter = (0 if x > 0 else 2) if abs(x) >= abs(y) else (1 if y > 0 else 3)
    return (quarter * 90 + rotation) % 360


def _cut(pieces: tuple[Piece, ...], start: int, end: int) -> tuple[Piece, ...]:
    if len(pieces) == 1:
        return (Piece(start, end, pieces[0].style),)
    return tuple(
        Piece(max(p.start, start), min(p.end, end), p.style) for p in pieces if p.start < end and p.end > start
    )
