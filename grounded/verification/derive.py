"""Numbers that nobody printed: a claimed number recomputed from cells, or from numbers of a sentence.

Readings tried: difference, growth, sum, average, share and ratio, over cells of one row, over two rows of one column,
over a run of cells of one column, and over the numbers of one or two neighbouring sentences. A reading is kept when its
result rounds to the claimed number at the claim's last printed digit; how well its operands' headers and periods fit
the claim says what it is worth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, permutations
from typing import NamedTuple

from grounded.quantities import Period
from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Target
from grounded.verification.fit import overlap
from grounded.verification.prose import Prose, coverage, period_of
from grounded.verification.words import content

_CUES = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "change": r"\b(?:chang|increas|decreas|differ|grew|grow|rose|rise|fell|fall|declin|higher|lower|more|less|fewer"
        r"|gain|drop|reduc|compar|than|exceed|gap|varia|improv|up\b|down\b)",
        "average": r"\b(?:averag|mean\b)",
        "share": r"%|\b(?:percent|proportion|share|ratio|constitut|portion|fraction|ma[dk]e up|account|repres|compos)",
        "sum": r"\b(?:total|sum|combin|altogether|aggregat|both|together|overall|across|cumulativ)",
        "ratio": r"\b(?:ratio|times|multiple|per\b|divid|proportion)",
    }.items()
}
_NEEDS = {
    "difference": "change",
    "growth": "change",
    "average": "average",
    "sum": "sum",
    "share": "share",
    "ratio": "ratio",
}
_MAX_ROWS, _MAX_COLUMNS, _MAX_RUN = 7, 9, 14


class Operand(NamedTuple):
    """A printed number that a formula may use."""

    number: Decimal
    value: float
    exponents: tuple[int, ...]
    unit: str
    periods: tuple[Period, ...]
    name: str
    text: str
    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Derivation:
    """A formula that gives the claimed number. forward: later minus earlier
    (differences and growth); None when the operands have no order in time. flipped: the operands are printed as
    deductions, in parentheses, and the claim gives their size. result: as computed, unrounded."""

    operation: str
    operands: tuple[Operand, ...]
    result: Decimal
    fit: float
    forward: bool | None
    flipped: bool = False

    @property
    def scales(self) -> tuple[int, ...] | None:
        """The scales that all operands may have; () when none states one; None for results without a scale."""
        if self.operation in ("growth", "share", "ratio"):
            return None
        stated = [set(o.exponents) for o in self.operands if o.exponents]
        return tuple(sorted(set.intersection(*stated))) if stated else ()

    @property
    def formula(self) -> str:
        """'(1,496.5 − 1,202.9) / 1,202.9 = 24.41 %', operands as printed."""
        shown = [operand.text.strip() for operand in self.operands]
        return (
            f"{_FORMULAS[self.operation](shown)} = {_trimmed(self.result)}{' %' if self.operation in _PERCENT else ''}"
        )

    @property
    def cells(self) -> str:
        """The operands with their headers."""
        return "; ".join(f"{operand.text.strip()} ({operand.name})" for operand in self.operands)


_PERCENT = frozenset({"growth", "share"})
_FORMULAS: dict[str, Callable[[list[str]], str]] = {
    "difference": " − ".join,
    "sum": " + ".join,
    "average": lambda shown: f"({' + '.join(shown)}) / {len(shown)}",
    "growth": lambda shown: f"({shown[0]} − {shown[1]}) / {shown[1]}",
    "share": " / ".join,
    "ratio": " / ".join,
}


def _trimmed(number: Decimal) -> str:
    return f"{round(number, 4).normalize():,f}"


def operations(phrase: str) -> frozenset[str]:
    """The kinds of operation that a claim's words name."""
    return frozenset(name for name, cue in _CUES.items() if cue.search(phrase))


def derive(target: Target, cued: frozenset[str], sheets: Sequence[Sheet], prose: Prose) -> list[Derivation]:
    """All readings by the operations in `cued` that give the claimed number, the best fitting first."""
    search = _Search(target, cued)
    if not cued:
        return []
    for sheet in sheets:
        search.sheet(sheet)
    search.prose(prose)
    return sorted(search.found, key=lambda d: -d.fit)


