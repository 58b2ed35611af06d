"""A claim beside each sentence of a text: what they share, what each has alone, and what that says.

Each sentence gets two linear scores, 'supports' and 'contradicts', from features of the pair and from learned word
pairs (a word of the claim with a word of the sentence). The best sentences' scores and features go to the calibrated
head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

from grounded.verification.cues import CUES, cues
from grounded.verification.prose import Prose, Statement
from grounded.verification.words import stems

_UNKNOWN_RARITY = 8.0
_CROSSED = ("negation", "must", "may", "never", "only", "all", "some", "up", "down", "same", "if")
_CLAIMED = ("negation", "only", "all", "some", "may", "never", "up", "down", "same")
_AGAINST = ("negation", "must", "may", "never", "only", "all", "some", "open", "except", "up", "down", "same", "if")


@dataclass(frozen=True, slots=True)
class Scorer:
    """The sentence model: rarity of stems in general text, weights of features, weights of word pairs."""

    rarity: Mapping[str, float]
    features: tuple[str, ...]
    supports: tuple[float, ...]
    contradicts: tuple[float, ...]
    bias: tuple[float, float]
    pairs: Mapping[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A sentence with its features and scores (probabilities of being evidence for and against)."""

    statement: Statement
    told: dict[str, float]
    supports: float
    contradicts: float


@lru_cache(maxsize=1)
def scorer() -> Scorer:
    """The shipped sentence model."""
    return parse(json.loads(files("grounded.verification").joinpath("sentences.json").read_text("utf-8")))


def parse(document: Mapping[str, Any]) -> Scorer:
    """A Scorer from the file's JSON."""
    return Scorer(
        document["rarity"], tuple(document["features"]), tuple(document["supports"]), tuple(document["contradicts"]),
        (document["bias"][0], document["bias"][1]), document["pairs"],
    )  # fmt: skip


def without_weights(rarity: Mapping[str, float]) -> Scorer:
    """A model that knows rarities only: what training starts from."""
    return Scorer(rarity, (), (), (), (0.0, 0.0), {})


def align(claim: str, prose: Prose, model: Scorer) -> list[Aligned]:
    """Every sentence of the text beside the claim, in order."""
    pair = _Claim(claim, prose, model.rarity)
    weights = _pair_weights(pair.stems, model)
    aligned = []
    for statement in prose.statements:
        told = pair.features(statement)
        found = [weights[w] for w in statement.stem_set if w in weights]
        scale = sqrt(max(1, len(pair.stems) * len(statement.stem_set)))
        lexical = [sum(w[i] for w in found) / scale for i in (0, 1)]
        aligned.append(_scored(statement, told, lexical, model))
    return aligned


def _scored(statement: Statement, told: dict[str, float], lexical: list[float], model: Scorer) -> Aligned:
    row = [told[name] for name in model.features]
    for_it = model.bias[0] + lexical[0] + sum(w * x for w, x in zip(model.supports, row, strict=True))
    against = model.bias[1] + lexical[1] + sum(w * x for w, x in zip(model.contradicts, row, strict=True))
    told["lexical_supports"], told["lexical_contradicts"] = lexical
    total = 1 + exp(min(30, for_it)) + exp(min(30, against))
    return Aligned(statement, told, exp(min(30, for_it)) / total, exp(min(30, against)) / total)


def _pair_weights(claim_stems: tuple[str, ...], model: Scorer) -> dict[str, tuple[float, float]]:
    """For each word a sentence may have: the sum over the claim's words of the pair's weights."""
    summed: dict[str, list[float]] = {}
    for stem in claim_stems:
        for other, (supports, contradicts) in model.pairs.get(stem, {}).items():
            entry = summed.setdefault(other, [0.0, 0.0])
            entry[0] += supports
            entry[1] += contradicts
    return {word: (entry[0], entry[1]) for word, entry in summed.items()}


