"""Gold sets through the pipeline, case by case: what `eval` and the Evaluation page run.

Questions leave no trace in the audit log: they are measurements, nobody asked them. A case that was worked out before
with the same code, settings, index and models is taken from the cache, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import PurePath
from typing import Any

from grounded.documents.typeset import typeset
from grounded.errors import Cancelled, UsageError
from grounded.evaluation import history, outcomes
from grounded.evaluation.cases import GoldCase, GoldPlace, GoldSet
from grounded.evaluation.history import CaseCache, RunReport
from grounded.evaluation.metrics import box_iou
from grounded.evaluation.outcomes import FAILED, FoundPassage, GoldSpot, Outcome
from grounded.evaluation.summary import summarise
from grounded.library import Library
from grounded.library.store import document_id
from grounded.llm import load_prompt
from grounded.pipeline.graph import walk
from grounded.pipeline.models import models_for
from grounded.pipeline.replay import Notebook
from grounded.pipeline.run import Run
from grounded.retrieval.embed import Embedder, load_embedder
from grounded.retrieval.pairs import available_pairs
from grounded.retrieval.plan import plan
from grounded.retrieval.rerank import rerank
from grounded.retrieval.search import retrieve
from grounded.settings import Settings
from grounded.text import fold
from grounded.types import Box, CharSpan, Hit, Page, PageSource, spans_boxes
from grounded.verification.check import check_claims, read_item

_PROMPTS = (
    ("grounded.generation", ("generate", "native", "plan", "repair", "rewrite")),
    ("grounded.verification", ("entail",)),
    ("grounded.evaluation", ("judge",)),
)
_INLINE = {"text", "table", "caption"}


@dataclass(frozen=True)
class Step:
    """How far a run is: of a set, so many cases of so many; what it is doing otherwise."""

    set: str
    done: int
    total: int
    doing: str = ""


@dataclass(frozen=True)
class Evaluation:
    """How sets are run. users: opens the user's library, for sets that name its documents."""

    settings: Settings
    users: Callable[[], Library]
    judge: bool = False
    progress: Callable[[Step], None] = lambda step: None
    cancelled: Callable[[], bool] = lambda: False
    cache: CaseCache = field(default_factory=lambda: CaseCache(history.folder() / "cases.sqlite3"))

    @cached_property
    def embedder(self) -> Embedder:
        """One for all libraries."""
        return load_embedder()

    def run(self, sets: Sequence[GoldSet], *, part: str = "all", absent: Sequence[str] = ()) -> RunReport:
        """Run the sets and record it. Raises UsageError for a document that is nowhere, Cancelled when stopped: what
        was worked out until then is kept, and the same call later goes on from there."""
        if len({gold.name for gold in sets}) < len(sets):
            raise UsageError("two of these sets have the same name", advice="Rename one of the files")
        started, clock = datetime.now(UTC), time.perf_counter()
        bench = [self._bench(gold) for gold in sets]
        found = {b.gold.name: list(b.run()) for b in bench}
        report = RunReport(
            id=f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}",
            started=started.isoformat(timespec="seconds"),
            seconds=round(time.perf_counter() - clock, 1),
            commit=history.commit(),
            code=history.code_digest(),
            settings=self.settings.record(),
            reader=self.settings.reader_in_use,
            models=self._models(),
            prompts=_prompts() if self.settings.reader_in_use == "claude" else {},
            embedder=self.embedder.digest,
            indexes={b.gold.name: b.digest for b in bench if b.digest},
            libraries={b.gold.name: PurePath(b.library.uri).name for b in bench if b.library and b.gold.own_documents},
            part=part,
            reused=sum(b.reused for b in bench),
            absent=tuple(absent),
            sets=tuple(summarise(b.gold, found[b.gold.name]) for b in bench),
        )
        history.save(report, found)
        return report

    def _models(self) -> dict[str, str | None]:
        if self.settings.reader_in_use == "extractive":
            return {"reader": None, "second opinion": None}
        return {"reader": self.settings.model, "second opinion": self.settings.verification.model}

    def _bench(self, gold: GoldSet) -> Bench:
        needing = [case for case in gold.cases if case.task != "check" or case.document]
        if not needing:
            return Bench(self, gold, None, {})
        library = self._own_library(gold) if gold.own_documents else self.users()
        return Bench(self, gold, library, _ids(library, gold, {name for case in needing for name in case.names()}))

    def _own_library(self, gold: GoldSet) -> Library:
        """The set's documents, indexed once and kept; other contents, other folder."""
        folder = history.libraries() / f"{gold.name}-{_contents(gold)[:10]}"
        library = Library(str(folder), settings=self.settings, embedder=self.embedder)
        known = {name for record in library.documents() for name in record.names}

        def tell(done: int, total: int, result: Any) -> None:
            self.progress(Step(gold.name, done, total, "indexing"))

        if gold.pdfs:
            library.add(list(gold.pdfs.values()), progress=tell, cancelled=self.cancelled)
        fresh = {name: sheet for name, sheet in gold.sheets.items() if name not in known}
        uploads = [(name, typeset(s.paragraphs, s.table, title=s.title)) for name, s in fresh.items()]
        library.add_uploads(uploads, progress=tell, cancelled=self.cancelled)
        return library


