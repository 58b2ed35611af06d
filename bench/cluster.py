"""Indexing on a Ray cluster of this machine: one worker, two workers, two of which one is killed half-way.

    python -m bench.cluster [--files N] [--workers N …]

The first N contracts of CUAD (GROUNDED_SHARED), real embeddings, each run into a library of its own. Prints pages and
chunks a second, the time to start the cluster apart, and whether the index digest is that of the local engine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from grounded import locations
from grounded.library import Library
from grounded.retrieval.embed import load_embedder
from grounded.settings import DocumentSettings, Settings


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, help="as many as these; otherwise all")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    args = parser.parse_args()
    files = sorted((locations.shared() / "bench" / "cuad" / "pdfs").glob("*.pdf"))[: args.files]
    with tempfile.TemporaryDirectory() as folder:
        local = _library(Path(folder) / "local")
        start = time.perf_counter()
        local.add(files)
        _print("local engine", local, time.perf_counter() - start, local)
        for workers in args.workers:
            _on_cluster(Path(folder) / str(workers), files, workers, local, kill=False)
        _on_cluster(Path(folder) / "killed", files, max(args.workers), local, kill=True)


def _library(folder: Path) -> Library:
    return Library(str(folder), settings=Settings(documents=DocumentSettings(ocr="off")), embedder=load_embedder())


def _on_cluster(folder: Path, files: Sequence[Path], workers: int, local: Library, *, kill: bool) -> None:
    library = _library(folder)
    starting = time.perf_counter()

    def kill_one(done: int, total: int, result: Any) -> None:
        if done == total // 2:
            running = psutil.Process().children(recursive=True)
            next(p for p in running if p.name().startswith(("ray::_Encoder", "ray::_read"))).kill()

    with library.ray_engine(workers=workers) as engine:
        start = time.perf_counter()
        library.add(files, engine=engine, progress=kill_one if kill else lambda *_: None)
        end = time.perf_counter()
    name = f"{workers} Ray workers" + (", one killed half-way" if kill else "")
    _print(f"{name} (started in {start - starting:.0f} s)", library, end - start, local)


def _print(name: str, library: Library, seconds: float, local: Library) -> None:
    records = library.documents()
    pages, chunks = sum(r.pages for r in records), sum(r.chunks for r in records)
    same = "same digest" if library.index_digest == local.index_digest else "OTHER DIGEST"
    surplus = library.index.count() - chunks
    print(
        f"{name}: {len(records)} files, {pages} pages, {chunks} chunks ({surplus} rows too many), {same};\n"
        f"  {seconds:.1f} s, {pages / seconds:.1f} pages/s, {chunks / seconds:.1f} chunks/s; "
        f"load {os.getloadavg()[0]:.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
