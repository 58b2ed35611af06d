"""Documents into citable passages: exact spans of one page, cut at sections, sentences, clauses and table rows.

A chunk's text is `page.text[span]`; what it needs to be understood elsewhere (document title, section path, column
headers) stands in `context`, which is embedded and searched but never cited.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grounded.documents.page_kinds import page_kinds
from grounded.text import collapse, sentence_spans
from grounded.types import CharSpan, Chunk, Document, Page, Section, Table

# Chunk ids and spans belong to this string: raise the number whenever a cut or a context can change.
CHUNKER = "grounded-chunks 2"

MAX_WORDS = 180
GOOD_WORDS = 100  # from here a chunk may end at a paragraph
CLAUSE_WORDS = 100  # from here a chunk may end before a numbered clause
TINY_WORDS = 20  # a chunk below joins a neighbour
LEAD_WORDS = 30  # text up to here stays with the table below it: heading, caption, "as of" line

_NO_TITLE = re.compile(r"\W*(?:untitled|microsoft \w+ - |document\W?\d*$|print|\d+$|\S+\.\w{3,4}$)", re.IGNORECASE)
_PART_WORDS = 24  # of each part of the context
_CUTS = tuple(re.compile(p) for p in (r"[;:]\s", r"\n", r",\s", r"\s"))

Count = Callable[[str], int]
Start = Literal["none", "paragraph", "clause", "heading"]


@dataclass(frozen=True)
class Unit:
    """The smallest piece that is kept whole when it fits: a sentence, a clause, a heading, a table row."""

    span: CharSpan
    words: int
    starts: Start = "none"  # what begins with it
    table: int | None = None  # index of its table on the page
    walled: bool = False  # furniture stands before it

    @property
    def is_heading(self) -> bool:
        """A section's title."""
        return self.starts in ("clause", "heading")


@dataclass
class Draft:
    """Units that will become a chunk."""

    units: list[Unit] = field(default_factory=list)

    @property
    def span(self) -> CharSpan:
        return self.units[0].span[0], self.units[-1].span[1]

    @property
    def words(self) -> int:
        return sum(unit.words for unit in self.units)

    @property
    def table(self) -> int | None:
        """The table of its last unit."""
        return self.units[-1].table

    @property
    def only_headings(self) -> bool:
        return all(unit.is_heading for unit in self.units)


def chunk(document: Document, *, count_tokens: Count, max_tokens: int) -> tuple[Chunk, ...]:
    """The document's chunks in reading order.

    `count_tokens(context + newline + text) <= max_tokens` for each, special tokens included as the counter does.
    Every visible character of a readable page that is not furniture is in at least one chunk.
    """
    kinds = page_kinds(document)
    chunks: list[Chunk] = []
    index = _SectionIndex(document.sections)
    for page in document.pages:
        if page.readable and page.text.strip():
            maker = _PageChunker(document, page, kinds.get(page.number, ""), index, count_tokens, max_tokens)
            chunks.extend(maker.chunks())
    return tuple(c.model_copy(update={"ordinal": number}) for number, c in enumerate(chunks))


