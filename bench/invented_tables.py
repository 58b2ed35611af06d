"""Claims on invented tables, true ones and wrong ones, in layouts that the public sets hardly have: an independent
measure of look-ups and calculations, on which nothing is fitted.

    python -m bench.invented_tables [--tables N] [--seed N] [--errors] [LAYOUT ...]

Every figure of a table is known by its measure, segment and period, so that each claim, made as a statement and as an
answered question, is true or wrong by construction: another row, column, period, scale, sign or digit.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import NamedTuple

from bench.claims import Case

AMOUNTS = (
    "Net sales", "Cost of goods sold", "Marketing expenses", "Research and development", "Staff costs",
    "Interest income", "Operating profit", "Trade receivables", "Inventories", "Deferred revenue", "Lease liabilities",
    "Capital expenditure", "Licence fees", "Freight charges", "Cash at bank",
)  # fmt: skip
PERCENTS = ("Gross margin", "Effective tax rate", "Occupancy rate", "Return on equity", "Dividend yield")
SEGMENTS = ("Europe", "Americas", "Asia Pacific", "Retail", "Wholesale", "Timber", "Glassworks", "Ceramics")
PARTS = {
    "Assets": ("Cash", "Inventories", "Receivables", "Equipment"),
    "Liabilities": ("Payables", "Borrowings", "Provisions", "Deferred tax"),
}


class Fact(NamedTuple):
    """A printed figure: what it measures, of which segment, when, and in which unit ('', '%', '/share')."""

    measure: str
    segment: str
    period: str
    number: Decimal
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A rendered table with its facts. scale: the word for the scale of its amounts, '' when they are in units."""

    layout: str
    rows: list[list[str]]
    facts: list[Fact]
    caption: str = ""
    scale: str = "million"
    text: str = ""
    currency: str = "$"

    def said(self, number: Decimal, unit: str = "", scale: str = "") -> str:
        """A number as a claim gives it: '-$1,200.5 million', '12.5%', '$1.35'."""
        sign, size = ("-" if number < 0 else ""), abs(number)
        if unit == "%":
            return f"{sign}{size:,}%"
        return f"{sign}{self.currency}{size:,}{'' if unit else f' {scale or self.scale}'}"


class Made(NamedTuple):
    """A claim, whether it is true, and what was done to it."""

    claim: str
    holds: bool
    kind: str


# ---------------------------------------------------------------- numbers as printed


def _amount(random: Random, low: int = 120, high: int = 9800) -> Decimal:
    return Decimal(random.randrange(low * 10, high * 10)).scaleb(-1)


def _percent(random: Random) -> Decimal:
    return Decimal(random.randrange(21, 679)).scaleb(-1)


def _printed(number: Decimal) -> str:
    return f"({-number:,})" if number < 0 else f"{number:,}"


def _cell(fact: Fact) -> str:
    return f"{fact.number}%" if fact.unit == "%" else _printed(fact.number)


# ---------------------------------------------------------------- layouts


