"""Intervals over documents, and whether one run is better than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grounded.types import Frozen

Verdict = Literal["better", "worse", "no difference", "n/a"]
DRAWS = 1000


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
    means = _resampled([v for v, _ in kept], [d for _, d in kept], seed)
    low, high = np.percentile(means, [2.5, 97.5])
    value = sum(v for v, _ in kept) / len(kept)
    return Figure(value=value, low=float(low), high=float(high), n=len(kept), undefined=undefined)


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
    means = _resampled([d for d, _ in pairs], [document for _, document in pairs], seed)
    low, high = (float(x) for x in np.percentile(means, [2.5, 97.5]))
    verdict: Verdict = "better" if low > 0 else "worse" if high < 0 else "no difference"
    value = sum(d for d, _ in pairs) / len(pairs)
    return Difference(value=value, low=low, high=high, n=len(pairs), verdict=verdict)


def _resampled(values: Sequence[float], documents: Sequence[str], seed: int) -> NDArray[np.float64]:
    names = {name: index for index, name in enumerate(dict.fromkeys(documents))}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, document in zip(values, documents, strict=True):
        sums[names[document]] += value
        counts[names[document]] += 1
    draws = np.random.default_rng(seed).integers(0, len(names), (DRAWS, len(names)))
    return np.asarray(sums[draws].sum(axis=1) / counts[draws].sum(axis=1))
