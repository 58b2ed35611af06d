"""What the context offers to answer with: facts (a value with the labels that give it its meaning) and sentences.

Everything citable lies inside a source's chunk: `Sheet.source_of` says which source may be cited for a span.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from itertools import pairwise

from grounded.generation.extractive.pairs import Pair, pairs
from grounded.generation.extractive.words import CALENDAR, initials, is_code, stem, terms
from grounded.quantities import Period, Quantity, periods, quantities
from grounded.text import collapse, sentence_spans
from grounded.types import Cell, CharSpan, Context, Page, PageSource, Source, Table

_FOOTNOTE_MARK = re.compile(
    r"[\u00b9\u00b2\u00b3\u2070\u2074-\u2079,]+$|(?<=[a-z)])\d{1,2}$|(?<=\w)[*†‡§¶]+$|\s*\(\d\)$"
)
_VALUE_MARK = re.compile(r"(?<=\d)\s+\(\d\)$")  # of a footnote behind a value
_ENTRY = re.compile(r"[^.;:!?\s]\s*\n\s*\d{1,3}\.?\Z")  # ends with the number of the next one, in a line of its own
_ALIAS = re.compile(r"\(([A-Z][A-Za-z&/-]{1,9})\)")
_BULLET = re.compile(r"(?:^|\n)[ \t]*[•▪‣◦●■–-][ \t]+")
MIN_SENTENCE_WORDS = 5  # fewer are a heading or a scrap
MIN_CLOSED_WORDS = 3  # the same for what begins with a capital and ends with a full stop
HEAD_CHARS = 90  # of a document: what names it
KIND_CHARS = 1000  # of a document: what says what kind of document it is
HEADER_ROWS = 2  # of a table: where the header over the row labels stands
MIN_ADDED = 2  # rows that a total adds up
INTRODUCED = 600  # characters before a table in which the sentence that introduces it begins
_INTRODUCES = re.compile(r"\b(?:following|below|table|summar\w+)\b|:$", re.IGNORECASE)
_NOTES = re.compile(r"(?:Notes?|Ref(?:erence)?|Item|No)\.?", re.IGNORECASE)  # over a column of numbers of notes
_TOTAL = terms("total")


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page of the context with the sources that stand on it, in source order."""

    document: str
    name: str
    page: Page
    sources: tuple[Source, ...]
    title: str = ""  # the document's name and first words
    head: str = ""  # how the document begins
    about: frozenset[str] = frozenset()  # stems that say which document this is
    section_at: Callable[[int], str] = lambda offset: ""  # title path in force at an offset of the page

    def source_of(self, span: CharSpan) -> Source | None:
        """The first source whose chunk holds the whole span."""
        return next((s for s in self.sources if _inside(span, given(s))), None)

    def text(self, spans: Iterable[CharSpan]) -> str:
        """The page's own words at `spans`, whitespace collapsed."""
        return collapse(" ".join(self.page.text[start:end] for start, end in spans))

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        """The period the document is of: the one its name or its first words give."""
        return tuple(periods(self.title))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Every stem of the page."""
        return frozenset(terms(self.page.text))


@dataclass(frozen=True, eq=False)
class Fact:
    """A value and its labels. `row` and `column` are spans on the page; a blank value has no spans."""

    sheet: Sheet
    row: tuple[CharSpan, ...]
    column: tuple[CharSpan, ...]
    value: tuple[CharSpan, ...]
    group: str  # section and caption
    unit: str = ""
    cell: Cell | None = None
    table: Table | None = None
    introduced: str = ""  # the sentence before the table, when it says what the table shows
    is_sum: bool = False  # without a label of its own, and the sum of the values above

    @cached_property
    def row_text(self) -> str:
        """The row label as a person reads it, footnote marks stripped; outer labels first."""
        if self.cell and self.cell.row_headers:
            return " › ".join(map(unmarked, self.cell.row_headers))
        return unmarked(self.sheet.text(self.row))

    @cached_property
    def column_text(self) -> str:
        """The column header as a person reads it, footnote marks stripped; outer headers first."""
        if self.cell and self.cell.col_headers:
            return " ".join(map(unmarked, self.cell.col_headers))
        return unmarked(self.sheet.text(self.column))

    @cached_property
    def value_text(self) -> str:
        """The value as printed; words that touch in the page text are one word."""
        return collapse("".join(_spaced(self.sheet.page.text, self.value)))

    @cached_property
    def row_stems(self) -> tuple[str, ...]:
        """Stems of the row label; a sum that has none is a total."""
        return terms(self.row_text) or (_TOTAL if self.is_sum else ())

    @cached_property
    def column_stems(self) -> tuple[str, ...]:
        """Stems of the column header."""
        return terms(self.column_text)

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Short names of its labels: what stands in brackets behind one ("(NAV)"), and their initials ("ytd")."""
        labels = [part for part in (self.row_text, self.column_text) if part]
        bracketed = {stem(m) for label in labels for m in _ALIAS.findall(label)}
        return frozenset(bracketed | {short for label in labels if 2 <= len(short := initials(label)) <= 5})

    @cached_property
    def group_stems(self) -> frozenset[str]:
        """Stems of section and caption, of what introduces the table and what stands over its labels."""
        return frozenset((*terms(f"{self.group} {self.introduced}"), *self.stub_stems))

    @cached_property
    def dated(self) -> tuple[int, tuple[Period, ...]]:
        """The periods in force for the value, and where they are said: 0 its column, 1 its row, 2 its section, 3 its
        document."""
        for place, text in enumerate((self.column_text, self.row_text, self.group)):
            if found := periods(text):
                return place, tuple(found)
        return 3, self.sheet.periods

    @property
    def periods(self) -> tuple[Period, ...]:
        """The periods in force for the value."""
        return self.dated[1]

    @cached_property
    def quantity(self) -> Quantity | None:
        """The value as a number, the unit in force applied; None when it is no single number."""
        unit = "" if "%" in self.column_text and "%" not in self.unit else self.unit
        found = quantities(self.value_text, unit_hint=unit)
        return found[0] if len(found) == 1 and not found[0].is_range else None

    @cached_property
    def stub_stems(self) -> tuple[str, ...]:
        """Stems of the header over the row labels."""
        cells = self.table.cells if self.table else ()
        filled = {c.row for c in cells if not c.is_header and c.spans}
        heads = (c.text for c in cells if c.is_header and c.col == 0 and c.row < HEADER_ROWS and c.row not in filled)
        return terms(" ".join(heads))

    @property
    def source(self) -> Source | None:
        """The source the value may be cited from; None when no source holds it."""
        spans = self.value or self.row
        found = [self.sheet.source_of(span) for span in spans]
        return found[0] if found and all(found) else None


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence of a source, whole."""

    sheet: Sheet
    source: Source
    span: CharSpan
    before: str  # the sentence before it in the same source, "" at the start

    @cached_property
    def text(self) -> str:
        """The sentence, whitespace collapsed."""
        return self.sheet.text((self.span,))

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Stems of the sentence."""
        return terms(self.text)

    @cached_property
    def initials(self) -> str:
        """The first letters of its words."""
        return initials(self.text)

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        """The periods it names."""
        return tuple(periods(self.text))

    @cached_property
    def group_stems(self) -> frozenset[str]:
        """Stems of its section and of the sentence before it."""
        section = self.sheet.section_at(self.span[0])
        return frozenset(terms(f"{self.source.hit.chunk.section} {section} {self.before}"))


