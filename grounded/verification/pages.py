"""Pages of a document as evidence, and the way back from a sentence or cell to its place on the page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import log

from grounded.types import CharSpan, Citation, Page, PageSource, snippet_at, spans_boxes
from grounded.verification.cells import scale_notes, table_notes
from grounded.verification.claims import read_claim
from grounded.verification.evidence import Evidence
from grounded.verification.judgement import Judgement
from grounded.verification.passages import (
    Continued,
    Layout,
    Passage,
    Piece,
    continued,
    furniture,
    lay,
    layout,
    prose,
    row_starts,
)
from grounded.verification.words import stem, stems, tokens

_ALL = 12  # a document of so many pages is evidence as a whole
_BEST = 8  # of a longer one, the pages that share most with the claim
_PASSAGES = 6  # that a claim with numbers is held against
_AS_GOOD = 0.5  # of the best passage's score: what else may be meant
_NEAR = 3000  # characters around a table in which a scale note may be meant for it
_SHOWN = 3  # citations at most
_PLACES = 12  # of which they are made: a formula has several operands


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """Evidence made of stretches of pages. starts[i]: where piece i begins in the text; tables[i]: grid i."""

    evidence: Evidence
    document: str
    pages: tuple[Page, ...]
    pieces: tuple[Piece, ...]
    starts: tuple[int, ...]
    tables: tuple[Continued, ...]
    worth: float = 1.0  # share of the claim's words in it, of those in the best one

    def citations(self, judgement: Judgement, source: PageSource) -> tuple[Citation, ...]:
        """The places a judgement rests on; cells of one page in one citation."""
        places = [self._in_text(s.span) for s in judgement.statements]
        cells: dict[int, list[CharSpan]] = {}
        for seen in judgement.cells[:_PLACES]:
            if seen.statement is not None:
                places.append(self._in_text(seen.statement.span))
            elif seen.value is not None:
                number, spans = self._in_table(seen.grid, *seen.value.place)
                cells.setdefault(number, []).extend(spans)
        for f in judgement.fields:
            places += [self._in_table(f.grid, f.row, f.col) if f.grid >= 0 else self._in_text(f.span)]
        places += [(number, tuple(sorted(set(spans)))) for number, spans in cells.items()]
        found = [self._citation(number, spans, source) for number, spans in dict.fromkeys(places) if spans]
        return tuple(found[:_SHOWN])

    def without(self, judgement: Judgement) -> Evidence:
        """The evidence without the sentences and table rows that a judgement rests on."""
        seen = [(c.grid, c.value.row) for c in judgement.cells if c.value is not None]
        rows = {*seen, *((f.grid, f.row) for f in judgement.fields if f.grid >= 0)}
        said = [s.statement for s in judgement.cells if s.statement is not None]
        text = self.evidence.text
        for start, end in (*(s.span for s in (*judgement.statements, *said)), *(f.span for f in judgement.fields)):
            text = text[:start] + " " * (end - start) + text[end:]
        grids = (grid.without({r for g, r in rows if g == n}) for n, grid in enumerate(self.evidence.grids))
        return replace(self.evidence, text=text, grids=tuple(grids))

    def _in_text(self, span: CharSpan) -> tuple[int, tuple[CharSpan, ...]]:
        at = bisect_right(self.starts, span[0]) - 1
        piece, start = self.pieces[at], self.starts[at]
        return piece.page, ((piece.start + span[0] - start, piece.start + span[1] - start),)

    def _in_table(self, grid: int, row: int, col: int) -> tuple[int, tuple[CharSpan, ...]]:
        """A cell with its headers, in the order of the page."""
        part, own = self.tables[grid].place(row)
        table = next(t for t in self._page(part.page).tables if t.index == part.table)
        cell = table.at(own, col)
        spans = (*cell.row_header_spans, *cell.col_header_spans, *cell.spans) if cell else ()
        return part.page, tuple(sorted(set(spans)))

    def _page(self, number: int) -> Page:
        return next(page for page in self.pages if page.number == number)

    def _citation(self, number: int, spans: tuple[CharSpan, ...], source: PageSource) -> Citation:
        page = self._page(number)
        return Citation(
            source_id=None,
            document=self.document,
            source_name=source.name(self.document),
            page=page.number,
            page_label=page.label,
            section=source.section_at(self.document, page.number, spans[0][0]),
            snippet=snippet_at(page, spans),
            spans=spans,
            boxes=spans_boxes(page, spans),
            chunk_id=None,
            match="exact",
            score=None,
        )


def evidence_for(claim: str, document: str, source: PageSource, only: int | None = None) -> Iterator[PageEvidence]:
    """What to hold a claim against, the best first. For a claim with numbers, the passages of the document, or of the
    page when one is given, that share most with it; else the page, all of a short document, the best pages of a long
    one, in one piece."""
    if read_claim(claim, None).targets:
        laid = _of_page(source.page(document, only)) if only else layout(document, source)
        if len(laid.passages) > 1:
            yield from _best_passages(claim, laid, document, source)
            return
    numbers = [only] if only else _best_pages(claim, document, source)
    pages = [page for page in (source.page(document, number) for number in numbers) if page.readable]
    pieces = tuple(Piece(page.number, 0, len(page.text)) for page in pages)
    yield _joined(document, tuple(pages), pieces, source.name(document), "")


def text_around(document: str, source: PageSource, page: int, at: int) -> str:
    """The text of the passage that a place stands in, its tables of figures left out."""
    own = [p.pieces for p in layout(document, source).passages if any(_holds(piece, page, at) for piece in p.pieces)]
    pieces = min(own, key=lambda pieces: sum(piece.end - piece.start for piece in pieces), default=())
    return "\n\n".join(prose(source.page(document, p.page))[p.start : p.end] for p in pieces)


def _holds(piece: Piece, page: int, at: int) -> bool:
    return piece.page == page and piece.start <= at < piece.end


@lru_cache(maxsize=64)
def _of_page(page: Page) -> Layout:
    return lay((page,))


def _best_passages(claim: str, laid: Layout, document: str, source: PageSource) -> Iterator[PageEvidence]:
    scores = _worth(claim, laid.passages)
    ranked = sorted(range(len(scores)), key=lambda n: -scores[n])[:_PASSAGES]
    names = [t for t in tokens(claim) if t in laid.names]
    for n in ranked:
        if scores[n] < _AS_GOOD * scores[ranked[0]]:
            return
        pieces = laid.passages[n].pieces
        pages = tuple(source.page(document, number) for number in dict.fromkeys(p.page for p in pieces))
        found = _joined(document, pages, pieces, source.name(document), laid.around)
        elsewhere = [t for t in names if stem(t) not in laid.passages[n].words]  # but in the document
        evidence = replace(found.evidence, name=" ".join([found.evidence.name, *elsewhere]))
        yield replace(found, evidence=evidence, worth=scores[n] / (scores[ranked[0]] or 1.0))


def _worth(claim: str, passages: Sequence[Passage]) -> list[float]:
    """Summed rarity of the claim's words in each passage; those in its tables count again."""
    wanted = stems(read_claim(claim, None).subject)
    anywhere, in_tables = _scores(wanted, [p.words for p in passages]), _scores(wanted, [p.tables for p in passages])
    return [a + b for a, b in zip(anywhere, in_tables, strict=True)]


