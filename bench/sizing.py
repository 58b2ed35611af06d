"""What a page costs, in processor time and bytes, and what that makes of 10^4, 10^6 and 10^8 pages.

    python -m bench.sizing [--files N] [--core-hour USD] [--gigabyte-month USD]

Measured: N contracts of CUAD (GROUNDED_SHARED), read, cut, embedded and written by one process, in processor seconds,
which do not depend on what else the machine does. Computed: everything below "computed". The prices are no more than
round numbers to replace.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from grounded import locations
from grounded.documents import pack_pages, read
from grounded.library.preparing import prepare, with_vectors
from grounded.retrieval.embed import load_embedder
from grounded.retrieval.index import Index
from grounded.settings import DocumentSettings

PAGES = (10**4, 10**6, 10**8)
HOURS = 24.0  # in which a first indexing is to be done
SETTINGS = DocumentSettings(ocr="off")
INDEXES = 0.7  # of the table's bytes, on top: words and vectors, as bench.scale leaves them


class Costs(NamedTuple):
    """Of a page: processor seconds and bytes; how many chunks it has."""

    reading: float
    embedding: float
    writing: float
    chunks: float
    original: float
    archive: float
    table: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--core-hour", type=float, default=0.04)
    parser.add_argument("--gigabyte-month", type=float, default=0.025)
    args = parser.parse_args()
    files = sorted((locations.shared() / "bench" / "cuad" / "pdfs").glob("*.pdf"))[: args.files]
    costs = measured(files)
    print(f"measured on {len(files)} contracts, for a page: {costs.chunks:.1f} chunks;")
    print(
        f"  processor: reading and cutting {costs.reading * 1000:.0f} ms, embedding {costs.embedding * 1000:.0f} ms, "
        f"writing {costs.writing * 1000:.1f} ms"
    )
    print(
        f"  bytes: original {costs.original:,.0f}, page archive {costs.archive:,.0f}, "
        f"table {costs.table:,.0f} + indexes {costs.table * INDEXES:,.0f} (factor, see bench.scale)"
    )
    print("computed:")
    for pages in PAGES:
        print(_line(pages, costs, args.core_hour, args.gigabyte_month))


def measured(files: Sequence[Path]) -> Costs:
    """What the files cost, divided by their pages."""
    embedder = load_embedder()
    spent = {"reading": 0.0, "embedding": 0.0, "writing": 0.0}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = work()
        spent[name] += time.process_time() - start
        return result

    pages = chunks = archives = 0
    with tempfile.TemporaryDirectory() as folder:
        index = Index(Path(folder))
        for path in files:
            document = timed("reading", lambda p=path: read(p.read_bytes(), p.name, settings=SETTINGS))
            prepared = timed("reading", lambda d=document: prepare(d, SETTINGS, embedder))
            vectors = timed("embedding", lambda p=prepared: embedder.encode_documents(p.entry.searched))
            entry = with_vectors(prepared, [vectors]).entry
            timed("writing", lambda e=entry: index.commit([e]))
            pages, chunks = pages + len(document.pages), chunks + len(entry.chunks)
            archives += len(pack_pages(document))
        table = sum(f.stat().st_size for f in Path(folder).rglob("data/*.lance"))
    originals = sum(path.stat().st_size for path in files)
    per_page = [value / pages for value in (*spent.values(), chunks, originals, archives, table)]
    return Costs(*per_page)


def _line(pages: int, costs: Costs, core_hour: float, gigabyte_month: float) -> str:
    hours = pages * (costs.reading + costs.embedding + costs.writing) / 3600
    stored = pages * (costs.original + costs.archive + costs.table * (1 + INDEXES)) / 1e9
    cores = max(1, round(hours / HOURS + 0.5))
    return (
        f"  {pages:>11,} pages: {pages * costs.chunks:,.0f} chunks, {hours:,.1f} core hours "
        f"({cores:,} cores for {HOURS:.0f} h), {stored:,.1f} GB, "
        f"{hours * core_hour:,.2f} USD once + {stored * gigabyte_month:,.2f} USD a month"
    )


if __name__ == "__main__":
    main()
