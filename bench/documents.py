"""Reading PDFs: every public file against its expected outcome, quotes and their boxes, gold spans, speed, memory.

`python -m bench.documents [--part NAME …] [--sample N] [--json]`. The reference is PyMuPDF's own `rawdict` in its own
order, not our page text, so that an error in our reading cannot hide itself.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import sys
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from grounded import locations
from grounded.documents import read, read_many
from grounded.documents.characters import FLAGS, read_characters
from grounded.errors import GroundedError
from grounded.settings import DocumentSettings
from grounded.types import Box, Document, LocateMatch, Page
from grounded.verification.locate import locate

ROOT = Path(__file__).resolve().parent.parent
NO_OCR = DocumentSettings(ocr="off")
Figures = dict[str, Any]


def shared() -> Path:
    """Folder of the public data."""
    folder = locations.shared()
    return folder if folder.is_absolute() else ROOT / folder


def manifest(sample: int | None) -> list[Figures]:
    """The public PDFs, or a random sample of them."""
    lines = (shared() / "pdfs" / "manifest.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return rows if sample is None else random.Random(1).sample(rows, min(sample, len(rows)))


# ---------------------------------------------------------------- outcomes


def outcome(result: Document | GroundedError) -> str:
    """What became of a file, in the manifest's words."""
    if isinstance(result, GroundedError):
        return result.kind
    reasons = {reason for reason in result.coverage.unread.values()}
    if not any(page.text.strip() for page in result.pages if page.readable):
        if any("image" in reason for reason in reasons):
            return "no_text_scan"
        return "text_unreadable" if any("encoding" in reason for reason in reasons) else "empty"
    return "mixed_text_and_scan" if any("image" in reason for reason in reasons) else "text"


AGREES = {
    "corrupt": {"CorruptPdf", "NotAPdf", "EmptyFile"},
    "corrupt_zero_pages": {"CorruptPdf"},
    "needs_password": {"PasswordNeeded"},
    "text": {"text", "mixed_text_and_scan"},
}


def part_outcomes(sample: int | None) -> Figures:
    """Every file ends as the manifest expects; those with a password are tried without and with it."""
    rows = manifest(sample)
    root = shared() / "pdfs"
    locked = [row for row in rows if row["password"] is not None]
    items = [(row["file"], root / row["file"], None) for row in rows]
    items += [(row["file"], root / row["file"], row["password"]) for row in locked]
    started = time.perf_counter()
    results = list(read_many(items, NO_OCR))
    wrong = []
    for row, (name, result) in zip(rows, results, strict=False):
        got = outcome(result)
        if got not in AGREES.get(row["expected"], {row["expected"]}):
            why = result.message if isinstance(result, GroundedError) else dict(result.coverage.unread)
            wrong.append({"file": name, "expected": row["expected"], "got": got, "why": str(why)[:200]})
    opened = sum(isinstance(result, Document) for _, result in results[len(rows) :])
    return {
        "files": len(rows),
        "as_expected": len(rows) - len(wrong),
        "opened_with_password": f"{opened} of {len(locked)}",
        "seconds": round(time.perf_counter() - started, 1),
        "wrong": wrong,
    }


# ---------------------------------------------------------------- quotes and boxes


class Glyphs(NamedTuple):
    """A page's visible characters as PyMuPDF gives them, line ends as newlines."""

    text: str
    middles: np.ndarray[Any, np.dtype[np.float64]]  # (len(text), 2) as displayed; NaN for whitespace
    blocks: list[tuple[int, int]]  # spans of its text blocks


def glyphs(page: pymupdf.Page) -> Glyphs:
    """Characters of a page in PyMuPDF's order, with their middles as displayed."""
    chars: list[str] = []
    middles: list[tuple[float, float]] = []
    blocks: list[tuple[int, int]] = []
    nowhere = (float("nan"), float("nan"))
    for block in page.get_text("rawdict", flags=pymupdf.TEXTFLAGS_RAWDICT & ~pymupdf.TEXT_PRESERVE_IMAGES)["blocks"]:
        start = len(chars)
        for line in block["lines"]:
            for char in (char for span in line["spans"] for char in span["chars"]):
                x0, y0, x1, y1 = char["bbox"]
                middle = pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2) * page.rotation_matrix
                chars.append(char["c"])
                middles.append(nowhere if char["c"].isspace() else (middle.x, middle.y))
            chars.append("\n")
            middles.append(nowhere)
        blocks.append((start, len(chars)))
    return Glyphs("".join(chars), np.array(middles).reshape(-1, 2), blocks)