@lru_cache(maxsize=64)
def _joined(document: str, pages: tuple[Page, ...], pieces: tuple[Piece, ...], name: str, around: str) -> PageEvidence:
    """The text of the pieces with a blank line between, so that no sentence runs over a page break or from one row of a
    table into the next."""
    text = {page.number: prose(page) for page in pages}
    cuts = {page.number: row_starts(page) for page in pages}
    pieces = tuple(part for piece in pieces for part in _cut(piece, cuts[piece.page]))
    starts, at = [], 0
    for piece in pieces:
        starts.append(at)
        at += piece.end - piece.start + 2
    joined = "\n\n".join(text[piece.page][piece.start : piece.end] for piece in pieces)
    placed = ((table, _place(table, pages, pieces, starts)) for table in continued(pages))
    tables = tuple(_scaled(table, joined, at) for table, at in placed if at is not None)
    evidence = Evidence(
        text=joined,
        grids=tuple(table.grid for table in tables),
        around="\n".join([around, *(furniture(page) for page in pages)]).strip(),
        name=name,
    )
    return PageEvidence(evidence, document, pages, pieces, tuple(starts), tables)


def _cut(piece: Piece, cuts: Sequence[int]) -> Iterator[Piece]:
    for start, end in pairwise([piece.start, *(c for c in cuts if piece.start < c < piece.end), piece.end]):
        yield Piece(piece.page, start, end)


def _place(table: Continued, pages: Sequence[Page], pieces: Sequence[Piece], starts: Sequence[int]) -> int | None:
    """Where a table begins in the joined text; None when it begins in none of the pieces."""
    first = table.parts[0]
    page = next(page for page in pages if page.number == first.page)
    start = next(t.span[0] for t in page.tables if t.index == first.table)
    found = (
        at + start - piece.start for piece, at in zip(pieces, starts, strict=True) if _holds(piece, page.number, start)
    )
    return next(found, None)


def _scaled(table: Continued, text: str, at: int) -> Continued:
    """The table with the nearest scale note in its caption, the one before it rather than behind, when it has none."""
    grid = table.grid
    if table_notes(grid.rows, grid.caption, ""):
        return table
    near = scale_notes(text[max(0, at - _NEAR) : at])[-1:] or scale_notes(text[at : at + _NEAR])[:1]
    return replace(table, grid=replace(grid, caption=" ".join([grid.caption, *near]).strip()))


def _best_pages(claim: str, document: str, source: PageSource) -> list[int]:
    count = source.page_count(document)
    if count <= _ALL:
        return list(range(1, count + 1))
    words = [_page_words(document, n, source) for n in range(1, count + 1)]
    scores = _scores(stems(claim), words)
    return sorted(sorted(range(1, count + 1), key=lambda n: -scores[n - 1])[:_BEST])


def _scores(wanted: Iterable[str], texts: Sequence[frozenset[str]]) -> list[float]:
    """Summed rarity of the claim's words in each text."""
    rarity = {w: log(1 + len(texts) / (1 + sum(w in text for text in texts))) for w in dict.fromkeys(wanted)}
    return [sum(weight for word, weight in rarity.items() if word in text) for text in texts]


_words: dict[tuple[str, int], frozenset[str]] = {}


def _page_words(document: str, number: int, source: PageSource) -> frozenset[str]:
    key = (document, number)
    if key not in _words:
        _words[key] = frozenset(stems(source.page(document, number).text))
    return _words[key]
