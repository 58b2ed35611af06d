"""Headings and their paths: by the document's own outline, by type (size, weight, capitals, underline), by numbers.

Works on the page layouts only. A row is a heading when it is set apart from running text, or when it begins with a
number that continues the numbers before it; a run-in heading ("3.1 Fees. The Licensee shall …") ends at its period.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from grounded.documents.layout import Line, OutlineEntry, PageLayout
from grounded.documents.numbering import Number, read_number
from grounded.documents.numbering import Sequence as NumberSequence
from grounded.documents.rules import Rules, read_rules
from grounded.text import fold
from grounded.types import CharSpan, Section, Table

MAX_TITLE_WORDS = 16
MAX_TITLE_ROWS = 3
MAX_TITLE_CHARS = 110
RUNNING_TIMES = 3
LARGER = 1.08  # times the body size: a heading's size
RUN_IN_WORDS = 12

_MARKS = re.compile(r"(?:\s*[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§]+|\s\(\d{1,2}\))+$")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…\s?…|_{4,}")
_TOC_ROW = re.compile(r"(?:\.\s?){3,}\s*(?:[A-Z]-)?(?:\d{1,4}|[ivxlc]+)\s*$|\t\s*(?:[A-Z]-)?\d{1,3}\s*$")
_LINE = re.compile(r"[\s\-–—_=.]+")
_DASHES = re.compile(r"[\s\-–—=]+")
_RUN_IN_END = re.compile(r"[.:](?=\s|$)|\s[–—-](?=\s)|[.:]?[–—]")
_OBLIGATION = re.compile(r"\b(?:shall|hereby|hereto|hereof|hereunder|herein|thereof|whereas)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"\s*[A-Z][\w’'-]+,?\s+(?:[A-Z]\.|et al)|.*\(?(?:19|20)\d\d\)?[.;,]?$")
_TERM = re.compile(r"\s*[“\"][^”\"\n]{1,60}[”\"]")
_SMALL_WORD = re.compile(
    r"a|an|and|as|at|by|de|des|du|et|for|from|in|into|la|le|of|on|or|per|the|to|und|upon|via|vs|with|without",
    re.IGNORECASE,
)

JudgedBy = Literal["outline", "layout", "numbering", "table"]


Extent = tuple[float, float]


class Row(NamedTuple):
    """A visual row of one region: the lines that stand side by side in it."""

    page: int
    lines: tuple[Line, ...]
    text: str
    start: int
    end: int
    size: float
    bold: bool
    underline: Extent | None  # from x to x
    block: int
    region: int
    right: float  # share of the region's width the row reaches to

    @property
    def underlined(self) -> bool:
        """Underlined as a whole, but for its number."""
        if self.underline is None:
            return False
        first = next((line for line in self.lines if line.box[2] > self.underline[0] + 2), self.lines[-1])
        start = min(first.box[0], self.underline[0])
        return self.underline[1] - self.underline[0] > 0.8 * (self.lines[-1].box[2] - max(start, self.underline[0]))

    @property
    def caps(self) -> bool:
        """Set in capitals: at least four letters, none of them small."""
        letters = [char for char in self.text if char.isalpha()]
        return len(letters) >= 4 and not any(char.islower() for char in letters)


class Style(NamedTuple):
    """What makes headings alike."""

    size: float
    bold: bool
    caps: bool
    underlined: bool


class Candidate(NamedTuple):
    """A heading before its place in the hierarchy is known."""

    page: int
    span: CharSpan
    title: str
    style: Style | None  # None: a clause set like the text around it
    depth: int | None  # of its number; None when it has none
    outline: int | None = None  # level in the document's outline


def find_sections(
    pages: Sequence[PageLayout],
    *,
    outline: Sequence[OutlineEntry] = (),
    furniture: Sequence[Sequence[CharSpan]] = (),
    tables: Sequence[Sequence[Table]] = (),
    rules: Sequence[Rules] = (),
) -> tuple[Section, ...]:
    """All headings of a document with their title paths, in (page, offset) order.

    `furniture`, `tables` and `rules` are given per page; what lies in the first two is no heading. `judged_by` says
    which evidence decided: the outline, the layout, a number in sequence.
    """
    rows = list(_rows(pages, furniture, tables, rules or [read_rules(page) for page in pages]))
    body = _body_style(rows)
    candidates = _candidates(rows, body)
    candidates = _with_outline(candidates, rows, outline)
    return tuple(_assemble(candidates))


# ---------------------------------------------------------------- rows


def _rows(
    pages: Sequence[PageLayout],
    furniture: Sequence[Sequence[CharSpan]],
    tables: Sequence[Sequence[Table]],
    rules: Sequence[Rules],
) -> Iterator[Row]:
    for index, page in enumerate(pages):
        barred = _barred(page, furniture[index : index + 1], tables[index : index + 1])
        lines = [line for line in page.lines if line.angle == 0 and not barred[line.start]]
        widths = _region_edges(lines)
        grouped = groupby(lines, key=lambda line: (line.region, line.row))
        yield from _underlined([_row(page, rules[index], tuple(group), widths) for _, group in grouped])


def _barred(page: PageLayout, furniture: Sequence[Sequence[CharSpan]], tables: Sequence[Sequence[Table]]) -> bytearray:
    """For each character of the page whether it stands in furniture or in a table's cell."""
    mask = bytearray(len(page.text))
    cells = (cell.spans for of_page in tables for table in of_page for cell in table.cells)
    for spans in (*furniture, *cells):
        for start, end in spans:
            mask[start:end] = b"\x01" * (end - start)
    return mask


