"""Chunks: exact spans, whole sentences and rows, nothing lost, nothing too long, context never inside the text."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from grounded.documents import chunk, read
from grounded.settings import DocumentSettings
from grounded.types import Chunk, Document
from tests.documents.sheets import Sheet, document
from tests.documents.test_tables import income_statement

MAX_TOKENS = 120


def count(text: str) -> int:
    """Words and marks, and two special tokens: the shape of a tokenizer's count."""
    return 2 + len(re.findall(r"\w+|[^\w\s]", text))


def chunks_of(found: Document, max_tokens: int = MAX_TOKENS) -> tuple[Chunk, ...]:
    return chunk(found, count_tokens=count, max_tokens=max_tokens)


def check_invariants(found: Document, made: tuple[Chunk, ...], max_tokens: int = MAX_TOKENS) -> None:
    """What holds for every document."""
    assert [c.ordinal for c in made] == list(range(len(made)))
    assert len({c.id for c in made}) == len(made)
    for c in made:
        page = found.page(c.page)
        assert c.text == page.text[c.span[0] : c.span[1]]
        assert c.text.strip() == c.text != ""
        assert count(f"{c.context}\n{c.text}") <= max_tokens
        assert c.id == hashlib.sha256(f"{found.id}:{c.page}:{c.span[0]}:{c.span[1]}".encode()).hexdigest()
    for page in found.pages:
        spans = [*page.furniture, *(c.span for c in made if c.page == page.number)]
        covered = set().union(*(range(s, e) for s, e in spans)) if spans else set()
        left = [i for i, char in enumerate(page.text) if not char.isspace() and i not in covered]
        assert not page.readable or left == []


@pytest.mark.parametrize("max_tokens", [60, 120, 250])
def test_samples_keep_the_invariants(samples: list[Path], max_tokens: int) -> None:
    for path in samples:
        found = read(path.read_bytes(), path.name, settings=DocumentSettings())
        check_invariants(found, chunks_of(found, max_tokens), max_tokens)


def test_ids_do_not_depend_on_the_run(samples: list[Path]) -> None:
    data = samples[0].read_bytes()
    twice = [chunks_of(read(data, "a.pdf", settings=DocumentSettings()), 250) for _ in range(2)]
    assert [c.id for c in twice[0]] == [c.id for c in twice[1]]


def test_a_section_of_the_sample_is_a_chunk_with_its_path_as_context(samples: list[Path]) -> None:
    found = read(samples[1].read_bytes(), "nimbus_2025.pdf", settings=DocumentSettings())
    facts = next(c for c in chunks_of(found, 250) if "0.03%" in c.text and "Expense ratio" in c.text)
    assert facts.section.endswith("Quick facts")
    assert facts.kind == "table"
    assert "fact sheet, June 30, 2025" in facts.context and "Quick facts" in facts.context
    assert "fact sheet, June 30, 2025" not in facts.text


def long_table(sheet: Sheet) -> None:
    sheet.text(60, 60, "Sales by region", size=14, bold=True)
    for x, title in ((300, "2023"), (400, "2024")):
        sheet.right(x, 90, title, bold=True)
    for i in range(40):
        sheet.text(60, 106 + 14 * i, f"Region number {i} of the north")
        sheet.right(300, 106 + 14 * i, f"{1000 + i:,}")
        sheet.right(400, 106 + 14 * i, f"{2000 + i:,}")


def test_rows_of_a_long_table_repeat_its_head_as_context() -> None:
    found = document(long_table)
    made = chunks_of(found)
    check_invariants(found, made)
    assert len(made) > 3
    for c in made:
        assert c.kind == "table"
        assert re.match(r"Sales|Region number \d+ of the north\t1,0\d\d\t2,0\d\d", c.text)
        assert re.search(r"2,0\d\d$", c.text)
    assert all("2023 · 2024" in c.context for c in made[1:])


SENTENCES = (
    "The tenant keeps the premises in good repair. The landlord may inspect them once a month, after notice. ",
    "A repair that is urgent is done at once; the cost is borne by the party at fault, if any. ",
)


def long_prose(sheet: Sheet) -> None:
    words = "".join(SENTENCES * 8).split()
    sheet.paragraph(60, 80, [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)])


def test_prose_is_cut_between_sentences() -> None:
    found = document(long_prose)
    made = chunks_of(found)
    check_invariants(found, made)
    assert len(made) > 2
    assert all(c.text.endswith(".") for c in made)


def one_sentence(sheet: Sheet) -> None:
    clauses = [f"the party of part {i} shall deliver the goods of list {i} at place {i};" for i in range(30)]
    words = "".join(["It is agreed that ", " ".join(clauses)]).split()
    sheet.paragraph(60, 80, [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)])


def test_a_sentence_that_is_too_long_is_cut_at_clauses() -> None:
    found = document(one_sentence)
    made = chunks_of(found)
    check_invariants(found, made)
    assert all(c.text.endswith(";") for c in made)


def unbroken(sheet: Sheet) -> None:
    for i in range(20):
        sheet.text(60, 80 + 14 * i, "x1-" * 30)


def test_text_without_a_place_to_cut_is_cut_anyway() -> None:
    found = document(unbroken)
    check_invariants(found, chunks_of(found))


def test_a_statement_is_known_as_one() -> None:
    assert {c.page_kind for c in chunks_of(document(income_statement), 250)} == {"income statement"}


def signatures(sheet: Sheet) -> None:
    sheet.paragraph(60, 80, ["IN WITNESS WHEREOF, the parties have executed this Agreement on the date above."])
    for i, line in enumerate(("ACME LTD.", "By: ______________", "Name: A. Smith", "Title: Director")):
        sheet.text(60, 130 + 16 * i, line)


def test_a_signature_page_is_known_as_one() -> None:
    filler = "".join(SENTENCES * 6).split()

    def text(sheet: Sheet) -> None:
        sheet.paragraph(60, 80, [" ".join(filler[i : i + 14]) for i in range(0, len(filler), 14)])

    made = chunks_of(document(text, signatures), 250)
    assert {c.page_kind for c in made if c.page == 2} == {"signature page"}
    assert {c.page_kind for c in made if c.page == 1} == {""}


@pytest.mark.shared
@pytest.mark.parametrize(
    "name",
    [
        "bench/cuad/pdfs/cuad_009.pdf",
        "pdfs/government/camelot__us-024.pdf",
        "pdfs/tables/pdfpig__2006_Swedish_Touring_Car_Championship.pdf",
    ],
)
def test_real_files_keep_the_invariants(shared: Path, name: str) -> None:
    found = read((shared / name).read_bytes(), name, settings=DocumentSettings(ocr="off"))
    check_invariants(found, chunks_of(found, 250), 250)
