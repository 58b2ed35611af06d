"""Numbers and dates as documents write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from grounded.quantities import Quantity, compare, hint, periods, quantities


def one(text: str, **hints: str) -> Quantity:
    found = quantities(text, **hints)
    assert len(found) == 1, found
    assert text[slice(*found[0].span)] == found[0].text
    return found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,56 €", "1234.56"), ("1 234,56", "1234.56"), ("1\u202f234,56", "1234.56"), ("1'234.50 CHF", "1234.50"),
        ("12,34,567", "1234567"), ("−3.2", "-3.2"), ("(1,234.5)", "-1234.5"), ("$ (1,234.0)", "-1234"),
        ("(5.1)%", "-5.1"),
        ("-$5", "-5"), ("$1.2bn", "1200000000"), ("1.2e6", "1200000"), ("1.2 × 10^6", "1200000"), ("3 × 10⁻³", "0.003"),
        ("6½", "6.5"), ("3/4 inch", "0.75"), ("five hundred thousand dollars", "500000"),
        ("a dozen", "12"), ("twenty-five", "25"), ("USD 5m", "5000000"), ("2.5 lakh", "250000"), ("0.03%", "0.03"),
        ("two and a half", "2.5"), ("$36.9 million", "36900000"), ("12 millions d'euros", "12000000"),
        ("1,2 milliard d'euros", "1200000000"), ("2,5 Mds d’euros", "2500000000"), ("4 Milliarden Euro", "4000000000"),
        ("12 T€", "12000"), ("300 mil euros", "300000"), 
        ("2 mil millones de euros", "2000000000"), ("750 miles de euros", "750000"),
    ],
)  # fmt: skip
def test_value(text: str, value: str) -> None:
    assert one(text).value == Decimal(value)


def test_fraction_in_words() -> None:
    assert one("two-thirds of").value == Decimal(2) / 3


@pytest.mark.parametrize("text", ["1,234", "1.234", "100.000 shares"])
def test_a_form_two_locales_read_differently_says_so(text: str) -> None:
    assert one(text).ambiguous
    assert not one(text, locale_hint="en").ambiguous
    assert not one(text, locale_hint="de-AT").ambiguous


def test_the_words_around_decide_the_locale() -> None:
    assert one("The total was 1,234").value == 1234
    assert one("Der Umsatz betrug 1.234").value == 1234
    assert not one("Der Umsatz betrug 1.234").ambiguous


@pytest.mark.parametrize("text", ["1,234¹", "1,234(1)", "1,234*", "1,2341"])
def test_a_footnote_mark_is_no_digit(text: str) -> None:
    quantity = one(text, locale_hint="en")
    assert quantity.value == 1234
    assert quantity.mark


@pytest.mark.parametrize("text", ["COVID-19", "A320", "737NG", "1.0.3", "192.168.1.1", "£'000", "H1N1", "S-1 filing"])
def test_names_and_notes_are_no_quantities(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("text", "kind"), [("Note 4", "reference"), ("2019", "year"), ("3rd", "ordinal"), ("2.5x", "multiple")]
)
def test_kind(text: str, kind: str) -> None:
    assert one(text).kind == kind


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("3–5 %", 3, 5), ("between 3 and 5 percent", 3, 5), ("$2-3 million", 2_000_000, 3_000_000)],
)
def test_range(text: str, low: int, high: int) -> None:
    quantity = one(text)
    assert (quantity.is_range, quantity.low, quantity.high) == (True, low, high)


def test_from_to_is_a_change_not_a_range() -> None:
    assert [q.value for q in quantities("grew from 3% to 5%")] == [3, 5]
    assert [q.value for q in quantities("rose 25% to $1,234.0")] == [25, 1234]


def test_restated_number_is_one_quantity() -> None:
    assert one("thirty (30) days").value == 30


@pytest.mark.parametrize(
    ("note", "power", "currency", "unit"),
    [
        ("($ in thousands)", 3, "$", ""), ("(in millions, except per share data)", 6, "", ""), ("£'000", 3, "GBP", ""),
        ("€m", 6, "EUR", ""), ("US$ billions", 9, "USD", ""), ("% of total", 0, "", "percent"), ("Revenue", 0, "", ""),
    ],
)  # fmt: skip
def test_unit_note(note: str, power: int, currency: str, unit: str) -> None:
    said = hint(note)
    assert (said.exponent, said.currency, said.unit) == (power, currency, unit)


def test_a_unit_note_spares_percentages_and_years() -> None:
    assert [q.value for q in quantities("1,234.0 5% 2019", unit_hint="in thousands")] == [1_234_000, 5, 2019]


@pytest.mark.parametrize(
    ("claimed", "found", "relation"),
    [
        ("$4.2 billion", "$4,200.0 million", "equal"), ("4.2%", "4.19%", "rounded"),
        ("about 4,000.0", "3,960.5", "bound"),
        ("more than 20", "23", "bound"), ("more than 20", "20", "different"), ("$4.2bn", "$2.4bn", "different"),
        ("1,496.5 million", "1,496.5 thousand", "scale"), ("149.65", "1,496.5", "scale"), ("-44.1", "44.1", "sign"),
        ("5%", "5 percentage points", "unit"), ("25 bps", "0.25 percentage points", "equal"),
        ("1,000 m", "1 km", "equal"),
        ("$5", "€5", "unit"), ("3-5", "4", "bound"), ("3 months", "3 weeks", "unit"),
    ],
)  # fmt: skip
def test_compare(claimed: str, found: str, relation: str) -> None:
    assert compare(one(claimed, locale_hint="en"), one(found, locale_hint="en")).relation == relation


@pytest.mark.parametrize(
    ("claimed", "found", "agrees"),
    [
        ("fewer than 20", "23", False),
        ("more than 20", "more than 20", True),
        ("at most 20", "at least 20", False),
        ("20", "about 20", True),
    ],
)
def test_bounds(claimed: str, found: str, agrees: bool) -> None:
    assert compare(one(claimed), one(found)).agrees is agrees


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Q3 FY24", {"quarter": 3, "year": 2024, "fiscal": True}),
        ("third quarter of 2019", {"quarter": 3, "year": 2019}),
        ("September 30, 2019", {"year": 2019, "month": 9, "day": 30}),
        ("30 Sept 2019", {"year": 2019, "month": 9, "day": 30}),
        ("30.09.2019", {"day": 30, "month": 9}), ("2019-09-30", {"day": 30, "month": 9}),
        ("FY2018/19", {"year": 2018, "end_year": 2019}),
        ("three months ended June 30, 2019", {"months": 3, "month": 6}), ("1990s", {"year": 1990, "end_year": 1999}),
    ],
)  # fmt: skip
def test_period(text: str, fields: dict[str, int]) -> None:
    (period,) = periods(text)
    assert {name: getattr(period, name) for name in fields} == fields


def test_day_and_month_that_may_be_swapped() -> None:
    (numeric,), (july,), (august) = periods("07/08/2019"), periods("July 8, 2019"), periods("7 August 2019")
    assert numeric.ambiguous
    assert numeric.agrees(july) and numeric.agrees(august[0])
    assert not july.agrees(august[0])


def test_a_change_and_where_it_led_are_two_numbers() -> None:
    found = quantities("Expenses decreased $8.6 million to $24.9 million from $33.5 million.")
    assert [str(q.number) for q in found] == ["8.6", "24.9", "33.5"]
    assert quantities("It takes 5 to 7 days.")[0].is_range


@pytest.mark.parametrize(
    ("header", "power"),
    [
        ("in Mio. €", 6), ("en milliers d’euros", 3), ("(en millones de euros)", 6), ("miles de euros", 3), ("T€", 3),
        ("miles de millones de euros", 9), ("Angaben in Tausend Euro", 3), ("M€", 6), ("Distance (miles)", 0),
    ],
)  # fmt: skip
def test_scales_in_other_languages(header: str, power: int) -> None:
    assert hint(header).exponent == power


def test_other_languages_take_no_english_word() -> None:
    assert one("12 miles").unit == "mi"
    assert one("$12 mil").exponent == 0
