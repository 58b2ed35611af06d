"""Numbers that nobody printed: a claimed number recomputed from cells, or from numbers of a sentence.

Readings tried: every formula of `formulas.py` that the claim's words name, over cells of one row, over two or three
rows of one column, over a run of cells of one column, and over the numbers of one or two neighbouring sentences. A
reading is kept when its result rounds to the claimed number at the claim's last printed digit; how well its operands'
headers and periods fit the claim says what it is worth, beside the best fit that any reading of these operations has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

from grounded.quantities import Period
from grounded.quantities.units import BASIS, PERCENT, POINTS, measure
from grounded.verification.cells import Sheet, Value
from grounded.verification.claims import Target
from grounded.verification.fit import overlap
from grounded.verification.formulas import FORMULAS, Derivation, Formula, Operand, direction, rounds_to
from grounded.verification.match import part_tolerance
from grounded.verification.prose import Prose, coverage, period_of
from grounded.verification.words import content

_MAX_SHEETS, _MAX_ROWS, _MAX_COLUMNS, _MAX_RUN, _MAX_PARTS = 3, 7, 9, 14, 5
_ENOUGH = 1.2  # a reading in one step that fits so well makes longer ones coincidences
_SIZES = frozenset({"sum", "average", "share"})
_FALLS = _SIZES | {"growth", "average growth"}  # 'fell by 12 %' gives the size of a growth of -12 %
_CHANGE = re.compile(r"\b(?:increase|decrease|change)s?\b", re.IGNORECASE)
_PERCENT_CHANGE = re.compile(r"(?:%|\bpercent\w*) (?:increase|decrease|change|growth|decline|rise|fall)", re.IGNORECASE)
_NO_POINTS = frozenset({"growth", "average growth", "share", "share of sum"})
_OF_TWO_KINDS = frozenset({"product", "part"})
_PERCENTS = frozenset({PERCENT, POINTS, BASIS})
_OF_SUMS = frozenset({"share of sum", "ratio of sum"})
_TWO_STEPS = frozenset({"average change", "average growth", "growth change", "share change", "ratio change"})

Fitting = Callable[[Sequence[Operand]], float]


class Derived(NamedTuple):
    """The readings that give the claimed number, the best fitting first, and the best fit that any reading has."""

    readings: tuple[Derivation, ...] = ()
    possible: float = 0.0


def derive(target: Target, cued: frozenset[str], sheets: Sequence[Sheet], prose: Prose) -> Derived:
    """All readings by the operations in `cued` that give the claimed number."""
    search = _Search(target, cued)
    if not (cued or search.may_be_longer):
        return Derived()
    lines = sorted((_Lines(sheet, target) for sheet in sheets), key=lambda x: -x.best)[:_MAX_SHEETS]
    if cued:
        for of_sheet in lines:
            search.sheet(of_sheet)
        search.prose(prose)
    if max((d.fit for d in search.found), default=0.0) < _ENOUGH and search.may_be_longer:
        for of_sheet in lines:
            search.longer(of_sheet)
    return Derived(tuple(sorted(search.found, key=lambda d: -d.fit)), search.possible)


class _Lines:
    """A sheet's rows, and how well each fits the claim."""

    def __init__(self, sheet: Sheet, target: Target) -> None:
        self.weights = sheet.weights
        self.known = frozenset(w for w in target.words if w in sheet.weights)
        self.rows: dict[int, list[Value]] = {}
        for value in sheet.values:
            self.rows.setdefault(value.row, []).append(value)
        self.fits = {r: self.overlap(v[0].label_words, v[0].section_words) for r, v in self.rows.items()}
        named = {r: self._named(v[0], target.periods) for r, v in self.rows.items()}
        self._operands = {v.place: _operand(v) for v in sheet.values}
        self.best = max(self.fits.values(), default=0.0)
        self.fitting = sorted(self.rows, key=lambda r: -self.fits[r])[:_MAX_ROWS]
        self.named = sorted(self.rows, key=lambda r: -named[r])[:_MAX_ROWS]

    def operands(self, values: Sequence[Value]) -> tuple[Operand, ...]:
        return tuple(self._operands[v.place] for v in values)

    def overlap(self, words: frozenset[str], section: frozenset[str] = frozenset()) -> float:
        return overlap(self.known, words, section, self.weights)

    def together(self, values: Sequence[Value]) -> float:
        """The fit of several rows of one column as one subject."""
        words = frozenset().union(*(v.label_words for v in values))
        sections = frozenset().union(*(v.section_words for v in values))
        title = self.overlap(values[0].column_words)
        return (self.overlap(words, sections) if words else title) + 0.3 * title

    def beside(self, rows: Sequence[int]) -> Iterator[list[Value]]:
        """The cells of these rows in each column that all of them have."""
        below = [{v.col: v for v in self.rows[row]} for row in rows[1:]]
        for value in self.rows[rows[0]][:_MAX_COLUMNS]:
            if all(value.col in line for line in below):
                yield [value, *(line[value.col] for line in below)]

    def _named(self, value: Value, periods: tuple[Period, ...]) -> float:
        """How far the claim names the row: the share of its own label, or its period when the label is only that."""
        own = sum(self.weights[w] for w in value.label_words)
        if own:
            return sum(self.weights[w] for w in self.known & value.label_words) / own
        return float(any(a.agrees(g) for a in periods for g in value.periods))


