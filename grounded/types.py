"""The nouns that cross rooms.

Conventions, everywhere: character spans are half-open code-point offsets into `Page.text`; page numbers are 1-based;
boxes are (x0, y0, x1, y1) in PDF points, origin top-left of the page *as displayed* (rotation and crop applied).
Nouns that cross a border (disk, model, log, screen) are frozen pydantic; per-character data are numpy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

CharSpan = tuple[int, int]
Box = tuple[float, float, float, float]
Status = Literal["grounded", "partial", "unverified", "contradicted"]
Match = Literal["exact", "folded", "approximate"]
ReaderName = Literal["claude", "extractive"]

_TALL = 1.6  # median heights: no glyph adds more to the box of its line
_HAIR = 0.02  # points
_NEARLY = 0.1  # of a box's height: so far the middle of a trimmed box may lie off that of the font's own


class Frozen(BaseModel):
    """A noun that crosses a border: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# ---------------------------------------------------------------- documents


class Section(Frozen):
    """A heading. It reigns from the start of its title until the next section of the document begins."""

    path: tuple[str, ...] = Field(
        min_length=1, description="titles from the outermost to this one, footnote marks stripped"
    )
    page: int = Field(ge=1)
    span: CharSpan = Field(description="the title's span on that page")
    judged_by: Literal["outline", "layout", "numbering", "table"]

    @property
    def title(self) -> str:
        """The path as a person reads it."""
        return " › ".join(self.path)


class Cell(Frozen):
    """One table cell with the headers that give it its meaning."""

    row: int = Field(ge=0)
    col: int = Field(ge=0)
    text: str = Field(description="page text at spans, joined by a space")
    spans: tuple[CharSpan, ...] = Field(description="empty for a blank cell")
    box: Box
    is_header: bool = False
    row_headers: tuple[str, ...] = ()
    col_headers: tuple[str, ...] = ()
    row_header_spans: tuple[CharSpan, ...] = ()
    col_header_spans: tuple[CharSpan, ...] = ()
    unit: str = Field(
        default="", description="unit and scale in force, as printed: '$ in thousands', '%', '$ millions'"
    )


class Table(Frozen):
    """A table on one page. Cells in row-major order; blank cells included."""

    page: int = Field(ge=1)
    index: int = Field(ge=0, description="position among the page's tables, reading order")
    box: Box
    span: CharSpan = Field(description="from the first to the last character of the table in the page text")
    n_rows: int
    n_cols: int
    caption: str = ""
    caption_span: CharSpan | None = None
    section: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()

    def inherited_headers(self) -> dict[int, tuple[str, ...]]:
        """Column -> headers printed only on an earlier page, where the table begins."""
        return {c.col: c.col_headers for c in self.cells if c.col_headers and not c.col_header_spans}

    def at(self, row: int, col: int) -> Cell | None:
        """The cell at (row, col), or None where a merged neighbour covers it."""
        return next((c for c in self.cells if c.row == row and c.col == col), None)


class HiddenText(Frozen):
    """Text that is in the file but not visible to a reader. It is never in a chunk, never cited."""

    page: int
    text: str
    reason: str = Field(
        description="why nobody sees it: invisible ink, background colour, off page, under an image, too small, …"
    )
    box: Box | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """One page as displayed. `boxes[i]` is the box of `text[i]`; separators between lines have zero-area boxes."""

    number: int
    label: str
    width: float
    height: float
    rotation: int
    text: str
    boxes: NDArray[np.float32]  # (len(text), 4), points as displayed
    readable: bool = True
    unread_reason: str = ""  # why not readable: "no text (image only)", "unreadable font encoding", …; "" when readable
    source: Literal["text", "ocr"] = "text"
    tables: tuple[Table, ...] = ()
    furniture: tuple[CharSpan, ...] = ()  # repeated headers, footers, page numbers
    hidden: tuple[HiddenText, ...] = ()
    warnings: tuple[str, ...] = ()
    stream: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    # ^ the order in which the file writes the page: offsets into `text`, -1 between stretches, -2 - offset where it has
    #   the mirror image of a bracket; what is drawn twice comes twice; empty when as in `text`


