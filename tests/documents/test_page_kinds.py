"""Kinds of page: statements under all their titles, what only names them, notes to their end, contents."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import pytest

from grounded.documents.page_kinds import page_kinds
from grounded.types import Document, Page

INCOME = """Net sales\t9,812\t9,120
Cost of sales\t5,100\t4,900
Selling and administrative\t1,204\t1,180
Operating income\t2,310\t2,200
Interest expense\t112\t109
Income before income taxes\t2,198\t2,091
Net income\t1,730\t1,650
Earnings per share — diluted\t3.11\t2.96"""
BALANCE = """Cash and cash equivalents\t1,200\t1,100
Total current assets\t3,400\t3,300
Total assets\t9,900\t9,700
Total current liabilities\t2,100\t2,000
Long-term debt\t2,400\t2,450
Total liabilities\t5,200\t5,100
Retained earnings\t3,900\t3,800
Total shareholders' equity\t4,700\t4,600"""
CASH = """Net income\t1,730\t1,650
Net cash provided by operating activities\t2,400\t2,300
Purchases of property and equipment\t(512)\t(498)
Net cash used in investing activities\t(700)\t(650)
Dividends paid\t(400)\t(390)
Net cash used in financing activities\t(1,500)\t(1,450)
Cash at end of year\t1,200\t1,100"""


def kinds(*texts: str) -> list[str]:
    pages = tuple(
        Page(n, str(n), 612, 792, 0, text, np.zeros((len(text), 4), np.float32)) for n, text in enumerate(texts, 1)
    )
    key = hashlib.sha256("".join(texts).encode()).hexdigest()
    found = page_kinds(Document(id=key, name="a.pdf", pages=pages, extractor="t"))
    return [found.get(page.number, "") for page in pages]


PROSE = "The Company makes pumps and valves for industry and sells them in many countries. " * 16


@pytest.mark.parametrize(
    ("title", "rows", "kind"),
    [
        ("CONSOLIDATED STATEMENTS OF OPERATIONS", INCOME, "income statement"),
        ("Pell Inc. and Subsidiaries\nConsolidated Statements of Earnings", INCOME, "income statement"),
        ("Pell Inc. and Subsidiaries Consolidated Results of Operations", INCOME, "income statement"),
        ("Consolidated income statement for the year ended 31 December 2022", INCOME, "income statement"),
        ("Statement of Financial Position", BALANCE, "balance sheet"),
        ("Consolidated Financial Position at December 31", BALANCE, "balance sheet"),
        ("CONDENSED CONSOLIDATED BALANCE SHEETS (Unaudited)", BALANCE, "balance sheet"),
        ("Statements of Consolidated Cash Flow", CASH, "cash flow statement"),
        ("(in millions)", CASH, "cash flow statement"),
        ("CASH FLOWS STATEMENTS\n(In millions)", CASH, "cash flow statement"),
        ("INCOME STATEMENTS\n(In millions, except per share amounts)", INCOME, "income statement"),
    ],
)
def test_a_statement_is_known_by_its_title_and_rows(title: str, rows: str, kind: str) -> None:
    assert kinds(PROSE, f"{title}\n{rows}") == ["", kind]


def test_a_page_that_names_statements_is_none() -> None:
    contents = "TABLE OF CONTENTS\n" + "\n".join(
        f"{line}\t{n}" for n, line in enumerate(("Business", "Consolidated Statements of Income", "Balance Sheets"), 45)
    )
    assert kinds(PROSE, contents, f"Consolidated Results of Operations\n{PROSE} 1,200 1,300") == [
        "", "table of contents", "",
    ]  # fmt: skip


def test_rows_without_a_title_count_only_where_no_page_has_the_title() -> None:
    titled = f"Consolidated Statements of Income\n{INCOME}"
    assert kinds(PROSE, f"Five-year summary\n{INCOME}", PROSE, titled) == ["", "", "", "income statement"]
    assert kinds(PROSE, f"Five-year summary\n{INCOME}", PROSE) == ["", "income statement", ""]


def test_a_short_title_counts_only_where_no_page_has_the_full_one() -> None:
    discussed = f"Consolidated Results of Operations\n{INCOME}\n{PROSE}"
    assert kinds(PROSE, discussed, f"Consolidated Statements of Income\n{INCOME}") == ["", "", "income statement"]


def test_a_statement_goes_on_until_its_last_row() -> None:
    rows = CASH.splitlines()
    first = "CONSOLIDATED STATEMENTS OF CASH FLOWS\n" + "\n".join(rows[:4] * 3)
    assert kinds(PROSE, first, "\n".join(rows[4:] * 3), PROSE) == ["", "cash flow statement", "cash flow statement", ""]


@pytest.mark.parametrize(
    "title",
    [
        "Schedule I\nCondensed Information of Registrant (Parent Company Only)\nCondensed Statements of Income",
        "Condensed Consolidating Statement of Income",
        "Condensed Statements of Income",
    ],
)
def test_statements_of_a_part_of_the_company_are_none(title: str) -> None:
    whole, notes = (
        f"Consolidated Statements of Income\n{INCOME}",
        f"Notes to Consolidated Financial Statements\n{PROSE}",
    )
    assert kinds(whole, notes, f"{title}\n{INCOME}") == ["income statement", "notes", "notes"]


def test_a_link_to_the_contents_on_every_page_makes_no_contents() -> None:
    texts = (f"Table of Contents\n{PROSE}", f"Table of Contents\nConsolidated Balance Sheets\n{BALANCE}")
    assert kinds(PROSE, *texts) == ["", "", "balance sheet"]


def test_an_index_of_statements_starts_no_notes() -> None:
    index = "Index to Financial Statements\nBalance Sheets 46\nNotes to Consolidated Financial Statements 48"
    assert kinds(PROSE, index, PROSE) == ["", "", ""]


def test_parts_run_from_their_title_to_the_next() -> None:
    talk = "Management’s Discussion and Analysis of Financial Condition and Results of Operations"
    texts = (
        f"ITEM 1. BUSINESS\n{PROSE}",
        f"{PROSE}\nItem 1A. Risk Factors\nMany.",
        PROSE,
        f"Item 2. Properties\n{PROSE}",
        f"Item 7.\n{talk}\n{PROSE}",
        f"{PROSE}\nItem 8, “Financial Statements”, has more.\nRisk Factors\nSee above.",
        f"Item 7A. Quantitative and Qualitative Disclosures About Market Risk\n{PROSE}",
        PROSE,
    )
    assert kinds(PROSE, *texts) == ["", "business", "business", "risk factors", "", "discussion", "discussion", "", ""]


def test_notes_run_to_the_next_part() -> None:
    texts = (
        "Notes to Consolidated Financial Statements",
        PROSE,
        PROSE,
        "Item 9A. Controls\nThey were effective.",
        PROSE,
    )
    assert kinds(PROSE, *texts) == ["", "notes", "notes", "notes", "", ""]


def test_a_page_of_blanks_takes_no_time() -> None:
    start = time.process_time()
    assert kinds(PROSE, "1,234 " * 20 + "\n \t\n" * 5_000 + "end") == ["", ""]
    assert time.process_time() - start < 5
