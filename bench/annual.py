"""Invented annual reports that look like filings: cover, contents, items, discussion, statements under varying titles,
notes. And questions as analysts ask them, each with the pages that answer it. Words and companies: annual.json.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

YEARS = (2021, 2022)
WIDTH, HEIGHT, MARGIN, LEADING = 612.0, 792.0, 54.0, 11.5
SMALL = {"interest", "dividends", "rnd", "capex", "dna", "buyback"}  # lines of tens and hundreds of millions

_DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_BUSINESS = ("business", "business geography", "business customers", "business people")
_NOTES = tuple(key for key in _DATA["pages"] if key.startswith("note "))


class Table(NamedTuple):
    """Column heads and rows; a row of one cell is a heading inside the table."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, ...]]


class Block(NamedTuple):
    """What one page holds: titles ("# …", "## …"), paragraphs, tables. key: what questions call the page."""

    key: str
    parts: Sequence[str | Table]


def typeset(folder: Path) -> None:
    """Write the reports that are not there yet as PDFs."""
    folder.mkdir(parents=True, exist_ok=True)
    for report in reports():
        if not (path := folder / report.file_name).exists():
            _draw(path, report)


def questions() -> Iterator[tuple[str, str, set[int], bool]]:
    """Question, file name, the 1-based pages that answer it, and whether it says which report is meant."""
    for report in reports():
        pages = {block.key: number for number, block in enumerate(report.pages(), 1)}
        for text, *gold in _DATA["questions"]:
            asked = text.format(c=report.company["short"], y=report.year, p=report.year - 1)
            yield asked, report.file_name, {pages[key] for key in gold}, "{c}" in text and "{y}" in text


def reports() -> Iterator[Report]:
    """Every company's report for every year."""
    return (Report(company, year) for company in _DATA["companies"] for year in YEARS)


