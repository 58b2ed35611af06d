"""Train the clause model of the extractive reader: `python -m bench.train_clauses` writes clauses.json beside it.

One logistic regression for each of the 41 kinds of clause of CUAD v1 (CC BY 4.0, arXiv:2103.06268) over the stems and
stem pairs of a sentence, and the likelihood from which the clause is taken to be there. `--folds K` reports held-out
figures (split by contract, thresholds fitted inside) before the file is trained on all.
The texts stay in GROUNDED_SHARED; only weights are written.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from bench.reading import Opened, jaccard, open_pdf
from grounded import locations
from grounded.generation.extractive.answering import Answering
from grounded.generation.extractive.clauses import features
from grounded.text import fold
from grounded.types import CharSpan

TARGET = Path(__file__).parent.parent / "grounded" / "generation" / "extractive" / "clauses.json"
KEPT = 160  # weights kept of each kind, the largest first
MIN_FREQUENCY = 4
SILENT = 0.8  # of the clauses that are missing, those that are to be found missing
INNER = 3  # folds within which the thresholds are fitted
Place = tuple[int, CharSpan]
Gold = Mapping[str, Mapping[str, Sequence[Place]]]


class Row(NamedTuple):
    """A sentence of a contract and the kinds of clause that gold says it is."""

    document: str
    place: Place
    features: frozenset[str]
    kinds: frozenset[str]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def gold_places(folder: Path, documents: dict[str, Opened]) -> dict[str, dict[str, list[Place]]]:
    """Where each kind of clause stands in each contract: gold quotes found in our page text."""
    found: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for span in lines(folder / "gold_spans.jsonl"):
        opened = documents.get(span["doc_id"])
        for part in span["pdf_fragments"] if opened else ():
            number = part["page_start"] + 1
            if opened is None or number > len(opened.document.pages):
                continue
            page, key = fold(opened.document.page(number).text), fold(part["text"]).key
            at = page.key.find(key) if key else -1
            if at >= 0:
                found[span["doc_id"]][span["category"]].append((number, page.raw_span(at, at + len(key))))
    return found


def rows_of(name: str, opened: Opened, gold: Mapping[str, Sequence[Place]]) -> list[Row]:
    """The sentences of a contract with their kinds."""
    answering = Answering("?", opened.context.sources, opened, lambda question: ())
    rows: dict[Place, Row] = {}
    for sentence in answering.sentences:
        place = (sentence.sheet.page.number, sentence.span)
        kinds = frozenset(kind for kind, places in gold.items() if any(_is_in(place, other) for other in places))
        rows[place] = Row(name, place, features(sentence.stems), kinds)
    return list(rows.values())


def _is_in(sentence: Place, gold: Place) -> bool:
    (page, (start, end)), (other, (a, b)) = sentence, gold
    shared = min(end, b) - max(start, a) if page == other else 0
    return shared > 0 and (shared >= 0.5 * (end - start) or shared >= 0.6 * (b - a))


def fit(rows: Sequence[Row], kinds: Sequence[str]) -> dict[str, tuple[float, dict[str, float]]]:
    """kind -> (bias, weights)."""
    counts = Counter(f for row in rows for f in row.features)
    vocabulary = sorted(f for f, n in counts.items() if n >= MIN_FREQUENCY)
    index = {f: i for i, f in enumerate(vocabulary)}
    at = [(r, index[f], len(row.features) ** -0.5) for r, row in enumerate(rows) for f in row.features if f in index]
    shape = (len(rows), len(vocabulary))
    matrix = csr_matrix(([v for _, _, v in at], ([r for r, _, _ in at], [c for _, c, _ in at])), shape=shape)
    models = {}
    for kind in kinds:
        wanted = np.array([kind in row.kinds for row in rows])
        if wanted.sum() < 2:
            continue
        model = LogisticRegression(C=3, class_weight={False: 1, True: 8}, max_iter=200, solver="liblinear")
        model.fit(matrix, wanted)
        largest = np.argsort(-np.abs(model.coef_[0]))[:KEPT]
        models[kind] = (
            float(model.intercept_[0]),
            {vocabulary[i]: round(float(model.coef_[0][i]), 3) for i in largest},
        )
    return models


def score(features_: frozenset[str], model: tuple[float, dict[str, float]]) -> float:
    bias, weights = model
    total = bias + sum(weights.get(f, 0.0) for f in features_) * len(features_) ** -0.5 if features_ else bias
    return float(1 / (1 + np.exp(-total)))


class Outcome(NamedTuple):
    """One kind of clause asked of one contract that was not trained on."""

    kind: str
    present: bool
    best: float  # likelihood of the best sentence
    near: bool  # a span like gold in the first three
    page: bool  # the right page among them


def outcomes(rows: Sequence[Row], held: Set[str], kinds: Sequence[str], gold: Gold) -> list[Outcome]:
    """Every kind asked of the held contracts, by models of the others."""
    models = fit([row for row in rows if row.document not in held], kinds)
    found = []
    for name in sorted(held):
        own = [row for row in rows if row.document == name]
        for kind, model in models.items():
            places = gold[name].get(kind, [])
            best = sorted(((score(r.features, model), r.place) for r in own), reverse=True)[:3]
            near = any(p == q[0] and jaccard(s, q[1]) >= 0.5 for _, (p, s) in best for q in places)
            page = any(p == q[0] for _, (p, _) in best for q in places)
            found.append(Outcome(kind, bool(places), best[0][0] if best else 0.0, near, page))
    return found


def folded(rows: Sequence[Row], names: Sequence[str], kinds: Sequence[str], gold: Gold, folds: int) -> list[Outcome]:
    """Every kind asked of every one of the named contracts, each by models of the others."""
    known = [row for row in rows if row.document in set(names)]
    return [o for k in range(folds) for o in outcomes(known, set(names[k::folds]), kinds, gold)]


def leasts(found: Sequence[Outcome], kinds: Sequence[str]) -> dict[str, float]:
    """kind -> likelihood of its best sentence from which the clause is taken to be there: lower for a clause that most
    contracts have. From outcomes on contracts that were not trained on."""
    counts = {kind: Counter(o.present for o in found if o.kind == kind) for kind in kinds}
    usual = {kind: _logit((n[True] + 0.5) / (n.total() + 1)) for kind, n in counts.items()}
    seen = np.array([[_logit(o.best), usual[o.kind]] for o in found])
    present = np.array([o.present for o in found])
    judge = LogisticRegression().fit(seen, present)
    line = np.quantile(judge.decision_function(seen)[~present], SILENT)
    (slope, weight), bias = judge.coef_[0], judge.intercept_[0]
    return {kind: float(1 / (1 + np.exp(-(line - bias - weight * at) / slope))) for kind, at in usual.items()}


def _logit(share: float) -> float:
    bounded = min(max(share, 1e-6), 1 - 1e-6)
    return float(np.log(bounded / (1 - bounded)))


def held_out(rows: Sequence[Row], names: Sequence[str], kinds: Sequence[str], gold: Gold, folds: int) -> None:
    """Figures on contracts that neither models nor thresholds were fitted on, the whole contract given."""
    for k in range(folds):
        held = set(names[k::folds])
        least = leasts(folded(rows, [name for name in names if name not in held], kinds, gold, INNER), kinds)
        found = outcomes(rows, held, kinds, gold)
        asked = [o for o in found if o.present]
        said = [o for o in asked if o.best >= least[o.kind]]
        silent = sum(o.best < least[o.kind] for o in found if not o.present) / (len(found) - len(asked))
        print(f"fold {k + 1}: span {sum(o.near for o in said) / len(asked):.3f} "
              f"page {sum(o.page for o in said) / len(asked):.3f} abstained {silent:.3f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=0)
    folds = parser.parse_args().folds
    folder = locations.shared() / "bench" / "cuad"
    documents = {path.stem: open_pdf(path.read_bytes(), path.name) for path in sorted((folder / "pdfs").glob("*.pdf"))}
    gold = gold_places(folder, documents)
    rows = [row for name, opened in documents.items() for row in rows_of(name, opened, gold[name])]
    asked = {q["category"]: q["question"] for q in lines(folder / "queries.jsonl")}
    names = sorted({row.document for row in rows})
    random.Random(1).shuffle(names)
    if folds:
        held_out(rows, names, sorted(asked), gold, folds)
    models = fit(rows, sorted(asked))
    least = leasts(folded(rows, names, list(models), gold, INNER), list(models))
    lengths: dict[str, list[int]] = defaultdict(list)
    for span in lines(folder / "gold_spans.jsonl"):
        lengths[span["category"]].append(len(span["quote"].split()))
    entries = [
        {
            "kind": kind,
            "asks": " ".join(asked[kind].split()),
            "words": int(np.median(lengths[kind])),
            "bias": round(bias, 3),
            "least": round(least[kind], 4),
            "weights": weights,
        }
        for kind, (bias, weights) in models.items()
    ]
    TARGET.write_text(json.dumps(entries, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{len(entries)} kinds of clause, {len(rows)} sentences of {len(documents)} contracts -> {TARGET.name}")


if __name__ == "__main__":
    main()