def sheets(context: Context, pages: PageSource) -> list[Sheet]:
    """The pages of the context, in order of their best source."""
    grouped: dict[tuple[str, int], list[Source]] = {}
    for source in context.sources:
        grouped.setdefault((source.hit.chunk.document, source.hit.chunk.page), []).append(source)
    opened = {key: pages.page(*key) for key in grouped}
    about = {doc: _about(doc, context, pages, opened) for doc, _ in grouped}
    head = {doc: pages.page(doc, 1).text[:KIND_CHARS] for doc, _ in grouped}
    title = {doc: f"{pages.name(doc)} {text[:HEAD_CHARS]}" for doc, text in head.items()}
    return [
        Sheet(
            doc,
            pages.name(doc),
            opened[doc, number],
            tuple(found),
            title[doc],
            head[doc],
            about[doc],
            partial(pages.section_at, doc, number),
        )
        for (doc, number), found in grouped.items()
    ]


def _about(
    document: str, context: Context, pages: PageSource, opened: Mapping[tuple[str, int], Page]
) -> frozenset[str]:
    """Stems that say which document this is: of its name, its first words, its title (the first line of its chunks'
    context), its pages' headers and footers, and the codes on its pages ("NYC08CA055")."""
    texts = [pages.name(document).rsplit(".", 1)[0], pages.page(document, 1).text[:HEAD_CHARS]]
    chunks = [s.hit.chunk for s in context.sources if s.hit.chunk.document == document]
    texts += {chunk.context.split("\n", 1)[0] for chunk in chunks}
    own = [page for (doc, _), page in opened.items() if doc == document]
    texts += [page.text[start:end] for page in own for start, end in page.furniture]
    codes = {t for page in own for t in terms(page.text) if is_code(t)}
    return frozenset(t for text in texts for t in terms(text)) | codes


