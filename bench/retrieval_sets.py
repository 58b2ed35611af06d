"""The gold sets of bench.retrieval: questions over libraries that are built once and kept."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from grounded.documents.chunks import chunk
from grounded.evaluation import sets
from grounded.evaluation.cases import Sheet
from grounded.library import Library
from grounded.library.preparing import MAKER, searched
from grounded.library.vectors import VectorCache
from grounded.retrieval.cards import make_card
from grounded.retrieval.index import Entry, chunk_digest, new_build
from grounded.types import Document, DocumentRecord, Page

Place = tuple[str, int]  # document, page (0: the document as a whole)
Text = tuple[str, str, Sequence[str]]  # name, title, pages


@dataclass(frozen=True)
class Question:
    """A question, the documents it is asked of (empty: all), and the places that answer it."""

    text: str
    scope: tuple[str, ...]
    gold: frozenset[Place]
    group: str  # the unit of the split


@dataclass(frozen=True)
class GoldSet:
    """Questions over a library; by_document: the right document counts, whatever the page."""

    library: Library
    questions: Sequence[Question]
    by_document: bool = False


def cuad(cache: Path) -> GoldSet:
    """50 contracts, each asked its own questions; the gold is the pages of the expert spans."""
    library = _from_pdfs(cache / "cuad", sets.shared() / "cuad" / "pdfs")
    return GoldSet(library, _questions("cuad", library))


def ntsb(cache: Path) -> GoldSet:
    """Ten accident reports on one form, all searched at once; the gold is the page of the field."""
    library = _from_pdfs(cache / "ntsb", sets.shared() / "ntsb" / "pdfs")
    return GoldSet(library, _questions("ntsb", library))


def ntsb_documents(cache: Path) -> GoldSet:
    """The same, right when the document is."""
    library = _from_pdfs(cache / "ntsb", sets.shared() / "ntsb" / "pdfs")
    return GoldSet(library, _questions("ntsb", library, by_document=True), by_document=True)


def scifact(cache: Path) -> GoldSet:
    """5,183 abstracts and the train claims; the gold is the cited abstracts."""
    texts = [(name, sheet.title, list(sheet.paragraphs)) for name, sheet in sets.load("scifact").sheets.items()]
    library = from_texts(cache / "scifact", texts)
    return GoldSet(library, _questions("scifact", library, by_document=True), by_document=True)


def _questions(name: str, library: Library, *, by_document: bool = False) -> list[Question]:
    """The answerable questions of a gold set."""
    ids = {record.name: record.id for record in library.documents()}
    return [
        Question(
            text=case.question or "",
            scope=tuple(ids[document] for document in case.documents),
            gold=frozenset((ids[place.document], 0 if by_document else place.page or 0) for place in case.places),
            group=case.group,
        )
        for case in sets.load(name).cases
        if case.task != "check" and case.places
    ]


def lookalike(cache: Path) -> GoldSet:
    """Quarterly reports of invented companies that differ in name, period and figures only; every sixth question."""
    from bench.lookalike import filings, questions

    library = from_texts(cache / "lookalike", filings())
    ids = {record.name: record.id for record in library.documents()}
    asked = [Question(text, (), frozenset([(ids[name], 0)]), name) for text, name in questions()]
    return GoldSet(library, asked[::6], by_document=True)


def annual(cache: Path) -> GoldSet:
    """Annual reports of invented companies, each asked its own questions; the gold is the pages that answer."""
    return _annual(cache, scoped=True)


def annual_library(cache: Path) -> GoldSet:
    """The same, asked of all the reports at once; questions that name no company are left out."""
    return _annual(cache, scoped=False)


def _annual(cache: Path, *, scoped: bool) -> GoldSet:
    from bench.annual import questions, typeset

    typeset(cache / "annual-pdfs")
    library = _from_pdfs(cache / "annual", cache / "annual-pdfs")
    ids = {record.name: record.id for record in library.documents()}
    asked = [
        Question(text, (ids[name],) if scoped else (), frozenset((ids[name], page) for page in pages), name)
        for text, name, pages, says_which in questions()
        if scoped or says_which
    ]
    return GoldSet(library, asked)


def annual_long(cache: Path) -> GoldSet:
    """Annual reports of 150 pages and more in which the same figures are printed many times."""
    from bench.annual_long import typeset

    asked = typeset(cache / "annual-long-pdfs")
    library = _from_pdfs(cache / "annual-long", cache / "annual-long-pdfs")
    ids = {record.name: record.id for record in library.documents()}
    questions = [
        Question(q.text, (ids[q.file_name],), frozenset((ids[q.file_name], page) for page in q.pages), q.file_name)
        for q in asked
    ]
    return GoldSet(library, questions)


TATQA_PAGES = 70


def tatqa(cache: Path) -> GoldSet:
    """Tables and paragraphs of real annual reports, one context to a page, bound into documents of 70 pages; the
    questions (every fourth) name no company, so some fit several pages."""
    sheets = sorted(sets.load("tatqa").sheets.items())
    bound = [sheets[start : start + TATQA_PAGES] for start in range(0, len(sheets), TATQA_PAGES)]
    texts = [(f"bound-{n}.pdf", "", [_printed(sheet) for _, sheet in part]) for n, part in enumerate(bound)]
    library = from_texts(cache / "tatqa", texts)
    ids = {record.name: record.id for record in library.documents()}
    places = {
        name: (ids[f"bound-{n}.pdf"], page) for n, part in enumerate(bound) for page, (name, _) in enumerate(part, 1)
    }
    asked = [case for case in sets.load("tatqa").cases if case.question and case.task != "check"][::4]
    questions = [
        Question(
            case.question or "", (places[case.documents[0]][0],), frozenset([places[case.documents[0]]]), case.group
        )
        for case in asked
    ]
    return GoldSet(library, questions)


def _printed(sheet: Sheet) -> str:
    rows = ["\t".join(str(cell) for cell in row if cell) for row in sheet.table]
    return "\n\n".join([*sheet.paragraphs, "\n".join(rows)])


def mixed(cache: Path) -> GoldSet:
    """Questions (every second) on encyclopedic passages that name no document, asked of those passages and of annual
    reports, contracts and accident reports at once: foreign pages of a kind that a question suggests."""
    from bench.annual import typeset

    typeset(cache / "annual-pdfs")
    loaded = sets.load("xquad_en")
    library = _from_pdfs(
        cache / "mixed", cache / "annual-pdfs", *(sets.shared() / name / "pdfs" for name in ("cuad", "ntsb"))
    )
    _add_texts(
        library, cache / "mixed", [_document((name, "", sheet.paragraphs)) for name, sheet in loaded.sheets.items()]
    )
    ids = {record.name: record.id for record in library.documents()}
    asked = [case for case in loaded.cases if case.answerable][::2]
    questions = [
        Question(case.question or "", (), frozenset([(ids[case.documents[0]], 0)]), case.group) for case in asked
    ]
    return GoldSet(library, questions, by_document=True)


SETS: dict[str, Callable[[Path], GoldSet]] = {
    "cuad": cuad,
    "ntsb": ntsb,
    "ntsb-documents": ntsb_documents,
    "scifact": scifact,
    "lookalike": lookalike,
    "annual": annual,
    "annual-library": annual_library,
    "annual-long": annual_long,
    "tatqa": tatqa,
    "mixed": mixed,
}


# ---------------------------------------------------------------- building


def _from_pdfs(folder: Path, *pdfs: Path) -> Library:
    library = Library(str(folder))
    library.add(list(pdfs))
    return library


def from_texts(folder: Path, texts: Iterable[Text]) -> Library:
    """A library of documents that never were PDFs: their pages' text has boxes without area."""
    library = Library(str(folder))
    documents = [_document(text) for text in texts]
    for stale in library.index.documents().keys() - {d.id for d in documents}:
        library.index.remove(stale)
    _add_texts(library, folder, documents)
    return library


