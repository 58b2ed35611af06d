"""Fit the linear layer that says whether a claim follows from a passage, and write grounded/verification/follows.npz.

    python -m bench.train_follows [--cache FILE] [--folds]      (some five minutes of one core; needs scikit-learn)

Claims that nobody had to write: titles and conclusions of abstracts, which the rest of the abstract supports; the same
with one word turned, which it contradicts; and another abstract on the same subject, which says nothing of them. Only
abstracts that no claim of SciFact cites are used, and beside them the claims of the fitting half. --folds prints
figures on documents of the fitting half that were held back, five times a fifth.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from bench import claims as sets
from bench.claims import rows
from bench.train_verifier import CLASSES, HOME, examine, fitting
from grounded.retrieval.pairs import load_pairs
from grounded.verification import align, follows
from grounded.verification.align import Aligned, Scorer
from grounded.verification.models import Models, load
from grounded.verification.prose import read_prose
from grounded.verification.words import stems

TARGET = HOME / "follows.npz"
FOLDS = 5
_KEPT = 500  # pairs after which the cache is written
MADE = 4000  # claims, of some 6,700 that could be made; the others add little
WEIGHT = 4.0  # of a claim that people wrote and judged, against a made one
PENALTY = 5e-4  # inverse strength of the ridge
SHARES = np.array([0.25, 0.5, 0.25])  # of the classes: a claim is as likely supported as not

# words that turn a finding into its opposite, both ways
_TURNS = """
increases=decreases increased=decreased increase=decrease increasing=decreasing higher=lower high=low promotes=inhibits
promote=inhibit promoted=inhibited activates=represses activation=inhibition activated=inhibited improves=worsens
improved=worsened improve=worsen improvement=worsening enhances=impairs enhanced=impaired enhance=impair more=less
greater=smaller upregulated=downregulated upregulation=downregulation up-regulated=down-regulated induces=prevents
induced=prevented induce=prevent stimulates=suppresses stimulate=suppress stimulated=suppressed positively=negatively
positive=negative gain=loss longer=shorter reduces=increases reduced=increased reduce=increase reduction=increase
suppresses=promotes suppress=promote blocks=promotes blocked=promoted protects_against=predisposes_to
required=dispensable necessary=unnecessary essential=dispensable sufficient=insufficient effective=ineffective
early=late better=worse safe=unsafe common=rare dependent=independent sensitive=resistant sensitivity=resistance
presence=absence before=after attenuates=exacerbates attenuated=exacerbated accelerates=slows rise=fall larger=smaller
faster=slower most=few many=few stable=unstable similar=different efficacious=ineffective benefit=harm
beneficial=harmful
"""
_STATES = re.compile(
    r"\b(is|are|was|were|can|increases?|decreases?|promotes?|inhibits?|regulates?|controls?|mediates?|reduces?"
    r"|improves?|predicts?|induces?|suppress(?:es)?|activates?|enhances?|requires?|reveals?|causes?|leads?|links?"
    r"|drives?|prevents?|protects?|modulates?|affects?|contributes?|triggers?|maintains?|determines?|represses?"
    r"|associates?|associated|required|alters?|impairs?|restores?|limits?|supports?|interacts?|binds?|targets?"
    r"|couples?|coordinates?|identif(?:y|ies)|facilitates?|accelerates?|blocks?|attenuates?|has|have|does|do)\b"
)
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|may|does|do|did|has been|have been|could|should|will)\b(?! not)")
_NEGATED = re.compile(
    r"\b(?:does|do|did) not (\w+)|\b(is|are|was|were|can|could|has|have|may) not\b|\b(no) (?=\w)|\bwithout\b"
)
_OPENING = re.compile(
    r"^(?:(?:in )?conclusions?:?,?\s*|interpretation:?\s*|findings?:?\s*|results?:?\s*|(?:taken )?together,?\s*"
    r"|thus,?\s*|therefore,?\s*|overall,?\s*|in summary,?\s*|hence,?\s*"
    r"|(?:our|these|the present|this|the) (?:results?|findings?|data|stud(?:y|ies)|observations?|work|evidence)"
    r"[^,.;]{0,40}?\b(?:suggests?|indicates?|demonstrates?|shows?|provides? evidence|reveals?|supports?"
    r"|establish(?:es)?|identif(?:y|ies)|confirms?)(?: that)?\s*"
    r"|we (?:conclude|show|propose|found|find|demonstrate|suggest|report)(?: that)?\s*"
    r"|here,? we (?:show|report|demonstrate|found|find)(?: that)?\s*)+",
    re.IGNORECASE,
)
_LEAST, _TITLE, _CONCLUSION = 5, 25, 32  # words
_BESIDE = 3  # the abstracts nearest to a claim of which one is taken


class Made(NamedTuple):
    """A claim with the text it is held against, and what that says to it (index into CLASSES)."""

    claim: str
    text: str
    label: int


class Known(NamedTuple):
    """A true claim taken from an abstract, and the abstract without it."""

    document: str
    claim: str
    text: str


# ---------------------------------------------------------------- claims that nobody had to write


def made_claims() -> list[Made]:
    """Supported, contradicted and not stated ones, in a fixed random order."""
    chooser = random.Random(7)
    known = _known()
    nearest = _Nearest(known)
    made = []
    for claim in known:
        made.append(Made(claim.claim, claim.text, CLASSES.index("supported")))
        turned = _turned(claim.claim, chooser)
        if turned:
            made.append(Made(turned, claim.text, CLASSES.index("contradicted")))
        beside = nearest.of(claim)
        if beside:
            other = chooser.choice(beside)
            said = claim.claim if chooser.random() < 0.7 or not turned else turned
            made.append(Made(said, other.text, CLASSES.index("not stated")))
    chooser.shuffle(made)
    return made[:MADE]


def _known() -> list[Known]:
    cited = {document for row in rows("scifact/claims_train.jsonl") for document in row["cited_doc_ids"]}
    abstracts = {r["doc_id"]: r for r in rows("scifact/corpus.jsonl") if r["doc_id"] not in cited}
    return [
        known
        for key, row in sorted(abstracts.items())
        if len(row["abstract"]) >= 4
        for known in (_title(key, row), _conclusion(key, row))
        if known is not None
    ]


def _title(key: str, row: dict[str, Any]) -> Known | None:
    """A title that states something."""
    title = row["title"].strip().rstrip(".")
    if not _STATES.search(title) or title.endswith("?") or not _LEAST <= len(title.split()) <= _TITLE:
        return None
    return Known(key, f"{title}.", " ".join(s.strip() for s in row["abstract"]))


def _conclusion(key: str, row: dict[str, Any]) -> Known | None:
    """One of the last two sentences that opens like a conclusion, without its opening."""
    sentences = [s.strip() for s in row["abstract"]]
    for at in (len(sentences) - 1, len(sentences) - 2):
        opening = _OPENING.match(sentences[at])
        rest = sentences[at][opening.end() :] if opening else ""
        if _STATES.search(rest) and _LEAST < len(rest.split()) <= _CONCLUSION:
            others = sentences[:at] + sentences[at + 1 :]
            return Known(key, rest[0].upper() + rest[1:], " ".join(others))
    return None


class _Nearest:
    """Texts of other documents that have most of a claim's rarer words."""

    def __init__(self, known: Sequence[Known]) -> None:
        self.known = known
        self.holders: dict[str, list[int]] = defaultdict(list)
        for i, each in enumerate(known):
            for word in frozenset(stems(each.text)):
                self.holders[word].append(i)

    def of(self, claim: Known) -> list[Known]:
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(stems(claim.claim))):
            found = self.holders.get(word, [])
            if 1 < len(found) < len(self.known) / 10:
                for i in found:
                    scores[i] += log(len(self.known) / len(found))
        best = [self.known[i] for i, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: 2 * _BESIDE]]
        return [k for k in best if k.document != claim.document][:_BESIDE]


