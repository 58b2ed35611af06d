"""The files beside the index: each original as it came, and its pages as they were read. Named by the bytes' sha256."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import BinaryIO

from grounded.errors import LibraryError
from grounded.library.places import Place

_ID = re.compile(r"[0-9a-f]{64}")
_KINDS = {"originals": ".pdf", "pages": ".pages"}


def document_id(path: Path) -> str:
    """The id of a document: sha256 hex of its bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Store:
    """Originals and page archives. Removed documents move to `removed/`, where old answers still find them."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def original(self, document: str) -> bytes:
        """The PDF's bytes. Raises LibraryError when the library never had it, or they are not its bytes any more."""
        data = self._place.read(self._find(document, "originals")[0])
        if hashlib.sha256(data).hexdigest() != document:
            raise LibraryError("the stored original was changed on disk", where=document, advice="Add the file again")
        return data

    def put(self, document: str, original: Path | None, pages: bytes) -> None:
        """Keep a document's page archive, and its file unless it is there."""
        key = _key(document, "originals")
        if original is not None and self._place.stamp(key) is None:
            self._place.write(key, original.read_bytes())
        self._place.write(_key(document, "pages"), pages)

    def kept(self, kind: str) -> frozenset[str]:
        """The ids of the documents whose "originals" or "pages" are there, not counting removed ones."""
        suffix = _KINDS[kind]
        names = (key.rsplit("/", 1)[-1] for key in self._place.keys(kind))
        return frozenset(name.removesuffix(suffix) for name in names if name.endswith(suffix))

    def pages(self, document: str) -> tuple[str, str]:
        """Key and stamp of the page archive of a known document: another stamp when it was read again."""
        return self._find(document, "pages")

    def open(self, key: str) -> BinaryIO:
        """A file to read from, seekable."""
        return self._place.open(key)

    def retire(self, document: str) -> None:
        """Move what is kept of a document to `removed/`."""
        for kind in _KINDS:
            key = _key(document, kind)
            if self._place.stamp(key) is not None:
                self._place.move(key, f"removed/{key}")

    def _find(self, document: str, kind: str) -> tuple[str, str]:
        key = _key(document, kind)
        for place in (key, f"removed/{key}"):
            if (stamp := self._place.stamp(place)) is not None:
                return place, stamp
        raise LibraryError(
            "the library has no such document", where=document, advice="`library` lists what it has; add the file again"
        )


def _key(document: str, kind: str) -> str:
    if not _ID.fullmatch(document):  # an id from outside must not become a path
        raise LibraryError("this is not a document id", where=document[:80], advice="`library` lists the ids")
    return f"{kind}/{document[:2]}/{document}{_KINDS[kind]}"
