"""Typesets the sample documents: two fact sheets of one fictional index fund, a year apart.

`python data/make_samples.py` writes data/nimbus_2024.pdf and data/nimbus_2025.pdf; `--check` only compares and exits
with 1 when the committed bytes differ. The bytes are deterministic: fixed dates, no compression, the standard fonts.
Fund, provider, exchange, index and companies are invented. Returns are computed from one list of quarterly index
returns, so that quarter, year, average annual and calendar-year figures agree, within a sheet and between the two.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from reportlab.lib.colors import HexColor
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

HERE = Path(__file__).parent
NAVY, BLUE, PALE, INK, GREY, RULE = (
    HexColor(c) for c in ("#12324F", "#2F7FB5", "#EEF3F7", "#1E2328", "#5B6670", "#B8C4CE")
)
REGULAR, BOLD, ITALIC = "Helvetica", "Helvetica-Bold", "Helvetica-Oblique"
WIDTH, HEIGHT = 612.0, 792.0
LEFT, LEFT_END, RIGHT, RIGHT_END = 40.0, 370.0, 388.0, 572.0

FUND = "Nimbus 500 Index Fund"
TICKER = "NMBF"
INDEX = "Meridian US 500 Index"
PROVIDER = "Nimbus Index Funds"
NOTICE = "Fictional fund. Sample document: no such fund, index or company exists."
INCEPTION = date(2011, 9, 15)

# Index total return per quarter, in percent; the first entry is the stub from inception to 30 September 2011.
STUB_RETURN = -4.12
FIRST_QUARTER = (2011, 4)
QUARTERS = (
    *(11.43,),
    *(12.21, -2.64, 6.08, -0.21),
    *(10.32, 2.78, 5.41, 10.19),
    *(1.94, 5.06, 1.29, 4.71),
    *(1.12, 0.17, -6.31, 6.88),
    *(1.22, 2.61, 3.94, 3.71),
    *(5.93, 3.17, 4.39, 6.55),
    *(-0.83, 3.51, 7.62, -13.38),
    *(13.49, 4.21, 1.63, 8.94),
    *(-19.42, 20.37, 8.81, 12.07),
    *(6.24, 8.47, 0.66, 10.91),
    *(-4.67, -15.98, -4.95, 7.48),
    *(7.36, 8.61, -3.19, 11.57),
    *(10.44, 4.23, 5.77, 2.46),
    *(-4.19, 10.86),
)
# Closing market price over net asset value at quarter ends, in basis points, repeating.
PREMIUMS = (1, -2, 3, 0, -1, 2, -3, 1)


@dataclass(frozen=True)
class Sheet:
    """What differs from one year's fact sheet to the next. Percentages and dollar amounts as printed."""

    year: int
    expense_ratio: str
    industry_ratio: str
    net_assets: str
    stocks: tuple[str, str]
    turnover: str
    premium_discount: str
    characteristics: tuple[tuple[str, str, str], ...]
    sectors: tuple[tuple[str, str], ...]
    holdings: tuple[tuple[str, str], ...]
    dividends: tuple[tuple[str, str, str], ...]
    volume: str

    @property
    def as_of(self) -> str:
        return f"June 30, {self.year}"


