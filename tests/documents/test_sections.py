"""Sections: contracts by their numbers, reports by their type, papers by both, the outline where it is true."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
import pytest

from grounded.documents import read
from grounded.documents.numbering import Sequence, read_number
from grounded.settings import DocumentSettings
from tests.documents.sheets import Sheet, document, typeset

BODY = (
    "The Licensee shall pay the fees set out in the schedule within thirty days of receipt of an invoice, and the",
    "Licensor shall not be obliged to perform any service while an undisputed invoice remains unpaid after that",
)


def contract(sheet: Sheet) -> None:
    """Numbered clauses with run-in titles, lettered and Roman sub-clauses, a wrapped cross-reference."""
    sheet.text(230, 60, "LICENSE AGREEMENT", size=12, bold=True)
    lines = [
        "ARTICLE III",
        "FEES",
        "3.1 Payment Terms. The Licensee shall pay as follows, subject to Section",
        "3.4 of this Agreement and to the limits that are set out in the schedule to it:",
        "(a) a fixed fee of 1,000 dollars for each quarter that has begun; and",
        "(b) a variable fee, which shall be computed from:",
        "(i) the number of users; and",
        "(ii) the volume of data.",
        "3.2 “Net Revenue” means the revenue of the Licensee after deduction of taxes.",
        "3.3 The Licensor shall issue a single invoice each quarter to the Licensee.",
        "ARTICLE IV",
        "TERM",
        "4.1 Duration. This Agreement shall remain in force for 2 years.",
    ]
    y = 90.0
    for line in lines:
        sheet.text(230 if line.isupper() else 60, y, line)
        y += 14 if line.isupper() or line.endswith("Section") else 22
    sheet.paragraph(60, y, BODY * 4)


def test_a_contract_is_read_by_its_numbers() -> None:
    paths = [section.path for section in document(contract).sections]
    title = "LICENSE AGREEMENT"
    fees, term = "ARTICLE III FEES", "ARTICLE IV TERM"
    assert paths == [
        (title,),
        (title, fees),
        (title, fees, "3.1 Payment Terms"),
        (title, fees, "3.1 Payment Terms", "(a)"),
        (title, fees, "3.1 Payment Terms", "(b)"),
        (title, fees, "3.1 Payment Terms", "(b)", "(i)"),
        (title, fees, "3.1 Payment Terms", "(b)", "(ii)"),
        (title, fees, "3.2 “Net Revenue”"),
        (title, fees, "3.3"),
        (title, term),
        (title, term, "4.1 Duration"),
    ]


def test_each_span_is_its_title_on_the_page() -> None:
    found = document(contract)
    for section in found.sections:
        start, end = section.span
        text = " ".join(found.page(section.page).text[start:end].split())
        assert text.rstrip(".:") == section.path[-1].rstrip(".:")
    judged = {section.path[-1]: section.judged_by for section in found.sections}
    assert judged["3.1 Payment Terms"] == "numbering"
    assert judged["LICENSE AGREEMENT"] == "layout"


def report(sheet: Sheet) -> None:
    """Headings of two sizes, a footnote mark, a bold run-in title, bold words inside a paragraph."""
    sheet.text(60, 60, "Annual Report", size=20, bold=True)
    sheet.text(60, 90, "Market risk", size=14, bold=True)
    sheet.mark(60 + 78, 88, "2")
    y = sheet.paragraph(60, 110, BODY)
    sheet.text(60, y + 12, "Interest rates", size=11, bold=True)
    y = sheet.paragraph(60, y + 28, BODY)
    sheet.text(60, y + 12, "Credit risk", size=14, bold=True)
    sheet.paragraph(60, y + 32, BODY * 5)


def test_a_report_is_read_by_its_type() -> None:
    assert [section.path for section in document(report).sections] == [
        ("Annual Report",),
        ("Annual Report", "Market risk"),
        ("Annual Report", "Market risk", "Interest rates"),
        ("Annual Report", "Credit risk"),
    ]


def paper(sheet: Sheet) -> None:
    sheet.text(180, 60, "On the Speed of Things", size=18)
    y = 90.0
    for heading, size in (
        ("Abstract", 12),
        ("1 Introduction", 12),
        ("1.1 Motivation", 10.5),
        ("2 Method", 12),
        ("References", 12),
    ):
        sheet.text(60, y, heading, size=size, bold=True)
        y = sheet.paragraph(60, y + 18, ["We measured 3 systems.", *BODY]) + 12


def test_a_paper_has_numbered_and_unnumbered_siblings() -> None:
    title = "On the Speed of Things"
    assert [section.path for section in document(paper).sections] == [
        (title,),
        (title, "Abstract"),
        (title, "1 Introduction"),
        (title, "1 Introduction", "1.1 Motivation"),
        (title, "2 Method"),
        (title, "References"),
    ]


def with_outline(entries: list[tuple[str, int]]) -> bytes:
    """The report twice, as pages 1 and 2, with bookmarks (title, page index)."""
    with pikepdf.open(io.BytesIO(typeset(report, plain))) as file:
        with file.open_outline() as outline:
            outline.root.extend(pikepdf.OutlineItem(title, page) for title, page in entries)
        buffer = io.BytesIO()
        file.save(buffer)
    return buffer.getvalue()


def plain(sheet: Sheet) -> None:
    """A heading that only the outline tells from text."""
    sheet.text(60, 60, "Liquidity and funding")
    sheet.paragraph(60, 90, BODY * 4)


def test_the_outline_is_used_where_it_matches() -> None:
    found = read(
        with_outline([("Market risk", 0), ("Liquidity and funding", 1)]), "outlined.pdf", settings=DocumentSettings()
    )
    judged = {section.path[-1]: section.judged_by for section in found.sections}
    assert judged["Market risk"] == "outline"
    assert judged["Liquidity and funding"] == "outline"
    assert judged["Interest rates"] == "layout"


def test_an_outline_that_does_not_match_is_left_alone() -> None:
    entries = [("Chapter 7 of something else", 0), ("Slide 3", 1), ("Market risk", 0)]
    found = read(with_outline(entries), "mistitled.pdf", settings=DocumentSettings())
    assert {section.judged_by for section in found.sections} == {"layout"}


@pytest.mark.parametrize(
    ("text", "label", "readings"),
    [
        ("3.1(b) The", "3.1", [("decimal", (3, 1))]),
        ("ARTICLE IV", "ARTICLE IV", [("article", (4,))]),
        ("(c) any", "(c)", [("lower-roman)", (100,)), ("lower-letter)", (3,))]),
        ("(aa) any", "(aa)", [("lower-letter)", (27,))]),
        ("Section 12.3. Law", "Section 12.3", [("decimal", (12, 3))]),
    ],
)
def test_numbers_are_read(text: str, label: str, readings: list[tuple[str, tuple[int, ...]]]) -> None:
    number = read_number(text)
    assert number is not None
    assert number.label == label
    assert list(number.readings) == readings


@pytest.mark.parametrize("text", ["3,000 units", "12.5% of", "1998", "2nd edition", "(see above)", "A car", "i am"])
def test_quantities_and_words_are_no_numbers(text: str) -> None:
    assert read_number(text) is None


def depths(*texts: str) -> list[int | None]:
    sequence = Sequence()
    return [sequence.depth(number) for text in texts if (number := read_number(text + " x"))]


def test_numbers_count_only_in_sequence() -> None:
    assert depths("1.", "2.", "7.", "3.") == [2, 2, None, 2]
    assert depths("1.", "1.1", "1.2", "1.9.4", "2.", "2.1") == [2, 3, 3, None, 2, 3]
    assert depths("1.", "(a)", "(b)", "(i)", "(ii)", "(c)") == [2, 3, 3, 4, 4, 3]
    assert depths("1.", "(a)", "(h)") == [2, 3, None]


def test_i_after_h_is_a_letter() -> None:
    letters = [f"({char})" for char in "abcdefghij"]
    assert depths("1.", *letters) == [2, *[3] * 10]


@pytest.mark.shared
def test_clauses_of_real_contracts(shared: Path) -> None:
    from bench.structure import clause_rows

    for name in ("cuad_012.pdf", "cuad_006.pdf"):
        path = shared / "bench/cuad/pdfs" / name
        found = read(path.read_bytes(), name, settings=DocumentSettings(ocr="off"))
        begins = {(section.page, section.span[0]) for section in found.sections}
        rows = [(page, offset) for page, offset, _ in clause_rows(found)]
        assert sum(row in begins for row in rows) >= 0.94 * len(rows)
