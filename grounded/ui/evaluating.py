"""A run of gold sets in a thread of its own: how far it is, and Stop. No Streamlit here."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from grounded.errors import Cancelled, GroundedError
from grounded.evaluation import sets
from grounded.evaluation.cases import GoldSet, Size, held_out, sample
from grounded.library import Library
from grounded.pipeline.evaluate import Evaluation, Step
from grounded.settings import Settings


class Evaluating:
    """One run over several sets, so many cases of each task."""

    def __init__(self, names: Sequence[str], cases: int, settings: Settings, library: Library) -> None:
        self._names, self._cases = names, cases
        self._stop = threading.Event()
        self._step = Step(names[0] if names else "", 0, 1, "loading")
        self._evaluation = Evaluation(settings, lambda: library, progress=self._hear, cancelled=self._stop.is_set)
        self._thread = threading.Thread(target=self._work, name="evaluating", daemon=True)
        self.trouble: GroundedError | None = None
        self.run_id = ""

    @property
    def done(self) -> bool:
        """Has it ended?"""
        return not self._thread.is_alive()

    @property
    def step(self) -> Step:
        """What it is doing."""
        return self._step

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the case at hand; the same run later goes on from there."""
        self._stop.set()

    def _hear(self, step: Step) -> None:
        self._step = step

    def _work(self) -> None:
        try:
            chosen = [self._part(sets.load(name)) for name in self._names]
            self.run_id = self._evaluation.run(chosen, part=str(self._cases)).id
        except Cancelled:
            return
        except GroundedError as error:
            self.trouble = error
        except OSError as error:
            self.trouble = GroundedError(
                error.strerror or "a file could not be written", where=str(error.filename or "")
            )

    def _part(self, gold: GoldSet) -> GoldSet:
        kept = held_out(gold)
        return sample(kept, Size(max(self._cases, gold.ci.documents), self._cases))