class _Maker:
    """Facts of one table, drawn from a seed."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.year = random.randrange(2012, 2024)
        self.years = [str(self.year - i) for i in range(2)]

    def measures(self, count: int) -> list[str]:
        return self.random.sample(AMOUNTS, count)

    def segments(self, count: int) -> list[str]:
        return self.random.sample(SEGMENTS, count)

    def grid(self, measures: Sequence[str], periods: Sequence[str], segment: str = "") -> list[list[Fact]]:
        return [[Fact(m, segment, p, _amount(self.random)) for p in periods] for m in measures]


def _flat(lines: Sequence[Sequence[Fact]]) -> list[Fact]:
    return [fact for line in lines for fact in line]


def _rows(lines: Sequence[Sequence[Fact]]) -> list[list[str]]:
    return [[line[0].measure, *map(_cell, line)] for line in lines]


def plain(m: _Maker) -> Table:
    """Years as bare columns, the scale in the caption."""
    lines = m.grid(m.measures(5), [*m.years, str(m.year - 2)])
    return Table("plain", [["", *m.years, str(m.year - 2)], *_rows(lines)], _flat(lines), "Results (in millions)")


def two_headers(m: _Maker) -> Table:
    """'Year ended' over the years, the scale in a third header row."""
    lines = m.grid(m.measures(5), m.years)
    head = [["", "Year ended 31 December", ""], ["", *m.years], ["", "€m", "€m"]]
    return Table("two headers", head + _rows(lines), _flat(lines), currency="€")


def lengths(m: _Maker) -> Table:
    """Three and nine months side by side, the same years under both."""
    spans = ("three months ended September 30", "nine months ended September 30")
    periods = [f"{span}, {year}" for span in spans for year in m.years]
    lines = m.grid(m.measures(5), periods)
    head = [["", "Three Months Ended September 30,", "", "Nine Months Ended September 30,", ""], ["", *m.years * 2]]
    return Table("lengths of time", head + _rows(lines), _flat(lines), "(In millions)")


def quarters(m: _Maker) -> Table:
    """Quarters beside the year."""
    periods = [f"the {n} quarter of {m.year}" for n in ("first", "second", "third", "fourth")] + [f"fiscal {m.year}"]
    lines = m.grid(m.measures(5), periods)
    head = [["(in millions)", *(f"Q{i} {m.year}" for i in range(1, 5)), f"FY {m.year}"]]
    return Table("quarters", head + _rows(lines), _flat(lines))


def segments_over_years(m: _Maker) -> Table:
    """Segments as merged headers over the years."""
    names, measures = m.segments(2), m.measures(4)
    blocks = [m.grid(measures, m.years, name) for name in names]
    lines = [a + b for a, b in zip(*blocks, strict=True)]
    head = [["", names[0], "", names[1], ""], ["", *m.years * 2]]
    return Table("segments over years", head + _rows(lines), _flat(lines), "Segment results, in millions")


def segment_columns(m: _Maker) -> Table:
    """One year, which only the caption names; segments as columns and their total."""
    names = m.segments(3)
    lines = []
    for measure in m.measures(5):
        parts = [Fact(measure, name, str(m.year), _amount(m.random)) for name in names]
        lines.append([*parts, Fact(measure, "Group", str(m.year), sum((p.number for p in parts), Decimal(0)))])
    caption = f"Segment information for {m.year} (in millions)"
    return Table("segment columns", [["", *names, "Group"], *_rows(lines)], _flat(lines), caption)


def nested(m: _Maker) -> Table:
    """The same measures under each segment's heading, with a total of each."""
    names, measures = m.segments(3), m.measures(3)
    rows, facts = [["(in millions)", *m.years]], []
    for name in names:
        lines = m.grid(measures, m.years, name)
        rows += [[name, "", ""], *_rows(lines)]
        facts += _flat(lines)
    return Table("nested rows", rows, facts)


def subtotals(m: _Maker) -> Table:
    """Parts and totals of a balance sheet, dated columns."""
    days = [f"31 December {year}" for year in m.years]
    rows, facts = [["", *days]], []
    for title, parts in PARTS.items():
        lines = m.grid(parts, days)
        total = [
            Fact(f"Total {title.lower()}", "", day, sum((line[i].number for line in lines), Decimal(0)))
            for i, day in enumerate(days)
        ]
        rows += [[f"{title}:", "", ""], *_rows([*lines, total])]
        facts += _flat([*lines, total])
    return Table("subtotals", rows, facts, "Balance sheet ($ in millions)")


def years_in_rows(m: _Maker) -> Table:
    """A row for each year, a column for each measure."""
    measures = m.measures(4)
    years = [str(m.year - i) for i in range(4)]
    lines = [[Fact(measure, "", year, _amount(m.random)) for measure in measures] for year in years]
    rows = [["Year", *measures], *([line[0].period, *map(_cell, line)] for line in lines)]
    return Table("years in rows", rows, _flat(lines), "Key figures (in millions)")


