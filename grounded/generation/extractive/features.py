"""What the span ranker looks at: a candidate's own words, where the question's words stand around it, its form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.generation.extractive.asking import Asking
from grounded.generation.extractive.candidates import SORTS, Token
from grounded.generation.extractive.words import is_stop

Matrix = NDArray[np.float32]
NEAR = 4.0  # words at which a word of the question counts half for a span
HEAD = 5  # letters that two words must share to be taken for one
ALIKE = 0.7  # of a word's weight, when only its head is met
UNSEEN = 1.0  # weight of a word that no sentence holds
CODES = (*SORTS, "edge")
_CODE = {sort: i for i, sort in enumerate(CODES)}
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d$")
_MONTH = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)$", re.IGNORECASE
)
_CAUSE = frozenset(("because", "since", "due", "to", "by", "in", "order", "from"))
_PLACED = frozenset(("in", "at", "near", "from"))
_IS = frozenset(("is", "was", "are", "were", "called", "as"))


class Passage(NamedTuple):
    """A sentence with the weight of each word of the question there, and how it stands among the other sentences."""

    found: Sequence[Token]
    weights: Mapping[str, float]  # of each word of the question
    coverage: float  # share of the question's weight in the sentence
    lead: float  # coverage less that of the best sentence
    around: float  # share in the sentences beside it
    held: Mapping[str, float]  # share of the sentences that hold a word


class Rows(NamedTuple):
    """The candidates of a sentence as the model sees them: numbers (n, d), and the sorts (n, 4) of the first and last
    word and of the words before and behind."""

    numbers: Matrix
    sorts: NDArray[np.int64]


def features(asked: Asking, passage: Passage, candidates: Sequence[tuple[int, int]]) -> Rows:
    """One row for each candidate span of the sentence."""
    told = _Told(asked, passage)
    numbers = [[*told.shared, *told.own(i, j), *told.nearby(i, j), *told.fit(i, j)] for i, j in candidates]
    return Rows(np.asarray(numbers, np.float32), np.asarray([told.edges(i, j) for i, j in candidates], np.int64))


class _Told:
    """Token-level facts of one passage, then one row for each span."""

    def __init__(self, asked: Asking, passage: Passage) -> None:
        self.asked, self.passage, self.found = asked, passage, passage.found
        self.sorts = [t.sort for t in self.found]
        self.matched = [self._match(t) for t in self.found]
        self.content = [t.sort != "punct" and not is_stop(t.stem) for t in self.found]
        self.common = [passage.held.get(t.stem, 0.0) for t in self.found]
        self.at = [i for i, w in enumerate(self.matched) if w]
        self.breaks = np.concatenate(([0], np.cumsum([t.text in ",;:()" for t in self.found])))
        self.verb = [i for i, t in enumerate(self.found) if asked.verb and t.stem == asked.verb]
        self.noun = [i for i, t in enumerate(self.found) if asked.noun and t.stem == asked.noun]
        self.total = sum(self.matched) or 1.0
        self.shared = (passage.coverage, passage.lead, passage.around, float(len(self.found)))

    def _match(self, token: Token) -> float:
        weights = self.passage.weights
        if token.stem in weights:
            return weights[token.stem]
        if len(token.stem) < HEAD:
            return 0.0
        head = token.stem[:HEAD]
        return ALIKE * max((w for stemmed, w in weights.items() if stemmed[:HEAD] == head), default=0.0)

    def edges(self, i: int, j: int) -> list[int]:
        """Sorts of the first and last word of a span, and of its neighbours."""
        around = (self.sorts[i - 1] if i else "edge", self.sorts[j] if j < len(self.found) else "edge")
        return [_CODE[sort] for sort in (self.sorts[i], self.sorts[j - 1], *around)]

    def own(self, i: int, j: int) -> list[float]:
        """What the span is made of."""
        inner = self.sorts[i:j]
        size = j - i
        content = sum(self.content[i:j]) or 1
        return [
            float(size), inner.count("name") / size, inner.count("number") / size, inner.count("word") / size,
            float(inner.count("verb")), float(inner.count("prep")), float(inner.count("conj")),
            float(inner.count("punct")), float("aux" in inner), float("pron" in inner),
            float(i == 0), float(j == len(self.found)), i / len(self.found),
            sum(w > 0 for w in self.matched[i:j]) / content, sum(self.matched[i:j]),
            float(not any(self.content[i:j])), sum(self.common[i:j]) / size, max(self.common[i:j]),
            inner.count("quant") / size, float(self.found[j - 1].stem == self.asked.noun),
            float(any(t.text.isupper() and len(t.text) > 1 for t in self.found[i:j])),
        ]  # fmt: skip

    def nearby(self, i: int, j: int) -> list[float]:
        """Where the question's words stand around the span."""
        left = [(i - p, self.matched[p], p) for p in self.at if p < i]
        right = [(p - j + 1, self.matched[p], p) for p in self.at if p >= j]
        close = [sum(w / (1 + d / NEAR) for d, w, _ in side) for side in (left, right)]
        nearest = [min((d for d, _, _ in side), default=30) for side in (left, right)]
        cut = [
            float(self.breaks[i] - self.breaks[left[-1][2]]) if left else 9.0,
            float(self.breaks[right[0][2]] - self.breaks[j]) if right else 9.0,
        ]
        share = sum(w for _, w, _ in left) / self.total
        verb = min((abs(v - i) if v < i else v - j + 1 for v in self.verb if not i <= v < j), default=30)
        after = float(any(v >= j for v in self.verb))
        window = [sum(w for d, w, _ in side if d <= 3) for side in (left, right)]
        return [
            *close, sum(close), *map(float, nearest), *cut, share, float(verb), after, after * self.asked.subject,
            *window, share if self.asked.subject else 1 - share,
        ]  # fmt: skip

    def fit(self, i: int, j: int) -> list[float]:
        """Whether the span has the form asked for."""
        inner = self.found[i:j]
        text = [t.text for t in inner]
        year = any(_YEAR.match(t) for t in text)
        month = any(_MONTH.match(t) for t in text)
        number = any(t.sort == "number" for t in inner)
        name = any(t.sort == "name" for t in inner)
        before = self.found[i - 1].text.casefold() if i else ""
        noun_after = min((n - j for n in self.noun if n >= j), default=20)
        noun_before = min((i - n for n in self.noun if n < i), default=20)
        kind = self.asked.kind
        good = {"time": year or month, "number": number, "thing": True}.get(kind, name)
        return [
            float(good) if kind != "thing" else 0.5, float(good and not sum(self.matched[i:j])),
            float(year), float(month), float(any(c in "$€£%" for t in text for c in t)), float(number and not year),
            float(name), float(noun_after), float(noun_before), float(any(i <= n < j for n in self.noun)),
            float(kind == "time" and (year or month)), float(kind == "number" and number),
            float(kind in ("person", "place", "group") and name), float(before in _CAUSE),
            float(before == "by"), float(before in _PLACED), float(before in _IS),
            float(i > 0 and self.found[i - 1].text in ",(" and (j == len(self.found) or self.found[j].text in ",).;")),
            float(text[0].casefold() in ("the", "a", "an")),
        ]  # fmt: skip