class Bench:
    """One set on its library; without one when all evidence is inline."""

    def __init__(self, evaluation: Evaluation, gold: GoldSet, library: Library | None, ids: Mapping[str, str]) -> None:
        self.evaluation, self.gold, self.library, self.ids = evaluation, gold, library, ids
        self.digest = library.index_digest if library else ""
        self.reused = 0

    @property
    def pages(self) -> Library:
        """The library, where a case needs it."""
        assert self.library is not None
        return self.library

    def run(self) -> Iterator[Outcome]:
        """The cases, in the set's order."""
        total = len(self.gold.cases)
        for done, case in enumerate(self.gold.cases):
            self.evaluation.progress(Step(self.gold.name, done, total))
            if self.evaluation.cancelled():
                raise Cancelled("the run was stopped", advice="Run it again: it goes on where it stopped")
            yield self._case(case)
        self.evaluation.progress(Step(self.gold.name, total, total))

    def _case(self, case: GoldCase) -> Outcome:
        key = self._key(case)
        if (known := self.evaluation.cache.get(key)) is not None:
            self.reused += 1
            return known
        work = {"ask": self._ask, "search": self._search, "check": self._check}[case.task]
        outcome = work(case)
        if outcome.status not in FAILED:  # asked again next time
            self.evaluation.cache.put(key, outcome)
        return outcome

    def _key(self, case: GoldCase) -> str:
        settings = self.evaluation.settings.record()
        inline = case.task == "check" and not case.document
        return history.key_of(
            code=history.code_digest(),
            settings={name: value for name, value in settings.items() if name not in ("library", "traces")},
            reader=self.evaluation.settings.reader_in_use,
            index="" if inline else self.digest,
            judge=self.evaluation.judge,
            case=case.model_dump(mode="json"),
        )

    def _ask(self, case: GoldCase) -> Outcome:
        evaluation, scope = self.evaluation, self._scope(case)
        models = models_for(evaluation.settings)
        run = Run(
            case.question or "", self.pages, evaluation.settings, scope, (), models, Notebook(""),
            lambda event: None, evaluation.cancelled, evaluation.judge,
        )  # fmt: skip
        state = walk(run)
        read = {source.hit.chunk.id for source in state["context"].sources}
        found = [_passage(hit, hit.chunk.id in read) for hit in state["hits"]]
        return outcomes.of_ask(case, state["answer"], found, self._spots(case))

    def _search(self, case: GoldCase) -> Outcome:
        settings, scope, library = self.evaluation.settings.retrieval, self._scope(case), self.pages
        clock = time.perf_counter()
        made = plan(case.question or "", documents=[d for d in library.documents() if not scope or d.id in scope])
        hits = retrieve(library.index, library.embedder, made, scope=scope, settings=settings)
        final = rerank(made, hits, settings=settings).hits
        spent = (time.perf_counter() - clock) * 1000
        found = [_passage(hit, hit.reranked_rank <= settings.top_k) for hit in final]
        return outcomes.of_search(case, found, self._spots(case), spent)

    def _check(self, case: GoldCase) -> Outcome:
        raw = case.model_dump(include={"claim", "quote", "page", "document", *_INLINE}, mode="json")
        clock = time.perf_counter()
        (result,) = check_claims([read_item(raw, case.id)], self._open, available_pairs())
        spent = (time.perf_counter() - clock) * 1000
        return outcomes.of_check(case, result.verdict, result.citations, spent)

    def _open(self, name: str) -> tuple[str, PageSource]:
        return self.ids[name], self.pages

    def _scope(self, case: GoldCase) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.ids[name] for name in case.documents))

    def _spots(self, case: GoldCase) -> list[GoldSpot]:
        return [find_spot(place, self.ids[place.document], self.pages) for place in case.places]