def units_of_rows(m: _Maker) -> Table:
    """Each row in a unit of its own, told in its label."""
    amounts = m.grid(m.measures(3), m.years)
    shares = [[Fact(name, "", y, _percent(m.random), "%") for y in m.years] for name in m.random.sample(PERCENTS, 2)]
    rows = [[f"{line[0].measure} ($m)", *map(_cell, line)] for line in amounts]
    rows += [[f"{line[0].measure} (%)", *(str(f.number) for f in line)] for line in shares]
    return Table("units of rows", [["", *m.years], *rows], _flat([*amounts, *shares]))


def notes_column(m: _Maker) -> Table:
    """A column of references to notes, deductions in parentheses."""
    lines = [
        [fact._replace(number=-fact.number if i % 2 else fact.number) for fact in line]
        for i, line in enumerate(m.grid(m.measures(5), m.years))
    ]
    rows = [[line[0].measure, str(i + 3), *map(_cell, line)] for i, line in enumerate(lines)]
    return Table("notes column", [["", "Note", *m.years], ["", "", "£m", "£m"], *rows], _flat(lines), currency="£")


def shares_beside(m: _Maker) -> Table:
    """A percentage beside each amount."""
    lines = m.grid(m.measures(5), m.years)
    rows = [[a.measure, _cell(a), f"{_percent(m.random)}%", _cell(b), f"{_percent(m.random)}%"] for a, b in lines]
    head = [["(in millions)", m.years[0], "% of total", m.years[1], "% of total"]]
    return Table("percent columns", head + rows, _flat(lines))


def change_columns(m: _Maker) -> Table:
    """Two years, the change between them, and the change in percent."""
    lines = m.grid(m.measures(5), m.years)
    rows = [
        [a.measure, _cell(a), _cell(b), _printed(a.number - b.number),
         f"{_printed(((a.number - b.number) / b.number * 100).quantize(Decimal('0.1')))}%"]
        for a, b in lines
    ]  # fmt: skip
    return Table("change columns", [["In millions", *m.years, "Change", "% change"], *rows], _flat(lines))


def per_share(m: _Maker) -> Table:
    """Amounts in millions, except those per share."""
    amounts = m.grid(m.measures(4), m.years)
    small = [
        [Fact(name, "", year, Decimal(m.random.randrange(31, 980)).scaleb(-2), "/share") for year in m.years]
        for name in ("Basic earnings per share", "Dividends per share")
    ]
    rows = [["", *m.years], *_rows([*amounts, *small])]
    return Table("per share", rows, _flat([*amounts, *small]), "(in millions, except per share amounts)")


def records(m: _Maker) -> Table:
    """One row for each segment and year."""
    names, measures = m.segments(3), m.measures(2)
    lines = [[Fact(x, name, y, _amount(m.random)) for x in measures] for y in m.years for name in names]
    rows = [["Year", "Segment", *measures], *([li[0].period, li[0].segment, *map(_cell, li)] for li in lines)]
    return Table("records", rows, _flat(lines), "By segment, in millions")


def scale_in_text(m: _Maker) -> Table:
    """The scale stands only in the sentence before the table; whole numbers."""
    lines = [
        [f._replace(number=Decimal(m.random.randrange(12_000, 980_000))) for f in line]
        for line in m.grid(m.measures(5), m.years)
    ]
    text = "The following table shows selected amounts. All amounts are in thousands of dollars."
    return Table("scale in text", [["", *m.years], *_rows(lines)], _flat(lines), scale="thousand", text=text)