class _Search:
    """Walks the readings for one target and keeps those that come out right."""

    def __init__(self, target: Target, cued: frozenset[str]) -> None:
        self.target = target
        self.claimed = target.quantity
        self.percent = self.claimed.kind == "percent"
        self.goal = float(self.claimed.number)
        self.tolerance = 0.5 * 10.0**-self.claimed.decimals * (1 + 1e-9) + 1e-12
        self.cued = cued
        self.tried = frozenset(name for name, cue in _NEEDS.items() if cue in cued)
        self.found: list[Derivation] = []

    # ------------------------------------------------------------ where operands come from

    def sheet(self, sheet: Sheet) -> None:
        weights = sheet.weights
        known = frozenset(w for w in self.target.words if w in weights)
        rows: dict[int, list[Value]] = {}
        for value in sheet.values:
            rows.setdefault(value.row, []).append(value)
        self._along_rows(rows, known, weights)
        self._between_rows(rows, known, weights)
        if "sum" in self.cued or "average" in self.cued:
            self._down_columns(rows, known, weights)

    def _along_rows(self, rows: dict[int, list[Value]], known: frozenset[str], weights: dict[str, float]) -> None:
        fits = {r: overlap(known, v[0].label_words, v[0].section_words, weights) for r, v in rows.items()}
        for row in sorted(rows, key=lambda r: -fits[r])[:_MAX_ROWS]:
            values = rows[row][:_MAX_COLUMNS]

            def fit(chosen: Sequence[Operand], row: int = row, values: list[Value] = values) -> float:
                columns = frozenset(
                    w for v in values if (v.row, v.col) in {o.place for o in chosen} for w in v.column_words
                )
                return fits[row] + 0.8 * self._in_time(chosen) + 0.3 * overlap(known, columns, frozenset(), weights)

            operands = [_operand(v) for v in values]
            self._pairs(operands, fit)
            for group in _like_columns(values):
                self._runs([_operand(v) for v in group], fit)

    def _between_rows(self, rows: dict[int, list[Value]], known: frozenset[str], weights: dict[str, float]) -> None:
        """Two rows of one column: parts and wholes, or two years of a table that has its years down the side."""
        named = sorted(rows, key=lambda r: -self._named(known, rows[r][0], weights))[:_MAX_ROWS]
        for upper, lower in combinations(named, 2):
            first, second = rows[upper][0], rows[lower][0]
            words, sections = first.label_words | second.label_words, first.section_words | second.section_words
            below = {v.col: v for v in rows[lower]}
            for value in rows[upper][:_MAX_COLUMNS]:
                if value.col in below:
                    title = overlap(known, value.column_words, frozenset(), weights)
                    rows_fit = overlap(known, words, sections, weights) if words else title
                    self._pairs([_operand(value), _operand(below[value.col])], self._fit(rows_fit + 0.3 * title))

    def _fit(self, headers: float) -> Callable[[Sequence[Operand]], float]:
        return lambda chosen: headers + 0.8 * self._in_time(chosen)

    def _down_columns(self, rows: dict[int, list[Value]], known: frozenset[str], weights: dict[str, float]) -> None:
        """Runs of three and more cells of one column: the parts of a total, the years of a table with years as rows."""
        columns: dict[int, list[Value]] = {}
        for values in rows.values():
            for value in values[:_MAX_COLUMNS]:
                columns.setdefault(value.col, []).append(value)
        for values in columns.values():
            title = overlap(known, values[0].column_words, frozenset(), weights)
            plain = sum(not v.label_words for v in values) * 2 > len(values)
            sections = {v.section for v in values}
            inside = max(overlap(known, content(section), frozenset(), weights) for section in sections)
            headers = (0.3 + title) if plain else 0.3 + 0.4 * inside + 0.3 * title
            self._runs([_operand(v) for v in values], self._fit(headers))

    def prose(self, prose: Prose) -> None:
        """Numbers of one sentence, or of two neighbours."""
        for i, statement in enumerate(prose.statements):
            following = prose.statements[i + 1 : i + 2]
            numbers = [(s, q) for s in (statement, *following) for q in s.quantities if q.kind != "year"]
            if not 2 <= len(numbers) <= 10 or not statement.quantities:
                continue
            covered = coverage(self.target.words, statement, following[0] if following else None, prose.weights)

            def fit(chosen: Sequence[Operand], covered: float = covered) -> float:
                return 1.2 * covered + 0.8 * self._in_time(chosen)

            operands = [
                Operand(
                    q.number,
                    float(q.number),
                    (q.exponent,),
                    q.unit,
                    period_of(s, q),
                    "in the text",
                    q.text,
                    (s.index, q.span[0]),
                )
                for s, q in numbers
            ]
            self._pairs(operands, fit)
            self._runs(operands, fit)

    # ------------------------------------------------------------ what is done with them

    def _pairs(self, operands: Sequence[Operand], fit: Callable[[Sequence[Operand]], float]) -> None:
        for a, b in permutations(operands, 2):
            if a.unit != b.unit or (a.exponents and b.exponents and not set(a.exponents) & set(b.exponents)):
                continue
            self._keep("difference", (a, b), a.value - b.value, fit)
            if b.value:
                quotient = a.value / b.value
                if self.percent:
                    self._keep("growth", (a, b), 100 * (quotient - 1), fit)
                    self._keep("share", (a, b), 100 * quotient, fit)
                else:
                    self._keep("ratio", (a, b), quotient, fit)
            if a.place < b.place:
                self._keep("sum", (a, b), a.value + b.value, fit)
                self._keep("average", (a, b), (a.value + b.value) / 2, fit)

    def _runs(self, operands: Sequence[Operand], fit: Callable[[Sequence[Operand]], float]) -> None:
        for start in range(len(operands)):
            total = 0.0
            for end in range(start, min(len(operands), start + _MAX_RUN)):
                if operands[end].unit != operands[start].unit:
                    break
                total += operands[end].value
                size = end - start + 1
                if size >= 3:
                    self._keep("sum", operands[start : end + 1], total, fit)
                    self._keep("average", operands[start : end + 1], total / size, fit)

    def _keep(
        self, operation: str, operands: Sequence[Operand], result: float, fit: Callable[[Sequence[Operand]], float]
    ) -> None:
        if operation not in self.tried:
            return
        flipped = operation in ("sum", "average", "share") and result < 0 < self.goal
        if abs((-result if flipped else result) - self.goal) > self.tolerance:
            return
        if _trivial(operation, operands):
            return
        exact = _exact(operation, [operand.number for operand in operands])
        forward = _forward(operation, operands)
        self.found.append(Derivation(operation, tuple(operands), exact, fit(operands), forward, flipped))

    def _named(self, known: frozenset[str], value: Value, weights: dict[str, float]) -> float:
        """How far the claim names the row: the share of its own label, or its period when the label is only that."""
        own = sum(weights[w] for w in value.label_words)
        if own:
            return sum(weights[w] for w in known & value.label_words) / own
        return float(any(a.agrees(g) for a in self.target.periods for g in value.periods))

    def _in_time(self, operands: Sequence[Operand]) -> float:
        """1 when the operands' periods are the claim's, all of them and no other; 0.5 when the claim names none."""
        asked = self.target.periods
        if not asked:
            return 0.5
        given = [operand.periods for operand in operands]
        met = sum(any(a.agrees(g) for periods in given for g in periods) for a in asked) / len(asked)
        inside = sum(not periods or any(a.agrees(g) for a in asked for g in periods) for periods in given) / len(given)
        return (met + inside) / 2


