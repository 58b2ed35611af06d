"""A stated calculation, done again from its operands as printed. Exact decimals; the result must agree to the digits
it is written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from grounded.quantities import Quantity, quantities
from grounded.types import Calculation

Values = Sequence[Decimal]


class Operand(NamedTuple):
    """A value as printed, and the unit note in force for it."""

    text: str
    unit: str


def holds(calculation: Calculation, operands: Sequence[Operand]) -> bool:
    """Whether the operands, combined as the calculation says, give its result."""
    read = [_read(operand) for operand in operands]
    picked = calculation.operation in _PICKS and operands  # its result is an operand, in the unit in force for that
    stated = _read(Operand(calculation.result, operands[0].unit)) if picked else _single(calculation.result)
    compute = _OPERATIONS.get(calculation.operation)
    if compute is None or stated is None or any(q is None for q in read):
        return False
    values = [q.value for q in read if q is not None]
    if calculation.operation == "count":
        return stated.number == len(values)
    expected = compute(values)
    if expected is not None and stated.unit == "percent" and calculation.operation in ("ratio", "growth"):
        expected *= 100
    return expected is not None and _agrees(stated, expected)


_PICKS = ("maximum", "minimum")


def _difference(values: Values) -> Decimal | None:
    return values[0] - values[1] if len(values) == 2 else None


def _ratio(values: Values) -> Decimal | None:
    return values[0] / values[1] if len(values) == 2 and values[1] else None


def _growth(values: Values) -> Decimal | None:
    return (values[0] - values[1]) / values[1] if len(values) == 2 and values[1] else None


_OPERATIONS: dict[str, Callable[[Values], Decimal | None]] = {
    "difference": _difference,
    "sum": lambda values: sum(values, Decimal(0)),
    "average": lambda values: sum(values, Decimal(0)) / len(values) if values else None,
    "ratio": _ratio,
    "growth": _growth,
    "maximum": lambda values: max(values, default=None) if values and values[0] == max(values) else None,
    "minimum": lambda values: min(values, default=None) if values and values[0] == min(values) else None,
    "count": lambda values: Decimal(len(values)),
}


def _read(operand: Operand) -> Quantity | None:
    found = quantities(operand.text, unit_hint=operand.unit)
    return found[0] if len(found) == 1 and not found[0].is_range else None


def _single(text: str) -> Quantity | None:
    found = quantities(text)
    return found[0] if len(found) == 1 else None


def _agrees(stated: Quantity, expected: Decimal) -> bool:
    """Whether the stated value is the expected one, rounded to the digits it shows."""
    unit = Decimal(1).scaleb(stated.exponent - stated.decimals)
    return abs(stated.value - expected) <= unit / 2
