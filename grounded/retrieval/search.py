"""A plan to hits: vectors and words, fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grounded.retrieval.embed import Embedder, Vectors
from grounded.retrieval.glossary import Sense, load_glossary
from grounded.retrieval.index import Found, Index
from grounded.retrieval.question import read_question
from grounded.retrieval.words import section_match
from grounded.settings import RetrievalSettings
from grounded.types import Chunk, Hit, Plan, SubQuestion

COSINE_WEIGHT, SECTION_WEIGHT = 0.7, 0.3  # of the retrieval confidence, as specified
WORDS, VOCABULARY, PLACE, SECTION = 0.3, 0.8, 0.8, 0.2  # weights beside the cosine, fitted by bench/retrieval


class Candidate(NamedTuple):
    """A chunk on its way, with what each search said of it. Ranks are 1-based, None when not brought; `words` and
    `vocabulary` are the share of the best BM25 score, 0..1."""

    chunk: Chunk
    cosine: float
    vector_rank: int | None
    lexical_rank: int | None
    words: float
    vocabulary: float


class Brought(NamedTuple):
    """What the three searches brought for one question, each best first."""

    nearest: Sequence[Found]  # by vector
    words: Sequence[Found]  # by the question's words
    vocabulary: Sequence[Found]  # by the words its ideas are printed in


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
    documents, limit = sub.documents or tuple(scope), settings.candidates
    query = read_question(sub.text, load_glossary(settings.glossary))
    vector = embedder.encode_query(query.text)
    brought = Brought(
        nearest=index.nearest(vector, limit, documents),
        words=index.matching(query.words, limit, documents),
        vocabulary=index.matching(query.vocabulary, limit, documents) if query.senses else [],
    )
    scored = [(c, section_match(query.text, c.chunk.section)) for c in _candidates(brought, vector)]
    return sorted(
        scored, key=lambda pair: (-fused(pair[0], pair[1], query.senses), pair[0].chunk.document, pair[0].chunk.ordinal)
    )


def fused(candidate: Candidate, section: float, senses: Sequence[Sense]) -> float:
    """The score that orders the candidates: a weighted sum of what each signal says."""
    return (
        candidate.cosine
        + WORDS * candidate.words
        + VOCABULARY * candidate.vocabulary
        + PLACE * _place(candidate.chunk, senses)
        + SECTION * section
    )


def _place(chunk: Chunk, senses: Sequence[Sense]) -> float:
    """Does the chunk stand where the question's first idea lives? 1.0 for a kind of page, else 0."""
    if not senses:
        return 0.0
    kinds = {chunk.page_kind} | ({"front"} if chunk.page == 1 else set())
    return float(bool(kinds & senses[0].entry.pages))


def _candidates(brought: Brought, vector: Vectors) -> list[Candidate]:
    by_vector = {found.chunk.id: rank for rank, found in enumerate(brought.nearest, 1)}
    by_words, by_vocabulary = _by_id(brought.words), _by_id(brought.vocabulary)
    every = {found.chunk.id: found for part in brought for found in part}
    return [
        Candidate(
            chunk=found.chunk,
            cosine=float(found.vector @ vector),
            vector_rank=by_vector.get(key),
            lexical_rank=min((by[key][0] for by in (by_words, by_vocabulary) if key in by), default=None),
            words=by_words[key][1] if key in by_words else 0.0,
            vocabulary=by_vocabulary[key][1] if key in by_vocabulary else 0.0,
        )
        for key, found in every.items()
    ]


def _by_id(found: Sequence[Found]) -> dict[str, tuple[int, float]]:
    """Chunk id -> rank and share of the best score."""
    best = max((f.score for f in found), default=0.0) or 1.0
    return {f.chunk.id: (rank, f.score / best) for rank, f in enumerate(found, 1)}


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
