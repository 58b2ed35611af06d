"""A reader's quotes -> citations: evidence re-read from the page, in sources that were shown."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.types import (
    CharSpan,
    Check,
    Citation,
    Context,
    LocateMatch,
    Page,
    PageSource,
    Quote,
    Source,
    Verdict,
    spans_boxes,
)
from grounded.verification.locate import locate

_SIGNS = frozenset("-−–($€£¥")  # parted from the number behind them they change it


def cite(quote: Quote, named: Source, context: Context, pages: PageSource) -> list[Citation]:
    """The quote in the source it names, else in another one that was shown; one citation for each page it stands on.

    When it stands nowhere: the nearest passage of the source it names, `approximate`, or nothing.
    """
    if said := _where_said(quote, named, pages):
        return [_citation(named, said, context, pages)]
    nearest: list[Citation] = []
    for source in (named, *(s for s in context.sources if s.id != named.id)):
        matches = locate(
            _pages_around(source, pages), quote.text, within=(source.hit.chunk.page, _shown(source)), as_proof=True
        )
        for match in matches:
            citations = [_citation(source, part, context, pages) for part in (match, *match.continues)]
            if match.match != "approximate" and _was_shown(match, source.hit.chunk.document, context):
                return citations
            if match.match == "approximate" and source is named and match.page == source.hit.chunk.page:
                nearest = citations
    return nearest


def _where_said(quote: Quote, source: Source, pages: PageSource) -> LocateMatch | None:
    """The place the reader gives, when its quote stands there letter by letter, whole, and the source showed it: of
    several places with the same words it is the one meant."""
    page = pages.page(source.hit.chunk.document, source.hit.chunk.page)
    span = quote.span
    if span is None or not quote.text or page.text[slice(*span)] != quote.text or not _inside(span, [_shown(source)]):
        return None
    if any(_inside_a_word(page.text, at) for at in span):
        return None
    boxes = spans_boxes(page, [span])
    return LocateMatch(
        page=page.number, page_label=page.label, spans=(span,), boxes=boxes, text=quote.text, match="exact"
    )


def _inside_a_word(text: str, at: int) -> bool:
    """Whether a cut there would part a number or a word, or a sign from its number."""
    before, after = text[at - 1 : at], text[at : at + 1]
    if before.isalnum() and after.isalnum():
        return before.isdigit() == after.isdigit()
    if before.isdigit():
        return after == "%" or (after in ".," and text[at + 1 : at + 2].isdigit())
    return before in _SIGNS and after.isdigit()


def _pages_around(source: Source, pages: PageSource) -> list[Page]:
    """The source's page and its neighbours: a quote may run over a page break."""
    chunk = source.hit.chunk
    last = pages.page_count(chunk.document)
    return [pages.page(chunk.document, n) for n in range(max(1, chunk.page - 1), min(last, chunk.page + 1) + 1)]


def _shown(source: Source) -> CharSpan:
    """The part of the page the reader saw: the chunk, or its head when it was truncated."""
    start, end = source.hit.chunk.span
    return (start, start + len(source.text)) if source.truncated else (start, end)


def _was_shown(match: LocateMatch, document: str, context: Context) -> bool:
    """Whether every part of the place lies in sources that the reader saw."""
    return all(
        _inside(span, _seen(document, part.page, context)) for part in (match, *match.continues) for span in part.spans
    )


def _seen(document: str, page: int, context: Context) -> list[CharSpan]:
    return [_shown(s) for s in context.sources if (s.hit.chunk.document, s.hit.chunk.page) == (document, page)]


def _inside(span: CharSpan, seen: Sequence[CharSpan]) -> bool:
    """Whether the spans seen cover a span; a gap of two characters between chunks is a blank."""
    at = span[0]
    for start, end in sorted(seen):
        if start <= at + 2:
            at = max(at, end)
    return at >= span[1]


def _citation(source: Source, place: LocateMatch, context: Context, pages: PageSource) -> Citation:
    """The citation of a place; on a page other than the source's own, the source shown there carries it."""
    home = source if place.page == source.hit.chunk.page else _shown_at(source, place, context)
    chunk = home.hit.chunk
    return Citation(
        source_id=home.id,
        document=chunk.document,
        source_name=chunk.source_name,
        page=place.page,
        page_label=place.page_label,
        section=pages.section_at(chunk.document, place.page, place.spans[0][0]) or chunk.section,
        snippet=place.text,
        spans=place.spans,
        boxes=place.boxes,
        chunk_id=chunk.id,
        match=place.match,
        score=home.hit.retrieval_confidence,
    )


def _shown_at(source: Source, place: LocateMatch, context: Context) -> Source:
    document = source.hit.chunk.document
    for other in context.sources:
        chunk = other.hit.chunk
        if (chunk.document, chunk.page) == (document, place.page) and _inside(place.spans[0], [_shown(other)]):
            return other
    return source


def refusal(reason: str, confidence: float, check: str) -> Verdict:
    """The verdict on a claim whose content was not read, because its citation does not hold."""
    failed = Check(name=check, passed=False, detail=reason)
    return Verdict(grounded=False, status="unverified", confidence=confidence, reason=reason, checks=(failed,))
