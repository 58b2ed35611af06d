"""Clause numbers at the start of a line: reading them, and deciding by sequence which of them count.

"3." after "2." is a clause; "3." after nothing is a wrapped line or a quantity.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["part", "article", "item", "decimal", "paren"]

_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN = re.compile(r"m{0,2}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_KEYWORD = re.compile(
    r"(?P<word>article|section|sec\.|§+|clause|chapter|part|item|exhibit|schedule|appendix|annex|attachment)\s*"
    r"(?P<value>\d{1,3}(?:\.\d{1,3})*[A-Z]?|[IVXLCivxlc]{1,7}|[A-Z]{1,2}(?:-\d{1,2})?|" + "|".join(_WORDS) + r")"
    r"(?P<close>\s*[.:\-–—]+|\))?(?=\s|$)",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?P<value>\d{1,2}(?:\.\d{1,3}){0,4})(?P<close>[.):]?)(?=\s|$|\()")
_PAREN = re.compile(r"\(?(?P<value>[a-z]{1,2}|[ivxlc]{1,6}|[A-Z]{1,2}|\d{1,2})\)(?=\s|$|\()")
_LETTER = re.compile(r"(?P<value>[A-Z]|[IVX]{1,5}|[a-z])\.(?=\s)")


class Number(NamedTuple):
    """A number at the start of a line. `readings`: what it may mean, as (style, values)."""

    kind: Kind
    label: str
    readings: tuple[tuple[str, tuple[int, ...]], ...]
    length: int  # characters of the line it takes
    closed: bool  # followed by ".", ")", ":" or a dash


def read_number(text: str) -> Number | None:
    """The clause number `text` starts with, or None."""
    if match := _KEYWORD.match(text):
        return _keyword(match)
    if match := _DECIMAL.match(text):
        values = tuple(int(part) for part in match["value"].split("."))
        label = match["value"] + (match["close"] if len(values) == 1 else "")
        closed = bool(match["close"]) or len(values) > 1
        return Number("decimal", label, (("decimal", values),), match.end(), closed)
    for pattern in (_PAREN, _LETTER):
        if match := pattern.match(text):
            closing = ")" if pattern is _PAREN else "."
            return Number("paren", match.group(), _letter_readings(match["value"], closing), match.end(), True)
    return None


def _keyword(match: re.Match[str]) -> Number | None:
    word, value = match["word"].casefold(), match["value"]
    label = f"{match['word']} {value}" if word != "§" else f"§ {value}"
    decimal = re.fullmatch(r"\d{1,3}(?:\.\d{1,3})*", value)
    closed = match["close"] is not None
    if word in ("section", "sec.", "§", "§§", "clause") and decimal:
        values = tuple(int(part) for part in value.split("."))
        return Number("decimal", label, (("decimal", values),), match.end(), closed)
    ordinal = int(re.sub(r"\D", "", value) or 0) or _ordinal(value)
    if not ordinal:
        return None
    kind: Kind = "article" if word in ("article", "section", "clause") else "item" if word == "item" else "part"
    return Number(kind, label, ((word, (ordinal,)),), match.end(), closed)


def _ordinal(value: str) -> int:
    folded = value.casefold()
    if folded in _WORDS:
        return _WORDS.index(folded) + 1
    if number := roman(folded):
        return number
    return ord(folded[0]) - ord("a") + 1


def _letter_readings(value: str, closing: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    case = "digit" if value.isdigit() else "lower" if value.islower() else "upper"
    readings: list[tuple[str, tuple[int, ...]]] = []
    if value.isdigit():
        return ((f"digit{closing}", (int(value),)),)
    folded = value.casefold()
    if number := roman(folded):
        readings.append((f"{case}-roman{closing}", (number,)))
    if len(folded) == 1:
        readings.append((f"{case}-letter{closing}", (ord(folded) - ord("a") + 1,)))
    elif folded[0] == folded[-1]:  # (aa), (bb) after (z)
        readings.append((f"{case}-letter{closing}", (26 + ord(folded[0]) - ord("a") + 1,)))
    return tuple(readings)


def roman(text: str) -> int:
    """Value of a lower-case Roman numeral, 0 when it is none."""
    if not text or not _ROMAN.fullmatch(text):
        return 0
    values = [_ROMAN_VALUES[char] for char in text]
    return sum(-v if any(v < later for later in values[i + 1 : i + 2]) else v for i, v in enumerate(values))


class Sequence:
    """The numbers in force; says for each next one at which depth it continues them, or that it does not.

    Depths: 0 part, 1 article or item, 2 clause "3.", 3 "3.1", …; lists in parentheses go below what they stand in.
    """

    def __init__(self) -> None:
        self._last: dict[str, int] = {}  # keyword -> its last ordinal
        self._decimal: tuple[int, ...] = ()
        self._outer: list[tuple[int, ...]] = []  # decimal sequences interrupted by a list that starts again at 1
        self._lists: list[tuple[str, int]] = []

    def restart(self) -> None:
        """A new part begins (exhibit, unnumbered chapter): numbers may start again at 1."""
        self._decimal, self._lists, self._outer = (), [], []

    def depth(self, number: Number, *, free: bool = False) -> int | None:
        """Depth of the number, or None when it continues nothing. free: it may skip (it looks like a heading)."""
        if number.kind == "decimal":
            return self._accept_decimal(number.readings[0][1], free)
        if number.kind == "paren":
            return self._accept_list(number.readings)
        return self._accept_keyword(number)

    def _accept_keyword(self, number: Number) -> int:
        word, (ordinal,) = number.readings[0]
        self._last[word] = ordinal
        self.restart()
        if number.kind == "article":
            self._decimal = (ordinal,)
        return 0 if number.kind == "part" else 1

    def _accept_decimal(self, values: tuple[int, ...], free: bool) -> int | None:
        if len(values) == 1:
            return self._accept_clause(values[0], free)
        slack = 5 if free else 2
        if not _continues(self._decimal, values, slack):
            return None
        self._decimal, self._lists = values, []
        return 1 + len(values)

    def _accept_clause(self, value: int, free: bool) -> int | None:
        last = self._decimal[0] if self._decimal else 0
        if value - last == 1 or (free and 0 < value - last <= 3):
            self._decimal, self._lists = (value,), []
            return 2
        for index in range(len(self._outer) - 1, -1, -1):
            if value == self._outer[index][0] + 1:
                del self._outer[index:]
                self._decimal, self._lists = (value,), []
                return 2
        if value == 1 and self._decimal and len(self._outer) < 3:
            self._outer.append(self._decimal)
            self._decimal, self._lists = (1,), []
            return 2
        return None

    def _accept_list(self, readings: tuple[tuple[str, tuple[int, ...]], ...]) -> int | None:
        for index in range(len(self._lists) - 1, -1, -1):
            for style, (value,) in readings:
                if self._lists[index][0] == style and 0 < value - self._lists[index][1] <= 1:
                    self._lists[index:] = [(style, value)]
                    return self._base() + len(self._lists)
        for style, (value,) in readings:
            if value == 1 and len(self._lists) < 5:
                self._lists.append((style, value))
                return self._base() + len(self._lists)
        return None

    def _base(self) -> int:
        return 1 + len(self._decimal)


def _continues(current: tuple[int, ...], values: tuple[int, ...], slack: int) -> bool:
    """3.2 after 3.1, 3, 3.1.4 or (3,); 4.1 after anything of 3; never backwards, never far ahead."""
    for place, value in enumerate(values):
        now = current[place] if place < len(current) else 0
        if value == now and place < len(current):
            continue
        rest_starts = all(later <= 1 for later in values[place + 1 :])
        return 0 < value - now <= slack and rest_starts
    return False