class Report:
    """One annual report. The figures of a line differ by year and agree between pages."""

    def __init__(self, company: dict[str, Any], year: int) -> None:
        month, day = company["year_end"]
        self.company, self.year = company, year
        self.end = date(year + (month == 1), month, day)  # a year that ends in January is named after the one before
        self.words: dict[str, str] = _DATA["words"] | company["words"]
        self.file_name = f"{sum(map(ord, company['name'])) % 9973:04d}-{(year * 37) % 1000:03d}.pdf"
        self._chance = random.Random(f"{company['name']}{year}")

    def pages(self) -> list[Block]:
        """The report page by page; the same on every call."""
        self._chance.seed(f"{self.company['name']}{self.year}")
        business = [self._prose(key) for key in _BUSINESS]
        risks = [self._risks(number) for number in range(5)]
        items = [self._prose(key) for key in ("properties", "legal", "market", "overview")]
        talk = [self._selected(), self._results(), self._prose("margin"), self._prose("segments"), self._segments()]
        rest = [self._prose(key) for key in ("liquidity", "critical", "market risk", "auditor")]
        statements = [self._statement(kind) for kind in self.company["order"]]
        notes = [*(self._prose(key) for key in _NOTES), self._quarterly()]
        end = [*(self._prose(key) for key in ("controls", "directors", "exhibits")), self._signatures()]
        return [self._cover(), self._contents(), *business, *risks, *items, *talk, *rest, *statements, *notes, *end]

    # ------------------------------------------------------------ figures

    def _money(self, line: str, year: int) -> str:
        chance = random.Random(f"{self.company['name']}{line}{year}")
        if line == "none":
            return "—"
        if line == "per share":
            return f"{chance.randint(1, 6)}.{chance.randint(10, 99)}"
        low, high = (40, 400) if line.strip("-") in SMALL else (500, 9800)
        value = f"{chance.randint(low, high):,}"
        return f"({value})" if line.startswith("-") else value

    def _row(self, label: str, line: str, years: Sequence[int]) -> tuple[str, ...]:
        return (label.format(**self.words), *(self._money(line, year) for year in years if line))

    def _facts(self) -> dict[str, str]:
        """What the braces of the prose stand for."""
        chance, (a, b, c) = self._chance, self.company["products"]
        money = {f"m{n}": f"{chance.randint(11, 990)}" for n in range(9)}
        percent = {f"p{n}": f"{chance.randint(1, 39)}.{chance.randint(0, 9)}" for n in range(9)}
        years = {"y": self.year, "p": self.year - 1, "n": self.year + 1, "n3": self.year + 3}
        own = {name: self.company[name] for name in ("name", "short", "trade")} | {"a": a, "b": b, "c": c}
        people = f"{chance.randint(3, 90)},{chance.randint(100, 999)}"
        found = {"end": _written(self.end), "people": people, "place": "Harwick, Ohio"}
        cap = {"cap": self._money("capex", self.year)}
        return self.words | money | percent | own | found | cap | {key: str(year) for key, year in years.items()}

    def _fillers(self, count: int) -> list[str]:
        return self._chance.sample(_DATA["fillers"], count)

    # ------------------------------------------------------------ pages

    def _prose(self, key: str) -> Block:
        title, *paragraphs = _DATA["pages"][key]
        facts = self._facts()
        return Block(key, [f"# {title}", *(p.format(**facts) for p in paragraphs), *self._fillers(4)])

    def _risks(self, number: int) -> Block:
        chosen = _DATA["risks"][number * 3 : number * 3 + 3]
        facts = self._facts()
        head = ["# ITEM 1A. RISK FACTORS"] if number == 0 else []
        body = [part.format(**facts) for title, text in chosen for part in (f"## {title}", text)]
        return Block(f"risk {number}", [*head, *body, *self._fillers(3)])

    def _cover(self) -> Block:
        facts, chance, ticker = self._facts(), self._chance, self.company["ticker"]
        heads = ("Title of each class", "Trading Symbol(s)", "Name of each exchange on which registered")
        listed = [("Common Stock, par value $0.01 per share", ticker, "New York Stock Exchange, Inc.")]
        for n in range(3 if self.company["debt_listed"] else 0):
            note = f"{1 + n}.{chance.randint(100, 900)}% Notes due {self.year + 3 + n}"
            listed.append((note, f"{ticker}{n + 24}", "New York Stock Exchange, Inc."))
        parts: list[str | Table] = [
            "# UNITED STATES SECURITIES AND EXCHANGE COMMISSION",
            "# FORM 10-K",
            "ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934",
            f"For the fiscal year ended {facts['end']}",
            f"Commission File Number 001-{chance.randint(10000, 99999)}",
            f"# {self.company['name']}",
            "(Exact name of registrant as specified in its charter)",
            f"{facts['place']} (Address of principal executive offices)",
            "Securities registered pursuant to Section 12(b) of the Act:",
            Table(heads, listed),
            "Securities registered pursuant to Section 12(g) of the Act: None",
            f"The aggregate market value of stock held by non-affiliates was approximately ${facts['m1']}.5 billion. "
            f"Shares of common stock outstanding at the latest practicable date: {facts['m2']},{facts['m3']},000.",
        ]
        return Block("cover", parts)

    def _contents(self) -> Block:
        keys = ("business", "properties", "legal", "market", "overview", "market risk", "controls", "exhibits")
        rows = [(_DATA["pages"][key][0].capitalize(), str(page)) for page, key in enumerate(keys, 3)]
        rows += [(self._title(kind), str(28 + n)) for n, kind in enumerate(self.company["order"])]
        return Block("contents", ["# TABLE OF CONTENTS", Table(("", "Page"), rows)])

    def _title(self, kind: str) -> str:
        return str(self.company["titles"][kind]).format(name=self.company["name"], end=_written(self.end))

    def _selected(self) -> Block:
        years = [self.year - n for n in range(5)]
        lines = ("revenue", "operating", "net", "cashline", "debt", "equity")
        table = Table(["", *map(str, years)], [self._row(self.words[line], line, years) for line in lines])
        return Block("selected", ["# SELECTED FINANCIAL DATA", "(Dollars in millions)", table, *self._fillers(2)])

    def _results(self) -> Block:
        years, facts = [self.year, self.year - 1], self._facts()
        rows = [self._row(self.words[line], line, years) for line in ("revenue", "cogs", "sga", "operating")]
        title, *texts = _DATA["pages"]["results"]
        table = Table(["(Millions)", *map(str, years)], rows)
        return Block("results", [f"# {title}", table, *(t.format(**facts) for t in texts), *self._fillers(2)])

    def _segments(self) -> Block:
        years = [self.year, self.year - 1, self.year - 2]
        rows = [self._row(product.capitalize(), product, years) for product in self.company["products"]]
        table = Table(["(Millions)", *map(str, years)], [("Sales by segment",), *rows, ("Operating income",), *rows])
        return Block("segment table", ["## Performance by business segment", table, *self._fillers(3)])

    def _quarterly(self) -> Block:
        lines = ("revenue", "gross", "net")
        rows = [(self.words[line], *(self._money(f"{line}{q}", self.year) for q in range(4))) for line in lines]
        table = Table(["(Millions)", "First", "Second", "Third", "Fourth"], rows)
        return Block("quarterly", ["# NOTE 20. Quarterly Data (Unaudited)", table, *self._fillers(2)])

    def _signatures(self) -> Block:
        people = ("R. Amberley  Title: Chief Executive Officer", "T. Quist  Title: Chief Financial Officer")
        lead = "The registrant has duly caused this report to be signed on its behalf by the undersigned."
        return Block("signatures", ["# SIGNATURES", lead, *(f"Name: {person}" for person in people), "Name: L. Osei"])

    def _statement(self, kind: str) -> Block:
        years = [self.year - n for n in range(2 if kind == "balance" else 3)]
        lines = _DATA["statements"][kind]
        rows = [self._row(label, line, years) for label, line in lines if line != "none" or self.company["preferred"]]
        table = Table(["(Millions, except per share amounts)", *map(str, years)], rows)
        lead = [] if "{name}" in self.company["titles"][kind] else [self.company["name"]]
        end = "The accompanying notes are an integral part of this statement."
        return Block(kind, [*lead, f"# {self._title(kind)}", f"Years ended {_written(self.end)}", table, end])