def _add_texts(library: Library, folder: Path, documents: Sequence[Document]) -> None:
    vectors, known = VectorCache(folder / "vectors.sqlite3"), library.index.documents()
    fresh = (d for d in documents if d.id not in known or known[d.id].chunker != MAKER)
    while batch := list(itertools.islice(fresh, 200)):
        library.index.commit([_entry(library, vectors, document) for document in batch])
    library.index.optimize()


def _document(text: Text) -> Document:
    name, title, pages = text
    key = json.dumps([name, title, list(pages)]).encode()
    return Document(
        id=hashlib.sha256(key).hexdigest(),
        name=name,
        title=title,
        extractor="text",
        pages=tuple(
            Page(n, str(n), 612, 792, 0, page, np.zeros((len(page), 4), np.float32)) for n, page in enumerate(pages, 1)
        ),
    )


def _entry(library: Library, vectors: VectorCache, document: Document) -> Entry:
    embedder = library.embedder
    chunks = chunk(document, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    texts = [searched(c) for c in chunks]
    record = DocumentRecord(
        id=document.id,
        names=(document.name,),
        title=document.title,
        pages=len(document.pages),
        readable_pages=len(document.pages),
        chunks=len(chunks),
        extractor=document.extractor,
        chunker=MAKER,
        embedder=embedder.digest,
        added=datetime.now(UTC).isoformat(timespec="microseconds"),
        coverage=document.coverage,
        card=make_card(document),
        build=new_build(),
        digest=chunk_digest(chunks),
    )
    return Entry(record, chunks, vectors.encode(embedder, texts), texts)
