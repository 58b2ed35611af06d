"""What became of one case, and its figures. A figure that does not apply to a case is absent; one that applies but is
not defined there (precision with nothing cited) is None: n/a, and counted as such."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field

from grounded.evaluation import answers, metrics
from grounded.evaluation.cases import GoldCase, Task
from grounded.types import Answer, Box, CharSpan, Citation, Frozen, Status, Verdict, VerifiedClaim

KS = (1, 3, 5, 10, 20)
STAGES = ("retrieved", "reranked", "read")  # in the order found, in the final order, what went to the reader
SIGNALS = ("faithfulness", "context_relevance", "answer_relevance")
FAILED = ("failed", "cancelled")  # status of a question that was not really asked
Figures = dict[str, float | None]
Where = tuple[str, int]  # document id, page; page 0: the document as a whole


class FoundPassage(Frozen):
    """A passage on its way to the reader."""

    document: str
    page: int
    retrieved_rank: int
    reranked_rank: int
    read: bool = Field(description="it went into the context")


class GoldSpot(Frozen):
    """A gold place found in the library: its document's id, and the characters and boxes where they are known."""

    document: str
    name: str = ""
    page: int | None = None
    text: str = ""
    spans: tuple[CharSpan, ...] = ()
    boxes: tuple[Box, ...] = ()


class Outcome(Frozen):
    """One case of a run."""

    id: str
    task: Task
    unit: str = Field(description="the document it counts for")
    kind: str = ""
    asked: str = Field(description="the question or the claim")
    expected: str = Field(description="as a person reads it")
    status: str = Field(description="of the answer, or of the verdict")
    said: bool = Field(description="ask: answered; check: grounded; search: something was found")
    gold: bool = Field(description="ask: answerable; check: supported")
    right: bool | None = Field(default=None, description="None where the gold does not say")
    confidence: float | None = None
    figures: dict[str, float | None] = Field(default_factory=dict)
    signals: dict[str, float | None] = Field(default_factory=dict, description="opinions, never mixed with figures")
    claims: tuple[VerifiedClaim, ...] = ()
    places: tuple[GoldSpot, ...] = ()
    note: str = ""


def of_check(case: GoldCase, verdict: Verdict, citations: tuple[Citation, ...], milliseconds: float) -> Outcome:
    """A claim and its verdict."""
    gold = case.label == "supported"
    right = float(verdict.grounded == gold)
    figures: Figures = {"verdict right": right, "milliseconds a claim": milliseconds}
    figures["true claims grounded" if gold else "false claims refused"] = right
    if case.label == "contradicted":
        figures["contradictions named"] = float(verdict.status == "contradicted")
    return Outcome(
        id=case.id, task="check", unit=case.unit, kind=case.kind or str(case.label), asked=case.claim or "",
        expected=str(case.label), status=verdict.status, said=verdict.grounded, gold=gold, right=bool(right),
        confidence=verdict.confidence, figures=figures,
        claims=(VerifiedClaim(id="c1", text=case.claim or "", citations=citations, verdict=verdict),),
    )  # fmt: skip


def of_search(case: GoldCase, found: Sequence[FoundPassage], spots: Sequence[GoldSpot], milliseconds: float) -> Outcome:
    """A question to retrieval alone. Right when a gold place is among the first ten."""
    figures = retrieval_figures(found, spots) | {"milliseconds a search": milliseconds}
    return Outcome(
        id=case.id, task="search", unit=case.unit, kind=case.kind, asked=case.question or "",
        expected=", ".join(dict.fromkeys(spot.name for spot in spots)), status="found" if found else "nothing found",
        said=bool(found), gold=True, right=bool(figures["recall@10"]), figures=figures, places=tuple(spots),
    )  # fmt: skip


