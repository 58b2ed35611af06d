"""Text that is in the file and not to be seen: found, taken out of the page text, and reported.

Such text is a way to talk to a language model behind the reader's back. Detectors, each with its evidence:
  invisible ink       neither filled nor stroked, or fully transparent
  too small to read   lower than MIN_HEIGHT points
  same colour         the text's colour is the rendered background's
  covered             a later area, broad stroke or opaque image lies on it, and the rendering shows nothing of it
  unseen              where pictures, gradients, masks or blending may swallow text: the rendering shows nothing of it
  clipped, off page   PyMuPDF gives it without clipping, and not with it
  ActualText          says something else than the glyphs
  layer off           appears only when all layers are switched on
Invisible text over a scanned page, each line of it on ink of the picture, is what OCR software writes: it is kept and
the page marked as OCR.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import pymupdf
from numpy.typing import NDArray

from grounded.documents.characters import FLAGS, Characters, Floats, Fragment, Piece, read_characters
from grounded.documents.layout import Rule
from grounded.documents.pdf import DAMAGE, displayed
from grounded.text import fold
from grounded.types import Box, HiddenText

Result = TypeVar("Result")
Colour = tuple[int, int, int]  # red, green, blue, of 255

MIN_HEIGHT = 2.0  # points
NEAR_COLOUR = 24  # of 255: colours nearer than this in every channel cannot be told apart
SHOWING = 40  # of 255: what differs less on a filled area is not to be seen
_OTHER_SHARE = 0.1  # of the pixels: a box with fewer of another colour than its text shows nothing
INK_CONTRAST = 60  # of 255: a scanned word has at least this between its darkest and lightest pixel
_RENDER_SCALE, _RENDER_PIXELS = 1.25, 3_000_000  # pixels per point, and at most so many
_MOST_FILLS = 2000  # on a page: drawings and maps have more, and little text under them
_MARGIN = 3.0  # points around what is rendered
_BAR = 4
_PAPER: Colour = (255, 255, 255)
_FAINT = 64  # of 255: text less opaque than this is looked up in the rendered page
_CLIP, _GLYPHS = pymupdf.TEXT_CLIP, pymupdf.TEXT_IGNORE_ACTUALTEXT
_TEXT_FLAGS = FLAGS & ~pymupdf.TEXT_COLLECT_VECTORS

INVISIBLE, SMALL = "invisible ink", "too small to read"
SAME_COLOUR, COVERED = "same colour as the background", "covered by a picture or filled area"
UNSEEN = "nothing of it shows on the page"
OFF_PAGE, CLIPPED = "outside the visible page", "clipped away"
ACTUAL_TEXT, LAYER_OFF = "ActualText that differs from what is printed", "on a layer that is switched off"


class Image(NamedTuple):
    """A picture on the page."""

    box: Box
    order: int  # in the sequence of drawing operations, comparable with Drawn.order
    opaque: bool


class Drawing(NamedTuple):
    """What the page's drawing operations show besides text."""

    images: tuple[Image, ...]
    texts: tuple[tuple[Box, int], ...]  # box and order of every text operation
    paths: int


class Findings(NamedTuple):
    """The visible part of a page's fragments, and what was taken out."""

    fragments: tuple[Fragment, ...]
    hidden: tuple[HiddenText, ...] = ()
    warnings: tuple[str, ...] = ()
    is_ocr_layer: bool = False


class _Unit(NamedTuple):
    """One piece of a fragment: what is judged."""

    fragment: int
    piece: Piece
    box: Box
    order: int


