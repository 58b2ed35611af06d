"""The files beside the index: each original as it came, and its pages as they were read. Named by the bytes' sha256."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

from grounded.errors import LibraryError

_ID = re.compile(r"[0-9a-f]{64}")


def document_id(path: Path) -> str:
    """The id of a document: sha256 hex of its bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Store:
    """Originals and page archives. Removed documents move to `removed/`, where old answers still find them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def original(self, document: str) -> bytes:
        """The PDF's bytes. Raises LibraryError when the library never had it, or they are not its bytes any more."""
        data = self._find(document, "originals", ".pdf").read_bytes()
        if hashlib.sha256(data).hexdigest() != document:
            raise LibraryError("the stored original was changed on disk", where=document, advice="Add the file again")
        return data

    def put_original(self, document: str, source: Path) -> None:
        """Keep the file, unless it is there."""
        path = self._path(document, "originals", ".pdf")
        if not path.exists():
            write_atomically(path, source.read_bytes())

    def original_path(self, document: str) -> Path:
        """Where the PDF of a document lies that is not removed."""
        return self._path(document, "originals", ".pdf")

    def is_complete(self, document: str) -> bool:
        """Are original and pages both there, not counting removed ones?"""
        return self.original_path(document).exists() and self._path(document, "pages", ".pages").exists()

    def pages(self, document: str) -> Path:
        """Where the page archive of a known document lies."""
        return self._find(document, "pages", ".pages")

    def new_pages(self, document: str) -> Path:
        """Where to write a page archive; its folder exists."""
        path = self._path(document, "pages", ".pages")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def retire(self, document: str) -> None:
        """Move what is kept of a document to `removed/`."""
        for kind, suffix in (("originals", ".pdf"), ("pages", ".pages")):
            source = self._path(document, kind, suffix)
            target = self._path(document, f"removed/{kind}", suffix)
            if source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                source.replace(target)

    def _find(self, document: str, kind: str, suffix: str) -> Path:
        for place in (kind, f"removed/{kind}"):
            if (path := self._path(document, place, suffix)).exists():
                return path
        raise LibraryError(
            "the library has no such document", where=document, advice="`library` lists what it has; add the file again"
        )

    def _path(self, document: str, kind: str, suffix: str) -> Path:
        if not _ID.fullmatch(document):  # an id from outside must not become a path
            raise LibraryError("this is not a document id", where=document[:80], advice="`library` lists the ids")
        return self._folder / kind / document[:2] / f"{document}{suffix}"


def write_atomically(path: Path, data: bytes) -> None:
    """All of `data` at `path`, or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