def of_ask(case: GoldCase, answer: Answer, found: Sequence[FoundPassage], spots: Sequence[GoldSpot]) -> Outcome:
    """A question to the whole pipeline. One that failed (the model could not be used) says nothing about quality."""
    if answer.status in FAILED:
        return Outcome(
            id=case.id, task="ask", unit=case.unit, kind=case.kind, asked=case.question or "",
            expected=_expected(case), status=answer.status, said=False, gold=case.answerable,
            note=" ".join(answer.notes),
        )  # fmt: skip
    answered = answer.status == "answered"
    cited = [c for claim in answer.claims for c in claim.citations if c.match != "approximate"]
    figures = _spent(answer)
    figures["abstention right"] = float(answered == case.answerable)
    if not case.answerable:
        figures["silent on unanswerable"] = float(not answered)
    else:
        figures["answered on answerable"] = float(answered)
        figures |= retrieval_figures(found, spots) if spots else {}
        figures |= citation_figures(cited, spots) if spots else {}
        figures |= _answer_figures(case, answer)
    return Outcome(
        id=case.id, task="ask", unit=case.unit, kind=case.kind, asked=case.question or "", expected=_expected(case),
        status=answer.status, said=answered, gold=case.answerable, right=_is_right(case, answered, figures),
        confidence=answer.generation_confidence, figures=figures, signals=_signals(answer),
        claims=answer.claims, places=tuple(spots), note=answer.abstention.reason if answer.abstention else "",
    )  # fmt: skip


def _is_right(case: GoldCase, answered: bool, figures: Mapping[str, float | None]) -> bool | None:
    """An answer is right when it says the gold value (words may stand inside a sentence), or where the gold gives none,
    when it cites a gold place."""
    if not case.answerable:
        return not answered
    if not answered:
        return False
    told = [figures[name] for name in ("exact match", "answer contained") if name in figures]
    cited = figures.get("citation recall")
    return any(told) if told else None if cited is None else cited > 0


def _answer_figures(case: GoldCase, answer: Answer) -> Figures:
    if not case.answers:
        return {}
    matched = answers.exact(answer.claims, case)
    figures: Figures = {"exact match": matched, "token F1": answers.best_f1(answer.claims, case)}
    if answers.is_numeric(case):
        return figures | {"numeric exact match": matched}
    return figures | {"text exact match": matched, "answer contained": answers.held(answer.claims, case)}


def _spent(answer: Answer) -> Figures:
    usage = answer.usage
    spent: Figures = {"milliseconds a question": answer.timings_ms.get("total", sum(answer.timings_ms.values()))}
    if answer.model:
        spent |= {"input tokens": float(usage.input_tokens), "output tokens": float(usage.output_tokens)}
        spent["cost in USD"] = usage.cost_usd
    return spent


def _signals(answer: Answer) -> Figures:
    best = max((hit.retrieval_confidence for hit in answer.hits if hit.in_context), default=None)
    signals: Figures = {
        "generation confidence": answer.generation_confidence,
        "grounded share": answer.grounded_share,
        "retrieval confidence": best,
    }
    judge: Mapping[str, Any] = answer.judge or {}
    return signals | {f"judge: {name.replace('_', ' ')}": judge.get(name) for name in SIGNALS if judge}


def _expected(case: GoldCase) -> str:
    if not case.answerable:
        return "no answer"
    if case.answers:
        joined = (" and " if case.needs == "all" else " or ").join(case.answers)
        return f"{joined} ({case.scale})" if case.scale else joined
    return " … ".join(place.quote or f"page {place.page} of {place.document}" for place in case.places) or "an answer"


# ---------------------------------------------------------------- figures


