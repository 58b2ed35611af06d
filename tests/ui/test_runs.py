"""A question in its own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from grounded.errors import ModelError
from grounded.pipeline import Event
from grounded.types import Answer, Claim
from grounded.ui.runs import Run, Runs
from tests.ui.gallery import example

DONE = example()[0]


class Scripted:
    """Answers as the pipeline does, one step at each `go`."""

    def __init__(self, *, fail: Exception | None = None) -> None:
        self.go, self.fail = threading.Semaphore(0), fail

    def __call__(self, *, on_event: Callable[[Event], None], cancelled: Callable[[], bool]) -> Answer:
        on_event(Event("started", "retrieve"))
        on_event(Event("started", "generate"))
        self.go.acquire(timeout=5)
        on_event(Event("claim", "generate", "One.", Claim(id="c1", text="One.")))
        self.go.acquire(timeout=5)
        if self.fail:
            raise self.fail
        status = "cancelled" if cancelled() else "answered"
        return DONE.model_copy(update={"status": status})


def begun(work: Scripted, runs: Runs | None = None) -> Run:
    run = Run(question="q", owner="local", documents=["a.pdf"], work=work)
    (runs or Runs()).add(run)
    return run


def until(met: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(500):
        if met():
            return
        waiting.wait(0.01)
    raise AssertionError("it did not come to pass")


def test_claims_arrive_before_the_answer() -> None:
    work = Scripted()
    run = begun(work)
    until(lambda: run.progress.step.startswith("Reading"))
    assert run.progress.drafts == ()
    work.go.release()
    until(lambda: len(run.progress.drafts) == 1)
    assert not run.progress.done
    work.go.release()
    assert run.wait(5).answer == DONE


def test_stop_reaches_the_work() -> None:
    work = Scripted()
    run = begun(work)
    run.stop()
    assert run.progress.step == "Stopping"
    work.go.release(2)
    answer = run.wait(5).answer
    assert answer and answer.status == "cancelled"


def test_errors_end_the_run_in_words() -> None:
    full = OSError(28, "No space left on device", "traces")
    told = [
        (ModelError("key refused"), "key refused"),
        (ValueError("x"), "ValueError"),
        (full, "traces: No space left"),
    ]
    for fail, words in told:
        work = Scripted(fail=fail)
        run = begun(work)
        work.go.release(2)
        error = run.wait(5).error
        assert error and words in error.message


def test_a_run_belongs_to_its_user() -> None:
    runs, work = Runs(), Scripted()
    run = begun(work, runs)
    assert runs.find(run.key, "local") is run
    assert runs.find(run.key, "somebody") is None and runs.find("other", "local") is None
    work.go.release(2)
    run.wait(5)
