"""Random questions to every small shared PDF: is each claim grounded? `python -m bench.random_claims [--pairs N]`.

Questions of many forms are made of a document's own words and asked of a random handful of its passages. Of every
claim that comes back each quote must stand where it says, and the verifier must agree. Exceptions are printed; the
exit status is 1 when there is one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from bench.reading import Opened, open_pdf, reader
from grounded import locations
from grounded.errors import DocumentError
from grounded.generation.extractive import ExtractiveReader
from grounded.generation.reader import Reading
from grounded.types import Context, Plan, SubQuestion
from grounded.verification.verify import verify

FORMS = (
    "What is the {a}?",
    "{a} {b}",
    "How much was {a} in 2019?",
    "What is the largest {a}?",
    "How did {a} change between 2018 and 2019?",
    "What is the total {a} and {b}?",
    "When is the {a} {b}?",
    "Who is the {a}?",
    "Is there a {a} {b}?",
    "What are the {a}?",
    "What percentage of {a} is {b}?",
    "How many {a} are there?",
    "What does {a} mean?",
    "What is the {a}, and who is the {b}?",
    "What are the {a} and the {b}?",
    "In which years was {a} {b}?",
    "Which {a} has the lowest {b}?",
    "Why did {a} {b}?",
    "What are the components of {a}?",
    "What were the {a} in 2018 and 2019 respectively?",
    "Who is the {a} {b} officer?",
    "Can I {a} the {b}?",
    "Does the {a} {b}?",
    "{a} 2020",
    "Which {a} {b} the most?",
    "What is the average {a} by {b}?",
    "By how much did {a} grow from 2010 to 2020?",
    "May the {a} {b} without {a}?",
    "Where is the {a}?",
    "How long is the {a} {b}?",
    "list all {a}",
    "{a} vs {b}",
)
SOURCES = 8
LARGEST = 150_000  # bytes of a file that is asked


def questions(opened: Opened, chooser: random.Random, count: int) -> list[str]:
    """Questions made of the document's own words, each of another form."""
    words = [w.strip(".,:;()") for c in opened.chunks for w in c.text.split() if w.strip(".,:;()").isalpha()]
    words = [w for w in words if len(w) > 3] or ["revenue", "date"]
    return [
        form.format(a=" ".join(chooser.choices(words, k=chooser.randint(1, 2))), b=chooser.choice(words))
        for form in chooser.sample(FORMS, count)
    ]


def some_sources(opened: Opened, chooser: random.Random) -> Context:
    """A random handful of the document's passages."""
    sources = opened.context.sources
    return Context(sources=tuple(sorted(chooser.sample(sources, min(SOURCES, len(sources))), key=lambda s: s.id)))


@lru_cache(maxsize=1)
def _reader() -> ExtractiveReader:
    return reader()


def ask(opened: Opened, question: str, context: Context) -> Reading:
    """The reader's answer from these passages."""
    plan = Plan(question=question, subquestions=(SubQuestion(text=question),))
    return _reader().read(plan, context, opened, on_claim=lambda claim: None, cancelled=lambda: False)


def exceptions(reading: Reading, context: Context, opened: Opened) -> Iterator[str]:
    """What is wrong with the claims; nothing, by construction."""
    for claim in reading.claims:
        if not claim.quotes:
            yield f"no quote: {claim.text}"
        for quote in claim.quotes:
            source = context.source(quote.source_id)
            if source is None or quote.span is None:
                yield f"no place: {quote.text}"
                continue
            start, end = source.hit.chunk.span
            within = start <= quote.span[0] < quote.span[1] <= end
            if not within or opened.page("", source.hit.chunk.page).text[slice(*quote.span)] != quote.text:
                yield f"another place: {quote.text}"
    verified = verify(reading.claims, context, opened, entailment=None)
    yield from (f"{c.verdict.reason}: {c.text}" for c in verified if not c.verdict.grounded)


def small_pdfs(shared: Path) -> list[Path]:
    """The shared PDFs that are quick to read."""
    return [p for p in sorted((shared / "pdfs").rglob("*.pdf")) if p.stat().st_size < LARGEST]


def main() -> int:
    """Print the exceptions and how much was tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=3000, help="questions in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=280, help="after which no more is asked")
    arguments = parser.parse_args()
    chooser, begun = random.Random(arguments.seed), time.monotonic()
    paths = small_pdfs(locations.shared())
    chooser.shuffle(paths)
    asked = claims = wrong = files = 0
    for path in paths:
        if asked >= arguments.pairs or time.monotonic() - begun > arguments.seconds:
            break
        try:
            opened = open_pdf(path.read_bytes(), path.name)
        except DocumentError:
            continue
        files += 1
        for question in questions(opened, chooser, len(FORMS)):
            context = some_sources(opened, chooser)
            reading = ask(opened, question, context)
            found = list(exceptions(reading, context, opened))
            for text in found:
                print(f"  {path.name} | {question} | {text}", flush=True)
            asked, claims, wrong = asked + 1, claims + len(reading.claims), wrong + len(found)
    print(f"{asked} questions of {files} files, {claims} claims: {wrong} exceptions")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
