"""Many processes and threads write one log: no fork, nothing lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from grounded.audit.reader import entries
from grounded.audit.verify import verify
from tests.audit.logs import make_log, write_run

PROCESSES, THREADS, TRACES = 4, 3, 500


def _writer(folder: Path, runs: int) -> None:
    log = make_log(folder)
    left = iter(range(runs))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            write_run(log, f"question {number} of {os.getpid()}")

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_twelve_writers_in_four_processes(tmp_path: Path) -> None:
    children = []
    for _ in range(PROCESSES):
        child = os.fork()
        if child == 0:  # pragma: no cover — another process
            try:
                _writer(tmp_path, TRACES // PROCESSES)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    report = verify(tmp_path / "traces", state=tmp_path / "state")
    assert (report.verdict, report.findings) == ("intact", [])
    assert (report.traces, report.spans) == (TRACES, 3 * TRACES)
    kinds = [entry["kind"] for entry in entries(tmp_path / "traces")]
    assert (kinds.count("trace.open"), kinds.count("trace.close"), kinds.count("log.genesis")) == (TRACES, TRACES, 1)