def facts(sheet: Sheet) -> list[Fact]:
    """Facts of the page's tables and forms whose label or value a source holds."""
    found = [fact for table in sheet.page.tables for fact in _table_facts(sheet, table)]
    tables = [table.span for table in sheet.page.tables]
    found += [f for f in _pair_facts(sheet) if not any(_overlaps(s, t) for s in (*f.row, *f.value) for t in tables)]
    return [fact for fact in found if fact.source and _is_value(fact.value_text) and _stands_apart(fact)]


def sentences(sheet: Sheet, known: Sequence[Fact]) -> list[Sentence]:
    """The sentences of the sheet's sources, in source order. Text that a form or a table already gives as labels and
    values is no prose: a sentence ends where it begins."""
    taken = sorted({s for f in known for s in (*f.row, *f.column, *f.value)} | set(sheet.page.furniture))
    found: list[Sentence] = []
    for source in sheet.sources:
        before = ""
        for start, end in _between(given(source), taken):
            for s, e in _said(sheet.page.text[start:end]):
                found.append(Sentence(sheet, source, _behind_title(sheet, (start + s, start + e)), before))
                before = found[-1].text
    return [sentence for sentence in found if _is_said(sentence)]


def _is_said(sentence: Sentence) -> bool:
    """Whether it is more than a heading, a number, a scrap, an entry of a contents list, or a diagram's captions."""
    raw = sentence.sheet.page.text[slice(*sentence.span)].rstrip()
    if "\t" in raw and raw[-1] not in '.;:!?”")' and all(len(p.split()) < MIN_SENTENCE_WORDS for p in raw.split("\t")):
        return False
    if _ENTRY.search(raw):
        return False
    letters = sum(word[:1].isalpha() for word in sentence.text.split())
    if letters >= MIN_CLOSED_WORDS and sentence.text[0].isupper() and sentence.text[-1] == ".":
        return True
    titles = sentence.source.hit.chunk.section.split(" › ")
    named = unmarked(sentence.text) in map(unmarked, titles) or is_title(sentence.sheet, sentence.span)
    shouted = sentence.text.isupper() and sentence.text[-1] != "."
    return letters >= MIN_SENTENCE_WORDS and not named and not shouted


def is_whole(text: str) -> bool:
    """Whether a sentence is no half of one: it begins and ends as sentences do."""
    return not text[0].islower() and text.rstrip("”\"')")[-1:] in (".", "!", ";")


def is_title(sheet: Sheet, span: CharSpan) -> bool:
    """Whether a stretch of the page is the title of the section that begins there."""
    said = _letters(sheet.page.text[slice(*span)])
    return len(said) > 2 and said == _letters(sheet.section_at(span[0]).rsplit(" › ", 1)[-1])


def _behind_title(sheet: Sheet, span: CharSpan) -> CharSpan:
    """A sentence without the title of its section in the line before it."""
    first = sheet.page.text.find("\n", *span)
    return (first + 1, span[1]) if first > 0 and is_title(sheet, (span[0], first)) else span


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalpha())


def _said(text: str) -> Iterator[CharSpan]:
    """Sentences and list items of a stretch of text."""
    cursor = 0
    for bullet in (*_BULLET.finditer(text), None):
        stop = bullet.start() if bullet else len(text)
        yield from ((cursor + s, cursor + e) for s, e in sentence_spans(text[cursor:stop]))
        cursor = bullet.end() if bullet else stop


def _between(span: CharSpan, taken: Sequence[CharSpan]) -> list[CharSpan]:
    """What `taken` (sorted) leaves of `span`."""
    left: list[CharSpan] = []
    cursor, stop = span
    for start, end in taken:
        if end <= cursor or start >= stop:
            continue
        left += [(cursor, start)] if start > cursor else []
        cursor = max(cursor, end)
    return [*left, (cursor, stop)] if cursor < stop else left


@lru_cache(maxsize=8192)
def timeless(label: str) -> tuple[str, ...]:
    """A label's stems without the dates it names."""
    for period in sorted(periods(label), key=lambda p: -p.span[0]):
        if period.year is not None:
            label = label[: period.span[0]] + " " + label[period.span[1] :]
    return tuple(t for t in terms(label) if t not in CALENDAR)


def unmarked(label: str) -> str:
    """A label without the footnote mark glued to its end, and without its colon."""
    return _FOOTNOTE_MARK.sub("", label.rstrip(" :"))


def _table_facts(sheet: Sheet, table: Table) -> list[Fact]:
    group = collapse(" ".join((*table.section, table.caption)))
    units, introduced, sums = _row_units(table), _introduction(sheet, table), _sums(table)
    filled = {cell.row for cell in table.cells if cell.spans and not cell.is_header}
    return [
        Fact(
            sheet,
            cell.row_header_spans,
            cell.col_header_spans,
            _without_mark(sheet, cell.spans),
            group,
            cell.unit or units.get(cell.row, ""),
            cell,
            table,
            introduced,
            (cell.row, cell.col) in sums,
        )
        for cell in table.cells
        if not cell.is_header
        and not _NOTES.fullmatch(" ".join(cell.col_headers))
        and (cell.row in filled or not cell.col_headers)
        and (cell.row_header_spans or cell.col_header_spans)
    ]


