"""Metrics over gold, each with its definition. A degenerate case is None ("n/a") and counted, never 0 or 1.

Ranks start at 1. `relevant` and `ranked` hold whatever identifies a thing: a document, a (document, page), a chunk.
"""

from __future__ import annotations

import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike

from grounded.types import Box, CharSpan

# ---------------------------------------------------------------- retrieval


def recall_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Share of the relevant things among the first k (Manning, Raghavan & Schütze 2008, ch. 8). None without any."""
    if not relevant:
        return None
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant))


def hit_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """1 when any relevant thing is among the first k (success@k). None without relevant things."""
    return float(bool(set(ranked[:k]) & set(relevant))) if relevant else None


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable]) -> float | None:
    """1 / rank of the first relevant thing, 0 when it was not found (Voorhees 1999). Its mean is MRR."""
    if not relevant:
        return None
    return next((1.0 / rank for rank, thing in enumerate(ranked, 1) if thing in relevant), 0.0)


def ndcg_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Binary nDCG@k with log2 discount (Järvelin & Kekäläinen 2002): DCG / DCG of the best order."""
    if not relevant:
        return None
    gains = [1.0 / math.log2(rank + 1) for rank in range(1, k + 1)]
    seen: set[Hashable] = set()
    found = 0.0
    for gain, thing in zip(gains, ranked, strict=False):
        if thing in relevant and thing not in seen:
            found += gain
        seen.add(thing)
    return found / sum(gains[: min(k, len(set(relevant)))])


# ---------------------------------------------------------------- citations


def span_f1(found: Sequence[CharSpan], gold: Sequence[CharSpan]) -> float | None:
    """F1 over characters covered by the spans of one page; None when both are empty."""
    mine, theirs = _covered(found), _covered(gold)
    return _f1(len(mine & theirs), len(mine), len(theirs))


def span_jaccard(found: Sequence[CharSpan], gold: Sequence[CharSpan]) -> float | None:
    """Characters in both / characters in either; None when both are empty."""
    mine, theirs = _covered(found), _covered(gold)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else None


def box_iou(found: Sequence[Box], gold: Sequence[Box]) -> float | None:
    """Area in both / area in either, of two unions of boxes on one page; None when there is no area at all."""
    both, either = box_areas(found, gold)
    return both / either if either else None


def box_areas(found: Sequence[Box], gold: Sequence[Box]) -> tuple[float, float]:
    """Square points covered by both unions of boxes, and by either."""
    boxes = [*found, *gold]
    xs = sorted({x for box in boxes for x in (box[0], box[2])})
    ys = sorted({y for box in boxes for y in (box[1], box[3])})
    both = either = 0.0
    for x0, x1 in itertools.pairwise(xs):
        for y0, y1 in itertools.pairwise(ys):
            mine, theirs = _holds(found, x0, y0, x1, y1), _holds(gold, x0, y0, x1, y1)
            area = (x1 - x0) * (y1 - y0)
            both += area * (mine and theirs)
            either += area * (mine or theirs)
    return both, either


def precision_recall(found: Collection[Hashable], gold: Collection[Hashable]) -> tuple[float | None, float | None]:
    """Citation precision (right / cited; None when nothing is cited) and recall (right / gold; None without gold)."""
    right = len(set(found) & set(gold))
    return (right / len(set(found)) if found else None, right / len(set(gold)) if gold else None)


# ---------------------------------------------------------------- answers


def token_f1(answer: str, gold: str) -> float:
    """SQuAD's F1 over normalised words (Rajpurkar et al. 2016): lower case, no punctuation, no articles."""
    mine, theirs = Counter(_squad(answer)), Counter(_squad(gold))
    if not mine or not theirs:
        return float(mine == theirs)
    return _f1((mine & theirs).total(), mine.total(), theirs.total()) or 0.0


def exact_match(answer: str, gold: str) -> float:
    """SQuAD's exact match after the same normalisation."""
    return float(_squad(answer) == _squad(gold))


