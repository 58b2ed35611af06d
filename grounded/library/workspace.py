"""The library as the rest of the program sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from grounded import locations
from grounded.documents import PageArchive
from grounded.errors import GroundedError, LibraryError, UsageError
from grounded.library.adding import Adding, Source
from grounded.library.lease import Lease
from grounded.library.places import LocalPlace, ObjectPlace
from grounded.library.preparing import Engine, LocalEngine, makers
from grounded.library.results import FileResult, Finding, PageProgress, Progress, failed
from grounded.library.store import Store, document_id
from grounded.library.vectors import VectorCache
from grounded.retrieval.embed import Embedder, load_embedder
from grounded.retrieval.index import Index, chunk_digest
from grounded.settings import Settings
from grounded.types import DocumentRecord, Page

if TYPE_CHECKING:
    from grounded.library.cluster import RayEngine

OPEN_ARCHIVES = 16  # page archives kept open
RECENT_PAGES = 32  # pages kept in memory: one answer reads the same few again and again


class Library:
    """A library: a folder, or an address on object storage. Cheap to open; the embedder is loaded when first needed.
    It is a `types.PageSource`."""

    def __init__(self, uri: str, *, settings: Settings | None = None, embedder: Embedder | None = None) -> None:
        """Open the library at `uri`, made when absent. Raises LibraryError when it cannot be opened."""
        self.uri = uri
        self.settings = settings or Settings()
        wait = self.settings.documents.lock_wait_s
        if "://" in uri:
            storage = self.settings.storage
            place = ObjectPlace(uri, storage.retries)
            self.index = Index(
                uri.rstrip("/"), Lease(place, storage.lease_s), lock_wait_s=wait, retries=storage.retries
            )
            self._store, vectors = Store(place), locations.cache()
        else:
            self.index = Index(Path(uri), lock_wait_s=wait)
            self._store, vectors = Store(LocalPlace(Path(uri))), Path(uri)
        self._vectors = VectorCache(vectors / "vectors.sqlite3")
        self._embedder = embedder
        self._archives: dict[tuple[str, str], PageArchive] = {}
        self._pages: dict[tuple[int, int], tuple[PageArchive, Page]] = {}
        self._lock = threading.Lock()

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded on first use."""
        with self._lock:
            if self._embedder is None:
                self._embedder = load_embedder()
            return self._embedder

    # ------------------------------------------------------------ documents

    def documents(self) -> list[DocumentRecord]:
        """The documents, oldest first."""
        return list(self.index.documents().values())

    def find(self, id_or_name: str) -> DocumentRecord:
        """The document with that id (or its first characters, eight at least), or that file name.

        Raises LibraryError when there is none, or more than one.
        """
        records = self.documents()
        fitting = [r for r in records if r.id == id_or_name] or [r for r in records if id_or_name in r.names]
        if not fitting and len(id_or_name) >= 8:
            fitting = [r for r in records if r.id.startswith(id_or_name.lower())]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            ids = ", ".join(r.id[:12] for r in fitting)
            raise LibraryError(f"{len(fitting)} documents have this name", where=id_or_name, advice=f"Use an id: {ids}")
        raise LibraryError("the library has no such document", where=id_or_name, advice="`library` lists what it has")

    def remove(self, document: str) -> None:
        """Take a document out of retrieval. Its original and pages stay aside, so that old answers still open."""
        if document not in self.index.documents():
            raise LibraryError("the library has no such document", where=document, advice="`library` lists what it has")
        self.index.remove(document)
        self._store.retire(document)

    def rename(self, document: str, name: str) -> DocumentRecord:
        """Show a document under another name; the names it came under stay known."""
        record = self.find(document)
        if not name.strip():
            raise UsageError("a document needs a name", where=record.name)
        renamed = record.model_copy(update={"names": tuple(dict.fromkeys([name.strip(), *record.names]))})
        self.index.update(renamed)
        return renamed

    @property
    def index_digest(self) -> str:
        """sha256 hex over what is indexed and by whom: equal digests search the same passages."""
        return self.index.digest()

    # ------------------------------------------------------------ pages

    def original(self, document: str) -> bytes:
        """The PDF's bytes, of removed documents too."""
        return self._store.original(document)

    def page(self, document: str, number: int) -> Page:
        """A page as it was read, of removed documents too. Raises IndexError for a page the document has not."""
        archive = self._archive(document)
        key = id(archive), number
        with self._lock:
            kept = self._pages.get(key)
        if kept is not None and kept[0] is archive:
            return kept[1]
        page = archive.page(number)
        with self._lock:
            self._pages[key] = archive, page
            if len(self._pages) > RECENT_PAGES:
                del self._pages[next(iter(self._pages))]
        return page

    def page_count(self, document: str) -> int:
        """How many pages the document has."""
        return self._archive(document).page_count

    def section_at(self, document: str, page: int, offset: int) -> str:
        """Path of the section in force there, joined by ' › '; "" before the first heading."""
        return " › ".join(self._archive(document).section_at(page, offset))

    def name(self, document: str) -> str:
        """The name a document is shown under; a removed one keeps the name it was read under."""
        record = self.index.documents().get(document)
        return record.name if record else self._archive(document).name

    def _archive(self, document: str) -> PageArchive:
        place, stamp = self._store.pages(document)
        key = document, stamp  # a document that was read again has a new file
        with self._lock:
            if key not in self._archives:
                self._archives[key] = PageArchive(self._store.open(place), document)
                if len(self._archives) > OPEN_ARCHIVES:
                    del self._archives[next(iter(self._archives))]
            return self._archives[key]

    # ------------------------------------------------------------ adding

    def add(
        self,
        paths: Sequence[Path],
        *,
        passwords: Sequence[str] = (),
        progress: Progress = lambda done, total, result: None,
        page_progress: PageProgress = lambda name, done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
        engine: Engine | None = None,
    ) -> list[FileResult]:
        """Add PDFs: files, and all the PDFs below folders. A bad file is a result, never an exception. Documents that
        were indexed under other settings are indexed again on the way. engine: who reads and embeds (default: this
        machine); see `ray_engine`.

        Raises UsageError for a path that does not exist, LibraryLocked, and Cancelled: what was done until then stays,
        and the same call later goes on from there.
        """
        sources, unread = _sources(paths)
        adding = self._adding(passwords, progress, page_progress, cancelled, engine)
        for result in unread:
            progress(0, len(sources), result)
        return [*unread, *adding.run(sources)]

    def add_bytes(
        self,
        name: str,
        data: bytes,
        *,
        passwords: Sequence[str] = (),
        page_progress: PageProgress = lambda name, done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> FileResult:
        """Add one PDF that is in memory. `name` is only ever a label."""
        uploads = [(name, data)]
        results = self.add_uploads(uploads, passwords=passwords, page_progress=page_progress, cancelled=cancelled)
        return next(r for r in results if r.path == name)

    def add_uploads(
        self,
        uploads: Sequence[tuple[str, bytes]],
        *,
        passwords: Sequence[str] = (),
        progress: Progress = lambda done, total, result: None,
        page_progress: PageProgress = lambda name, done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[FileResult]:
        """Add PDFs that are in memory, (name, bytes) each. Names are only ever labels. Otherwise as `add`."""
        with TemporaryDirectory(prefix="grounded-") as folder:
            sources = []
            for number, (name, data) in enumerate(uploads):
                path = Path(folder) / f"{number}.pdf"
                path.write_bytes(data)
                sources.append(Source(name, name, path, document_id(path)))
            return self._adding(passwords, progress, page_progress, cancelled).run(sources)

    def ray_engine(self, address: str | None = None, workers: int | None = None) -> RayEngine:
        """An engine for `add` on a Ray cluster, to be closed: see RayEngine."""
        from grounded.library.cluster import RayEngine

        return RayEngine(self.settings.documents, self.embedder, self._vectors, address=address, workers=workers)

    def _adding(
        self,
        passwords: Sequence[str],
        progress: Progress,
        page_progress: PageProgress,
        cancelled: Callable[[], bool],
        engine: Engine | None = None,
    ) -> Adding:
        return Adding(
            index=self.index,
            store=self._store,
            engine=engine or LocalEngine(self.settings.documents, self.embedder, self._vectors),
            makers=makers(self.settings.documents, self.embedder),
            passwords=passwords,
            progress=progress,
            page_progress=page_progress,
            cancelled=cancelled,
        )

    # ------------------------------------------------------------ checking

    def verify(self) -> list[Finding]:
        """Check the index against originals and pages; [] when all is well.

        For each document: the original has its sha256; the pages open; as many chunks as recorded, with the recorded
        ids; every chunk's text is the page's text at its span; the embedder is the present one.
        """
        return [finding for record in self.documents() for finding in self._check(record)]

    def _check(self, record: DocumentRecord) -> Iterator[Finding]:
        try:
            self.original(record.id)
        except GroundedError as error:
            yield Finding(document=record.id, code="original", detail=error.message)
        if record.embedder != self.embedder.digest:
            yield Finding(document=record.id, code="embedder", detail="indexed with another embedding model")
        chunks = self.index.chunks(record.id)
        if len(chunks) != record.chunks or chunk_digest(chunks) != record.digest:
            yield Finding(document=record.id, code="chunks", detail=f"{len(chunks)} chunks, recorded {record.chunks}")
        try:
            pages = {number: self.page(record.id, number).text for number in sorted({c.page for c in chunks})}
        except (GroundedError, IndexError) as error:
            yield Finding(document=record.id, code="pages", detail=str(error))
            return
        if wrong := [c for c in chunks if pages[c.page][slice(*c.span)] != c.text]:
            yield Finding(document=record.id, code="text", detail=f"{len(wrong)} chunks differ from their pages")


def _sources(paths: Sequence[Path]) -> tuple[list[Source], list[FileResult]]:
    """The files behind the paths, and a result for each that cannot be opened."""
    sources: list[Source] = []
    unread: list[FileResult] = []
    for path in _files(paths):
        try:
            sources.append(Source(str(path), path.name, path, document_id(path)))
        except OSError as error:
            refused = UsageError(f"the file cannot be opened ({error.strerror})", where=str(path))
            unread.append(failed(str(path), refused))
    return sources, unread


def _files(paths: Sequence[Path]) -> list[Path]:
    if missing := [path for path in paths if not path.exists()]:
        raise UsageError("there is no such file or folder", where=str(missing[0]))
    found = [file for path in paths for file in (_below(path) if path.is_dir() else [path])]
    return list(dict.fromkeys(found))


def _below(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() == ".pdf" and p.is_file())
