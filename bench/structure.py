"""Structure: label–value association, table headers, clauses, chunks, and what they cost per page.

`python -m bench.structure` prints one block per data set found in GROUNDED_SHARED; data sets are split by document and
only the half not looked at while building is reported (`--half dev` prints the other, `--misses` what was missed).
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grounded import locations
from grounded.documents import chunk, pdf, read
from grounded.documents.assemble import assemble
from grounded.documents.characters import read_characters
from grounded.documents.furniture import find_furniture
from grounded.documents.layout import PageLayout
from grounded.documents.sections import find_sections
from grounded.documents.tables import find_tables
from grounded.documents.typeset import typeset
from grounded.evaluation.sets import tatqa_sheet
from grounded.settings import DocumentSettings
from grounded.text import fold
from grounded.types import Box, Cell, Document

MAX_TOKENS = 250
SETTINGS = DocumentSettings(ocr="off")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--half", choices=("dev", "report"), default="report")
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    options = parser.parse_args()
    root = locations.shared()
    for title, run in (
        ("ntsb: fields whose value cell carries its label", forms),
        ("tatqa typeset: cells with row and column header", tables),
        ("cuad: numbered clauses", clauses),
        ("chunks", chunks),
        ("cost", cost),
    ):
        print(f"\n{title} ({options.half} half)")
        for name, value in run(root, options.half, options.misses):
            print(f"  {name:<46} {value}")
    return 0


Figures = Iterator[tuple[str, str]]


def in_half(position: int, half: str) -> bool:
    return (position % 2 == 1) == (half == "report")


def share(hits: int, total: int) -> str:
    return f"{hits}/{total} = {hits / total:.4f}" if total else "no data"


def key(text: str) -> str:
    return str(fold(text).key)


def load(path: Path) -> Document:
    return read(path.read_bytes(), path.name, settings=SETTINGS)


# ---------------------------------------------------------------- label–value forms


def forms(root: Path, half: str, misses: bool) -> Figures:
    """Each gold field: a cell with the gold value whose row headers name the field, on the gold boxes."""
    counts: Counter[str] = Counter()
    for document, row in forms_of(root, half):
        outcome = field_outcome(document, row)
        counts[f"{row['kind']} {outcome}"] += 1
        counts[row["kind"]] += 1
        if misses and outcome != "found":
            print("    missed:", row["doc"], row["page_index"] + 1, row["field"], row["gold_value"], outcome)
    yield "filled fields, cell on the gold boxes", share(counts["true found"], counts["true"])
    yield "blank fields, blank cell with the label", share(counts["blank_field found"], counts["blank_field"])


def forms_of(root: Path, half: str, limit: int = 1000) -> Iterator[tuple[Document, dict[str, Any]]]:
    """The filled and the blank gold fields of a half's reports (at most `limit` reports), with the report read."""
    rows = [json.loads(line) for line in (root / "bench/ntsb/gold.jsonl").read_text().splitlines()]
    names = sorted({row["doc"] for row in rows})
    for name in [n for i, n in enumerate(names) if in_half(i, half)][:limit]:
        document = load(root / "bench/ntsb/pdfs" / name)
        yield from ((document, r) for r in rows if r["doc"] == name and r["kind"] in ("true", "blank_field"))


def field_outcome(document: Document, row: dict[str, Any]) -> str:
    """ "found", or what is wrong with the cell of a gold field."""
    page = document.page(row["page_index"] + 1)
    label = key(row["gold_quote"].split("\n")[0]) if row["gold_quote"] else key(row["field"])
    cells = [cell for table in page.tables for cell in table.cells if not cell.is_header]
    own = [cell for cell in cells if any(key(header) == label.rstrip(":") for header in cell.row_headers)]
    value = key(row["gold_value"] or "")
    found = [cell for cell in own if key(cell.text) == value]
    if not found:
        return "no such label" if not own else "other value"
    placed = not value or any(_inside(box, cell.box) for cell in found for box in row["boxes"])
    return "found" if placed else "other place"


def _inside(inner: Sequence[float], outer: Box) -> bool:
    return all(inner[i] >= outer[i] - 4 for i in (0, 1)) and all(inner[i] <= outer[i] + 4 for i in (2, 3))


# ---------------------------------------------------------------- tables


def tables(root: Path, half: str, misses: bool) -> Figures:
    """Gold grids typeset without rules: for each value its cell, row label and nearest column title."""
    contexts = [json.loads(line) for line in (root / "bench/tatqa/dev_contexts.jsonl").read_text().splitlines()]
    counts: Counter[str] = Counter()
    for context in (c for i, c in enumerate(contexts) if in_half(i, half)):
        cells = _typeset_cells(context)
        for gold in _gold_cells(context["table"]):
            outcome = _cell_outcome(cells, *gold)
            counts[outcome] += 1
            if misses and outcome != "right":
                print("    missed:", next(iter(context.values())), gold, outcome)
    total = sum(counts.values())
    yield "values with row and column header", share(counts["right"], total)
    for outcome in ("not a cell", "row header", "column header"):
        yield f"  {outcome} wrong" if outcome != "not a cell" else "  value is no cell of its own", str(counts[outcome])