def _region_edges(lines: Sequence[Line]) -> dict[int, Extent]:
    edges: dict[int, Extent] = {}
    for line in lines:
        low, high = edges.get(line.region, (line.box[0], line.box[2]))
        edges[line.region] = min(low, line.box[0]), max(high, line.box[2])
    return edges


def _row(page: PageLayout, rules: Rules, lines: tuple[Line, ...], edges: dict[int, Extent]) -> Row:
    low, high = edges[lines[0].region]
    while len(lines) > 1 and _is_raised_mark(lines[-1], lines[0]):
        lines = lines[:-1]
    longest = max(lines, key=lambda line: line.end - line.start)
    return Row(
        page=page.number,
        lines=lines,
        text=page.text[lines[0].start : lines[-1].end],
        start=lines[0].start,
        end=lines[-1].end,
        size=longest.size,
        bold=all(line.bold for line in lines),
        underline=_rule_below(page, rules, lines[-1]),
        block=lines[0].block,
        region=lines[0].region,
        right=(lines[-1].box[2] - low) / max(1.0, high - low),
    )


def _is_raised_mark(line: Line, first: Line) -> bool:
    """A footnote mark behind a title: small, short, ending higher."""
    return line.end - line.start <= 3 and line.size < 0.75 * first.size and line.box[3] < first.box[3]


def _rule_below(page: PageLayout, rules: Rules, line: Line) -> Extent | None:
    """The part of a line that a drawn rule underlines: it starts with text and ends with it."""
    x0, y0, x1, y1 = line.box
    height = y1 - y0
    for y, low, high in rules.horizontal:
        if -0.3 * height < y - y1 < 0.25 * height and x0 - 3 <= low and high <= x1 + 3 and high - low > height:
            return low, high
    return None


def _underlined(rows: Sequence[Row]) -> Iterator[Row]:
    """Typewritten underlines ("-------" on the next row) mark the row above; rows of lines only are dropped."""
    for position, row in enumerate(rows):
        if len(row.text.strip()) >= 3 and _LINE.fullmatch(row.text):
            continue
        below = rows[position + 1] if position + 1 < len(rows) else None
        if below and below.region == row.region and len(below.text.strip()) >= 3 and _DASHES.fullmatch(below.text):
            row = row._replace(underline=(below.lines[0].box[0], below.lines[-1].box[2]))
        yield row


class Body(NamedTuple):
    """How running text is set."""

    size: float
    bold: bool


def _body_style(rows: Sequence[Row]) -> Body:
    """Size and weight of most characters."""
    sizes: Counter[float] = Counter()
    weights: Counter[bool] = Counter()
    for row in rows:
        sizes[round(row.size, 1)] += len(row.text)
        weights[row.bold] += len(row.text)
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    return Body(size, weights[True] > weights[False])


# ---------------------------------------------------------------- candidates


def _candidates(rows: Sequence[Row], body: Body) -> list[Candidate]:
    """Headings in reading order, rows that continue a title already joined to it."""
    contents = _contents_pages(rows)
    clausal = _is_clausal(rows, body)
    found: list[Candidate] = []
    sequence = NumberSequence()
    position = 0
    while position < len(rows):
        taken = 1
        if rows[position].page not in contents:
            taken, headings = _read_row(rows, position, body, sequence, clausal)
            found.extend(headings)
        position += taken
    return _without_running(found) if clausal else found


