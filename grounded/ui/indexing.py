"""Uploads being indexed, in a thread of their own: how far each file is, and Cancel. No Streamlit here."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from grounded.errors import Cancelled, GroundedError
from grounded.library import FileResult, Library
from grounded.ui import words

_SAID = {
    "added": "indexed",
    "unchanged": "already in the library",
    "renamed": "already in the library under another name; it has both names now",
    "reindexed": "indexed again",
}


@dataclass(frozen=True)
class FileLine:
    """One file: share of its pages read (0 to 1), what became of it, and whether that was good."""

    name: str
    share: float = 0.0
    said: str = "waiting"
    document: str | None = None
    bad: bool = False


class Upload(NamedTuple):
    """A file in memory."""

    name: str
    data: bytes


class Indexing:
    """One run over several files."""

    def __init__(self, library: Library, uploads: Sequence[Upload], passwords: Sequence[str] = ()) -> None:
        self._library, self._uploads, self._passwords = library, uploads, passwords
        self._lines = {upload.name: FileLine(upload.name) for upload in uploads}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="indexing", daemon=True)
        self.trouble: GroundedError | None = None

    @property
    def lines(self) -> list[FileLine]:
        """The files in the order they came."""
        with self._lock:
            return list(self._lines.values())

    @property
    def done(self) -> bool:
        """Has it ended?"""
        return not self._thread.is_alive()

    @property
    def summary(self) -> str:
        """`12 of 50 files done`, or how it ended."""
        lines = self.lines
        settled = [line for line in lines if line.said != "waiting" and not line.said.startswith("reading")]
        bad = sum(line.bad for line in lines)
        failed = f", {bad} could not be used" if bad else ""
        return f"{len(settled):,} of {words.plural(len(lines), 'file')} done{failed}"

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Stop after the page at hand. What is indexed stays; adding the files again goes on from there."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Has it ended within that time?"""
        self._thread.join(seconds)
        return self.done

    def _work(self) -> None:
        try:
            self._library.add_uploads(
                [(u.name, u.data) for u in self._uploads],
                passwords=self._passwords,
                progress=lambda done, total, result: self._settle(result),
                page_progress=self._page,
                cancelled=self._stop.is_set,
            )
        except Cancelled:
            self._rest("stopped; add it again to go on")
        except GroundedError as error:
            self.trouble = error
            self._rest("not added")
        except OSError as error:
            self.trouble = GroundedError(
                error.strerror or "a file could not be written",
                where=self._library.uri,
                advice="Make room there or check its permissions, then add the files again",
            )
            self._rest("not added")
        except Exception as error:  # noqa: BLE001 - a thread must end in a state the screen can show
            self.trouble = GroundedError(
                f"the library could not be written ({type(error).__name__}: {error})",
                where=self._library.uri,
                advice="Make room there or check its permissions, then add the files again",
            )
            self._rest("not added")
        finally:
            self._uploads = ()  # the bytes are not needed any more

    def _page(self, name: str, done: int, total: int) -> None:
        share = done / total if total else 0.0
        self._set(name, share=share, said=f"reading page {done:,} of {total:,}")

    def _settle(self, result: FileResult) -> None:
        said = result.error.message if result.error else _SAID.get(result.status, result.status)
        self._set(result.path, share=1.0, said=said, document=result.document, bad=not result.usable)

    def _set(self, name: str, **changes: object) -> None:
        with self._lock:
            if name in self._lines:  # documents indexed again on the way are not among the uploads
                self._lines[name] = replace(self._lines[name], **changes)  # type: ignore[arg-type]

    def _rest(self, said: str) -> None:
        for line in self.lines:
            if line.share < 1.0:
                self._set(line.name, said=said, bad=True)


class Desk:
    """The indexing runs of this server, the latest of each user."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, Indexing] = {}

    def start(self, user: str, indexing: Indexing) -> None:
        """Begin a run for a user."""
        with self._lock:
            self._runs[user] = indexing
        indexing.start()

    def of(self, user: str) -> Indexing | None:
        """The user's latest run."""
        return self._runs.get(user)

    def dismiss(self, user: str) -> None:
        """Forget it."""
        with self._lock:
            self._runs.pop(user, None)
