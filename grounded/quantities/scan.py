"""Text -> quantities: every number with its sign, scale, unit, currency, bounds and the words that soften it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from grounded.quantities import numerals, units
from grounded.quantities.periods import Period, periods
from grounded.quantities.spelled import Spelled, spelled

Kind = Literal["number", "money", "percent", "multiple", "ordinal", "fraction", "year", "reference"]
Approx = Literal["", "about", "over", "at least", "under", "at most"]

_BEFORE_WORDS: dict[Approx, str] = {
    "at least": r"\b(?:at least|no(?:t)? (?:be )?(?:less|lower|shorter|smaller|younger) than|no fewer than"
    r"|(?:a )?minimum of|a minimum)|≥|>=",
    "at most": r"\b(?:at most|up to|no(?:t)? (?:be )?(?:more|greater|higher|larger|longer|older) than"
    r"|not (?:to )?exceed(?:ing)?|maximum of|as (?:much|many) as)|≤|<=",
    "over": r"\b(?:(?:just |slightly |well )?(?:(?:more|greater|higher|larger|longer|older) than|over|above)"
    r"|exceed(?:s|ed|ing)?|in excess of|upwards? of)|>",
    "under": r"\b(?:(?:just |slightly )?(?:(?:less|fewer|lower|smaller|shorter|younger) than|under|below))|<",
    "about": r"\b(?:about|approximately|approx\.?|around|roughly|circa|ca\.?|c\.|some|an estimated|estimated at"
    r"|close to|near(?:ly)?|almost)|[~≈]",
}
_APPROX = tuple(
    (name, re.compile(rf"(?:{words})\s*(?:an?\s+|the\s+)?(?:total\s+of\s+)?$", re.IGNORECASE))
    for name, words in _BEFORE_WORDS.items()
)
_REFERENCE = re.compile(
    r"\b(?:sections?|articles?|notes?|tables?|figures?|fig\.|pages?|pp?\.|clauses?|items?|exhibits?|schedules?|chapters?"
    r"|parts?|paragraphs?|appendix|footnotes?|steps?|no\.|nos\.|number|form|rule|version|phase|level|stage)\s*$",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:^|[\s(\[:;=,/|$€£~<>≤≥–—])([-−–+])\s?$")
_MARK = re.compile(
    r"[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+|[*†‡§]+(?!\w)|\(\d{1,2}\)(?=\s|$|[,.;)])|\([a-z]\)(?=\s|$)"
)
_POWER = re.compile(
    r"[eE]([+\-−]?\d{1,3})(?![\w])"
    r"|\s?[×x*]\s?10\s?(?:\^\s?([+\-−]?\d{1,3})|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|([−-]\d{1,2}))"
)
_SUPERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_SLASH = re.compile(r"\s?/\s?(\d{1,3})(?![\d/.,])", re.ASCII)
_THOUSANDS_NOTE = re.compile(r"['’$€£(]000s?\b")
_VULGAR = {
    "½": "0.5",
    "¼": "0.25",
    "¾": "0.75",
    "⅓": "1/3",
    "⅔": "2/3",
    "⅛": "0.125",
    "⅜": "0.375",
    "⅝": "0.625",
    "⅞": "0.875",
    "⅕": "0.2",
}
_CLOSING = re.compile(r"\s*\)")
_AMOUNT = re.compile(r"[,.]\d|[$€£%]")
_RESTATES = re.compile(r"[A-Za-z%\d]\s*$")
_WAS = re.compile(r"\b(?:was|were)\s*[$€£]?\s*$")
_STATES = re.compile(r"\b(?:was|were|is|are|of|to|from|at)\s*$")
_TOLERANCE = re.compile(r"\s*(?:±|\+\s?/\s?[-−])\s*$")
_DASH = re.compile(r"\s?[-–—‑]\s?$|\s+to\s+$")
_BETWEEN = re.compile(r"\bbetween\s+(?:[$€£]\s?)?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+(?:[$€£(]\s?)*$", re.IGNORECASE)
# 'decreased $8.6 million to $24.9 million': a change and where it led
_MOVED = re.compile(
    r"\b(?:(?:in|de)creas\w+|rose|fell|grew|declin\w+|dropp?\w+|reduced|improved|gained|up|down|by)\s+"
    r"(?:by\s+|about\s+|approximately\s+)*(?:[$€£(]\s?)*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written at a half-open span of the text.

    number: as printed, sign applied, scale not. exponent: power of ten of its scale ('million' -> 6).
    value: number * 10**exponent, in `unit` (percent stays percent: 5 % is 5). low/high: bounds of a range or of ±,
    scaled; equal to value otherwise. decimals: digits printed after the decimal mark, what rounding is judged by.
    others: values another locale would read; a non-empty tuple means ambiguous. mark: a footnote mark set aside.
    scaled_by: 'written' beside the number, 'hint' from the header, '' none. signed: a sign or accountant's parentheses.
    """

    text: str
    span: tuple[int, int]
    number: Decimal
    exponent: int = 0
    decimals: int = 0
    kind: Kind = "number"
    unit: str = ""
    currency: str = ""
    low: Decimal = Decimal(0)
    high: Decimal = Decimal(0)
    is_range: bool = False
    approx: Approx = ""
    others: tuple[Decimal, ...] = ()
    mark: str = ""
    scaled_by: Literal["", "written", "hint"] = ""
    spelled: bool = False
    signed: bool = False

    @property
    def value(self) -> Decimal:
        """The number with its scale applied."""
        return self.number.scaleb(self.exponent)

    @property
    def ambiguous(self) -> bool:
        """Whether another locale would read another value."""
        return bool(self.others)