def _typeset_cells(context: dict[str, Any]) -> list[Cell]:
    sheet = tatqa_sheet(context)
    document = read(typeset(sheet.paragraphs, sheet.table), "table.pdf", settings=SETTINGS)
    return [cell for page in document.pages for table in page.tables for cell in table.cells]


def _gold_cells(table: Sequence[Sequence[Any]]) -> Iterator[tuple[str, str, str]]:
    """(value, row label, nearest column title) of the numeric cells below the head."""
    rows = [[" ".join(str(cell).split()) for cell in row] for row in table]
    head = next((i for i, row in enumerate(rows) if row[0] and _has_values(row)), len(rows))
    for row in rows[head:]:
        for column, value in enumerate(row[1:], start=1):
            titles = [r[column] for r in rows[:head] if column < len(r) and r[column]]
            if _is_number(value) and row[0]:
                yield value, row[0], titles[-1] if titles else ""


def _has_values(row: Sequence[str]) -> bool:
    """A number other than a year stands behind the label."""
    return any(_is_number(cell) and not re.fullmatch(r"(?:19|20)\d\d", cell) for cell in row[1:])


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[($€£\s-]*\d[\d,.]*[)%\s]*", text) is not None


def _cell_outcome(cells: Sequence[Cell], value: str, label: str, title: str) -> str:
    own = [cell for cell in cells if key(cell.text) == key(value)]
    if not own:
        return "not a cell"
    rows = [cell for cell in own if any(_same_label(label, header) for header in cell.row_headers[-1:])]
    if not rows:
        return "row header"
    titled = [c for c in rows if not title or any(key(title.rstrip("0123456789()")) in key(h) for h in c.col_headers)]
    return "right" if titled else "column header"


def _same_label(gold: str, header: str) -> bool:
    a, b = key(gold).rstrip(":"), key(header)
    return a == b or (a.startswith(b) and len(a) - len(b) <= 5)


# ---------------------------------------------------------------- clauses


_CLAUSE = re.compile(
    r"^(?:(?:Section|SECTION|Sec\.)\s+)?(?P<number>\d{1,2}(?:\.\d{1,2})+)\.?\s+[A-Z“\"]|"
    r"^(?P<article>(?:ARTICLE|Article)\s+(?:[IVX]+|\d+))\b"
)


def clauses(root: Path, half: str, misses: bool) -> Figures:
    """Rows that begin with a number of two or more levels, or with ARTICLE, judged by eye to be clauses nearly always
    (see the commit): a section must begin there, under its parent number."""
    counts: Counter[str] = Counter()
    for path in (p for i, p in enumerate(sorted((root / "bench/cuad/pdfs").glob("*.pdf"))) if in_half(i, half)):
        document = load(path)
        begins = {(section.page, section.span[0]): section.path for section in document.sections}
        for page, offset, number in clause_rows(document):
            found = begins.get((page, offset))
            counts["all"] += 1
            counts["found"] += found is not None
            counts["nested"] += found is not None and _under_parent(found, number)
            if misses and not (found and _under_parent(found, number)):
                print(
                    "    missed:", path.name, page, document.page(page).text[offset : offset + 60].split("\n")[0], found
                )
        counts["sections"] += len(document.sections)
    yield "clause rows where a section begins", share(counts["found"], counts["all"])
    yield "  and stands under its parent number", share(counts["nested"], counts["all"])
    yield "sections in all", str(counts["sections"])


def clause_rows(document: Document) -> Iterator[tuple[int, int, str]]:
    """(page, offset, number) of the rows that begin like a clause, outside tables of contents."""
    for page in document.pages:
        offset = 0
        listing = len(re.findall(r"(?:\.\s?){4,}|\t\d{1,3}$", page.text, re.MULTILINE)) >= 5
        for line in page.text.splitlines(keepends=True):
            match = _CLAUSE.match(line)
            if match and not listing:
                yield page.number, offset, match["number"] or ""
            offset += len(line)


def _under_parent(path: Sequence[str], number: str) -> bool:
    """Path "… › 3. Fees › 3.1 Payment" for 3.1; only the numbers of the levels above are asked for."""
    above = number.split(".")[:-1]
    if not above:
        return True
    if len(path) < 2:
        return False
    numbers = re.findall(r"\d+(?:\.\d+)*|\b[IVX]+\b", path[-2])
    return any(_arabic(n) == ".".join(above) or n == ".".join(above) for n in numbers[:1])


