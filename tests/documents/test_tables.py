"""Tables: cells keep their headers, sign and scale; prose stays prose."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.structure import field_outcome, forms_of
from grounded.documents import read
from grounded.settings import DocumentSettings
from grounded.types import Cell, Document, Table, spans_boxes
from tests.documents.sheets import Draw, Sheet, cell_of, document

YEARS = ((400.0, "2024"), (480.0, "2023"), (560.0, "2022"))
STATEMENT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Revenue:", ()),
    ("  Product", ("$48,210", "$44,907", "$40,115")),
    ("  Services", ("12,480", "11,034", "9,870")),
    ("Total revenue", ("60,690", "55,941", "49,985")),
    ("Cost of revenue", ("(31,402)", "(29,118)", "(26,540)")),
    ("Restructuring charges", ("(1,234)", "—", "")),
    ("Other income, net", ("1,234", "876", "(45)")),
    ("Net income attributable to", ()),
    ("common shareholders", ("$29,288", "$27,699", "$23,400")),
    ("Diluted earnings per share", ("$2.93", "$2.77", "$2.34")),
)


def income_statement(sheet: Sheet) -> None:
    """Case 15: a merged year header, a scale, brackets, a raised mark behind a value, a dash, a blank cell."""
    sheet.text(200, 80, "Consolidated Statements of Income", size=12, bold=True)
    sheet.text(196, 95, "(in thousands, except per share data)")
    sheet.text(390, 118, "Year ended December 31,", size=9, bold=True)
    sheet.rule(330, 560, 122)
    for x, year in YEARS:
        sheet.right(x, 134, year, size=9, bold=True)
    sheet.rule(60, 560, 138)
    y = 152.0
    for label, values in STATEMENT:
        sheet.text(72 if label.startswith(" ") else 60, y, label.strip(), size=9)
        for (x, _), value in zip(YEARS, values, strict=False):
            if value.startswith("$"):
                sheet.text(x - 62, y, "$", size=9)
            sheet.right(x, y, value.removeprefix("$"), size=9)
        if label == "Other income, net":
            sheet.mark(400.4, y, "1")
        y += 13
    sheet.paragraph(60, y + 20, ["1 Includes a gain of $210 thousand on the sale of equipment."], size=8)


@pytest.fixture(scope="module")
def statement() -> Table:
    (table,) = document(income_statement).pages[0].tables
    return table


def value(table: Table, row: str, year: str) -> Cell:
    """The cell of a row label and a year."""
    return next(c for c in table.cells if not c.is_header and c.row_headers[-1:] == (row,) and year in c.col_headers)


@pytest.mark.parametrize(
    ("row", "year", "text"),
    [
        ("Total revenue", "2024", "60,690"),
        ("Total revenue", "2022", "49,985"),
        ("Cost of revenue", "2023", "(29,118)"),
        ("Restructuring charges", "2024", "(1,234)"),
        ("Restructuring charges", "2023", "—"),
        ("Restructuring charges", "2022", ""),
        ("Other income, net", "2024", "1,234"),
        ("Net income attributable to common shareholders", "2022", "$ 23,400"),
    ],
)
def test_each_value_stands_under_its_row_and_year(statement: Table, row: str, year: str, text: str) -> None:
    assert value(statement, row, year).text == text


def test_a_merged_header_stands_over_all_its_columns(statement: Table) -> None:
    for _, year in YEARS:
        assert value(statement, "Total revenue", year).col_headers == ("Year ended December 31,", year)


def test_a_group_label_reigns_over_the_indented_rows_only(statement: Table) -> None:
    assert value(statement, "Product", "2024").row_headers == ("Revenue", "Product")
    assert value(statement, "Total revenue", "2024").row_headers == ("Total revenue",)


def test_scale_holds_where_it_should(statement: Table) -> None:
    assert value(statement, "Services", "2023").unit == "in thousands, except per share data"
    assert value(statement, "Diluted earnings per share", "2023").unit == ""


@pytest.mark.parametrize(
    ("title", "header", "unit"),
    [
        ("Table 2. Doses", "Dose (mg)", "mg"),
        ("Table 2. Prices (EUR)", "Price", "EUR"),
        ("Table 2. Umsatz in Mio. €", "Umsatz", "in Mio. €"),
        ("Table 2. Growth of 5% and more", "Growth", ""),
    ],
)
def test_a_title_at_the_margin_and_its_unit_belong_to_a_table_in_the_middle(title: str, header: str, unit: str) -> None:
    def centred(sheet: Sheet) -> None:
        sheet.text(60, 80, title, bold=True)
        for y, (label, told) in enumerate([("Name", header), ("Alpha", "5.5"), ("Beta", "10.5"), ("Gamma", "15.5")]):
            sheet.text(300, 100 + 14 * y, label)
            sheet.right(480, 100 + 14 * y, told)

    (table,) = document(centred).pages[0].tables
    assert table.caption == title
    assert cell_of(table, "10.5").unit == unit


def test_a_raised_mark_is_no_part_of_the_value(statement: Table) -> None:
    cell = value(statement, "Other income, net", "2024")
    page = document(income_statement).pages[0]
    assert [page.text[s:e] for s, e in cell.spans] == ["1,234"]


def test_caption_and_boxes(statement: Table) -> None:
    assert statement.caption == "Consolidated Statements of Income (in thousands, except per share data)"
    cell = value(statement, "Total revenue", "2023")
    page = document(income_statement).pages[0]
    assert spans_boxes(page, cell.spans) == (pytest.approx(cell.box),)
    assert 440 < cell.box[0] < cell.box[2] <= 481


def ruled_form(sheet: Sheet) -> None:
    """Four columns of labels and values in a drawn grid, one blank, one value wrapped."""
    rows = (
        ("Make:", "Piper", "Registration:", "N5921D"),
        ("Year:", "", "Seats:", "4"),
        ("Owner:", "W. O.", "Held:", "None"),
    )
    for i in range(4):
        sheet.rule(60, 500, 100 + 30 * i)
    for x in (60, 150, 280, 390, 500):
        sheet.upright(x, 100, 190)
    for i, row in enumerate(rows):
        for x, text in zip((66, 156, 286, 396), row, strict=True):
            sheet.text(x, 114 + 30 * i, text, size=9, bold=text.endswith(":"))
    sheet.text(156, 185, "Forman", size=9)


def test_labels_and_values_of_a_form_are_paired() -> None:
    (table,) = document(ruled_form).pages[0].tables
    assert (table.n_rows, table.n_cols) == (3, 4)
    assert cell_of(table, "N5921D").row_headers == ("Registration",)
    assert cell_of(table, "W. O. Forman").row_headers == ("Owner",)
    blank = table.at(1, 1)
    assert blank is not None and blank.text == "" and blank.spans == () and blank.row_headers == ("Year",)


def quick_facts(sheet: Sheet) -> None:
    """Values at the right margin whose lengths leave no common gutter."""
    for i, (label, text) in enumerate(
        (
            ("Expense ratio", "0.04%"),
            ("Net assets as of June 30, 2024", "$48,617 million"),
            ("Inception date", "September 15, 2011"),
            ("Benchmark", "Meridian US Five Hundred Index"),
        )
    ):
        sheet.text(390, 100 + 16 * i, label, size=8)
        sheet.right(572, 100 + 16 * i, text, size=8, bold=True)


def test_labels_and_values_without_a_common_gutter() -> None:
    (table,) = document(quick_facts).pages[0].tables
    assert [c.row_headers[-1] for c in table.cells if not c.is_header] == [
        "Expense ratio",
        "Net assets as of June 30, 2024",
        "Inception date",
        "Benchmark",
    ]


PROSE = (
    "The parties acknowledge that the services described in this section are provided on an as-is basis, and",
    "that neither party shall be liable for indirect damages arising from 2023 or 2024 deliveries of goods in",
    "excess of 1,000 units, unless agreed in writing by an officer of the company at least thirty days before",
    "the shipment. Any amendment requires the consent of both parties and takes effect after 10 business days.",
)


def running_text(sheet: Sheet) -> None:
    y = 80.0
    for _ in range(5):
        y = sheet.paragraph(60, y, PROSE) + 10
    for i, text in enumerate(
        ("First obligation of the seller under this agreement.", "Second obligation.", "Third one.")
    ):
        sheet.text(60, y + 14 * i, f"{i + 1}.")
        sheet.text(90, y + 14 * i, text)


def two_columns(sheet: Sheet) -> None:
    left = [line[:48] for line in PROSE] * 6
    for i, line in enumerate(left):
        sheet.text(60, 80 + 13 * i, line)
        sheet.text(330, 80 + 13 * i, line[::-1])


def contents(sheet: Sheet) -> None:
    for i, (title, number) in enumerate((("Definitions", 1), ("Fees", 4), ("Term", 9), ("Notices", 12), ("Law", 15))):
        sheet.text(60, 100 + 14 * i, f"{title} " + ". " * 60)
        sheet.right(500, 100 + 14 * i, str(number))


@pytest.mark.parametrize("draw", [running_text, two_columns, contents])
def test_running_text_lists_and_contents_are_no_tables(draw: object) -> None:
    assert document(draw).pages[0].tables == ()  # type: ignore[arg-type]


def test_sample_fact_sheet(samples: list[Path]) -> None:
    sheet = read(samples[0].read_bytes(), "nimbus_2024.pdf", settings=DocumentSettings())
    cells = [cell for page in sheet.pages for table in page.tables for cell in table.cells]

    def stated(text: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        return [(c.row_headers, c.col_headers) for c in cells if c.text == text and not c.is_header]

    assert (("Expense ratio",), ()) in stated("0.04%")
    assert stated("$48,617 million") == [(("Net assets as of June 30, 2024",), ())]
    assert (("Net asset value (NAV)",), ("Average annual returns", "10 years")) in stated("12.68%")
    assert (("Market price",), ("Average annual returns", "Since inception")) in stated("14.64%")
    assert (("Net asset value (NAV)",), ("2022",)) in stated("-18.21%")
    assert (("Information technology",), ("As of June 30, 2024",)) in stated("30.6%")
    assert stated("6.9%") == [(("Larkspur Devices Inc.",), ("% of net assets",))]
    assert stated("$236.5 billion") == [(("Median market cap",), ("Benchmark",))]


def every_cell_is_its_span(document: Document) -> None:
    for page in document.pages:
        for table in page.tables:
            for cell in table.cells:
                assert cell.text == " ".join(page.text[s:e] for s, e in cell.spans)
                assert cell.row < table.n_rows and cell.col < table.n_cols
                assert len(cell.row_headers) == len(cell.row_header_spans)
                assert len(cell.col_headers) == len(cell.col_header_spans)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["camelot__us-001", "camelot__us-024", "camelot__us-012"])
def test_census_and_health_tables(shared: Path, name: str) -> None:
    path = shared / "pdfs/government" / f"{name}.pdf"
    found = read(path.read_bytes(), path.name, settings=DocumentSettings(ocr="off"))
    every_cell_is_its_span(found)
    values = [c for p in found.pages for t in p.tables for c in t.cells if not c.is_header and c.text]
    headed = [c for c in values if c.row_headers and c.col_headers]
    assert len(values) > 80
    assert len(headed) >= 0.9 * len(values)


@pytest.mark.shared
def test_fields_of_an_accident_report(shared: Path) -> None:
    outcomes = [(row["field"], field_outcome(report, row)) for report, row in forms_of(shared, "dev", limit=1)]
    assert len(outcomes) > 25
    assert [field for field, outcome in outcomes if outcome != "found"] == []


def schedule(first: int, last: int, *, titled: bool, top: float) -> Draw:
    """Part of a long schedule of holdings without rules; its column titles are printed once."""

    def draw(sheet: Sheet) -> None:
        sheet.text(60, 40, "Growth Fund  Schedule of Investments", size=8)
        if titled:
            sheet.text(60, top - 32, "Holdings (in thousands)", bold=True)
            for x, title in ((400, "Shares"), (500, "Value")):
                sheet.right(x, top - 14, title, bold=True)
        for row, number in enumerate(range(first, last)):
            y = top + 14 * row
            sheet.text(60, y, f"Company {number} plc")
            sheet.right(400, y, f"{number * 37},{number + 100}")
            sheet.right(500, y, f"{number * 11},{number + 500}")

    return draw


def test_a_table_that_goes_on_on_the_next_page_keeps_its_headers() -> None:
    pages = document(
        schedule(1, 45, titled=True, top=120),
        schedule(45, 95, titled=False, top=70),
        schedule(95, 120, titled=False, top=70),
    ).pages
    for page, number in zip(pages, (7, 77, 107), strict=True):
        (table,) = page.tables
        shares = cell_of(table, f"{number * 37},{number + 100}")
        assert (shares.row_headers, shares.col_headers) == ((f"Company {number} plc",), ("Shares",))
        assert shares.unit == cell_of(pages[0].tables[0], "259,107").unit != ""
        assert cell_of(table, f"{number * 11},{number + 500}").col_headers == ("Value",)


def test_another_table_on_the_next_page_inherits_nothing() -> None:
    def prose_first(sheet: Sheet) -> None:
        sheet.paragraph(60, 80, ["The fund also holds the following securities, which were bought in the year."] * 6)
        schedule(45, 60, titled=False, top=200)(sheet)

    _, second = document(schedule(1, 45, titled=True, top=120), prose_first).pages
    assert all(not cell.col_headers for table in second.tables for cell in table.cells)