class _SectionIndex:
    """Sections by place, looked up by bisection."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._sections = sorted(sections, key=lambda s: (s.page, s.span))
        self._keys = [(s.page, s.span[0]) for s in self._sections]

    def path(self, page: int, offset: int) -> tuple[str, ...]:
        at = bisect_right(self._keys, (page, offset))
        return self._sections[at - 1].path if at else ()

    def on_page(self, page: int) -> list[Section]:
        return self._sections[bisect_right(self._keys, (page, -1)) : bisect_right(self._keys, (page + 1, -1))]


@dataclass(frozen=True)
class _PageChunker:
    document: Document
    page: Page
    page_kind: str
    index: _SectionIndex
    count: Count
    max_tokens: int

    def chunks(self) -> Iterator[Chunk]:
        for draft in self._join_tiny(self._pack(self._units())):
            yield self._finish(draft)

    # ------------------------------------------------------------ units

    def _units(self) -> list[Unit]:
        """All units of the page in text order, none longer than fits beside its context."""
        return [piece for unit in self._whole_units() for piece in self._split_long(unit)]

    def _whole_units(self) -> Iterator[Unit]:
        rows = table_rows(self.page)
        cursor, wall = 0, False
        for span, table in _merge(self.page.furniture, rows):
            yield from self._text_units(cursor, span[0], wall)
            wall = (wall and not self.page.text[cursor : span[0]].strip()) or table is None
            if table is not None:
                yield self._unit(span, "none", table, walled=wall)
                wall = False
            cursor = span[1]
        yield from self._text_units(cursor, len(self.page.text), wall)

    def _text_units(self, start: int, end: int, wall: bool) -> Iterator[Unit]:
        """Sentences and headings between two offsets."""
        table = self._table_around(start, end)
        for begin, stop, starts in self._section_pieces(start, end):
            for number, (s, e) in enumerate(sentence_spans(self.page.text[begin:stop])):
                span = (begin + s, begin + e)
                kind = starts if number == 0 else self._paragraph(span[0])
                yield self._unit(span, kind, table, walled=wall)
                wall = False

    def _section_pieces(self, start: int, end: int) -> Iterator[tuple[int, int, Start]]:
        """Pieces between the starts and ends of section titles."""
        cursor, starts = start, self._paragraph(start)
        for section in self.index.on_page(self.page.number):
            s, e = section.span
            if start <= s < end:
                yield cursor, s, starts
                yield s, min(e, end), "clause" if section.judged_by == "numbering" else "heading"
                cursor, starts = min(e, end), "none"
        yield cursor, end, starts

    def _unit(self, span: CharSpan, starts: Start, table: int | None, *, walled: bool = False) -> Unit:
        return Unit(span, len(self.page.text[span[0] : span[1]].split()), starts, table, walled)

    def _paragraph(self, offset: int) -> Start:
        """Whether a blank line stands before the offset."""
        before = self.page.text[max(0, offset - 4) : offset].replace(" ", "")
        return "paragraph" if "\n\n" in before else "none"

    def _table_around(self, start: int, end: int) -> int | None:
        """Text between the rows of one table belongs to it."""
        return next((t.index for t in self.page.tables if t.span[0] < start and end < t.span[1]), None)

    def _split_long(self, unit: Unit) -> Iterator[Unit]:
        """Pieces of a unit that fit: cut after a semicolon, else a line, a comma, a word, else anywhere."""
        start, end = unit.span
        context = self._context((start, start), unit.table)  # the longest any piece can have
        while unit.words > MAX_WORDS or not self._fits(context, start, end):
            cut = self._cut(context, start, end)
            if cut >= end:
                break
            stop = start + len(self.page.text[start:cut].rstrip())
            yield self._unit((start, stop), unit.starts, unit.table, walled=unit.walled)
            start = _skip_space(self.page.text, cut, end)
            unit = self._unit((start, end), "none", unit.table)
        if start < end:
            yield unit

    def _cut(self, context: str, start: int, end: int) -> int:
        low, high = start + 1, end
        while low < high:  # the longest head that fits
            middle = (low + high + 1) // 2
            few = len(self.page.text[start:middle].split()) <= MAX_WORDS
            low, high = (middle, high) if few and self._fits(context, start, middle) else (low, middle - 1)
        head = self.page.text[start:low]
        for pattern in _CUTS:
            places = [m.end() for m in pattern.finditer(head) if m.end() > 0.4 * len(head)]
            if places:
                return start + places[-1]
        return low

    def _fits(self, context: str, start: int, end: int) -> bool:
        return self.count(f"{context}\n{self.page.text[start:end]}") <= self.max_tokens

    # ------------------------------------------------------------ packing

    def _pack(self, units: Sequence[Unit]) -> list[Draft]:
        drafts: list[Draft] = []
        for unit in units:
            if drafts and not self._ends(drafts[-1], unit) and self._joinable(drafts[-1].units, [unit]):
                drafts[-1].units.append(unit)
            else:
                drafts.append(Draft([unit]))
        return drafts

    def _ends(self, draft: Draft, unit: Unit) -> bool:
        """Whether a chunk should end before the unit although both would fit."""
        if unit.walled:
            return True
        if unit.table != draft.table:
            leads = draft.table is None and (draft.words <= LEAD_WORDS or draft.only_headings)
            return not leads
        if unit.starts == "heading":
            return not draft.only_headings
        if unit.starts == "clause":
            return draft.words >= CLAUSE_WORDS
        return unit.starts == "paragraph" and draft.words >= GOOD_WORDS

    def _joinable(self, units: Sequence[Unit], more: Sequence[Unit]) -> bool:
        """Whether the units fit into one chunk."""
        both = [*units, *more]
        if sum(unit.words for unit in both) > MAX_WORDS:
            return False
        span = both[0].span[0], both[-1].span[1]
        return self._fits(self._context(span, both[-1].table), *span)

    def _join_tiny(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Chunks of a few words join the next one when it is theirs (a heading), else the one before."""
        joined: list[Draft] = []
        for draft in drafts:
            wall = draft.units[0].walled
            tiny = joined and (draft.words < TINY_WORDS or joined[-1].words < TINY_WORDS)
            if tiny and not wall and self._joinable(joined[-1].units, draft.units) and self._same(joined[-1], draft):
                joined[-1].units.extend(draft.units)
            else:
                joined.append(Draft(list(draft.units)))
        return joined

    def _same(self, first: Draft, second: Draft) -> bool:
        """Both in one section, and not parts of two tables."""
        paths = {self.index.path(self.page.number, draft.span[0]) for draft in (first, second)}
        tables = {unit.table for draft in (first, second) for unit in draft.units} - {None}
        return len(paths) == 1 and len(tables) <= 1

    # ------------------------------------------------------------ the chunk

    def _finish(self, draft: Draft) -> Chunk:
        start, end = draft.span
        table_words = sum(unit.words for unit in draft.units if unit.table is not None)
        key = f"{self.document.id}:{self.page.number}:{start}:{end}"
        return Chunk(
            id=hashlib.sha256(key.encode()).hexdigest(),
            document=self.document.id,
            source_name=self.document.name,
            page=self.page.number,
            page_label=self.page.label,
            span=(start, end),
            text=self.page.text[start:end],
            section=" › ".join(self.index.path(self.page.number, start)),
            kind="table" if table_words * 2 > draft.words else "text",
            page_kind=self.page_kind,
            context=self._context(draft.span, draft.table),
        )

    def _context(self, span: CharSpan, table: int | None) -> str:
        """Document title, section path and, for rows cut off from it, the table's head: at most half the tokens."""
        path = " › ".join(self.index.path(self.page.number, span[0]))
        parts = [_shown_title(self.document), path, self._table_head(span, table)]
        words = [_shorten(part) for part in parts if part]
        context = "\n".join(words)
        while context and self.count(context) > self.max_tokens // 2:
            context = context[: len(context) * 3 // 4].rstrip()
        return context

    def _table_head(self, span: CharSpan, table: int | None) -> str:
        """Caption, unit and column headers that the span itself does not contain, those of an earlier page included."""
        if table is None:
            return ""
        found = next(t for t in self.page.tables if t.index == table)
        parts: list[str] = []
        if found.caption and not _inside(found.caption_span, span):
            parts.append(found.caption)
        for cell in found.cells:
            if cell.is_header and not cell.row_headers and cell.row < _first_data_row(found) and cell.text:
                outside = not all(_inside(s, span) for s in cell.spans)
                if outside and cell.text not in parts:
                    parts.append(cell.text)
        parts += dict.fromkeys(title for titles in found.inherited_headers().values() for title in titles)
        return " · ".join(collapse(part) for part in parts)


def _shown_title(document: Document) -> str:
    """The document's own title unless a program left its own words there; else its file name without ending."""
    title = collapse(document.title)
    if title and not _NO_TITLE.match(title):
        return title
    return re.sub(r"\.pdf$", "", document.name, flags=re.IGNORECASE)


def table_rows(page: Page) -> list[tuple[CharSpan, int]]:
    """Span and table index of each table row, in text order; rows that interleave in the text are one span."""
    spans: list[tuple[CharSpan, int]] = []
    for table in page.tables:
        for row in range(table.n_rows):
            ends = [span for cell in table.cells if cell.row == row for span in cell.spans]
            if ends:
                spans.append(((min(s for s, _ in ends), max(e for _, e in ends)), table.index))
    merged: list[tuple[CharSpan, int]] = []
    for span, table_index in sorted(spans):
        if merged and span[0] < merged[-1][0][1]:
            merged[-1] = ((merged[-1][0][0], max(merged[-1][0][1], span[1])), merged[-1][1])
        else:
            merged.append((span, table_index))
    return merged


def _merge(furniture: Sequence[CharSpan], rows: Sequence[tuple[CharSpan, int]]) -> list[tuple[CharSpan, int | None]]:
    """Furniture (no table) and rows in text order; furniture inside a row gives way to the row."""
    free = [f for f in furniture if not any(s < f[1] and f[0] < e for (s, e), _ in rows)]
    tagged: list[tuple[CharSpan, int | None]] = [(span, None) for span in free]
    tagged.extend((span, table) for span, table in rows)
    return sorted(tagged, key=lambda item: item[0])


def _first_data_row(table: Table) -> int:
    return next((c.row for c in table.cells if not c.is_header and c.text), table.n_rows)


def _inside(inner: CharSpan | None, outer: CharSpan) -> bool:
    return inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def _shorten(part: str) -> str:
    words = part.split()
    return " ".join(words if len(words) <= _PART_WORDS else [*words[:_PART_WORDS], "…"])


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
