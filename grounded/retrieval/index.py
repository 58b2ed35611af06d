"""The index on disk: two LanceDB tables, chunks and documents. The one door to lancedb.

A chunk counts only while a document row names its build, so the document row is the commit point: what a killed
process left behind is never found and is swept by the next writer. Writers hold one lock; readers hold none.
"""

from __future__ import annotations

import functools
import hashlib
import operator
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grounded.errors import GroundedError, LibraryError, LibraryLocked
from grounded.text import english_stem
from grounded.types import Chunk, DocumentRecord

DIMENSIONS = 384
LOCK_SECONDS = 120.0
VECTOR_INDEX_ROWS = 100_000  # below, an exact scan is fast enough and finds everything
REFRESH_ROWS = 50_000  # added since the indexes were brought up to date: searched without one until then
PARTITION_ROWS, PROBES = 4_000, 32  # bench.scale measures both
CACHE_BYTES = 512_000_000, 128_000_000  # of LanceDB, indexes and table metadata: a replica stays below 2 GB
LONG_WORD = 7  # letters
KEEP_VERSIONS = timedelta(minutes=10)  # a reader never holds a version longer than one question

_PLAIN = ("id", "document", "page", "page_label", "text", "section", "kind", "page_kind", "context", "ordinal")

Vectors = NDArray[np.float32]


class WriterLock(Protocol):
    """Keeps all writers but one out, also those on other machines."""

    def held(self, timeout_s: float) -> AbstractContextManager[None]:
        """Hold it. Raises LibraryLocked when somebody else keeps it longer than `timeout_s`."""
        ...

    def check(self) -> None:
        """Raise LibraryError when it has been lost meanwhile."""
        ...


class FolderLock:
    """A locked file. The system frees it when the process dies, so it cannot be lost."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self, timeout_s: float) -> Iterator[None]:
        """Hold the file's lock."""
        from filelock import FileLock, Timeout

        lock = FileLock(self._path, timeout=timeout_s)
        try:
            lock.acquire()
        except Timeout as error:
            raise LibraryLocked(
                "another process is writing to the library",
                where=str(self._path.parent),
                advice="Wait for it to finish, or stop it",
            ) from error
        try:
            yield
        finally:
            lock.release()

    def check(self) -> None:
        """Nothing to look at."""


class Entry(NamedTuple):
    """A document ready for the index: its record, its chunks, and one unit vector and search text for each."""

    record: DocumentRecord
    chunks: Sequence[Chunk]
    vectors: Vectors
    searched: Sequence[str]


class Found(NamedTuple):
    """A row that a search brought back, best first. `score` is a cosine, or BM25 for words."""

    chunk: Chunk
    vector: Vectors
    score: float


def new_build() -> str:
    """A name for the rows of one indexing of one document."""
    return secrets.token_hex(8)


def chunk_digest(chunks: Sequence[Chunk]) -> str:
    """sha256 hex over the ids of a document's chunks, in order."""
    return hashlib.sha256("\n".join(c.id for c in chunks).encode()).hexdigest()


