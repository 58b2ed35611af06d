"""Fit the weights of the order on one half of the documents of every set, and report both halves.

python -m bench.fit_retrieval [--cache DIR]     prints the weights to put into grounded/retrieval/search.py

Coordinate ascent over a coarse grid: each weight in turn takes the value that is best on the first halves, until none
moves; of equally good values the smallest, so that what brings nothing gets nothing. The measure is the mean over the
sets of (hit@1 + recall@5) / 2, for scifact nDCG@10. The weight of the cosine is 1; that of numbered places is not
fitted, for these questions name none.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.retrieval import CACHE, gather_all, measures
from bench.retrieval_sets import SETS, GoldSet, Question
from grounded.retrieval.search import WEIGHTS, Candidate, Signals

FITTED = [name for name in Signals._fields if name not in ("cosine", "place")]
FITTED_ON = ("cuad", "annual", "annual-long", "ntsb", "lookalike", "scifact", "tatqa")
GRID = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.3)
ROUNDS = 4
GAIN = 0.0005  # less is no gain


class Case(NamedTuple):
    """A question with its candidates: their signals and places, in reading order within a document."""

    question: Question
    parts: Sequence[tuple[np.ndarray, Sequence[tuple[str, int]]]]  # one for each sub-question


def main() -> None:
    """Fit, and print weights and figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE)
    halves = [_halves(name, parser.parse_args().cache) for name in FITTED_ON]
    fitted = {name: half for name, (half, _) in zip(FITTED_ON, halves, strict=True)}
    held = {name: half for name, (_, half) in zip(FITTED_ON, halves, strict=True)}
    found = _fit(fitted)
    print(found)
    for label, weights in (("now", WEIGHTS), ("fitted", found)):
        for half, cases in (("fitted half", fitted), ("other half", held)):
            figures = "   ".join(f"{name} {_score(name, cases[name], weights):.3f}" for name in FITTED_ON)
            print(f"{label:8}{half:14}{_mean(cases, weights):.4f}   {figures}")


def _halves(name: str, cache: Path) -> tuple[list[Case], list[Case]]:
    gold = SETS[name](cache)
    groups = sorted({q.group for q in gold.questions})
    first = set(groups[: len(groups) // 2])
    cases = [_case(gold, q, found) for q, found in zip(gold.questions, gather_all(gold), strict=True)]
    return [c for c in cases if c.question.group in first], [c for c in cases if c.question.group not in first]


def _case(gold: GoldSet, question: Question, found: Sequence[Sequence[Candidate]]) -> Case:
    parts = []
    for candidates in found:
        ordered = sorted(candidates, key=lambda c: (c.chunk.document, c.chunk.ordinal))
        places = [(c.chunk.document, 0 if gold.by_document else c.chunk.page) for c in ordered]
        parts.append((np.array([c.signals for c in ordered], np.float32).reshape(-1, len(Signals._fields)), places))
    return Case(question, parts)


def _fit(cases: Mapping[str, Sequence[Case]]) -> Signals:
    best, weights = _mean(cases, WEIGHTS), WEIGHTS
    for _ in range(ROUNDS):
        before = weights
        for name in FITTED:
            tried = [(_mean(cases, w), -getattr(w, name), w) for w in (weights._replace(**{name: v}) for v in GRID)]
            top = max(score for score, _, _ in tried)
            best, _, weights = max((t for t in tried if t[0] >= top - GAIN), key=lambda t: t[1])
        print(f"{best:.4f} {weights}", flush=True)
        if weights == before:
            break
    return weights


def _mean(cases: Mapping[str, Sequence[Case]], weights: Signals) -> float:
    return sum(_score(name, part, weights) for name, part in cases.items()) / len(cases)


def _score(name: str, cases: Sequence[Case], weights: Signals) -> float:
    rows = [measures(case.question, _ranked(case, weights)) for case in cases]
    hit, _, recall, _, gain = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return gain if name == "scifact" else (hit + recall) / 2


def _ranked(case: Case, weights: Signals) -> list[tuple[str, int]]:
    """The places of the candidates, best first, sub-questions dealt in turn."""
    vector = np.array(weights, np.float32)
    orders = [[places[i] for i in np.argsort(-(signals @ vector), kind="stable")] for signals, places in case.parts]
    return [order[i] for i in range(max(map(len, orders), default=0)) for order in orders if i < len(order)]


if __name__ == "__main__":
    main()