def _turned(claim: str, chooser: random.Random) -> str | None:
    """A claim with one word turned into its opposite, or a 'not' more or less; None where nothing can be turned."""
    words, states, negated = _TURNING.search(claim), _AUXILIARY.search(claim), _NEGATED.search(claim)
    ways = [*(["word"] * 2 if words else []), *(["not"] if states else []), *(["plain"] * 2 if negated else [])]
    if not ways:
        return None
    way = chooser.choice(ways)
    if way == "word":
        match = chooser.choice(list(_TURNING.finditer(claim)))
        new = _OPPOSITE[match.group().lower()]
        return _put(claim, match, new.capitalize() if match.group()[0].isupper() else new)
    if way == "not" and states:
        return _put(claim, states, _negation(states.group()))
    return _put(claim, negated, _plain(negated)) if negated else None


def _negation(auxiliary: str) -> str:
    """'has been' -> 'has not been'."""
    first, _, rest = auxiliary.partition(" ")
    return f"{first} not {rest}" if rest else f"{auxiliary} not"


def _plain(negated: re.Match[str]) -> str:
    """'does not bind' -> 'binds', 'is not' -> 'is', 'no' -> 'a', 'without' -> 'with'."""
    if negated[1]:
        return f"{negated[1]}s" if negated.group().startswith("does") else str(negated[1])
    return str(negated[2] or ("a" if negated[3] else "with"))


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _opposites() -> dict[str, str]:
    """Both ways; of a word with several opposites the first."""
    table: dict[str, str] = {}
    for pair in _TURNS.split():
        left, _, right = pair.replace("_", " ").partition("=")
        table.setdefault(left, right)
        table.setdefault(right, left)
    return table