def quantities(text: str, *, locale_hint: str | None = None, unit_hint: str = "") -> list[Quantity]:
    """All quantities of `text`, left to right. Dates are left to `periods`; a bare year is kept with kind 'year'.

    locale_hint: a language tag ('en', 'de'); without it the text itself decides, and what it cannot decide is
    ambiguous. unit_hint: the unit note in force ('$ in thousands', '%'); it applies to numbers that say nothing.
    """
    return list(_quantities(text, locale_hint, unit_hint))


@lru_cache(maxsize=8192)
def _quantities(text: str, locale_hint: str | None, unit_hint: str) -> tuple[Quantity, ...]:
    dates = periods(text)
    years = {p.span for p in dates if p.kind == "year" and not p.fiscal}
    mark = numerals.decimal_mark(locale_hint, text)
    found = _numerals(text, [p for p in dates if p.span not in years], years, mark)
    taken = [q.span for q in found] + [p.span for p in dates]
    found += [_from_words(text, s) for s in spelled(text) if not any(a <= s.start < b for a, b in taken)]
    found += _lone_fractions(text, found)
    found.sort(key=lambda q: q.span)
    merged = _merge(text, [_soften(text, q) for q in found])
    if unit_hint:
        merged = [_apply_hint(q, units.hint(unit_hint)) for q in merged]
    return tuple(_bounded(q) for q in merged)


def _inside(position: int, dates: list[Period]) -> bool:
    return any(p.span[0] <= position < p.span[1] for p in dates)


def _numerals(
    text: str, dates: list[Period], years: set[tuple[int, int]], mark: numerals.DecimalMark | None
) -> list[Quantity]:
    found: list[Quantity] = []
    position = 0
    while match := numerals.NUMERAL.search(text, position):
        start = match.start()
        end = numerals.spaced_numeral(text, start) or match.end()
        position = end
        if _inside(start, dates) or _glued_to_letters(text, start) or _THOUSANDS_NOTE.match(text, max(0, start - 1)):
            continue
        quantity = _numeral(text, start, end, mark, match.span() in years)
        if quantity is not None:
            found.append(quantity)
            position = max(end, quantity.span[1])
    return found


def _glued_to_letters(text: str, start: int) -> bool:
    """Part of a name: A320, COVID-19, S-1, #3. Currency codes may touch (USD5)."""
    before = text[max(0, start - 4) : start]
    if not before or not (before[-1].isalnum() or before[-1] in "_#-"):
        return False
    if units.CURRENCY_BEFORE.search(before):
        return False
    return before[-1] != "-" or (len(before) > 1 and before[-2].isalpha())


def _numeral(text: str, start: int, end: int, mark: numerals.DecimalMark | None, is_year: bool) -> Quantity | None:
    reading = numerals.read(text[start:end], mark)
    if reading is None:
        return None
    power, end = _power(text, end)
    number, decimals, end = _with_fraction(text, reading.value, reading.decimals, end)
    note = _MARK.match(text, end)
    end = note.end() if note else end
    head, sign, currency = _before(text, start)
    opened = None if is_year else _accounting(text, head, end)
    if opened:
        head, end, currency = opened[0], opened[1], currency or opened[2]
    measure = units.after(text, end, currency)
    if measure.end <= end and text[end : end + 1].isalpha() and not power:
        return _ordinal(text, start, end, number)
    negative = opened is not None or sign in ("-", "−", "–")
    plain = not (measure.currency or measure.unit or measure.exponent)
    factor = -1 if negative else 1
    end = max(end, measure.end)
    return Quantity(
        text[head:end], (head, end), number * factor, measure.exponent + power, decimals,
        _kind(measure, is_year and plain), measure.unit, measure.currency,
        others=tuple(o * factor for o in reading.others), mark=note.group() if note else reading.mark,
        scaled_by="written" if measure.exponent else "", signed=negative or sign == "+",
    )  # fmt: skip