class Coverage(Frozen):
    """What of a document could be read, page by page (1-based numbers)."""

    pages: int
    readable: tuple[int, ...] = ()
    ocr: tuple[int, ...] = Field(default=(), description="the readable pages whose text came from OCR")
    unread: Mapping[int, str] = Field(default_factory=dict, description="page -> why")
    hidden: tuple[HiddenText, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A PDF, read. id = sha256 hex of its bytes."""

    id: str
    name: str
    pages: tuple[Page, ...]
    extractor: str  # name, version and flags: offsets belong to it
    sections: tuple[Section, ...] = ()
    title: str = ""
    repaired: bool = False
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)

    def page(self, number: int) -> Page:
        """The page with that 1-based number; IndexError when the document has none."""
        if not 1 <= number <= len(self.pages):
            raise IndexError(f"{self.name} has no page {number}")
        return self.pages[number - 1]

    def section_at(self, page: int, offset: int) -> tuple[str, ...]:
        """Path of the section in force at a place, () before the first heading."""
        path: tuple[str, ...] = ()
        for section in self.sections:
            if (section.page, section.span[0]) > (page, offset):
                break
            path = section.path
        return path

    @property
    def coverage(self) -> Coverage:
        """The coverage report."""
        return Coverage(
            pages=len(self.pages),
            readable=tuple(p.number for p in self.pages if p.readable),
            ocr=tuple(p.number for p in self.pages if p.readable and p.source == "ocr"),
            unread={p.number: p.unread_reason for p in self.pages if not p.readable},
            hidden=tuple(h for p in self.pages for h in p.hidden),
            warnings=self.warnings + tuple(f"page {p.number}: {w}" for p in self.pages for w in p.warnings),
        )


class Chunk(Frozen):
    """A citable passage: always `page.text[span]`, never across pages."""

    id: str = Field(description="sha256 hex of (document, page, span)")
    document: str
    source_name: str
    page: int = Field(ge=1)
    page_label: str
    span: CharSpan
    text: str
    section: str = Field(default="", description="section path joined by ' › '")
    kind: Literal["text", "table"] = "text"
    page_kind: str = Field(default="", description="income statement, definitions, signature page, …; '' when plain")
    context: str = Field(
        default="", description="document name, section, table headers: embedded and searched, never cited"
    )
    ordinal: int = Field(default=0, ge=0, description="position among the document's chunks, reading order")


class Card(Frozen):
    """What tells a document from its look-alikes, read from the document itself. Empty where it does not say."""

    title: str = ""
    kind: str = Field(default="", description="what it calls itself: 'form 10-q', 'fact sheet', 'agreement', …")
    names: tuple[str, ...] = Field(default=(), description="issuer, parties, fund, product, as printed at the front")
    identifiers: tuple[str, ...] = Field(default=(), description="report number, CIK, CUSIP, ticker, registration mark")
    period_end: str = Field(default="", description="ISO date it speaks about: period end, as-of, effective date")
    dates: tuple[str, ...] = Field(default=(), description="ISO dates at the front, period_end first")
    quarter: int | None = Field(default=None, description="fiscal quarter 1-4 that it reports on, where it says")
    fiscal_year: int | None = Field(
        default=None, description="of a report: the fiscal year it belongs to, as it names it"
    )
    head: str = Field(default="", description="the first lines, for matching by words")


class DocumentRecord(Frozen):
    """A document of the library as it stands in the index."""

    id: str
    names: tuple[str, ...] = Field(min_length=1, description="file names it was added under, first one first")
    title: str = ""
    pages: int = Field(ge=0)
    readable_pages: int = Field(ge=0)
    chunks: int = Field(ge=0)
    sections: int = Field(default=0, ge=0)
    extractor: str = Field(description="name, version and flags; offsets belong to it")
    chunker: str = Field(description="versions of what made its chunks and its card")
    embedder: str = Field(description="digest of the embedder")
    added: str = Field(description="UTC, ISO 8601")
    coverage: Coverage
    card: Card = Card()
    build: str = Field(description="names the rows of the index that belong to it")
    digest: str = Field(description="sha256 hex over its chunk ids")

    @property
    def name(self) -> str:
        """The name it is shown under."""
        return self.names[0]


class PageSource(Protocol):
    """Whoever can give back a page, its tables and its section headings. The library is one."""

    def page(self, document: str, number: int) -> Page: ...
    def page_count(self, document: str) -> int: ...
    def section_at(self, document: str, page: int, offset: int) -> str: ...
    def name(self, document: str) -> str: ...


# ---------------------------------------------------------------- retrieval


class Hit(Frozen):
    """A chunk found for a question, with every score and rank it got on the way. Ranks are 1-based."""

    chunk: Chunk
    cosine: float = Field(description="cosine of question and chunk embedding, -1..1")
    section_match: float = Field(ge=0, le=1)
    retrieval_confidence: float = Field(description="0.7 * cosine + 0.3 * section_match")
    vector_rank: int | None = None
    lexical_rank: int | None = None
    retrieved_rank: int = Field(ge=1, description="after fusion, before reranking")
    rerank_score: float | None = None
    reranked_rank: int = Field(ge=1, description="final order; equals retrieved_rank when nothing was reranked")
    subquestion: int = Field(default=0, ge=0, description="which sub-question of the plan found it")


class SubQuestion(Frozen):
    """One step of the plan: a question that stands alone and the documents it is asked of (empty: all in scope)."""

    text: str
    documents: tuple[str, ...] = ()
    unmentioned: tuple[str, ...] = Field(default=(), description="names it says that none of its documents has")


class Plan(Frozen):
    """How a question is searched. One sub-question when it is simple."""

    question: str
    subquestions: tuple[SubQuestion, ...]
    kind: Literal["single", "comparison", "follow-up", "several"] = "single"
    by: Literal["rules", "model"] = "rules"
    reason: str = ""


class HitRecord(Frozen):
    """A hit as contracts.md prints it."""

    source_id: str | None
    chunk_id: str
    document: str
    source_name: str
    page: int
    page_label: str
    span: CharSpan
    section: str
    cosine: float
    section_match: float
    retrieval_confidence: float
    vector_rank: int | None
    lexical_rank: int | None
    retrieved_rank: int
    rerank_score: float | None
    reranked_rank: int
    in_context: bool
    trimmed: str | None = Field(default=None, description="why it did not go into the context")
    text: str = ""

    @classmethod
    def of(cls, hit: Hit, source_id: str | None, trimmed: str | None = None) -> HitRecord:
        """The record of a hit: source `source_id` of the context, or left out for the reason `trimmed`."""
        shown = {"document", "source_name", "page", "page_label", "span", "section", "text"}
        return cls(
            source_id=source_id,
            chunk_id=hit.chunk.id,
            in_context=source_id is not None,
            trimmed=trimmed,
            **hit.chunk.model_dump(include=shown),
            **hit.model_dump(exclude={"chunk", "subquestion"}),
        )


# ---------------------------------------------------------------- generation


class Source(Frozen):
    """A numbered source that really went to the reader."""

    id: str = Field(pattern=r"^S[1-9][0-9]*$")
    hit: Hit
    label: str
    text: str = Field(description="what the reader was given: the chunk's text, or its head when truncated")
    tokens: int = Field(ge=0)
    truncated: bool = False


class Trimmed(Frozen):
    """A hit that did not go into the context, and why."""

    chunk_id: str
    reason: str


class Context(Frozen):
    """The sources in final hit order, within the token budget."""

    sources: tuple[Source, ...] = ()
    trimmed: tuple[Trimmed, ...] = ()
    text: str = ""
    tokens: int = 0
    budget_tokens: int = 0
    counter: str = Field(default="estimate", description="how tokens were counted")

    def source(self, source_id: str) -> Source | None:
        """The source with that id, or None: a model may name one that does not exist."""
        return next((s for s in self.sources if s.id == source_id), None)


class Quote(Frozen):
    """What a reader says it read. Hearsay until located."""

    source_id: str
    text: str
    span: CharSpan | None = Field(default=None, description="where the reader believes it stands on the source's page")


class Calculation(Frozen):
    """A value a reader computed from quoted operands; verification recomputes it."""

    operation: str = Field(description="difference, sum, ratio, growth, maximum, count, …")
    formula: str = Field(description="as shown: '13.2 % − 11.9 % = 1.3 percentage points'")
    operands: tuple[str, ...] = Field(description="operand values as printed, one for each quote")
    result: str


class Claim(Frozen):
    """One sentence of the answer with what the reader says it rests on. No quotes: the reader cites nothing."""

    id: str
    text: str
    quotes: tuple[Quote, ...] = ()
    calculation: Calculation | None = None
    score: float | None = Field(default=None, description="the reader's own score, never a confidence")


class Usage(Frozen):
    """Tokens and money. cost_usd is null when the price is unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cost_usd: float | None = None


# ---------------------------------------------------------------- verification


class Citation(Frozen):
    """Evidence: text re-read from the page. `snippet` equals the page text at `spans`, joined by a space."""

    source_id: str | None
    document: str
    source_name: str
    page: int = Field(ge=1)
    page_label: str
    section: str
    snippet: str
    spans: tuple[CharSpan, ...]
    boxes: tuple[Box, ...] = Field(description="one per line of text, in tables one per cell")
    chunk_id: str | None
    match: Match
    score: float | None = Field(description="the retrieval_confidence of the source")


class Check(Frozen):
    """One test a claim went through. passed is None when the check could not decide."""

    name: str
    passed: bool | None
    detail: str


class Verdict(Frozen):
    """What the evidence says about a claim."""

    grounded: bool
    status: Status
    confidence: float = Field(ge=0, le=1)
    reason: str
    checks: tuple[Check, ...] = ()
    basis: Literal["rules", "model", "both"] = "rules"


class VerifiedClaim(Frozen):
    """A claim with its evidence and its verdict."""

    id: str
    text: str
    citations: tuple[Citation, ...] = ()
    verdict: Verdict
    calculation: Calculation | None = None


class Conflict(Frozen):
    """Two places that give the same subject different values."""

    subject: str
    citations: tuple[Citation, ...] = Field(min_length=2)
    detail: str


class Abstention(Frozen):
    """Why there is no answer, and what was looked at. Nearest passages are shown as such, never as citations."""

    reason: str
    searched: tuple[str, ...] = Field(default=(), description="names of the documents searched")
    nearest: tuple[HitRecord, ...] = ()
    unread_pages: Mapping[str, tuple[int, ...]] = Field(
        default_factory=dict, description="document name -> unread pages"
    )


class Answer(Frozen):
    """What `ask` returns and prints (contracts.md)."""

    trace_id: str
    question: str
    status: Literal["answered", "abstained", "failed", "cancelled"]
    reader: ReaderName
    model: str | None = None
    answer: str = ""
    claims: tuple[VerifiedClaim, ...] = ()
    generation_confidence: float | None = None
    grounded_share: float | None = None
    hits: tuple[HitRecord, ...] = ()
    abstention: Abstention | None = None
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = Field(default=(), description="degradations said aloud: no reranker, partial reply, …")
    usage: Usage = Usage()
    judge: dict[str, Any] | None = None
    timings_ms: Mapping[str, float] = Field(
        default_factory=dict, description="by node, and in `total` all of it, writing the record included"
    )


class LocateMatch(Frozen):
    """A place where a quote stands. A quote that runs over a page break goes on in `continues`, one entry a page."""

    page: int
    page_label: str
    spans: tuple[CharSpan, ...]
    boxes: tuple[Box, ...]
    text: str
    match: Match
    continues: tuple[LocateMatch, ...] = ()


def snippet_at(page: Page, spans: Sequence[CharSpan]) -> str:
    """The page text at `spans`, joined by a space: the only way a snippet is made."""
    return " ".join(page.text[start:end] for start, end in spans)


def spans_boxes(page: Page, spans: Sequence[CharSpan]) -> tuple[Box, ...]:
    """One box per line of text (in tables, per cell) under `spans`, in reading order; whitespace adds nothing, and a
    glyph much taller than its line (a root, a bracket) does not stretch the box over the lines beside it. Where other
    glyphs have their middle in a box (slanted lines, stamps, scripts of the next line), the line has several."""
    boxes: list[Box] = []
    others = (page.boxes[:, :2] + page.boxes[:, 2:]) / 2
    others[np.concatenate([np.arange(start, end) for start, end in spans] + [_blanks(page)])] = np.nan
    for start, end in spans:
        cursor = start
        for line in page.text[start:end].replace("\t", "\n").split("\n"):
            stop = cursor + len(line)
            inked = [i for i in range(cursor, stop) if not page.text[i].isspace()]
            if inked:
                boxes += _line_boxes(page.boxes[inked], others)
            cursor = stop + 1
    return tuple(boxes)


@lru_cache(maxsize=64)
def _blanks(page: Page) -> NDArray[np.intp]:
    return np.array([i for i, char in enumerate(page.text) if char.isspace()], np.intp)


def _line_boxes(boxes: NDArray[np.float32], others: NDArray[np.floating[Any]]) -> list[Box]:
    """The box of a line's glyphs, (n, 4); parted by a hair where the middle of another glyph, (m, 2), lies in it, and
    made lower where that would part a glyph of the line in its own middle."""
    box = _line_box(boxes)
    along = int(box[3] - box[1] > box[2] - box[0])
    reach = np.array(box)
    reach[[1 - along, 3 - along]] += np.array([-_NEARLY, _NEARLY]) * (box[3 - along] - box[1 - along])
    strangers = others[((others >= reach[:2]) & (others <= reach[2:])).all(axis=1)]
    if not len(strangers):
        return [box]
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    beside = (np.abs(strangers[:, None, along] - middles[:, along]) > _HAIR).all(axis=1)
    low, high = _kept_apart(strangers[~beside, 1 - along], middles[:, 1 - along])
    parts: list[Box] = []
    for start, end in pairwise([-np.inf, *np.unique(strangers[beside, along]).tolist(), np.inf]):
        glyphs = boxes[(boxes[:, along] < end - _HAIR) & (boxes[:, along + 2] > start + _HAIR)]
        if len(glyphs):
            part = list(_line_box(glyphs))
            part[along], part[along + 2] = max(part[along], start + _HAIR), min(part[along + 2], end - _HAIR)
            part[1 - along], part[3 - along] = max(part[1 - along], low), min(part[3 - along], high)
            parts.append((part[0], part[1], part[2], part[3]))
    return parts


def _kept_apart(strangers: NDArray[np.floating[Any]], own: NDArray[np.floating[Any]]) -> tuple[float, float]:
    """Limits across a line halfway between its own middles and those of strangers before and behind all of them."""
    first, last = float(own.min()), float(own.max())
    before, behind = strangers[strangers < first], strangers[strangers > last]
    return (float(before.max(initial=-np.inf)) + first) / 2, (float(behind.min(initial=np.inf)) + last) / 2


def _line_box(boxes: NDArray[np.float32]) -> Box:
    """Bounding box (points) of the glyphs of one line, (n, 4), each counted no taller than _TALL median heights; in a
    line that runs up or down, no wider."""
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    across = int(np.argmin(high - low))
    if len(boxes) > 3:
        middles = (boxes[:, across] + boxes[:, across + 2]) / 2
        halves = boxes[:, across + 2] - middles
        halves = np.minimum(halves, _TALL * np.median(halves))
        low[across], high[across] = (middles - halves).min(), (middles + halves).max()
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
