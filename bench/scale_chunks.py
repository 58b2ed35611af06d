"""Any number of chunks that are like real ones: words and vectors mixed from those of public documents.

A generated chunk has a real chunk as its centre. Its vector is a random mixture of the centre's and its nearest
neighbours' vectors, its text is made of runs of words from the same chunks: vocabulary, word frequencies, runs and the
crowding of vectors stay those of real documents, and every chunk is another one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grounded.retrieval.embed import Vectors
from grounded.retrieval.export import WEIGHTS_SHA256
from grounded.retrieval.index import Entry, Index, chunk_digest, new_build
from grounded.types import Card, Chunk, Coverage, DocumentRecord

PER_DOCUMENT = 100
NEIGHBOURS = 12
RUN, RUNS = 15, 8  # words in a run, runs in a chunk
AT_ONCE = 2048  # rows in one block of the neighbour search


class Seeds(NamedTuple):
    """Real chunks: their words, unit vectors (n, 384), and for each the rows of itself and its nearest (n, 12)."""

    words: Sequence[Sequence[str]]
    sections: Sequence[str]
    vectors: Vectors
    near: NDArray[np.int64]


def seeds(index: Index) -> Seeds:
    """All distinct chunks of an index."""
    found = list({row.chunk.text: row for row in index.rows()}.values())
    chunks, vectors = [row.chunk for row in found], np.stack([row.vector for row in found])
    near = [np.argsort(-(part @ vectors.T), axis=1)[:, :NEIGHBOURS] for part in np.split(vectors, _blocks(vectors))]
    return Seeds([c.text.split() for c in chunks], [c.section for c in chunks], vectors, np.concatenate(near))


def _blocks(vectors: Vectors) -> Any:
    return np.arange(AT_ONCE, len(vectors), AT_ONCE)


def entry(real: Seeds, number: int) -> Entry:
    """The generated document with that number: always the same one."""
    rng = np.random.default_rng(number)
    centres = rng.integers(len(real.words), size=PER_DOCUMENT)
    shares = rng.dirichlet([0.3] * NEIGHBOURS, size=PER_DOCUMENT).astype(np.float32)
    vectors = np.einsum("ij,ijk->ik", shares, real.vectors[real.near[centres]])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    document = hashlib.sha256(f"generated {number}".encode()).hexdigest()
    texts = [_text(real, rng, real.near[c], s) for c, s in zip(centres, shares, strict=True)]
    chunks = [_chunk(document, place, texts[place], real.sections[c]) for place, c in enumerate(centres)]
    return Entry(_record(document, number, chunks), chunks, vectors, texts)


def _text(real: Seeds, rng: np.random.Generator, near: NDArray[np.int64], shares: Vectors) -> str:
    """Runs of words, taken from the neighbours in the shares that their vectors have."""
    runs: list[str] = []
    for source in rng.choice(near, size=RUNS, p=shares / shares.sum(dtype=np.float64)):
        words = real.words[source]
        start = int(rng.integers(max(1, len(words) - RUN)))
        runs.extend(words[start : start + RUN])
    return " ".join(runs)


def _chunk(document: str, place: int, text: str, section: str) -> Chunk:
    return Chunk(
        id=hashlib.sha256(f"{document}{place}".encode()).hexdigest(),
        document=document,
        source_name="generated.pdf",
        page=place + 1,
        page_label=str(place + 1),
        span=(0, len(text)),
        text=text,
        section=section,
        ordinal=place,
    )


def _record(document: str, number: int, chunks: Sequence[Chunk]) -> DocumentRecord:
    company = f"Generated {number:07} Corp"
    return DocumentRecord(
        id=document,
        names=(f"filing-{number:07}.pdf",),
        pages=PER_DOCUMENT,
        readable_pages=PER_DOCUMENT,
        chunks=PER_DOCUMENT,
        extractor="generated",
        chunker="generated",
        embedder=WEIGHTS_SHA256,
        added=f"{number:07}",
        coverage=Coverage(pages=PER_DOCUMENT, readable=tuple(range(1, PER_DOCUMENT + 1))),
        card=Card(kind="annual report", names=(company,), period_end="2024-12-31", head=chunks[0].text[:300]),
        build=new_build(),
        digest=chunk_digest(chunks),
    )