SHEETS = (
    Sheet(
        year=2024,
        expense_ratio="0.04%",
        industry_ratio="0.76%",
        net_assets="$48,617 million",
        stocks=("504", "500"),
        turnover="2.3%",
        premium_discount="0.01%",
        characteristics=(
            ("Median market cap", "$236.4 billion", "$236.5 billion"),
            ("Price/earnings ratio", "26.8x", "26.8x"),
            ("Price/book ratio", "4.7x", "4.7x"),
            ("Return on equity", "24.1%", "24.1%"),
            ("Earnings growth rate", "16.2%", "16.3%"),
            ("Foreign holdings", "0.4%", "0.4%"),
            ("Standard deviation (3 years)", "17.5%", "17.5%"),
        ),
        sectors=(
            ("Information technology", "30.6%"),
            ("Financials", "12.9%"),
            ("Health care", "12.1%"),
            ("Consumer discretionary", "10.4%"),
            ("Communication services", "8.9%"),
            ("Industrials", "8.4%"),
            ("Consumer staples", "5.9%"),
            ("Energy", "3.8%"),
            ("Utilities", "2.5%"),
            ("Real estate", "2.3%"),
            ("Materials", "2.2%"),
        ),
        holdings=(
            ("Larkspur Devices Inc.", "6.9%"),
            ("Tessaly Software Corp.", "6.7%"),
            ("Quarrion Semiconductor Corp.", "5.8%"),
            ("Marrowbay Commerce Inc.", "3.7%"),
            ("Fennimore Search Inc. Class A", "2.4%"),
            ("Ponderix Networks Inc. Class A", "2.2%"),
            ("Fennimore Search Inc. Class C", "2.0%"),
            ("Halcourt Holdings Inc. Class B", "1.7%"),
            ("Verrin & Oake Pharmaceuticals", "1.5%"),
            ("Castellane Bancorp", "1.3%"),
        ),
        dividends=(
            ("September 2023", "October 3, 2023", "$0.7124"),
            ("December 2023", "December 27, 2023", "$0.8462"),
            ("March 2024", "March 27, 2024", "$0.7386"),
            ("June 2024", "July 2, 2024", "$0.8017"),
        ),
        volume="1.42 million shares",
    ),
    Sheet(
        year=2025,
        expense_ratio="0.03%",
        industry_ratio="0.74%",
        net_assets="$59,283 million",
        stocks=("505", "500"),
        turnover="2.9%",
        premium_discount="0.02%",
        characteristics=(
            ("Median market cap", "$301.7 billion", "$301.9 billion"),
            ("Price/earnings ratio", "27.6x", "27.6x"),
            ("Price/book ratio", "5.0x", "5.0x"),
            ("Return on equity", "25.3%", "25.4%"),
            ("Earnings growth rate", "18.7%", "18.7%"),
            ("Foreign holdings", "0.6%", "0.6%"),
            ("Standard deviation (3 years)", "15.9%", "15.9%"),
        ),
        sectors=(
            ("Information technology", "32.7%"),
            ("Financials", "14.2%"),
            ("Consumer discretionary", "10.7%"),
            ("Communication services", "9.6%"),
            ("Health care", "9.5%"),
            ("Industrials", "8.7%"),
            ("Consumer staples", "5.5%"),
            ("Energy", "3.0%"),
            ("Utilities", "2.3%"),
            ("Real estate", "2.0%"),
            ("Materials", "1.8%"),
        ),
        holdings=(
            ("Quarrion Semiconductor Corp.", "7.2%"),
            ("Tessaly Software Corp.", "6.8%"),
            ("Larkspur Devices Inc.", "5.9%"),
            ("Marrowbay Commerce Inc.", "3.9%"),
            ("Ponderix Networks Inc. Class A", "2.9%"),
            ("Brightloom Systems Inc.", "2.3%"),
            ("Fennimore Search Inc. Class A", "2.1%"),
            ("Halcourt Holdings Inc. Class B", "1.8%"),
            ("Fennimore Search Inc. Class C", "1.7%"),
            ("Castellane Bancorp", "1.5%"),
        ),
        dividends=(
            ("September 2024", "October 1, 2024", "$0.7541"),
            ("December 2024", "December 26, 2024", "$0.8893"),
            ("March 2025", "March 31, 2025", "$0.7709"),
            ("June 2025", "July 2, 2025", "$0.8335"),
        ),
        volume="1.68 million shares",
    ),
)


# ---------------------------------------------------------------- returns


@dataclass(frozen=True)
class Series:
    """Wealth of one dollar at the ends of quarters; entry 0 is inception, entry 1 is 30 September 2011."""

    name: str
    wealth: tuple[float, ...]

    def total(self, start: int, end: int) -> float:
        """Total return in percent between two entries."""
        return (self.wealth[end] / self.wealth[start] - 1) * 100

    def annual(self, start: int, end: int, years: float) -> float:
        """Average annual return in percent."""
        return (math.pow(self.wealth[end] / self.wealth[start], 1 / years) - 1) * 100


def entry(year: int, quarter: int) -> int:
    """Index into `Series.wealth` of the end of a quarter."""
    return (year - FIRST_QUARTER[0]) * 4 + quarter - FIRST_QUARTER[1] + 2


