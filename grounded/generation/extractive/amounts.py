"""Arithmetic on values as printed: exact decimals in, a number written the way its operands are out."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from grounded.quantities import Quantity

_SCALES = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}
_SYMBOLS = frozenset("$€£¥₹")
RATE_DECIMALS = 2


def at_scale(quantity: Quantity, exponent: int) -> Decimal:
    """The quantity's number in units of 10**exponent."""
    return quantity.number.scaleb(quantity.exponent - exponent)


def comparable(quantities: Sequence[Quantity]) -> bool:
    """Whether the quantities are of one kind: all percentages, all of one currency, or plain numbers."""
    units = {q.unit for q in quantities}
    currencies = {q.currency for q in quantities if q.currency}
    return len(units) == 1 and len(currencies) <= 1


def written(number: Decimal, like: Sequence[Quantity], *, decimals: int | None = None, plain: bool = False) -> str:
    """`number`, in the scale of `like[0]`, written as `like` are: their currency, decimals, unit and scale.

    plain: leave out the scale's word and the unit. decimals: None for as many as the most exact operand shows.
    """
    places = max(q.decimals for q in like) if decimals is None else decimals
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if decimals is not None:
        rounded = _trimmed(rounded)
    currency = next((q.currency for q in like if q.currency), "")
    sign, digits = ("−" if rounded < 0 else ""), f"{abs(rounded):,f}"
    head = f"{sign}{currency}{digits}" if currency in _SYMBOLS else f"{sign}{digits}"
    tail = "" if plain else _tail(like[0], currency)
    return f"{head}{tail}"


def percentage(share: Decimal) -> str:
    """A share of 1 as a percentage."""
    return f"{_trimmed((share * 100).quantize(Decimal('0.01'), ROUND_HALF_UP)):,f}%".replace("-", "−")


def decimal(quotient: Decimal) -> str:
    """A quotient to two decimals."""
    return f"{_trimmed(quotient.quantize(Decimal('0.01'), ROUND_HALF_UP)):,f}".replace("-", "−")


def _tail(quantity: Quantity, currency: str) -> str:
    if quantity.unit == "percent":
        return "%"
    if quantity.unit == "times":
        return "x"
    scale = f" {_SCALES[quantity.exponent]}" if quantity.exponent in _SCALES else ""
    return scale if not currency or currency in _SYMBOLS else f"{scale} {currency}"


def _trimmed(number: Decimal) -> Decimal:
    """Without zeros behind the decimal mark."""
    whole = number.to_integral_value()
    return whole if number == whole else number.normalize()
