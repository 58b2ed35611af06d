"""Text and boxes: what is displayed, in reading order, each character where its ink is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from grounded.documents import read
from grounded.errors import CorruptPdf, DocumentError, EmptyFile, LimitExceeded, NotAPdf, PasswordNeeded
from grounded.settings import DocumentSettings
from grounded.types import Box, Page
from grounded.verification.locate import locate
from tests.documents.make import NO_OCR, image_of, pdf, read_pdf, words
from tests.documents.raw import raw_pdf, shown


def ink_box(data: bytes, near: Box) -> Box:
    """Bounding box of the dark pixels in and close around a box, points as displayed."""
    with pymupdf.open(stream=data, filetype="pdf") as document:
        pixmap = document[0].get_pixmap(matrix=pymupdf.Matrix(4, 4), colorspace=pymupdf.csGRAY, alpha=False)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
    x0, y0, x1, y1 = (int(4 * value) for value in (near[0] - 6, near[1] - 6, near[2] + 6, near[3] + 6))
    rows, columns = np.nonzero(pixels[max(0, y0) : y1, max(0, x0) : x1] < 128)
    left, top = max(0, x0), max(0, y0)
    return (columns.min() + left) / 4, (rows.min() + top) / 4, (columns.max() + left) / 4, (rows.max() + top) / 4


def iou(a: Box, b: Box) -> float:
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - width * height
    return width * height / union


def only_box(page: Page, quote: str) -> Box:
    (match,) = locate([page], quote)
    assert match.match != "approximate"
    (box,) = match.boxes
    return box


def test_a_box_covers_the_ink_of_its_words_and_nothing_else() -> None:
    data = pdf(words((20, 100, "before"), (120, 100, "the Tallgrass paid"), (300, 100, "afterwards"), size=14))
    box = only_box(read_pdf(data).page(1), "the Tallgrass paid")
    assert iou(box, ink_box(data, box)) >= 0.9


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (40, 60, 380, 570)])
def test_turned_and_cropped_pages_have_boxes_as_displayed(rotation: int, crop: Box | None) -> None:
    def paint(page: pymupdf.Page) -> None:
        words((100, 200, "Typography grows"), (100, 240, "another line"), size=14)(page)
        page.set_mediabox(pymupdf.Rect(10, -100, 410, 500))
        if crop:
            page.set_cropbox(pymupdf.Rect(crop))
        page.set_rotation(rotation)

    data = pdf(paint)
    page = read_pdf(data).page(1)
    box = only_box(page, "Typography grows")
    assert (page.width < page.height) == (rotation % 180 == 0)
    assert iou(box, ink_box(data, box)) >= 0.85


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_follow_a_user_unit(rotation: int) -> None:
    entries = {"UserUnit": 2.5, "Rotate": rotation, "CropBox": [20, 100, 380, 480]}
    data = raw_pdf(shown("Visible words here", 300), page=lambda pdf: entries)
    page = read_pdf(data).page(1)
    assert {page.width, page.height} == {900.0, 950.0}
    box = only_box(page, "Visible words here")
    assert iou(box, ink_box(data, box)) >= 0.6


def test_text_outside_the_crop_is_hidden_text() -> None:
    def paint(page: pymupdf.Page) -> None:
        words((60, 100, "seen by readers"), (60, 480, "beyond the crop"))(page)
        page.set_cropbox(pymupdf.Rect(0, 0, 400, 400))

    page = read_pdf(pdf(paint)).page(1)
    assert "seen by readers" in page.text and "beyond" not in page.text
    assert [(h.text, h.reason) for h in page.hidden] == [("beyond the crop", "outside the visible page")]


def test_labels_and_positions_are_both_kept() -> None:
    with pymupdf.open(stream=pdf(*[words((60, 100, f"sheet {n}")) for n in range(1, 9)]), filetype="pdf") as document:
        document.set_page_labels(
            [
                {"startpage": 0, "style": "r", "firstpagenum": 1},
                {"startpage": 4, "style": "D", "firstpagenum": 1},
                {"startpage": 7, "prefix": "A-", "style": "D", "firstpagenum": 1},
            ]
        )
        pages = read_pdf(document.tobytes()).pages
    assert [p.label for p in pages] == ["i", "ii", "iii", "iv", "1", "2", "3", "A-1"]
    assert [p.number for p in pages] == list(range(1, 9))


def test_columns_drawn_line_by_line_are_read_down() -> None:
    left = ["The first column begins with", "a sentence that goes on over", "three lines of its own text."]
    right = ["The second column then tells", "another story which is about", "something else altogether."]
    lines = [line for n in range(3) for line in ((50, 100 + 14 * n, left[n]), (230, 100 + 14 * n, right[n]))]
    text = read_pdf(pdf(words(*lines, size=10))).page(1).text
    assert " ".join(left) in " ".join(text.split())
    assert " ".join(right) in " ".join(text.split())
    assert text.index("first column") < text.index("second column")


def test_the_cells_of_a_row_stay_together() -> None:
    rows = [("Revenue", "1,234", "1,100"), ("Costs", "(987)", "(950)"), ("Profit", "247", "150")]
    lines = [(x, 100 + 16 * n, cell) for n, row in enumerate(rows) for x, cell in zip((50, 200, 300), row, strict=True)]
    assert read_pdf(pdf(words(*lines))).page(1).text == "Revenue\t1,234\t1,100\nCosts\t(987)\t(950)\nProfit\t247\t150\n"


def test_every_character_has_a_box_and_separators_have_no_area() -> None:
    page = read_pdf(pdf(words((50, 100, "one"), (200, 100, "two"), (50, 130, "three")))).page(1)
    assert page.text == "one\ttwo\n\nthree\n" or page.text == "one\ttwo\nthree\n"
    assert page.boxes.shape == (len(page.text), 4) and page.boxes.dtype == np.float32
    area = (page.boxes[:, 2] - page.boxes[:, 0]) * (page.boxes[:, 3] - page.boxes[:, 1])
    assert [a > 0 for a in area] == [not c.isspace() for c in page.text]


def test_a_raised_note_mark_is_no_digit_of_the_number() -> None:
    def paint(page: pymupdf.Page) -> None:
        page.insert_text((50, 100), "Total 1,234", fontsize=12)
        page.insert_text((50 + pymupdf.get_text_length("Total 1,234", fontsize=12), 95), "1", fontsize=7)

    text = read_pdf(pdf(paint)).page(1).text
    assert "1,2341" not in text and "1,234¹" in text


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda good: b"", EmptyFile),
        (lambda good: b"<html><body>Report</body></html>", NotAPdf),
        (lambda good: b"%PDF-1.7\n%%EOF", CorruptPdf),
        (lambda good: b"%PDF-1.4\n" + b"\xff\x00garbage" * 50, CorruptPdf),
    ],
)
def test_what_is_no_usable_pdf_is_a_typed_error(make: object, error: type[DocumentError]) -> None:
    with pytest.raises(error, match=r"bad\.pdf"):
        read(make(b""), "bad.pdf", settings=NO_OCR)  # type: ignore[operator]


def test_a_broken_xref_is_repaired_and_said() -> None:
    data = pdf(words((60, 100, "still readable")))
    at = data.rindex(b"startxref")
    document = read_pdf(data[:at] + b"startxref\n999999\n%%EOF")
    assert "still readable" in document.page(1).text
    assert document.repaired and any("repaired" in warning for warning in document.warnings)


def encrypted(user: str, owner: str) -> bytes:
    with pymupdf.open(stream=pdf(words((60, 100, "a secret clause"))), filetype="pdf") as document:
        return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user, owner_pw=owner))


@pytest.mark.parametrize("other", ["null", "<<>>", "{page} 0 R", "99999 0 R"])
def test_a_page_is_read_though_part_of_its_content_is_missing(other: str) -> None:
    with pymupdf.open(stream=pdf(words((60, 100, "still here"))), filetype="pdf") as document:
        sheet = document[0]
        (content,) = sheet.get_contents()
        document.xref_set_key(sheet.xref, "Contents", f"[{content} 0 R {other.format(page=sheet.xref)}]")
        data = document.tobytes()
    assert read_pdf(data).page(1).text == "still here\n"


def test_passwords() -> None:
    locked = encrypted("opensesame", "boss")
    for wrong in (None, "hunter2"):
        with pytest.raises(PasswordNeeded) as caught:
            read_pdf(locked, password=wrong)
        assert "hunter2" not in str(caught.value)
    assert "a secret clause" in read_pdf(locked, password="opensesame").page(1).text
    assert "a secret clause" in read_pdf(encrypted("", "boss")).page(1).text


def test_limits() -> None:
    data = pdf(words((60, 100, "one")), words((60, 100, "two")))
    with pytest.raises(LimitExceeded, match="2 pages"):
        read_pdf(data, DocumentSettings(ocr="off", max_pages=1))


def test_blank_and_image_pages_are_listed_with_the_reason() -> None:
    picture = image_of(pdf(words((60, 100, "only a picture of words"))))
    with pymupdf.open(stream=pdf(words((60, 100, "text")), lambda page: None), filetype="pdf") as document:
        document.insert_pdf(pymupdf.open(stream=picture, filetype="pdf"))
        coverage = read_pdf(document.tobytes()).coverage
    assert coverage.readable == (1,)
    assert dict(coverage.unread) == {2: "blank page", 3: "no text (image only)"}


@pytest.mark.slow
def test_ocr_fills_scanned_pages_with_boxes_in_the_frame_of_the_page() -> None:
    from grounded.documents import ocr

    if not ocr.available("eng"):
        pytest.skip("Tesseract with English is not installed")
    line = "The quarterly revenue amounted to 4,318 million euros"
    data = pdf(words((40, 100, line), (40, 130, "and the board proposed a dividend of ninety cents")))
    page = read_pdf(image_of(data), DocumentSettings(ocr="auto")).page(1)
    assert page.readable and page.source == "ocr"
    (match,) = locate([page], "The quarterly revenue amounted to")
    truth = only_box(read_pdf(data).page(1), "The quarterly revenue amounted to")
    assert iou(match.boxes[0], truth) >= 0.6


@pytest.mark.shared
def test_a_sample_of_public_files_ends_as_expected(shared: Path) -> None:
    from bench.documents import part_gold

    figures = part_gold(25)
    assert figures["located_on_its_page"] >= 0.95
    assert figures["mean_iou"] >= 0.9


SIGNED = (
    ("ACME ROBOTICS, INC.", "By: ______________", "Name: John Doe", "Title: Chief Executive Officer"),
    ("BOLT CAPITAL LP", "By: ______________", "Name: Jane Roe", "Title: Managing Partner"),
)
OFFICES = (
    ("Headquarters", "1 First Avenue", "New York, NY 10001", "Tel. 212 555 0101"),
    ("London office", "22 Fleet Street", "London EC4Y 1AA", "Tel. +44 20 7946 0001"),
)


@pytest.mark.parametrize("blocks", [SIGNED, OFFICES])
def test_blocks_about_people_side_by_side_are_read_one_by_one(blocks: tuple[tuple[str, ...], ...]) -> None:
    lines = [
        (60 + 180 * column, 90 + 16 * row, cell)
        for row in range(4)
        for column, cell in enumerate(c[row] for c in blocks)
    ]
    page = read_pdf(pdf(words(*lines, size=10))).page(1)
    assert page.text.split("\n\n") == ["\n".join(blocks[0]), "\n".join(blocks[1]) + "\n"]
    assert page.tables == ()


def test_a_form_that_asks_for_two_names_keeps_label_and_value_together() -> None:
    rows = (
        ("Name:", "John Doe", "Name:", "Jane Roe"),
        ("Age:", "41", "Age:", "39"),
        ("Seat:", "Left", "Seat:", "Right"),
    )
    lines = [
        (x, 90 + 16 * n, cell) for n, row in enumerate(rows) for x, cell in zip((40, 90, 220, 280), row, strict=True)
    ]
    text = read_pdf(pdf(words(*lines, size=10))).page(1).text
    assert "Name:\tJohn Doe" in text and "Seat:\tRight" in text