def make_series() -> tuple[Series, Series, Series]:
    """Net asset value, market price and index. The fund lags the index by a quarter of its expense ratio a quarter."""
    index, nav = [1.0], [1.0]
    for number, percent in enumerate((STUB_RETURN, *QUARTERS)):
        ratio = 0.0003 if number > entry(2024, 4) - 1 else 0.0004
        index.append(index[-1] * (1 + percent / 100))
        nav.append(nav[-1] * (1 + percent / 100) * (1 - ratio / 4))
    price = [value * (1 + PREMIUMS[i % len(PREMIUMS)] / 10_000) for i, value in enumerate(nav)]
    return (
        Series("Net asset value (NAV)", tuple(nav)),
        Series("Market price", tuple(price)),
        Series(INDEX, tuple(index)),
    )


def performance(series: Series, year: int) -> list[str]:
    """Quarter, year to date, 1, 3, 5, 10 years, since inception, as of 30 June."""
    end = entry(year, 2)
    spans = [series.annual(end - 4 * n, end, n) for n in (1, 3, 5, 10)]
    life = (date(year, 6, 30) - INCEPTION).days / 365.25
    values = [series.total(end - 1, end), series.total(end - 2, end), *spans, series.annual(0, end, life)]
    return [percent(value) for value in values]


def percent(value: float) -> str:
    """Two decimals, a real minus sign left to the typesetter's hyphen as fact sheets print it."""
    return f"{value:.2f}%"


# ---------------------------------------------------------------- typesetting


class Press:
    """A canvas with a cursor: text flows down from `y` (points from the bottom, as PDF counts)."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.y = HEIGHT

    def text(self, x: float, value: str, font: str = REGULAR, size: float = 8, color: HexColor = INK) -> float:
        """Draw at the cursor; returns the x where the text ends."""
        self.canvas.setFillColor(color)
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.y, value)
        return x + stringWidth(value, font, size)

    def right(self, x: float, value: str, font: str = REGULAR, size: float = 8, color: HexColor = INK) -> None:
        self.text(x - stringWidth(value, font, size), value, font, size, color)

    def marked(self, x: float, value: str, mark: str, font: str, size: float, color: HexColor = INK) -> None:
        """Text followed by a raised footnote mark."""
        end = self.text(x, value, font, size, color)
        self.y += size * 0.32
        self.text(end + 0.4, mark, font, size * 0.62, color)
        self.y -= size * 0.32

    def heading(self, x: float, end: float, title: str, mark: str = "") -> None:
        self.marked(x, title, mark, BOLD, 11, NAVY)
        self.rule(x, end, -4.5, NAVY, 0.9)
        self.y -= 18

    def rule(self, x: float, end: float, down: float = 0, color: HexColor = RULE, width: float = 0.4) -> None:
        self.canvas.setStrokeColor(color)
        self.canvas.setLineWidth(width)
        self.canvas.line(x, self.y + down, end, self.y + down)

    def paragraph(self, x: float, end: float, value: str, size: float = 8.6, font: str = REGULAR) -> None:
        for line in simpleSplit(value, font, size, end - x):
            self.text(x, line, font, size)
            self.y -= size * 1.34

    def bullets(self, x: float, end: float, values: Sequence[str]) -> None:
        for value in values:
            self.text(x, "•", REGULAR, 8.6, BLUE)
            self.paragraph(x + 9, end, value)
            self.y -= 3.5

    def box(self, x: float, y: float, width: float, height: float, color: HexColor) -> None:
        self.canvas.setFillColor(color)
        self.canvas.rect(x, y, width, height, stroke=0, fill=1)


def banner(press: Press, sheet: Sheet) -> None:
    """The page's head: provider, date and the notice that all of it is invented."""
    press.box(0, HEIGHT - 46, WIDTH, 46, NAVY)
    white = HexColor("#FFFFFF")
    press.y = HEIGHT - 22
    press.text(LEFT, PROVIDER, BOLD, 12, white)
    press.right(RIGHT_END, f"Fact sheet | {sheet.as_of}", REGULAR, 9, white)
    press.y = HEIGHT - 36
    press.text(LEFT, NOTICE, ITALIC, 7.5, white)


def footer(press: Press, sheet: Sheet, page: int) -> None:
    press.y = 26
    press.rule(LEFT, RIGHT_END, 11)
    press.text(
        LEFT, f"{FUND} ({TICKER})  |  As of {sheet.as_of}  |  Fictional, for demonstration only", REGULAR, 7, GREY
    )
    press.right(RIGHT_END, f"Page {page} of 2", REGULAR, 7, GREY)


