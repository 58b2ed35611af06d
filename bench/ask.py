"""Question time by stage on the sample documents, against a floor in the same run: embedding the question alone.

python -m bench.ask [--rounds N] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grounded.library import Library
from grounded.pipeline import ask
from grounded.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = (
    "What is the expense ratio?",
    "What are the net assets as of June 30, 2025?",
    "What is the largest sector?",
    "What is the 10-year return?",
    "What is the top holding?",
)


def main() -> int:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    figures = measure(args.rounds)
    if args.json:
        print(json.dumps(figures))
        return 0
    for stage, value in figures["stages_ms"].items():
        print(f"{stage:<10}{value:>9.1f} ms")
    print(f"{'whole':<10}{figures['whole_ms']:>9.1f} ms, log sealed with every fsync")
    print(f"whole / (embedding the question alone): {figures['whole_over_embedding']:.1f}")
    return 0


def measure(rounds: int) -> dict[str, Any]:
    """Medians over rounds x questions, milliseconds, after one warm-up round."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"library": f"{folder}/library", "traces": f"{folder}/traces", "reader": "extractive"})
        library = Library(settings.library, settings=settings)
        library.add(sorted((ROOT / "data").glob("*.pdf")))
        answers, whole, floor = [], [], []
        for number in range(rounds + 1):
            for question in QUESTIONS:
                took, answer = _timed(lambda q=question: ask(q, library=library, settings=settings))
                alone, _ = _timed(lambda q=question: library.embedder.encode_query(q))
                if number:
                    answers.append(answer)
                    whole.append(took)
                    floor.append(alone)
    stages = {
        name: statistics.median(a.timings_ms[name] for a in answers)
        for name in answers[0].timings_ms
        if name != "total"
    }
    ratio = statistics.median(w / f for w, f in zip(whole, floor, strict=True))
    return {"stages_ms": stages, "whole_ms": statistics.median(whole), "whole_over_embedding": ratio}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


if __name__ == "__main__":
    sys.exit(main())
