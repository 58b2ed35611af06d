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
from hashlib import sha256
from itertools import pairwise
from math import exp, log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from grounded.verification.cues import CUES, cues
from grounded.verification.prose import Prose, Statement
from grounded.verification.words import stem, stems, tokens

LEARNED = Path(__file__).with_name("learned.json")  # digests of the statements of bench.train_verifier
_ARTICLES = frozenset({"a", "an", "the", "that", "such"})
_UNKNOWN_RARITY = 8.0
_CROSSED = ("negation", "must", "may", "never", "only", "all", "some", "up", "down", "same", "if")
PLAIN = frozenset(
    (
        "covered",
        "covered_nearby",
        "rarest_missing",
        "missing",
        "bigrams",
        "order",
        "length",
        "place",
        "last",
        "first",
        "nowhere",
    )
)
_TURNING = (
    *("negation", "up", "down", "same", "hedge", "finding", "contrast", "aim", "may", "only", "all", "some"),
    *("cause", "relation"),
)
_OF_BEST = ("covered", "covered_nearby", "rarest_missing", "bigrams", "order", "turned", "negated", "nowhere")
_OF_WORST = ("negation", "open", "except", "only", "may", "never")
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


class Aligned(NamedTuple):
    """A sentence with its scores (probabilities of being evidence for and against) and the share of the claim's words
    that it has."""

    statement: Statement
    covered: float
    supports: float
    contradicts: float


def parse(document: Mapping[str, Any]) -> Scorer:
    """A Scorer from the file's JSON."""
    return Scorer(
        document["rarity"], tuple(document["features"]), tuple(document["supports"]), tuple(document["contradicts"]),
        (document["bias"][0], document["bias"][1]), document["pairs"],
    )  # fmt: skip


def without_weights(rarity: Mapping[str, float]) -> Scorer:
    """A model that knows rarities only: what training starts from."""
    return Scorer(rarity, (), (), (), (0.0, 0.0), {})


def align(claim: str, prose: Prose, model: Scorer, among: Sequence[Statement] | None = None) -> list[Aligned]:
    """Every sentence of the text, or some of them, beside the claim, in order."""
    pair = Pair(claim, prose, model.rarity)
    learned = _Learned(pair, model)
    return [learned.aligned(statement) for statement in (prose.statements if among is None else among)]


class _Learned:
    """The model's weights as one claim needs them: a number for each class of cue a sentence may have, and for each
    word of the text."""

    def __init__(self, pair: Pair, model: Scorer) -> None:
        self.pair, self.bias = pair, model.bias
        weights = list(zip(model.features, zip(model.supports, model.contradicts, strict=True), strict=True))
        self.plain = [(name, w) for name, w in weights if name in PLAIN]
        by_name = dict(weights)
        self.cue = {
            cue: _total(
                by_name.get(f"has_{cue}"), *(by_name.get(f"{own}~{cue}") for own in pair.cues if own in _CROSSED)
            )
            for cue in CUES
        }
        self.turned, self.negated = (by_name.get(name, (0.0, 0.0)) for name in ("turned", "negated"))
        self.word = _pair_weights(pair.stems, pair.words, model)

    def aligned(self, statement: Statement) -> Aligned:
        told = self.pair.plain(statement)
        said = cues(statement.text)
        scale = 1 / sqrt(max(1, len(self.pair.stems) * len(statement.stem_set)))
        for_it, against = self.bias
        for name, (supports, contradicts) in self.plain:
            for_it, against = for_it + supports * told[name], against + contradicts * told[name]
        for supports, contradicts in self._of_cues(said):
            for_it, against = for_it + supports, against + contradicts
        for word in statement.stem_set & self.word.keys():
            supports, contradicts = self.word[word]
            for_it, against = for_it + scale * supports, against + scale * contradicts
        total = 1 + exp(min(30, for_it)) + exp(min(30, against))
        return Aligned(statement, told["covered"], exp(min(30, for_it)) / total, exp(min(30, against)) / total)

    def _of_cues(self, said: frozenset[str]) -> list[Weights]:
        turns = [self.turned] * self.pair.turned(said) + [self.negated] * self.pair.negated(said)
        return turns + [self.cue[cue] for cue in said]


Weights = tuple[float, float]


def _total(*weights: Weights | None) -> Weights:
    known = [w for w in weights if w is not None]
    return sum(w[0] for w in known), sum(w[1] for w in known)


def _pair_weights(claim: Sequence[str], words: frozenset[str], model: Scorer) -> dict[str, Weights]:
    """For each word of the text: the sum over the claim's words of the pair's weights."""
    summed: dict[str, Weights] = {}
    for own in claim:
        learned = model.pairs.get(own, {})
        for word in words & learned.keys():
            supports, contradicts = learned[word]
            before = summed.get(word, (0.0, 0.0))
            summed[word] = (before[0] + supports, before[1] + contradicts)
    return summed


