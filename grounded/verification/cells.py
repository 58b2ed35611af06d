"""A table read as values: each number with its row and column headers, unit, scale and period."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log

from grounded.quantities import Measure, Period, Quantity, hint, periods, quantities
from grounded.quantities.numerals import DecimalMark
from grounded.verification.evidence import Grid, Rows
from grounded.verification.words import naming

_NIL = re.compile(r"[$€£\s]*(?:[-–—]+|nil|nil\.)[\s%]*", re.IGNORECASE)
_FILLER = re.compile(
    r"\[(?:BOLD|ITALIC|EMPTY|UNDERLINE)\]|[\s$€£¥%()*†‡§^~<>≈,.±+−–-]|\b(?:x|pp|bps|nm)\b", re.IGNORECASE
)
_MARKUP = re.compile(r"\[(?:BOLD|ITALIC|EMPTY|UNDERLINE|CONTINUE)\]\s?", re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]*)\)")
_NOTE = re.compile(
    r"\((?:[^()]{0,30}\b)?in\s+[^()]{0,20}(?:thousand|million|billion)s?[^()]{0,80}\)"
    r"|\b(?:amounts?|dollars?|figures?|expressed|stated|presented|shown|reported)[^.;]{0,25}"
    r"\bin\s+(?:thousands|millions|billions)\b|(?:^|[(\s])[$€£]\s?(?:in\s+)?(?:thousand|million|billion)s?\b"
    r"|\bin\s+(?:thousands|millions|billions)\b|[(\s]?(?:US|A|C|S|HK)?\s?[$€£]\s?['’]?000['’]?s?\b"
    r"|\((?:in )?['’]?000['’]?s?\)"
    r"|(?<!\d)[$€£](?:mn?|bn|k)\b"
    r"|\b(?:in|en)\s+(?:(?:Mio|Mrd|Tsd)\b\.?|Tausend|Millionen|Milliarden|millions|milliers|milliards"
    r"|mil(?:es)? de\b|millones)[^().;]{0,25}|\ben miles\b"
    r"|(?<!\d )(?<!\d)\b(?:(?:€|EUR)\s)?(?:Mio|Mrd|Tsd)\b\.?(?:\s?(?:€|CHF|Euro?\b))?"
    r"|(?<![A-Za-z\d])(?<!\d )(?:T|[kK]|M|Md)(?:€|EUR\b)",
    re.IGNORECASE,
)
_UNSCALED_ROW = re.compile(
    r"\bper\b|%|percent|ratio|\brates?\b|number of|headcount|employees|\(x\)|margin|average price|useful li"
    r"|years?\b.*\bterm",
    re.IGNORECASE,
)
_PER_PIECE = re.compile(r"\bper\s+(?:\w+\s+)?(?:share|unit|employee|store|day|barrel|ton(?:ne)?)\b", re.IGNORECASE)
_SHARES = re.compile(r"\b(?:shares?|dilutive|stock options|warrants)\b(?!.*\bper\b)", re.IGNORECASE)
_TRAILING_NOTE = re.compile(
    r"\bin (?:thousands|millions|billions)|['’]0{3}|[$€£](?:k|mn?|bn|b)\b"
    r"|(?:[$€£]|\b[A-Z]{3})['’ ]?(?:thousands?|millions?|billions?)\b",
    re.IGNORECASE,
)
_CLOSING, _MARKS, _NUMERIC = re.compile(r"\)?\s?%?"), frozenset("$€£¥"), frozenset("(-−–—.0123456789")
_RAISED = re.compile(r"(?<=[A-Za-z]{3})[¹²³⁰⁴-⁹]+|(?<=\))[¹²³⁰⁴-⁹]+")  # footnote marks behind a word
_REFERENCES = re.compile(r"(?:.*\s)?(?:notes?|refs?\.?)(?: no\.?| number)?", re.IGNORECASE)  # of a column
_COUNTED_ROWS = 3
_TITLE = 12  # words: a longer caption is a note, no title
_ZERO = quantities("0")[0]
_TEXTUAL_HEADER = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Value:
    """One number of a table, as printed. `label`, `section` and `column` are its headers. exponents: the scales
    (powers of ten) that its cell, headers, caption or the text around put in force, none when nobody says a scale."""

    row: int
    col: int
    text: str
    quantity: Quantity
    exponents: tuple[int, ...]
    label: str
    section: str
    column: str
    label_words: frozenset[str]
    section_words: frozenset[str]
    column_words: frozenset[str]
    periods: tuple[Period, ...]

    @property
    def place(self) -> tuple[int, int]:
        """(row, column) in the grid."""
        return (self.row, self.col)

    @property
    def name(self) -> str:
        """'Total sales, 2019': the cell as a person would call it."""
        return ", ".join(part for part in (self.label or self.section, self.column) if part)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table's values in row-major order, and the weight of each header word: rarer among rows and columns weighs
    more. largest: digits before the point of the largest amount whose scale nobody states, 0 without one."""

    values: tuple[Value, ...]
    weights: dict[str, float]
    printed: frozenset[str]
    largest: int


