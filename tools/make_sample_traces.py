"""Writes traces/samples: the five questions of the README asked of the sample documents, in a sealed log of its own.

    .venv/bin/python tools/make_sample_traces.py

The log's signing key is made for the occasion and thrown away; its public half stands in the folder's README.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "traces" / "samples"
QUESTIONS = (
    "What is the expense ratio?",
    "What are the net assets as of June 30, 2025?",
    "What is the largest sector?",
    "What is the 10-year return?",
    "Who won the 1987 chess championship of Iceland?",
)


def main() -> None:
    """Replace the folder."""
    shutil.rmtree(SAMPLES, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # no path of this machine in a trace
        os.environ["GROUNDED_STATE"] = "state"
        rows = _ask()
        key = _public_key(Path("state"))
        shutil.move("traces", SAMPLES)
    lines = [f"| {question} | {status} | [{trace}]({trace}.jsonl) |" for question, status, trace in rows]
    (SAMPLES / "README.md").write_text(
        "Five questions asked of the sample documents by `tools/make_sample_traces.py`. Check them with\n\n"
        f"```\npython -m grounded verify-log traces/samples --key '{key}'\n```\n\n"
        "| question | status | trace |\n|---|---|---|\n" + "\n".join(lines) + "\n",
        encoding="utf-8",
    )


def _ask() -> list[tuple[str, str, str]]:
    sys.path.insert(0, str(ROOT))
    from grounded.library import Library
    from grounded.pipeline import ask
    from grounded.settings import load_settings

    settings = load_settings({"library": "library", "traces": "traces", "reader": "extractive"})
    library = Library(settings.library, settings=settings)
    library.add(sorted((ROOT / "data").glob("*.pdf")))
    answers = [ask(question, library=library, settings=settings) for question in QUESTIONS]
    return [(answer.question, answer.status, answer.trace_id) for answer in answers]


def _public_key(state: Path) -> str:
    from grounded.audit.keys import load_trust

    ((key,),) = load_trust(state).logs.values()
    return str(key)


if __name__ == "__main__":
    main()
