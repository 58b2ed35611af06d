"""Which phrase of a passage answers a question: a log-linear model over features of the two, and over what an encoder
that has read question and passage together makes of each word.

`spans.npz` holds the weights; `python -m bench.train_reader` makes it and prints what they reach on held-back
documents.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grounded.generation.extractive.asking import FORMS, KINDS, Asking, asking
from grounded.generation.extractive.candidates import spans, tokens
from grounded.generation.extractive.features import CODES, Matrix, Rows, features, passages, weighted
from grounded.types import CharSpan

SENTENCES = 4  # of a passage, those that hold most of the question, whose phrases are tried
ALIKE = 0.5  # of two candidates' characters together, from which they are taken for one answer
CLIP = 4.0  # standard deviations at which a feature is cut
GROUPS = len(FORMS) + len(KINDS)
Vector = NDArray[np.float64]


class Pair(NamedTuple):
    """A question and a passage read together. offsets: (n, 2) character spans of the passage's word pieces; states:
    (n, 816), what the encoder makes of each, and how it and the question attend to each other."""

    offsets: NDArray[np.int64]
    states: Matrix


class Pairs(Protocol):
    """Reads a question and a passage together."""

    def read(self, question: str, passage: str) -> tuple[NDArray[np.int64], Matrix]:
        """A Pair."""
        ...


class Candidates(NamedTuple):
    """The phrases of a passage that may answer. groups: which of FORMS and KINDS the question is of; coverage: share of
    the question that the best sentence holds; unseen: share that no sentence of the context holds; missing: 1.0 when a
    name or number of the question stands in none."""

    spans: list[CharSpan]
    rows: Rows
    groups: tuple[int, int]
    coverage: float
    unseen: float
    missing: float


class Ranking(NamedTuple):
    """The candidate spans of a passage with their log-probabilities; confident: how likely it is that one answers."""

    spans: list[CharSpan]
    scores: Vector
    confident: float

    def support(self, index: int) -> float:
        """The probability of a candidate and of those that are mostly the same words: "the committee" and "committee"
        do not speak against each other."""
        start, end = self.spans[index]
        firsts, lasts = np.asarray(self.spans).T
        shared = np.minimum(lasts, end) - np.maximum(firsts, start)
        alike = shared >= ALIKE * (np.maximum(lasts, end) - np.minimum(firsts, start))
        return float(np.exp(self.scores[alike]).sum())


def candidates(
    question: str, passage: str, sentences: Sequence[CharSpan], context: Sequence[Collection[str]]
) -> Candidates | None:
    """The phrases of a passage's best sentences. context: the stems of every sentence that could answer, by which the
    question's words are weighed. None when there is no phrase."""
    asked = asking(question)
    read = [tokens(passage[start:end]) for start, end in sentences]
    weights = weighted(asked, context)
    told = passages(weights, read)
    unseen = {word for word in asked.words if not any(word in stems for stems in context)}
    found: list[CharSpan] = []
    rows: list[Rows] = []
    for index in sorted(range(len(told)), key=lambda i: -told[i].coverage)[:SENTENCES]:
        phrases, base = spans(read[index]), sentences[index][0]
        if phrases:
            rows.append(features(asked, told[index], phrases))
            found += [(base + read[index][i].start, base + read[index][j - 1].end) for i, j in phrases]
    if not found:
        return None
    joined = Rows(np.concatenate([r.numbers for r in rows]), np.concatenate([r.sorts for r in rows]))
    lost = sum(weights[word] for word in unseen) / (sum(weights.values()) or 1.0)
    return Candidates(
        found, joined, _groups(asked), max(p.coverage for p in told), lost, float(bool(unseen & asked.exact))
    )


class Model(NamedTuple):
    """mean, scale: (d,) of the numbers. base: (2 d + s,) weights of the numbers, of what is above average in them, and
    of the sorts. cross: (groups, d + s) the same by form and kind of question. start, end: (816,) directions in the
    encoder's states; blend: their weight beside the features. judge: (6,) weights of the evidence and a bias."""

    mean: Matrix
    scale: Matrix
    base: Matrix
    cross: Matrix
    start: Matrix
    end: Matrix
    blend: float
    judge: Matrix

    def rank(self, found: Candidates, pair: Pair | None) -> Ranking:
        """The candidates scored."""
        scores = log_softmax(self.linear(found))
        if pair is not None and len(pair.offsets):
            scores = log_softmax(scores + self.blend * self.edges(found.spans, pair))
        sure = np.append(evidence(found, scores), 1.0) @ self.judge
        return Ranking(found.spans, scores, float(1 / (1 + np.exp(-sure))))

    def linear(self, found: Candidates) -> Vector:
        """Scores by the features alone."""
        base, cross = expand(found.rows, self.mean, self.scale)
        total: Vector = base @ self.base + cross @ self.cross[list(found.groups)].sum(axis=0)
        return total

    def edges(self, found: Sequence[CharSpan], pair: Pair) -> Vector:
        """Log-probabilities of each span's first and last word piece, added."""
        first, last = pieces(found, pair.offsets)
        start, end = log_softmax(pair.states @ self.start), log_softmax(pair.states @ self.end)
        return start[first] + end[last]


def evidence(found: Candidates, scores: Vector) -> list[float]:
    """What the judge of a passage looks at."""
    own = float(found.rows.numbers[int(scores.argmax()), 0])
    return [found.coverage, float(scores.max()), own, found.unseen, found.missing]


def expand(rows: Rows, mean: Matrix, scale: Matrix) -> tuple[Matrix, Matrix]:
    """(base, cross): numbers in standard deviations, their positive parts, and the sorts as flags."""
    z = np.clip((rows.numbers - mean) / scale, -CLIP, CLIP)
    flags = (rows.sorts[:, :, None] == np.arange(len(CODES))).reshape(len(rows.sorts), -1).astype(np.float32)
    return np.concatenate([z, np.maximum(z, 0), flags], axis=1), np.concatenate([z, flags], axis=1)


def pieces(found: Sequence[CharSpan], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The word pieces in which spans begin and end."""
    edges = np.asarray(found, np.int64)
    first = np.searchsorted(offsets[:, 1], edges[:, 0], side="right")
    last = np.searchsorted(offsets[:, 0], edges[:, 1], side="left") - 1
    top = len(offsets) - 1
    return np.clip(first, 0, top), np.clip(last, 0, top)


def log_softmax(scores: NDArray[np.floating]) -> Vector:
    """Log-probabilities over all."""
    shifted = np.asarray(scores, np.float64) - scores.max()
    result: Vector = shifted - np.log(np.exp(shifted).sum())
    return result


@lru_cache(maxsize=1)
def model() -> Model:
    """The trained weights."""
    with (files("grounded.generation.extractive") / "spans.npz").open("rb") as file, np.load(file) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return Model(**{name: value if value.ndim else value.item() for name, value in arrays.items()})


def _groups(asked: Asking) -> tuple[int, int]:
    return FORMS.index(asked.form), len(FORMS) + KINDS.index(asked.kind)