@lru_cache(maxsize=512)
def read_sheet(grid: Grid, mark: DecimalMark | None, around: str) -> Sheet:
    """Read a table. `around` is text in force near it, asked only for a scale note when the table has none."""
    rows = _clean(grid.rows)
    reader = _Reader(rows, mark, table_notes(rows, grid.caption, around), grid.caption)
    printed = reader.read()
    values = tuple(_without_numbering(printed))
    open_amounts = (v.quantity.number for v in values if not v.exponents and not v.quantity.unit)
    largest = max((number.adjusted() + 1 for number in open_amounts if number), default=0)
    return Sheet(values, _rarity(values), frozenset(value.text for value in printed), largest)


def _without_numbering(values: Sequence[Value]) -> list[Value]:
    """The values without a first column that only counts the rows: 1, 2, 3, … under no title."""
    counting = [v for v in values if v.col == 0]
    numbers = [v.quantity.number for v in counting]
    if len(numbers) < _COUNTED_ROWS or numbers != list(range(1, len(numbers) + 1)) or len(numbers) == len(values):
        return list(values)
    return [v for v in values if v.col != 0]


def _rarity(values: tuple[Value, ...]) -> dict[str, float]:
    rows = {(v.row, v.label_words | v.section_words) for v in values}
    columns = {(v.col, v.column_words) for v in values}
    seen: Counter[str] = Counter(w for _, words in rows for w in words)
    seen.update(w for _, words in columns for w in words)
    size = len(rows) + len(columns)
    return {word: log(1 + size / count) for word, count in seen.items()}


def _clean(rows: Rows) -> Rows:
    width = max((len(row) for row in rows), default=0)
    tidy = [_joined([_RAISED.sub("", " ".join(_MARKUP.sub("", cell).split())) for cell in row]) for row in rows]
    return tuple(tuple(row + [""] * (width - len(row))) for row in tidy)


def _joined(row: list[str]) -> list[str]:
    """A row whose currency marks, percent signs and closing parentheses stand in cells of their own, as web pages give
    them, put to their numbers."""
    joined = list(row)
    for i, cell in enumerate(row):
        before = next((k for k in range(i - 1, 0, -1) if joined[k]), 0)
        if _CLOSING.fullmatch(cell) and before and joined[before][-1].isdigit():
            joined[before], joined[i] = joined[before] + cell, ""
        elif i and row[i - 1] in _MARKS and cell[:1] in _NUMERIC:
            joined[i - 1], joined[i] = "", f"{row[i - 1]}{cell}"
    return joined


def table_notes(rows: Rows, caption: str, around: str) -> tuple[tuple[str, Measure], ...]:
    """Scale notes for the whole table with their wording: from its caption, its first rows, else the text around."""
    head = " ".join(cell for row in rows[:4] for cell in row if not is_number(cell))
    for text in (caption, head, around):
        if notes := scale_notes(text):
            return tuple({note: hint(note) for note in notes}.items())
    return ()


@lru_cache(maxsize=512)
def scale_notes(text: str) -> tuple[str, ...]:
    """Wordings such as '(in thousands)' that state a scale for amounts printed elsewhere."""
    return tuple(match.group() for match in _NOTE.finditer(text))


