"""Units, currencies and scales as documents write them, and what a header such as '($ in thousands)' puts in force."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

PERCENT, POINTS, BASIS, PERMILLE, MULTIPLE = "percent", "percentage points", "basis points", "per mille", "times"

_SYMBOLS = (
    "US$=USD U.S.$=USD HK$=HKD A$=AUD AU$=AUD C$=CAD CA$=CAD NZ$=NZD S$=SGD NT$=TWD R$=BRL $=$ €=EUR £=GBP ¥=JPY ₹=INR"
    " ₩=KRW ₽=RUB ₺=TRY ₪=ILS RMB=CNY Rs.=INR Rs=INR Fr.=CHF"
)
_ISO = "USD EUR GBP JPY CHF CNY INR AUD CAD NZD SGD HKD SEK NOK DKK BRL ZAR KRW MXN RUB TRY PLN ILS TWD THB RMB"
CURRENCIES = dict(pair.split("=") for pair in _SYMBOLS.split())
_CODES = _ISO.split()
_CURRENCY_WORDS = {
    "us dollars": "USD", "u.s. dollars": "USD", "dollars": "$", "dollar": "$", "euros": "EUR", "euro": "EUR",
    "pounds sterling": "GBP", "sterling": "GBP", "yen": "JPY", "rupees": "INR", "rupee": "INR", "yuan": "CNY",
    "renminbi": "CNY", "francs": "CHF", "cents": "cents", "cent": "cents",
}  # fmt: skip
SCALES = {
    word: power
    for power, words in {
        2: "hundred", 3: "thousand thousands tausend tsd milliers mil miles k", 5: "lakh lakhs",
        6: "million millions millionen millón millones mio mn mln", 7: "crore crores",
        9: "billion billions milliarde milliarden milliard milliards mrd mds md bn bln",
        12: "trillion trillions tn trn",
    }.items()
    for word in words.split()
}  # fmt: skip
# dimension: canonical unit, factor to the dimension's base, other spellings; one unit a line
_UNIT_TABLE = """
length: mm 0.001 millimetre/millimeter
length: cm 0.01 centimetre/centimeter
length: m 1 metre/meter
length: km 1000 kilometre/kilometer
length: inch 0.0254 inches
length: ft 0.3048 foot/feet
length: mi 1609.344 mile/statute mile
length: nm 1852 nautical mile
mass: mg 0.001 milligram
mass: g 1 gram
mass: kg 1000 kilogram
mass: t 1000000 tonne/metric ton
mass: lb 453.59237 lbs/pound
mass: oz 28.349523125 ounce
short ton: ton 1
volume: ml 0.001 millilitre/milliliter
volume: l 1 litre/liter
gallon: gal 1 gallon
barrel: bbl 1 barrel
time: second 1 sec/secs/s
time: minute 60 min/mins
time: hour 3600 hr/hrs/h
time: day 86400 calendar day
working time: business day 1 working day
time: week 604800 wk/wks
month: month 1 mo/mos
month: year 12 yr/yrs
celsius: °C 1 degrees celsius/degree celsius/° c
fahrenheit: °F 1 degrees fahrenheit/° f
angle: degree 1 deg/°
horsepower: hp 1 horsepower
power: W 1 watt
power: kW 1000 kilowatt
power: MW 1000000 megawatt
power: GW 1000000000 gigawatt
energy: kWh 1
energy: MWh 1000
energy: GWh 1000000
energy: TWh 1000000000
speed in knots: knot 1 kt/kts/knots
speed in miles: mph 1
speed in km: km/h 1 kph
shares: share 1
area: sq ft 1 square feet/square foot
acres: acre 1
hectares: ha 1 hectare
"""
_ROW = re.compile(r"^(?P<dimension>[^:]+): (?P<unit>.+?) (?P<factor>[\d.]+)(?: (?P<names>.+))?$", re.MULTILINE)


def _spellings() -> dict[str, str]:
    """Every spelling, plurals of the longer ones included -> canonical unit."""
    table: dict[str, str] = {}
    for row in _ROW.finditer(_UNIT_TABLE):
        for name in (row["unit"], *(row["names"] or "").split("/")):
            table[name] = row["unit"]
            if len(name) > 2 and name.isascii() and not name.endswith(("s", "inch", "foot", "feet")):
                table[name + "s"] = row["unit"]
    table.pop("", None)
    return table


UNIT_NAMES = _spellings()
_MEASURES = {r["unit"]: (r["dimension"], Decimal(r["factor"])) for r in _ROW.finditer(_UNIT_TABLE)}
_MEASURES |= {PERCENT: (PERCENT, Decimal(1)), PERMILLE: (PERCENT, Decimal("0.1"))}
_MEASURES |= {POINTS: (POINTS, Decimal(1)), BASIS: (POINTS, Decimal("0.01"))}


def measure(unit: str) -> tuple[str, Decimal]:
    """(dimension, factor to its base unit). An unknown unit is a dimension of its own, factor 1."""
    return _MEASURES.get(unit, (unit, Decimal(1)))


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))


CURRENCY_BEFORE = re.compile(
    rf"(?:(?<![A-Za-z])(?:{_any_of(_CODES)}|Rs\.?|Fr\.)|(?:US|U\.S\.|HK|AU?|CA?|NZ|S|NT|R)?\$|[€£¥₹₩₽₺₪])\s*$"
)
# German, French and Spanish; 'mil' and 'miles' are thousands only before a currency, 'Mds' billions only before euros
_FOREIGN = (
    r"Tausend|Millionen|mill[oó]n(?:es)?|Milliarden?|milliards?|milliers|mil(?:es)?(?: de)? millones"
    r"|mil(?:es)?(?=\s+(?:de\s+)?(?:euros?|d[oó]lares|pesos|€))|Mds?(?=\s+(?:d['’]|de\s)?euros?)"
)
_SCALE_WORD = re.compile(
    r"(?:\s+|-)?(?P<w>hundred|thousands?|lakhs?|millions?|crores?|billions?|trillions?|Mio\b\.?|Mrd\b\.?|Tsd\b\.?"
    rf"|{_FOREIGN}|mn|mln|bn|bln|tn|trn)(?![A-Za-z])",
    re.IGNORECASE,
)
_SCALE_LETTER = re.compile(r"\s?(?P<w>MM|mm|[KkMmB])(?![A-Za-z0-9²³/€])")
_BEFORE_EURO = re.compile(r"\s?(?P<w>[TKkMm]|Mds?)\s?(?=€|EUR\b)")
_PERCENT = re.compile(
    r"\s*-?(?:(?P<pp>percentage[- ]points?|percent points?|%[- ]points?|ppts?\b|pps?\b|p\.p\.)"
    r"|(?P<pct>%|percent\b|per cent\b|pct\b)|(?P<bp>basis[- ]points?|bps?\b)|(?P<pm>‰|per mille))",
    re.IGNORECASE,
)
_TIMES = re.compile(r"\s?(?:[x×](?![A-Za-z0-9])|-?fold\b|\s?times\b)", re.IGNORECASE)
_CURRENCY_AFTER = re.compile(
    rf"\s?(?:(?P<code>{_any_of(_CODES)})\b|(?P<sym>[€£¥₹]|(?:US|HK|C|A)?\$)(?!\s?\d)|\s?(?P<word>(?:of\s+|de\s+|d['’])?(?:{_any_of(_CURRENCY_WORDS)}))\b)",
    re.IGNORECASE,
)
_OF = re.compile(r"^(?:of\s+|de\s+|d['’])")
_UNIT_AFTER = re.compile(rf"[\s-]?(?P<u>{_any_of(UNIT_NAMES)})(?![A-Za-z0-9])")
_UNIT_LOOSE = re.compile(
    rf"[\s-]?(?P<u>{_any_of([u for u in UNIT_NAMES if len(u) > 2])})(?![A-Za-z0-9])", re.IGNORECASE
)


class Measure(NamedTuple):
    """What stands around a number: scale as a power of ten, unit, currency, and where the suffix ends."""

    exponent: int = 0
    unit: str = ""
    currency: str = ""
    end: int = 0


def currency_of(symbol: str) -> str:
    """ISO code of a symbol, code or word; '$' stays '$' (which dollar is not said)."""
    cleaned = symbol.strip()
    lowered = _OF.sub("", cleaned.lower())
    if lowered in _CURRENCY_WORDS:
        return _CURRENCY_WORDS[lowered]
    return CURRENCIES.get(cleaned, cleaned.upper())


def after(text: str, start: int, currency: str) -> Measure:
    """Scale, percent kind, currency and unit that follow a number ending at `start`."""
    exponent, end = _scale(text, start, currency)
    if match := _PERCENT.match(text, end):
        kind = match.lastgroup or ""
        return Measure(
            exponent, {"pp": POINTS, "pct": PERCENT, "bp": BASIS, "pm": PERMILLE}[kind], currency, match.end()
        )
    if match := _TIMES.match(text, end):
        return Measure(exponent, MULTIPLE, currency, match.end())
    if not currency and (match := _CURRENCY_AFTER.match(text, end)):
        currency, end = currency_of(match.group()), match.end()
        more, end = (exponent, end) if exponent else _scale(text, end, currency)
        return Measure(more, "", currency, end)
    if not currency and (match := _UNIT_AFTER.match(text, end) or _UNIT_LOOSE.match(text, end)):
        name = match["u"]
        return Measure(exponent, UNIT_NAMES.get(name) or UNIT_NAMES.get(name.lower(), name), "", match.end())
    return Measure(exponent, "", currency, end)


def _scale(text: str, start: int, currency: str) -> tuple[int, int]:
    """(power of ten, end). 'm' and 'mm' are millions only beside a currency, else a length."""
    if match := _SCALE_WORD.match(text, start):
        power, end = _power(match["w"]), match.end()
        more, end = _scale(text, end, currency) if power == 2 or power == 3 else (0, end)
        return power + more, end
    if match := _BEFORE_EURO.match(text, start):
        return _hint_power(match["w"].lower()), match.end()
    if match := _SCALE_LETTER.match(text, start):
        letter = match["w"]
        glued = match.end() - start == len(letter)
        power = {"K": 3, "k": 3, "M": 6, "MM": 6, "B": 9}.get(letter, 6)
        if (letter in {"m", "mm"} and not currency) or (not glued and not currency):
            return 0, start
        return power, match.end()
    return 0, start


def _power(word: str) -> int:
    """The power of ten of a scale word; 'mil millones' are 10**9."""
    name = word.lower().rstrip(".").replace("millon", "millón").replace("millónes", "millones")
    return 9 if name.startswith("mil") and name.endswith(" millones") else SCALES[name]


_HINT_SCALE = re.compile(
    r"\b(hundred|thousand|million|billion|trillion|lakh|crore)s?\b|[$€£¥]\s?(m|mn|mm|bn|b|k)\b"
    rf"|\b(mn|bn|mio|mrd|tsd|mln|{_FOREIGN})\b|\ben (miles)\b"
    r"|(?<![A-Za-z])(t|k|m|md)(?=\s?€|EUR\b)|(['’]?000s?\b|\b000['’]?s?\b)|[$€£](M|MM|K|B)\b",
    re.IGNORECASE,
)
_HINT_CURRENCY = re.compile(
    rf"\b(?:{_any_of(_CODES)})\b|(?:US|HK|C|A|NZ|S)?\$|[€£¥₹]"
    r"|\b(?:U\.?S\.? dollars|dollars|euros?|sterling|rupees)\b",
    re.IGNORECASE,
)
_HINT_PERCENT = re.compile(r"%|\bpercent\b|\bper cent\b|\bpercentages?\b", re.IGNORECASE)
_HINT_POINTS = re.compile(r"percentage points|\bbasis points\b|\bbps\b", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(?:except|other than|excluding)\b.*", re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=4096)
def hint(text: str) -> Measure:
    """What a header, caption or unit note puts in force: '(in thousands, except per share data)' -> 10**3."""
    said = _EXCEPT.sub("", text)
    exponent = 0
    if match := _HINT_SCALE.search(said):
        exponent = _hint_power(next(g for g in match.groups() if g).lower())
    currency = _HINT_CURRENCY.search(said)
    unit = ""
    if points := _HINT_POINTS.search(said):
        unit = POINTS if "percentage" in points.group().lower() else BASIS
    elif _HINT_PERCENT.search(said):
        unit = PERCENT
    return Measure(exponent, unit, currency_of(currency.group()) if currency else "", 0)


def _hint_power(word: str) -> int:
    if "000" in word:
        return 3
    return {"m": 6, "mm": 6, "b": 9, "k": 3, "t": 3}.get(word) or _power(word)