def contained(answer: str, gold: str) -> float:
    """1 when the gold's words stand side by side in the answer after SQuAD's normalisation (Mallen et al. 2023): fair
    to answers that are whole sentences. Gold of no words is in nothing."""
    mine, theirs = _squad(answer), _squad(gold)
    starts = range(len(mine) - len(theirs) + 1) if theirs else ()
    return float(any(mine[start : start + len(theirs)] == theirs for start in starts))


def numeric_match(value: Decimal | None, scale: str, gold: Decimal | None, gold_scale: str) -> float | None:
    """1 when value and scale agree at the gold's printed precision (TAT-QA, Zhu et al. 2021). None without gold."""
    if gold is None:
        return None
    if value is None or scale != gold_scale:
        return 0.0
    exponent = gold.as_tuple().exponent
    assert isinstance(exponent, int)  # a Decimal read from text is finite
    return float(round(value, max(0, -exponent)) == gold)


# ---------------------------------------------------------------- verdicts


def balanced_accuracy(said: ArrayLike, gold: ArrayLike) -> float | None:
    """Mean of the two classes' recalls; None when a class is absent."""
    yes, true = np.asarray(said, bool), np.asarray(gold, bool)
    if true.all() or not true.any():
        return None
    return float((yes[true].mean() + (~yes[~true]).mean()) / 2)


def auroc(scores: ArrayLike, gold: ArrayLike) -> float | None:
    """Chance that a true claim scores above a false one, ties half (Mann–Whitney); None when a class is absent."""
    values, true = np.asarray(scores, np.float64), np.asarray(gold, bool)
    positive, negative = int(true.sum()), int((~true).sum())
    if not positive or not negative:
        return None
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts - 1) / 2
    total = mean_rank[place][true].sum()
    return float((total - positive * (positive + 1) / 2) / (positive * negative))


def brier(confidences: ArrayLike, right: ArrayLike) -> float | None:
    """Mean squared distance of confidence and outcome (Brier 1950); None without claims."""
    sure = np.asarray(confidences, np.float64)
    return float(((sure - np.asarray(right, np.float64)) ** 2).mean()) if len(sure) else None


def reliability(confidences: ArrayLike, right: ArrayLike, bins: int = 10) -> list[tuple[float, float, int]]:
    """(mean confidence, share right, count) for each non-empty bin of equal width over 0..1."""
    sure = np.asarray(confidences, np.float64)
    place = np.minimum(bins - 1, (sure * bins).astype(np.intp))
    counts = np.bincount(place, minlength=bins)
    sums = np.bincount(place, sure, bins), np.bincount(place, np.asarray(right, np.float64), bins)
    return [(float(sums[0][i] / n), float(sums[1][i] / n), int(n)) for i, n in enumerate(counts) if n]


def calibration_error(confidences: ArrayLike, right: ArrayLike, bins: int = 10) -> float | None:
    """Expected calibration error (Naeini et al. 2015): |confidence − share right|, weighted by bin size."""
    rows = reliability(confidences, right, bins)
    total = sum(count for *_, count in rows)
    return sum(count * abs(sure - share) for sure, share, count in rows) / total if total else None


# ---------------------------------------------------------------- inside


def _covered(spans: Sequence[CharSpan]) -> set[int]:
    return {offset for start, end in spans for offset in range(start, end)}


def _holds(boxes: Sequence[Box], x0: float, y0: float, x1: float, y1: float) -> bool:
    return any(b[0] <= x0 and b[1] <= y0 and b[2] >= x1 and b[3] >= y1 for b in boxes)


def _f1(both: int, mine: int, theirs: int) -> float | None:
    return 2 * both / (mine + theirs) if mine + theirs else None


_ARTICLES = re.compile(r"\b(a|an|the)\b")


def _squad(text: str) -> list[str]:
    bare = "".join(c for c in text.lower() if c not in string.punctuation)
    return _ARTICLES.sub(" ", bare).split()
