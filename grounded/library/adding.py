"""Files into the library: prepared by an engine, written in batches.

Order for a document: original and pages first, its chunks next, its row in the index last. A process killed at any
moment leaves the whole document or nothing that is ever found, and what was embedded is not embedded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from grounded.errors import GroundedError, PasswordNeeded, UsageError
from grounded.library.preparing import Engine, Item, Outcome, Prepared
from grounded.library.results import FileResult, PageProgress, Progress, Status, failed, kept
from grounded.library.store import Store
from grounded.retrieval.index import Entry, Index
from grounded.types import DocumentRecord

BATCH_CHUNKS = 512  # written together
BATCH_SECONDS = 10.0  # or after this long, so that a kill costs little


class Source(NamedTuple):
    """A file to add. `shown` is how the user named it, `name` the file name it gets in the library; path: None for an
    original that the library itself holds."""

    shown: str
    name: str
    path: Path | None
    document: str  # sha256 of its bytes


@dataclass
class Adding:
    """One run of adding files."""

    index: Index
    store: Store
    engine: Engine
    makers: tuple[str, str, str]  # extractor, chunker, embedder as they are now
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
            and (record.extractor, record.chunker, record.embedder) == self.makers
            and record.id in self._originals
            and record.id in self._pages
        )

    # ------------------------------------------------------------ reading

    def _read(self, groups: Sequence[Sequence[Source]]) -> Iterator[tuple[Sequence[Source], Outcome]]:
        """Prepare the first file of each group; encrypted ones again with each password."""
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
    ) -> Iterator[tuple[Sequence[Source], Outcome]]:
        with TemporaryDirectory(prefix="grounded-") as scratch:
            items = (self._item(group[0], password, Path(scratch)) for group in groups)
            for number, outcome in self.engine.run(items, cancelled=self.cancelled, progress=self.page_progress):
                (Path(scratch) / groups[number][0].document).unlink(missing_ok=True)
                yield groups[number], outcome

    def _item(self, source: Source, password: str | None, scratch: Path) -> Item:
        """The file as an engine takes it; an original of the library is fetched now."""
        path = source.path or scratch / source.document
        if source.path is None:
            path.write_bytes(self.store.original(source.document))
        return source.name, path, password

    # ------------------------------------------------------------ taking in

    def _take(self, group: Sequence[Source], outcome: Outcome) -> None:
        if isinstance(outcome, GroundedError):
            for source in group:
                self._report(failed(source.shown, outcome))
            return
        if outcome.entry.record.id != group[0].document:
            changed = UsageError("the file changed while it was read", where=group[0].shown, advice="Add it again")
            self._report(failed(group[0].shown, changed))
            return
        before = self.index.documents().get(group[0].document)
        self.store.put(group[0].document, group[0].path, outcome.pages)
        self._ready.append((_entry(outcome, group, before), group, "reindexed" if before else "added"))
        waiting = sum(len(ready.chunks) for ready, _, _ in self._ready)
        if waiting >= BATCH_CHUNKS or time.monotonic() - self._since > BATCH_SECONDS:
            self._write()

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
            record.id: [Source(record.name, record.name, None, record.id)]
            for record in self.index.documents().values()
            if not self.is_current(record) and record.id in self._originals
        }

    @cached_property
    def _originals(self) -> frozenset[str]:
        return self.store.kept("originals")

    @cached_property
    def _pages(self) -> frozenset[str]:
        return self.store.kept("pages")


def _entry(prepared: Prepared, group: Sequence[Source], before: DocumentRecord | None) -> Entry:
    """What goes into the index: a document that was there before keeps its names and its date."""
    kept = {"added": before.added} if before else {}
    record = prepared.entry.record.model_copy(update={"names": _names(before, group), **kept})
    return prepared.entry._replace(record=record)


def _names(record: DocumentRecord | None, group: Sequence[Source]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(record.names if record else ()), *(source.name for source in group)]))


def _by_document(sources: Sequence[Source]) -> dict[str, list[Source]]:
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.document, []).append(source)
    return groups
