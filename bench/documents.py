"""Reading PDFs: every public file against its expected outcome, quotes and their boxes, gold spans, speed, memory.

`python -m bench.documents [--part NAME …] [--sample N | --all] [--json]`. The reference is PyMuPDF's own `rawdict` in
its own order, not our page text, so that an error in our reading cannot hide itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pymupdf

from bench.documents_spans import (
    Glyphs,
    as_a_model_writes,
    as_written,
    covered,
    exact,
    glyphs,
    random_quotes,
)
from grounded import locations
from grounded.documents import read, read_many
from grounded.documents.characters import FLAGS
from grounded.errors import GroundedError
from grounded.settings import DocumentSettings
from grounded.text import fold
from grounded.types import Box, Document, LocateMatch, Page, spans_boxes
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
    reasons = set(result.coverage.unread.values())
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


def part_spans(sample: int | None, *, per_page: int = 20, inside_block: bool = True) -> Figures:
    """Quotes as a model writes them, on the page they come from: found, and covering exactly their glyphs. They are
    taken inside PyMuPDF's text blocks, or from all of a page in its order."""
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
    pools = source.blocks if inside_block else [[word for block in source.blocks for word in block]]
    for words in random_quotes(pools, rng, per_page):
        quote = as_a_model_writes(as_written(source, words))
        matches = [m for m in locate([page], quote) if m.match != "approximate"]
        is_exact = exact(matches, source, words)
        tally.update({"spans": 1, "found": bool(matches), "exact": is_exact})
        if not is_exact:
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


def part_quotes(sample: int | None) -> Figures:
    """Quotes of the page text as a model writes them: found, and PyMuPDF's glyphs under the boxes spell them."""
    rng = random.Random(5)
    tally: Counter[str] = Counter()
    misses: list[Figures] = []
    for file in _pdfs_with_text(sample):
        data = file.read_bytes()
        document = read(data, file.name, settings=NO_OCR)
        pages = [page for page in document.pages if page.readable]
        with pymupdf.open(stream=data, filetype="pdf") as pdf:
            for page in rng.sample(pages, min(4, len(pages))):
                source = glyphs(pdf[page.number - 1])
                for quote in _quotes(page, rng, 20):
                    matches = [m for m in locate([page], quote) if m.match != "approximate"]
                    spelled = any(_spelled(source, match) for match in matches)
                    tally.update({"spans": 1, "found": bool(matches), "exact": spelled})
                    if not spelled:
                        misses.append({"file": file.name, "page": page.number, "quote": quote, "found": bool(matches)})
    return {
        "spans": tally["spans"],
        "found": _share(tally["found"], tally["spans"]),
        "exact": _share(tally["exact"], tally["spans"]),
        "misses": misses,
    }


def _spelled(source: Glyphs, match: LocateMatch) -> bool:
    """The glyphs under the boxes are those of the match's text, in whatever order PyMuPDF has them."""
    under = "".join(source.text[i] for i in covered(source, match.boxes))
    return Counter(fold(under).key) == Counter(fold(match.text).key)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


# ---------------------------------------------------------------- ink


def part_ink(sample: int | None) -> Figures:
    """Character boxes of turned pages and turned text fall on ink in the rendered page."""
    boxes = on_ink = 0
    rng = random.Random(3)
    for row in manifest(sample):
        if row["category"] != "rotated" or row["expected"] != "text":
            continue
        data = (shared() / "pdfs" / row["file"]).read_bytes()
        document = read(data, row["file"], settings=NO_OCR)
        with pymupdf.open(stream=data, filetype="pdf") as pdf:
            for page in document.pages[:20]:
                visible = [i for i, char in enumerate(page.text) if not char.isspace()]
                chosen = rng.sample(visible, min(60, len(visible)))
                boxes += len(chosen)
                on_ink += _on_ink(pdf[page.number - 1], page.boxes[chosen].tolist())
    return {"boxes": boxes, "on_ink": _share(on_ink, boxes)}


