"""The small calibrated models: additive trees and linear ones read from `models.json`, evaluated without any library.

A head maps named features to class probabilities: raw score of a class = its base + the sum of its trees' leaves, or of
its weights times the features, then softmax (one score and a sigmoid for two classes). A tree is a leaf (number) or
[feature index, threshold, left, right]; left is taken when feature <= threshold. A head may be the mean of several.
`bench/train_verifier.py` fits and writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Protocol

Tree = float | list[Any]


class Head(Protocol):
    """What gives class probabilities for named features; a feature that is not told counts 0."""

    def probabilities(self, told: Mapping[str, float]) -> dict[str, float]: ...


@dataclass(frozen=True, slots=True)
class Scored:
    """One model: its features in order, and base, weights and trees of each raw score."""

    features: tuple[str, ...]
    classes: tuple[str, ...]
    bases: tuple[float, ...]
    trees: tuple[tuple[Tree, ...], ...]
    weights: tuple[tuple[float, ...], ...]

    def probabilities(self, told: Mapping[str, float]) -> dict[str, float]:
        """By softmax, or a sigmoid."""
        row = [told.get(name, 0.0) for name in self.features]
        scores = [
            base + sum(_leaf(tree, row) for tree in trees) + sum(w * x for w, x in zip(weights, row, strict=False))
            for base, trees, weights in zip(self.bases, self.trees, self.weights, strict=True)
        ]
        if len(scores) == 1:
            positive = 1 / (1 + exp(-max(-30.0, min(30.0, scores[0]))))
            return {self.classes[0]: 1 - positive, self.classes[1]: positive}
        top = max(scores)
        raised = [exp(score - top) for score in scores]
        return {name: value / sum(raised) for name, value in zip(self.classes, raised, strict=True)}


@dataclass(frozen=True, slots=True)
class Mean:
    """Several models that are asked together."""

    heads: tuple[Head, ...]

    def probabilities(self, told: Mapping[str, float]) -> dict[str, float]:
        """The mean of what they say."""
        said = [head.probabilities(told) for head in self.heads]
        return {name: sum(each[name] for each in said) / len(said) for name in said[0]}


def _leaf(tree: Tree, row: Sequence[float]) -> float:
    while isinstance(tree, list):
        feature, threshold, left, right = tree
        tree = left if row[feature] <= threshold else right
    return tree


def parse(document: Mapping[str, Any]) -> dict[str, Head]:
    """Heads from the file's JSON."""
    return {name: _head(head) for name, head in document["heads"].items()}


def _head(head: Mapping[str, Any]) -> Head:
    if "mean" in head:
        return Mean(tuple(map(_head, head["mean"])))
    bases = tuple(head["bases"])
    trees, weights = (tuple(map(tuple, head.get(kind, [()] * len(bases)))) for kind in ("trees", "weights"))
    return Scored(tuple(head["features"]), tuple(head["classes"]), bases, trees, weights)