def is_number(cell: str) -> bool:
    """A cell that holds a number (or a nil dash) and little else; years and spans of time are headers."""
    if _NIL.fullmatch(cell):
        return True
    found = [q for q in quantities(cell, locale_hint="en") if q.kind != "reference"]
    if not found or found[0].kind in ("year", "ordinal") or found[0].unit in ("month", "year", "week", "day"):
        return False
    rest = cell
    for quantity in reversed(found):
        rest = rest[: quantity.span[0]] + rest[quantity.span[1] :]
    return bool(re.fullmatch(r"[A-Za-z]{0,2}", _FILLER.sub("", rest))) and not periods(cell)


class _Reader:
    """Walks the rows once, keeping the header block and the section in force."""

    def __init__(
        self, rows: Rows, mark: DecimalMark | None, notes: tuple[tuple[str, Measure], ...], caption: str
    ) -> None:
        self.rows, self.mark, self.notes = rows, mark, notes
        self.caption_periods = tuple(periods(caption))
        titled = caption if len(caption.split()) <= _TITLE else ""
        self.title = naming(titled)
        self.width = len(rows[0]) if rows else 0
        self.columns = [""] * self.width
        self.section = ""
        self.first_label = ""
        self.block: list[tuple[str, ...]] = []
        self.seen_data = False

    def read(self) -> list[Value]:
        values: list[Value] = []
        before = ""
        for index, row in enumerate(self.rows):
            kind = self._kind(index, row)
            if kind == "header":
                self._header(row)
            elif kind == "section":
                self._open_section(row[0] or next(c for c in row if c), before)
            elif kind == "data":
                self.block, self.seen_data = [], True
                values += self._data(index, row)
            before = kind
        return values

    def _open_section(self, title: str, before: str) -> None:
        """A row that is only a label opens a section; two in a row are one title on two lines."""
        self.section = f"{self.section} {title}" if before == "section" else title
        self.first_label = ""

    def _kind(self, index: int, row: tuple[str, ...]) -> str:
        body = [cell for cell in row[1:] if cell]
        numbers = [cell for cell in row if is_number(cell)]
        if not any(row):
            return "blank"
        if not body and not (self.width == 1 or numbers):
            return "section"
        if not numbers:
            fresh = not self.seen_data or not row[0] or row[0].endswith(":") or bool(periods(row[0]))
            return "header" if fresh else ("data" if self._has_year(row) else "text")
        if index == 0 and len(numbers) < len(body) and any(_TEXTUAL_HEADER.search(c) for c in body):
            return "header" if len(numbers) * 2 < len(body) else "data"
        return "data"

    def _has_year(self, row: tuple[str, ...]) -> bool:
        return any(q.kind == "year" for cell in row[1:] for q in quantities(cell, locale_hint="en"))

    def _header(self, row: tuple[str, ...]) -> None:
        self.block.append(row)
        leaves = _leaves(self.block)
        spread = [_spread(r, {c for i, c in leaves if i < n}, {c for i, c in leaves if i == n})
                  for n, r in enumerate(self.block)]  # fmt: skip
        self.columns = [" ".join(dict.fromkeys(r[c] for r in spread if r[c])) for c in range(self.width)]

    def _data(self, index: int, row: tuple[str, ...]) -> list[Value]:
        label_cells = [cell for cell in row if cell and not is_number(cell)]
        if row[0] and not is_number(row[0]):
            self.first_label = row[0]
        label = " ".join(label_cells)
        if not row[0] and label_cells and self.first_label:
            label = f"{self.first_label} {label}"
        numeric = [
            c for c, cell in enumerate(row) if (c > 0 or is_number(cell)) and not _REFERENCES.fullmatch(self.columns[c])
        ]
        found = [self._value(index, c, row[c], label) for c in numeric if is_number(row[c]) or _only_year(row[c])]
        return [v for v in found if v is not None]

    def _value(self, row: int, col: int, text: str, label: str) -> Value | None:
        found = quantities(text, locale_hint=self.mark or "en")
        if not found and not _NIL.fullmatch(text):
            return None
        column, label = self.columns[col], label or ("Total" if self.seen_data and not self.rows[row][0] else "")
        spoken = tuple(periods(column)) + tuple(periods(label)) or self._dated_before(col)
        spoken = spoken or tuple(periods(self.section)) or self.caption_periods
        quantity, exponents = self._scaled(found[0] if found else _ZERO, label, column)
        return Value(
            row, col, text, quantity, exponents, label, self.section, column, naming(label),
            naming(self.section) | self.title,
            naming(column), spoken,
        )  # fmt: skip

    def _dated_before(self, col: int) -> tuple[Period, ...]:
        """The period of the column before one that says none, where another column is called the same: a '% of sales'
        beside each year."""
        repeated = bool(self.columns[col]) and self.columns.count(self.columns[col]) > 1
        return tuple(periods(self.columns[col - 1])) if repeated and col else ()

    def _scaled(self, own: Quantity, label: str, column: str) -> tuple[Quantity, tuple[int, ...]]:
        """The number with the nearest unit, and the scales in force: cell, row, section, column, table."""
        note = _first_note(_label_note(label), _label_note(self.section), _label_note(column))
        if own.kind in ("percent", "multiple"):
            return own, (0,)
        if note.unit and own.kind == "number":
            return replace(own, unit=note.unit, kind="percent"), (0,)
        currency = own.currency or note.currency or next((n.currency for _, n in self.notes if n.currency), "")
        own = replace(own, currency=currency)
        if own.exponent or note.exponent:
            return own, (own.exponent or note.exponent,)
        return own, self._table_scales(label, column)

    def _table_scales(self, label: str, column: str) -> tuple[int, ...]:
        """The table's scales; a note about shares speaks alone for rows of shares; rates and counts may be exempt."""
        shares = [n.exponent for text, n in self.notes if "share" in text.lower().split("except")[0]]
        scales = shares if shares and _SHARES.search(label) else [n.exponent for _, n in self.notes]
        if not scales:
            return (0,) if _PER_PIECE.search(f"{label} {column}") else ()
        exempt = (0,) if _UNSCALED_ROW.search(label) else ()
        return tuple(dict.fromkeys((*exempt, *scales)))


