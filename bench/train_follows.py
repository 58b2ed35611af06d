"""Fit the linear layer that says whether a claim follows from a passage, and write grounded/verification/follows.npz.

    python -m bench.train_follows [--cache FILE] [--folds]      (some eight minutes of one core; needs scikit-learn)

Fitted on claims that nobody had to write (bench/made_claims.py: from abstracts, from answered questions) and on
SciFact's. --folds prints figures on each fold of the documents by a layer that saw nothing of it.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bench import claims as sets
from bench.made_claims import Made, from_abstracts, from_questions
from bench.train_verifier import CLASSES, Fit, examine
from grounded.evaluation.sets import FOLDS, fold_of
from grounded.retrieval.pairs import load_pairs
from grounded.verification import align, follows
from grounded.verification.align import Aligned, Scorer
from grounded.verification.models import Models, load
from grounded.verification.prose import read_prose

_KEPT = 500  # pairs after which the cache is written
WEIGHT = 4.0  # of a claim that people wrote and judged, against a made one
PENALTY = 5e-4  # inverse strength of the ridge
SHARES = np.array([0.25, 0.5, 0.25])  # of the classes: a claim is as likely supported as not


class Told(NamedTuple):
    """What the layer is fitted on: states (claims, width), class indices, weights, folds (-1: of no measured set)."""

    states: Any
    labels: Any
    weights: Any
    folds: Any


class Reading:
    """What the encoder says of claims beside their passages, kept between runs."""

    def __init__(self, cache: Path | None) -> None:
        self.cache = cache
        self.known: dict[tuple[str, str], Any] = pickle.loads(cache.read_bytes()) if cache and cache.is_file() else {}

    def read(self, claim: str, aligned: Sequence[Aligned]) -> Any:
        """(width,)"""
        key = (claim, follows.passage(aligned))
        if key not in self.known:
            self.known[key] = follows.pooled(*load_pairs().states(*key))
            if self.cache and len(self.known) % _KEPT == 0:
                self.keep()
        return self.known[key]

    def keep(self) -> None:
        if self.cache:
            self.cache.write_bytes(pickle.dumps(self.known))


def read_made(made: Sequence[Made], scorer: Scorer, reading: Reading) -> Told:
    """Made claims, each class with its share of their weight."""
    found = [(m, align.align(m.claim, read_prose(m.text, "."), scorer)) for m in made]
    kept = [(m, aligned) for m, aligned in found if aligned]
    states = np.array([reading.read(m.claim, aligned) for m, aligned in kept])
    labels = np.array([m.label for m, _ in kept])
    folds = np.array([fold_of(m.group) if m.group else -1 for m, _ in kept])
    return Told(states, labels, weights_of(labels), folds)


def read_judged(cases: Sequence[sets.Case], models: Models, reading: Reading) -> Told:
    """Claims that people wrote and judged, as the verifier sees them."""
    found = [examine(case, models) for case in cases]
    labels = np.array([CLASSES.index(case.label) for case in cases])
    states = np.array([reading.read(e.claim, e.aligned) for e in found])
    return Told(states, labels, WEIGHT * weights_of(labels), np.array([case.fold for case in cases]))


def weights_of(labels: Any) -> Any:
    """A weight for each claim: each class has its share of the whole."""
    return len(labels) * SHARES[labels] / np.bincount(labels, minlength=len(CLASSES))[labels]


def fit(*parts: Told) -> tuple[Any, Any]:
    """Weights and bias for states as they come: the standardisation is worked into them."""
    table, labels, weights = (
        np.vstack([p.states for p in parts]),
        *(np.concatenate([part[i] for part in parts]) for i in (1, 2)),
    )
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    model = LogisticRegression(C=PENALTY, max_iter=400, tol=1e-3)
    model.fit((table - mean) / spread, labels, sample_weight=weights)
    scaled = (model.coef_ / spread).T
    return scaled.astype(np.float32), (model.intercept_ - mean @ scaled).astype(np.float32)


def without(told: Told, fold: int) -> Told:
    """What is not on the documents of a fold."""
    return Told(*(array[told.folds != fold] for array in told))


def held_out(made: Sequence[Told], judged: Told, chosen_on: Any) -> None:
    """Figures on the judged claims, each by a layer that saw no claim on its document: all of them, and those of the
    half (chosen_on, a mask) that settings are chosen on."""
    scores = np.zeros((len(judged.labels), len(CLASSES)))
    for fold in range(FOLDS):
        weights, bias = fit(*(without(part, fold) for part in (*made, judged)))
        scores[judged.folds == fold] = judged.states[judged.folds == fold] @ weights + bias
    for name, part in (("all", chosen_on | True), ("half for choosing", chosen_on)):
        _print(name, scores[part], judged.labels[part])


def _print(name: str, scores: Any, labels: Any) -> None:
    chance = np.exp(scores - scores.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    says, true, stated = chance[:, 1] >= 0.5, labels == 1, labels > 0
    balanced = (says[true].mean() + (~says[~true]).mean()) / 2
    areas = (
        roc_auc_score(true, chance[:, 1]),
        roc_auc_score(stated, 1 - chance[:, 0]),
        roc_auc_score(true[stated], (scores[:, 1] - scores[:, 2])[stated]),
    )
    print(f"{name}, {len(labels)} held-back claims: balanced accuracy {balanced:.3f}; "
          f"area under the curve, support {areas[0]:.3f}, "
          f"stated {areas[1]:.3f}, supported against contradicted {areas[2]:.3f}")  # fmt: skip


def train(into: Fit, cache: Path | None = None, folds: bool = False) -> None:
    """Read, fit, and write the file. cache: where what the encoder read is kept; folds: print held-back figures."""
    models, reading, cases = load(into.home), Reading(cache), list(sets.scifact())
    judged = read_judged(cases, models, reading)
    made = [read_made(claims, models.scorer, reading) for claims in (from_abstracts(), from_questions())]
    reading.keep()
    if folds:
        held_out(made, judged, np.array([case.chosen_on for case in cases]))
    parts = [without(part, into.without) for part in (*made, judged)]
    weights, bias = fit(*parts)
    target = into.home / "follows.npz"
    np.savez_compressed(target, weights=weights, bias=bias)
    told = sum(len(part.labels) for part in parts)
    print(f"{told} claims -> {target.name}, {target.stat().st_size / 1e3:.0f} kB")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.train_follows", description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=Path, help="file to keep what the encoder read in")
    parser.add_argument("--folds", action="store_true", help="print figures on held-back documents as well")
    arguments = parser.parse_args()
    train(Fit(), arguments.cache, arguments.folds)


if __name__ == "__main__":
    main()
