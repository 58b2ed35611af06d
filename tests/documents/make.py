"""Small PDFs made by script, each with one property."""

from __future__ import annotations

from collections.abc import Callable

import pymupdf

from grounded.documents import read
from grounded.settings import DocumentSettings
from grounded.types import Document

NO_OCR = DocumentSettings(ocr="off")


def pdf(*draw: Callable[[pymupdf.Page], object], width: float = 400, height: float = 500) -> bytes:
    """A PDF with one page per function, which draws on it."""
    with pymupdf.open() as document:
        for paint in draw:
            paint(document.new_page(width=width, height=height))
        return bytes(document.tobytes())


def words(*lines: tuple[float, float, str], size: float = 12, **options: object) -> Callable[[pymupdf.Page], None]:
    """Draws lines of text at (x, baseline)."""

    def paint(page: pymupdf.Page) -> None:
        for x, y, text in lines:
            page.insert_text((x, y), text, fontsize=size, **options)

    return paint


def read_pdf(data: bytes, settings: DocumentSettings = NO_OCR, **options: object) -> Document:
    """Read without OCR unless settings say so."""
    return read(data, "case.pdf", settings=settings, **options)  # type: ignore[arg-type]


def image_of(data: bytes) -> bytes:
    """A PDF whose only page is a picture of the first page of another."""
    with pymupdf.open(stream=data, filetype="pdf") as source, pymupdf.open() as document:
        sheet = source[0]
        page = document.new_page(width=sheet.rect.width, height=sheet.rect.height)
        page.insert_image(page.rect, pixmap=sheet.get_pixmap(dpi=150))
        return bytes(document.tobytes())