def _label_note(label: str) -> Measure:
    """A unit note in a header: '%' or 'percent' in its words, else what its brackets or a trailing '$M' say."""
    outside = hint(_BRACKETS.sub(" ", label))
    if outside.unit:
        return outside
    found = _first_note(*(hint(inner) for inner in _BRACKETS.findall(label)))
    if found.exponent or found.unit or found.currency:
        return found
    return outside if _TRAILING_NOTE.search(label) else Measure()


def _first_note(*notes: Measure) -> Measure:
    """Each field from the first note that says it."""
    exponent = next((n.exponent for n in notes if n.exponent), 0)
    unit = next((n.unit for n in notes if n.unit), "")
    currency = next((n.currency for n in notes if n.currency), "")
    return Measure(exponent, unit, currency, 0)


def _only_year(cell: str) -> bool:
    return bool(re.fullmatch(r"(?:19|20)\d\d", cell))


def _leaves(block: Sequence[tuple[str, ...]]) -> set[tuple[int, int]]:
    """(row, column) of header labels above the last header row with nothing below them: they name their own column
    and stand over no other. None where a column has no label in any row: there blanks belong to merged cells."""
    if any(not any(row[c] for row in block) for c in range(1, len(block[0]))):
        return set()
    return {
        (i, c)
        for i, row in enumerate(block[:-1])
        for c, cell in enumerate(row)
        if c and cell and not any(lower[c] for lower in block[i + 1 :])
    }


def _spread(row: tuple[str, ...], named_above: set[int], own: set[int]) -> tuple[str, ...]:
    """A header row with merged labels carried over the columns they stand above; `named_above`: columns that have
    their label higher up; own: columns whose label stands in this row and over no other column."""
    named = [c for c in range(1, len(row)) if row[c] and c not in own]
    if not named or len(named) == len(row) - 1:
        return row
    fixed = named_above | own
    if len(named) == 1:
        only_last = named[0] == len(row) - 1 and len(row) > 2
        return row if only_last else (row[0], *(row[c if c in fixed else named[0]] for c in range(1, len(row))))
    left_aligned = bool(row[1])
    filled = list(row)
    for c in range(1, len(row)):
        if not row[c] and c not in fixed:
            before = [n for n in named if n < c]
            filled[c] = (
                row[before[-1]] if left_aligned and before else row[min(named, key=lambda n: (abs(n - c), n > c))]
            )
    return tuple(filled)