def fiscal(m: _Maker) -> Table:
    """Fiscal years in short, segments as rows, one measure in the caption."""
    measure = m.random.choice(AMOUNTS)
    periods = [f"fiscal {y}" for y in m.years]
    lines = [[Fact(measure, name, p, _amount(m.random)) for p in periods] for name in m.segments(4)]
    rows = [["Segment", *(f"FY{y[2:]}" for y in m.years)], *([li[0].segment, *map(_cell, li)] for li in lines)]
    return Table("fiscal years", rows, _flat(lines), f"{measure} by segment (in millions)")


def currency_cells(m: _Maker) -> Table:
    """Currency marks, and the closing parentheses of deductions, in cells of their own, as web pages give them."""
    lines = [
        [fact._replace(number=-fact.number if i % 2 else fact.number) for fact in line]
        for i, line in enumerate(m.grid(m.measures(5), m.years))
    ]
    rows = [[line[0].measure, *(part for f in line for part in ("$", _cell(f).rstrip(")"), ")" * (f.number < 0)))]
            for line in lines]  # fmt: skip
    head = ["(in millions)", m.years[0], "", "", m.years[1], "", ""]
    return Table("currency cells", [head, *rows], _flat(lines))


def grouped(m: _Maker) -> Table:
    """The segment in a first column, merged over its rows."""
    names, measures = m.segments(3), m.measures(3)
    rows, facts = [["Segment", "Item (in millions)", *m.years]], []
    for name in names:
        lines = m.grid(measures, m.years, name)
        rows += [[name if i == 0 else "", *row] for i, row in enumerate(_rows(lines))]
        facts += _flat(lines)
    return Table("grouped rows", rows, facts)


def audited(m: _Maker) -> Table:
    """A row of words between the years and the figures, and the scale in a row of its own."""
    lines = m.grid(m.measures(5), m.years)
    head = [["", *m.years], ["", "(unaudited)", "(restated)"], ["", "(in thousands)", ""]]
    return Table("words under years", head + _rows(lines), _flat(lines), scale="thousand")


def ends(m: _Maker) -> Table:
    """Balance sheet dates with different months in short."""
    days = [f"September 30, {m.year}", f"December 31, {m.year - 1}"]
    lines = m.grid(m.measures(5), days)
    head = ["$ in millions", f"Sep. 30, {m.year}", f"Dec. 31, {m.year - 1}"]
    return Table("ends of periods", [head, *_rows(lines)], _flat(lines))


def european(m: _Maker) -> Table:
    """Points for thousands and commas for decimals, the scale in a German header."""
    lines = m.grid(m.measures(5), m.years)
    turn = str.maketrans(",.", ".,")
    rows = [[line[0].measure, *(_cell(f).translate(turn) for f in line)] for line in lines]
    return Table("decimal commas", [["Mio. €", *m.years], *rows], _flat(lines), currency="€")


def returns(m: _Maker) -> Table:
    """Funds as rows, lengths of time as columns."""
    spans = ("1 year", "3 years", "5 years", "10 years")
    funds = [f"{name} Bond Fund" for name in m.segments(4)]
    lines = [[Fact(f"return of the {fund}", "", span, _percent(m.random), "%") for span in spans] for fund in funds]
    rows = [[fund, *(str(f.number) for f in line)] for fund, line in zip(funds, lines, strict=True)]
    return Table("returns", [["Annualised return (%)", *spans], *rows], _flat(lines))


LAYOUTS: tuple[Callable[[_Maker], Table], ...] = (
    plain, two_headers, lengths, quarters, segments_over_years, segment_columns, nested, subtotals, years_in_rows,
    units_of_rows, notes_column, shares_beside, change_columns, per_share, records, scale_in_text, fiscal,
    currency_cells, grouped, audited, ends, european, returns,
)  # fmt: skip


# ---------------------------------------------------------------- claims


def _subject(fact: Fact) -> str:
    of = {"": "", "Group": " of the group"}.get(fact.segment, f" in {fact.segment}")
    return f"{fact.measure[0].lower()}{fact.measure[1:]}{of}"