def _operand(value: Value) -> Operand:
    quantity = value.quantity
    return Operand(
        quantity.number,
        float(quantity.number),
        value.exponents,
        quantity.unit,
        value.periods,
        value.name,
        value.text,
        value.place,
    )


def _like_columns(values: list[Value]) -> list[list[Value]]:
    """The row as it stands, and, where columns of another kind stand between, those that differ in period only."""
    kinds: dict[frozenset[str], list[Value]] = {}
    for value in values:
        kinds.setdefault(value.column_words if value.periods else frozenset({"", str(value.col)}), []).append(value)
    groups = [group for group in kinds.values() if 3 <= len(group) < len(values)]
    return [values, *groups]


def _trivial(operation: str, operands: Sequence[Operand]) -> bool:
    """Adding nothing, or dividing by one, derives nothing; a change from nothing does."""
    if operation in ("ratio", "share"):
        return abs(operands[1].value) in (1, 100)
    return operation == "sum" and sum(operand.value != 0 for operand in operands) < 2


def _exact(operation: str, numbers: list[Decimal]) -> Decimal:
    if operation == "difference":
        return numbers[0] - numbers[1]
    if operation in ("share", "ratio"):
        return numbers[0] / numbers[1] * (100 if operation == "share" else 1)
    if operation == "growth":
        return (numbers[0] - numbers[1]) / numbers[1] * 100
    return sum(numbers, Decimal(0)) / (len(numbers) if operation == "average" else 1)


def _forward(operation: str, operands: Sequence[Operand]) -> bool | None:
    if operation not in ("difference", "growth"):
        return None
    first, second = (max((_moment(p) for p in o.periods), default=None) for o in operands)
    if first is None or second is None or first == second:
        return None
    return first > second


def _moment(period: Period) -> tuple[int, ...]:
    return (
        period.end_year or period.year or 0,
        period.month or 0,
        period.quarter or 0,
        period.half or 0,
        period.day or 0,
    )
