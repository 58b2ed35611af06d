"""Retrieval quality and speed, with an ablation of every signal.

    python -m bench.retrieval [SET …] [--cache DIR] [--rerank] [--kinds]        quality
    python -m bench.retrieval --scale 10000 100000                              speed and memory, by bench.scale

Gold sets come from GROUNDED_SHARED (its bench/README.md names sources and licences); `lookalike` is typeset here.
Indexes are kept in the cache folder. Figures are means over questions: hit@1 (a right page, or document, first),
any@5 (a right one among the first five), recall@5 and recall@10 (share of the right ones), nDCG@10. Pages are ranked
by their best chunk. The weights were fitted on the first half of the groups (bench.fit_retrieval); both halves are
shown.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import scale
from bench.retrieval_sets import SETS, GoldSet, Place, Question
from grounded.retrieval import search
from grounded.retrieval.plan import plan
from grounded.retrieval.rerank import rerank
from grounded.retrieval.search import WEIGHTS, Candidate, Signals, gather, order, retrieve
from grounded.settings import RetrievalSettings
from grounded.types import Plan

CACHE = Path(tempfile.gettempdir()) / "grounded-bench"
SETTINGS = RetrievalSettings()
MEASURES = ("hit@1", "any@5", "recall@5", "recall@10", "nDCG@10")
ABLATION: dict[str, Signals] = {
    "vectors": Signals(cosine=1.0),
    "words (BM25)": Signals(words=1.0),
    "vectors + words": Signals(cosine=1.0, words=WEIGHTS.words),
    "all": WEIGHTS,
    "all - words": WEIGHTS._replace(words=0.0),
    "all - vocabulary": WEIGHTS._replace(vocabulary=0.0),
    "all + section_match": WEIGHTS._replace(section=0.1),
    "all - label": WEIGHTS._replace(label=0.0),
    "all - kind of page": WEIGHTS._replace(page=0.0),
    "all - home section": WEIGHTS._replace(home=0.0),
    "all - numbered place": WEIGHTS._replace(place=0.0),
    "all - newest": WEIGHTS._replace(recent=0.0),
    "all - all of glossary": WEIGHTS._replace(vocabulary=0.0, page=0.0, home=0.0),
}

Row = tuple[float, ...]


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all when none is named")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--rerank", action="store_true", help="add the bundled cross-encoder (slow)")
    parser.add_argument("--kinds", action="store_true", help="add the order without the search by kind of page")
    parser.add_argument("--scale", type=int, nargs="+", metavar="CHUNKS", help="measure speed instead")
    args = parser.parse_args()
    for size in args.scale or ():
        scale.run(size, args.cache)
    for name in () if args.scale else args.sets or SETS:
        report(name, SETS[name](args.cache), with_reranker=args.rerank, without_kinds=args.kinds)


def report(name: str, gold: GoldSet, *, with_reranker: bool, without_kinds: bool) -> None:
    """Print the ablation of one set."""
    print(f"\n{name}: {len(gold.questions)} questions in {len({q.group for q in gold.questions})} groups")
    print(f"{'':24}" + "".join(f"{m:>11}" for m in MEASURES) + "      hit@1 / recall@5 of either half")
    gathered = gather_all(gold)
    for label, weights in ABLATION.items():
        _print(label, gold, _scores(gold, gathered, weights))
    if not any(question.scope for question in gold.questions):
        unrouted = [_gather(gold, question, routed=False) for question in gold.questions]
        _print("all - routing", gold, _scores(gold, unrouted, WEIGHTS))
    if without_kinds:
        kept, search.FEW_DOCUMENTS = search.FEW_DOCUMENTS, 0
        _print("all - search by kind", gold, _scores(gold, gather_all(gold), WEIGHTS))
        search.FEW_DOCUMENTS = kept
    if with_reranker:
        _print("all + cross-encoder", gold, [_reranked(gold, question) for question in gold.questions])


def _scores(gold: GoldSet, gathered: Sequence[Sequence[Sequence[Candidate]]], weights: Signals) -> list[Row]:
    pairs = zip(gold.questions, gathered, strict=True)
    return [_score(question, [order(part, weights) for part in found], gold) for question, found in pairs]


def gather_all(gold: GoldSet) -> list[list[list[Candidate]]]:
    """For each question and sub-question the candidates, found once for all the orders to be compared."""
    return [_gather(gold, question) for question in gold.questions]


def _gather(gold: GoldSet, question: Question, *, routed: bool = True) -> list[list[Candidate]]:
    index, embedder = gold.library.index, gold.library.embedder
    subs = (_plan(gold, question) if routed else plan(question.text)).subquestions
    return [gather(index, embedder, sub, question.scope, SETTINGS) for sub in subs]


def _plan(gold: GoldSet, question: Question) -> Plan:
    records = gold.library.index.documents()
    scope = [records[d] for d in question.scope] if question.scope else list(records.values())
    return plan(question.text, documents=scope)


def _score(question: Question, found: Sequence[Sequence[Candidate]], gold: GoldSet) -> Row:
    """The measures of one question for candidates in order (sub-questions dealt in turn)."""
    dealt = [part[i] for i in range(max(map(len, found), default=0)) for part in found if i < len(part)]
    return measures(question, [(c.chunk.document, 0 if gold.by_document else c.chunk.page) for c in dealt])


def _reranked(gold: GoldSet, question: Question) -> Row:
    asked = _plan(gold, question)
    hits = retrieve(gold.library.index, gold.library.embedder, asked, scope=question.scope, settings=SETTINGS)
    final = rerank(asked, hits, settings=SETTINGS.model_copy(update={"reranker": "bundled"}))
    return measures(question, [(h.chunk.document, 0 if gold.by_document else h.chunk.page) for h in final.hits])


def measures(question: Question, places: Sequence[Place]) -> Row:
    """MEASURES of one question for places best first."""
    ranked = list(dict.fromkeys(places))
    right = [place in question.gold for place in ranked]
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(right[:10]) if hit)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(len(question.gold), 10)))
    return (
        float(any(right[:1])),
        float(any(right[:5])),
        sum(right[:5]) / len(question.gold),
        sum(right[:10]) / len(question.gold),
        gain / ideal,
    )


def _print(label: str, gold: GoldSet, rows: Sequence[Row]) -> None:
    groups = sorted({q.group for q in gold.questions})
    fitted = set(groups[: len(groups) // 2])
    halves = [
        [r for q, r in zip(gold.questions, rows, strict=True) if (q.group in fitted) == half] for half in (True, False)
    ]
    figures = "".join(f"{value:11.3f}" for value in _mean(rows))
    split = "   ".join(f"{m[0]:.3f} / {m[2]:.3f}" for m in map(_mean, halves) if m)
    print(f"{label:24}{figures}      {split}", flush=True)


def _mean(rows: Sequence[Row]) -> Row:
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))


if __name__ == "__main__":
    main()
