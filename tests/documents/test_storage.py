"""Pages on disk, files in worker processes, pages as pictures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from grounded.documents import PageArchive, pack_pages, page_size, read_many, render, rendered_size
from grounded.errors import Cancelled, LibraryError
from grounded.settings import DocumentSettings
from grounded.types import Document
from tests.documents.make import NO_OCR, pdf, read_pdf, words

GOOD = pdf(words((60, 100, "page one says 1,234")), words((60, 100, "page two")))


def test_an_archive_gives_back_what_was_written() -> None:
    document = read_pdf(GOOD)
    archive = PageArchive(io.BytesIO(pack_pages(document)), "doc")
    assert archive.page_count == 2 and archive.name == "case.pdf"
    for number in (2, 1):
        page, original = archive.page(number), document.page(number)
        assert page.text == original.text and np.array_equal(page.boxes, original.boxes)
        assert (page.label, page.tables, page.hidden) == (original.label, original.tables, original.hidden)
    assert archive.coverage == document.coverage
    assert archive.document().id == document.id
    with pytest.raises(IndexError):
        archive.page(3)


def test_the_same_document_makes_the_same_bytes() -> None:
    assert pack_pages(read_pdf(GOOD)) == pack_pages(read_pdf(GOOD))


def test_a_damaged_archive_is_a_library_error() -> None:
    whole = pack_pages(read_pdf(GOOD))
    with pytest.raises(LibraryError):
        PageArchive(io.BytesIO(whole[: len(whole) // 2]), "doc")


def test_a_batch_survives_bad_files_and_keeps_its_order(tmp_path: Path) -> None:
    files = {"good.pdf": GOOD, "empty.pdf": b"", "page.pdf": b"<html>", "cut.pdf": b"%PDF-1.7 nothing more"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    items = [(name, tmp_path / name, None) for name in files] + [("gone.pdf", tmp_path / "gone.pdf", None)]
    results = list(read_many(items, DocumentSettings(ocr="off", workers=1)))
    assert [name for name, _ in results] == [*files, "gone.pdf"]
    kinds = [type(r).__name__ for _, r in results]
    assert kinds == ["Document", "EmptyFile", "NotAPdf", "CorruptPdf", "UsageError"]
    assert isinstance(results[0][1], Document) and "page two" in results[0][1].page(2).text


def test_a_file_over_its_time_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(GOOD)
    items = [("slow.pdf", tmp_path / "a.pdf", None), ("next.pdf", tmp_path / "a.pdf", None)]
    results = list(read_many(items, DocumentSettings(ocr="off", workers=1, timeout_s=0.001)))
    assert [(name, type(r).__name__) for name, r in results] == [
        ("slow.pdf", "LimitExceeded"),
        ("next.pdf", "LimitExceeded"),
    ]


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(GOOD)
    with pytest.raises(Cancelled):
        list(read_many([("a.pdf", tmp_path / "a.pdf", None)], NO_OCR, cancelled=lambda: True))


def test_pictures_have_the_size_that_was_said() -> None:
    for scale, cap in ((1.5, 4_000_000), (10, 500_000)):
        picture = pymupdf.Pixmap(render(GOOD, 1, scale=scale, max_pixels=cap))
        said = rendered_size(page_size(GOOD, 1), scale, cap)
        assert abs(picture.width - said[0]) <= 1 and abs(picture.height - said[1]) <= 1
        assert picture.width * picture.height <= cap * 1.01
    with pytest.raises(IndexError):
        render(GOOD, 3, scale=1, max_pixels=1000)


def test_a_highlight_colours_the_paper_and_leaves_the_ink() -> None:
    box = (55.0, 85.0, 200.0, 105.0)
    plain = pymupdf.Pixmap(render(GOOD, 1, scale=2, max_pixels=4_000_000))
    marked = pymupdf.Pixmap(render(GOOD, 1, scale=2, boxes=[box], max_pixels=4_000_000))
    assert plain.pixel(380, 180) == (255, 255, 255) and marked.pixel(380, 180) != (255, 255, 255)
    assert plain.pixel(20, 20) == marked.pixel(20, 20)
    darkest = min(marked.pixel(x, y) for x in range(110, 400) for y in range(170, 210))
    assert max(darkest) < 40