def _ordinal(text: str, start: int, end: int, number: Decimal) -> Quantity | None:
    """'3rd' is an ordinal; any other letter glued on makes a name (737NG), which is no quantity."""
    if match := _ORDINAL.match(text, end):
        return Quantity(text[start : match.end()], (start, match.end()), number, kind="ordinal")
    return None


def _power(text: str, end: int) -> tuple[int, int]:
    match = _POWER.match(text, end)
    if not match:
        return 0, end
    written = next(g for g in match.groups() if g)
    return int(written.translate(_SUPERS)), match.end()


def _with_fraction(text: str, number: Decimal, decimals: int, end: int) -> tuple[Decimal, int, int]:
    """6½ and 3/4. A fraction counts two decimals for rounding."""
    if end < len(text) and text[end] in _VULGAR:
        return number + _ratio(_VULGAR[text[end]]), 2, end + 1
    if decimals == 0 and number < 1000 and (match := _SLASH.match(text, end)) and 0 < int(number) < int(match[1]):
        return number / int(match[1]), 2, match.end()
    return number, decimals, end


def _ratio(written: str) -> Decimal:
    top, _, bottom = written.partition("/")
    return Decimal(top) / Decimal(bottom or 1)


def _before(text: str, start: int) -> tuple[int, str, str]:
    """(start of the whole expression, sign, currency) of what stands before the numeral: '−$', '$ -', 'US$'."""
    head, sign, currency = start, "", ""
    for _ in range(2):
        window = text[max(0, head - 8) : head]
        if not sign and (match := _SIGN.search(window)):
            head, sign = head - (len(window) - match.start(1)), match[1]
        elif not currency and (match := units.CURRENCY_BEFORE.search(window)):
            head, currency = head - (len(window) - match.start()), units.currency_of(match.group())
    return head, sign, currency


def _accounting(text: str, head: int, end: int) -> tuple[int, int, str] | None:
    """(start, end, currency) when an accountant's parentheses close around the number: (1,234), $ (0.05), (3.2)%.
    '(3)' in a sentence and 'thirty (30)' are no negatives; a cell that holds nothing else is."""
    before = text[:head].rstrip()
    closing = _CLOSING.match(text, end)
    if not before.endswith("(") or not closing:
        return None
    outside = before[:-1]
    alone = not outside.strip(" $€£") and not text[closing.end() :].strip(" %*")
    printed_as_amount = _AMOUNT.search(text[head:end]) or text[closing.end() : closing.end() + 2].strip()[:1] == "%"
    if (
        not alone
        and not _WAS.search(outside)
        and (not printed_as_amount or (_RESTATES.search(outside) and not _STATES.search(outside)))
    ):
        return None
    opening, _, currency = _before(text, len(outside))
    return opening, closing.end(), currency


def _kind(measure: units.Measure, is_year: bool) -> Kind:
    if is_year:
        return "year"
    if measure.unit == units.MULTIPLE:
        return "multiple"
    if measure.unit in (units.PERCENT, units.POINTS, units.BASIS, units.PERMILLE):
        return "percent"
    return "money" if measure.currency else "number"


def _from_words(text: str, found: Spelled) -> Quantity:
    measure = units.after(text, found.end, "") if found.kind != "ordinal" else units.Measure()
    end = max(found.end, measure.end)
    kind: Kind = found.kind if found.kind != "number" else _kind(measure, False)
    unit = units.MULTIPLE if found.kind == "multiple" else measure.unit
    return Quantity(
        text[found.start : end], (found.start, end), found.value, measure.exponent, 0 if found.kind == "number" else 2,
        kind, unit, measure.currency, scaled_by="written" if measure.exponent else "", spelled=True,
    )  # fmt: skip


def _lone_fractions(text: str, found: list[Quantity]) -> list[Quantity]:
    taken = {i for q in found for i in range(*q.span)}
    return [
        Quantity(char, (i, i + 1), _ratio(_VULGAR[char]), decimals=2, kind="fraction")
        for i, char in enumerate(text)
        if char in _VULGAR and i not in taken
    ]