class _Search:
    """Walks the readings for one target and keeps those that come out right."""

    def __init__(self, target: Target, cued: frozenset[str]) -> None:
        self.target = target
        self.claimed = target.quantity
        self.in_words = self.claimed.kind == "fraction"  # 'half of them', never exact
        self.percent = self.claimed.kind == "percent" or self.in_words
        self.points = self.claimed.unit in (POINTS, BASIS)
        self.step = measure(self.claimed.unit)[1] if self.points else Decimal(1)
        self.goal = float(self.claimed.number * (100 if self.in_words else self.step))
        self.tolerance = 0.5 * float(self.step) * 10.0**-self.claimed.decimals * (1 + 1e-9) + 1e-12
        if self.in_words:
            self.tolerance = self.goal * float(part_tolerance(self.claimed))
        self.cued = cued
        self.tried = frozenset(name for name, f in FORMULAS.items() if f.cues and cued.issuperset(f.cues))
        self.falls = direction(target.phrase) < 0
        self.of_change = _PERCENT_CHANGE.search(target.phrase) is not None
        self.found: list[Derivation] = []
        self.possible = 0.0

    # ------------------------------------------------------------ one step

    def sheet(self, lines: _Lines) -> None:
        self._along_rows(lines)
        for upper, lower in combinations(lines.named, 2):
            for values in lines.beside((upper, lower)):
                self._pairs(lines.operands(values), self._fit(lines.together(values)))
        if "sum" in self.cued or "average" in self.cued:
            self._down_columns(lines)

    def _along_rows(self, lines: _Lines) -> None:
        for row in lines.fitting:
            values = lines.rows[row][:_MAX_COLUMNS]
            fit = self._row_fit(lines, row)
            self._pairs(lines.operands(values), fit)
            for group in _like_columns(values):
                self._runs(lines.operands(group), fit)

    def _row_fit(self, lines: _Lines, row: int) -> Fitting:
        titles = {v.place: v.column_words for v in lines.rows[row]}

        def fit(chosen: Sequence[Operand]) -> float:
            """Columns may be the subject, as rows mostly are: 'sales' and 'costs' beside each other in a row '2019'."""
            columns = lines.overlap(frozenset().union(*(titles[o.place] for o in chosen)))
            named = lines.fits[row] + 0.3 * columns if lines.fits[row] else columns
            return named + 0.8 * self._in_time(chosen)

        return fit

    def _fit(self, headers: float) -> Fitting:
        return lambda chosen: headers + 0.8 * self._in_time(chosen)

    def _down_columns(self, lines: _Lines) -> None:
        """Runs of three and more cells of one column: the parts of a total, the years of a table with years as rows."""
        columns: dict[int, list[Value]] = {}
        for values in lines.rows.values():
            for value in values[:_MAX_COLUMNS]:
                columns.setdefault(value.col, []).append(value)
        for values in columns.values():
            title = lines.overlap(values[0].column_words)
            plain = sum(not v.label_words for v in values) * 2 > len(values)
            inside = max(lines.overlap(content(section)) for section in {v.section for v in values})
            headers = (0.3 + title) if plain else 0.3 + 0.4 * inside + 0.3 * title
            self._runs(lines.operands(values), self._fit(headers))

    def prose(self, prose: Prose) -> None:
        """Numbers of one sentence, or of two neighbours."""
        for i, statement in enumerate(prose.statements):
            following = prose.statements[i + 1 : i + 2]
            numbers = [(s, q) for s in (statement, *following) for q in s.quantities if q.kind != "year"]
            if not 2 <= len(numbers) <= 10 or not statement.quantities:
                continue
            covered = coverage(self.target.words, statement, following[0] if following else None, prose.weights)
            if not covered:
                continue
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
            self._pairs(operands, self._fit(1.2 * covered))
            self._runs(operands, self._fit(1.2 * covered))

    def _pairs(self, operands: Sequence[Operand], fit: Fitting) -> None:
        for a, b in combinations(operands, 2):
            if not _same_kind(a, b):
                continue
            self.possible = max(self.possible, fit((a, b)))
            for x, y in ((a, b), (b, a)):
                self._keep("difference", (x, y), x.value - y.value, fit)
                self._quotients(x, y, fit)
            self._keep("sum", (a, b), a.value + b.value, fit)
            self._keep("average", (a, b), (a.value + b.value) / 2, fit)

    def _quotients(self, a: Operand, b: Operand, fit: Fitting) -> None:
        if not b.value:
            return
        quotient = a.value / b.value
        self._keep("growth", (a, b), 100 * (quotient - 1), fit)
        if abs(b.value) not in (1, 100):  # dividing by one derives nothing; a change from one does
            self._keep("share", (a, b), 100 * quotient, fit)
            self._keep("ratio", (a, b), quotient, fit)

    def _runs(self, operands: Sequence[Operand], fit: Fitting) -> None:
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

    # ------------------------------------------------------------ two steps, products, shares of sums

    @property
    def may_be_longer(self) -> bool:
        """Whether the claim names two steps; a question may ask for a product without a word for it."""
        return self.target.asked or bool(self.tried & (_TWO_STEPS | _OF_SUMS))

    def longer(self, lines: _Lines) -> None:
        for row in lines.fitting:
            self._of_one_row(lines.operands(lines.rows[row][:_MAX_COLUMNS]), self._row_fit(lines, row))
        if self.target.asked or self.tried & _TWO_STEPS:
            for rows in permutations(lines.named, 2):
                columns = [lines.operands(values) for values in lines.beside(rows)]
                fit = self._fit(lines.together([lines.rows[r][0] for r in rows]))
                self._parts(columns, fit)
                self._of_two_rows(columns, fit)
        if self.tried & _OF_SUMS:
            self._sums_of_rows(lines)

    def _of_one_row(self, row: Sequence[Operand], fit: Fitting) -> None:
        for a, b in combinations(row, 2) if self.target.asked else ():
            if a.unit != b.unit or a.exponents != b.exponents or _counts_and_prices(a, b):
                self._keep("product", (a, b), a.value * b.value, fit)
        for i, first in enumerate(row[1:-1], start=1):
            before, after = (row[i - 1], first), (first, row[i + 1])
            for x, y in ((before, after), (after, before)):
                self._keep("average change", (*x, *y), (sum(o.value for o in x) - sum(o.value for o in y)) / 2, fit)
        for run in (row, row[::-1]):
            if len(run) >= 3 and all(o.value for o in run):
                growths = [100 * (a.value / b.value - 1) for a, b in pairwise(run)]
                self._keep("average growth", run, sum(growths) / len(growths), fit)
        self._sum_over(row, fit)

    def _sum_over(self, row: Sequence[Operand], fit: Fitting) -> None:
        """Some neighbouring cells of a row over its last one, the total."""
        if len(row) < 3 or not row[-1].value:
            return
        for start, end in combinations(range(len(row)), 2):
            if end - start >= 2:
                self._over(row[start:end], row[-1], fit)

    def _over(self, parts: Sequence[Operand], whole: Operand, fit: Fitting) -> None:
        quotient = sum(o.value for o in parts) / whole.value
        self._keep("share of sum", (*parts, whole), 100 * quotient, fit)
        self._keep("ratio of sum", (*parts, whole), quotient, fit)

    def _of_two_rows(self, columns: Sequence[Sequence[Operand]], fit: Fitting) -> None:
        """Two rows over the same columns: a quotient or a growth of one column, or row, less that of the other."""
        if not self.tried & _TWO_STEPS:
            return
        if len(columns) >= 2:
            means = [sum(o.value for o in line) / len(line) for line in zip(*columns, strict=True)]
            self._keep("average change", [o for line in zip(*columns, strict=True) for o in line],
                       means[0] - means[1], fit)  # fmt: skip
        for (a, b), (c, d) in permutations(columns, 2):
            if b.value and d.value:
                change = a.value / b.value - c.value / d.value
                self._keep("share change", (a, b, c, d), 100 * change, fit)
                self._keep("ratio change", (a, b, c, d), change, fit)
            if c.value and d.value:
                self._keep("growth change", (a, c, b, d), 100 * (a.value / c.value - b.value / d.value), fit)

    def _parts(self, columns: Sequence[Sequence[Operand]], fit: Fitting) -> None:
        """A percentage of an amount in the same column; a statement means none that it does not mention."""
        if not self.target.asked:
            return
        for amount, share in columns:
            if share.unit == PERCENT and amount.unit != PERCENT:
                self._keep("part", (amount, share), amount.value * share.value / 100, fit)

    def _sums_of_rows(self, lines: _Lines) -> None:
        for rows in combinations(lines.named[:_MAX_PARTS], 3):
            for values in lines.beside(rows):
                operands = lines.operands(values)
                fit = self._fit(lines.together(values))
                for i, whole in enumerate(operands):
                    if whole.value:
                        self._over(operands[:i] + operands[i + 1 :], whole, fit)

    # ------------------------------------------------------------ what is kept

    def _keep(self, operation: str, operands: Sequence[Operand], result: float, fit: Fitting) -> None:
        formula = FORMULAS[operation]
        if formula.cues and operation not in self.tried:
            return
        flipped = result < 0 < self.goal and operation in (_FALLS if self.falls else _SIZES) and not _moves(operands)
        power = self._power(formula, operands, -result if flipped else result)
        if power is None or not self._kind_fits(operation, operands):
            return
        if operation not in _OF_TWO_KINDS and not all(_same_kind(operands[0], o) for o in operands[1:]):
            return
        exact = formula.compute([operand.number for operand in operands])
        size = (-exact if flipped else exact).scaleb(-power) / self.step
        if not self.in_words and not rounds_to(size, self.claimed.number, self.claimed.decimals):
            return
        if operation == "sum" and sum(operand.value != 0 for operand in operands) < 2:
            return  # adding nothing derives nothing
        forward = _forward(operation, operands)
        self.found.append(Derivation(operation, tuple(operands), exact, fit(operands), forward, flipped, bool(power)))

    def _power(self, formula: Formula, operands: Sequence[Operand], size: float) -> int | None:
        """The power of ten by which the claim's scale is above the operands', when the result is the claimed number in
        that scale; 0 when it is as printed, None when it is another number."""
        if abs(size - self.goal) <= self.tolerance:
            return 0
        scales = operands[0].exponents
        if not (formula.scaled and self.claimed.scaled_by) or len(scales) != 1:
            return None
        power = self.claimed.exponent - scales[0]
        factor = 10.0**power
        same = abs(size - self.goal * factor) <= self.tolerance * factor and all(
            o.exponents == scales for o in operands
        )
        return power if same else None

    def _kind_fits(self, operation: str, operands: Sequence[Operand]) -> bool:
        """A percentage comes from a formula that gives percents, or from percents; percentage points only from a
        difference. 'The percentage change' is a growth, no share, unless the change itself is printed; nothing is a
        change less its own change."""
        if operation == "share" and self.of_change and not _moves(operands):
            return False
        if operation == "difference" and _of_change_and_level(operands):
            return False
        formula = FORMULAS[operation]
        if formula.percent is not None:
            return formula.percent == self.percent and not (self.points and operation in _NO_POINTS)
        return not self.percent or all(o.unit in _PERCENTS for o in operands)

    def _in_time(self, operands: Sequence[Operand]) -> float:
        return in_time(self.target.periods, operands)


