"""Fit the verifier's models on four fifths of the documents of the public sets and write them.

    python -m bench.train_verifier [HEAD …] [--cache FILE]      (needs scikit-learn; without names everything)

`sentences.json`: the linear sentence model with its word pairs. `models.json`: the calibrated heads.
Deterministic: fixed seeds, sorted inputs. Heads on top of the sentence model are fitted on its out-of-fold scores, so
that they see the scores that unseen documents get.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import log, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from bench import claims as sets
from bench.claims import Case
from grounded.text import collapse
from grounded.verification import align
from grounded.verification.align import Scorer
from grounded.verification.check import evidence_of, read_item
from grounded.verification.examine import Examined
from grounded.verification.models import Models, load
from grounded.verification.numbers import features as number_features
from grounded.verification.prose import read_prose
from grounded.verification.rewording import remark_features
from grounded.verification.words import stems

HOME = Path(__file__).parents[1] / "grounded" / "verification"
INNER_FOLDS = 5
MANY = 10  # texts beside which a statement stands, for the heads to have learned it
CLASSES = ("not stated", "supported", "contradicted")
NO_MODELS = Models({}, align.without_weights({}))


class Fit(NamedTuple):
    """One fitting: the folder its files go to, and the fold of the documents that it never sees."""

    home: Path = HOME
    without: int = 0

    def seen(self, cases: Iterable[Case]) -> list[Case]:
        """The cases it may be fitted on."""
        return [case for case in cases if case.fold != self.without]


def main() -> int:
    """Fit everything, or only the heads named, and write the files."""
    parser = argparse.ArgumentParser(prog="python -m bench.train_verifier", description=__doc__.split("\n")[0])
    parser.add_argument("heads", nargs="*", metavar="HEAD", default=ALL, help=", ".join(ALL))
    parser.add_argument("--cache", type=Path, help="file to keep what the encoder read in")
    args = parser.parse_args()
    train(Fit(), args.heads, args.cache)
    return 0


def train(fit: Fit, heads: Sequence[str], cache: Path | None = None) -> None:
    """Fit the heads named, each on top of those before it, and write them into the fitting's folder."""
    path = fit.home / "models.json"
    fitted = json.loads(path.read_text("utf-8"))["heads"] if path.exists() else {}
    for name in (name for name in HEADS if name in heads):
        fitted[name] = HEADS[name](fit)
        write(path, {"heads": fitted})
    if "follows" in heads:
        from bench import train_follows  # it reads the sentence model that was written above

        train_follows.train(fit, cache)


def examine(case: Case, models: Models) -> Examined:
    """A case as the verifier sees it."""
    return Examined(case.item["claim"], evidence_of(read_item(case.item, case.id)), models)


def write(path: Path, document: Any) -> None:
    """Compact JSON with one trailing line break."""
    path.write_text(json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n", "utf-8")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB", file=sys.stderr)


# ---------------------------------------------------------------- heads: additive trees


def fit_head(
    told: Sequence[dict[str, float]],
    labels: Sequence[int],
    weights: Sequence[float],
    classes: Sequence[str],
    **options: Any,
) -> dict[str, Any]:
    """Gradient boosting on named features, as the JSON that grounded.verification.model reads."""
    names = sorted({name for row in told for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in told])
    settings = {
        "n_estimators": 120,
        "max_depth": 3,
        "learning_rate": 0.08,
        "subsample": 0.8,
        "random_state": 0,
        "min_samples_leaf": 8,
    }
    model = GradientBoostingClassifier(**(settings | options)).fit(table, labels, sample_weight=weights)
    prior = np.average(np.eye(len(classes))[np.array(labels)], axis=0, weights=weights)
    bases = [log(prior[1] / prior[0])] if len(classes) == 2 else [log(p) for p in prior]
    trees = [
        [_tree(e[k].tree_, model.learning_rate) for e in model.estimators_] for k in range(model.estimators_.shape[1])
    ]
    return {"features": names, "classes": list(classes), "bases": [round(b, 5) for b in bases], "trees": trees}


def fit_linear(
    told: Sequence[dict[str, float]],
    labels: Sequence[int],
    weights: Sequence[float],
    classes: Sequence[str],
    c: float = 0.03,
) -> dict[str, Any]:
    """Logistic regression with a ridge (c: its inverse), as the same kind of JSON; the standardisation is worked into
    the weights."""
    names = sorted({name for row in told for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] for row in told])
    mean, spread = table.mean(axis=0), table.std(axis=0) + 1e-9
    model = LogisticRegression(C=c, max_iter=1000).fit((table - mean) / spread, labels, sample_weight=weights)
    scaled = model.coef_ / spread
    bases = model.intercept_ - scaled @ mean
    return {
        "features": names,
        "classes": list(classes),
        "bases": [round(float(b), 5) for b in bases],
        "weights": [[round(float(w), 5) for w in row] for row in scaled],
    }