def _on_ink(sheet: pymupdf.Page, boxes: list[list[float]]) -> int:
    """How many boxes contain pixels of different brightness."""
    pixmap = sheet.get_pixmap(matrix=pymupdf.Matrix(2, 2), colorspace=pymupdf.csGRAY, alpha=False)
    pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
    parts = [pixels[int(y0 * 2) : int(y1 * 2) + 1, int(x0 * 2) : int(x1 * 2) + 1] for x0, y0, x1, y1 in boxes]
    return sum(part.size > 0 and int(np.ptp(part)) > 30 for part in parts)


# ---------------------------------------------------------------- gold spans


def overlap(first: Iterable[Box], second: Iterable[Box]) -> float:
    """Intersection over union of two sets of boxes, on a grid of a quarter point."""
    a, b = list(first), list(second)
    x0, y0 = min(box[0] for box in a + b), min(box[1] for box in a + b)
    size = max(box[3] for box in a + b) - y0, max(box[2] for box in a + b) - x0
    masks = np.zeros((2, int(size[0] * 4) + 2, int(size[1] * 4) + 2), bool)
    for mask, boxes in zip(masks, (a, b), strict=True):
        for box in boxes:
            rows = slice(round((box[1] - y0) * 4), round((box[3] - y0) * 4))
            mask[rows, round((box[0] - x0) * 4) : round((box[2] - x0) * 4)] = True
    return float((masks[0] & masks[1]).sum() / max(1, (masks[0] | masks[1]).sum()))


class Gold(NamedTuple):
    """A passage somebody marked: its quote and its boxes per page (1-based)."""

    pdf: Path
    quote: str
    boxes: dict[int, list[Box]]


