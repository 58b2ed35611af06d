"""Files into the library: read in worker processes, cut, embedded, written in batches.

Order for a document: original and pages on disk first, its chunks next, its row in the index last. A process killed at
any moment leaves the whole document or nothing that is ever found, and what was embedded is not embedded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from grounded.documents import extractor_name, read_many, write_archive
from grounded.documents.chunks import CHUNKER, chunk
from grounded.errors import Cancelled, GroundedError, PasswordNeeded, UsageError
from grounded.library.results import FileResult, PageProgress, Progress, Status, failed, kept
from grounded.library.store import Store
from grounded.library.vectors import VectorCache, Vectors
from grounded.retrieval.cards import CARDS, make_card
from grounded.retrieval.embed import Embedder
from grounded.retrieval.index import Entry, Index, chunk_digest, new_build
from grounded.settings import DocumentSettings
from grounded.types import Chunk, Document, DocumentRecord

MAKER = f"{CHUNKER} / {CARDS}"  # chunks and cards belong to it: when it changes, documents are indexed again
BATCH_CHUNKS = 512  # written together
BATCH_SECONDS = 10.0  # or after this long, so that a kill costs little
SLICE = 128  # chunks embedded between two looks at `cancelled`


class Source(NamedTuple):
    """A file to add. `shown` is how the user named it, `name` the file name it gets in the library."""

    shown: str
    name: str
    path: Path
    document: str  # sha256 of its bytes


@dataclass
class Adding:
    """One run of adding files."""

    index: Index
    store: Store
    vectors: VectorCache
    embedder: Embedder
    settings: DocumentSettings
    passwords: Sequence[str]
    progress: Progress
    page_progress: PageProgress
    cancelled: Callable[[], bool]
    total: int = 0
    results: list[FileResult] = field(default_factory=list)
    _ready: list[tuple[Entry, Sequence[Source], Status]] = field(default_factory=list)
    _since: float = field(default_factory=time.monotonic)

    def run(self, sources: Sequence[Source]) -> list[FileResult]:
        """Add the files, and index again what was indexed under other settings. Results in the order they came."""
        groups = self._stale() | _by_document(sources)
        self.total = sum(map(len, groups.values()))
        known = self.index.documents()
        fresh = {key: group for key, group in groups.items() if not self.is_current(known.get(key))}
        for key in groups.keys() - fresh.keys():
            self._name(known[key], groups[key])
        try:
            for group, outcome in self._read(list(fresh.values())):
                self._take(group, outcome)
        finally:
            self._write()
            if self.results:
                self.index.optimize()
        return self.results

    def is_current(self, record: DocumentRecord | None) -> bool:
        """Is it indexed as it would be now, with its files in place?"""
        return (
            record is not None
            and (record.extractor, record.chunker, record.embedder) == self._makers()
            and self.store.is_complete(record.id)
        )

    # ------------------------------------------------------------ reading

    def _read(self, groups: Sequence[Sequence[Source]]) -> Iterator[tuple[Sequence[Source], Document | GroundedError]]:
        """Read the first file of each group; encrypted ones again with each password."""
        locked: list[tuple[Sequence[Source], GroundedError]] = []
        for group, outcome in self._read_with(groups, None):
            if isinstance(outcome, PasswordNeeded) and self.passwords:
                locked.append((group, outcome))
            else:
                yield group, outcome
        for password in self.passwords:
            tried, locked = [group for group, _ in locked], []
            for group, outcome in self._read_with(tried, password):
                if isinstance(outcome, PasswordNeeded):
                    locked.append((group, outcome))
                else:
                    yield group, outcome
        yield from locked

    def _read_with(
        self, groups: Sequence[Sequence[Source]], password: str | None
    ) -> Iterator[tuple[Sequence[Source], Document | GroundedError]]:
        items = [(group[0].name, group[0].path, password) for group in groups]
        outcomes = read_many(items, self.settings, cancelled=self.cancelled, progress=self.page_progress)
        for group, (_, outcome) in zip(groups, outcomes, strict=True):
            yield group, outcome

    # ------------------------------------------------------------ taking in

    def _take(self, group: Sequence[Source], outcome: Document | GroundedError) -> None:
        if isinstance(outcome, GroundedError):
            for source in group:
                self._report(failed(source.shown, outcome))
            return
        if outcome.id != group[0].document:
            changed = UsageError("the file changed while it was read", where=group[0].shown, advice="Add it again")
            self._report(failed(group[0].shown, changed))
            return
        before = self.index.documents().get(outcome.id)
        entry = self._entry(outcome, group, before)
        self._ready.append((entry, group, "reindexed" if before else "added"))
        waiting = sum(len(ready.chunks) for ready, _, _ in self._ready)
        if waiting >= BATCH_CHUNKS or time.monotonic() - self._since > BATCH_SECONDS:
            self._write()

    def _entry(self, document: Document, group: Sequence[Source], before: DocumentRecord | None) -> Entry:
        self.store.put_original(document.id, group[0].path)
        write_archive(document, self.store.new_pages(document.id))
        limit = self.embedder.max_tokens
        chunks = chunk(document, count_tokens=self.embedder.count_tokens, max_tokens=limit)
        texts = [searched(c) for c in chunks]
        record = self._record(document, chunks, _names(before, group), before)
        return Entry(record, chunks, self._embed(texts), texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        parts: list[Vectors] = []
        for start in range(0, max(len(texts), 1), SLICE):
            if self.cancelled():
                raise Cancelled(
                    "indexing was stopped", advice="Run the same command again: it goes on where it stopped"
                )
            parts.append(self.vectors.encode(self.embedder, texts[start : start + SLICE]))
        return join(parts)

    def _record(
        self, document: Document, chunks: Sequence[Chunk], names: tuple[str, ...], before: DocumentRecord | None
    ) -> DocumentRecord:
        extractor, chunker, embedder = self._makers()
        coverage = document.coverage
        return DocumentRecord(
            id=document.id,
            names=names,
            title=document.title,
            pages=len(document.pages),
            readable_pages=len(coverage.readable),
            chunks=len(chunks),
            sections=len(document.sections),
            extractor=extractor,
            chunker=chunker,
            embedder=embedder,
            added=before.added if before else datetime.now(UTC).isoformat(timespec="microseconds"),
            coverage=coverage,
            card=make_card(document),
            build=new_build(),
            digest=chunk_digest(chunks),
        )

    def _makers(self) -> tuple[str, str, str]:
        return extractor_name(self.settings), MAKER, self.embedder.digest

    # ------------------------------------------------------------ writing

    def _write(self) -> None:
        ready, self._ready, self._since = self._ready, [], time.monotonic()
        if not ready:
            return
        self.index.commit([entry for entry, _, _ in ready])
        for entry, group, status in ready:
            self._report(kept(group[0].shown, status, entry.record))
            for source in group[1:]:
                self._report(kept(source.shown, "renamed", entry.record))

    def _name(self, record: DocumentRecord, group: Sequence[Source]) -> None:
        """Files whose bytes are there already: the document gets their names too."""
        names = _names(record, group)
        if names != record.names:
            self.index.update(record.model_copy(update={"names": names}))
        for source in group:
            self._report(kept(source.shown, "unchanged" if source.name in record.names else "renamed", record))

    def _report(self, result: FileResult) -> None:
        self.results.append(result)
        self.progress(len(self.results), self.total, result)

    def _stale(self) -> dict[str, list[Source]]:
        """Documents of the library that were indexed under other settings, as files to add again."""
        return {
            record.id: [Source(record.name, record.name, self.store.original_path(record.id), record.id)]
            for record in self.index.documents().values()
            if not self.is_current(record) and self.store.original_path(record.id).exists()
        }


def searched(chunk: Chunk) -> str:
    """What of a chunk is embedded and searched: its context and its text."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def join(parts: Sequence[Vectors]) -> Vectors:
    """The rows of the parts, one below the other."""
    import numpy as np

    return np.concatenate(parts)


def _names(record: DocumentRecord | None, group: Sequence[Source]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(record.names if record else ()), *(source.name for source in group)]))


def _by_document(sources: Sequence[Source]) -> dict[str, list[Source]]:
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.document, []).append(source)
    return groups
