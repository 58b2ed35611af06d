"""Claims against reports of several tables: the right table, its own scale, its rest on the next page, places shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded import documents
from grounded.cli.check import FileSource
from grounded.documents.typeset import typeset
from grounded.settings import Settings
from grounded.types import PageSource
from grounded.verification.check import CheckItem, CheckResult, check_claims
from grounded.verification.passages import continued, layout, prose

SALES = [["", "2023", "2022"], ["(in millions)", "", ""], ["Product sales", "1,204.5", "1,100.2"],
         ["Service sales", "310.0", "280.4"], ["Total sales", "1,514.5", "1,380.6"]]  # fmt: skip
STAFF = [["", "2023", "2022"], ["(in thousands)", "", ""], ["Wages", "48,200", "45,100"],
         ["Pensions", "3,150", "2,980"], ["Training", "610", "540"]]  # fmt: skip
DEPOTS = [["", "2023"], *([f"Depot {chr(65 + n // 10)}{n % 10} stock", f"{1000 + 7 * n:,}"] for n in range(75))]
FILLER = "The company runs depots in nine countries and carries goods for the food trade. " * 4


def opened(data: bytes, name: str) -> tuple[str, PageSource]:
    document = documents.read(data, name, settings=Settings().documents)
    return document.id, FileSource(document)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, PageSource]:
    """Three tables; the last one runs over a page break."""
    import pymupdf

    bound = pymupdf.open()
    for text, table in (("Sales by kind.", SALES), ("Cost of staff.", STAFF), ("Stock by depot at year end.", DEPOTS)):
        part = pymupdf.open(stream=typeset([FILLER, text], table, title="Brackwater Holdings"), filetype="pdf")
        bound.insert_pdf(part)
    return opened(bound.tobytes(), "report.pdf")


def check(report: tuple[str, PageSource], claim: str) -> CheckResult:
    (result,) = check_claims([CheckItem(claim=claim, document="report")], lambda name: report)
    return result


@pytest.mark.parametrize(
    ("claim", "page", "shown"),
    [
        ("Total sales were 1,514.5 million in 2023.", 1, ["1,514.5"]),
        ("What was the change in product sales from 2022 to 2023? — 104.3 million", 1, ["1,204.5", "1,100.2"]),
        ("Wages were 48,200 thousand in 2023.", 2, ["48,200"]),
        ("What was the average of pensions in 2022 and 2023? — 3,065 thousand", 2, ["3,150", "2,980"]),
        ("Depot H1 stock was 1,497 in 2023.", 4, ["1,497"]),
    ],
)
def test_true_claims_show_what_they_rest_on(
    report: tuple[str, PageSource], claim: str, page: int, shown: list[str]
) -> None:
    result = check(report, claim)
    assert result.verdict.grounded, result.verdict.reason
    assert [c.page for c in result.citations] == [page]
    assert all(number in result.citations[0].snippet for number in shown)


@pytest.mark.parametrize(
    ("claim", "page", "against"),
    [
        ("Wages were 48,200 million in 2023.", 2, "48,200"),
        ("What was the change in pensions from 2022 to 2023? — 170 million", 2, "3,150"),
        ("Total sales were 1,380.6 million in 2023.", 1, "1,514.5"),
        ("Depot H1 stock was 1,490 in 2023.", 4, "1,497"),
    ],
)
def test_false_claims_show_the_cell_that_speaks_against_them(
    report: tuple[str, PageSource], claim: str, page: int, against: str
) -> None:
    result = check(report, claim)
    assert result.verdict.status == "contradicted", result.verdict.reason
    assert any(c.page == page and against in c.snippet for c in result.citations)


def test_a_table_goes_on_behind_a_page_break(report: tuple[str, PageSource]) -> None:
    document, source = report
    tables = continued([source.page(document, n + 1) for n in range(source.page_count(document))])
    assert [len({part.page for part in table.parts}) for table in tables] == [1, 1, 2]
    last = tables[-1]
    part, row = last.place(len(last.grid.rows) - 1)
    cell = next(t for t in source.page(document, part.page).tables if t.index == part.table).at(row, 0)
    assert cell is not None
    assert cell.text == "Depot H4 stock" == last.grid.rows[-1][0]


def test_prose_keeps_every_offset_and_leaves_figures_out(report: tuple[str, PageSource]) -> None:
    document, source = report
    page = source.page(document, 1)
    text = prose(page)
    assert len(text) == len(page.text)
    assert "1,514.5" not in text
    assert text.index("Sales by kind") == page.text.index("Sales by kind")


def test_every_page_is_in_a_passage(report: tuple[str, PageSource]) -> None:
    document, source = report
    reached = {piece.page for passage in layout(document, source).passages for piece in passage.pieces}
    assert reached == set(range(1, source.page_count(document) + 1))


def test_a_quoted_row_is_read_with_its_headers(report: tuple[str, PageSource]) -> None:
    quote = "Total sales 1,514.5 1,380.6"
    items = [
        CheckItem(claim=f"Total sales were {value} million in 2023.", quote=quote, document="report")
        for value in ("1,514.5", "1,380.6")
    ]
    assert [r.verdict.grounded for r in check_claims(items, lambda name: report)] == [True, False]


def test_a_quote_on_another_page_is_said_to_be_there(report: tuple[str, PageSource]) -> None:
    item = CheckItem(claim="Wages were 48,200 thousand in 2023.", quote="Wages 48,200 45,100", page=1, document="r")
    (result,) = check_claims([item], lambda name: report)
    assert not result.verdict.grounded
    assert "on page 2" in result.verdict.reason


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    import pymupdf

    mixed = pymupdf.open(stream=typeset(["The fee is EUR 12,000 per month."]), filetype="pdf")
    mixed.new_page().draw_rect((50, 50, 300, 300), fill=(0, 0, 0))
    source = opened(mixed.tobytes(), "mixed.pdf")
    (unknown,) = check_claims([CheckItem(claim="The deposit is EUR 900.", document="m")], lambda name: source)
    assert "not read: mixed.pdf, p. 2" in unknown.verdict.reason
    (on_it,) = check_claims([CheckItem(claim="The fee is 3.", document="m", page=2)], lambda name: source)
    assert (on_it.verdict.status, on_it.verdict.confidence) == ("unverified", 0.0)
