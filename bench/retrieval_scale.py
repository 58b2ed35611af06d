"""Latency by stage and memory at many chunks, against query embedding + one bare LanceDB vector search."""

from __future__ import annotations

import hashlib
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from grounded.retrieval.embed import DIMENSIONS, OnnxEmbedder, load_embedder
from grounded.retrieval.export import WEIGHTS_SHA256
from grounded.retrieval.index import Entry, Index, chunk_digest, new_build
from grounded.retrieval.plan import plan
from grounded.retrieval.search import retrieve
from grounded.settings import RetrievalSettings
from grounded.types import Chunk, Coverage, DocumentRecord

PER_DOCUMENT, WORDS_PER_CHUNK, VOCABULARY = 100, 120, 30_000
ROUNDS = 15
QUESTIONS = (
    "What is the termination fee under the license agreement?",
    "How much capital expenditure did the company report?",
    "Which word42 stands beside word777 and word12345?",
)


def measure(size: int, cache: Path) -> None:
    """Build (once) an index of `size` invented chunks and print the median latency of every stage."""
    index = Index(cache / f"scale-{size}")
    if not index.documents():
        _fill(index, size)
    embedder, settings = load_embedder(), RetrievalSettings()
    stages: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        _round(index, embedder, settings, QUESTIONS[number % len(QUESTIONS)], stages)
    medians = {name: statistics.median(times[1:]) * 1000 for name, times in stages.items()}
    floor = medians["embed"] + medians["bare vector search"]
    print(f"\n{size:,} chunks; medians of {ROUNDS} questions, ms")
    for name, value in medians.items():
        print(f"  {name:24}{value:8.1f}")
    asked = medians["plan"] + medians["question -> hits"]
    print(f"  question -> hits / (embed + bare search) = {asked / floor:.2f}")
    print(f"  memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _round(
    index: Index, embedder: OnnxEmbedder, settings: RetrievalSettings, question: str, stages: dict[str, list[float]]
) -> None:
    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = work()
        stages.setdefault(name, []).append(time.perf_counter() - start)
        return result

    vector = timed("embed", lambda: embedder.encode_query(question))
    timed("bare vector search", lambda: index.bare_search(vector, settings.top_k))
    timed("vectors", lambda: index.nearest(vector, settings.candidates))
    timed("words", lambda: index.matching(question, settings.candidates))
    asked = timed("plan", lambda: plan(question, documents=list(index.documents().values())))
    timed("question -> hits", lambda: retrieve(index, embedder, asked, settings=settings))


def _fill(index: Index, size: int) -> None:
    rng = np.random.default_rng(7)
    shares = 1 / np.arange(1, VOCABULARY + 1)
    bounds = np.cumsum(shares / shares.sum())
    for start in range(0, size, PER_DOCUMENT * 10):
        index.commit([_entry(rng, bounds, f"{start}-{n}") for n in range(10)])
    index.optimize()


def _entry(rng: np.random.Generator, bounds: Any, name: str) -> Entry:
    """A document of words drawn by Zipf's law, with random unit vectors."""
    document = hashlib.sha256(name.encode()).hexdigest()
    drawn = np.searchsorted(bounds, rng.random((PER_DOCUMENT, WORDS_PER_CHUNK)))
    chunks = list(_chunks(document, [" ".join(f"word{i}" for i in row) for row in drawn]))
    vectors = rng.normal(size=(PER_DOCUMENT, DIMENSIONS)).astype(np.float32)
    record = DocumentRecord(
        id=document,
        names=(f"{name}.pdf",),
        pages=PER_DOCUMENT,
        readable_pages=PER_DOCUMENT,
        chunks=PER_DOCUMENT,
        extractor="invented",
        chunker="invented",
        embedder=WEIGHTS_SHA256,
        added=name,
        coverage=Coverage(pages=PER_DOCUMENT),
        build=new_build(),
        digest=chunk_digest(chunks),
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Entry(record, chunks, vectors, [c.text for c in chunks])


def _chunks(document: str, texts: list[str]) -> Iterator[Chunk]:
    for number, text in enumerate(texts):
        yield Chunk(
            id=hashlib.sha256(f"{document}{number}".encode()).hexdigest(),
            document=document,
            source_name="invented.pdf",
            page=number + 1,
            page_label=str(number + 1),
            span=(0, len(text)),
            text=text,
            section=f"Section {number % 9}",
            ordinal=number,
        )
