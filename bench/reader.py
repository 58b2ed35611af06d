"""Quality and speed of the extractive reader alone: `python -m bench.reader [cuad ntsb tatqa xquad] [--sample N]`.

The whole document is given to the reader, retrieval apart (bench.retrieval measures that). tatqa contexts and xquad
paragraphs are typeset as PDF pages first. tatqa figures are on the half that nothing was fitted on. cuad contracts and
xquad paragraphs have been seen by the shipped clause model and ranker: for figures on held-out
ones run `python -m bench.train_clauses --folds 3` and `python -m bench.train_reader`.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bench.reading import Opened, ask, jaccard, open_pdf, reader, token_f1
from bench.train_clauses import gold_places, lines
from grounded import locations
from grounded.documents.typeset import typeset
from grounded.evaluation.sets import is_fitted, tatqa_sheet
from grounded.generation.extractive.reader import NOT_SURE
from grounded.generation.reader import Reading
from grounded.quantities import quantities

CLOSE = 0.006  # of a value rounded to two decimals
KNOWN = {"cuad": "contracts the clause model has seen", "xquad": "paragraphs the ranker has seen"}
SCALES = {"": 0, "thousand": 3, "million": 6, "billion": 9, "percent": 0}


class Score(NamedTuple):
    """One question: the figure it counts for, and its value."""

    figure: str
    value: float


class Task(NamedTuple):
    """One question to one document, and how its reading is scored."""

    question: str
    opened: Opened
    score: Callable[[Reading], list[Score]]


def ntsb(folder: Path) -> Iterator[Task]:
    """Fields of accident reports: right value, or silence on a blank one."""
    opened: dict[str, Opened] = {}
    for row in lines(folder / "ntsb" / "gold.jsonl"):
        if row["kind"] in ("true", "blank_field"):
            if row["doc"] not in opened:
                opened[row["doc"]] = open_pdf((folder / "ntsb" / "pdfs" / row["doc"]).read_bytes(), row["doc"])
            yield Task(row["question"], opened[row["doc"]], lambda reading, row=row: _ntsb(reading, row))


def _ntsb(reading: Reading, row: dict[str, Any]) -> list[Score]:
    if not row["answerable"]:
        return [Score("blank abstained", not reading.claims)]
    said = reading.claims[0].text if reading.claims else ""
    return [Score("right value", said.endswith(" ".join(row["gold_value"].split())))]


def tatqa(folder: Path) -> Iterator[Task]:
    """Questions on tables and text of annual reports, by kind: exact match of every gold answer, with its scale."""
    contexts = {c["context_id"]: c for c in lines(folder / "tatqa" / "dev_contexts.jsonl")}
    opened = {
        key: open_pdf(typeset(sheet.paragraphs, sheet.table), "report.pdf")
        for key in sorted(contexts)
        if not is_fitted(key) and (sheet := tatqa_sheet(contexts[key]))
    }  # the other half was fitted on
    for row in lines(folder / "tatqa" / "dev_questions.jsonl"):
        if row["context_id"] in opened:
            yield Task(row["question"], opened[row["context_id"]], lambda reading, row=row: _tatqa(reading, row))


def _tatqa(reading: Reading, row: dict[str, Any]) -> list[Score]:
    gold = row["answer"] if isinstance(row["answer"], list) else [row["answer"]]
    said = [part for claim in reading.claims for part in _answers(claim.text)]
    said += [claim.calculation.result for claim in reading.claims if claim.calculation]
    right = float(bool(said) and all(any(_same(part, str(g), row["scale"]) for part in said) for g in gold))
    return [Score("exact match", right), Score(f"exact match, {row['answer_type']} from {row['answer_from']}", right)]


def _answers(text: str) -> list[str]:
    """What a claim may be read to answer: all of it, what stands before its brackets, what behind its colon."""
    behind = text.rsplit(": ", 1)[-1]
    return [text, text.split(" (")[0], behind, behind.split(" (")[0]]


def _same(said: str, gold: str, scale: str) -> bool:
    a, b = quantities(said), quantities(gold)
    if len(a) == 1 and len(b) == 1 and b[0].text.strip() == gold.strip():
        own = b[0].exponent  # "$2.0 million" needs no scale beside it
        scaled = a[0].exponent in ((own,) if own else (0, SCALES[scale]))
        return scaled and abs(round(float(a[0].number), 2) - float(b[0].number)) < CLOSE
    return token_f1(said, gold) == 1.0


def xquad(folder: Path) -> Iterator[Task]:
    """Encyclopedia paragraphs: token F1 given the paragraph, silence on a paragraph of another article."""
    rows = lines(folder / "xquad_en" / "xquad_en.jsonl")
    pages = {row["context_id"]: _paragraph(row["context"]) for row in rows}
    chooser = random.Random(3)
    for row in rows:
        article = row["context_id"].rsplit("_", 1)[0]
        other = chooser.choice([key for key in pages if key.rsplit("_", 1)[0] != article])
        yield Task(row["question"], pages[row["context_id"]], lambda reading, row=row: _xquad(reading, row))
        yield Task(
            row["question"], pages[other], lambda reading: [Score("wrong paragraph abstained", not reading.claims)]
        )


def _paragraph(text: str) -> Opened:
    return open_pdf(typeset([text]), "paragraph.pdf")


def _xquad(reading: Reading, row: dict[str, Any]) -> list[Score]:
    said = reading.claims[0].text if reading.claims else ""
    return [Score("token F1", max(token_f1(said, a["text"]) for a in row["answers"])), Score("answered", bool(said))]


def cuad(folder: Path) -> Iterator[Task]:
    """Clauses of contracts: a span like gold and the right page in the first three claims, silence on missing ones."""
    opened = {p.stem: open_pdf(p.read_bytes(), p.name) for p in sorted((folder / "cuad" / "pdfs").glob("*.pdf"))}
    gold = gold_places(folder / "cuad", opened)
    for row in lines(folder / "cuad" / "queries.jsonl"):
        places = gold[row["doc_id"]].get(row["category"], [])
        yield Task(row["question"], opened[row["doc_id"]], lambda reading, places=places: _cuad(reading, places))


def _cuad(reading: Reading, places: list[tuple[int, tuple[int, int]]]) -> list[Score]:
    if not places:
        return [Score("missing clause abstained", not reading.claims)]
    said = [q.span for claim in reading.claims[:3] for q in claim.quotes if q.span]
    near = any(jaccard(span, place) >= 0.5 for span in said for _, place in places)
    return [Score("span like gold in three claims", near), Score("answered", bool(said))]


SETS: dict[str, Callable[[Path], Iterator[Task]]] = {"ntsb": ntsb, "tatqa": tatqa, "xquad": xquad, "cuad": cuad}


def run(name: str, sample: int) -> None:
    """Print the figures of one set."""
    tasks = list(SETS[name](locations.shared() / "bench"))
    if sample:
        tasks = random.Random(7).sample(tasks, min(sample, len(tasks)))
    scores: dict[str, list[float]] = defaultdict(list)
    made, begun = reader(), time.perf_counter()
    for task in tasks:
        reading = ask(made, task.question, task.opened)
        given = task.score(reading)
        for score in given:
            scores[score.figure].append(float(score.value))
        if reading.claims:  # on a question without an answer, any claim is wrong
            scores[f"right where {'not sure' if NOT_SURE in reading.notes else 'sure'}"].append(float(given[0].value))
    spent = (time.perf_counter() - begun) / max(1, len(tasks))
    print(f"{name}: {len(tasks)} questions, {1000 * spent:.0f} ms each; {KNOWN.get(name, 'held back from fitting')}")
    for figure in sorted(scores):
        print(f"  {figure}: {sum(scores[figure]) / len(scores[figure]):.3f} (n={len(scores[figure])})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], default=[])
    parser.add_argument("--sample", type=int, default=300, help="questions of each set; 0 for all")
    arguments = parser.parse_args()
    for name in arguments.sets or SETS:
        run(name, arguments.sample)


if __name__ == "__main__":
    main()
