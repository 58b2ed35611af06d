"""What the pipeline adds around the model calls, and how early the first claim shows.

    python -m bench.claude [--runs 40]

A scripted Messages server on this machine answers at once, so everything measured is ours: planning, retrieval,
context, request, parsing, location, checks, verifier calls, spans fsynced and sealed. Two sample documents, five
claims.
The target is p50 < 150 ms for five claims. In the second part the server takes two seconds to stream its reply.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from grounded.library import Library
from grounded.pipeline import Event, ask
from grounded.settings import Settings
from grounded.types import Answer
from tests.tools import fake_claude
from tests.tools.fake_claude import settings_for
from tests.tools.scripted_messages import Body, ScriptedMessages, Step, reply

QUESTION = "What is the expense ratio?"
CLAIMS = 5
TARGET_MS = 150
STREAM_S = 2.0
SAMPLES = Path(__file__).resolve().parent.parent / "data"


def at_once(body: Body) -> Step:
    """Five claims, each the first line of a source; everything grounded; all of it in one piece."""
    if fake_claude.asked_for(body) == "claims":
        return reply({"claims": fake_claude.claims(body)[:CLAIMS], "unanswered": None}, size=100_000)
    return fake_claude.answer(body)


def slowly(body: Body) -> Step:
    """The same claims, streamed over two seconds."""
    if fake_claude.asked_for(body) == "claims":
        said = {"claims": fake_claude.claims(body)[:CLAIMS], "unanswered": None}
        return reply(said, size=16, pause=STREAM_S * 16 / len(str(said)))
    return fake_claude.answer(body)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder, ScriptedMessages([at_once]) as server:
        settings = settings_for(server.url, traces=Path(folder) / "traces", library=f"{folder}/library")
        library = Library(settings.library, settings=settings)
        library.add(sorted(SAMPLES.glob("*.pdf")))
        overhead(library, settings, runs)
        server.script = [slowly]
        first_claim(library, settings)


def overhead(library: Library, settings: Settings, runs: int) -> None:
    """Wall and processor time of whole questions, and the share of each node."""
    walls, cpus = [], []
    nodes: dict[str, list[float]] = defaultdict(list)
    for number in range(runs + 3):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = ask(QUESTION, library=library, settings=settings)
        if number < 3:  # imports, connections, caches
            continue
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
        _check(answer)
        for name, spent in answer.timings_ms.items():
            if name != "total":
                nodes[name].append(spent)
    p50 = statistics.median(walls)
    verdict = "below" if p50 < TARGET_MS else "ABOVE"
    print(f"{CLAIMS} claims, {runs} questions, server answers at once")
    print(f"  wall p50 {p50:.0f} ms ({verdict} {TARGET_MS}), p95 {_p95(walls):.0f} ms; processor p50 {_p50(cpus)} ms")
    print("  by node (p50 ms): " + ", ".join(f"{name} {_p50(spent)}" for name, spent in nodes.items()))


def first_claim(library: Library, settings: Settings) -> None:
    """When the first claim is told, against when the reply ends."""
    told: dict[str, float] = {}
    began = time.perf_counter()

    def listen(event: Event) -> None:
        told.setdefault(f"{event.kind} {event.node}", time.perf_counter() - began)

    ask(QUESTION, library=library, settings=settings, on_event=listen)
    first, end = told["claim generate"] - told["started generate"], told["finished generate"] - told["started generate"]
    print(f"reply streamed over {end:.2f} s: first claim after {first:.2f} s ({first / end:.0%})")


def _check(answer: Answer) -> None:
    if len(answer.claims) != CLAIMS or answer.grounded_share != 1.0:
        raise SystemExit(f"not the answer that is measured: {answer.answer!r} {answer.notes}")


def _p50(values: list[float]) -> str:
    return f"{statistics.median(values):.1f}"


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


if __name__ == "__main__":
    main()
