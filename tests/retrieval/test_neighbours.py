"""Passages beside the hits: in their section only, best hits first, at most so many, never twice."""

from __future__ import annotations

from grounded.retrieval.neighbours import with_neighbours
from grounded.types import Chunk, Hit


def hit(ordinal: int, rank: int, section: str = "Term", document: str = "d") -> Hit:
    chunk = Chunk(
        id=f"{document}{ordinal}", document=document, source_name="a.pdf", page=1, page_label="1", span=(0, 1),
        text="a", section=section, ordinal=ordinal,
    )  # fmt: skip
    return Hit(
        chunk=chunk, cosine=0.5, section_match=0, retrieval_confidence=0.35, retrieved_rank=rank, reranked_rank=rank
    )


HITS = [hit(4, 1), hit(9, 2), hit(3, 3, "Fees"), hit(5, 4), hit(10, 5), hit(8, 6), hit(4, 7, document="e")]


def offered(limit: int, top_k: int = 2) -> list[int]:
    return [h.chunk.ordinal for h in with_neighbours(HITS, top_k, limit)]


def test_neighbours_follow_the_hits_best_first() -> None:
    assert offered(0) == [4, 9]
    assert offered(2) == [4, 9, 5, 10]
    assert offered(9) == [4, 9, 5, 10, 8]
    assert offered(9, top_k=4) == [4, 9, 3, 5, 10, 8]