def as_a_model_writes(text: str) -> str:
    """Ligatures spelled out, hyphens at line ends joined, quotes straight, single blanks."""
    text = re.sub(r"(?<=[a-z])[-\u00ad]\n(?=[a-z])", "", text).replace("\u00ad", "")
    text = "".join(unicodedata.normalize("NFKC", c) if "\ufb00" <= c <= "\ufb06" else c for c in text)
    return " ".join(text.translate(str.maketrans("‘’“”", "''\"\"")).split())


def random_spans(source: Glyphs, rng: random.Random, count: int, *, inside_block: bool) -> Iterator[tuple[int, int]]:
    """Random runs of 5 to 20 words."""
    pools = source.blocks if inside_block else [(0, len(source.text))]
    words = [[m.span() for m in re.finditer(r"\S+", source.text[s:e])] for s, e in pools]
    usable = [(pool, found) for pool, found in zip(pools, words, strict=True) if len(found) >= 5]
    for _ in range(count if usable else 0):
        (offset, _), found = rng.choices(usable, [len(found) for _, found in usable])[0]
        size = min(rng.randint(5, 20), len(found))
        first = rng.randrange(len(found) - size + 1)
        yield offset + found[first][0], offset + found[first + size - 1][1]


def covered(middles: np.ndarray[Any, np.dtype[np.float64]], boxes: Iterable[Box]) -> set[int]:
    """Which characters have their middle in one of the boxes."""
    inside = np.zeros(len(middles), bool)
    for x0, y0, x1, y1 in boxes:
        inside |= (middles[:, 0] >= x0) & (middles[:, 0] <= x1) & (middles[:, 1] >= y0) & (middles[:, 1] <= y1)
    return set(np.flatnonzero(inside).tolist())


def matched(matches: list[LocateMatch], source: Glyphs, span: tuple[int, int]) -> bool:
    """One of the matches covers exactly the characters of the span."""
    wanted = {i for i in range(*span) if not source.text[i].isspace()}
    return any(covered(source.middles, match.boxes) == wanted for match in matches)


def part_spans(sample: int | None, *, per_page: int = 20, inside_block: bool = True) -> Figures:
    """Quotes as a model writes them, on the page they come from: found, and covering exactly their glyphs."""
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    misses: list[Figures] = []
    rng = random.Random(7)
    for row in manifest(sample):
        if row["expected"] not in {"text", "mixed_text_and_scan"}:
            continue
        data = (shared() / "pdfs" / row["file"]).read_bytes()
        document = read(data, row["file"], password=row["password"], settings=NO_OCR)
        with pymupdf.open(stream=data, filetype="pdf") as pdf:
            pages = sorted(rng.sample(range(len(pdf)), min(len(pdf), 8)))
            for number in pages:
                if not document.page(number + 1).readable:
                    tally[row["category"]]["unread pages"] += 1
                    continue
                _try_page(document, pdf[number], row, rng, per_page, tally[row["category"]], misses, inside_block)
    return _span_figures(tally, misses)


def _try_page(
    document: Document,
    sheet: pymupdf.Page,
    row: Figures,
    rng: random.Random,
    per_page: int,
    tally: Counter[str],
    misses: list[Figures],
    inside_block: bool,
) -> None:
    page = document.page(sheet.number + 1)
    source = glyphs(sheet)
    for span in random_spans(source, rng, per_page, inside_block=inside_block):
        quote = as_a_model_writes(source.text[slice(*span)])
        matches = [m for m in locate([page], quote) if m.match != "approximate"]
        exact = matched(matches, source, span)
        tally["spans"] += 1
        tally["found"] += bool(matches)
        tally["exact"] += exact
        if not exact:
            misses.append({"file": row["file"], "page": page.number, "found": bool(matches), "quote": quote})


def _span_figures(tally: dict[str, Counter[str]], misses: list[Figures]) -> Figures:
    total = sum(tally.values(), Counter[str]())
    strict = sum((tally[c] for c in ("contracts_legal", "government", "medical", "tables") if c in tally), Counter())
    return {
        "spans": total["spans"],
        "found": _share(total["found"], total["spans"]),
        "exact": _share(total["exact"], total["spans"]),
        "exact_contracts_government_medical_tables": _share(strict["exact"], strict["spans"]),
        "by_category": {
            name: {
                "spans": c["spans"],
                "found": _share(c["found"], c["spans"]),
                "exact": _share(c["exact"], c["spans"]),
            }
            for name, c in sorted(tally.items())
        },
        "misses": misses,
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
