"""A page as a PNG, with annotations: their text is in the page text, so it must be in the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pymupdf

from grounded.documents import pdf
from grounded.errors import CorruptPdf, LimitExceeded
from grounded.types import Box

HIGHLIGHT = np.array((1.0, 0.86, 0.35))  # amber: black text on it stays readable, and in greyscale it is seen


def render(
    data: bytes,
    page: int,
    *,
    scale: float,
    boxes: Sequence[Box] = (),
    max_pixels: int,
    password: str | None = None,
    name: str = "",
) -> bytes:
    """PNG of the 1-based page at `scale` pixels per point, smaller when it would have more than `max_pixels`.

    `boxes` (points as displayed) are highlighted. `rendered_size` says what size comes out. Raises IndexError for a
    page the PDF has not, and what `open_pdf` raises.
    """
    with pdf.open_pdf(data, name, password) as opened:
        sheet = _sheet(opened, page)
        rect = sheet.rect
        scale = capped_scale(rect.width, rect.height, scale, max_pixels)
        try:
            pixmap = sheet.get_pixmap(
                matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False, annots=True
            )
            if boxes:
                pixmap = _highlight(pixmap, boxes, scale)
            png: bytes = pixmap.tobytes("png")
        except pdf.DAMAGE as error:
            raise CorruptPdf(f"page {page} cannot be drawn", where=name) from error
        return png


def page_size(data: bytes, page: int, *, password: str | None = None, name: str = "") -> tuple[float, float]:
    """Width and height of the 1-based page in points, as displayed."""
    with pdf.open_pdf(data, name, password) as opened:
        rect = _sheet(opened, page).rect
        return float(rect.width), float(rect.height)


def rendered_size(size: tuple[float, float], scale: float, max_pixels: int) -> tuple[int, int]:
    """Pixels (width, height) that `render` makes of a page of `size` points."""
    used = capped_scale(*size, scale, max_pixels)
    return max(1, round(size[0] * used)), max(1, round(size[1] * used))


def capped_scale(width: float, height: float, scale: float, max_pixels: int) -> float:
    """The largest scale up to `scale` at which a page of width x height points has at most `max_pixels`."""
    area = width * height
    if area <= 0 or scale <= 0:
        raise LimitExceeded("the page has no area, it cannot be drawn")
    limited: float = min(scale, (max_pixels / area) ** 0.5)
    return limited


def _sheet(opened: pymupdf.Document, page: int) -> pymupdf.Page:
    if not 1 <= page <= opened.page_count:
        raise IndexError(f"no page {page}")
    try:
        return opened[page - 1]
    except pdf.DAMAGE as error:
        raise CorruptPdf(f"page {page} is damaged") from error


def _highlight(pixmap: pymupdf.Pixmap, boxes: Sequence[Box], scale: float) -> pymupdf.Pixmap:
    """Multiply the pixels of the boxes by the highlight's colour, as a marker pen does: ink stays black."""
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()
    marked = np.zeros(pixels.shape[:2], bool)
    for x0, y0, x1, y1 in boxes:
        rows = slice(max(0, math.floor(y0 * scale)), max(0, math.ceil(y1 * scale)))
        marked[rows, max(0, math.floor(x0 * scale)) : max(0, math.ceil(x1 * scale))] = True
    pixels[marked] = (pixels[marked] * HIGHLIGHT).astype(np.uint8)
    return pymupdf.Pixmap(pymupdf.csRGB, pixmap.width, pixmap.height, pixels.tobytes(), False)
