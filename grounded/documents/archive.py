"""A Document on disk: one zip file with random access per page.

Members: `document.json` (everything but the pages' contents, and one head per page) and `page/N`: the length of a JSON
part (4 bytes, little endian), that JSON (text, tables, furniture, hidden text), then the boxes as raw float32 rows and
the order of the content stream as int32 differences.
"""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import replace
from functools import cached_property
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from pydantic import ValidationError

from grounded.errors import LibraryError
from grounded.types import CharSpan, Coverage, Document, Frozen, HiddenText, Page, Section, Table

FORMAT = 1
_LENGTH = struct.Struct("<I")


class _PageHead(NamedTuple):
    number: int
    label: str
    width: float
    height: float
    rotation: int
    readable: bool
    unread_reason: str
    source: Literal["text", "ocr"]
    warnings: tuple[str, ...]


class _Contents(Frozen):
    text: str
    tables: tuple[Table, ...]
    furniture: tuple[CharSpan, ...]
    hidden: tuple[HiddenText, ...]


class _Head(Frozen):
    format: int
    id: str
    name: str
    extractor: str
    title: str
    repaired: bool
    warnings: tuple[str, ...]
    metadata: dict[str, str]
    sections: tuple[Section, ...]
    pages: tuple[_PageHead, ...]
    coverage: Coverage


def pack_pages(document: Document) -> bytes:
    """The archive of `document`: the same document makes the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        _write_members(document, archive)
    return packed.getvalue()


def _write_members(document: Document, archive: zipfile.ZipFile) -> None:
    _write(archive, "document.json", _head(document).model_dump_json().encode())
    for page in document.pages:
        contents = _Contents(text=page.text, tables=page.tables, furniture=page.furniture, hidden=page.hidden)
        body = contents.model_dump_json().encode()
        boxes = np.ascontiguousarray(page.boxes, "<f4").tobytes()
        stream = np.diff(page.stream, prepend=np.int32(0)).astype("<i4").tobytes()
        _write(archive, f"page/{page.number}", _LENGTH.pack(len(body)) + body + boxes + stream)


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """A member with a fixed date."""
    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 1)


def _head(document: Document) -> _Head:
    heads = tuple(
        _PageHead(p.number, p.label, p.width, p.height, p.rotation, p.readable, p.unread_reason, p.source, p.warnings)
        for p in document.pages
    )
    return _Head(
        format=FORMAT,
        id=document.id,
        name=document.name,
        extractor=document.extractor,
        title=document.title,
        repaired=document.repaired,
        warnings=document.warnings,
        metadata=dict(document.metadata),
        sections=document.sections,
        pages=heads,
        coverage=document.coverage,
    )


class PageArchive:
    """A packed Document, read page by page out of a seekable file. Raises LibraryError when it is damaged.

    where: how the file is named in errors."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        self._where = where
        try:
            self._archive = zipfile.ZipFile(file)
            self._head = _Head.model_validate_json(self._archive.read("document.json"))
        except (OSError, zipfile.BadZipFile, KeyError, ValidationError) as error:
            raise self._damaged() from error

    def _damaged(self) -> LibraryError:
        return LibraryError(
            "the pages of a document cannot be read back", where=self._where, advice="Add the document again"
        )

    @property
    def name(self) -> str:
        """The document's file name."""
        return self._head.name

    @property
    def extractor(self) -> str:
        """What made its text; compare with `extractor_name`."""
        return self._head.extractor

    @property
    def page_count(self) -> int:
        """How many pages it has."""
        return len(self._head.pages)

    @property
    def coverage(self) -> Coverage:
        """Its coverage report."""
        return self._head.coverage

    def section_at(self, page: int, offset: int) -> tuple[str, ...]:
        """Path of the section in force at a place, () before the first heading."""
        return self._outline.section_at(page, offset)

    def page(self, number: int) -> Page:
        """The page with that 1-based number. Raises IndexError when there is none, LibraryError when damaged."""
        if not 1 <= number <= self.page_count:
            raise IndexError(f"{self.name} has no page {number}")
        try:
            data = self._archive.read(f"page/{number}")
            return _page(self._head.pages[number - 1], data)
        except (OSError, zipfile.BadZipFile, KeyError, ValueError, struct.error) as error:
            raise self._damaged() from error

    def document(self) -> Document:
        """Everything about the document without the contents of its pages (their text is empty): cheap."""
        return self._outline

    def read(self) -> Document:
        """The whole document, pages included."""
        return replace(self._outline, pages=tuple(self.page(n) for n in range(1, self.page_count + 1)))

    def close(self) -> None:
        """Let go of the file."""
        self._archive.close()

    @cached_property
    def _outline(self) -> Document:
        head = self._head
        nothing = np.zeros((0, 4), np.float32)
        return Document(
            id=head.id,
            name=head.name,
            pages=tuple(_assemble(page, text="", boxes=nothing) for page in head.pages),
            extractor=head.extractor,
            sections=head.sections,
            title=head.title,
            repaired=head.repaired,
            warnings=head.warnings,
            metadata=head.metadata,
        )


def _page(head: _PageHead, data: bytes) -> Page:
    (length,) = _LENGTH.unpack_from(data)
    body = _LENGTH.size + length
    contents = _Contents.model_validate_json(data[_LENGTH.size : body])
    boxes = np.frombuffer(data, "<f4", 4 * len(contents.text), body)  # ValueError when there are fewer
    steps = np.frombuffer(data, "<i4", offset=body + boxes.nbytes)
    return _assemble(
        head,
        text=contents.text,
        boxes=boxes.reshape(-1, 4).astype(np.float32),
        stream=np.cumsum(steps, dtype=np.int32),
        tables=contents.tables,
        furniture=contents.furniture,
        hidden=contents.hidden,
    )


def _assemble(head: _PageHead, **contents: Any) -> Page:
    return Page(**head._asdict(), **contents)
