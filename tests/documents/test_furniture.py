"""Running headers, footers and page numbers are marked, and kept out of chunks."""

from __future__ import annotations

from pathlib import Path

from grounded.documents import chunk, read
from grounded.settings import DocumentSettings
from grounded.types import Document
from tests.documents.sheets import Draw, Sheet, document

LINES = ("The committee met on the first day and heard the report of the treasurer on the year,",)


def sheet_with(number: str, header: str = "Annual report of the society", footer: str | None = None) -> Draw:
    def draw(sheet: Sheet) -> None:
        sheet.text(60, 40, header, size=8)
        sheet.paragraph(60, 90, [f"{LINES[0]} part {number}."] * 12)
        sheet.text(300, 760, footer if footer is not None else number, size=8)

    return draw


def marked(found: Document) -> list[list[str]]:
    return [[page.text[s:e] for s, e in page.furniture] for page in found.pages]


def test_repeated_header_and_counting_page_numbers() -> None:
    found = document(*(sheet_with(str(n)) for n in range(7, 12)))
    assert marked(found) == [["Annual report of the society", str(n)] for n in range(7, 12)]


def test_roman_numbers_and_page_n_of_m() -> None:
    assert marked(document(*(sheet_with(n) for n in ("iii", "iv", "v"))))[1][-1] == "iv"
    found = document(*(sheet_with(str(n), header=f"{n} apples", footer=f"Page {n} of 3") for n in (1, 2, 3)))
    assert [page[-1] for page in marked(found)] == ["Page 1 of 3", "Page 2 of 3", "Page 3 of 3"]


def test_a_number_that_does_not_count_is_text() -> None:
    found = document(*(sheet_with(n, header="") for n in ("1998", "407", "12")))
    assert marked(found) == [[], [], []]


def test_a_single_page_has_no_running_lines() -> None:
    assert marked(document(sheet_with("1"))) == [[]]


def test_furniture_is_in_no_chunk(samples: list[Path]) -> None:
    found = read(samples[0].read_bytes(), "nimbus_2024.pdf", settings=DocumentSettings())
    chunks = chunk(found, count_tokens=lambda text: len(text.split()), max_tokens=200)
    for page in found.pages:
        assert page.furniture
        for start, end in page.furniture:
            assert not any(c.page == page.number and c.span[0] < end and start < c.span[1] for c in chunks)
