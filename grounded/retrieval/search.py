"""A plan to hits: up to four searches, nine signals, one order."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from grounded.errors import LibraryError
from grounded.retrieval import cards, dates
from grounded.retrieval.embed import Embedder, Vectors
from grounded.retrieval.glossary import Sense, load_glossary
from grounded.retrieval.index import Found, Index
from grounded.retrieval.places import place_match
from grounded.retrieval.question import Query, read_question
from grounded.retrieval.words import content_stems, label_match, section_match, titles_named
from grounded.settings import RetrievalSettings
from grounded.types import Chunk, Hit, Plan, SubQuestion

FEW_DOCUMENTS = 8  # in so many, pages of a kind where the ideas live are brought, whatever else fits
LONG_KINDS = frozenset({"notes", "discussion", "business", "risk factors"})
LONG_SHARE, RISKS_LOSE = 0.5, 0.2  # of the signal `page`
COSINE_SHARE, SECTION_SHARE = 0.7, 0.3  # of the retrieval confidence, as specified


class Signals(NamedTuple):
    """What speaks for a chunk, and as a set of weights how much each counts in the order.

    words, vocabulary: BM25 of the question's words, and of the words its ideas are printed in, as a share of the best
    score. section: section_match. label: label_match. page, home: the chunk stands on a kind of page, in a section,
    where the question's ideas live. place: place_match. recent: from the newest document of its issuer, when the
    question names no year.
    """

    cosine: float = 0.0
    words: float = 0.0
    vocabulary: float = 0.0
    section: float = 0.0
    label: float = 0.0
    page: float = 0.0
    home: float = 0.0
    place: float = 0.0
    recent: float = 0.0

    def dot(self, weights: Signals) -> float:
        """The weighted sum."""
        return sum(value * weight for value, weight in zip(self, weights, strict=True))


# Fitted by bench.fit_retrieval; labels and vocabulary were weighed again by the mean over the sets when `tatqa` and
# `annual-long` had joined them. section_match is shown and part of the retrieval confidence, but improves no order.
WEIGHTS = Signals(cosine=1.0, words=0.3, vocabulary=0.7, label=0.8, page=0.8, home=0.2, place=1.0, recent=0.1)


class Candidate(NamedTuple):
    """A chunk on its way. Ranks are 1-based, None when that search did not bring it."""

    chunk: Chunk
    signals: Signals
    vector_rank: int | None
    lexical_rank: int | None


class Brought(NamedTuple):
    """What the searches brought for one question, each best first."""

    nearest: Sequence[Found]  # by vector
    words: Sequence[Found]  # by the question's words
    vocabulary: Sequence[Found]  # by the words its ideas are printed in
    places: Sequence[Found]  # by the numbers of the places it names


def retrieve(
    index: Index,
    embedder: Embedder,
    plan: Plan,
    *,
    scope: Sequence[str] = (),
    settings: RetrievalSettings,
    weights: Signals = WEIGHTS,
) -> list[Hit]:
    """The hits for a plan, best first: up to `settings.candidates`, of which the first `settings.top_k` are meant for
    the context and the rest for the trace. `scope`: document ids, empty for all. Each sub-question is searched on its
    own; their hits are dealt in turn, so that each keeps its evidence.

    Raises LibraryError when documents were indexed with another embedder: their vectors cannot be compared.
    """
    _require_one_model(index, embedder)
    found = [order(gather(index, embedder, sub, scope, settings), weights) for sub in plan.subquestions]
    hits = _deal(found)[: settings.candidates]
    return [hit.model_copy(update={"retrieved_rank": rank, "reranked_rank": rank}) for rank, hit in enumerate(hits, 1)]


def _require_one_model(index: Index, embedder: Embedder) -> None:
    other = [record.name for record in index.documents().values() if record.embedder != embedder.digest]
    if other:
        raise LibraryError(
            f"{len(other)} documents were indexed with another embedding model",
            where=other[0],
            advice="`index` with any file indexes them again; or put the former model back",
        )


def retrieval_confidence(cosine: float, section: float) -> float:
    """0.7 · cosine + 0.3 · section_match."""
    return COSINE_SHARE * cosine + SECTION_SHARE * section


def gather(
    index: Index, embedder: Embedder, sub: SubQuestion, scope: Sequence[str], settings: RetrievalSettings
) -> list[Candidate]:
    """All that the searches bring for one question, in no particular order."""
    documents, records = sub.documents or tuple(scope), index.documents()
    asked = cards.without_reference(sub.text, [records[d] for d in documents if d in records])
    query = read_question(asked, load_glossary(settings.glossary))
    kinds = _homes(query.senses) if len(documents or records) <= FEW_DOCUMENTS else []
    vector, brought = _search(index, embedder, query, documents, kinds, settings.candidates)
    candidates = _candidates(query, sub.text, vector, brought)
    candidates = candidates if documents else at_home(candidates, query)
    if any(period.year for period in dates.periods(sub.text)):
        return candidates
    newest = cards.recent(records, {c.chunk.document for c in candidates})
    return [c._replace(signals=c.signals._replace(recent=float(c.chunk.document in newest))) for c in candidates]


def _search(
    index: Index,
    embedder: Embedder,
    query: Query,
    documents: Sequence[str],
    kinds: Sequence[Sequence[str]],
    limit: int,
) -> tuple[Vectors, Brought]:
    """The question's vector, and what the searches bring: by words while it is embedded and searched by vector."""
    with ThreadPoolExecutor(2) as searches:
        words = searches.submit(index.matching, query.words, limit, documents)
        pages = [[], *kinds] if query.senses else []
        printed = [searches.submit(index.matching, query.vocabulary, limit, documents, part) for part in pages]
        phrases = [phrase for place in query.places for phrase in place.phrases]
        said = [searches.submit(index.saying, phrase, limit, documents) for phrase in phrases]
        vector = embedder.encode_query(query.text)
        nearest = index.nearest(vector, limit, documents)
        vocabulary = sorted(_distinct(printed), key=lambda found: -found.score)
        return vector, Brought(nearest, words.result(), vocabulary, _distinct(said))


