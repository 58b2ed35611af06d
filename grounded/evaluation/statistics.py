"""Intervals over documents, and whether one run is better than another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grounded.types import Frozen

Verdict = Literal["better", "worse", "no difference", "n/a"]
DRAWS = 1000
Rows = NDArray[np.float64]  # (n, m): what a statistic is computed from, one row a case
Statistic = Callable[[Rows], float | None]


class Figure(Frozen):
    """A mean with its 95 % interval. value None: not defined on this data."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    undefined: int = 0


class Difference(Frozen):
    """Second run minus first, on the items both have."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    verdict: Verdict = "n/a"


def mean_over_documents(values: Sequence[float | None], documents: Sequence[str], *, seed: int = 0) -> Figure:
    """Mean of the defined values; the interval resamples documents, not rows (cluster bootstrap, Efron 1979)."""
    kept = [(value, document) for value, document in zip(values, documents, strict=True) if value is not None]
    undefined = len(values) - len(kept)
    if not kept:
        return Figure(value=None, undefined=undefined)
    value = sum(v for v, _ in kept) / len(kept)
    low, high = _interval(_resampled([v for v, _ in kept], [d for _, d in kept], seed))
    return Figure(value=value, low=low, high=high, n=len(kept), undefined=undefined)


def compare(
    first: Mapping[str, float | None],
    second: Mapping[str, float | None],
    documents: Mapping[str, str],
    *,
    seed: int = 0,
) -> Difference:
    """Paired comparison by item id. "better" and "worse" only when the interval of the difference excludes zero."""
    pairs = [
        (b - a, documents[key]) for key, a in first.items() if a is not None and (b := second.get(key)) is not None
    ]
    if not pairs:
        return Difference(value=None)
    low, high = _interval(_resampled([d for d, _ in pairs], [document for _, document in pairs], seed))
    value = sum(d for d, _ in pairs) / len(pairs)
    return Difference(value=value, low=low, high=high, n=len(pairs), verdict=_verdict(low, high))


def of_rows(
    rows: Sequence[Sequence[float]], documents: Sequence[str], statistic: Statistic, *, seed: int = 0
) -> Figure:
    """A statistic of all cases together (a ratio of ratios, an area): its interval, too, resamples documents. Draws on
    which it is not defined are left out; of fewer than half, there is no interval."""
    values = np.asarray(rows, np.float64)
    whole = statistic(values) if len(values) else None
    if whole is None:
        return Figure(value=None, undefined=len(rows))
    drawn = [x for index in _draws(documents, seed) if (x := statistic(values[index])) is not None]
    low, high = _interval(drawn)
    return Figure(value=whole, low=low, high=high, n=len(rows))


def compare_rows(
    first: Mapping[str, Sequence[float]],
    second: Mapping[str, Sequence[float]],
    documents: Mapping[str, str],
    statistic: Statistic,
    *,
    seed: int = 0,
) -> Difference:
    """Second minus first of such a statistic on the cases both have, drawn together."""
    keys = [key for key in first if key in second]
    a, b = (np.asarray([side[key] for key in keys], np.float64) for side in (first, second))
    before, after = (statistic(side) if keys else None for side in (a, b))
    if before is None or after is None:
        return Difference(value=None)
    drawn = []
    for index in _draws([documents[key] for key in keys], seed):
        x, y = statistic(a[index]), statistic(b[index])
        if x is not None and y is not None:
            drawn.append(y - x)
    low, high = _interval(drawn)
    return Difference(value=after - before, low=low, high=high, n=len(keys), verdict=_verdict(low, high))


def _verdict(low: float | None, high: float | None) -> Verdict:
    if low is None or high is None:
        return "n/a"
    return "better" if low > 0 else "worse" if high < 0 else "no difference"


def _interval(drawn: Sequence[float] | NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Of the draws; (None, None) when there are too few, as of a single document."""
    if len(drawn) < DRAWS // 2:
        return None, None
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def _draws(documents: Sequence[str], seed: int) -> Iterator[NDArray[np.intp]]:
    """The rows of as many documents as there are, drawn with replacement. Nothing to draw from a single one."""
    held: dict[str, list[int]] = defaultdict(list)
    for row, document in enumerate(documents):
        held[document].append(row)
    groups = [np.asarray(group, np.intp) for group in held.values()]
    generator = np.random.default_rng(seed)
    for _ in range(DRAWS if len(groups) > 1 else 0):
        yield np.concatenate([groups[i] for i in generator.integers(0, len(groups), len(groups))])


def _resampled(values: Sequence[float], documents: Sequence[str], seed: int) -> NDArray[np.float64]:
    names = {name: index for index, name in enumerate(dict.fromkeys(documents))}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, document in zip(values, documents, strict=True):
        sums[names[document]] += value
        counts[names[document]] += 1
    if len(names) < 2:  # one document says nothing about others
        return np.empty(0)
    draws = np.random.default_rng(seed).integers(0, len(names), (DRAWS, len(names)))
    return np.asarray(sums[draws].sum(axis=1) / counts[draws].sum(axis=1))
