"""PDF bytes -> Document, in this process. `pool.read_many` does the same in worker processes with limits."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pymupdf

from grounded.documents import pdf
from grounded.documents.characters import FLAGS
from grounded.documents.page_reader import PageReader
from grounded.documents.structure import find_structure
from grounded.errors import LimitExceeded
from grounded.settings import DocumentSettings
from grounded.types import Document

# Offsets and boxes belong to this string: raise the last number whenever the page text or its boxes can change.
EXTRACTOR = f"grounded-documents 9 / pymupdf {pymupdf.__version__} / flags {FLAGS}"

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
        reader = PageReader(opened, settings)
        with _without_garbage_collection():
            pairs = [reader.read(number, label) for number, label in _numbered(opened, progress)]
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
        warnings=reader.warnings
        + structure.warnings
        + (("the file was damaged and has been repaired on opening",) if repaired else ()),
        metadata=facts,
    )


def _numbered(opened: pymupdf.Document, progress: Progress) -> Iterator[tuple[int, str]]:
    labels = pdf.labels(opened)
    for number, label in enumerate(labels, 1):
        yield number, label
        progress(number, len(labels))


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Each page makes thousands of short-lived dictionaries, none of them in cycles: looking for cycles among them
    takes as long as making them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