def weighted(asked: Asking, sentences: Sequence[Collection[str]]) -> dict[str, float]:
    """How much each word of the question counts, 0..1: more the fewer sentences (as stems) hold it."""
    count = {word: sum(word in stems for stems in sentences) for word in asked.words}
    rarest = np.log(1 + len(sentences) / 1.5)
    return {w: float(np.log(1 + len(sentences) / (0.5 + n)) / rarest) if n else UNSEEN for w, n in count.items()}


def passages(weights: Mapping[str, float], sentences: Sequence[Sequence[Token]]) -> list[Passage]:
    """The sentences with how much of the question each holds."""
    coverage = [_coverage(weights, found) for found in sentences]
    best = max(coverage, default=0.0)
    shared = Counter(stemmed for found in sentences for stemmed in {t.stem for t in found})
    held = {stemmed: n / len(sentences) for stemmed, n in shared.items()}
    padded = [0.0, *coverage, 0.0]
    return [
        Passage(found, weights, share, share - best, max(padded[i], padded[i + 2]), held)
        for i, (found, share) in enumerate(zip(sentences, coverage, strict=True))
    ]


def _coverage(weights: Mapping[str, float], found: Sequence[Token]) -> float:
    stems = {t.stem for t in found}
    heads = {stemmed[:HEAD] for stemmed in stems if len(stemmed) >= HEAD}
    held = sum(v if w in stems else ALIKE * v * (w[:HEAD] in heads) for w, v in weights.items())
    return held / (sum(weights.values()) or 1.0)
