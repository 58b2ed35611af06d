"""A one-document page source and a context over it, small enough to read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from grounded.types import Chunk, Context, Hit, Page, Source
from grounded.verification.entailment import EntailmentItem, ModelVerdict

DOCUMENT = "d" * 64


def page(number: int, text: str) -> Page:
    """A page whose character i sits at x = i."""
    boxes = np.array([[i, 0, i + 1, 10] for i in range(len(text))], dtype=np.float32).reshape(-1, 4)
    return Page(number, str(number), 612, 792, 0, text, boxes)


class Pages:
    """The pages of one document."""

    def __init__(self, *texts: str) -> None:
        self._pages = [page(i, text) for i, text in enumerate(texts, start=1)]

    def page(self, document: str, number: int) -> Page:
        return self._pages[number - 1]

    def page_count(self, document: str) -> int:
        return len(self._pages)

    def section_at(self, document: str, page: int, offset: int) -> str:
        return "Facts"

    def name(self, document: str) -> str:
        return "facts.pdf"

    def context(self) -> Context:
        """Every page as one source: S1 is page 1."""
        return Context(sources=tuple(self._source(p) for p in self._pages))

    def _source(self, p: Page) -> Source:
        chunk = Chunk(
            id=hashlib.sha256(p.text.encode()).hexdigest(), document=DOCUMENT, source_name="facts.pdf", page=p.number,
            page_label=p.label, span=(0, len(p.text)), text=p.text, section="Facts",
        )  # fmt: skip
        hit = Hit(
            chunk=chunk, cosine=0.5, section_match=1, retrieval_confidence=0.65, retrieved_rank=1, reranked_rank=1
        )
        return Source(id=f"S{p.number}", hit=hit, label=f"facts.pdf p.{p.number}", text=p.text, tokens=10)


class ScriptedModel:
    """An entailment model that answers from a table; a claim id that is not in it gets no verdict."""

    model = "scripted"

    def __init__(self, answers: Mapping[str, ModelVerdict]) -> None:
        self.answers = answers
        self.seen: list[EntailmentItem] = []

    def judge(self, items: Sequence[EntailmentItem], *, cancelled: Callable[[], bool]) -> Mapping[str, ModelVerdict]:
        self.seen = list(items)
        return {item.id: self.answers[item.id] for item in items if item.id in self.answers}
