"""The small calibrated models: additive trees read from `models.json`, evaluated without any library.

A head maps named features to class probabilities: raw score of a class = its base + the sum of its trees' leaves, then
softmax (one score and a sigmoid for two classes). A tree is a leaf (number) or [feature index, threshold, left, right];
left is taken when feature <= threshold. `bench/train_verifier.py` fits and writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

Tree = float | list[Any]


@dataclass(frozen=True, slots=True)
class Head:
    """One model: its features in order, and base score and trees of each raw score."""

    features: tuple[str, ...]
    classes: tuple[str, ...]
    bases: tuple[float, ...]
    trees: tuple[tuple[Tree, ...], ...]

    def probabilities(self, told: Mapping[str, float]) -> dict[str, float]:
        """Class probabilities for named features; a feature that is not told counts 0."""
        row = [told.get(name, 0.0) for name in self.features]
        scores = [
            base + sum(_leaf(tree, row) for tree in trees) for base, trees in zip(self.bases, self.trees, strict=True)
        ]
        if len(scores) == 1:
            positive = 1 / (1 + exp(-max(-30.0, min(30.0, scores[0]))))
            return {self.classes[0]: 1 - positive, self.classes[1]: positive}
        top = max(scores)
        raised = [exp(score - top) for score in scores]
        return {name: value / sum(raised) for name, value in zip(self.classes, raised, strict=True)}


def _leaf(tree: Tree, row: Sequence[float]) -> float:
    while isinstance(tree, list):
        feature, threshold, left, right = tree
        tree = left if row[feature] <= threshold else right
    return tree


def parse(document: Mapping[str, Any]) -> dict[str, Head]:
    """Heads from the file's JSON."""
    return {
        name: Head(tuple(h["features"]), tuple(h["classes"]), tuple(h["bases"]), tuple(map(tuple, h["trees"])))
        for name, h in document["heads"].items()
    }
