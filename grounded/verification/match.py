"""A claimed number against a found one whose scale may be stated, restated elsewhere, or not stated at all."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from grounded.quantities import Quantity, compare
from grounded.quantities.units import PERCENT

How = Literal["equal", "rounded", "bound", "open", "omitted", "ambiguous", "scale", "sign", "unit", "different"]
AGREES: frozenset[How] = frozenset({"equal", "rounded", "bound", "open", "omitted"})
# from the best relation to the worst: over several possible scales the best one counts
_ORDER: tuple[How, ...] = (
    "equal",
    "rounded",
    "bound",
    "omitted",
    "open",
    "ambiguous",
    "sign",
    "scale",
    "unit",
    "different",
)
_PART, _ABOUT_PART = Decimal("0.02"), Decimal("0.05")  # share by which 'a third' may miss
_GUESSES = (0, 3, 6, 9)
# what statements print in parentheses and sentences name by its size: 'net cash used was 5' for '(5)'
_DEDUCTION = re.compile(
    r"\b(?:loss(?:es)?|lost|loses?|down|used|outflows?|expenses?|costs?|pa(?:id|yments?)|repa(?:id|yments?)|repurchase[ds]?|purchases?"
    r"|dividends?|deduct\w*|decreased?|declined?|deficit|charges?|provision|allowance|write-?(?:downs?|offs?)"
    r"|impairments?|amorti[sz]ation|depreciation|tax(?:es)?|fell|dropp?(?:ed)?|reduc\w+|negative)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Match:
    """How the numbers relate. open: equal if the source's unstated scale is the claim's; omitted: equal as printed, the
    claim leaves out the scale that the source states elsewhere."""

    how: How
    detail: str

    @property
    def agrees(self) -> bool:
        return self.how in AGREES


_BOUNDS = frozenset({"over", "at least", "under", "at most"})
_DIFFERENT = Match("different", "value differs")


def match(claimed: Quantity, found: Quantity, exponents: tuple[int, ...]) -> Match:
    """Compare under each scale in force at the found number; none given means that nobody states one."""
    if is_plainly_different(claimed, found):
        return _DIFFERENT
    if claimed.kind == "fraction" and found.unit == PERCENT:
        return _part(claimed, found)
    if found.kind == "fraction" and claimed.unit == PERCENT:
        return _part(found, claimed)
    if claimed.spelled and claimed.kind == "number" and not claimed.unit and claimed.number != found.number:
        return _DIFFERENT  # 'four' counts: it rounds nothing
    if found.spelled and claimed.decimals and not claimed.spelled:
        return _DIFFERENT  # nor is '3.0' what 'three' says
    if claimed.kind == "percent" and not found.unit and exponents and 0 not in exponents:
        return Match("unit", f"{claimed.text.strip()} against {found.text.strip()}: an amount is no percentage")
    if exponents:
        tried = [_compare(claimed, found, e) for e in exponents]
        if not claimed.scaled_by and 0 not in exponents:
            tried.append(_without_scale(claimed, found))
        return min(tried, key=lambda m: _ORDER.index(m.how))
    if claimed.unit or not claimed.scaled_by or claimed.approx in _BOUNDS:  # nearly anything is below a guessed scale
        return _compare(claimed, found, 0)
    tried = [_compare(claimed, found, e) for e in _GUESSES]
    best = min(tried, key=lambda m: _ORDER.index(m.how))
    if best.agrees:
        return Match("open", f"{best.detail}; the source does not state the scale")
    return best


def as_deducted(claimed: Quantity, found: Quantity, phrase: str) -> Quantity | None:
    """The size of a negative amount, where the claim names a deduction and gives it without a sign; else None. What
    the claim has in brackets, as in 'net (loss) income', names nothing."""
    if claimed.number <= 0 or found.number >= 0 or not _DEDUCTION.search(_ASIDE.sub(" ", phrase)):
        return None
    return replace(found, number=-found.number, low=-found.high, high=-found.low)


def is_plainly_different(claimed: Quantity, found: Quantity) -> bool:
    """Whether no power of ten brings the numbers within the rounding that the claim's digits allow: most pairs are
    sorted out here, before exact arithmetic."""
    if claimed.approx or claimed.is_range or found.is_range or claimed.others or found.others:
        return False
    if (claimed.unit != found.unit and claimed.unit and found.unit) or "fraction" in (claimed.kind, found.kind):
        return False
    a, b = abs(float(claimed.number)), abs(float(found.number))
    if not a or not b:
        return a != b
    ratio = a / b
    while ratio < 0.3:
        ratio *= 10
    while ratio > 3:
        ratio /= 10
    allowed = 0.51 * 10.0 ** (1 - len(claimed.number.normalize().as_tuple().digits))
    return min(abs(ratio - 1), abs(ratio * 10 - 1), abs(ratio / 10 - 1)) > allowed


def part_tolerance(claimed: Quantity) -> Decimal:
    """By which share of itself a part in words ('a third', 'about half') may miss."""
    return _ABOUT_PART if claimed.approx == "about" else _PART


def _part(claimed: Quantity, found: Quantity) -> Match:
    """'a third' for 32.7 %: words for parts are round."""
    percent = claimed.number * 100
    if abs(percent - found.number) > percent * part_tolerance(claimed):
        return _DIFFERENT
    return Match("rounded", f"{claimed.text.strip()} = {found.text.strip()} (rounded)")


def _compare(claimed: Quantity, found: Quantity, exponent: int) -> Match:
    shift = exponent - found.exponent
    scaled = replace(found, exponent=exponent, low=found.low.scaleb(shift), high=found.high.scaleb(shift))
    comparison = compare(claimed, scaled)
    return Match(comparison.relation, comparison.detail)


def _without_scale(claimed: Quantity, found: Quantity) -> Match:
    """'1,496.5' for a cell in millions: right as printed. '$1,496.5' says dollars, and is wrong by the scale."""
    plain = _compare(claimed, found, 0)
    if not plain.agrees:
        return plain
    if claimed.currency:
        return Match("scale", f"{claimed.text} lacks the scale of the source")
    return Match("omitted", f"{plain.detail}, as printed; the scale is stated elsewhere in the source")
