"""PDF bytes -> Document, in this process. `pool.read_many` does the same in worker processes with limits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pymupdf

from grounded.documents import pdf
from grounded.documents.assemble import assemble
from grounded.documents.characters import FLAGS, read_characters
from grounded.documents.layout import PageLayout
from grounded.documents.structure import find_structure
from grounded.errors import LimitExceeded
from grounded.settings import DocumentSettings
from grounded.types import Document, Page

# Offsets and boxes belong to this string: raise the last number whenever the page text or its boxes can change.
EXTRACTOR = f"grounded-documents 1 / pymupdf {pymupdf.__version__} / flags {FLAGS}"

Progress = Callable[[int, int], None]  # pages done, pages in all


def extractor_name(settings: DocumentSettings) -> str:
    """What made a document's text: code, library, flags, and the setting of OCR."""
    return f"{EXTRACTOR} / ocr {settings.ocr} {settings.ocr_language}"


def read(
    data: bytes,
    name: str,
    *,
    password: str | None = None,
    settings: DocumentSettings,
    progress: Progress = lambda done, total: None,
) -> Document:
    """Read a PDF.

    Raises EmptyFile, NotAPdf, CorruptPdf, PasswordNeeded, LimitExceeded. A page that cannot be read is a page with
    `readable` false and the reason; a detector that fails is a warning of its page.
    """
    pdf.check_size(data, name, max_file_mb=settings.max_file_mb)
    with pdf.open_pdf(data, name, password) as opened:
        if opened.page_count > settings.max_pages:
            raise LimitExceeded(
                f"the file has {opened.page_count} pages, the limit is {settings.max_pages}",
                where=name,
                advice="Raise GROUNDED_DOCUMENTS__MAX_PAGES or split the file",
            )
        pairs = list(_pages(opened, progress))
        structure = find_structure([layout for layout, _ in pairs], pdf.outline(opened))
        facts = pdf.metadata(opened)
        repaired = bool(opened.is_repaired)
    return Document(
        id=hashlib.sha256(data).hexdigest(),
        name=name,
        pages=tuple(
            replace(page, furniture=furniture, tables=tables)
            for (_, page), furniture, tables in zip(pairs, structure.furniture, structure.tables, strict=True)
        ),
        extractor=extractor_name(settings),
        sections=structure.sections,
        title=facts.get("title", ""),
        repaired=repaired,
        warnings=("the file was damaged and has been repaired on opening",) if repaired else (),
        metadata=facts,
    )


def _pages(opened: pymupdf.Document, progress: Progress) -> Iterator[tuple[PageLayout, Page]]:
    labels = pdf.labels(opened)
    for number, label in enumerate(labels, 1):
        yield _page(opened, number, label)
        progress(number, len(labels))


def _page(opened: pymupdf.Document, number: int, label: str) -> tuple[PageLayout, Page]:
    try:
        layout = _layout(opened[number - 1], number, label)
    except pdf.DAMAGE as error:
        return _unreadable(number, label, f"the page is damaged ({type(error).__name__})")
    page = Page(
        number=number,
        label=label,
        width=layout.width,
        height=layout.height,
        rotation=opened[number - 1].rotation,
        text=layout.text,
        boxes=layout.boxes,
    )
    return layout, page


def _layout(sheet: pymupdf.Page, number: int, label: str) -> PageLayout:
    characters = read_characters(sheet)
    text, boxes, lines = assemble(characters, characters.fragments)
    return PageLayout(
        number=number,
        label=label,
        width=float(sheet.rect.width),
        height=float(sheet.rect.height),
        text=text,
        boxes=boxes,
        lines=lines,
        rules=characters.rules,
    )


def _unreadable(number: int, label: str, reason: str) -> tuple[PageLayout, Page]:
    nothing = np.zeros((0, 4), np.float32)
    layout = PageLayout(number, label, 0.0, 0.0, "", nothing, ())
    return layout, Page(number, label, 0.0, 0.0, 0, "", nothing, readable=False, unread_reason=reason)
