"""Invented annual reports of filing length: running text of 150 pages and more that breaks wherever a page is full, and
the same figures printed again and again: statements, selected data, discussion, reconciliations, notes, condensed
consolidating and parent-only statements. Questions as analysts ask them, each with the pages that answer it. Words,
tables and companies: annual_long.json.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT, MARGIN, LEADING = 612.0, 792.0, 60.0, 13.0
RISK_ROUNDS, POLICY_ROUNDS, ESTIMATES = 20, 21, 80  # paragraphs of other sentences under each topic; of estimates
SENTENCES, FILLERS = 4, 6  # of other topics in a paragraph; such paragraphs behind each part

_DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_BUSINESS = ("business", "business a", "business b", "business c", "geography", "customers", "people", "officers")
_ITEMS = ("staff comments", "properties", "legal", "mine", "market", "selected", "overview", "mda table")
_TALK = ("mda sales", "mda margin", "mda sga", "mda operating", "mda interest", "mda tax", "mda segments", "nongaap")
_FUNDS = ("liquidity", "cash discussion", "capital spending", "facilities", "obligations", "outlook")
_STATEMENTS = ("income", "comprehensive", "balance", "cash", "equity")
_NOTES = tuple(key for key in _DATA["prose"] if key.startswith("note "))
_END = ("controls", "directors", "exhibits", "schedule", "valuation")
_PARTS = (*_ITEMS, *_TALK, *_FUNDS)


class Asked(NamedTuple):
    """A question on one report, with the 1-based pages that answer it."""

    text: str
    file_name: str
    pages: frozenset[int]


def typeset(folder: Path, tickers: Collection[str] = ()) -> list[Asked]:
    """Write the reports (of `tickers`, empty: all) that are not there yet as PDFs, and return the questions on them."""
    folder.mkdir(parents=True, exist_ok=True)
    asked: list[Asked] = []
    for company in (c for c in _DATA["companies"] if not tickers or c["ticker"] in tickers):
        report, path = LongReport(company), folder / f"{company['ticker'].lower()}.pdf"
        pages = Typesetter(path, company["head"]).draw(report.parts())
        asked.extend(Asked(text, path.name, gold) for text, gold in report.questions(pages))
    return asked


class LongReport:
    """The report of one company. The figures of a line differ by year and agree wherever the line is printed."""

    def __init__(self, company: dict[str, Any]) -> None:
        self.company, self.year = company, int(company["year"])
        month, day = company["year_end"]
        self.end = date(self.year + (month == 1), month, day)
        self._chance = random.Random(company["name"])

    def questions(self, pages: dict[str, set[int]]) -> Iterator[tuple[str, frozenset[int]]]:
        """Question and gold pages, by the pages on which each part was printed."""
        times = {"y": self.year, "p": self.year - 1, "n": self.year + 1}
        for text, *keys in _DATA["questions"]:
            yield text.format(c=self.company["short"], **times), frozenset().union(*(pages[key] for key in keys))

    def parts(self) -> Iterator[tuple[str, Any]]:
        """What is printed, in order: key and a title ("# …", "## …"), paragraph, or table. "" ends a page."""
        yield from self._cover()
        for key in _BUSINESS:
            yield from self._part(key)
        yield "risk factors", "# ITEM 1A. RISK FACTORS"
        yield from self._talk("topics", RISK_ROUNDS)
        for key in _PARTS:
            yield from self._part(key)
        yield from self._part("critical")
        yield from self._estimates()
        for key in ("market risk", "auditor"):
            yield from self._part(key)
        for key in _STATEMENTS:
            yield from self._statement(key)
        yield "policies", "# NOTES TO CONSOLIDATED FINANCIAL STATEMENTS"
        yield "policies", "## NOTE 1. SUMMARY OF SIGNIFICANT ACCOUNTING POLICIES"
        yield from self._talk("policies", POLICY_ROUNDS)
        for key in (*_NOTES, *_END):
            yield from self._part(key)
        yield "signatures", ""
        yield from (("signatures", f"Name: {who}  Title: {what}") for who, what in self._people())
        yield from self._part("certification")

    # ------------------------------------------------------------ parts

    def _cover(self) -> Iterator[tuple[str, Any]]:
        notes = [f"{1 + n}.{250 * n}% Senior Notes due {self.year + 3 + n}    {self._ticker}{n + 24}" for n in range(3)]
        lines = (
            "# UNITED STATES SECURITIES AND EXCHANGE COMMISSION", "# FORM 10-K",
            "ANNUAL REPORT PURSUANT TO SECTION 13 OR 15(d) OF THE SECURITIES EXCHANGE ACT OF 1934",
            f"For the fiscal year ended {self._facts['end']}", f"# {self.company['name']}",
            "(Exact name of registrant as specified in its charter)",
            f"{self._facts['place']} (Address of principal executive offices)",
            "Securities registered pursuant to Section 12(b) of the Act:",
            f"Common Stock    {self._ticker}    New York Stock Exchange", *notes,
            "The aggregate market value of voting stock held by non-affiliates was $12.4 billion.", "",
        )  # fmt: skip
        yield from (("cover", line) for line in lines)

    def _part(self, key: str) -> Iterator[tuple[str, Any]]:
        prose = [text.format(**self._facts) for text in _DATA["prose"].get(key, ())]
        tables = [part if isinstance(part, str) else self._table(part) for part in _DATA["tables"].get(key, ())]
        yield from ((key, part) for part in (*prose, *tables))
        yield from ((f"after {key}", self._filler("policies" if key in _NOTES else "topics")) for _ in range(FILLERS))

    def _statement(self, key: str) -> Iterator[tuple[str, Any]]:
        head = [f"# {self.company['titles'][key]}", f"Years ended {self._facts['end']}"]
        named = [self.company["name"]] if self.company["names_first"] else []
        for part in (*named, *head, *map(self._table, _DATA["tables"][key])):
            yield key, part
        yield key, "See accompanying notes to consolidated financial statements."
        yield f"after {key}", ""

    def _talk(self, bank: str, rounds: int) -> Iterator[tuple[str, Any]]:
        """Each topic under its title, then paragraphs of other sentences of the bank."""
        for title, sentences in _DATA[bank].items():
            yield f"{bank} {title}", f"## {title}"
            yield f"{bank} {title}", " ".join(sentences).format(**self._facts)
            yield from (("talk", self._filler(bank)) for _ in range(rounds))

    def _estimates(self) -> Iterator[tuple[str, Any]]:
        return (("estimates", self._filler("policies")) for _ in range(ESTIMATES))

    def _people(self) -> Iterator[tuple[str, str]]:
        yield from (("R. Amberley", "Chief Executive Officer"), ("T. Quist", "Chief Financial Officer"))
        yield from ((f"{letter}. Vane", "Director") for letter in "ABCDEFGH")

    def _filler(self, bank: str = "topics") -> str:
        every = [sentence for sentences in _DATA[bank].values() for sentence in sentences]
        return " ".join(self._chance.sample(every, SENTENCES)).format(**self._facts)

    # ------------------------------------------------------------ words and figures

    @property
    def _ticker(self) -> str:
        return str(self.company["ticker"])

    @cached_property
    def _facts(self) -> dict[str, str]:
        """What the braces of the prose stand for."""
        chance, (a, b, c) = random.Random(self._ticker), self.company["products"]
        numbers = {f"m{n}": f"{chance.randint(11, 990)}" for n in range(5)}
        shares = {f"p{n}": f"{chance.randint(1, 39)}.{chance.randint(0, 9)}" for n in range(5)}
        times = {"y": self.year, "p": self.year - 1, "n": self.year + 1, "n3": self.year + 3}
        regions = {f"r{n}": name for n, name in enumerate(self.company["regions"], 1)}
        products = {"a": a, "b": b, "c": c, "A": a.title(), "B": b.title(), "C": c.title()}
        own = {
            "people": f"{chance.randint(3, 90)},000",
            "place": "Dunmore, Ohio",
            "end": f"{self.end:%B} {self.end.day}, {self.end.year}",
        }
        named = {key: self.company[key] for key in ("name", "short", "ticker")}
        words: dict[str, str] = _DATA["words"] | self.company["words"]
        return words | numbers | shares | regions | products | own | named | {k: str(v) for k, v in times.items()}

    def _table(self, table: dict[str, Any]) -> list[list[str]]:
        heads = [str(self.year - n) for n in range(table["years"])]
        return [[table["unit"], *heads], *(self._row(label, line, heads) for label, line in table["rows"])]

    def _row(self, label: str, line: str, heads: Sequence[str]) -> list[str]:
        return [label.format(**self._facts), *(self._figure(line, head) for head in heads if line)]

    def _figure(self, line: str, head: str) -> str:
        chance = random.Random(f"{self._ticker}{line.strip('-')}{head}")
        if line == "none":
            return "—"
        if line.startswith(("per share", "rate")):
            return f"{chance.randint(0, 6)}.{chance.randint(10, 99)}"
        value = f"{chance.randint(40, 9800):,}"
        return f"({value})" if line.startswith("-") else value


class Typesetter:
    """Sets parts one below the other and keeps on which pages each key was printed."""

    def __init__(self, path: Path, head: str) -> None:
        self._path, self._head = path, head
        self._canvas = Canvas(str(path), pagesize=(WIDTH, HEIGHT), invariant=1)
        self._pages: dict[str, set[int]] = {}
        self._number, self._y = 0, 0.0

    def draw(self, parts: Iterator[tuple[str, Any]]) -> dict[str, set[int]]:
        """Set the parts; write the file only when it is not there. Returns key -> 1-based pages."""
        self._begin()
        for key, part in parts:
            if isinstance(part, str):
                self._text(key, part)
            else:
                self._rows(key, part)
        self._end()
        if not self._path.exists():
            self._canvas.save()
        return self._pages

    def _begin(self) -> None:
        self._number, self._y = self._number + 1, HEIGHT - MARGIN
        self._canvas.setFont("Helvetica", 8)
        for place, line in enumerate(self._head.splitlines() if self._number > 1 else ()):
            self._canvas.drawString(MARGIN, HEIGHT - 30 - 9 * place, line)

    def _end(self) -> None:
        self._canvas.setFont("Helvetica", 8)
        self._canvas.drawCentredString(WIDTH / 2, 28, str(self._number))
        self._canvas.showPage()

    def _line(self, key: str, room: float = LEADING) -> float:
        """The height of the next line, on a new page when this one is full."""
        if self._y - room < MARGIN:
            self._end()
            self._begin()
        self._y -= LEADING
        self._pages.setdefault(key, set()).add(self._number)
        return self._y

    def _text(self, key: str, text: str) -> None:
        if not text:
            self._y = 0.0
            return
        level = len(text) - len(text.lstrip("#"))
        font, size = ("Helvetica-Bold", 13 - level) if level else ("Helvetica", 10)
        for line in simpleSplit(text.lstrip("# "), font, size, WIDTH - 2 * MARGIN):
            y = self._line(key, LEADING * (4 if level else 1))
            self._canvas.setFont(font, size)
            self._canvas.drawString(MARGIN, y, line)
        self._y -= 6

    def _rows(self, key: str, rows: Sequence[Sequence[str]]) -> None:
        for number, row in enumerate(rows):
            y = self._line(key)
            self._canvas.setFont("Helvetica-Bold" if number == 0 or len(row) == 1 else "Helvetica", 9)
            self._canvas.drawString(MARGIN, y, row[0])
            for column, cell in enumerate(reversed(row[1:])):
                self._canvas.drawRightString(WIDTH - MARGIN - 68 * column, y, cell)
        self._y -= 8
