"""Indexing time against its floor, and what kills and competitors leave behind.

python -m bench.index [--files N]     (reading + embedding alone) in the same run; ratio at most 1.15
python -m bench.index --kill 50       kill -9 at random moments, then two indexers at once
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from grounded import locations
from grounded.documents import read_many
from grounded.documents.chunks import chunk
from grounded.library import Library
from grounded.library.preparing import searched
from grounded.retrieval.embed import load_embedder
from grounded.settings import Settings
from grounded.types import Document

GOAL = 1.15


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--kill", type=int, metavar="TIMES")
    args = parser.parse_args()
    files = _files(args.files)
    if not files:
        print("no PDFs: GROUNDED_SHARED is not there")
    elif args.kill:
        kills(files, args.kill)
    else:
        speed(files)


def _files(count: int) -> list[Path]:
    bench = locations.shared() / "bench"
    found = [sorted((bench / name / "pdfs").glob("*.pdf")) for name in ("ntsb", "cuad")]
    return [path for pair in zip(*found, strict=False) for path in pair][:count]


def speed(files: Sequence[Path]) -> None:
    """Reading, cutting and embedding alone, then the whole of indexing on the same files."""
    settings, embedder = Settings(), load_embedder()
    embedder.encode_documents(["warm"])
    start = time.perf_counter()
    items = [(path.name, path, None) for path in files]
    read = [outcome for _, outcome in read_many(items, settings.documents) if isinstance(outcome, Document)]
    reading = time.perf_counter() - start
    chunks = [chunk(d, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens) for d in read]
    start = time.perf_counter()
    for part in chunks:
        embedder.encode_documents([searched(c) for c in part])
    embedding = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        library = Library(folder, settings=settings, embedder=embedder)
        start = time.perf_counter()
        library.add(files)
        indexing = time.perf_counter() - start
    floor = reading + embedding
    print(f"{len(files)} files, {sum(len(d.pages) for d in read)} pages, {sum(map(len, chunks))} chunks")
    print(f"  reading {reading:7.2f} s\n  embedding {embedding:5.2f} s\n  indexing {indexing:6.2f} s")
    print(f"  indexing / (reading + embedding) = {indexing / floor:.2f} (goal {GOAL})")


def kills(files: Sequence[Path], times: int) -> None:
    """Kill an indexer at random moments until it was killed `times` times, then let two finish at once, and check."""
    chance = random.Random(3)
    with tempfile.TemporaryDirectory() as scratch:
        folder, longest = Path(scratch) / "library", 0.0
        start = time.monotonic()
        _start(Path(scratch) / "whole", files).wait()
        longest = time.monotonic() - start
        for _ in range(times):
            _kill_after(_start(folder, files), chance.uniform(0, longest))
            Library(str(folder)).documents()  # it opens after every kill
        for process in [_start(folder, files) for _ in range(2)]:
            process.wait()
        _check(Library(str(folder)), files, times)


def _start(folder: Path, files: Sequence[Path]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "grounded", "index", "--library", str(folder), *map(str, files)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kill_after(process: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    process.wait()


def _check(library: Library, files: Sequence[Path], times: int) -> None:
    ids = [c.id for record in library.documents() for c in library.index.chunks(record.id)]
    rows, findings = library.index.count(), library.verify()
    print(f"{times} kills: {len(library.documents())} of {len(files)} documents, {rows} rows, {len(set(ids))} chunks")
    print(f"  duplicates {rows - len(set(ids))}, findings {len(findings)}")


if __name__ == "__main__":
    main()
