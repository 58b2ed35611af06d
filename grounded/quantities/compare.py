"""Whether a claimed quantity agrees with one found in the evidence, under stated rounding rules.

Rules. Equal: same value in the same unit. Rounded: the claim prints fewer digits than the evidence, and the evidence
rounds (half away from zero) to it at the claim's last printed digit. 'about', 'nearly': within 5 % of the found value,
or half a unit of the claim's last digit. 'over' / 'more than': found > claimed; 'at least': found >= claimed; 'under',
'at most' likewise, and never by more than a factor of two (then it says something else). A range holds a value inside
it; two ranges agree when both ends do. Unit-free claims match a found unit; two different units never match.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

from grounded.quantities.scan import Quantity
from grounded.quantities.units import BASIS, PERCENT, PERMILLE, POINTS, measure

Relation = Literal["equal", "rounded", "bound", "ambiguous", "scale", "sign", "unit", "different"]
_AGREES = frozenset({"equal", "rounded", "bound"})
_ABOUT = Decimal("0.05")
_PERCENTS = frozenset({PERCENT, POINTS, BASIS, PERMILLE})


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a claimed quantity relates to a found one, and the sentence that says it."""

    relation: Relation
    detail: str

    @property
    def agrees(self) -> bool:
        """Whether the found quantity supports the claimed one."""
        return self.relation in _AGREES


def compare(claimed: Quantity, found: Quantity) -> Comparison:
    """Compare after unit and scale. The relation names the first thing that differs."""
    pair = f"{claimed.text.strip()} against {found.text.strip()}"
    if not units_agree(claimed, found):
        return Comparison("unit", f"{pair}: unit differs")
    relation = _values(claimed, found)
    if relation in _AGREES:
        return Comparison(relation, f"{claimed.text.strip()} = {found.text.strip()}" + _how(relation, claimed))
    for other in (*claimed.others, *found.others):
        if other in (found.number, claimed.number) or set(claimed.others) & set(found.others):
            return Comparison("ambiguous", f"{pair}: equal only in one reading of the decimal mark")
    if relation == "different":
        relation = _misfit(claimed, found)
    return Comparison(relation, f"{pair}: {_WORDS[relation]}")


_WORDS = {"scale": "same digits, wrong scale", "sign": "wrong sign", "different": "value differs"}


def _how(relation: str, claimed: Quantity) -> str:
    return {"rounded": " (rounded)", "bound": f" ({claimed.approx})"}.get(relation, "")


def units_agree(claimed: Quantity, found: Quantity) -> bool:
    """Same dimension; a side that names no unit or currency does not object; '$' agrees with any dollar."""
    if claimed.currency and found.currency and claimed.currency != found.currency:
        pair = {claimed.currency, found.currency}
        if "$" not in pair or not (pair - {"$"}) <= {"USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD"}:
            return False
    if claimed.unit in _PERCENTS or found.unit in _PERCENTS:
        return _percents_agree(claimed, found)
    if claimed.unit and found.unit:
        return measure(claimed.unit)[0] == measure(found.unit)[0]
    return True


def _percents_agree(claimed: Quantity, found: Quantity) -> bool:
    """A percentage is no percentage point and no money; basis points give either, and a bare number may stand for
    either (its header says so)."""
    sides = (claimed, found)
    if any(q.currency or (q.unit and q.unit not in _PERCENTS) for q in sides):
        return False
    named = {q.unit for q in sides if q.unit}
    return named == {PERCENT, BASIS} or len({measure(unit)[0] for unit in named}) == 1


def in_base(quantity: Quantity, value: Decimal) -> Decimal:
    """`value` of the quantity in the base unit of its dimension."""
    return value * measure(quantity.unit)[1]


def _values(claimed: Quantity, found: Quantity) -> Relation:
    if claimed.is_range or found.is_range:
        return _ranges(claimed, found)
    a, b = in_base(claimed, claimed.value), in_base(found, found.value)
    if _spread(claimed) and _spread(found) and _spread(claimed) != _spread(found):
        return "different"
    if claimed.approx:
        return _bound(claimed, a, b, found.approx)
    if a == b:
        return "equal"
    return "rounded" if rounds_to(claimed, b) else "different"


def _spread(quantity: Quantity) -> Decimal:
    """The ± of a value, 0 for plain values and ranges."""
    return Decimal(0) if quantity.is_range else in_base(quantity, quantity.high - quantity.low)


def _ranges(claimed: Quantity, found: Quantity) -> Relation:
    low, high = in_base(claimed, claimed.low), in_base(claimed, claimed.high)
    other_low, other_high = in_base(found, found.low), in_base(found, found.high)
    if claimed.is_range and found.is_range:
        return "equal" if (low, high) == (other_low, other_high) else "different"
    if claimed.is_range:
        return "bound" if low <= other_low and other_high <= high else "different"
    return "different"


def rounds_to(claimed: Quantity, found: Decimal) -> bool:
    """Whether `found` (base unit) rounds, half up, to the claim at its last printed digit. A claim of zero is exact."""
    if claimed.number == 0 or (claimed.number < 0) != (found < 0):
        return False
    step = in_base(claimed, Decimal(1).scaleb(claimed.exponent - claimed.decimals))
    value = in_base(claimed, claimed.value)
    return (found / step).quantize(Decimal(1), ROUND_HALF_UP) * step == value


_LOWER, _UPPER = ("over", "at least"), ("under", "at most")


def _bound(claimed: Quantity, a: Decimal, b: Decimal, stated: str) -> Relation:
    """What the claim's softening word makes of claimed `a` and found `b`; `stated` is the evidence's own such word."""
    if claimed.approx == "about":
        step = in_base(claimed, Decimal(1).scaleb(claimed.exponent - claimed.decimals))
        return "bound" if abs(a - b) <= max(abs(b) * _ABOUT, step / 2) else "different"
    holds = {"over": b > a, "at least": b >= a, "under": b < a, "at most": b <= a}[claimed.approx]
    if a == b and stated in (_LOWER if claimed.approx in _LOWER else _UPPER):
        return "equal"
    near = a == b or (a != 0 and Decimal("0.5") <= b / a <= 2)
    return "bound" if holds and near and not _opposed(claimed.approx, stated) else "different"


def _opposed(claimed: str, stated: str) -> bool:
    return (claimed in _LOWER and stated in _UPPER) or (claimed in _UPPER and stated in _LOWER)


def _misfit(claimed: Quantity, found: Quantity) -> Relation:
    a, b = in_base(claimed, claimed.value), in_base(found, found.value)
    if a == -b or (claimed.number == -found.number and claimed.exponent == found.exponent):
        return "sign"
    same_side = a and b and a != b and (a > 0) == (b > 0)
    if same_side and a.normalize().as_tuple().digits == b.normalize().as_tuple().digits:
        return "scale"
    if a and b and claimed.number == found.number and claimed.exponent != found.exponent:
        return "scale"
    return "different"