def _soften(text: str, quantity: Quantity) -> Quantity:
    window = text[max(0, quantity.span[0] - 30) : quantity.span[0]]
    for name, pattern in _APPROX:
        if pattern.search(window):
            return replace(quantity, approx=name)
    if quantity.kind == "number" and not quantity.unit and (_REFERENCE.search(window) or _is_item(text, quantity)):
        return replace(quantity, kind="reference")
    return quantity


def _is_item(text: str, quantity: Quantity) -> bool:
    """A list mark: '(1) Net of', '2. Exclusions', or what the next heading left behind, '… of Information, 13.'"""
    if quantity.decimals or not 0 < quantity.number < 100 or quantity.spelled:
        return False
    before, after = text[: quantity.span[0]].rstrip(), text[quantity.span[1] :]
    if before.endswith("(") and re.match(r"\)\s+[A-Za-z]", after):
        return not re.search(r"\w\s*\($", before) or before[:-1].rstrip()[-1:] in ".;:"
    starts = not before or before[-1] in ".;:\n•"
    ends = not after.strip(" .") and before[-1:] in ",;:."
    return (starts and bool(re.match(r"[.)]\s+[A-Z]", after))) or (ends and after.strip() == "." and bool(before))


def _merge(text: str, found: list[Quantity]) -> list[Quantity]:
    """Join '3–5 %', 'between 3 and 5', '10 ± 0.6'; drop the digits that restate words: 'thirty (30) days'."""
    merged: list[Quantity] = []
    for quantity in found:
        if merged and (joined := _join(text, merged[-1], quantity)):
            merged[-1] = joined
        else:
            merged.append(quantity)
    return merged


def _join(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    between = text[left.span[1] : right.span[0]]
    if len(between) > 8 or "year" in (left.kind, right.kind) or left.is_range:
        return None
    if _TOLERANCE.fullmatch(between):
        return _with_tolerance(text, left, right)
    span = (left.span[0], right.span[1])
    if left.spelled and not right.spelled and left.number == abs(right.number) and re.fullmatch(r"\s*\(?", between):
        return replace(right, number=abs(right.number), text=text[slice(*span)], span=span, spelled=True, signed=False)
    ranged = _DASH.fullmatch(between) or (between.strip() == "and" and _BETWEEN.search(text[: left.span[0]]))
    before = text[: left.span[0]]
    moved = _FROM.search(before) or ("to" in between and _MOVED.search(before))
    if not ranged or moved or "ordinal" in (left.kind, right.kind):
        return None
    return _range(text, left, right)


def _with_tolerance(text: str, left: Quantity, right: Quantity) -> Quantity:
    """10.9 ± 0.6: the value keeps its number, the bounds say the rest."""
    span = (left.span[0], right.span[1])
    kind = right.kind if left.kind == "number" else left.kind
    low, high = left.value - right.value, left.value + right.value
    return replace(
        left, text=text[slice(*span)], span=span, low=low, high=high, unit=left.unit or right.unit, kind=kind
    )


def _range(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    """A range takes unit and scale from its right end when the left end has none."""
    exponent = left.exponent if left.scaled_by else right.exponent
    low, high = left.number.scaleb(exponent), right.value
    if low > high or (left.unit and left.unit != right.unit) or (left.currency and right.unit):
        return None
    span = (left.span[0], right.span[1])
    return replace(
        right, text=text[slice(*span)], span=span, number=left.number, exponent=exponent, low=low, high=high,
        is_range=True, currency=left.currency or right.currency, kind=_range_kind(left, right),
        approx=left.approx, scaled_by=left.scaled_by or right.scaled_by,
    )  # fmt: skip


def _range_kind(left: Quantity, right: Quantity) -> Kind:
    return left.kind if left.kind in ("money", "reference") else right.kind


def _apply_hint(quantity: Quantity, said: units.Measure) -> Quantity:
    """A unit note speaks for numbers that say nothing themselves; a percentage is never in thousands."""
    if quantity.kind not in ("number", "money") or quantity.unit or quantity.spelled:
        return quantity
    if said.unit and quantity.kind == "number" and not said.exponent:
        return replace(quantity, unit=said.unit, kind="percent")
    exponent = quantity.exponent if quantity.scaled_by else quantity.exponent + said.exponent
    scaled = quantity.scaled_by or ("hint" if said.exponent else "")
    shift = exponent - quantity.exponent
    return replace(quantity, exponent=exponent, scaled_by=scaled, currency=quantity.currency or said.currency,
                   low=quantity.low.scaleb(shift), high=quantity.high.scaleb(shift))  # fmt: skip


def _bounded(quantity: Quantity) -> Quantity:
    if quantity.low == quantity.high == 0:
        return replace(quantity, low=quantity.value, high=quantity.value)
    return quantity
