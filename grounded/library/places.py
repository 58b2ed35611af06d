"""Where the files beside the index lie: a local folder, or object storage. The one door to obstore.

obstore runs on the same client library as LanceDB: both read the same variables (AWS_…, GOOGLE_…, AZURE_…) from the
environment and from nowhere else, and it has the conditional writes that the writer lock needs.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from grounded.errors import LibraryError

READ_AHEAD = 1 << 18  # bytes fetched at once from a page archive: a page is one request
RETRY_SECONDS = 30


class Place(Protocol):
    """Files by key ("pages/ab/abcd….pages"). A missing one is a FileNotFoundError."""

    def read(self, key: str) -> bytes:
        """All of a file."""
        ...

    def open(self, key: str) -> BinaryIO:
        """A file to read from, seekable."""
        ...

    def stamp(self, key: str) -> str | None:
        """Another one whenever the file was written; None when there is none."""
        ...

    def write(self, key: str, data: bytes) -> None:
        """All of `data`, or nothing."""
        ...

    def move(self, key: str, to: str) -> None:
        """Give a file another key."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys below a folder, in any order."""
        ...


class LocalPlace:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str) -> bytes:
        """All of a file."""
        return (self._folder / key).read_bytes()

    def open(self, key: str) -> BinaryIO:
        """A file to read from, seekable."""
        return (self._folder / key).open("rb")

    def stamp(self, key: str) -> str | None:
        """Its time of change."""
        try:
            return str((self._folder / key).stat().st_mtime_ns)
        except FileNotFoundError:
            return None

    def write(self, key: str, data: bytes) -> None:
        """All of `data`, durable on return, or nothing."""
        path = self._folder / key
        try:
            _write_durably(path, data)
        except OSError as error:
            raise LibraryError(
                f"a file of the library cannot be written ({error.strerror})", where=str(path), advice="Make room there"
            ) from error

    def move(self, key: str, to: str) -> None:
        """Give a file another key."""
        target = self._folder / to
        target.parent.mkdir(parents=True, exist_ok=True)
        (self._folder / key).replace(target)

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys below a folder."""
        for path in (self._folder / prefix).rglob("*"):
            yield path.relative_to(self._folder).as_posix()


def _write_durably(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(scratch).replace(path)
    finally:
        Path(scratch).unlink(missing_ok=True)


class ObjectPlace:
    """A prefix of a bucket, by its address ("s3://bucket/prefix"). Credentials and endpoint come from the environment.

    Raises LibraryError for an address it does not know, and whenever the storage refuses or is silent.
    """

    def __init__(self, uri: str, retries: int) -> None:
        self.uri = uri
        try:
            from obstore.store import from_url
        except ImportError as error:
            raise LibraryError(
                "object storage needs the package obstore", where=uri, advice="pip install -r requirements-extra.txt"
            ) from error
        retry: Any = {"max_retries": retries, "retry_timeout": timedelta(seconds=RETRY_SECONDS)}
        with reported(uri):
            self.store: Any = from_url(uri, retry_config=retry)

    def read(self, key: str) -> bytes:
        """All of a file."""
        with reported(self.uri):
            return bytes(self.store.get(key).bytes())

    def open(self, key: str) -> BinaryIO:
        """A file to read from, seekable, fetched in ranges."""
        with reported(self.uri):
            size = int(self.store.head(key)["size"])
        return io.BufferedReader(_Ranges(self, key, size), READ_AHEAD)

    def stamp(self, key: str) -> str | None:
        """Its entity tag."""
        try:
            with reported(self.uri):
                return str(self.store.head(key)["e_tag"])
        except FileNotFoundError:
            return None

    def write(self, key: str, data: bytes) -> None:
        """All of `data`, or nothing."""
        with reported(self.uri):
            self.store.put(key, data)

    def move(self, key: str, to: str) -> None:
        """Copy it, then delete it."""
        with reported(self.uri):
            self.store.rename(key, to)

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys below a folder."""
        with reported(self.uri):
            for page in self.store.list(prefix):
                yield from (item["path"] for item in page)

    def range(self, key: str, start: int, end: int) -> bytes:
        """The bytes [start, end) of a file."""
        with reported(self.uri):
            return bytes(self.store.get_range(key, start=start, end=end))


class _Ranges(io.RawIOBase):
    """An object as a file."""

    def __init__(self, place: ObjectPlace, key: str, size: int) -> None:
        self._place, self._key, self._size, self._at = place, key, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        data = self._place.range(self._key, self._at, end)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


@contextmanager
def reported(uri: str) -> Iterator[None]:
    """Turn what object storage raises into LibraryError; a missing object stays a FileNotFoundError."""
    from obstore.exceptions import BaseError, NotFoundError

    try:
        yield
    except (FileNotFoundError, NotFoundError) as error:
        raise FileNotFoundError(str(error)) from error
    except (BaseError, ValueError, OSError) as error:
        first = str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
        raise LibraryError(
            f"the object storage cannot be used ({first})",
            where=uri,
            advice="Check its address, the server, and the credentials in the environment (docs/scale.md)",
        ) from error
