"""What can be computed over facts, each with its formula as shown. Sources: plain arithmetic; a growth is (new − old) /
old; a change between percentages is in percentage points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from grounded.generation.extractive import amounts
from grounded.generation.extractive.evidence import Fact
from grounded.quantities import Quantity


class Computed(NamedTuple):
    """A computed answer. label: what it is the value of; context: how it was found, for the claim's brackets."""

    operation: str
    label: str
    operands: tuple[Fact, ...]
    formula: str
    result: str
    score: float
    context: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        """Operand values as printed, in the order of `operands`."""
        return tuple(fact.value_text for fact in self.operands)


Operation = Callable[[Sequence[Fact], float], Computed | None]


def difference(facts: Sequence[Fact], score: float) -> Computed:
    """The second value less the first."""
    old, new = map(number, facts)
    shown = amounts.written(amounts.at_scale(new, new.exponent) - amounts.at_scale(old, new.exponent), (new, old))
    if new.unit == "percent":
        shown = shown.removesuffix("%") + " percentage points"
    first, second = names(facts)
    return Computed("difference", label(facts), (facts[1], facts[0]), f"{second} − {first} = {shown}", shown, score)


def growth(facts: Sequence[Fact], score: float) -> Computed | None:
    """By how much the second value is above the first, as a share of the first."""
    old, new = map(number, facts)
    base = amounts.at_scale(old, new.exponent)
    if not base:
        return None
    shown = amounts.percentage((amounts.at_scale(new, new.exponent) - base) / base)
    first, second = names(facts)
    formula = f"({second} − {first}) / {facts[0].value_text} = {shown}"
    return Computed("growth", label(facts), (facts[1], facts[0]), formula, shown, score)


def total(facts: Sequence[Fact], score: float) -> Computed:
    """The sum of the values."""
    found = [number(f) for f in facts]
    shown = amounts.written(_sum(found), found)
    return Computed("sum", label(facts), tuple(facts), f"{' + '.join(names(facts))} = {shown}", shown, score)


def average(facts: Sequence[Fact], score: float) -> Computed:
    """The mean of the values."""
    found = [number(f) for f in facts]
    places = max(amounts.RATE_DECIMALS, *(q.decimals for q in found))
    shown = amounts.written(_sum(found) / len(found), found, decimals=places)
    formula = f"({' + '.join(names(facts))}) / {len(facts)} = {shown}"
    return Computed("average", label(facts), tuple(facts), formula, shown, score)


def percentage(facts: Sequence[Fact], score: float) -> Computed | None:
    """The first value as a percentage of the second."""
    return _quotient(facts, score, as_percentage=True)


def ratio(facts: Sequence[Fact], score: float) -> Computed | None:
    """The first value over the second."""
    return _quotient(facts, score, as_percentage=False)


def _quotient(facts: Sequence[Fact], score: float, *, as_percentage: bool) -> Computed | None:
    part, whole = map(number, facts)
    base = amounts.at_scale(whole, part.exponent)
    if not base:
        return None
    quotient = amounts.at_scale(part, part.exponent) / base
    shown = amounts.percentage(quotient) if as_percentage else amounts.decimal(quotient)
    first, second = names(facts)
    return Computed("ratio", label(facts), tuple(facts), f"{first} / {second} = {shown}", shown, score)


def number(fact: Fact) -> Quantity:
    """The fact's quantity; only facts that have one are computed with."""
    if fact.quantity is None:
        raise ValueError(f"not a number: {fact.value_text}")
    return fact.quantity


def label(facts: Sequence[Fact]) -> str:
    """What the operands have in common: their row, or their column."""
    rows, columns = {f.row_text for f in facts}, {f.column_text for f in facts}
    return rows.pop() if len(rows) == 1 else columns.pop() if len(columns) == 1 else ""


def names(facts: Sequence[Fact]) -> list[str]:
    """Each operand as printed, with what tells it from the others: its column, its row, or its document."""
    by_column = len({f.column_text for f in facts}) == len(facts)
    by_row = len({f.row_text for f in facts}) == len(facts)
    by_sheet = len({f.sheet.name for f in facts}) == len(facts)
    return [
        _shown(
            fact, fact.column_text if by_column else fact.row_text if by_row else fact.sheet.name if by_sheet else ""
        )
        for fact in facts
    ]


def without_totals(column: Sequence[Fact]) -> list[Fact]:
    """A column without the rows that add up the three or more rows above them."""
    left: list[Fact] = []
    for fact in column:
        value, above = number(fact), [number(f) for f in left]
        off = abs(sum((q.value for q in above), Decimal(0)) - value.value)
        if len(left) < 3 or off > Decimal(len(left)).scaleb(value.exponent - value.decimals) / 2:
            left.append(fact)
    return left


def _shown(fact: Fact, name: str) -> str:
    return f"{fact.value_text} ({name})" if name else fact.value_text


def _sum(found: Sequence[Quantity]) -> Decimal:
    return sum((amounts.at_scale(q, found[0].exponent) for q in found), Decimal(0))