def _contents(gold: GoldSet) -> str:
    """sha256 hex over the names and contents of a set's documents."""
    files = {name: document_id(path) for name, path in gold.pdfs.items()}
    return history.key_of(pdfs=files, sheets=dict(gold.sheets))


def find_spot(place: GoldPlace, document: str, pages: PageSource) -> GoldSpot:
    """A gold place in the library's own text: its quote located (the one nearest to the gold's boxes, else by its
    number), its boxes. What cannot be found is left at what the gold itself says."""
    spot = GoldSpot(
        document=document, name=pages.name(document), page=place.page, text=place.quote or "", spans=place.spans,
        boxes=place.boxes,
    )  # fmt: skip
    for number in [place.page] if place.page else range(1, pages.page_count(document) + 1):
        if number > pages.page_count(document):
            break
        page = pages.page(document, number)
        spans = place.spans or _occurrence(page, place)
        if spans:
            boxes = place.boxes or spans_boxes(page, spans)
            return spot.model_copy(update={"page": number, "spans": spans, "boxes": boxes})
    return spot


def _occurrence(page: Page, place: GoldPlace) -> tuple[CharSpan, ...]:
    found = list(_occurrences(page, place.quote)) if place.quote else []
    if not found:
        return ()
    if place.boxes:
        return (max(found, key=lambda span: _likeness(page, span, place.boxes)),)
    return (found[min(place.occurrence, len(found) - 1)],)


def _occurrences(page: Page, quote: str) -> Iterator[CharSpan]:
    whole, key = fold(page.text), fold(quote).key
    at = whole.key.find(key) if key else -1
    while at >= 0:
        yield whole.raw_span(at, at + len(key))
        at = whole.key.find(key, at + 1)


def _likeness(page: Page, span: CharSpan, boxes: Sequence[Box]) -> float:
    return box_iou(spans_boxes(page, [span]), boxes) or 0.0


def _passage(hit: Hit, read: bool) -> FoundPassage:
    return FoundPassage(
        document=hit.chunk.document, page=hit.chunk.page, retrieved_rank=hit.retrieved_rank,
        reranked_rank=hit.reranked_rank, read=read,
    )  # fmt: skip


def _ids(library: Library, gold: GoldSet, named: set[str]) -> dict[str, str]:
    """Name -> document id, of the documents the cases name."""
    ids = {name: record.id for record in library.documents() for name in record.names}
    ids |= {record.id: record.id for record in library.documents()}
    if missing := sorted(named - ids.keys()):
        raise UsageError(
            f"the set {gold.name} names {len(missing)} documents that are nowhere",
            where=missing[0],
            advice="`index` them first, or put them beside the set's file",
        )
    return {name: ids[name] for name in named}


def _prompts() -> dict[str, str]:
    made = [load_prompt(package, name) for package, names in _PROMPTS for name in names]
    return {prompt.id: prompt.sha256 for prompt in made}
