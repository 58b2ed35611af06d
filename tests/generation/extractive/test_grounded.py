"""Whatever is asked of whatever file: every quote stands where it says, and the verifier agrees with every claim."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.reading import Opened, open_pdf, reader
from grounded.errors import DocumentError
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
)
FILES, QUESTIONS, SOURCES = 14, 9, 8


def questions(opened: Opened, chooser: random.Random) -> list[str]:
    """Questions made of the document's own words, in every form."""
    words = [w.strip(".,:;()") for c in opened.chunks for w in c.text.split() if w.strip(".,:;()").isalpha()]
    words = [w for w in words if len(w) > 3] or ["revenue", "date"]
    return [
        form.format(a=" ".join(chooser.choices(words, k=chooser.randint(1, 2))), b=chooser.choice(words))
        for form in chooser.sample(FORMS, QUESTIONS)
    ]


def ask(opened: Opened, question: str, context: Context) -> Reading:
    plan = Plan(question=question, subquestions=(SubQuestion(text=question),))
    return reader().read(plan, context, opened, on_claim=lambda claim: None, cancelled=lambda: False)


def check(reading: Reading, context: Context, opened: Opened, question: str) -> None:
    for claim in reading.claims:
        assert claim.quotes, claim.text
        for quote in claim.quotes:
            source = context.source(quote.source_id)
            assert source is not None
            assert quote.span is not None
            start, end = source.hit.chunk.span
            assert start <= quote.span[0] < quote.span[1] <= end
            assert opened.page("", source.hit.chunk.page).text[slice(*quote.span)] == quote.text
    verified = verify(reading.claims, context, opened, entailment=None)
    failed = [(question, claim.text, claim.verdict.reason) for claim in verified if not claim.verdict.grounded]
    assert failed == []


@pytest.mark.shared
def test_every_claim_is_grounded(shared: Path) -> None:
    chooser = random.Random(11)
    paths = [p for p in sorted((shared / "pdfs").rglob("*.pdf")) if p.stat().st_size < 150_000]
    claims = 0
    for path in chooser.sample(paths, FILES):
        try:
            opened = open_pdf(path.read_bytes(), path.name)
        except DocumentError:
            continue
        for question in questions(opened, chooser):
            sources = opened.context.sources
            context = Context(
                sources=tuple(sorted(chooser.sample(sources, min(SOURCES, len(sources))), key=lambda s: s.id))
            )
            reading = ask(opened, question, context)
            check(reading, context, opened, question)
            claims += len(reading.claims)
    assert claims