def _tree(tree: Any, rate: float, node: int = 0) -> Any:
    if tree.children_left[node] < 0:
        return round(float(tree.value[node][0][0]) * rate, 5)
    left, right = (_tree(tree, rate, child) for child in (tree.children_left[node], tree.children_right[node]))
    return [int(tree.feature[node]), round(float(tree.threshold[node]), 5), left, right]


def balanced(labels: Iterable[int]) -> list[float]:
    """Weights that give each class the same total."""
    labels = list(labels)
    counts = Counter(labels)
    return [len(labels) / (len(counts) * counts[label]) for label in labels]


def even(labels: Sequence[int]) -> list[float]:
    """Weights by which a claim is as likely supported as not; the other two classes share the rest."""
    counts = Counter(labels)
    return [len(labels) * (0.5 if label == CLASSES.index("supported") else 0.25) / counts[label] for label in labels]


# ---------------------------------------------------------------- numbers


def fit_numbers(fit: Fit) -> dict[str, Any]:
    """The head for claimed numbers."""
    told, labels = [], []
    for case in fit.seen(sets.tatqa()):
        found = examine(case, NO_MODELS).findings
        if found:
            told.append(number_features(found[-1]))
            labels.append(int(case.label == "supported"))
    given = (told, labels, balanced(labels), ("not supported", "supported"))
    return {"mean": [fit_head(*given), fit_linear(*given)]}


def fit_tables(fit: Fit) -> dict[str, Any]:
    """The head for remarks on tables; uses the head for numbers."""
    models = load(fit.home)
    told, labels = [], []
    for case in fit.seen(sets.scitab()):
        told.append(remark_features(examine(case, models)))
        labels.append(int(case.label == "supported"))
    options = {"n_estimators": 25, "max_depth": 2, "subsample": 0.7, "min_samples_leaf": 12}
    given = (told, labels, balanced(labels), ("not supported", "supported"))
    return {"mean": [fit_head(*given, **options), fit_linear(*given, c=0.1)]}


# ---------------------------------------------------------------- words


def fit_open(fit: Fit) -> dict[str, Any]:
    """The head for claims on subjects of their own, each with its own text; uses the sentence model."""
    models = load(fit.home)
    told, labels = [], []
    for case in fit.seen(sets.scifact()):
        examined = examine(case, models)
        told.append(align.open_features(examined.claim, examined.prose, models.scorer))
        labels.append(CLASSES.index(case.label))
    options = {"n_estimators": 50, "max_depth": 2, "subsample": 0.7, "min_samples_leaf": 10}
    return fit_head(told, labels, even(labels), CLASSES, **options)


def fit_words(fit: Fit) -> dict[str, Any]:
    """The sentence model, written on the way, and the head on its out-of-fold scores."""
    cases = fit.seen([*sets.contractnli(), *sets.scifact()])
    write(align.LEARNED, learned_statements(cases))
    rarity = fit_rarity(cases)
    groups = sorted({case.group for case in cases})
    fold_of = {group: i % INNER_FOLDS for i, group in enumerate(groups)}
    told: list[HeadRow] = []
    rows = sentence_rows(cases, align.without_weights(rarity))
    for fold in range(INNER_FOLDS):
        scorer = align.parse(fit_sentences([r for r in rows if fold_of[r.group] != fold], rarity))
        told += head_rows([c for c in cases if fold_of[c.group] == fold], scorer)
    write(fit.home / "sentences.json", fit_sentences(rows, rarity))
    return {
        "mean": [_fit_rows(fit_head, told, n_estimators=80), _fit_rows(fit_linear, [r for r in told if r.repeated])]
    }


def learned_statements(cases: Sequence[Case]) -> list[str]:
    """Digests of the claims that stand beside many texts."""
    beside = Counter(align.mark(case.item["claim"]) for case in cases)
    return sorted(statement for statement, texts in beside.items() if texts >= MANY)


def _fit_rows(method: Callable[..., dict[str, Any]], told: Sequence[HeadRow], **options: Any) -> dict[str, Any]:
    labels = [row.label for row in told]
    return method([row.features for row in told], labels, balanced(labels), CLASSES, **options)


def fit_rarity(cases: Sequence[Case]) -> dict[str, float]:
    """log(paragraphs / paragraphs with the stem) over the fitting texts, for stems seen at least twice."""
    paragraphs = [p for text in sorted({c.item["text"] for c in cases}) for p in text.split("\n") if p.strip()]
    seen = Counter(s for p in paragraphs for s in set(stems(p)))
    return {s: round(min(8.0, log(len(paragraphs) / n)), 2) for s, n in sorted(seen.items()) if n > 1}


class SentenceRow(NamedTuple):
    """A sentence beside a claim: the claim's document, features, the stems of both, and the class."""

    group: str
    features: dict[str, float]
    own: tuple[str, ...]
    other: tuple[str, ...]
    label: int