Row = tuple[str, str, str]  # label, footnote mark, value


def facts(press: Press, x: float, end: float, rows: Sequence[Row]) -> None:
    """Label at the left, value at the right, a hairline under each row."""
    for label, mark, value in rows:
        press.marked(x, label, mark, REGULAR, 7.6)
        press.right(end, value, BOLD, 7.6)
        press.rule(x, end, -4.6)
        press.y -= 16.2


def quick_facts(press: Press, sheet: Sheet) -> None:
    x, end = RIGHT + 8, RIGHT_END - 8
    press.heading(x, end, "Quick facts")
    rows = (
        ("Expense ratio", "1", sheet.expense_ratio),
        (f"Net assets as of {sheet.as_of}", "", sheet.net_assets),
        ("Inception date", "", f"{INCEPTION:%B} {INCEPTION.day}, {INCEPTION.year}"),
        ("Benchmark", "", INDEX),
        ("Ticker symbol", "", TICKER),
        ("CUSIP number", "", "99N500 10 4"),
        ("Number of stocks", "", sheet.stocks[0]),
        ("Turnover rate", "2", sheet.turnover),
        ("Dividend schedule", "", "Quarterly"),
        ("Investment style", "", "Large-cap blend"),
        ("Fund type", "", "Exchange-traded fund"),
        ("Portfolio management", "", "Passive, full replication"),
    )
    facts(press, x, end, rows)
    press.y -= 14


def expense_comparison(press: Press, sheet: Sheet) -> None:
    x, end = RIGHT + 8, RIGHT_END - 8
    press.heading(x, end, "Expense ratio comparison", "1")
    rows = ((FUND, sheet.expense_ratio, BLUE), ("Average of comparable funds", sheet.industry_ratio, GREY))
    longest = float(sheet.industry_ratio.rstrip("%"))
    for label, value, color in rows:
        press.text(x, label, REGULAR, 7.6)
        press.y -= 12
        width = float(value.rstrip("%")) / longest * 126
        press.box(x, press.y - 1.5, width, 8, color)
        press.text(x + width + 5, value, BOLD, 8)
        press.y -= 18
    press.y -= 12


def trading(press: Press, sheet: Sheet) -> None:
    x, end = RIGHT + 8, RIGHT_END - 8
    press.heading(x, end, "Trading information")
    rows = (
        ("Fund ticker", "", TICKER),
        ("Intraday value ticker", "", "NMBF.IV"),
        ("Index ticker", "", "MRD500TR"),
        ("Exchange", "", "Harbour Street Exchange"),
        ("Average daily volume", "3", sheet.volume),
        ("Premium/discount", "3", sheet.premium_discount),
    )
    facts(press, x, end, rows)
    press.y -= 14


def risk_scale(press: Press) -> None:
    """Five boxes, the fourth filled, as providers print the risk potential of a fund."""
    x, end = RIGHT + 8, RIGHT_END - 8
    press.heading(x, end, "Risk potential")
    press.text(x, "Less risk, less reward", REGULAR, 7, GREY)
    press.right(end, "More risk, more reward", REGULAR, 7, GREY)
    press.y -= 22
    step = (end - x) / 5
    for level in range(1, 6):
        press.box(x + step * (level - 1), press.y - 5, step - 3, 17, BLUE if level == 4 else RULE)
        color = HexColor("#FFFFFF") if level == 4 else INK
        press.text(x + step * (level - 0.5) - 4, str(level), BOLD, 8, color)
    press.y -= 18
    press.paragraph(
        x,
        end,
        "Level 4, moderate to aggressive: share prices of the fund are expected to rise and fall about as widely as "
        "the broad stock market. Suited to investors with a horizon of ten years or longer.",
        7.6,
    )


def approach(press: Press) -> None:
    press.heading(LEFT, LEFT_END, "Investment approach")
    press.bullets(
        LEFT,
        LEFT_END,
        (
            f"Seeks to track the performance of the {INDEX} before fees and expenses.",
            "Holds every stock of the index in about the same proportion as its weight in the index.",
            "Remains fully invested; cash flows are equitized with index futures when useful.",
            "Low expenses keep the difference between the fund and its benchmark small.",
        ),
    )
    press.y -= 12
    press.heading(LEFT, LEFT_END, "About the benchmark")
    press.paragraph(
        LEFT,
        LEFT_END,
        f"The {INDEX} covers 500 of the largest companies listed in the United States, weighted by free-float market "
        "value. It is reviewed each quarter; a committee decides on additions and deletions between reviews.",
    )
    press.y -= 14