def _distinct(searches: Sequence[Future[list[Found]]]) -> list[Found]:
    """What several searches found, a chunk once."""
    return list({found.chunk.id: found for search in searches for found in search.result()}.values())


def at_home(candidates: Sequence[Candidate], query: Query) -> list[Candidate]:
    """For a question that names no document: what speaks for a page by its kind alone counts by the square of how far
    its document says the question's other words, compared with the document that says most of them."""
    spoken = {stem for sense in query.senses for stem in sense.said}
    telling = {stem for stem in content_stems(query.text) if not stem.isdigit()} - spoken
    texts: dict[str, list[str]] = {}
    for candidate in candidates:
        texts.setdefault(candidate.chunk.document, []).append(candidate.chunk.text.casefold())
    said = {document: sum(any(stem in text for text in part) for stem in telling) for document, part in texts.items()}
    most = max(said.values(), default=0)
    return [_weaker(c, (said[c.chunk.document] / most) ** 2) if most else c for c in candidates]


def _weaker(candidate: Candidate, share: float) -> Candidate:
    s = candidate.signals
    kept = s._replace(page=s.page * share, home=s.home * share, vocabulary=s.vocabulary * share)
    return candidate._replace(signals=kept)


def _homes(senses: Sequence[Sense]) -> list[list[str]]:
    """The kinds of page where the ideas live, those of few pages and those of many apart: in a long report the text
    says the words of a statement more often than the statement does."""
    kinds = {kind for sense in senses for kind in sense.entry.pages} - {"front"}
    return [sorted(part) for part in (kinds - LONG_KINDS, kinds & LONG_KINDS) if part]