def separate(
    sheet: pymupdf.Page,
    characters: Characters,
    drawing: Drawing,
    *,
    all_layers: pymupdf.Page | None = None,
    blends: bool = False,
) -> Findings:
    """Tell visible text from hidden text. `all_layers`: the same page with every layer switched on, when some are off.
    `blends`: the file has gradients, masks or blending, which only the rendering judges.

    A detector that fails is a warning, never a pass in silence.
    """
    canvas, guard = _Canvas(sheet), _Guard()
    fills = _Fills(characters.rules)
    characters = _cut_at_edges(characters, fills, drawing)
    units = list(_units(characters))
    reasons: dict[int, str] = {}
    for found in (
        guard.run("ink and size", lambda: _by_style(units, characters, canvas)),
        guard.run("background colour", lambda: _by_colour(units, fills, canvas)),
        guard.run("covering areas", lambda: _by_cover(units, fills, drawing, canvas, blends=blends)),
        guard.run("what shows", lambda: _by_rendering(units, characters, drawing, canvas, everywhere=blends)),
    ):
        reasons = (found or {}) | reasons
    layer = guard.run("OCR layer", lambda: _ocr_layer(units, reasons, drawing, canvas)) or set()
    reasons = {index: reason for index, reason in reasons.items() if index not in layer}
    absent = guard.run("clipping and ActualText", lambda: list(_absent(sheet, characters))) or []
    if all_layers is not None:
        absent += guard.run("layers", lambda: list(_on_layers(all_layers, characters))) or []
    hidden = [*_reported(sheet.number + 1, units, reasons, characters), *absent]
    kept = _kept(characters, units, reasons) if reasons else characters.fragments
    return Findings(tuple(kept), tuple(hidden), tuple(guard.warnings), bool(layer))