def retrieval_figures(found: Sequence[FoundPassage], spots: Sequence[GoldSpot]) -> Figures:
    """Recall@k, MRR and nDCG@10 of pages (of documents where the gold names no page) at three stages, and what came
    first. A page ranks with its best passage."""
    by_document = any(spot.page is None for spot in spots)
    relevant = {(spot.document, 0 if by_document else spot.page or 0) for spot in spots}
    figures: Figures = {}
    for stage in STAGES:
        ranked = list(dict.fromkeys((p.document, 0 if by_document else p.page) for p in _at(found, stage)))
        tail = "" if stage == "reranked" else f" ({stage})"
        figures |= {f"recall@{k}{tail}": metrics.recall_at(ranked, relevant, k) for k in KS}
        figures[f"MRR{tail}"] = metrics.reciprocal_rank(ranked, relevant)
        figures[f"nDCG@10{tail}"] = metrics.ndcg_at(ranked, relevant, 10)
    final = _at(found, "reranked")
    documents = {spot.document for spot in spots}
    figures["right document first"] = metrics.hit_at([p.document for p in final], documents, 1)
    if not by_document:
        figures["right page first"] = metrics.hit_at([(p.document, p.page) for p in final], relevant, 1)
    return figures


def _at(found: Sequence[FoundPassage], stage: str) -> list[FoundPassage]:
    if stage == "retrieved":
        return sorted(found, key=lambda p: p.retrieved_rank)
    final = sorted(found, key=lambda p: p.reranked_rank)
    return [p for p in final if p.read] if stage == "read" else final


def citation_figures(cited: Sequence[Citation], spots: Sequence[GoldSpot]) -> Figures:
    """Citations against gold places. A citation is right when it shares a character with a gold place (its page, or
    its document, where the gold says no more)."""
    right = sum(any(_meets(c, spot) for spot in spots) for c in cited)
    figures: Figures = {
        "citation precision": right / len(cited) if cited else None,
        "citation recall": sum(any(_meets(c, spot) for c in cited) for spot in spots) / len(spots),
        "wrong document": sum(c.document not in {s.document for s in spots} for c in cited) / len(cited)
        if cited
        else None,
    }
    pages = {(spot.document, spot.page) for spot in spots}
    if all(spot.page for spot in spots):
        figures["page accuracy"] = sum((c.document, c.page) in pages for c in cited) / len(cited) if cited else None
    if any(spot.spans for spot in spots):
        figures["span F1"] = _span_f1(cited, spots)
    if any(spot.boxes for spot in spots):
        figures["box IoU"] = _box_iou(cited, spots)
    return figures


def _meets(citation: Citation, spot: GoldSpot) -> bool:
    if citation.document != spot.document or (spot.page and citation.page != spot.page):
        return False
    return not spot.spans or any(a < d and c < b for a, b in citation.spans for c, d in spot.spans)


def _span_f1(cited: Sequence[Citation], spots: Sequence[GoldSpot]) -> float | None:
    """F1 over the characters of all pages, those of one page shifted past those of the page before."""
    pages = {
        where: number
        for number, where in enumerate({**dict.fromkeys(map(_where, cited)), **dict.fromkeys(map(_where, spots))})
    }

    def shifted(things: Iterable[Citation | GoldSpot]) -> list[CharSpan]:
        return [(a + (pages[_where(t)] << 32), b + (pages[_where(t)] << 32)) for t in things for a, b in t.spans]

    return metrics.span_f1(shifted(cited), shifted(spots))


def _box_iou(cited: Sequence[Citation], spots: Sequence[GoldSpot]) -> float | None:
    """Area in both over area in either, summed over the pages."""
    mine, theirs = _boxes(cited), _boxes(spots)
    areas = [metrics.box_areas(mine[where], theirs[where]) for where in mine.keys() | theirs.keys()]
    either = sum(area for _, area in areas)
    return sum(both for both, _ in areas) / either if either else None


def _boxes(things: Iterable[Citation | GoldSpot]) -> dict[Where, list[Box]]:
    boxes: dict[Where, list[Box]] = defaultdict(list)
    for thing in things:
        boxes[_where(thing)].extend(thing.boxes)
    return boxes


def _where(thing: Citation | GoldSpot) -> Where:
    return thing.document, thing.page or 0


def status_of(outcome: Outcome) -> Status:
    """The verdict colour a case is shown in: what was right, wrong, or not decided by the gold."""
    return "unverified" if outcome.right is None else "grounded" if outcome.right else "contradicted"