def _when(fact: Fact) -> str:
    if "ended" in fact.period:
        return f"for the {fact.period}"
    if "year" in fact.period:
        return f"over {fact.period}"
    return f"at {fact.period}" if " " in fact.period and fact.period[:2] not in ("th", "fi") else f"in {fact.period}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _both(fact: Fact, value: str) -> Iterator[str]:
    """A claim as a statement, in two orders of words, and as an answered question."""
    subject, when = _subject(fact), _when(fact)
    yield f"{_upper(subject)} was {value} {when}."
    yield f"{_upper(when)}, the {subject} came to {value}."
    yield f"What was the {subject} {when}? — {value}"


OTHER_SCALE = {"million": ("billion", "thousand"), "thousand": ("million", "billion")}


def _digits(random: Random, number: Decimal) -> Decimal:
    """The number with its first two digits exchanged, or its first one raised."""
    text = str(abs(number))
    raised = text[1] in ".0" or text[0] == text[1]
    turned = f"{int(text[0]) % 9 + 1}{text[1:]}" if raised else f"{text[1]}{text[0]}{text[2:]}"
    return Decimal(turned) * (-1 if number < 0 else 1)


def lookups(table: Table, random: Random) -> Iterator[Made]:
    """Claims that repeat one cell."""
    for fact in random.sample(table.facts, 2):
        for claim in _both(fact, table.said(fact.number, fact.unit)):
            yield Made(claim, True, "true")
        for kind, other in _wrong_cells(fact, table.facts, random):
            for claim in _both(fact, table.said(other.number, fact.unit)):
                yield Made(claim, False, kind)
        wrong = [("digits", table.said(_digits(random, fact.number), fact.unit)),
                 ("sign", table.said(-fact.number, fact.unit))]  # fmt: skip
        if not fact.unit:
            wrong.append(("scale", table.said(fact.number, scale=random.choice(OTHER_SCALE[table.scale]))))
            wrong.append(("unit", f"{fact.number:,}%".replace("-", "")))
        for kind, value in wrong:
            for claim in _both(fact, value):
                if kind != "sign" or fact.number > 0:
                    yield Made(claim, False, kind)


def rounded(table: Table, random: Random) -> Iterator[Made]:
    """Claims that give an amount of millions in billions, rounded, rightly and wrongly."""
    amounts = [f for f in table.facts if not f.unit and table.scale == "million" and f.number > 1000]
    for fact in random.sample(amounts, min(1, len(amounts))):
        short = (fact.number / 1000).quantize(Decimal("0.01"), ROUND_HALF_UP)
        for number, holds, kind in ((short, True, "true: rounded"), (short + Decimal("0.3"), False, "digits, rounded")):
            for claim in _both(fact, table.said(number, scale="billion")):
                yield Made(claim, holds, kind)
        for claim in _both(fact, table.said(short, scale="million")):
            yield Made(claim, False, "scale, rounded")


def side_by_side(table: Table, random: Random) -> Iterator[Made]:
    """Statements with the figures of two periods, or of two rows, and the same exchanged."""
    pairs = [
        (a, b) for a in table.facts for b in table.facts
        if (a.measure, a.segment, a.unit) == (b.measure, b.segment, b.unit) and a.period > b.period
    ]  # fmt: skip
    for a, b in random.sample(pairs, min(1, len(pairs))):
        for x, y, holds in ((a, b, True), (b, a, False)):
            kind, first, second = _exchanged(holds), table.said(x.number, x.unit), table.said(y.number, y.unit)
            yield Made(f"{_upper(_subject(a))} was {first} {_when(a)}, against {second} {_when(b)}.", holds, kind)
            yield Made(
                f"{_upper(_subject(a))} was {first} and {second} {_when(a)} and {_when(b)}, respectively.", holds, kind
            )
    rows = [
        (a, b) for a in table.facts for b in table.facts
        if (a.segment, a.period, a.unit) == (b.segment, b.period, b.unit) and a.measure < b.measure
    ]  # fmt: skip
    for a, b in random.sample(rows, min(1, len(rows))):
        for x, y, holds in ((a, b, True), (b, a, False)):
            kind, first, second = _exchanged(holds), table.said(x.number, x.unit), table.said(y.number, y.unit)
            yield Made(f"{_upper(_when(a))}, {_subject(a)} was {first} and {_subject(b)} was {second}.", holds, kind)