def gold_cuad() -> Iterator[Gold]:
    """The lawyers' spans of 50 contracts."""
    folder = shared() / "bench" / "cuad"
    for line in (folder / "gold_spans.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for fragment in row["pdf_fragments"]:
            boxes = {part["page_index"] + 1: [tuple(r) for r in part["rects"]] for part in fragment["boxes"]}
            yield Gold(folder / "pdfs" / f"{row['doc_id']}.pdf", fragment["text"], boxes)


def gold_ntsb() -> Iterator[Gold]:
    """Fields of accident reports with their labels."""
    folder = shared() / "bench" / "ntsb"
    for line in (folder / "gold.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("gold_quote") and row.get("boxes"):
            boxes = {row["page_index"] + 1: [tuple(box) for box in row["boxes"]]}
            yield Gold(folder / "pdfs" / row["doc"], row["gold_quote"], boxes)


def part_gold(sample: int | None, *, which: str = "cuad") -> Figures:
    """Gold passages are found on their pages, with the gold boxes (best of all occurrences)."""
    golds = list(
        {(g.pdf, g.quote, str(g.boxes)): g for g in (gold_cuad() if which == "cuad" else gold_ntsb())}.values()
    )
    if sample is not None:
        golds = random.Random(2).sample(golds, min(sample, len(golds)))
    documents: dict[Path, Document] = {}
    tally: Counter[str] = Counter()
    overlaps: list[float] = []
    misses: list[Figures] = []
    for gold in golds:
        if gold.pdf not in documents:
            documents[gold.pdf] = read(gold.pdf.read_bytes(), gold.pdf.name, settings=NO_OCR)
        best, proof = _best_overlap(documents[gold.pdf], gold)
        tally["located"] += proof
        tally["there"] += best > 0
        overlaps.append(best)
        if not proof or best < 0.9:
            misses.append({"file": gold.pdf.name, "pages": sorted(gold.boxes), "iou": best, "quote": gold.quote[:300]})
    return {
        "spans": len(golds),
        "located_on_its_page": _share(tally["located"], len(golds)),
        "touching_the_gold_boxes": _share(tally["there"], len(golds)),
        "mean_iou": round(sum(overlaps) / max(1, len(overlaps)), 4),
        "iou_at_least_0.9": _share(sum(value >= 0.9 for value in overlaps), len(golds)),
        "misses": misses,
    }


def _best_overlap(document: Document, gold: Gold) -> tuple[float, bool]:
    """Overlap with the gold boxes of the best match on exactly the gold pages, and whether one counts as proof.

    The gold boxes are those of whole words, so both sides are compared as words. A gold span that ends inside a word
    is only ever the nearest passage.
    """
    pages = [document.page(number) for number in sorted(gold.boxes)]
    best, proof = 0.0, False
    for match in locate(pages, gold.quote):
        parts = {part.page: part for part in (match, *match.continues)}
        if set(parts) == set(gold.boxes):
            proof |= match.match != "approximate"
            boxes = {n: spans_boxes(document.page(n), _words_under(document.page(n), parts[n].spans)) for n in parts}
            best = max(best, min(overlap(boxes[number], gold.boxes[number]) for number in parts))
    return best, proof


def _words_under(page: Page, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans extended to whole words."""
    grown = []
    for start, end in spans:
        while start > 0 and not page.text[start - 1].isspace():
            start -= 1
        while end < len(page.text) and not page.text[end].isspace():
            end += 1
        grown.append((start, end))
    return grown


# ---------------------------------------------------------------- altered quotes


def alterations(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """(kind, altered quote): each says something else than `text`."""
    digits = [m.start() for m in re.finditer(r"\d", text)]
    if digits:
        at = rng.choice(digits)
        yield "digit", text[:at] + str((int(text[at]) + rng.randint(1, 9)) % 10) + text[at + 1 :]
        yield "digit dropped", text[:at] + text[at + 1 :]
    for pattern, kind, new in (
        (r"(?<=\d)\.(?=\d)", "decimal point dropped", ""),
        (r"(?<=\d),(?=\d)", "comma for point", "."),
        (r"(?<=\d)\s?%", "percent dropped", ""),
        (r"\((?=[$€£]?\d[\d.,]*\))", "bracket dropped", ""),
        (r"(?<=\s)[-−–](?=[$€£]?\d)", "sign dropped", ""),
        (r"(?<=[\s])(?=\d)(?<![-−–]\s)", "sign added", "-"),
        (r"(?<=\w\s)(?:not|no|never|neither|nor|without)\s", "negation dropped", ""),
        (r"\b(?:is|are|was|were|will|shall|may|can|does|did)\b(?= \w)", "negation added", None),
        (r"[$€£](?=\s?\d)", "currency changed", "¥"),
        (r"(?<=\w\s)[-+−–($€£]*\d[\d.,]*\d[%)]*(?=[\s.,;])", "number dropped", ""),
        (r"(?<=\d)\s?[-–—]\s?(?=\d)", "range as one number", ""),
        (r"(?<=\d) (?=\d)", "numbers joined", ""),
        (r"(?<=\d)(?=\d)", "number parted", " "),
        (r"n['’]t\b", "n't dropped", ""),
        (r"(?<=can)not\b", "not of cannot dropped", ""),
        (r"\b(?:non-?|un-?|in|dis)(?=[a-z]{4})", "prefix dropped", ""),
        (r"\b(?:million|billion|thousand|hundred|percent)\b", "unit changed", "trillion"),
        (
            r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b",
            "month",
            "Mayhem",
        ),
        (r"(?<=\d)(?=\s|$)", "percent added", "%"),
        (r"(?<=\d)(?=[\s.,;]|$)", "digit added", "0"),
    ):
        if places := list(re.finditer(pattern, text)):
            for place in {places[-1], rng.choice(places)}:
                written = f"{place.group()} not" if new is None else new
                yield kind, text[: place.start()] + written + text[place.end() :]
    cells = text.split()
    if numbers := [i for i in range(len(cells) - 1) if all(c[-1].isdigit() for c in cells[i : i + 2])]:
        at = rng.choice(numbers)
        if cells[at] != cells[at + 1]:
            yield "cells swapped", " ".join([*cells[:at], cells[at + 1], cells[at], *cells[at + 2 :]])
    halves = re.split(r"(?<=[,;]) ", text, maxsplit=1)
    if len(halves) == 2 and halves[0] != halves[1]:
        yield "clauses swapped", f"{halves[1]} {halves[0]}"


def part_altered(sample: int | None) -> Figures:
    """Quotes that say something else are never accepted, on the page they were taken from or beside it."""
    tried: Counter[str] = Counter()
    accepted: list[Figures] = []
    rng = random.Random(11)
    for pdf in _pdfs_with_text(sample):
        document = read(pdf.read_bytes(), pdf.name, settings=NO_OCR)
        said = _said(document, pdf)
        pages = [page for page in document.pages if page.readable]
        for page in rng.sample(pages, min(len(pages), 4)):
            for quote in _quotes(page, rng, 12):
                for kind, altered in alterations(quote, rng):
                    if not altered.strip() or any(" ".join(altered.split()) in text for text in said):
                        continue
                    tried[kind] += 1
                    hits = [m for m in locate([page], altered) if m.match != "approximate"]
                    if hits:
                        accepted.append({"file": pdf.name, "kind": kind, "quote": altered, "found": hits[0].text})
    return {"tried": sum(tried.values()), "accepted": len(accepted), "kinds": dict(tried), "which": accepted}


def _pdfs_with_text(sample: int | None) -> list[Path]:
    wanted = {"contracts_legal", "government", "medical", "papers", "tables"}
    rows = [r for r in manifest(None) if r["category"] in wanted and r["expected"] == "text" and not r["password"]]
    files = [shared() / "pdfs" / row["file"] for row in rows]
    files += sorted((shared() / "bench" / "ntsb" / "pdfs").glob("*.pdf"))
    return files if sample is None else random.Random(4).sample(files, min(sample, len(files)))


def _quotes(page: Page, rng: random.Random, count: int) -> Iterator[str]:
    words = [m.span() for m in re.finditer(r"\S+", page.text)]
    for _ in range(count if len(words) >= 8 else 0):
        size = min(rng.randint(6, 20), len(words))
        first = rng.randrange(len(words) - size + 1)
        yield as_a_model_writes(page.text[words[first][0] : words[first + size - 1][1]])


def _said(document: Document, file: Path) -> list[str]:
    """What the pages say, in our order and in PyMuPDF's: altered words that stand there too are rightly found."""
    with pymupdf.open(file) as pdf:
        return [as_a_model_writes(text) for text in [p.text for p in document.pages] + [glyphs(p).text for p in pdf]]


# ---------------------------------------------------------------- speed and memory


def part_speed(sample: int | None) -> Figures:
    """Pages a second of the whole reading, structure included, and of PyMuPDF's rawdict: same bytes, each opened anew
    (what MuPDF keeps of an open file would favour the second to read it), same process, the better of two turns."""
    files = _pdfs_with_text(30 if sample is None else sample)
    seconds: Counter[str] = Counter()
    pages = 0
    for file in files:
        data = _first_pages(file, 12)
        works = {
            "rawdict": partial(_rawdict, data, pymupdf.TEXTFLAGS_RAWDICT),
            "rawdict, our flags": partial(_rawdict, data, FLAGS),
            "documents": partial(read, data, file.name, settings=NO_OCR),
        }
        turns = [{name: _clocked(work) for name, work in works.items()} for _ in range(2)]
        seconds.update({name: min(turn[name] for turn in turns) for name in works})
        pages += _rawdict(data, 0)
    rate = {name: round(pages / value, 1) for name, value in seconds.items()}
    return {
        "pages": pages,
        "pages_per_cpu_second": rate,
        "against_rawdict": round(rate["documents"] / rate["rawdict"], 2),
        "against_rawdict_our_flags": round(rate["documents"] / rate["rawdict, our flags"], 2),
        "load_average": round(os.getloadavg()[0], 1),
    }


def _first_pages(file: Path, count: int) -> bytes:
    """The beginning of a file, so that no long one outweighs the others."""
    with pymupdf.open(file) as pdf:
        pdf.select(range(min(count, len(pdf))))
        return bytes(pdf.tobytes())


def _rawdict(data: bytes, flags: int) -> int:
    """Reads every page; how many there are."""
    with pymupdf.open(stream=data, filetype="pdf") as pdf:
        for page in pdf:
            page.get_text("rawdict", flags=flags)
        return len(pdf)


def _clocked(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    work()
    return time.process_time() - started


def part_parallel(sample: int | None) -> Figures:
    """Pages a second (wall clock) of `read_many` with a process per core, and of rawdict in one process, same files."""
    files = _pdfs_with_text(30 if sample is None else sample)
    with tempfile.TemporaryDirectory() as folder:
        items = [(file.name, Path(folder, f"{n}.pdf"), None) for n, file in enumerate(files)]
        for file, (_, path, _) in zip(files, items, strict=True):
            path.write_bytes(_first_pages(file, 12))
        started = time.perf_counter()
        for _, path, _ in items:
            with pymupdf.open(path) as pdf:
                for sheet in pdf:
                    sheet.get_text("rawdict")
        alone = time.perf_counter() - started
        reading = read_many(items, NO_OCR)
        first = next(reading)  # the processes have started
        started = time.perf_counter()
        pages = [len(result.pages) for _, result in reading if isinstance(result, Document)]
        took = time.perf_counter() - started
    assert isinstance(first[1], Document), first
    share = sum(pages) / (sum(pages) + len(first[1].pages))
    return {
        "pages": sum(pages),
        "pages_per_second": round(sum(pages) / took, 1),
        "against_rawdict": round(alone * share / took, 2),
        "load_average": round(os.getloadavg()[0], 1),
    }


def part_memory(sample: int | None) -> Figures:
    """A generated file of 1,000 pages (or `sample`): pages in and out, and the peak of worker and parent together."""
    count = sample or 1000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.pdf")
        write_long_pdf(path, count)
        started = time.perf_counter()
        ((_, document),) = read_many([("long.pdf", path, None)], NO_OCR)
        took = time.perf_counter() - started
    assert isinstance(document, Document), document
    peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return {
        "pages_in": count,
        "pages_out": sum(f"page {p.number} of" in p.text for p in document.pages),
        "peak_mb_worker": round(peaks[0]),
        "peak_mb_parent": round(peaks[1]),
        "seconds": round(took, 1),
    }


def write_long_pdf(path: Path, pages: int) -> None:
    """A PDF with text on every page, and the page's number in it."""
    pdf = pymupdf.open()
    words = "The quick brown fox jumps over 13 lazy dogs near the river bank, as reported in 2024. "
    for number in range(1, pages + 1):
        sheet = pdf.new_page()
        sheet.insert_textbox((72, 60, 520, 780), f"This is page {number} of {pages}.\n" + words * 30, fontsize=10)
    pdf.save(path, deflate=True)


# ---------------------------------------------------------------- command

PARTS: dict[str, Callable[[int | None], Figures]] = {
    "outcomes": part_outcomes,
    "quotes": part_quotes,
    "spans": part_spans,
    "spans_in_file_order": lambda sample: part_spans(sample, inside_block=False),
    "ink": part_ink,
    "cuad": part_gold,
    "ntsb": lambda sample: part_gold(sample, which="ntsb"),
    "altered": part_altered,
    "speed": part_speed,
    "parallel": part_parallel,
    "memory": part_memory,
}


SAMPLES = {"quotes": 20, "spans": 50, "spans_in_file_order": 50, "altered": 11}  # files, unless told


def main() -> int:
    """Run the parts asked for and print their figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part (repeatable)")
    parser.add_argument("--sample", type=int, help="files, spans or pages of each part")
    parser.add_argument(
        "--all", action="store_true", help="all files, also in parts that otherwise try a random sample"
    )
    parser.add_argument("--misses", type=int, default=0, help="how many single failures to print, with their text")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results: Figures = {}
    for name in args.part or PARTS:
        results[name] = PARTS[name](args.sample or (None if args.all else SAMPLES.get(name)))
        for key in ("misses", "which"):
            if key in results[name]:
                results[name][key] = results[name][key][: args.misses]
                if not args.misses:
                    del results[name][key]
        if not args.json:
            print(f"\n{name}\n{json.dumps(results[name], indent=1, ensure_ascii=False)}", flush=True)
    if args.json:
        print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