class _Guard:
    """Runs detectors; one that fails on a damaged page leaves a warning."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def run(self, name: str, detector: Callable[[], Result]) -> Result | None:
        try:
            return detector()
        except DAMAGE as error:
            self.warnings.append(f"hidden text: the detector of {name} failed ({type(error).__name__})")
            return None


class _Fills:
    """Filled areas large enough to lie behind or over text, in drawing order."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        broad = [rule for rule in rules if _is_broad(rule.box)]
        areas = _last_drawn_of(r for r in broad if not r.stroked or _is_bar(r.box))
        self._boxes = np.array([rule.box for rule in areas], np.float32).reshape(-1, 4)
        self._orders = np.array([rule.order for rule in areas], np.int64)
        self._filled = np.array([not rule.stroked for rule in areas], bool)
        self._opaque = np.array([rule.opaque for rule in areas], bool)
        self._colours = [_rgb(rule.colour) for rule in areas]
        self._palette = {_PAPER, *(_rgb(rule.colour) for rule in areas if not rule.stroked)}
        # many strips in the colour of the background cover as well as one area
        strips = _last_drawn_of(
            r for r in rules if not r.stroked and r.opaque and not _is_broad(r.box) and self.may_swallow(_rgb(r.colour))
        )
        self._strips = np.array([rule.box for rule in strips], np.float32).reshape(-1, 4)
        self._strip_orders = np.array([rule.order for rule in strips], np.int64)

    def may_swallow(self, colour: Colour) -> bool:
        """Some area, or the paper, has nearly this colour."""
        return any(_near(colour, other, 2 * NEAR_COLOUR) for other in self._palette)

    def behind(self, box: Box, order: int) -> Colour:
        """Colour of the last area drawn before `order` under the middle of the box; white paper when there is none."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if not self._filled.any():
            return _PAPER
        low, high = self._boxes[:, :2], self._boxes[:, 2:]
        under = ((low <= (x, y)) & (high >= (x, y))).all(axis=1) & (self._orders < order) & self._filled
        at = np.flatnonzero(under)
        return self._colours[int(at[-1])] if len(at) else _PAPER

    def touch(self, fragments: Sequence[Fragment]) -> NDArray[np.bool_]:
        """For each fragment: an area drawn later lies over part of it."""
        orders = np.array([fragment.order for fragment in fragments], np.int64)
        if not len(orders) or not len(self._orders) or self._orders[-1] <= orders.min():
            return np.zeros(len(orders), bool)
        boxes = np.array([fragment.box for fragment in fragments], np.float32)
        later = self._orders[None, :] > orders[:, None]
        later &= (self._boxes[None, :, :2] < boxes[:, None, 2:]).all(axis=2)
        later &= (self._boxes[None, :, 2:] > boxes[:, None, :2]).all(axis=2)
        return np.asarray(later.any(axis=1))

    def last_over(self, box: Box, order: int) -> int:
        """Order of the last opaque area over the whole box of what was drawn at `order`; -1 when there is none."""
        low, high = self._boxes[:, :2] <= (box[0] + 1, box[1] + 1), self._boxes[:, 2:] >= (box[2] - 1, box[3] - 1)
        over = self._opaque & (self._orders > order) & low.all(axis=1) & high.all(axis=1)
        return int(self._orders[over].max(initial=-1))

    def over(self, boxes: Floats, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each box (n, 4), drawn at its order: an area drawn later lies over its middle."""
        return _lie_over(self._boxes, self._orders, boxes, orders)

    def strip_over(self, boxes: Floats, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The same for strips too thin to cover text alone."""
        return _lie_over(self._strips, self._strip_orders, boxes, orders)


def _lie_over(areas: Floats, drawn: NDArray[np.int64], boxes: Floats, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each box, drawn at its order, whether some area drawn later holds its middle. `drawn`: ascending."""
    if not len(drawn) or not len(orders) or drawn[-1] <= orders.min():
        return np.zeros(len(orders), bool)
    middles = (boxes[:, None, :2] + boxes[:, None, 2:]) / 2
    later = drawn[None, :] > orders[:, None]
    later &= (areas[None, :, :2] <= middles).all(axis=2) & (areas[None, :, 2:] >= middles).all(axis=2)
    return np.asarray(later.any(axis=1))


def _last_drawn_of(rules: Iterable[Rule]) -> list[Rule]:
    return sorted(rules, key=lambda rule: rule.order)[-_MOST_FILLS:]


def _is_broad(box: Box) -> bool:
    """Not one of the lines that are drawn as areas."""
    return min(box[2] - box[0], box[3] - box[1]) >= 2 * MIN_HEIGHT


def _is_bar(box: Box) -> bool:
    """A stroked box may be a broad line, and is hardly a frame around text, when it is so much longer than wide."""
    sides = sorted((box[2] - box[0], box[3] - box[1]))
    return sides[1] >= _BAR * sides[0]


def _cut_at_edges(characters: Characters, fills: _Fills, drawing: Drawing) -> Characters:
    """Pieces cut where a later area begins or ends to cover their characters: what is blacked out is often but one
    word of a line."""
    fragments = list(characters.fragments)
    pictures = [image.box for image in drawing.images if image.opaque]
    touched = fills.touch(fragments)
    for image in pictures:
        touched |= np.array([_overlap(image, fragment.box) for fragment in fragments], bool)
    for index in np.flatnonzero(touched).tolist():
        fragments[index] = _cut(characters, fragments[index], fills, pictures)
    return replace(characters, fragments=tuple(fragments)) if touched.any() else characters


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _cut(characters: Characters, fragment: Fragment, fills: _Fills, pictures: Sequence[Box]) -> Fragment:
    boxes = characters.boxes[fragment.start : fragment.end]
    covered = fills.over(boxes, np.full(len(boxes), fragment.order, np.int64))
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    for x0, y0, x1, y1 in pictures:
        covered |= ((middles >= (x0, y0)) & (middles <= (x1, y1))).all(axis=1)
    inked = [i for i, char in enumerate(characters.text[fragment.start : fragment.end]) if not char.isspace()]
    edges = [fragment.start + b for a, b in pairwise(inked) if covered[a] != covered[b]]
    if not edges:
        return fragment
    pieces = []
    for piece in fragment.pieces:
        at = [piece.start, *(edge for edge in edges if piece.start < edge < piece.end), piece.end]
        pieces += [piece._replace(start=start, end=end) for start, end in pairwise(at)]
    return fragment._replace(pieces=tuple(pieces))


def _units(characters: Characters) -> Iterator[_Unit]:
    for index, fragment in enumerate(characters.fragments):
        for piece in fragment.pieces:
            if len(fragment.pieces) == 1:
                yield _Unit(index, piece, fragment.box, fragment.order)
            elif characters.text[piece.start : piece.end].strip():
                yield _Unit(index, piece, _union(characters.boxes[piece.start : piece.end]), fragment.order)


def _union(boxes: Floats) -> Box:
    x0, y0 = boxes[:, :2].min(axis=0).tolist()
    x1, y1 = boxes[:, 2:].max(axis=0).tolist()
    return x0, y0, x1, y1


# ---------------------------------------------------------------- detectors


def _by_style(units: Sequence[_Unit], characters: Characters, canvas: _Canvas) -> dict[int, str]:
    """Ink and size. PyMuPDF knows no ink for glyphs that are drawings (Type 3 fonts): the rendering decides."""
    found: dict[int, str] = {}
    for index, unit in enumerate(units):
        style, (x0, y0, x1, y1) = unit.piece.style, unit.box
        needed = SHOWING if style.alpha == 0 else NEAR_COLOUR + 1
        may_show = style.alpha > 0 or style.font.startswith("Type3")
        if style.alpha < _FAINT and not (may_show and canvas.contrast(unit.box) >= needed):
            found[index] = INVISIBLE
        elif style.size < MIN_HEIGHT and min(x1 - x0, y1 - y0) < MIN_HEIGHT and _has_letters(characters, unit.piece):
            found[index] = SMALL
    return found


def _by_colour(units: Sequence[_Unit], fills: _Fills, canvas: _Canvas) -> dict[int, str]:
    """Text that may have the colour of what lies behind it is looked up in the rendered page."""
    colours = {unit.piece.style.colour for unit in units}
    near = {colour: _rgb(colour) for colour in colours if fills.may_swallow(_rgb(colour))}
    suspects = [
        (index, unit.box, colour, behind)
        for index, unit in enumerate(units)
        if (colour := near.get(unit.piece.style.colour))
        and _near(colour, behind := fills.behind(unit.box, unit.order), 2 * NEAR_COLOUR)
    ]
    canvas.draw([box for _, box, _, _ in suspects])
    others = [unit.box for unit in units if unit.piece.style.colour not in near] if suspects else []

    def shows(box: Box, colour: Colour, behind: Colour) -> bool:
        """Where the two cannot be told apart, other text on it is what is seen there."""
        same = _near(colour, behind, NEAR_COLOUR)
        over = [other for other in others if same and _overlap(_inner(other), _inner(box))]
        part = _rest(box, over) if over else box
        return part is not None and canvas.stands_out(part, colour)

    return {index: SAME_COLOUR for index, box, colour, behind in suspects if not shows(box, colour, behind)}


def _by_cover(
    units: Sequence[_Unit], fills: _Fills, drawing: Drawing, canvas: _Canvas, *, blends: bool
) -> dict[int, str]:
    """Text drawn before an opaque area that lies over it. What shows there may be the text that replaced it."""

    def replaced(unit: _Unit) -> bool:
        at = fills.last_over(unit.box, unit.order)
        over = [u.box for u in units if at < u.order and _overlap(_inner(u.box), _inner(unit.box))] if at >= 0 else []
        if not over:
            return False
        rest = _rest(unit.box, over)
        return not blends if rest is None else canvas.contrast(rest) < SHOWING

    covers = [(image.box, image.order) for image in drawing.images if image.opaque]
    boxes = np.array([unit.box for unit in units], np.float32).reshape(-1, 4)
    orders = np.array([unit.order for unit in units], np.int64)
    filled = (fills.over(boxes, orders) | fills.strip_over(boxes, orders)).tolist()
    canvas.draw([unit.box for index, unit in enumerate(units) if filled[index]])
    found: dict[int, str] = {}
    for index, unit in enumerate(units):
        unseen = filled[index] and (canvas.contrast(_core(unit.box)) < SHOWING or replaced(unit))
        if unseen or any(_contains(box, unit.box) and _last_drawn(drawing, unit.box) < at for box, at in covers):
            found[index] = COVERED
    return found


def _by_rendering(
    units: Sequence[_Unit], characters: Characters, drawing: Drawing, canvas: _Canvas, *, everywhere: bool
) -> dict[int, str]:
    """Words of which the rendered page shows nothing: everywhere, or where there are pictures."""
    boxes = [image.box for image in drawing.images]
    suspects = [
        (index, unit.box)
        for index, unit in enumerate(units)
        if (everywhere or any(_contains(box, unit.box, slack=3) for box in boxes))
        and _has_letters(characters, unit.piece)
    ]
    canvas.draw([box for _, box in suspects])
    return {index: UNSEEN for index, box in suspects if canvas.contrast(box) <= NEAR_COLOUR}


def _rest(box: Box, over: Sequence[Box]) -> Box | None:
    """The longer stretch of a line on the left or right of all that stands over it; None when hardly any is left."""
    left, right = (box[0], min(b[0] for b in over)), (max(b[2] for b in over), box[2])
    x0, x1 = max(left, right, key=_length)
    return (x0, box[1], x1, box[3]) if x1 - x0 >= 2 * (box[3] - box[1]) else None


def _has_letters(characters: Characters, piece: Piece) -> bool:
    return any(map(str.isalnum, characters.text[piece.start : piece.end]))


def _core(box: Box) -> Box:
    """The box without its ends: an area that covers the middle of the first letter may leave some of it uncovered."""
    x0, y0, x1, y1 = box
    end = min(0.3 * min(x1 - x0, y1 - y0), 0.25 * max(x1 - x0, y1 - y0))
    return (x0 + end, y0, x1 - end, y1) if x1 - x0 >= y1 - y0 else (x0, y0 + end, x1, y1 - end)


def _length(stretch: tuple[float, float]) -> float:
    return stretch[1] - stretch[0]


def _inner(box: Box) -> Box:
    """Where letters have their body and neighbouring lines have none."""
    inset = 0.3 * min(box[2] - box[0], box[3] - box[1])
    return box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset


def _last_drawn(drawing: Drawing, box: Box) -> float:
    """Order of the last text operation that may have drawn what is in `box`; infinite when none fits."""
    return max((at for where, at in drawing.texts if _contains(where, box, slack=3)), default=float("inf"))


def _ocr_layer(units: Sequence[_Unit], reasons: dict[int, str], drawing: Drawing, canvas: _Canvas) -> set[int]:
    """Unseen text that lies, line by line, on ink of a picture which fills much of the page."""
    scans = [image.box for image in drawing.images if area(image.box) >= 0.3 * canvas.area]
    unseen = [i for i, reason in reasons.items() if reason in {INVISIBLE, COVERED, UNSEEN}]
    if not scans or not unseen:
        return set()
    on_scan = {i for i in unseen if any(_contains(scan, units[i].box, slack=6) for scan in scans)}
    inked = {i for i in on_scan if canvas.contrast(units[i].box) >= INK_CONTRAST}
    return inked if len(inked) >= 0.6 * len(unseen) else set()


def _absent(sheet: pymupdf.Page, characters: Characters) -> Iterator[HiddenText]:
    """What PyMuPDF gives only without clipping, or with ActualText. Cheap passes tell whether to look closer."""
    known = characters.stream
    everywhere = pymupdf.INFINITE_RECT()
    all_of_it = sheet.get_text("text", flags=_TEXT_FLAGS & ~_CLIP & ~_GLYPHS, clip=everywhere)
    if "".join(all_of_it.split()) == "".join(known.split()) or _letters(all_of_it) == (letters := _letters(known)):
        return
    if _letters(sheet.get_text("text", flags=_TEXT_FLAGS & ~_CLIP, clip=everywhere)) != letters:
        yield from _clipped(sheet, characters)
    if _letters(sheet.get_text("text", flags=_TEXT_FLAGS & ~_GLYPHS)) != letters:
        spoken = read_characters(sheet, FLAGS & ~_GLYPHS)
        for fragment in _new(spoken, characters):
            if not _says_the_same(spoken, fragment, characters):
                yield _report(sheet, spoken, fragment, ACTUAL_TEXT)


def _clipped(sheet: pymupdf.Page, characters: Characters) -> Iterator[HiddenText]:
    width, height = sheet.rect.width, sheet.rect.height
    unclipped = read_characters(sheet, FLAGS & ~_CLIP, clip=pymupdf.INFINITE_RECT())
    for fragment in _new(unclipped, characters):
        x, y = (fragment.box[0] + fragment.box[2]) / 2, (fragment.box[1] + fragment.box[3]) / 2
        inside = 0 <= x <= width and 0 <= y <= height
        yield _report(sheet, unclipped, fragment, CLIPPED if inside else OFF_PAGE)


def _on_layers(all_layers: pymupdf.Page, characters: Characters) -> Iterator[HiddenText]:
    """What appears only with every layer switched on."""
    everything = read_characters(all_layers)
    for fragment in _new(everything, characters):
        yield _report(all_layers, everything, fragment, LAYER_OFF)


def _new(more: Characters, known: Characters) -> Iterator[Fragment]:
    """Fragments of `more` that `known` has not, told by text and place."""
    there = Counter(_identity(known, fragment) for fragment in known.fragments)
    for fragment in more.fragments:
        identity = _identity(more, fragment)
        if there[identity]:
            there[identity] -= 1
        else:
            yield fragment


def _identity(characters: Characters, fragment: Fragment) -> tuple[str, int, int]:
    text = characters.text[fragment.start : fragment.end]
    return text, round(fragment.box[0]), round(fragment.box[1])


def _says_the_same(spoken: Characters, fragment: Fragment, printed: Characters) -> bool:
    """The glyphs printed at its place have the same key: only ligatures, hyphens or blanks are written otherwise."""
    x0, y0, x1, y1 = fragment.box
    middles = (printed.boxes[:, :2] + printed.boxes[:, 2:]) / 2
    inside = (middles[:, 0] >= x0) & (middles[:, 0] <= x1) & (middles[:, 1] >= y0) & (middles[:, 1] <= y1)
    there = "".join(printed.text[i] for i in np.flatnonzero(inside).tolist())
    return _letters(spoken.text[fragment.start : fragment.end]) in _letters(there)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, fold(text).key))