def _exchanged(holds: bool) -> str:
    return "true: two figures" if holds else "two figures exchanged"


def orders(table: Table, random: Random) -> Iterator[Made]:
    """Statements on which of two rows is above the other, and on whether a row rose."""
    beside = [
        (a, b) for a in table.facts for b in table.facts
        if (a.period, a.unit) == (b.period, b.unit) and a.number > b.number > 0
        and ((a.measure == b.measure) != (a.segment == b.segment))
    ]  # fmt: skip
    for a, b in random.sample(beside, min(2, len(beside))):
        for x, y, holds in ((a, b, True), (b, a, False)):
            kind = "true: order" if holds else "order turned"
            yield Made(f"{_upper(_when(a))}, {_subject(x)} was higher than {_subject(y)}.", holds, kind)
        if not a.unit:
            gap = table.said(a.number - b.number)
            asked = f"{_upper(_when(a))}, {_subject(a)} exceeded {_subject(b)} by"
            yield Made(f"{asked} {gap}.", True, "true: gap")
            yield Made(f"{asked} {table.said(a.number - b.number + 20)}.", False, "digits of gap")


def _wrong_cells(fact: Fact, facts: Sequence[Fact], random: Random) -> Iterator[tuple[str, Fact]]:
    """Cells that differ from the fact's in one respect."""
    others = [f for f in facts if f.unit == fact.unit and abs(f.number) != abs(fact.number)]
    for kind, same in (
        ("other row", lambda f: (f.segment, f.period) == (fact.segment, fact.period)),
        ("other period", lambda f: (f.measure, f.segment) == (fact.measure, fact.segment)),
        ("other segment", lambda f: (f.measure, f.period) == (fact.measure, fact.period)),
    ):
        if found := [f for f in others if same(f)]:
            yield kind, random.choice(found)


def calculations(table: Table, random: Random) -> Iterator[Made]:
    """Claims that follow from two cells of one measure, or of one period."""
    pairs = [
        (a, b) for a in table.facts for b in table.facts
        if (a.measure, a.segment, a.unit) == (b.measure, b.segment, "") and a.period > b.period
        and a.period[:-4] == b.period[:-4] and a.number > 0
    ]  # fmt: skip
    for new, old in random.sample(pairs, min(2, len(pairs))):
        yield from _changes(table, new, old)
    beside = [
        (a, b) for a in table.facts for b in table.facts
        if (a.segment, a.period, a.unit) == (b.segment, b.period, b.unit) == (a.segment, a.period, "")
        and a.measure < b.measure and a.number > 0 and b.number > 0 and "Total" not in a.measure + b.measure
    ]  # fmt: skip
    for a, b in random.sample(beside, min(1, len(beside))):
        yield from _together(table, a, b, random)


