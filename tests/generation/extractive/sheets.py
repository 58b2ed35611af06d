"""Pages set in a typewriter face, and contexts made of them: small inputs whose right reading is plain to see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grounded.generation.extractive import ExtractiveReader
from grounded.generation.reader import Reading
from grounded.types import CharSpan, Chunk, Context, Hit, Page, Plan, Source, SubQuestion, Table

CHAR_WIDTH, LINE_HEIGHT = 6.0, 12.0


def page(text: str, number: int = 1, *, tables: tuple[Table, ...] = ()) -> Page:
    """A page whose characters all have the same box; runs of spaces are gaps."""
    boxes = np.zeros((len(text), 4), np.float32)
    row, column = 0, 0
    for i, char in enumerate(text):
        if char == "\n":
            row, column = row + 1, 0
            continue
        x, y = 50 + column * CHAR_WIDTH, 50 + row * LINE_HEIGHT
        boxes[i] = (x, y, x + CHAR_WIDTH, y + LINE_HEIGHT - 2)
        column += 1
    return Page(number, str(number), 612, 792, 0, text, boxes, tables=tables)


class Pages:
    """Documents by name: the shape of the library."""

    def __init__(self, documents: dict[str, Sequence[Page]]) -> None:
        self.documents = documents

    def page(self, document: str, number: int) -> Page:
        return self.documents[document][number - 1]

    def page_count(self, document: str) -> int:
        return len(self.documents[document])

    def section_at(self, document: str, page: int, offset: int) -> str:
        return ""

    def name(self, document: str) -> str:
        return document


def context(pages: Pages, spans: dict[tuple[str, int], CharSpan] | None = None, section: str = "") -> Context:
    """Every page of every document as one source, or only the parts in `spans`."""
    sources: list[Source] = []
    for name, leaves in pages.documents.items():
        for leaf in leaves:
            span = (spans or {}).get((name, leaf.number), (0, len(leaf.text)))
            chunk = Chunk(
                id=f"{name}:{leaf.number}",
                document=name,
                source_name=name,
                page=leaf.number,
                page_label=leaf.label,
                span=span,
                text=leaf.text[slice(*span)],
                section=section,
            )
            rank = len(sources) + 1
            hit = Hit(
                chunk=chunk,
                cosine=0.5,
                section_match=0.0,
                retrieval_confidence=0.35,
                retrieved_rank=rank,
                reranked_rank=rank,
            )
            sources.append(Source(id=f"S{rank}", hit=hit, label=name, text=chunk.text, tokens=1))
    return Context(sources=tuple(sources))


def ask(question: str, pages: Pages, given: Context | None = None) -> Reading:
    """The extractive reader's answer to one question."""
    plan = Plan(question=question, subquestions=(SubQuestion(text=question),))
    given = given if given is not None else context(pages)
    return ExtractiveReader().read(plan, given, pages, on_claim=lambda claim: None, cancelled=lambda: False)
