"""The writer lock of a library on object storage: one object that is only ever changed by conditional writes.

Whoever holds it writes it anew every few seconds. Nobody compares clocks of two machines: a waiter takes the lock when
the object has not changed for the length of a lease by the waiter's clock, by a write on the condition that it still
has not. Of several, one succeeds; the former holder's next renewal fails and it stops before it commits. What remains
is a holder that stands still for half a lease between its last look at the lock and the write it then sends.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from grounded.errors import LibraryError, LibraryLocked
from grounded.library.places import ObjectPlace, reported

KEY = "write.lock"
RENEWALS = 6  # of a lease while it lasts
POLL_SECONDS = 0.2


class _Seen(NamedTuple):
    tag: str
    holder: str  # "" when it is free
    term: int  # counts the holders
    lease_s: float  # how long the holder may be silent


class Lease:
    """The lock of one library; for one thread at a time. lease_s: a holder that was silent for so long has lost it."""

    def __init__(self, place: ObjectPlace, lease_s: float) -> None:
        self._place, self._uri, self._lease_s = place, place.uri, lease_s
        self._tag: str | None = None  # of the object as we wrote it; None when we do not hold it
        self._term = 0
        self._renewed = 0.0
        self._proven = False

    @contextmanager
    def held(self, timeout_s: float) -> Iterator[None]:
        """Hold the lock. Raises LibraryLocked when somebody else keeps it longer than `timeout_s`, LibraryError when
        the storage has no conditional writes."""
        name, done = secrets.token_hex(8), threading.Event()
        self._take(name, timeout_s)
        try:
            if not self._proven:
                self._prove(name)
            renewing = threading.Thread(target=self._renew, args=(name, done), daemon=True)
            renewing.start()
            try:
                yield
            finally:
                done.set()
                renewing.join()
        finally:
            self._free()

    def check(self) -> None:
        """Do we hold it still, for long enough to send one write? Raises LibraryError when not."""
        if self._tag is None or time.monotonic() - self._renewed > self._lease_s / 2:
            raise LibraryError(
                "another process has taken over the writer lock", where=self._uri, advice="Run the same command again"
            )

    def _take(self, name: str, timeout_s: float) -> None:
        deadline, since, watched = time.monotonic() + timeout_s, time.monotonic(), ""
        while True:
            seen = self._look()
            if seen and seen.holder == name:  # our write came through, its reply did not
                self._keep(seen.tag, seen.term)
                return
            if seen and seen.tag != watched:
                watched, since = seen.tag, time.monotonic()
            silent = seen is not None and time.monotonic() - since >= seen.lease_s
            term = seen.term + 1 if seen else 1
            if (seen is None or not seen.holder or silent) and (tag := self._write(name, term, seen and seen.tag)):
                self._keep(tag, term)
                return
            if time.monotonic() > deadline:
                advice = "Wait for it to finish, or stop it"
                raise LibraryLocked("another process is writing to the library", where=self._uri, advice=advice)
            time.sleep(POLL_SECONDS)

    def _keep(self, tag: str, term: int) -> None:
        self._tag, self._term, self._renewed = tag, term, time.monotonic()

    def _renew(self, name: str, done: threading.Event) -> None:
        while not done.wait(self._lease_s / RENEWALS):
            try:
                tag = self._write(name, self._term, self._tag)
                if tag is None:  # refused; or written, and the reply was lost
                    seen = self._look()
                    tag = seen.tag if seen and seen.holder == name else None
            except LibraryError:
                continue  # the storage is silent: `check` sees how long
            if tag is None:
                self._tag = None
                return
            self._keep(tag, self._term)

    def _free(self) -> None:
        """Give it back; when that fails it runs out by itself."""
        tag, self._tag = self._tag, None
        if tag is not None:
            try:
                self._write("", self._term, tag)
            except LibraryError:
                return

    def _prove(self, name: str) -> None:
        """Storage that writes where the condition forbids it cannot keep a lock."""
        if self._write(name, self._term, None) is not None:
            raise LibraryError(
                "this storage ignores conditional writes, so two writers could not be kept apart",
                where=self._uri,
                advice="Use storage that honours If-None-Match and If-Match, and let others only read here",
            )
        self._proven = True

    def _look(self) -> _Seen | None:
        try:
            with reported(self._uri):
                found = self._place.store.get(KEY)
                state = json.loads(bytes(found.bytes()))
            return _Seen(str(found.meta["e_tag"]), str(state["holder"]), int(state["term"]), float(state["lease_s"]))
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, ValueError) as error:
            raise LibraryError("the writer lock is damaged", where=f"{self._uri}/{KEY}", advice="Delete it") from error

    def _write(self, holder: str, term: int, over: str | None) -> str | None:
        """Write the lock over the one with that tag (None: where nothing is). The new tag, or None when refused."""
        from obstore.exceptions import AlreadyExistsError, NotSupportedError, PreconditionError

        body = {"holder": holder, "term": term, "lease_s": self._lease_s, "renewal": secrets.token_hex(4)}
        mode: Any = {"e_tag": over} if over else "create"
        with reported(self._uri):
            try:
                return str(self._place.store.put(KEY, json.dumps(body).encode(), mode=mode)["e_tag"])
            except (AlreadyExistsError, PreconditionError, FileNotFoundError):
                return None
            except (NotImplementedError, NotSupportedError) as error:
                raise LibraryError(
                    "this storage has no conditional writes", where=self._uri, advice="Only read here"
                ) from error
