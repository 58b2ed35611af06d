"""A question being answered, in a thread of its own: what the screen may show of it at any moment, and Stop.

No Streamlit here. A run outlives the page that started it: after a refresh the same run is found again by its key.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from grounded.errors import GroundedError
from grounded.pipeline import Event
from grounded.types import Answer, Claim, VerifiedClaim
from grounded.ui import words

_KEPT = 200  # finished runs remembered for a refreshed page
_SHARES = {"plan": 0.05, "retrieve": 0.15, "rerank": 0.3, "context": 0.4, "generate": 0.5, "verify": 0.75}


class Work(Protocol):
    """Answers the question; `pipeline.ask` with everything but the listener and Stop bound."""

    def __call__(self, *, on_event: Callable[[Event], None], cancelled: Callable[[], bool]) -> Answer: ...


@dataclass(frozen=True)
class Progress:
    """A moment of a run. share is 0 to 1, None when unknown; exactly one of answer and error is set at the end."""

    step: str = "Starting"
    share: float | None = None
    drafts: tuple[Claim, ...] = ()
    verified: tuple[VerifiedClaim, ...] = ()
    answer: Answer | None = None
    error: GroundedError | None = None

    @property
    def done(self) -> bool:
        """Has the run ended, well or badly?"""
        return self.answer is not None or self.error is not None


@dataclass
class Run:
    """One question on its way. `owner` is the user it belongs to."""

    question: str
    owner: str
    documents: Sequence[str]
    work: Work
    key: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._progress = Progress(step=f"Searching {words.listed(self.documents, 3)}")
        self._passages = 0

    @property
    def progress(self) -> Progress:
        """The latest moment."""
        with self._lock:
            return self._progress

    def start(self) -> None:
        """Begin, in a daemon thread."""
        threading.Thread(target=self._answer, name=f"ask-{self.key[:6]}", daemon=True).start()

    def stop(self) -> None:
        """Ask the work to end; what is there by then stays, marked as stopped."""
        self._stop.set()
        self._change(step="Stopping")

    def wait(self, seconds: float) -> Progress:
        """The progress once the run has ended, or after that many seconds."""
        until = time.monotonic() + seconds
        while not self.progress.done and time.monotonic() < until:
            time.sleep(0.02)
        return self.progress

    def hear(self, event: Event) -> None:
        """Take in what the pipeline tells."""
        if event.kind == "claim" and isinstance(event.data, Claim):
            drafts = (*self.progress.drafts, event.data)
            self._change(drafts=drafts, step=f"Reading: {words.plural(len(drafts), 'claim')} so far")
        elif event.kind == "finished":
            self._finished(event)
        elif event.kind == "started" and not self._stop.is_set():
            self._change(step=self._words(event.node), share=_SHARES.get(event.node, 0.95))

    def _finished(self, event: Event) -> None:
        update = event.data if isinstance(event.data, dict) else {}
        if "context" in update:
            self._passages = len(update["context"].sources)
        if "verified" in update:
            self._change(verified=tuple(update["verified"]))

    def _words(self, node: str) -> str:
        names = words.listed(self.documents, 3)
        return {
            "plan": "Reading the question",
            "retrieve": f"Searching {names}",
            "rerank": "Ranking the passages",
            "context": "Choosing the passages",
            "generate": f"Reading {words.plural(self._passages, 'passage')} of {names}",
            "verify": f"Checking {words.plural(len(self.progress.drafts), 'claim')} against the page",
            "repair": "Asking again for the claims without proof",
            "judge": "Scoring the answer",
            "assemble": "Sealing the record",
        }.get(node, node.capitalize())

    def _answer(self) -> None:
        try:
            self._change(answer=self.work(on_event=self.hear, cancelled=self._stop.is_set))
        except GroundedError as error:
            self._change(error=error)
        except Exception as error:  # noqa: BLE001 - a thread must end in a state the screen can show
            self._change(error=_unexpected(error))

    def _change(self, **changes: object) -> None:
        with self._lock:
            self._progress = Progress(**(vars(self._progress) | changes))


class Runs:
    """The runs of this server, by key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, Run] = {}

    def add(self, run: Run) -> None:
        """Remember a run and start it."""
        with self._lock:
            self._runs[run.key] = run
            done = [key for key, old in self._runs.items() if old.progress.done]
            for key in done[: max(0, len(self._runs) - _KEPT)]:
                del self._runs[key]
        run.start()

    def find(self, key: str, owner: str) -> Run | None:
        """The run with that key, if it belongs to `owner`."""
        with self._lock:
            run = self._runs.get(key)
        return run if run and run.owner == owner else None


def _unexpected(error: Exception) -> GroundedError:
    if isinstance(error, OSError):
        return GroundedError(error.strerror or "a file could not be used", where=str(error.filename or ""),
                             advice="Make room or check the folder's permissions, then ask again")  # fmt: skip
    return GroundedError(f"something unexpected happened ({type(error).__name__})", advice="Ask again")