def _changes(table: Table, new: Fact, old: Fact) -> Iterator[Made]:
    change = new.number - old.number
    growth = (change / old.number * 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
    subject, scale = _subject(new), table.scale
    first, then = old.period, new.period
    when = f"from {first} to {then}"
    verb, turned = ("rose", "fell") if change > 0 else ("fell", "rose")
    upper = _upper(subject)
    for word, holds, kind in ((verb, True, "true: change"), (turned, False, "direction")):
        yield Made(f"{upper} {word} by {table.said(abs(change))} {when}.", holds, kind)
        yield Made(f"{upper} {word} by {abs(growth):,}% {when}.", holds, kind)
    asked = f"What was the change in {subject} between {first} and {then}? — "
    percent = f"What was the percentage change in {subject} between {first} and {then}? — "
    for sign, holds, kind in ((1, True, "true: change"), (-1, False, "sign of change")):
        yield Made(f"{asked}{table.said(sign * change)}", holds, kind)
        yield Made(f"{percent}{table.said(sign * growth, '%')}", holds, kind)
    wrong = OTHER_SCALE[scale][0]
    yield Made(f"{asked}{table.said(change, scale=wrong)}", False, "scale of change")
    yield Made(f"{upper} {verb} by {table.said(abs(change), scale=wrong)} {when}.", False, "scale of change")
    mean = (new.number + old.number) / 2
    for number, holds, kind in ((mean, True, "true: average"), (mean + 10, False, "digits of average")):
        yield Made(f"What was the average {subject} for {first} and {then}? — {table.said(number)}", holds, kind)


def _together(table: Table, a: Fact, b: Fact, random: Random) -> Iterator[Made]:
    one, two = _subject(a), _subject(b)
    total, ratio = a.number + b.number, (a.number / b.number).quantize(Decimal("0.01"), ROUND_HALF_UP)
    share = (a.number / b.number * 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
    asked = f"What was the total of {one} and {two} {_when(a)}? — "
    yield Made(f"{asked}{table.said(total)}", True, "true: sum")
    yield Made(f"{asked}{table.said(total + 30)}", False, "digits of sum")
    yield Made(f"{asked}{table.said(total, scale=OTHER_SCALE[table.scale][0])}", False, "scale of sum")
    yield Made(f"What was the ratio of {one} to {two} {_when(a)}? — {ratio}", True, "true: ratio")
    yield Made(f"{_upper(one)} was {share}% of {two} {_when(a)}.", True, "true: share")
    yield Made(f"{_upper(two)} was {share}% of {one} {_when(a)}.", False, "share turned round")


CLAIMS = (lookups, rounded, side_by_side, orders, calculations)


def cases(tables: int = 12, seed: int = 7, layouts: Sequence[str] = ()) -> Iterator[Case]:
    """`tables` tables of each layout with their claims."""
    for layout in LAYOUTS:
        for number in range(tables):
            random = Random(f"{layout.__name__} {number} {seed}")
            table = layout(_Maker(random))
            if layouts and table.layout not in layouts:
                break
            given = {"table": table.rows, "caption": table.caption, "text": table.text}
            for i, made in enumerate(made for make in CLAIMS for made in make(table, random)):
                group = f"{table.layout} {number}"
                item, label = {"claim": made.claim, **given}, "supported" if made.holds else "not stated"
                yield Case("invented", f"{group}:{i}", group, item, label, made.kind, {"layout": table.layout})


def main() -> int:
    """Judge all claims and print how many are judged rightly, by layout and by what was done to them."""
    parser = argparse.ArgumentParser(prog="python -m bench.invented_tables", description=__doc__.split("\n")[0])
    parser.add_argument("layouts", nargs="*", metavar="LAYOUT")
    parser.add_argument("--tables", type=int, default=12, help="of each layout")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--errors", action="store_true", help="print the claims judged wrongly")
    args = parser.parse_args()
    from bench.verification import balanced_accuracy, score

    scored = score(list(cases(args.tables, args.seed, args.layouts)), None)
    parts = defaultdict(list)
    for s in scored:
        form = "answer" if "?" in s.case.item["claim"] else "statement"
        for part in ("all", form, f"layout: {s.case.extra['layout']}", f"{s.case.kind} ({form})"):
            parts[part].append(s)
        if args.errors and not s.right:
            told = [s.case.id, s.case.kind, f"{s.status} {s.confidence:.2f}", s.case.item["claim"], s.reason]
            print("|".join(told), file=sys.stderr)
    for name, part in sorted(parts.items()):
        both = len({s.case.label for s in part}) == 2
        right = balanced_accuracy(part) if both else sum(s.right for s in part) / len(part)
        print(f"{name:<40}{right:.3f}{len(part):>7}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