def performance_table(press: Press, sheet: Sheet, series: Sequence[Series]) -> None:
    press.heading(LEFT, LEFT_END, "Performance history", "4")
    press.text(LEFT, f"Total returns for periods ended {sheet.as_of}", ITALIC, 7.6, GREY)
    columns = ("Quarter", "Year to|date", "1 year", "3 years", "5 years", "10 years", "Since|inception")
    edges = [LEFT + 92 + 34 * (i + 1) for i in range(7)]
    press.y -= 12
    press.canvas.setFont(BOLD, 7)
    label = "Average annual returns"
    center = (edges[1] + edges[6]) / 2 + 4
    press.text(center - stringWidth(label, BOLD, 7) / 2, label, BOLD, 7)
    press.rule(edges[1] + 8, edges[6], -3)
    press.y -= 12
    stacked_header(press, edges, columns)
    for one in series:
        cells(press, LEFT, edges, one.name, performance(one, sheet.year))
    press.y -= 5
    press.paragraph(
        LEFT,
        LEFT_END,
        "The figures represent past performance, which is not a guarantee of future results. Returns for periods of "
        "less than one year are not annualized.",
        7,
        ITALIC,
    )
    press.y -= 13


def stacked_header(press: Press, edges: Sequence[float], columns: Sequence[str]) -> None:
    """Right-aligned column titles of one or two lines, standing on the lower line."""
    for line in (0, 1):
        for edge, title in zip(edges, columns, strict=True):
            parts = title.split("|")
            padded = ["", *parts] if len(parts) == 1 else parts
            if padded[line]:
                press.right(edge, padded[line], BOLD, 7)
        press.y -= 8.5
    press.rule(LEFT, edges[-1], 5.5, INK, 0.6)
    press.y -= 4


def cells(press: Press, x: float, edges: Sequence[float], label: str, values: Sequence[str]) -> None:
    press.text(x, label, REGULAR, 7.6)
    for edge, value in zip(edges, values, strict=True):
        press.right(edge, value, REGULAR, 7.6)
    press.rule(x, edges[-1], -4.2)
    press.y -= 15


def calendar_table(press: Press, sheet: Sheet, series: Sequence[Series]) -> None:
    press.heading(LEFT, LEFT_END, "Calendar-year returns", "4")
    years = range(sheet.year - 10, sheet.year)
    edges = [LEFT + 78 + 25.2 * (i + 1) for i in range(10)]
    for edge, year in zip(edges, years, strict=True):
        press.right(edge, str(year), BOLD, 6.6)
    press.rule(LEFT, LEFT_END, -3, INK, 0.6)
    press.y -= 12
    for one in series:
        press.text(LEFT, one.name, REGULAR, 7)
        for edge, year in zip(edges, years, strict=True):
            press.right(edge, percent(one.total(entry(year - 1, 4), entry(year, 4))), REGULAR, 6.2)
        press.rule(LEFT, LEFT_END, -4)
        press.y -= 14
    press.y -= 14


def growth_chart(press: Press, sheet: Sheet, nav: Series) -> None:
    """Ten years of quarter ends, in net asset value."""
    end = entry(sheet.year, 2)
    worth = [10_000 * nav.wealth[i] / nav.wealth[end - 40] for i in range(end - 40, end + 1)]
    press.heading(LEFT, LEFT_END, "Growth of a $10,000 investment")
    press.text(LEFT, f"June 30, {sheet.year - 10}, through {sheet.as_of}, at net asset value", ITALIC, 7.6, GREY)
    x, top, height, width = LEFT + 34, press.y - 12, 112.0, LEFT_END - LEFT - 84
    high = math.ceil(max(worth) / 10_000) * 10_000
    for step in range(0, high + 1, 10_000):
        press.y = top - height + height * step / high
        press.right(x - 5, f"${step:,}", REGULAR, 6.5, GREY)
        press.rule(x, x + width, 2)
    line = press.canvas.beginPath()
    for i, value in enumerate(worth):
        point = (x + width * i / 40, top - height + 2 + height * value / high)
        (line.moveTo if i == 0 else line.lineTo)(*point)
    press.canvas.setStrokeColor(BLUE)
    press.canvas.setLineWidth(1.4)
    press.canvas.drawPath(line)
    press.y = top - height + height * worth[-1] / high
    press.text(x + width + 5, f"${worth[-1]:,.0f}", BOLD, 8, BLUE)


