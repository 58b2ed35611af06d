"""Pages of a document as evidence, and the way back from a sentence or cell to its place on the page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from grounded.types import CharSpan, Citation, Page, PageSource, Table, snippet_at, spans_boxes
from grounded.verification.evidence import Evidence, Grid
from grounded.verification.judge import Judgement
from grounded.verification.words import stems

_ALL = 12  # a document of so many pages is evidence as a whole
_BEST = 8  # of a longer one, the pages that share most with the claim
_SHOWN = 3  # citations at most


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """Evidence made of whole pages. starts[i]: where page i begins in the text; tables[i]: page and table of grid i."""

    evidence: Evidence
    document: str
    pages: tuple[Page, ...]
    starts: tuple[int, ...]
    tables: tuple[tuple[Page, Table], ...]

    def citations(self, judgement: Judgement, source: PageSource) -> tuple[Citation, ...]:
        """The places a judgement rests on."""
        places = [self._in_text(s.span) for s in judgement.statements]
        for seen in judgement.cells:
            if seen.statement is not None:
                places.append(self._in_text(seen.statement.span))
            elif seen.value is not None:
                places.append(self._in_table(seen.grid, *seen.value.place))
        places += [self._in_table(f.grid, f.row, f.col) for f in judgement.fields if f.grid >= 0]
        found = [self._citation(page, spans, source) for page, spans in dict.fromkeys(places) if spans]
        return tuple(found[:_SHOWN])

    def _in_text(self, span: CharSpan) -> tuple[int, tuple[CharSpan, ...]]:
        at = bisect_right(self.starts, span[0]) - 1
        return at, ((span[0] - self.starts[at], span[1] - self.starts[at]),)

    def _in_table(self, grid: int, row: int, col: int) -> tuple[int, tuple[CharSpan, ...]]:
        """A cell with its headers, in the order of the page."""
        page, table = self.tables[grid]
        cell = table.at(row - self.evidence.grids[grid].added, col)
        spans = (*cell.row_header_spans, *cell.col_header_spans, *cell.spans) if cell else ()
        return self.pages.index(page), tuple(sorted(set(spans)))

    def _citation(self, at: int, spans: tuple[CharSpan, ...], source: PageSource) -> Citation:
        page = self.pages[at]
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


def evidence_for(claim: str, document: str, source: PageSource, only: int | None = None) -> PageEvidence:
    """The pages to hold a claim against: the one given, else all of a short document, else the best of a long one."""
    numbers = [only] if only else _best_pages(claim, document, source)
    pages = [source.page(document, number) for number in numbers]
    return _joined(document, tuple(p for p in pages if p.readable), source.name(document))


@lru_cache(maxsize=64)
def _joined(document: str, pages: tuple[Page, ...], name: str) -> PageEvidence:
    """Page texts with a blank line between, so that no sentence runs over a page break into a running header."""
    starts, at = [], 0
    for page in pages:
        starts.append(at)
        at += len(page.text) + 2
    tables = tuple((page, table) for page in pages for table in page.tables)
    evidence = Evidence(
        text="\n\n".join(page.text for page in pages),
        grids=tuple(Grid.of_table(table) for _, table in tables),
        name=name,
    )
    return PageEvidence(evidence, document, pages, tuple(starts), tables)


def _best_pages(claim: str, document: str, source: PageSource) -> list[int]:
    count = source.page_count(document)
    if count <= _ALL:
        return list(range(1, count + 1))
    words = [_page_words(document, n, source) for n in range(1, count + 1)]
    scores = _scores(stems(claim), words)
    return sorted(sorted(range(1, count + 1), key=lambda n: -scores[n - 1])[:_BEST])


def _scores(wanted: Iterable[str], pages: Sequence[frozenset[str]]) -> list[float]:
    """Summed rarity of the claim's words on each page."""
    rarity = {w: log(1 + len(pages) / (1 + sum(w in page for page in pages))) for w in dict.fromkeys(wanted)}
    return [sum(weight for word, weight in rarity.items() if word in page) for page in pages]


_words: dict[tuple[str, int], frozenset[str]] = {}


def _page_words(document: str, number: int, source: PageSource) -> frozenset[str]:
    key = (document, number)
    if key not in _words:
        _words[key] = frozenset(stems(source.page(document, number).text))
    return _words[key]