class Pair:
    """A claim and a text; what a sentence of the text has in common with the claim."""

    def __init__(self, claim: str, prose: Prose, rarity: Mapping[str, float]) -> None:
        self.stems = tuple(dict.fromkeys(stems(claim)))
        self.weight = {s: rarity.get(s, _UNKNOWN_RARITY) for s in self.stems}
        self.total = sum(self.weight.values()) or 1.0
        self.bigrams = tuple(pairwise(self.stems))
        self.cues = cues(claim)
        self.prose = prose
        self.words = prose.words
        self.nowhere = sum(w for s, w in self.weight.items() if s not in self.words) / self.total

    def covered(self, statement: Statement) -> float:
        """Weighted share of the claim's words that the sentence has."""
        own = statement.stem_set
        return sum(self.weight[s] for s in self.stems if s in own) / self.total

    def plain(self, statement: Statement) -> dict[str, float]:
        """What both share; weighted shares are of the claim's words."""
        own = statement.stem_set
        hit = [s for s in self.stems if s in own]
        missing = [self.weight[s] for s in self.stems if s not in own]
        before = self.prose.statements[statement.index - 1].stem_set if statement.index else frozenset()
        nearby = sum(self.weight[s] for s in self.stems if s in own or s in before)
        return {
            "covered": self.covered(statement),
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

    def features(self, statement: Statement) -> dict[str, float]:
        """Everything the sentence model is told, by name."""
        return self.plain(statement) | self._cue_features(statement)

    def _cue_features(self, statement: Statement) -> dict[str, float]:
        said = cues(statement.text)
        told = {f"has_{name}": float(name in said) for name in CUES}
        for name in _CROSSED:
            asked = name in self.cues
            told |= {f"{name}~{other}": float(asked and other in said) for other in _AGAINST}
        return told | {"turned": float(self.turned(said)), "negated": float(self.negated(said))}

    def turned(self, said: frozenset[str]) -> bool:
        """One says up where the other says down."""
        up, down = ("up" in self.cues, "up" in said), ("down" in self.cues, "down" in said)
        return (up, down) in (((True, False), (False, True)), ((False, True), (True, False)))

    def negated(self, said: frozenset[str]) -> bool:
        """One has a negation, the other has none."""
        return ("negation" in self.cues) != ("negation" in said)


def _in_order(hit: Sequence[str], order: Mapping[str, int]) -> float:
    """Share of neighbouring shared words that stand in the same order in the sentence."""
    places = [order[s] for s in hit]
    if len(places) < 2:
        return 0.5
    return sum(a < b for a, b in pairwise(places)) / (len(places) - 1)


# ---------------------------------------------------------------- the whole text


def features(claim: str, prose: Prose, aligned: Sequence[Aligned], model: Scorer) -> dict[str, float]:
    """What the calibrated head is told about claim and text: the best sentences' scores, the best one's features."""
    if not aligned:
        return {}
    pair = Pair(claim, prose, model.rarity)
    pro = sorted((a.supports for a in aligned), reverse=True)
    contra = sorted((a.contradicts for a in aligned), reverse=True)
    best, worst = max(aligned, key=lambda a: a.supports), max(aligned, key=lambda a: a.contradicts)
    closest = max(aligned, key=lambda a: a.covered)
    told = {"gap": _logit(pro[0]) - _logit(contra[0]), "same_sentence": float(best is worst)}
    for name, scores in (("pro", pro), ("contra", contra)):
        told[f"{name}_1"] = _logit(scores[0])
        told[f"{name}_2"] = _logit(scores[1] if len(scores) > 1 else 0)
        told[f"{name}_sum"] = _logit(sum(scores[:4]) / 4)
    told |= {"sentences": log(1 + len(aligned)), "known": _known(claim, model)}
    for name, sentence in (("best", best), ("closest", closest)):
        own = pair.features(sentence.statement)
        told |= {f"{name}_{key}": own[key] for key in _OF_BEST}
    against = cues(worst.statement.text)
    told |= {f"worst_has_{name}": float(name in against) for name in _OF_WORST}
    return told | {f"claim_{name}": float(name in pair.cues) for name in _CLAIMED}


def open_features(claim: str, prose: Prose, model: Scorer) -> dict[str, float]:
    """What the head for unfamiliar claims is told: nothing learned about single words, only what the closest two
    sentences share with the claim and how they turn it."""
    pair = Pair(claim, prose, model.rarity)
    ranked = sorted(prose.statements, key=lambda s: -pair.plain(s)["covered"])
    closest, second = ranked[0], ranked[min(1, len(ranked) - 1)]
    told = {f"closest_{name}": value for name, value in pair.plain(closest).items()}
    said = cues(closest.text)
    both = closest.stem_set | second.stem_set
    told |= {f"closest_has_{name}": float(name in said) for name in _TURNING}
    told |= {f"claim_{name}": float(name in pair.cues) for name in _TURNING}
    return told | {
        "second_covered": pair.plain(second)["covered"],
        "two_covered": sum(w for s, w in pair.weight.items() if s in both) / pair.total,
        "turned": float(pair.turned(said)),
        "negated": float(pair.negated(said)),
        "words": float(len(pair.stems)),
        "numbers_missing": float(sum(s not in prose.words for s in pair.stems if s[0].isdigit())),
    }


def mark(claim: str) -> str:
    """A digest of a claim's words in order, articles left out, by which a learned statement is known again."""
    words = (stem(word) for word in tokens(claim.casefold()) if word not in _ARTICLES)
    return sha256(" ".join(words).encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _learned() -> frozenset[str]:
    return frozenset(json.loads(LEARNED.read_text("utf-8")))


def is_learned(claim: str) -> bool:
    """Whether the heads saw this very statement beside many texts. One word more or less makes it another one, of
    which they know nothing: they were never told what 'not' or 'all' does to it."""
    return mark(claim) in _learned()


def _logit(p: float) -> float:
    clipped = min(max(p, 1e-4), 1 - 1e-4)
    return log(clipped / (1 - clipped))


def _known(claim: str, model: Scorer) -> float:
    """Share of the claim's words for which word pairs were learned."""
    own = dict.fromkeys(stems(claim))
    return sum(s in model.pairs for s in own) / max(1, len(own))