def _arabic(text: str) -> str:
    values = {"I": 1, "V": 5, "X": 10}
    if any(char not in values for char in text):
        return text
    total = sum(
        -values[a] if values[a] < values.get(b, 0) else values[a] for a, b in zip(text, text[1:] + " ", strict=True)
    )
    return str(total)


# ---------------------------------------------------------------- chunks


def word_count(text: str) -> int:
    """A stand-in for the tokenizer that needs no model: words and marks, a third more for word pieces."""
    return 2 + round(1.33 * len(re.findall(r"\w+|[^\w\s]", text)))


def chunks(root: Path, half: str, misses: bool) -> Figures:
    """Invariants over contracts, forms, papers and government files."""
    counts: Counter[str] = Counter()
    words: list[int] = []
    for path in _sample(root, half):
        document = load(path)
        made = chunk(document, count_tokens=word_count, max_tokens=MAX_TOKENS)
        words += [len(c.text.split()) for c in made]
        counts["chunks"] += len(made)
        counts["too long"] += sum(word_count(f"{c.context}\n{c.text}") > MAX_TOKENS for c in made)
        counts["not its span"] += sum(document.page(c.page).text[c.span[0] : c.span[1]] != c.text for c in made)
        counts["characters left out"] += sum(
            _left_out(document, number, made) for number in range(1, len(document.pages) + 1)
        )
        counts["characters"] += sum(len("".join(p.text.split())) for p in document.pages if p.readable)
        counts["same id"] += len(made) - len({c.id for c in made})
    ordered = sorted(words)
    yield "chunks", str(counts["chunks"])
    if ordered:
        yield (
            "words: 10 %, median, 90 %",
            " / ".join(str(ordered[int(q * (len(ordered) - 1))]) for q in (0.1, 0.5, 0.9)),
        )
    for name in ("too long", "not its span", "same id"):
        yield name, str(counts[name])
    yield "characters outside every chunk and furniture", share(counts["characters left out"], counts["characters"])


def _sample(root: Path, half: str) -> list[Path]:
    paths = sorted((root / "bench/cuad/pdfs").glob("*.pdf"))[:24] + sorted((root / "bench/ntsb/pdfs").glob("*.pdf"))
    for folder in ("government", "medical", "papers", "tables", "contracts_legal"):
        paths += sorted((root / "pdfs" / folder).glob("*.pdf"))
    return [path for i, path in enumerate(paths) if in_half(i, half) and path.stat().st_size < 1_500_000]


def _left_out(document: Document, number: int, made: Sequence[Any]) -> int:
    page = document.page(number)
    if not page.readable:
        return 0
    covered = bytearray(len(page.text))
    for start, end in [*page.furniture, *(c.span for c in made if c.page == number)]:
        covered[start:end] = b"\x01" * (end - start)
    return sum(not seen and not char.isspace() for seen, char in zip(covered, page.text, strict=True))


# ---------------------------------------------------------------- cost


def cost(root: Path, half: str, misses: bool) -> Figures:
    """Milliseconds a page (processor time) of each step, and as a share of extracting the same pages."""
    spent: Counter[str] = Counter()
    pages = 0
    for path in _sample(root, half):
        with pdf.open_pdf(path.read_bytes(), path.name) as opened:
            layouts = _timed(
                spent, "extraction", lambda opened=opened: [_layout(sheet, n) for n, sheet in enumerate(opened, 1)]
            )
            outline = pdf.outline(opened)
        pages += len(layouts)
        furniture = _timed(spent, "furniture", lambda layouts=layouts: find_furniture(layouts))
        found = _timed(spent, "tables", lambda layouts=layouts: [find_tables(page) for page in layouts])
        _timed(
            spent,
            "sections",
            lambda a=layouts, o=outline, f=furniture, t=found: find_sections(a, outline=o, furniture=f, tables=t),
        )
    yield "pages", str(pages)
    for name, seconds in spent.items():
        yield (
            f"{name}, ms a page",
            f"{1000 * seconds / max(pages, 1):.2f} ({seconds / spent['extraction']:.2f} of extraction)",
        )


def _layout(sheet: Any, number: int) -> PageLayout:
    characters = read_characters(sheet)
    text, boxes, lines, _ = assemble(characters, characters.fragments)
    size = float(sheet.rect.width), float(sheet.rect.height)
    return PageLayout(number, str(number), *size, text, boxes, lines, characters.rules)


def _timed(spent: Counter[str], name: str, work: Any) -> Any:
    start = time.process_time()
    result = work()
    spent[name] += time.process_time() - start  # type: ignore[assignment]
    return result


if __name__ == "__main__":
    raise SystemExit(main())