class _Claim:
    """The claim's side of the comparison, computed once for all sentences."""

    def __init__(self, claim: str, prose: Prose, rarity: Mapping[str, float]) -> None:
        self.stems = tuple(dict.fromkeys(stems(claim)))
        self.weight = {s: rarity.get(s, _UNKNOWN_RARITY) for s in self.stems}
        self.total = sum(self.weight.values()) or 1.0
        self.bigrams = tuple(pairwise(self.stems))
        self.cues = cues(claim)
        self.prose = prose
        everywhere = frozenset(s for statement in prose.statements for s in statement.stem_set)
        self.nowhere = sum(w for s, w in self.weight.items() if s not in everywhere) / self.total

    def features(self, statement: Statement) -> dict[str, float]:
        """Features of the pair; weighted shares are of the claim's words."""
        own = statement.stem_set
        hit = [s for s in self.stems if s in own]
        missing = [self.weight[s] for s in self.stems if s not in own]
        before = self.prose.statements[statement.index - 1].stem_set if statement.index else frozenset()
        nearby = sum(self.weight[s] for s in self.stems if s in own or s in before)
        told = {
            "covered": sum(self.weight[s] for s in hit) / self.total,
            "covered_nearby": nearby / self.total,
            "rarest_missing": max(missing, default=0.0) / _UNKNOWN_RARITY,
            "missing": len(missing) / max(1, len(self.stems)),
            "bigrams": sum(b in statement.bigrams for b in self.bigrams) / max(1, len(self.bigrams)),
            "order": _in_order(hit, statement.order),
            "length": min(len(own), 60) / 60,
            "place": statement.index / max(1, len(self.prose.statements)),
            "last": float(statement.index == len(self.prose.statements) - 1),
            "first": float(statement.index == 0),
            "nowhere": self.nowhere,
        }
        return told | self._cue_features(statement)

    def _cue_features(self, statement: Statement) -> dict[str, float]:
        said = cues(statement.text)
        told = {f"has_{name}": float(name in said) for name in CUES}
        for name in _CROSSED:
            asked = name in self.cues
            told |= {f"{name}~{other}": float(asked and other in said) for other in _AGAINST}
        told["turned"] = float(
            ("up" in self.cues and "down" not in self.cues and "down" in said and "up" not in said)
            or ("down" in self.cues and "up" not in self.cues and "up" in said and "down" not in said)
        )
        told["negated"] = float(("negation" in self.cues) != ("negation" in said))
        return told


def _in_order(hit: Sequence[str], order: Mapping[str, int]) -> float:
    """Share of neighbouring shared words that stand in the same order in the sentence."""
    places = [order[s] for s in hit]
    if len(places) < 2:
        return 0.5
    return sum(a < b for a, b in pairwise(places)) / (len(places) - 1)


# ---------------------------------------------------------------- the whole text


def features(claim: str, aligned: Sequence[Aligned], model: Scorer) -> dict[str, float]:
    """What the calibrated head is told about claim and text: the best sentences' scores, the best one's features."""
    if not aligned:
        return {}
    pro = sorted((a.supports for a in aligned), reverse=True)
    contra = sorted((a.contradicts for a in aligned), reverse=True)
    best = max(aligned, key=lambda a: a.supports)
    worst = max(aligned, key=lambda a: a.contradicts)
    closest = max(aligned, key=lambda a: a.told["covered"])
    told = {"gap": _logit(pro[0]) - _logit(contra[0]), "same_sentence": float(best is worst)}
    for name, scores in (("pro", pro), ("contra", contra)):
        told[f"{name}_1"] = _logit(scores[0])
        told[f"{name}_2"] = _logit(scores[1] if len(scores) > 1 else 0)
        told[f"{name}_sum"] = _logit(sum(scores[:4]) / 4)
    told |= {"sentences": log(1 + len(aligned)), "known": _known(claim, model)}
    for name in ("covered", "covered_nearby", "rarest_missing", "bigrams", "order", "turned", "negated", "nowhere"):
        told[f"best_{name}"] = best.told[name]
        told[f"closest_{name}"] = closest.told[name]
    for name in ("negation", "open", "except", "only", "may", "never"):
        told[f"worst_has_{name}"] = worst.told[f"has_{name}"]
    said = cues(claim)
    return told | {f"claim_{name}": float(name in said) for name in _CLAIMED}


def _logit(p: float) -> float:
    clipped = min(max(p, 1e-4), 1 - 1e-4)
    return log(clipped / (1 - clipped))


def _known(claim: str, model: Scorer) -> float:
    """Share of the claim's words for which word pairs were learned."""
    own = dict.fromkeys(stems(claim))
    return sum(s in model.pairs for s in own) / max(1, len(own))
