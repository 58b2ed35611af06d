"""A plan to hits: vectors and words, fused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grounded.retrieval.embed import Embedder, Vectors
from grounded.retrieval.index import Found, Index
from grounded.retrieval.words import section_match
from grounded.settings import RetrievalSettings
from grounded.types import Chunk, Hit, Plan, SubQuestion

COSINE_WEIGHT, SECTION_WEIGHT = 0.7, 0.3  # of the retrieval confidence, as specified
RRF_K = 60.0  # reciprocal rank fusion, Cormack et al. 2009


class Candidate(NamedTuple):
    """A chunk on its way, with what each retriever said of it. Ranks are 1-based, None when not brought."""

    chunk: Chunk
    cosine: float
    vector_rank: int | None
    lexical_rank: int | None
    bm25: float


def retrieve(
    index: Index, embedder: Embedder, plan: Plan, *, scope: Sequence[str] = (), settings: RetrievalSettings
) -> list[Hit]:
    """The hits for a plan in fused order, best first: up to `settings.candidates` of them, of which the first
    `settings.top_k` are meant for the context and the rest for the trace. `scope`: document ids, empty for all.
    Each sub-question is searched on its own; their hits are merged in turn, so that each keeps its evidence.
    """
    found = [_search(index, embedder, sub, scope, settings) for sub in plan.subquestions]
    merged = _merge(found)[: settings.candidates]
    return [_ranked(hit, rank) for rank, hit in enumerate(merged, 1)]


def retrieval_confidence(cosine: float, section: float) -> float:
    """0.7 · cosine + 0.3 · section_match."""
    return COSINE_WEIGHT * cosine + SECTION_WEIGHT * section


def _search(
    index: Index, embedder: Embedder, sub: SubQuestion, scope: Sequence[str], settings: RetrievalSettings
) -> list[tuple[Candidate, float]]:
    documents = sub.documents or tuple(scope)
    vector = embedder.encode_query(sub.text)
    nearest = index.nearest(vector, settings.candidates, documents)
    matching = index.matching(sub.text, settings.candidates, documents)
    scored = [(c, section_match(sub.text, c.chunk.section)) for c in _candidates(nearest, matching, vector)]
    return sorted(scored, key=lambda pair: (-_fused(*pair), pair[0].chunk.document, pair[0].chunk.ordinal))


def _fused(candidate: Candidate, section: float) -> float:
    ranks = (candidate.vector_rank, candidate.lexical_rank)
    return sum(1.0 / (RRF_K + rank) for rank in ranks if rank) + 0.2 * section / RRF_K


def _candidates(nearest: Sequence[Found], matching: Sequence[Found], vector: Vectors) -> list[Candidate]:
    by_vector = {found.chunk.id: rank for rank, found in enumerate(nearest, 1)}
    by_words = {found.chunk.id: (rank, found.score) for rank, found in enumerate(matching, 1)}
    every: Mapping[str, Found] = {found.chunk.id: found for found in (*nearest, *matching)}
    return [
        Candidate(
            chunk=found.chunk,
            cosine=float(found.vector @ vector),
            vector_rank=by_vector.get(key),
            lexical_rank=by_words.get(key, (None, 0.0))[0],
            bm25=by_words.get(key, (None, 0.0))[1],
        )
        for key, found in every.items()
    ]


def _merge(found: Sequence[Sequence[tuple[Candidate, float]]]) -> list[Hit]:
    """The sub-questions' lists dealt in turn; a chunk stays where it comes first."""
    hits: dict[str, Hit] = {}
    for place in range(max(map(len, found), default=0)):
        for number, candidates in enumerate(found):
            if place < len(candidates):
                candidate, section = candidates[place]
                hits.setdefault(candidate.chunk.id, _hit(candidate, section, number))
    return list(hits.values())


def _hit(candidate: Candidate, section: float, subquestion: int) -> Hit:
    return Hit(
        chunk=candidate.chunk,
        cosine=candidate.cosine,
        section_match=section,
        retrieval_confidence=retrieval_confidence(candidate.cosine, section),
        vector_rank=candidate.vector_rank,
        lexical_rank=candidate.lexical_rank,
        retrieved_rank=1,
        reranked_rank=1,
        subquestion=subquestion,
    )


def _ranked(hit: Hit, rank: int) -> Hit:
    return hit.model_copy(update={"retrieved_rank": rank, "reranked_rank": rank})
