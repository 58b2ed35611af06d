"""Files to what the index takes: read, cut into chunks, embedded. Here on this machine; on a Ray cluster: cluster.py.

An engine yields outcomes in any order, each with the number of its file; chunks and records are the same whoever made
them, because `prepare` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from grounded.documents import extractor_name, pack_pages, read_many
from grounded.documents.chunks import CHUNKER, chunk
from grounded.errors import Cancelled, GroundedError
from grounded.library.results import PageProgress
from grounded.library.vectors import VectorCache, Vectors
from grounded.retrieval.cards import CARDS, make_card
from grounded.retrieval.embed import DIMENSIONS, Embedder
from grounded.retrieval.index import Entry, chunk_digest, new_build
from grounded.settings import DocumentSettings
from grounded.types import Chunk, Document, DocumentRecord

MAKER = f"{CHUNKER} / {CARDS}"  # chunks and cards belong to it: when it changes, documents are indexed again
SLICE = 128  # chunks embedded between two looks at `cancelled`

Item = tuple[str, Path, str | None]  # name, file, password
Cancel = Callable[[], bool]


class Prepared(NamedTuple):
    """A document ready for the library: what the index takes, and its packed pages."""

    entry: Entry
    pages: bytes


Outcome = Prepared | GroundedError


class Engine(Protocol):
    """Prepares many files."""

    def run(self, items: Iterable[Item], *, cancelled: Cancel, progress: PageProgress) -> Iterator[tuple[int, Outcome]]:
        """Outcomes with the number of their item. Items are taken as they can be worked on, never far ahead.

        Raises Cancelled when `cancelled()` turns true; what was yielded before stays valid."""
        ...


class LocalEngine:
    """Reads in worker processes of this machine, embeds in this process."""

    def __init__(self, settings: DocumentSettings, embedder: Embedder, vectors: VectorCache) -> None:
        self._settings, self._embedder, self._vectors = settings, embedder, vectors

    def run(self, items: Iterable[Item], *, cancelled: Cancel, progress: PageProgress) -> Iterator[tuple[int, Outcome]]:
        """Outcomes in the order of the items."""
        read = read_many(items, self._settings, cancelled=cancelled, progress=progress)
        for number, (_, outcome) in enumerate(read):
            yield number, outcome if isinstance(outcome, GroundedError) else self._prepare(outcome, cancelled)

    def _prepare(self, document: Document, cancelled: Cancel) -> Prepared:
        prepared = prepare(document, self._settings, self._embedder)
        texts = prepared.entry.searched
        parts: list[Vectors] = []
        for start in range(0, len(texts), SLICE):
            if cancelled():
                raise stopped()
            parts.append(self._vectors.encode(self._embedder, texts[start : start + SLICE]))
        return with_vectors(prepared, parts)


def prepare(document: Document, settings: DocumentSettings, embedder: Embedder) -> Prepared:
    """Everything of a document but its vectors. Its record is that of a document that is new to the library."""
    chunks = chunk(document, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    entry = Entry(_record(document, chunks, settings, embedder), chunks, _no_vectors(), [searched(c) for c in chunks])
    return Prepared(entry, pack_pages(document))


def with_vectors(prepared: Prepared, parts: Sequence[Vectors]) -> Prepared:
    """The same with the rows of the parts as vectors, one part below the other."""
    import numpy as np

    return prepared._replace(entry=prepared.entry._replace(vectors=np.concatenate([_no_vectors(), *parts])))


def makers(settings: DocumentSettings, embedder: Embedder) -> tuple[str, str, str]:
    """What a record says it was made by: extractor, chunker, embedder."""
    return extractor_name(settings), MAKER, embedder.digest


def searched(chunk: Chunk) -> str:
    """What of a chunk is embedded and searched: its context and its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def stopped() -> Cancelled:
    """What a cancelled run raises."""
    return Cancelled("indexing was stopped", advice="Run the same command again: it goes on where it stopped")


def _no_vectors() -> Vectors:
    import numpy as np

    return np.empty((0, DIMENSIONS), np.float32)


def _record(
    document: Document, chunks: Sequence[Chunk], settings: DocumentSettings, embedder: Embedder
) -> DocumentRecord:
    extractor, chunker, digest = makers(settings, embedder)
    coverage = document.coverage
    return DocumentRecord(
        id=document.id,
        names=(document.name,),
        title=document.title,
        pages=len(document.pages),
        readable_pages=len(coverage.readable),
        chunks=len(chunks),
        sections=len(document.sections),
        extractor=extractor,
        chunker=chunker,
        embedder=digest,
        added=datetime.now(UTC).isoformat(timespec="microseconds"),
        coverage=coverage,
        card=make_card(document),
        build=new_build(),
        digest=chunk_digest(chunks),
    )
