"""Kinds of contract clauses: which one a question asks for, and how much a sentence reads like one.

`clauses.json` holds, for each of 41 kinds (the questions of CUAD v1, CC BY 4.0), a logistic regression over the stems
and stem pairs of a sentence. It is made by `python -m bench.train_clauses`, from contracts only. `clause_words.json`,
written by hand, holds plain wordings of the questions.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from grounded.generation.extractive.words import stem, terms

BRIEF_WORDS = 6
LIKE = 0.6  # likeness of a question and a kind's own question from which it is that kind
_CONTRACT = re.compile(r"\b(?:agreement|contract|lease|license|amendment)\b", re.IGNORECASE)
_REPORT = re.compile(r"\b(?:annual|quarterly) report\b|\bform 10-[kq]\b|\bfact ?sheet\b", re.IGNORECASE)
_SAME = {stem(word): stem("contract") for word in ("agreement", "lease")}


class Kind(NamedTuple):
    """A kind of clause: its name, the question it answers, the stems of both and of plain wordings of it, its usual
    length in words, the likelihood of a contract's best sentence below which it is taken to be missing, its model."""

    name: str
    asks: str
    titles: tuple[frozenset[str], ...]
    words: int
    least: float
    bias: float
    weights: Mapping[str, float]

    @property
    def brief(self) -> bool:
        """Whether a date or a name answers it, not a sentence."""
        return self.words <= BRIEF_WORDS

    def likelihood(self, stems: Sequence[str]) -> float:
        """How likely a sentence with these stems is such a clause, 0..1."""
        found = features(stems)
        total = self.bias
        if found:
            total += sum(self.weights.get(f, 0.0) for f in found) / math.sqrt(len(found))
        return 1 / (1 + math.exp(-total))


def features(stems: Sequence[str]) -> frozenset[str]:
    """What a sentence is judged by: its stems and pairs of neighbours."""
    return frozenset(stems) | {f"{a} {b}" for a, b in pairwise(stems)}


def kind_of(question: str) -> Kind | None:
    """The kind of clause a question asks for; None when it asks for none of them."""
    kinds, rarity = _model()
    asked = _said(question)
    likeness, best = max(
        ((max(_likeness(asked, title, rarity) for title in kind.titles), kind) for kind in kinds),
        key=lambda rated: rated[0],
    )
    return best if likeness >= LIKE else None


def is_contract(head: str) -> bool:
    """Whether a document that begins like this may be a contract."""
    return bool(_CONTRACT.search(head)) and not _REPORT.search(head)


def _said(text: str) -> frozenset[str]:
    """The stems of a question; an agreement is a contract."""
    return frozenset(_SAME.get(t, t) for t in terms(text))


def _likeness(asked: frozenset[str], asks: frozenset[str], rarity: Mapping[str, float]) -> float:
    """Cosine of the two sets of stems, weighted by rarity among the kinds; a stem no kind has weighs as the rarest."""
    most = max(rarity.values(), default=1.0)
    shared = sum(rarity.get(t, most) ** 2 for t in asked & asks)
    sizes = (sum(rarity.get(t, most) ** 2 for t in side) for side in (asked, asks))
    return shared / math.sqrt(math.prod(sizes)) if shared else 0.0


@lru_cache(maxsize=1)
def _model() -> tuple[tuple[Kind, ...], Mapping[str, float]]:
    folder = files("grounded.generation.extractive")
    entries, plain = (
        json.loads((folder / name).read_text(encoding="utf-8")) for name in ("clauses.json", "clause_words.json")
    )
    kinds = tuple(
        Kind(
            e["kind"],
            e["asks"],
            tuple(_said(text) for text in (e["kind"], e["asks"], *plain.get(e["kind"], ()))),
            e["words"],
            e["least"],
            e["bias"],
            e["weights"],
        )
        for e in entries
    )
    counts = Counter(t for kind in kinds for t in frozenset().union(*kind.titles))
    return kinds, {t: math.log(1 + len(kinds) / n) for t, n in counts.items()}
