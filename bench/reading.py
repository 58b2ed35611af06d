"""What the reader's benchmarks share: a PDF opened as the library would, every chunk of it a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from grounded.documents import read
from grounded.documents.chunks import chunk
from grounded.generation.extractive import ExtractiveReader
from grounded.generation.reader import Reading
from grounded.retrieval.glossary import load_glossary
from grounded.retrieval.pairs import load_pairs
from grounded.settings import DocumentSettings
from grounded.types import CharSpan, Chunk, Context, Document, Hit, Page, Plan, Source, SubQuestion

TOKENS_A_WORD = 1.35


@dataclass(frozen=True)
class Opened:
    """One document with its chunks: a page source."""

    document: Document
    chunks: tuple[Chunk, ...]

    @cached_property
    def context(self) -> Context:
        """Every chunk as a source, in reading order."""
        return Context(sources=tuple(_source(number, c) for number, c in enumerate(self.chunks, 1)))

    def page(self, document: str, number: int) -> Page:
        return self.document.page(number)

    def page_count(self, document: str) -> int:
        return len(self.document.pages)

    def section_at(self, document: str, page: int, offset: int) -> str:
        return " › ".join(self.document.section_at(page, offset))

    def name(self, document: str) -> str:
        return self.document.name


def open_pdf(data: bytes, name: str) -> Opened:
    """Read and cut a PDF as indexing does."""
    settings = DocumentSettings(ocr="off")
    document = read(data, name, settings=settings)
    cut = chunk(document, count_tokens=lambda t: int(len(t.split()) * TOKENS_A_WORD) + 2, max_tokens=250)
    return Opened(document, tuple(cut))


def reader() -> ExtractiveReader:
    """The reader as the pipeline makes it."""
    glossary = load_glossary(None)
    return ExtractiveReader(lambda q: [(sense.said, sense.entry.forms) for sense in glossary.senses(q)], load_pairs())


def ask(made: ExtractiveReader, question: str, opened: Opened) -> Reading:
    """One question, the whole document given."""
    plan = Plan(question=question, subquestions=(SubQuestion(text=question),))
    never: Callable[[], bool] = lambda: False  # noqa: E731
    return made.read(plan, opened.context, opened, on_claim=lambda claim: None, cancelled=never)


def token_f1(said: str, gold: str) -> float:
    """SQuAD's token F1: lower case, no punctuation, no articles."""
    a, b = _tokens(said), _tokens(gold)
    shared = sum((Counter(a) & Counter(b)).values())
    return 2 * shared / (len(a) + len(b)) if shared else 0.0


def jaccard(a: CharSpan, b: CharSpan) -> float:
    """Overlap of two spans over their union."""
    shared = min(a[1], b[1]) - max(a[0], b[0])
    return max(0, shared) / (max(a[1], b[1]) - min(a[0], b[0]))


def _tokens(text: str) -> list[str]:
    plain = "".join(c if c.isalnum() else " " for c in text.casefold())
    return [w for w in plain.split() if w not in ("a", "an", "the")]


def _source(number: int, chunk_: Chunk) -> Source:
    hit = Hit(
        chunk=chunk_,
        cosine=0.5,
        section_match=0.0,
        retrieval_confidence=0.35,
        retrieved_rank=number,
        reranked_rank=number,
    )
    return Source(id=f"S{number}", hit=hit, label=chunk_.source_name, text=chunk_.text, tokens=1)