_OPPOSITE = _opposites()
_TURNING = re.compile(
    rf"\b({'|'.join(re.escape(w) for w in sorted(_OPPOSITE, key=len, reverse=True))})\b", re.IGNORECASE
)


# ---------------------------------------------------------------- reading and fitting


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


def read_made(made: Sequence[Made], scorer: Scorer, reading: Reading) -> Any:
    """(claims, width)"""
    return np.array([reading.read(m.claim, align.align(m.claim, read_prose(m.text, "."), scorer)) for m in made])


def read_judged(cases: Sequence[sets.Case], models: Models, reading: Reading) -> Any:
    """(claims, width), of claims as the verifier sees them."""
    found = [examine(case, models) for case in cases]
    return np.array([reading.read(e.claim, e.aligned) for e in found])


def weights_of(labels: Any) -> Any:
    """A weight for each claim: each class has its share of the whole."""
    return len(labels) * SHARES[labels] / np.bincount(labels, minlength=len(CLASSES))[labels]


def fit(made: tuple[Any, Any], judged: tuple[Any, Any]) -> tuple[Any, Any]:
    """Weights and bias for states as they come: the standardisation is worked into them."""
    table, labels = np.vstack([made[0], judged[0]]), np.append(made[1], judged[1])
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    weights = np.append(weights_of(made[1]), WEIGHT * weights_of(judged[1]))
    model = LogisticRegression(C=PENALTY, max_iter=200, tol=1e-3)
    model.fit((table - mean) / spread, labels, sample_weight=weights)
    scaled = (model.coef_ / spread).T
    return scaled.astype(np.float32), (model.intercept_ - mean @ scaled).astype(np.float32)


def held_out(made: tuple[Any, Any], judged: tuple[Any, Any], groups: Sequence[str]) -> None:
    """Figures on the judged claims, each by a layer that saw no claim on its document."""
    order = sorted(set(groups))
    random.Random(0).shuffle(order)
    fold = np.array([order.index(group) % FOLDS for group in groups])
    scores = np.zeros((len(groups), len(CLASSES)))
    for k in range(FOLDS):
        weights, bias = fit(made, (judged[0][fold != k], judged[1][fold != k]))
        scores[fold == k] = judged[0][fold == k] @ weights + bias
    chance = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    says, true = chance[:, 1] >= 0.5, judged[1] == 1
    balanced = (says[true].mean() + (~says[~true]).mean()) / 2
    decided = judged[1] > 0
    print(f"balanced accuracy {balanced:.3f}, area under the curve {roc_auc_score(true, chance[:, 1]):.3f}")
    turned = roc_auc_score(true[decided], (scores[:, 1] - scores[:, 2])[decided])
    print(f"supported against contradicted: area under the curve {turned:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.train_follows", description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=Path, help="file to keep what the encoder read in")
    parser.add_argument("--folds", action="store_true", help="print figures on held-back documents as well")
    arguments = parser.parse_args()
    claims, cases = made_claims(), fitting(sets.scifact())
    models, reading = load(HOME), Reading(arguments.cache)
    tables = read_made(claims, models.scorer, reading), read_judged(cases, models, reading)
    reading.keep()
    made = tables[0], np.array([c.label for c in claims])
    judged = tables[1], np.array([CLASSES.index(c.label) for c in cases])
    if arguments.folds:
        held_out(made, judged, [c.group for c in cases])
    weights, bias = fit(made, judged)
    np.savez_compressed(TARGET, weights=weights, bias=bias)
    print(f"{len(made[1])} made and {len(cases)} judged claims -> {TARGET.name}, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