def fit_sentences(rows: Sequence[SentenceRow], rarity: dict[str, float]) -> dict[str, Any]:
    """Multinomial logistic regression: is a sentence evidence for, against, or neither? Pairs of stems are features."""
    names = sorted(rows[0].features)
    vocabulary = _vocabulary(rows)
    dense = csr_matrix(np.array([[row.features[name] for name in names] for row in rows]))
    sparse = _pair_matrix(rows, vocabulary)
    labels = [row.label for row in rows]
    weights = [1.0 if label == 0 else 8.0 for label in labels]
    model = LogisticRegression(C=1.0, max_iter=300).fit(hstack([dense, sparse]).tocsr(), labels, sample_weight=weights)
    coefficients = model.coef_[1:] - model.coef_[0]
    bias = model.intercept_[1:] - model.intercept_[0]
    return {
        "rarity": rarity,
        "features": names,
        "supports": [round(float(w), 4) for w in coefficients[0][: len(names)]],
        "contradicts": [round(float(w), 4) for w in coefficients[1][: len(names)]],
        "bias": [round(float(b), 4) for b in bias],
        "pairs": _pairs_json(vocabulary, coefficients[:, len(names) :]),
    }


def sentence_rows(cases: Sequence[Case], scorer: Scorer) -> list[SentenceRow]:
    """Every sentence beside every claim."""
    told = []
    for case in cases:
        examined = examine(case, Models({}, scorer))
        own = tuple(dict.fromkeys(stems(case.item["claim"])))
        pair = align.Pair(case.item["claim"], examined.prose, scorer.rarity)
        for statement in examined.prose.statements:
            label = CLASSES.index(case.label) if is_evidence(case, statement.span, statement.text) else 0
            other = tuple(sorted(statement.stem_set))
            told.append(SentenceRow(case.group, pair.features(statement), own, other, label))
    return told


def is_evidence(case: Case, span: tuple[int, int], text: str) -> bool:
    """Whether a sentence is among the gold evidence of a case."""
    if "spans" in case.extra:
        return any(span[0] < end and start < span[1] for start, end in case.extra["spans"])
    return any(collapse(text) in collapse(gold) or collapse(gold) in collapse(text) for gold in case.extra["sentences"])


def _vocabulary(rows: Sequence[SentenceRow]) -> dict[tuple[str, str], int]:
    """Pairs worth a weight: the claim's word is in several claims' sentences, the pair in at least eight."""
    seen = Counter((a, b) for row in rows for a in row.own for b in row.other)
    return {pair: i for i, pair in enumerate(sorted(p for p, n in seen.items() if n >= 8))}


def _pair_matrix(rows: Sequence[SentenceRow], vocabulary: dict[tuple[str, str], int]) -> csr_matrix:
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for row in rows:
        found = [vocabulary[p] for a in row.own for b in row.other if (p := (a, b)) in vocabulary]
        columns += found
        values += [3 / sqrt(max(1, len(row.own) * len(row.other)))] * len(found)
        ends.append(len(columns))
    return csr_matrix((values, columns, ends), shape=(len(rows), len(vocabulary)))


def _pairs_json(vocabulary: dict[tuple[str, str], int], weights: Any) -> dict[str, dict[str, list[float]]]:
    """Nested by the claim's word; weights below noise left out."""
    nested: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for (own, other), i in vocabulary.items():
        pair = [round(float(3 * w[i]), 2) for w in weights]
        if max(map(abs, pair)) >= 0.1:
            nested[own][other] = pair
    return nested


class HeadRow(NamedTuple):
    """What the head is told of a claim, and its class. repeated: the claim is made of many documents."""

    features: dict[str, float]
    label: int
    repeated: bool


def head_rows(cases: Sequence[Case], scorer: Scorer) -> list[HeadRow]:
    """Rows for the head: each case, each decided case without its evidence, and strangers' texts."""
    told = []
    for i, case in enumerate(cases):
        stranger = cases[(i + 7 * len(cases) // 13) % len(cases)]
        variants = [(case.item["text"], CLASSES.index(case.label))]
        if case.label != "not stated":
            variants.append((without_evidence(case), 0))
        if stranger.set != case.set:
            variants.append((stranger.item["text"], 0))
        for text, label in variants:
            examined = examine(replace(case, item={**case.item, "text": text}), Models({}, scorer))
            features = align.features(case.item["claim"], examined.prose, examined.aligned, scorer)
            told.append(HeadRow(features, label, "hypothesis" in case.extra))
    return told


def without_evidence(case: Case) -> str:
    """The text with its gold evidence cut out."""
    prose = read_prose(case.item["text"], ".")
    kept = [s.text for s in prose.statements if not is_evidence(case, s.span, s.text)]
    return "\n".join(kept)


HEADS: dict[str, Callable[[Fit], dict[str, Any]]] = {
    "words": fit_words, "numbers": fit_numbers, "tables": fit_tables, "open": fit_open,
}  # fmt: skip
ALL = (*HEADS, "follows")


if __name__ == "__main__":
    sys.exit(main())