def order(candidates: Sequence[Candidate], weights: Signals = WEIGHTS) -> list[Candidate]:
    """Best first; equals in reading order."""
    return sorted(candidates, key=lambda c: (-c.signals.dot(weights), c.chunk.document, c.chunk.ordinal))


def _candidates(query: Query, whole: str, vector: Vectors, brought: Brought) -> list[Candidate]:
    by_vector = {found.chunk.id: rank for rank, found in enumerate(brought.nearest, 1)}
    by_words, by_vocabulary = _by_id(brought.words), _by_id(brought.vocabulary)
    candidates: list[Candidate] = []
    for key, found in {f.chunk.id: f for part in brought for f in part}.items():
        ranks = [by[key][0] for by in (by_words, by_vocabulary) if key in by]
        signals = Signals(
            cosine=float(found.vector @ vector),
            words=by_words[key][1] if key in by_words else 0.0,
            vocabulary=by_vocabulary[key][1] if key in by_vocabulary else 0.0,
            section=section_match(query.text, found.chunk.section),
            label=label_match(query.text, found.chunk.text, whole=whole),
            page=_page(found.chunk, query.senses),
            home=_home(found.chunk, query.senses),
            place=_place(found.chunk, query),
        )
        candidates.append(Candidate(found.chunk, signals, by_vector.get(key), min(ranks, default=None)))
    return candidates


def _by_id(found: Sequence[Found]) -> dict[str, tuple[int, float]]:
    """Chunk id -> rank, and score as a share of the best."""
    best = max((f.score for f in found), default=0.0) or 1.0
    return {f.chunk.id: (rank, f.score / best) for rank, f in enumerate(found, 1)}


def _page(chunk: Chunk, senses: Sequence[Sense]) -> float:
    """1.0 when the chunk is on a kind of page where one of the question's ideas lives; less for a weaker idea, and for
    a kind that fills many pages. Risk factors name every subject and state no figure: where ideas live elsewhere, they
    lose a little."""
    kinds = {chunk.page_kind} | ({"front"} if chunk.page == 1 else set())
    top = senses[0].weight if senses else 1
    best = max((s.weight / top for s in senses if kinds & s.entry.pages), default=0.0)
    if not best and chunk.page_kind == "risk factors" and any(s.entry.pages for s in senses):
        return -RISKS_LOSE
    return best * LONG_SHARE if kinds <= LONG_KINDS else best


def _home(chunk: Chunk, senses: Sequence[Sense]) -> float:
    """1.0 when a title above the chunk is a section where one of the question's ideas lives; less for a weaker idea."""
    top = senses[0].weight if senses else 1
    return max((s.weight / top for s in senses if titles_named(s.entry.sections, chunk.section)), default=0.0)


def _place(chunk: Chunk, query: Query) -> float:
    """place_match; in a table of contents a title is only a pointer."""
    return 0.0 if chunk.page_kind == "table of contents" else place_match(query.places, chunk.section, chunk.text)


def _deal(found: Sequence[Sequence[Candidate]]) -> list[Hit]:
    """The sub-questions' candidates dealt in turn; a chunk stays where it comes first."""
    hits: dict[str, Hit] = {}
    for place in range(max(map(len, found), default=0)):
        for number, candidates in enumerate(found):
            if place < len(candidates):
                hits.setdefault(candidates[place].chunk.id, _hit(candidates[place], number))
    return list(hits.values())


def _hit(candidate: Candidate, subquestion: int) -> Hit:
    cosine, section = candidate.signals.cosine, candidate.signals.section
    return Hit(
        chunk=candidate.chunk,
        cosine=cosine,
        section_match=section,
        retrieval_confidence=retrieval_confidence(cosine, section),
        vector_rank=candidate.vector_rank,
        lexical_rank=candidate.lexical_rank,
        retrieved_rank=1,
        reranked_rank=1,
        subquestion=subquestion,
    )