def sector_table(press: Press, sheet: Sheet) -> None:
    x, end = LEFT, 290.0
    press.heading(x, end, "Sector diversification", "5")
    press.right(end, f"As of {sheet.as_of}", ITALIC, 7, GREY)
    press.y -= 12
    longest = float(sheet.sectors[0][1].rstrip("%"))
    for name, share in sheet.sectors:
        press.text(x, name, REGULAR, 7.8)
        press.box(x + 108, press.y - 1, float(share.rstrip("%")) / longest * 100, 7, BLUE)
        press.right(end, share, REGULAR, 7.8)
        press.y -= 14.6
    total_row(press, x, end, "Total", [value for _, value in sheet.sectors])


def total_row(press: Press, x: float, end: float, label: str, values: Sequence[str]) -> None:
    total = sum(Decimal(value.rstrip("%")) for value in values)
    press.rule(x, end, 10.2, INK, 0.6)
    press.text(x, label, BOLD, 7.8)
    press.right(end, f"{total}%", BOLD, 7.8)
    press.y -= 27


def holdings_table(press: Press, sheet: Sheet) -> None:
    x, end = 322.0, RIGHT_END
    press.heading(x, end, "Ten largest holdings", "6")
    press.right(end, "% of net assets", ITALIC, 7, GREY)
    press.y -= 12
    for number, (name, share) in enumerate(sheet.holdings, start=1):
        press.right(x + 10, str(number), REGULAR, 7.8, GREY)
        press.text(x + 18, name, REGULAR, 7.8)
        press.right(end, share, REGULAR, 7.8)
        press.y -= 14.6
    total_row(press, x, end, "Top ten as % of net assets", [value for _, value in sheet.holdings])


def characteristics_table(press: Press, sheet: Sheet) -> None:
    x, edges = LEFT, (212.0, 290.0)
    press.heading(x, edges[-1], "Fund characteristics")
    for edge, title in zip(edges, ("Fund", "Benchmark"), strict=True):
        press.right(edge, title, BOLD, 7.6)
    press.rule(x, edges[-1], -3, INK, 0.6)
    press.y -= 13
    rows = (("Number of stocks", *sheet.stocks), *sheet.characteristics, ("Turnover rate", sheet.turnover, "—"))
    for label, fund, benchmark in rows:
        cells(press, x, edges, label, (fund, benchmark))
    press.y -= 8


def dividend_table(press: Press, sheet: Sheet) -> None:
    x, edges = 322.0, (490.0, RIGHT_END)
    press.heading(x, edges[-1], "Dividends, past four quarters")
    press.text(x, "Quarter", BOLD, 7.6)
    for edge, title in zip(edges, ("Payable date", "Per share"), strict=True):
        press.right(edge, title, BOLD, 7.6)
    press.rule(x, edges[-1], -3, INK, 0.6)
    press.y -= 13
    for label, payable, amount in sheet.dividends:
        cells(press, x, edges, label, (payable, amount))
    total = sum(Decimal(amount.lstrip("$")) for *_, amount in sheet.dividends)
    press.rule(x, edges[-1], 10.8, INK, 0.6)
    press.text(x, "Total", BOLD, 7.6)
    press.right(edges[-1], f"${total}", BOLD, 7.6)
    press.y -= 27


def risk(press: Press) -> None:
    x = 322.0
    press.heading(x, RIGHT_END, "Plain talk about risk")
    press.paragraph(
        x,
        RIGHT_END,
        "An investment in the fund could lose money over short or even long periods. Stock markets move in cycles, and "
        "shares of large companies can trail the rest of the market. The fund does not try to outperform its "
        "benchmark; it will not take defensive positions in a falling market.",
        8.2,
    )