class Index:
    """Chunks with their vectors, and the documents they belong to."""

    def __init__(
        self, place: Path | str, lock: WriterLock | None = None, *, lock_wait_s: float = LOCK_SECONDS, retries: int = 0
    ) -> None:
        """Open the index in the library at `place`, made when absent: a folder, or an address on object storage with
        the lock that works there (credentials come from the environment). lock_wait_s: how long a writer waits for
        another one; retries: of a failed request to object storage.

        Raises LibraryError when it cannot be opened."""
        self._lock_wait_s = lock_wait_s
        self._lock = lock or FolderLock(Path(place) / "write.lock")
        self._where = str(place)
        self._thread_lock = threading.RLock()
        self._records: tuple[int, dict[str, DocumentRecord]] | None = None
        self._parsed: dict[str, DocumentRecord] = {}
        with self._reported("opened"):
            if isinstance(place, Path):
                place.mkdir(parents=True, exist_ok=True)
            self._open(f"{place}/index", {"client_max_retries": str(retries), "client_retry_timeout": "30"})

    # ------------------------------------------------------------ reading

    def documents(self) -> dict[str, DocumentRecord]:
        """The committed documents by id, oldest first. Sees other processes' writes at once."""
        with self._reported("read"):
            version = self._documents.version
        if self._records is None or self._records[0] != version:
            rows = self._documents.search().limit(None).select(["record"]).to_arrow()["record"].to_pylist()
            self._parsed = {row: self._parsed.get(row) or DocumentRecord.model_validate_json(row) for row in rows}
            records = sorted(self._parsed.values(), key=lambda r: (r.added, r.id))
            self._records = version, {record.id: record for record in records}
        return self._records[1]

    def digest(self) -> str:
        """sha256 hex over what is indexed: documents, their chunks, and who made them."""
        parts = (f"{r.id} {r.digest} {r.extractor} {r.chunker} {r.embedder}" for r in self.documents().values())
        return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()

    def nearest(self, vector: Vectors, limit: int, documents: Sequence[str] = ()) -> list[Found]:
        """The chunks closest to a unit vector, best first, in `documents` (empty: all). score: cosine."""
        rows = self._rows(self._by_vector(vector), limit, documents)
        return [Found(chunk, stored, float(stored @ vector)) for chunk, stored, _ in rows]

    def matching(
        self, words: str, limit: int, documents: Sequence[str] = (), kinds: Sequence[str] = (), *, near: bool = False
    ) -> list[Found]:
        """The chunks that share words with `words`, best first, in `documents` and on pages of `kinds` (empty: all).
        score: BM25, whatever is left out. near: of one word; those that begin with its first letter and differ from it
        in one letter, or in two where it is long, count too."""
        from lancedb.expr import col
        from lancedb.query import MatchQuery

        if not words.strip():
            return []
        query = _near(words) if near else MatchQuery(words, "searched")
        found = self._chunks.search(query, query_type="fts")
        return self._rows(found, limit, documents, [col("page_kind").isin(list(kinds))] if kinds else [])

    def saying(self, phrase: str, limit: int, documents: Sequence[str] = ()) -> list[Found]:
        """The chunks that say `phrase` word for word, best first, in `documents` (empty: all). score: BM25."""
        from lancedb.query import PhraseQuery

        return self._rows(self._chunks.search(PhraseQuery(phrase, "searched"), query_type="fts"), limit, documents)

    def bare_search(self, vector: Vectors, limit: int, *, exact: bool = False) -> Any:
        """One LanceDB vector search and nothing else: the floor that benchmarks compare with. exact: every vector is
        compared, whatever the index."""
        query = self._by_vector(vector)
        return (query.bypass_vector_index() if exact else query).limit(limit).to_arrow()

    def count(self) -> int:
        """How many chunk rows the index holds, swept or not."""
        return int(self._chunks.count_rows())

    def chunks(self, document: str) -> list[Chunk]:
        """All chunks of a document in reading order."""
        return [found.chunk for found in self.rows(document)]

    def rows(self, *documents: str) -> list[Found]:
        """All chunks of some documents (none given: of all), with their vectors, in reading order."""
        found = self._rows(self._chunks.search(), None, documents)
        return sorted(found, key=lambda row: (row.chunk.document, row.chunk.ordinal))

    # ------------------------------------------------------------ writing

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the one writer lock. Raises LibraryLocked when another process keeps it too long."""
        with self._thread_lock, self._reported("written"), self._lock.held(self._lock_wait_s):
            yield

    def commit(self, entries: Sequence[Entry]) -> None:
        """Add or replace documents: their chunks in one write, then the rows that make them count."""
        if not entries:
            return
        with self.writing():
            self._sweep()
            table = _chunk_rows(entries)
            if table.num_rows:
                self._chunks.add(table)
            self._lock.check()
            self._put([entry.record for entry in entries])
        if self._unindexed() > REFRESH_ROWS:
            self.optimize()

    def update(self, record: DocumentRecord) -> None:
        """Replace a document's row (names, for example), leaving its chunks alone."""
        with self.writing():
            self._put([record])

    def remove(self, document: str) -> None:
        """Take a document out. From the first step on it is not found any more."""
        from lancedb.expr import col, lit

        with self.writing():
            self._documents.delete(col("id") == lit(document))
            self._sweep()

    def optimize(self) -> None:
        """Merge small files, bring the indexes up to date, and make those that the table has come to need."""
        with self.writing():
            self._sweep()
            for table in (self._chunks, self._documents):
                table.optimize(cleanup_older_than=KEEP_VERSIONS)
            self._make_indexes()

    # ------------------------------------------------------------ inside

    @contextmanager
    def _reported(self, done: str) -> Iterator[None]:
        try:
            yield
        except GroundedError:
            raise
        except Exception as error:  # lancedb raises plain RuntimeError, OSError and ValueError
            raise LibraryError(
                f"the index cannot be {done} ({str(error)[:300]})",
                where=self._where,
                advice="Check that its place can be read and written; `library verify` says what is damaged",
            ) from error

    def _open(self, folder: str, options: dict[str, str]) -> None:
        import lancedb

        session = lancedb.Session(*CACHE_BYTES)
        self._db = lancedb.connect(
            folder, read_consistency_interval=timedelta(0), session=session, storage_options=options
        )
        if {"chunks", "documents"} - set(self._names()):
            with self.writing():
                self._create()
        self._chunks = self._db.open_table("chunks")
        self._documents = self._db.open_table("documents")

    def _names(self) -> list[str]:
        return list(self._db.list_tables().tables)

    def _create(self) -> None:
        from lancedb.index import FTS

        present = self._names()
        if "chunks" not in present:
            self._db.create_table("chunks", schema=_chunk_schema())
        chunks = self._db.open_table("chunks")
        if not chunks.list_indices():
            chunks.create_index("searched", config=FTS(with_position=True, stem=True, remove_stop_words=False))
        if "documents" not in present:
            self._db.create_table("documents", schema=_document_schema())

    def _put(self, records: Sequence[DocumentRecord]) -> None:
        """Write document rows. Names that another process gave a document meanwhile are kept."""
        import pyarrow as pa

        known = self.documents()
        records = [_with_names(record, known.get(record.id)) for record in records]
        rows = {
            "id": [r.id for r in records],
            "build": [r.build for r in records],
            "record": [r.model_dump_json() for r in records],
        }
        merge = self._documents.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(pa.table(rows, schema=_document_schema()))

    def _sweep(self) -> None:
        """Delete chunk rows that no document row names: left by a killed writer, a replacement or a removal."""
        from lancedb.expr import col

        if self._chunks.count_rows() == sum(record.chunks for record in self.documents().values()):
            return
        builds = set(self._chunks.search().limit(None).select(["build"]).to_arrow()["build"].unique().to_pylist())
        if orphans := sorted(builds - {r.build for r in self.documents().values()}):
            self._chunks.delete(col("build").isin(orphans))

    def _rows(
        self, query: Any, limit: int | None, documents: Sequence[str], conditions: Sequence[Any] = ()
    ) -> list[Found]:
        """The committed chunks a query brings, in its order, never the same one twice. score: `_score`, else 0."""
        from lancedb.expr import col

        within = [col("document").isin(list(documents))] if documents else []
        if where := [*within, *conditions]:
            query = query.where(functools.reduce(operator.and_, where))
        table = query.limit(limit).to_arrow()
        vectors = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, DIMENSIONS)
        records = self.documents()
        found: dict[str, Found] = {}
        for row, vector in zip(table.drop_columns(["vector", "searched"]).to_pylist(), vectors, strict=True):
            record = records.get(row["document"])
            if record and record.build == row["build"] and row["id"] not in found:
                found[row["id"]] = Found(_chunk(row, record), vector, row.get("_score", 0.0))
        return list(found.values())

    def _by_vector(self, vector: Vectors) -> Any:
        query = self._chunks.search(vector, query_type="vector", vector_column_name="vector")
        return query.distance_type("dot").nprobes(PROBES)

    def _unindexed(self) -> int:
        """Chunks that the word index does not know yet."""
        names = [index.name for index in self._chunks.list_indices() if "searched" in index.columns]
        return int(self._chunks.index_stats(names[0]).num_unindexed_rows)

    def _make_indexes(self) -> None:
        """An index over vectors and one over documents, once the table is large; the first again, in more partitions,
        when it has grown to twice what it was made for. Its name says its partitions."""
        from lancedb.index import BTree, IvfFlat

        rows = self._chunks.count_rows()
        if rows < VECTOR_INDEX_ROWS:
            return
        present = {index.name for index in self._chunks.list_indices()}
        if "document" not in present:
            self._chunks.create_index("document", config=BTree(), name="document")
        made = {name: int(name.removeprefix("vector_")) for name in present if name.startswith("vector_")}
        partitions = rows // PARTITION_ROWS
        if partitions >= 2 * max(made.values(), default=0):
            config = IvfFlat(distance_type="dot", num_partitions=partitions)
            self._chunks.create_index("vector", config=config, name=f"vector_{partitions}")
            for name in made:
                self._chunks.drop_index(name)