# ---------------------------------------------------------------- rendered page


class _Canvas:
    """The page as rendered: only what a detector asks for, mostly a line or two of a page."""

    def __init__(self, sheet: pymupdf.Page) -> None:
        self._sheet = sheet
        self._page: Box = (0.0, 0.0, float(sheet.rect.width), float(sheet.rect.height))
        self.area = area(self._page)
        self._scale = min(_RENDER_SCALE, (_RENDER_PIXELS / max(self.area, 1.0)) ** 0.5)
        self._drawn: Box | None = None
        self._origin = (0, 0)
        self._pixels: NDArray[np.uint8] = np.zeros((0, 0, 3), np.uint8)

    def draw(self, boxes: Sequence[Box]) -> None:
        """Render the part of the page that the boxes stand in, before they are looked at one by one."""
        needed = [_within(box, self._page) for box in boxes]
        if not needed or (self._drawn and all(_contains(self._drawn, box, slack=0) for box in needed)):
            return
        x0, y0, x1, y1 = _union(np.array([*needed, *([self._drawn] if self._drawn else [])], np.float32))
        drawn = _within((x0 - _MARGIN, y0 - _MARGIN, x1 + _MARGIN, y1 + _MARGIN), self._page)
        self._drawn = self._page if area(drawn) > self.area / 2 else drawn
        matrix = pymupdf.Matrix(self._scale, self._scale)
        pixmap = self._sheet.get_pixmap(
            matrix=matrix, colorspace=pymupdf.csRGB, alpha=False, annots=True, clip=self._drawn
        )
        self._origin = pixmap.x, pixmap.y
        self._pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3)

    def _part(self, box: Box) -> NDArray[np.int16]:
        """Pixels (n, 3) of the middle band of a box, where letters have their body and neighbours have none."""
        self.draw([box])
        x0, y0, x1, y1 = (value * self._scale for value in box)
        inset = 0.2 * min(x1 - x0, y1 - y0)
        left, top = self._origin
        rows = slice(max(0, int(y0 + inset) - top), max(0, int(y1 - inset) + 1 - top))
        columns = slice(max(0, int(x0) - left), max(0, int(x1) + 1 - left))
        return self._pixels[rows, columns].reshape(-1, 3).astype(np.int16)

    def stands_out(self, box: Box, colour: Colour) -> bool:
        """Part of the box has another colour than the text. True when nothing is rendered there."""
        pixels = self._part(box)
        other = np.abs(pixels - np.array(colour, np.int16)).max(axis=1, initial=0) > NEAR_COLOUR
        return not len(pixels) or int(other.sum()) >= _OTHER_SHARE * len(pixels)

    def contrast(self, box: Box) -> int:
        """Between the darkest and the lightest pixel of the box, of 255."""
        pixels = self._part(box)
        return int(np.ptp(pixels, axis=0).max()) if len(pixels) else 0


