"""The formulas by which a number may follow from printed ones: exact, and written out for a reader.

One step: difference, growth, sum, average, share, ratio, product. Two steps: the difference of two averages, of two
shares or ratios, of two growths; the average of successive growths; the share of a sum.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import NamedTuple

from grounded.quantities import Period

_CUES = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "change": r"\b(?:chang|increas|decreas|differ|grew|grow|rose|rise|fell|fall|declin|higher|lower|more|less|fewer"
        r"|gain|drop|reduc|compar|than|exceed|gap|varia|improv|lag|trail|beat|behind|ahead|outperform|up\b|down\b)",
        "average": r"\b(?:averag|mean\b)",
        "share": r"%|\b(?:percent|proportion|share|ratio|constitut|portion|fraction|ma(?:de|kes?) up"
        r"|account|repres|compos)",
        "sum": r"\b(?:total|sum|combin|altogether|aggregat|both|together|overall|across|cumulativ)",
        "ratio": r"\b(?:ratio|times|multiple|per\b|divid|proportion)",
    }.items()
}
_BOUND = re.compile(r"\b(?:more|less|fewer|greater|higher|lower) than (?=[^a-z\d]{0,4}\d)", re.IGNORECASE)
Numbers = Sequence[Decimal]


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


class Formula(NamedTuple):
    """cues: classes of words that must be said for it, none of which stands for 'any claim'. scaled: whether the
    result has the scale of its operands. percent: whether the result is written in percent (None: either)."""

    cues: tuple[str, ...]
    scaled: bool
    percent: bool | None
    compute: Callable[[Numbers], Decimal]
    written: Callable[[Sequence[str]], str]


def _mean(numbers: Numbers) -> Decimal:
    return sum(numbers, Decimal(0)) / len(numbers)


def _growth(new: Decimal, old: Decimal) -> Decimal:
    return (new - old) / old * 100


def _growths(numbers: Numbers) -> Decimal:
    return _mean([_growth(new, old) for new, old in pairwise(numbers)])


def _halves(numbers: Numbers) -> tuple[Numbers, Numbers]:
    middle = len(numbers) // 2
    return numbers[:middle], numbers[middle:]


def _plus(shown: Sequence[str]) -> str:
    return f"({' + '.join(shown)})"


def _mean_text(shown: Sequence[str]) -> str:
    return f"{_plus(shown)} / {len(shown)}"


def _growth_text(new: str, old: str) -> str:
    return f"({new} − {old}) / {old}"


def _growths_text(shown: Sequence[str]) -> str:
    steps = [_growth_text(new, old) for new, old in pairwise(shown)]
    return f"({' + '.join(steps)}) / {len(steps)}"


def _mean_change(numbers: Numbers) -> Decimal:
    left, right = _halves(numbers)
    return _mean(left) - _mean(right)


def _mean_change_text(shown: Sequence[str]) -> str:
    middle = len(shown) // 2
    return f"{_mean_text(shown[:middle])} − {_mean_text(shown[middle:])}"


def _quotients(numbers: Numbers) -> Decimal:
    return numbers[0] / numbers[1] - numbers[2] / numbers[3]


def _quotients_text(shown: Sequence[str]) -> str:
    return f"{shown[0]} / {shown[1]} − {shown[2]} / {shown[3]}"


FORMULAS: dict[str, Formula] = {
    "difference": Formula(("change",), True, None, lambda n: n[0] - n[1], " − ".join),
    "growth": Formula(("change",), False, True, lambda n: _growth(n[0], n[1]), lambda s: _growth_text(s[0], s[1])),
    "sum": Formula(("sum",), True, None, lambda n: sum(n, Decimal(0)), " + ".join),
    "average": Formula(("average",), True, None, _mean, _mean_text),
    "share": Formula(("share",), False, True, lambda n: n[0] / n[1] * 100, " / ".join),
    "ratio": Formula(("ratio",), False, False, lambda n: n[0] / n[1], " / ".join),
    "average change": Formula(("average", "change"), True, None, _mean_change, _mean_change_text),
    "average growth": Formula(("average", "change"), False, True, _growths, _growths_text),
    "growth change": Formula(
        ("change", "share"),
        False,
        True,
        lambda n: _growth(n[0], n[1]) - _growth(n[2], n[3]),
        lambda s: f"{_growth_text(s[0], s[1])} − {_growth_text(s[2], s[3])}",
    ),
    "share change": Formula(("change", "share"), False, True, lambda n: _quotients(n) * 100, _quotients_text),
    "ratio change": Formula(("change", "ratio"), False, False, _quotients, _quotients_text),
    "share of sum": Formula(
        ("share",),
        False,
        True,
        lambda n: sum(n[:-1], Decimal(0)) / n[-1] * 100,
        lambda s: f"{_plus(s[:-1])} / {s[-1]}",
    ),
    "ratio of sum": Formula(
        ("ratio",), False, False, lambda n: sum(n[:-1], Decimal(0)) / n[-1], lambda s: f"{_plus(s[:-1])} / {s[-1]}"
    ),
    "product": Formula((), True, False, lambda n: n[0] * n[1], " × ".join),
    "part": Formula((), True, False, lambda n: n[0] * n[1] / 100, lambda s: f"{s[0]} × {s[1]} / 100"),
}


@dataclass(frozen=True, slots=True)
class Derivation:
    """A formula that gives the claimed number. forward: later minus earlier
    (differences and growth); None when the operands have no order in time. flipped: the operands are printed as
    deductions, in parentheses, and the claim gives their size. rescaled: the claim gives the result in another scale
    than the operands' own. result: as computed, unrounded, in the operands' scale."""

    operation: str
    operands: tuple[Operand, ...]
    result: Decimal
    fit: float
    forward: bool | None
    flipped: bool = False
    rescaled: bool = False

    @property
    def scales(self) -> tuple[int, ...] | None:
        """The scales that all operands may have; () when none states one; None for results without a scale."""
        if not FORMULAS[self.operation].scaled:
            return None
        stated = [set(o.exponents) for o in self.operands if o.exponents and o.unit != "percent"]
        return tuple(sorted(set.intersection(*stated))) if stated else ()

    @property
    def formula(self) -> str:
        """'(1,496.5 − 1,202.9) / 1,202.9 = 24.41 %', operands as printed."""
        formula = FORMULAS[self.operation]
        shown = formula.written([operand.text.strip() for operand in self.operands])
        return f"{shown} = {_trimmed(self.result)}{' %' if formula.percent else ''}"

    @property
    def cells(self) -> str:
        """The operands with their headers."""
        return "; ".join(f"{operand.text.strip()} ({operand.name})" for operand in self.operands)


def _trimmed(number: Decimal) -> str:
    return f"{round(number, 4).normalize():,f}"


def operations(phrase: str) -> frozenset[str]:
    """The kinds of operation that a claim's words name; 'more than 5' bounds a number and names none."""
    named = _BOUND.sub(" ", phrase)
    return frozenset(name for name, cue in _CUES.items() if cue.search(named))


_RISE = re.compile(
    r"\b(?:increas\w*|grew|grow(?:s|th|n)?|rose|ris(?:e|es|en|ing)|higher|gain(?:s|ed)?|improv\w*|up)\b", re.IGNORECASE
)
_FALL = re.compile(
    r"\b(?:decreas\w*|fell|fall(?:s|en|ing)?(?! due)|declin\w*|lower|dropp?(?:ed|s)?|reduc\w+|down|shrank)\b",
    re.IGNORECASE,
)


def direction(phrase: str) -> int:
    """1 when the words say that something rose, -1 when they say that it fell, 0 when they say neither or both."""
    return bool(_RISE.search(phrase)) - bool(_FALL.search(phrase))


def rounds_to(result: Decimal, claimed: Decimal, decimals: int) -> bool:
    """Whether a result rounds, half away from zero, to the claim's last printed digit. A claim of zero is exact."""
    if not claimed:
        return not result
    return result.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) == claimed