def _without_running(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Between clauses an unnumbered line that comes again and again is a running line that lost its page's edge."""
    times = Counter(c.title for c in candidates if c.depth is None)
    return [c for c in candidates if c.depth is not None or times[c.title] < RUNNING_TIMES]


def _contents_pages(rows: Sequence[Row]) -> set[int]:
    """Pages that list titles with page numbers: nothing on them is a heading."""
    counts = Counter(row.page for row in rows if _TOC_ROW.search(row.text))
    return {page for page, count in counts.items() if count >= 5 and count * 4 >= _rows_on(rows, page)}


def _rows_on(rows: Sequence[Row], page: int) -> int:
    return sum(row.page == page for row in rows)


def _is_clausal(rows: Sequence[Row], body: Body) -> bool:
    """A document of numbered paragraphs (contract, rules): it speaks in obligations, or most of its numbers in
    sequence start text, not headings."""
    words = sum(len(row.text.split()) for row in rows)
    if sum(len(_OBLIGATION.findall(row.text)) for row in rows) >= max(5, 0.004 * words):
        return True
    sequence = NumberSequence()
    plain = heads = 0
    for position, row in enumerate(rows):
        number = read_number(row.text)
        if number and number.kind != "paren" and _may_start(rows, position) and sequence.depth(number) is not None:
            if _looks_like_heading(rows, position, body):
                heads += 1
            elif not _REFERENCE.match(row.text, number.length):
                plain += 1
    return plain >= 4 and plain * 2 > heads


def _read_row(
    rows: Sequence[Row], position: int, body: Body, sequence: NumberSequence, clausal: bool
) -> tuple[int, list[Candidate]]:
    """How many rows were read, and the headings that start in the first of them."""
    row = rows[position]
    heading = _looks_like_heading(rows, position, body)
    taken = _title_rows(rows, position, body) if heading else 1
    number = read_number(row.text)
    if number and _may_start(rows, position):
        numbered = _numbered(rows, position, taken, number, heading, sequence, clausal)
        if numbered:
            return taken, numbered
    if heading and not (number and number.kind == "paren"):
        title = _clean(" ".join(r.text for r in rows[position : position + taken]))
        if title:
            return taken, [Candidate(row.page, _span(rows, position, taken), title, _style(row), None)]
    return 1, [] if heading else _run_in_style(rows, position, body)


def _numbered(
    rows: Sequence[Row],
    position: int,
    taken: int,
    number: Number,
    heading: bool,
    sequence: NumberSequence,
    clausal: bool,
) -> list[Candidate]:
    """The clauses that start in a row: "2. (a) Term" is two."""
    row = rows[position]
    if not (heading or clausal) and not (number.kind == "decimal" and len(number.readings[0][1]) > 1 and heading):
        return []
    if number.kind in ("part", "article", "item") and not (heading or number.closed or _alone(row, number)):
        return []
    bare = number.kind == "decimal" and len(number.readings[0][1]) == 1 and not number.closed
    if not heading and (bare or _runs_on(row.text, number)):
        return []
    depth = sequence.depth(number, free=heading)
    if depth is None:
        return []
    if heading:
        title = _clean(" ".join(r.text for r in rows[position : position + taken]))
        return [Candidate(row.page, _span(rows, position, taken), title, _style(row), depth)]
    return list(_clauses(row, number, depth, sequence))


def _clauses(row: Row, number: Number, depth: int, sequence: NumberSequence) -> Iterator[Candidate]:
    """A clause set in running text, and a second one that starts right behind its number."""
    offset = 0
    current: Number | None = number
    level: int | None = depth
    while current is not None and level is not None:
        rest = row.text[offset + current.length :]
        length = _run_in_title(row, offset + current.length)
        end = offset + current.length + length
        text = row.text[offset:end].strip()
        yield Candidate(row.page, (row.start + offset, row.start + offset + len(text)), _clean(text), None, level)
        if length:
            return
        offset += current.length + len(rest) - len(rest.lstrip())
        current = read_number(rest.lstrip())
        level = sequence.depth(current) if current and current.kind == "paren" else None


def _runs_on(text: str, number: Number) -> bool:
    """Behind the number the sentence goes on in small letters: "3.5 million", "Section 4 of this Agreement"."""
    rest = text[number.length :].lstrip()
    deep = number.kind == "decimal" and len(number.readings[0][1]) >= 3
    listed = number.kind == "paren" or deep or (number.closed and number.label[-1] in ".)")
    return rest[:1].islower() and not listed


def _alone(row: Row, number: Number) -> bool:
    return len(row.text.strip()) <= number.length + 1


def _may_start(rows: Sequence[Row], position: int) -> bool:
    """Whether a paragraph may begin with the row: the one before ends a sentence, is short, or is another block."""
    if position == 0:
        return True
    before, row = rows[position - 1], rows[position]
    if (before.page, before.region, before.block) != (row.page, row.region, row.block):
        return before.page == row.page or not before.text.rstrip().endswith(("Section", "Sections", "Article", "and"))
    ended = re.search(r"[.;:,!?)\"”]\s*$|[;,]\s+(?:and|or)\s*$", before.text) is not None
    return ended or before.right < 0.85 or before.underlined


def _looks_like_heading(rows: Sequence[Row], position: int, body: Body) -> bool:
    row = rows[position]
    text = row.text.strip()
    words = text.split()
    if not _title_shaped(text, words) or not _set_apart(row, body):
        return False
    if row.size < body.size * 0.9 and not row.caps:
        return False
    return _stands_free(rows, position) and not _in_paragraph(rows, position)


def _in_paragraph(rows: Sequence[Row], position: int) -> bool:
    """More rows of the same setting in its block than a title takes: a paragraph in bold or capitals."""
    row, alike = rows[position], 1
    for step in (-1, 1):
        other = position + step
        while 0 <= other < len(rows) and _same_block(rows[other], row) and _alike(rows[other], row):
            alike += not read_number(rows[other].text)
            other += step
    return alike > MAX_TITLE_ROWS and len(row.text.split()) > 5


def _title_shaped(text: str, words: Sequence[str]) -> bool:
    if not words or len(words) > MAX_TITLE_WORDS:
        return False
    letters = sum(map(str.isalpha, text))
    if letters < 3 or letters < 0.45 * len(text.replace(" ", "")):
        return False
    if _LEADERS.search(text) or text[-1] in ",;" or text[0] in "•●▪◦·-–—*_":
        return False
    if text[0] in "([" and text[-1] in ")]":
        return False
    ends_sentence = text.endswith(".") and not read_number(text) and len(words) > 4
    return not ends_sentence and not text[0].islower()


def _set_apart(row: Row, body: Body) -> bool:
    """Larger, bolder, in capitals or underlined, as running text is not."""
    return (
        row.size >= body.size * LARGER
        or (row.bold and not body.bold)
        or row.caps
        or (row.underlined and len(row.text) < 90)
    )


def _stands_free(rows: Sequence[Row], position: int) -> bool:
    """No running text of the same setting goes on from it or into it."""
    row = rows[position]
    above = rows[position - 1] if position else None
    below = rows[position + 1] if position + 1 < len(rows) else None
    runs_in = above is not None and _runs_into(above, row)
    runs_out = below is not None and _same_block(row, below) and _alike(row, below) and row.right > 0.85
    if below is not None and _same_block(row, below) and row.right > 0.8 and below.text[:1].islower():
        return False
    longer = len(row.text) > 70 and runs_out and not (below and below.right < 0.7)
    return not (runs_in or longer)


def _runs_into(above: Row, row: Row) -> bool:
    """The row above goes on in this one: full, set alike but for capitals, and not the end of a sentence. Underlined
    rows in a row are emphasised text."""
    if (above.page, above.region) != (row.page, row.region) or above.right <= 0.85:
        return False
    if above.underlined and row.underlined:
        return True
    alike = abs(above.size - row.size) < 0.3 and above.bold == row.bold
    return alike and _same_block(above, row) and not re.search(r"[.;:]\W*$", above.text)


def _same_block(first: Row, second: Row) -> bool:
    return (first.page, first.region, first.block) == (second.page, second.region, second.block)


def _alike(first: Row, second: Row) -> bool:
    return abs(first.size - second.size) < 0.3 and first.bold == second.bold and first.caps == second.caps


def _title_rows(rows: Sequence[Row], position: int, body: Body) -> int:
    """How many rows the title takes: following rows of the same block and setting that start no clause of their own."""
    first, taken = rows[position], 1
    bare = read_number(first.text)
    while taken < MAX_TITLE_ROWS and position + taken < len(rows):
        row = rows[position + taken]
        continues = _same_block(first, row) and _alike(first, row) and first.underlined == row.underlined
        named = bare is not None and bare.kind != "paren" and _alone(first, bare) and first.region == row.region
        near = taken == 1 and named and first.page == row.page and _looks_like_heading(rows, position + 1, body)
        if not (continues or near) or read_number(row.text) or not _set_apart(row, body):
            break
        if len(" ".join(r.text for r in rows[position : position + taken + 1]).split()) > 2 * MAX_TITLE_WORDS:
            break
        taken += 1
    return taken


def _span(rows: Sequence[Row], position: int, taken: int) -> CharSpan:
    return rows[position].start, rows[position + taken - 1].end


def _style(row: Row) -> Style:
    return Style(round(row.size * 2) / 2, row.bold, row.caps, row.underlined)


def _clean(title: str) -> str:
    """The title as a path shows it: one line, footnote marks, leaders and the closing period or colon off."""
    title = " ".join(_LEADERS.sub(" ", title).split())
    title = _MARKS.sub("", title)
    if len(title) > MAX_TITLE_CHARS:
        title = title[:MAX_TITLE_CHARS].rsplit(" ", 1)[0] + " …"
    return title if re.fullmatch(r"[\dA-Za-z]{1,4}\.", title) else title.rstrip(" .:–—-")


# ---------------------------------------------------------------- run-in headings


def _run_in_title(row: Row, offset: int) -> int:
    """Characters behind `offset` that are the clause's title, 0 when it has none."""
    rest = row.text[offset:]
    if term := _TERM.match(rest):
        return term.end()
    if row.underline is not None:
        return _underlined_length(row, offset)
    match = _RUN_IN_END.search(rest)
    title = rest[: match.start()] if match else ""
    words = title.split()
    if not words or len(words) > RUN_IN_WORDS:
        return 0
    return len(title) if _title_case(words) or _styled(row, offset, len(title)) else 0


def _underlined_length(row: Row, offset: int) -> int:
    """Characters behind `offset` over the underline, by the share of the row's width they take."""
    assert row.underline is not None
    line = next((part for part in row.lines if part.box[2] > row.underline[0] + 2), row.lines[-1])
    width = (line.box[2] - line.box[0]) / max(1, line.end - line.start)
    end = line.start - row.start + round((row.underline[1] - line.box[0]) / width)
    stop = re.compile(r"\s|$").search(row.text, max(0, min(end - 1, len(row.text))))
    return max(0, (stop.start() if stop else len(row.text)) - offset)


def _title_case(words: Sequence[str]) -> bool:
    """Every word that counts begins with a capital."""
    telling = [word for word in words if not _SMALL_WORD.fullmatch(word.strip("“”\"'(),"))]
    return bool(telling) and all(word.lstrip("“”\"'(")[:1].isupper() for word in telling)


def _styled(row: Row, offset: int, length: int) -> bool:
    """The title is bold or italic and what follows is not."""
    runs = [run for line in row.lines for run in line.runs]
    start, end = row.start + offset, row.start + offset + length
    title = [run for run in runs if run.start < end and run.end > start]
    after = [run for run in runs if run.start >= end]
    return bool(title and after) and (
        all(run.bold for run in title) > after[0].bold or all(run.italic for run in title) > after[0].italic
    )


def _run_in_style(rows: Sequence[Row], position: int, body: Body) -> list[Candidate]:
    """An unnumbered paragraph that opens with a bold title: "Governing law. This Agreement …"."""
    row = rows[position]
    runs = [run for line in row.lines for run in line.runs]
    first = runs[0]
    if not first.bold or body.bold or row.bold or not _starts_block(rows, position):
        return []
    end = next((before.end for before, run in pairwise(runs) if not run.bold), first.end)
    text = row.text[: end - row.start].strip()
    words = text.split()
    if not words or len(words) > RUN_IN_WORDS or text[-1] not in ".:–—" or not text[0].isupper():
        return []
    title = _clean(text)
    style = Style(round(first.size * 2) / 2, False, False, False)
    return [Candidate(row.page, (row.start, row.start + len(text)), title, style, None)] if len(title) > 2 else []


def _starts_block(rows: Sequence[Row], position: int) -> bool:
    return position == 0 or not _same_block(rows[position - 1], rows[position])


# ---------------------------------------------------------------- outline


def _with_outline(
    candidates: Sequence[Candidate], rows: Sequence[Row], outline: Sequence[OutlineEntry]
) -> list[Candidate]:
    """Outline entries matched to rows of their page, in place of the candidates found there."""
    matched = [m for entry in outline if (m := _match_entry(entry, rows)) is not None]
    if not matched or len(matched) * 2 < len(outline):
        return list(candidates)
    taken = {(m.page, m.span[0]) for m in matched}
    rest = [c for c in candidates if not any(_overlaps(c, m) for m in matched if m.page == c.page)]
    return sorted([*matched, *(c for c in rest if (c.page, c.span[0]) not in taken)], key=lambda c: (c.page, c.span))


def _overlaps(first: Candidate, second: Candidate) -> bool:
    return first.page == second.page and first.span[0] < second.span[1] and second.span[0] < first.span[1]


def _match_entry(entry: OutlineEntry, rows: Sequence[Row]) -> Candidate | None:
    """The rows of the entry's page that spell its title; nearest to its target when several do."""
    key = fold(entry.title).key
    if len(key) < 2:
        return None
    places: list[tuple[float, Candidate]] = []
    on_page = [row for row in rows if row.page == entry.page]
    for position, row in enumerate(on_page):
        for taken in range(1, MAX_TITLE_ROWS + 1):
            text = " ".join(r.text for r in on_page[position : position + taken])
            if _spells(fold(_LEADERS.sub("", text)).key, key):
                distance = abs(row.lines[0].box[1] - entry.y) if entry.y is not None else 0.0
                span = _span(on_page, position, min(taken, len(on_page) - position))
                style = _style(row)
                places.append((distance, Candidate(row.page, span, _clean(entry.title), style, None, entry.level)))
                break
    return min(places, key=lambda place: place[0])[1] if places else None


def _spells(text: str, key: str) -> bool:
    """Equal but for a number before the title or a footnote mark behind it."""
    return (
        text == key
        or (text.endswith(key) and len(text) - len(key) <= 10 and text[0].isdigit())
        or (text.startswith(key) and len(text) - len(key) <= 2)
    )


# ---------------------------------------------------------------- paths


def _assemble(candidates: Sequence[Candidate]) -> Iterator[Section]:
    ranks = _style_ranks(candidates)
    open_titles: list[tuple[float, str]] = []
    for candidate in candidates:
        rank = _rank(candidate, ranks)
        while open_titles and open_titles[-1][0] >= rank:
            open_titles.pop()
        open_titles.append((rank, candidate.title))
        yield Section(
            path=tuple(title for _, title in open_titles),
            page=candidate.page,
            span=candidate.span,
            judged_by=_judged_by(candidate),
        )


def _judged_by(candidate: Candidate) -> JudgedBy:
    if candidate.outline is not None:
        return "outline"
    return "layout" if candidate.style is not None else "numbering"


def _rank(candidate: Candidate, ranks: dict[Style, float]) -> float:
    """Lower is further out. Outline levels 0–, numbers 100 + depth, styles by size between or among them."""
    if candidate.outline is not None:
        return float(candidate.outline)
    if candidate.depth is not None:
        return 100.0 + candidate.depth
    assert candidate.style is not None
    return ranks[candidate.style]


def _style_ranks(candidates: Sequence[Candidate]) -> dict[Style, float]:
    """Rank of unnumbered headings by style: a style that numbers use too stands at their depth; a larger one further
    out, a smaller one further in."""
    depths: dict[Style, Counter[int]] = {}
    for candidate in candidates:
        if candidate.style and candidate.depth is not None:
            depths.setdefault(candidate.style, Counter())[candidate.depth] += 1
    uses = Counter(c.style for c in candidates)
    known = {
        style: 100.0 + counts.most_common(1)[0][0]
        for style, counts in depths.items()
        if sum(counts.values()) >= 0.25 * uses[style]
    }
    styles = sorted({c.style for c in candidates if c.style}, key=_prominence, reverse=True)
    ranks: dict[Style, float] = {}
    floor = 20.0
    for order, style in enumerate(styles):
        if style in known:
            floor = max(floor, known[style])
            ranks[style] = known[style]
        else:
            ranks[style] = floor + 0.01 * (order + 1)
    return ranks


def _prominence(style: Style) -> tuple[float, bool, bool, bool]:
    return style.size, style.caps, style.bold, style.underlined