def _rgb(colour: int) -> Colour:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def _near(first: Sequence[float], second: Sequence[float], distance: int) -> bool:
    return all(abs(a - b) <= distance for a, b in zip(first, second, strict=True))


def area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _within(box: Box, page: Box) -> Box:
    """The part of a box that lies on the page; a line or point at its edge when none does."""
    x0, y0 = min(max(box[0], page[0]), page[2]), min(max(box[1], page[1]), page[3])
    return x0, y0, max(x0, min(box[2], page[2])), max(y0, min(box[3], page[3]))


def _contains(outer: Box, inner: Box, slack: float = 1.0) -> bool:
    return (
        outer[0] - slack <= inner[0]
        and outer[1] - slack <= inner[1]
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def read_drawing(sheet: pymupdf.Page, annotations: Sequence[Box] = ()) -> Drawing:
    """The page's pictures and text operations in drawing order, as displayed. A picture inside an annotation is not
    among the page's own, and may let show through what is below it."""
    log = sheet.get_bboxlog()
    matrix = displayed(sheet)
    masked = any(entry[1] for entry in sheet.get_images(full=True))
    images: list[Image] = []
    texts: list[tuple[Box, int]] = []
    paths = 0
    for order, (kind, bounds) in enumerate(log):
        rect = pymupdf.Rect(bounds) * matrix
        box = (rect.x0, rect.y0, rect.x1, rect.y1)
        if kind in {"fill-image", "fill-imgmask"}:
            clear = masked or kind != "fill-image" or any(_contains(around, box) for around in annotations)
            images.append(Image(box, order, opaque=not clear))
        elif kind.endswith("-text"):
            texts.append((box, order))
        elif kind.endswith(("-path", "-shade")):
            paths += 1
    return Drawing(tuple(images), tuple(texts), paths)


# ---------------------------------------------------------------- results


def _reported(
    number: int, units: Sequence[_Unit], reasons: dict[int, str], characters: Characters
) -> Iterator[HiddenText]:
    """Neighbouring pieces of one block hidden for one reason are one entry."""
    for (reason, _), group in groupby(
        sorted(reasons), key=lambda i: (reasons[i], characters.fragments[units[i].fragment].order)
    ):
        members = [units[i] for i in group]
        text = " ".join(characters.text[u.piece.start : u.piece.end].strip() for u in members)
        box = _union(np.array([u.box for u in members], np.float32))
        yield HiddenText(page=number, text=text, reason=reason, box=box)


def _report(sheet: pymupdf.Page, characters: Characters, fragment: Fragment, reason: str) -> HiddenText:
    text = characters.text[fragment.start : fragment.end]
    return HiddenText(page=sheet.number + 1, text=text, reason=reason, box=fragment.box)


def _kept(characters: Characters, units: Sequence[_Unit], reasons: dict[int, str]) -> Iterator[Fragment]:
    """Fragments without their hidden pieces."""
    gone: dict[int, set[Piece]] = {}
    for index in reasons:
        gone.setdefault(units[index].fragment, set()).add(units[index].piece)
    for index, fragment in enumerate(characters.fragments):
        if index not in gone:
            yield fragment
            continue
        for hidden, group in groupby(fragment.pieces, key=lambda piece: piece in gone[index]):
            if not hidden and (part := _trimmed(characters, fragment, list(group))) is not None:
                yield part


def _trimmed(characters: Characters, fragment: Fragment, pieces: Sequence[Piece]) -> Fragment | None:
    """The part of a fragment made of these pieces, without blanks around; None when only blanks are left."""
    start, end = pieces[0].start, pieces[-1].end
    text = characters.text[start:end]
    start += len(text) - len(text.lstrip())
    end -= len(text) - len(text.rstrip())
    if start >= end:
        return None
    inside = tuple(
        piece._replace(start=max(piece.start, start), end=min(piece.end, end))
        for piece in pieces
        if piece.start < end and piece.end > start
    )
    return fragment._replace(start=start, end=end, box=_union(characters.boxes[start:end]), pieces=inside)
