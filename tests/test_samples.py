"""The sample documents: their bytes come from their script, and their numbers agree with each other."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pymupdf
import pytest

DATA = Path(__file__).parent.parent / "data"
YEARS = (2024, 2025)


def page_text(year: int, number: int) -> str:
    with pymupdf.open(DATA / f"nimbus_{year}.pdf") as file:
        return str(file[number - 1].get_text("text"))


def percents(text: str, start: str, count: int) -> list[Decimal]:
    """The first `count` percentages after a line that starts with `start`."""
    tail = text[text.index(start) :]
    return [Decimal(value) for value in re.findall(r"(-?\d+\.\d+)%", tail)[:count]]


def test_committed_bytes_are_what_the_script_typesets() -> None:
    result = subprocess.run([sys.executable, str(DATA / "make_samples.py"), "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("year", YEARS)
def test_two_pages_each_marked_fictional_and_dated(year: int) -> None:
    for number in (1, 2):
        text = page_text(year, number)
        assert "Fictional fund" in text
        assert f"June 30, {year}" in text


@pytest.mark.parametrize("year", YEARS)
def test_shares_and_dividends_add_up(year: int) -> None:
    text = page_text(year, 2)
    *sectors, total = percents(text, "Information technology", 12)
    assert sum(sectors) == total == Decimal("100.0")
    assert sectors == sorted(sectors, reverse=True)
    *holdings, ten = percents(text, "Ten largest holdings", 11)
    assert sum(holdings) == ten
    *dividends, paid = [Decimal(v) for v in re.findall(r"\$(0\.\d{4}|\d\.\d{4})\b", text)]
    assert sum(dividends) == paid


def test_the_second_year_follows_from_the_first() -> None:
    """1 year to June 2025 = (calendar 2024 / first half of 2024) * first half of 2025."""
    earlier, later = (percents(page_text(year, 1), "Net asset value (NAV)", 7) for year in YEARS)
    calendar_2024 = percents(page_text(2025, 1), "Calendar-year returns", 10)[-1]
    second_half = (1 + float(calendar_2024) / 100) / (1 + float(earlier[1]) / 100)
    one_year = (second_half * (1 + float(later[1]) / 100) - 1) * 100
    assert one_year == pytest.approx(float(later[2]), abs=0.03)


@pytest.mark.parametrize("year", YEARS)
def test_growth_of_ten_thousand_is_the_ten_year_return(year: int) -> None:
    text = page_text(year, 1)
    ten_years = float(percents(text, "Net asset value (NAV)", 7)[5])
    final = next(v for v in re.findall(r"\$(\d\d,\d{3})", text) if not v.endswith("000"))
    assert math.pow(1 + ten_years / 100, 10) * 10_000 == pytest.approx(int(final.replace(",", "")), rel=2e-3)


def test_the_years_differ_where_a_year_would_tell() -> None:
    texts = [page_text(year, 1) for year in YEARS]
    assert "0.04%" in texts[0] and "0.03%" in texts[1]
    assert "$48,617 million" in texts[0] and "$59,283 million" in texts[1]
    tops = [re.search(r"1\s+(\w+ [\w&]+ \w+\.)", page_text(year, 2).split("Ten largest holdings")[1]) for year in YEARS]
    assert [m.group(1) for m in tops if m] == ["Larkspur Devices Inc.", "Quarrion Semiconductor Corp."]