def _written(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


# ---------------------------------------------------------------- typesetting


def _draw(path: Path, report: Report) -> None:
    canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=1)
    for number, block in enumerate(report.pages(), 1):
        if report.company["running_head"] and number > 1:
            canvas.setFont("Helvetica", 7.5)
            canvas.drawString(MARGIN, HEIGHT - 30, f"{report.company['name']}  Annual Report {report.year}")
        _page(canvas, block)
        canvas.setFont("Helvetica", 8)
        canvas.drawCentredString(WIDTH / 2, 28, str(number))
        canvas.showPage()
    canvas.save()


def _page(canvas: Canvas, block: Block) -> None:
    y = HEIGHT - MARGIN
    for part in block.parts:
        y = _table(canvas, part, y) if isinstance(part, Table) else _text(canvas, part, y)
    if y < MARGIN / 2:
        raise ValueError(f"page {block.key} overflows")


def _text(canvas: Canvas, text: str, y: float) -> float:
    level = len(text) - len(text.lstrip("#"))
    font, size = ("Helvetica-Bold", 13 - 2 * level) if level else ("Helvetica", 9)
    canvas.setFont(font, size)
    for line in simpleSplit(text.lstrip("# "), font, size, WIDTH - 2 * MARGIN):
        y -= LEADING
        canvas.drawString(MARGIN, y, line)
    return y - 5


def _table(canvas: Canvas, table: Table, y: float) -> float:
    wordy = any(cell[:1].isalpha() for row in table.rows for cell in row[1:])
    step = 150 if wordy else 72
    rights = [WIDTH - MARGIN - step * n for n in reversed(range(len(table.heads) - 1))]
    for number, row in enumerate([table.heads, *table.rows]):
        y -= LEADING + (2 if number == 1 else 0)
        canvas.setFont("Helvetica-Bold" if number == 0 or len(row) == 1 else "Helvetica", 8.5)
        canvas.drawString(MARGIN, y, row[0])
        for right, cell in zip(rights, row[1:], strict=False):
            dollar = "$ " if number == 1 and cell[:1].isdigit() and not wordy else ""
            canvas.drawRightString(right, y, dollar + cell)
    return y - 8
