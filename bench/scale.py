"""Retrieval at size: generated chunks with the statistics of real ones, built, searched, compared with exact search.

    python -m bench.scale [CHUNKS …] [--cache DIR] [--minutes M] [--probes N …]

Default: 100000. The index of each size is kept in the cache folder; --minutes stops building after that long, and the
same command goes on from there. Prints build time, size, latency of question -> hits against the query's embedding and
one bare indexed search, recall@20 of the indexed search against an exact one, and memory. Questions are real ones.
--probes measures other numbers of probed partitions than the one in use.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.retrieval_sets import SETS
from bench.scale_chunks import PER_DOCUMENT, Seeds, entry, seeds
from grounded import locations
from grounded.retrieval import index as index_module
from grounded.retrieval.embed import OnnxEmbedder, load_embedder
from grounded.retrieval.index import Index
from grounded.retrieval.plan import plan
from grounded.retrieval.search import retrieve
from grounded.settings import RetrievalSettings

CACHE = Path(tempfile.gettempdir()) / "grounded-bench"
REAL = {
    "cuad/queries.jsonl": "question",
    "tatqa/dev_questions.jsonl": "question",
    "scifact/claims_train.jsonl": "claim",
}
QUESTIONS, WARM, DEPTH = 120, 20, 20
DOCUMENTS_AT_ONCE = 50
GOAL, GOAL_RECALL = 3.0, 0.95
GOAL_MB, LARGE_MB, LARGE = 1000, 2000, 100_000  # memory up to so many chunks, and above

Times = dict[str, list[float]]


def main() -> None:
    """Build and measure each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, metavar="CHUNKS")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--probes", type=int, nargs="+", default=[])
    args = parser.parse_args()
    for size in args.sizes or [100_000]:
        run(size, args.cache, args.minutes * 60, args.probes)


def run(size: int, cache: Path, seconds: float = float("inf"), probes: Sequence[int] = ()) -> None:
    """Build the index of that size as far as `seconds` allow, and measure it when it is whole."""
    folder = cache / f"generated-{size}"
    if build(folder, size, cache, seconds):
        measure(folder, size, _questions(), probes)


def build(folder: Path, size: int, cache: Path, seconds: float) -> bool:
    """Add what is missing of the generated documents; is it whole now? What it cost is kept in `built.txt`."""
    index, log = Index(folder), folder / "built.txt"
    done, total = len(index.documents()), size // PER_DOCUMENT
    if done >= total and log.exists():
        return True
    real = seeds(SETS["cuad"](cache).library.index)
    start, since = time.perf_counter(), 0.0
    while done < total and (since := time.perf_counter() - start) < seconds:
        done = _add(index, real, done, min(done + DOCUMENTS_AT_ONCE, total))
    if done >= total:
        index.optimize()
    since = time.perf_counter() - start
    with log.open("a") as stream:
        stream.write(f"{since}\n")
    print(f"{done * PER_DOCUMENT:,} of {size:,} chunks after {since:.0f} s", flush=True)
    return done >= total


def _add(index: Index, real: Seeds, start: int, end: int) -> int:
    index.commit([entry(real, number) for number in range(start, end)])
    return end


def _questions() -> list[str]:
    """Real questions: on the clauses of contracts (what the generated chunks are about), on tables, and claims."""
    found: list[str] = []
    for place, field in REAL.items():
        lines = (locations.shared() / "bench" / place).read_text("utf-8").splitlines()
        texts = list(dict.fromkeys(json.loads(line)[field] for line in lines))
        found += texts[:: max(1, len(texts) // (QUESTIONS // len(REAL)))][: QUESTIONS // len(REAL)]
    return [found[i] for i in np.random.default_rng(5).permutation(len(found))]


def measure(folder: Path, size: int, questions: Sequence[str], probes: Sequence[int]) -> None:
    """Print the figures of a built index."""
    index, embedder = Index(folder), load_embedder()
    times: Times = {}
    for question in questions[:WARM]:
        _ask(index, embedder, question, {})
    for question in questions[WARM:]:
        _ask(index, embedder, question, times)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    built = sum(map(float, (folder / "built.txt").read_text().split()))
    stored = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e9
    print(f"\n{size:,} chunks: built in {built:.0f} s ({size / built:.0f}/s, embedding not counted), {stored:.2f} GB")
    for name, values in times.items():
        print(f"  {name:36} p50 {_at(values, 50):7.1f} ms   p95 {_at(values, 95):7.1f} ms")
    floor = [a + b for a, b in zip(times["embed"], times["bare indexed search"], strict=True)]
    ratio = _at(times["question -> hits"], 95) / _at(floor, 95)
    print(f"  hits p95 / (embed + bare indexed search) p95 = {ratio:.2f} (goal {GOAL})")
    print(f"  memory at most {memory:.0f} MB (goal {GOAL_MB if size <= LARGE else LARGE_MB})")
    _recalls(index, embedder, questions, probes)


def _ask(index: Index, embedder: OnnxEmbedder, question: str, times: Times) -> None:
    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        times.setdefault(name, []).append((time.perf_counter() - start) * 1000)
        return result

    settings = RetrievalSettings()
    vector = timed("embed", lambda: embedder.encode_query(question))
    timed("bare indexed search", lambda: index.bare_search(vector, settings.candidates))
    timed("search by words", lambda: index.matching(question, settings.candidates))
    records = list(index.documents().values())
    timed("question -> hits", lambda: retrieve(index, embedder, plan(question, documents=records), settings=settings))
    named = f"{question} In the annual report of Generated {len(records) // 2:07} Corp"
    timed(
        "question that names a document -> hits",
        lambda: retrieve(index, embedder, plan(named, documents=records), settings=settings),
    )


def _recalls(index: Index, embedder: OnnxEmbedder, questions: Sequence[str], probes: Sequence[int]) -> None:
    vectors = [embedder.encode_query(question) for question in questions]
    exact = [_ids(index.bare_search(vector, DEPTH, exact=True)) for vector in vectors]
    for count in [index_module.PROBES, *probes]:
        index_module.PROBES = count
        start = time.perf_counter()
        found = [_ids(index.bare_search(vector, DEPTH)) for vector in vectors]
        each = (time.perf_counter() - start) / len(vectors) * 1000
        recall = np.mean([len(a & b) / len(a) for a, b in zip(found, exact, strict=True)])
        print(f"  recall@{DEPTH} {recall:.3f} with {count} partitions probed, {each:.1f} ms (goal {GOAL_RECALL})")


def _ids(table: Any) -> set[str]:
    return set(table["id"].to_pylist())


def _at(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent))


if __name__ == "__main__":
    main()