def _near(word: str) -> Any:
    """The search for words spelled nearly like one: the index keeps stems, and takes a fuzzy word as it comes."""
    from lancedb.query import MatchQuery

    stem = english_stem(word.casefold())
    return MatchQuery(stem, "searched", fuzziness=1 if len(stem) < LONG_WORD else 2, prefix_length=1)


def _with_names(record: DocumentRecord, known: DocumentRecord | None) -> DocumentRecord:
    names = tuple(dict.fromkeys([*record.names, *(known.names if known else ())]))
    return record if names == record.names else record.model_copy(update={"names": names})


def _chunk(row: Mapping[str, Any], record: DocumentRecord) -> Chunk:
    """A stored row as a chunk. It was validated when it was made, and is shown under the document's present name."""
    return Chunk.model_construct(
        **{name: row[name] for name in _PLAIN}, source_name=record.name, span=(row["start"], row["end"])
    )


def _chunk_schema() -> Any:
    import pyarrow as pa

    strings = ["id", "document", "build", "page_label", "text", "section", "kind", "page_kind", "context", "searched"]
    numbers = ["page", "start", "end", "ordinal"]
    fields = [pa.field(name, pa.string()) for name in strings] + [pa.field(name, pa.int32()) for name in numbers]
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), DIMENSIONS))])


def _document_schema() -> Any:
    import pyarrow as pa

    return pa.schema([pa.field(name, pa.string()) for name in ("id", "build", "record")])


def _chunk_rows(entries: Sequence[Entry]) -> Any:
    import pyarrow as pa

    schema = _chunk_schema()
    rows = [
        {**chunk.model_dump(exclude={"span", "source_name"}), "start": chunk.span[0], "end": chunk.span[1]}
        | {"build": entry.record.build, "searched": searched}
        for entry in entries
        for chunk, searched in zip(entry.chunks, entry.searched, strict=True)
    ]
    vectors = np.concatenate([e.vectors.reshape(-1, DIMENSIONS) for e in entries]).astype(np.float32)
    columns = [pa.array([row[name] for row in rows], schema.field(name).type) for name in schema.names[:-1]]
    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel(), pa.float32()), DIMENSIONS)
    return pa.Table.from_arrays([*columns, flat], schema=schema)