def _without_mark(sheet: Sheet, spans: tuple[CharSpan, ...]) -> tuple[CharSpan, ...]:
    """The spans of a value without the footnote mark behind it: "$130,000 (1)"."""
    if not spans or not (mark := _VALUE_MARK.search(sheet.page.text, spans[0][0], spans[-1][1])):
        return spans
    return tuple((start, min(end, mark.start())) for start, end in spans if start < mark.start())


def _introduction(sheet: Sheet, table: Table) -> str:
    """The sentence that ends before a table and says what it shows; "" when none does."""
    before = sheet.page.text[max(0, table.span[0] - INTRODUCED) : table.span[0]].rstrip()
    spans = sentence_spans(before)
    last = collapse(before[slice(*spans[-1])]) if spans else ""
    return last if _INTRODUCES.search(last) else ""


def _sums(table: Table) -> set[tuple[int, int]]:
    """The cells of rows without a label that add up two or more labelled ones above them."""
    above: dict[int, Decimal] = {}
    added: Counter[int] = Counter()
    found: set[tuple[int, int]] = set()
    for cell in sorted((c for c in table.cells if not c.is_header and c.spans), key=lambda c: c.row):
        values = quantities(cell.text)
        if len(values) != 1:
            continue
        if not cell.row_headers and added[cell.col] >= MIN_ADDED and above[cell.col] == values[0].number:
            found.add((cell.row, cell.col))
        above[cell.col] = above.get(cell.col, Decimal(0)) + values[0].number
        added[cell.col] += 1
    return found


def _row_units(table: Table) -> dict[int, str]:
    """The unit of a row's other cells: one printed over a single column ("(in millions)" centred) holds for all."""
    return {cell.row: cell.unit for cell in table.cells if cell.unit and "%" not in cell.unit and cell.spans}


def _pair_facts(sheet: Sheet) -> list[Fact]:
    return [
        Fact(sheet, pair.label, (), pair.value, source.hit.chunk.section)
        for source in sheet.sources
        for pair in pairs(sheet.page, given(source))
        if _is_field(sheet, pair)
    ]


def _is_field(sheet: Sheet, pair: Pair) -> bool:
    """Whether a pair is more than a numbered title."""
    whole = (pair.label[0][0], (pair.value or pair.label)[-1][1])
    return bool(_letters(sheet.text(pair.label))) and not is_title(sheet, whole)


def _is_value(text: str) -> bool:
    """Whether a value says something: nothing at all and a dash do, a bullet does not."""
    return not text.strip("-–—― ") or any(c.isalnum() for c in text)


def _stands_apart(fact: Fact) -> bool:
    """Whether a value can be cited: it is no part of a word, and nothing else stands between its lines."""
    if not fact.value:
        return True
    text, start, end = fact.sheet.page.text, fact.value[0][0], fact.value[-1][1]
    between = (text[a[1] : b[0]] for a, b in pairwise(fact.value))
    return not (_joins(text, start) or _joins(text, end) or any(gap.strip() for gap in between))


def _joins(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalpha() and text[at].isalpha()


def _spaced(text: str, spans: Sequence[CharSpan]) -> Iterator[str]:
    """The text at each span, with a blank before it unless it goes on where the one before ended."""
    stop = -1
    for start, end in spans:
        yield text[start:end] if start == stop else f" {text[start:end]}"
        stop = end


def given(source: Source) -> CharSpan:
    """The part of the page a source was given: its chunk, or the chunk's head."""
    start, end = source.hit.chunk.span
    return start, min(end, start + len(source.text)) if source.truncated else end


def _inside(span: CharSpan, outer: CharSpan) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def _overlaps(a: CharSpan, b: CharSpan) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def rows(found: Sequence[Fact]) -> dict[tuple[int, int], list[Fact]]:
    """Facts of tables by (table index, row)."""
    grouped: dict[tuple[int, int], list[Fact]] = {}
    for fact in found:
        if fact.table and fact.cell:
            grouped.setdefault((fact.table.index, fact.cell.row), []).append(fact)
    return grouped


def columns(found: Sequence[Fact]) -> list[list[Fact]]:
    """Facts of tables, column by column."""
    grouped: dict[tuple[int, int], list[Fact]] = {}
    for fact in found:
        if fact.table and fact.cell:
            grouped.setdefault((id(fact.table), fact.cell.col), []).append(fact)
    return list(grouped.values())
