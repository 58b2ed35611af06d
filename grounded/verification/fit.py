"""How well a table cell's headers and period fit what a claim talks about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from grounded.quantities import Period, quantities
from grounded.verification.cells import Value
from grounded.verification.claims import Target
from grounded.verification.words import stems

_UNSAID = 0.5  # one side names no period
_TIME_UNIT = re.compile(r".*[\s-](year|month|quarter|week|day)s?$")


@dataclass(frozen=True, slots=True)
class Fit:
    """Parts of a cell's fit, each 0..1: row header, column header, period."""

    row: float
    column: float
    period: float

    @property
    def total(self) -> float:
        return self.row + 0.6 * self.column + 0.8 * self.period


def fit(target: Target, value: Value, weights: dict[str, float], beyond: float = 0.0) -> Fit:
    """The fit of one cell. beyond: weight of the claim's words that only other tables have."""
    known = frozenset(w for w in target.words if w in weights)
    row = overlap(known, value.label_words, value.section_words, weights, beyond)
    row = max(row, 0.98 * _phrase(target.clause, value.label))
    column = overlap(known, value.column_words, frozenset(), weights, beyond) if value.column_words else 0.3
    return Fit(row, column, _in_time(target, value))


def _in_time(target: Target, value: Value) -> float:
    """The fit of the periods, and of the lengths of time that both name: '5-year' is not '10 years'."""
    periods = period_fit(target.periods, value.periods)
    asked, given = time_spans(target.clause) or time_spans(target.phrase), time_spans(f"{value.label} {value.column}")
    if not asked or not given:
        return periods
    if not asked & given:
        return 0.0
    return 1.0 if periods == _UNSAID else periods


@lru_cache(maxsize=4096)
def time_spans(text: str) -> frozenset[tuple[Decimal, str]]:
    """Lengths of time that a text names: '5-year', '10 years', 'three months'."""
    units = {"year", "month", "quarter", "week", "day"}
    return frozenset(
        (q.number, unit) for q in quantities(text) if (unit := q.unit or _TIME_UNIT.sub(r"\1", q.text.lower())) in units
    )


def overlap(
    known: frozenset[str],
    words: frozenset[str],
    section: frozenset[str],
    weights: dict[str, float],
    beyond: float = 0.0,
) -> float:
    """F-score of header words and the claim's words; section words may be claimed but need not."""
    hit = sum(weights[w] for w in known & words) + 0.7 * sum(weights[w] for w in (known & section) - words)
    if not hit:
        return 0.0
    asked = sum(weights[w] for w in known) + beyond
    own = sum(weights.get(w, 0) for w in words) + 0.7 * sum(weights[w] for w in (known & section) - words)
    precision, recall = hit / own, hit / asked
    return 2 * precision * recall / (precision + recall)


def _phrase(phrase: str, label: str) -> float:
    """1 when the label's words stand in the claim in one run, 0 otherwise; short labels count less."""
    want, have = stems(label), stems(phrase)
    if not want:
        return 0.0
    runs = any(have[i : i + len(want)] == want for i in range(len(have) - len(want) + 1))
    return min(1.0, 0.7 + 0.1 * len(want)) if runs else 0.0


def _other_day(asked: Period, given: tuple[Period, ...]) -> bool:
    dated = [g for g in given if g.month]
    return bool(dated) and not any(asked.agrees(g) for g in dated)


def period_fit(asked: tuple[Period, ...], given: tuple[Period, ...]) -> float:
    """1 when a period of the cell agrees with one asked for, 0 when none does, 0.5 when one side says none."""
    if not asked or not given:
        return _UNSAID
    years, own_years = {p.year for p in asked if p.year}, {p.year for p in given if p.year}
    if years and own_years and not any(a.agrees(g) for a in asked for g in given if a.year and g.year):
        return 0.0
    if any(_other_day(a, given) for a in asked if a.month and not a.year):
        return 0.0
    return 1.0 if any(a.agrees(g) for a in asked for g in given) else 0.0