def in_time(asked: Sequence[Period], operands: Sequence[Operand]) -> float:
    """1 when the operands' periods are the claim's, all of them and no other; 0.5 when the claim names none."""
    if not asked:
        return 0.5
    given = [operand.periods for operand in operands]
    met = sum(any(a.agrees(g) for periods in given for g in periods) for a in asked) / len(asked)
    inside = sum(not periods or any(a.agrees(g) for a in asked for g in periods) for periods in given) / len(given)
    return (met + inside) / 2


def _moves(operands: Sequence[Operand]) -> bool:
    """Whether a header calls a number a change: its sign is its direction, and no mark of a deduction."""
    return any(_CHANGE.search(operand.name) for operand in operands)


def _of_change_and_level(operands: Sequence[Operand]) -> bool:
    """Whether a row's amount is set against the change that another column gives for it."""
    a, b = operands
    return a.place[0] == b.place[0] and _moves([a]) != _moves([b])


def _same_kind(a: Operand, b: Operand) -> bool:
    """Same unit, and a scale that both may have."""
    return a.unit == b.unit and not (a.exponents and b.exponents and not set(a.exponents) & set(b.exponents))


def _counts_and_prices(a: Operand, b: Operand) -> bool:
    """One printed with a currency mark, the other without."""
    return any(mark in a.text for mark in "$€£¥") != any(mark in b.text for mark in "$€£¥")


def _operand(value: Value) -> Operand:
    number = value.quantity.number
    return Operand(
        number, float(number), value.exponents, value.quantity.unit, value.periods, value.name, value.text, value.place
    )


def _like_columns(values: list[Value]) -> list[list[Value]]:
    """The row as it stands, and, where columns of another kind stand between, those that differ in period only."""
    kinds: dict[frozenset[str], list[Value]] = {}
    for value in values:
        kinds.setdefault(value.column_words if value.periods else frozenset({"", str(value.col)}), []).append(value)
    groups = [group for group in kinds.values() if 3 <= len(group) < len(values)]
    return [values, *groups]


def _forward(operation: str, operands: Sequence[Operand]) -> bool | None:
    if operation not in ("difference", "growth"):
        return None
    first, second = (max((moment(p) for p in o.periods), default=None) for o in operands)
    if first is None or second is None or first == second:
        return None
    return first > second


def moment(period: Period) -> tuple[int, ...]:
    """What periods are put in order by."""
    return (
        period.end_year or period.year or 0,
        period.month or 0,
        period.quarter or 0,
        period.half or 0,
        period.day or 0,
    )