def footnotes(sheet: Sheet) -> tuple[tuple[str, str], ...]:
    return (
        (
            "1",
            f"The expense ratio of {sheet.expense_ratio} is from the prospectus dated April 26, {sheet.year}, and "
            f"covers operating expenses. The average of comparable funds, {sheet.industry_ratio}, is asset-weighted "
            f"over large-cap blend funds as of December 31, {sheet.year - 1}.",
        ),
        (
            "2",
            f"For the fiscal year ended December 31, {sheet.year - 1}. Excludes the value of portfolio securities "
            "received or delivered as a result of in-kind purchases or redemptions.",
        ),
        ("3", f"Average over the 30 trading days to {sheet.as_of}; median of the bid/ask midpoint over NAV."),
        (
            "4",
            "Market price returns use the midpoint of bid and ask at the close of trading, typically 4 p.m. Index "
            "returns bear no fees or expenses; an investor cannot invest directly in an index.",
        ),
        ("5", "Sector categories follow the index provider. Sectors may not add up to 100% because of rounding."),
        ("6", "Holdings may change daily and exclude temporary cash investments and index futures."),
    )


DISCLOSURES = (
    f"Shares of the {FUND} can be bought and sold only through a broker, who may charge a commission. The market price "
    "of the shares may be above or below their net asset value. Shares are not redeemable with the fund other than in "
    "creation-unit aggregations.",
    f"The {INDEX} is a product of the equally fictional Meridian Index Company, which does not sponsor, endorse, sell "
    "or promote the fund and makes no representation regarding the advisability of investing in it.",
    "Investments are not bank deposits, are not guaranteed and may lose value. Consider objectives, risks, charges and "
    "expenses before investing. This sheet was written to demonstrate software; nothing in it is an offer or advice.",
)


def small_print(press: Press, sheet: Sheet) -> None:
    press.heading(LEFT, RIGHT_END, "Footnotes")
    press.y += 3
    for mark, text in footnotes(sheet):
        press.y += 1.8
        press.text(LEFT, mark, REGULAR, 5)
        press.y -= 1.8
        press.paragraph(LEFT + 7, RIGHT_END, text, 7.6)
        press.y -= 1
    press.y -= 13
    press.heading(LEFT, RIGHT_END, "Important information")
    press.y += 3
    for text in DISCLOSURES:
        press.paragraph(LEFT, RIGHT_END, text, 7.6)
        press.y -= 3


def first_page(press: Press, sheet: Sheet, series: Sequence[Series]) -> None:
    banner(press, sheet)
    press.y = HEIGHT - 76
    press.text(LEFT, FUND, BOLD, 22, NAVY)
    press.y -= 16
    press.text(LEFT, f"{TICKER}  |  Exchange-traded fund  |  Domestic stock, large-cap blend", REGULAR, 9, GREY)
    press.y -= 26
    top = press.y
    approach(press)
    performance_table(press, sheet, series)
    calendar_table(press, sheet, series)
    growth_chart(press, sheet, series[0])
    press.box(RIGHT, 62, RIGHT_END - RIGHT, top + 18 - 62, PALE)
    press.y = top
    quick_facts(press, sheet)
    expense_comparison(press, sheet)
    trading(press, sheet)
    risk_scale(press)
    footer(press, sheet, 1)


def second_page(press: Press, sheet: Sheet) -> None:
    banner(press, sheet)
    top = HEIGHT - 76
    press.y = top
    sector_table(press, sheet)
    characteristics_table(press, sheet)
    left_end = press.y
    press.y = top
    holdings_table(press, sheet)
    dividend_table(press, sheet)
    risk(press)
    press.y = min(left_end, press.y) - 8
    small_print(press, sheet)
    footer(press, sheet, 2)


def typeset(sheet: Sheet) -> bytes:
    """The PDF's bytes, the same on every machine."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=0)
    canvas.setTitle(f"{FUND}: fact sheet, {sheet.as_of} (fictional)")
    canvas.setAuthor(f"{PROVIDER} (fictional)")
    canvas.setSubject(NOTICE)
    press = Press(canvas)
    first_page(press, sheet, make_series())
    canvas.showPage()
    second_page(press, sheet)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def write(path: Path, content: bytes) -> bool:
    path.write_bytes(content)
    print(f"{path.name}: {len(content):,} bytes written")
    return True


def check(path: Path, content: bytes) -> bool:
    same = path.exists() and path.read_bytes() == content
    print(f"{path.name}: {'same bytes' if same else 'differs from what this script typesets'}")
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing")
    action = check if parser.parse_args().check else write
    done = [action(HERE / f"nimbus_{sheet.year}.pdf", typeset(sheet)) for sheet in SHEETS]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
