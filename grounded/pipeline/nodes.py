"""The nodes: each calls one room and says what it got, why, and what an auditor needs to recompute it."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from grounded.errors import Cancelled, ModelError
from grounded.generation.context import assemble as assemble_context
from grounded.generation.context import strategy_of
from grounded.generation.followup import rewrite_followup
from grounded.generation.planning import plan_by_model
from grounded.generation.reader import Reading, not_mentioned
from grounded.generation.repair import repair as repair_claims
from grounded.pipeline.run import Run, State, Step
from grounded.retrieval.glossary import load_glossary
from grounded.retrieval.named import with_unmentioned
from grounded.retrieval.neighbours import with_neighbours
from grounded.retrieval.plan import plan as plan_by_rules
from grounded.retrieval.rerank import rerank as rerank_hits
from grounded.retrieval.search import retrieve as retrieve_hits
from grounded.types import Abstention, Answer, Claim, Hit, HitRecord, Usage, Verdict, VerifiedClaim
from grounded.verification.answer import answer_text, generation_confidence, grounded_share
from grounded.verification.conflicts import find_conflicts
from grounded.verification.disputes import disputes
from grounded.verification.verify import verify as verify_claims

EACH = 4  # passages for each part of a question, at least
RUNNERS_UP = 12  # hits below the cut that an answer still lists: missed by recall, or ranked wrongly?


def plan(state: State, run: Run) -> Step:
    """What is searched, of which documents: by rules, or by Claude when it reads and there is something to plan."""
    in_scope = [d for d in run.library.documents() if not run.scope or d.id in run.scope]
    asked, reports = _standing_alone(run)
    history = [] if asked != run.question else [turn.question for turn in run.history]
    made = plan_by_rules(asked, history=history, documents=in_scope)
    if run.models.client and made.kind != "single":
        planned = plan_by_model(
            run.models.client, made, {d.id: d.title or d.name for d in in_scope}, cancelled=run.cancelled
        )
        made, reports["plan"] = planned.plan, planned.report
        run.notes.extend(planned.notes)
    index, embedder, glossary = run.library.index, run.library.embedder, load_glossary(run.settings.retrieval.glossary)
    made = with_unmentioned(made, index, embedder, scope=run.scope, glossary=glossary)
    return Step(
        {"plan": made},
        {"question": run.question, "history": [turn.question for turn in run.history], "scope": list(run.scope)},
        {"plan": made.model_dump(mode="json"), "read_as": asked, "calls": reports},
        made.reason,
    )


def retrieve(state: State, run: Run) -> Step:
    """The candidates, fused from vectors and words."""
    settings = run.settings.retrieval
    hits = retrieve_hits(run.library.index, run.library.embedder, state["plan"], scope=run.scope, settings=settings)
    return Step(
        {"hits": hits},
        {
            "plan": state["plan"].model_dump(mode="json"),
            "scope": list(run.scope),
            "settings": settings.model_dump(mode="json"),
        },
        {"hits": [hit_fields(hit) for hit in hits]},
        f"{len(hits)} passages by vectors and words; retrieval_confidence = 0.7 * cosine + 0.3 * section_match",
    )


def rerank(state: State, run: Run) -> Step:
    """The candidates in final order."""
    settings = run.settings.retrieval
    done = rerank_hits(state["plan"], state["hits"], settings=settings)
    if done.note:
        run.notes.append(done.note)
    moved = sum(hit.retrieved_rank != hit.reranked_rank for hit in done.hits)
    return Step(
        {"hits": done.hits},
        {"reranker": settings.reranker, "chunks": [hit.chunk.id for hit in state["hits"]]},
        {"hits": [hit_fields(hit) for hit in done.hits], "by": done.by, "note": done.note},
        f"{moved} of {len(done.hits)} passages moved by {done.by}"
        if done.by
        else done.note or "no reranker: order kept",
    )


def context(state: State, run: Run) -> Step:
    """The numbered sources that go to the reader."""
    settings = run.settings
    top_k = max(settings.retrieval.top_k, EACH * len(state["plan"].subquestions))
    chosen = with_neighbours(state["hits"], top_k, settings.retrieval.neighbours)
    made = assemble_context(
        chosen,
        budget_tokens=settings.generation.budget_tokens,
        count_tokens=run.library.embedder.count_tokens,
        include_citations=settings.generation.include_citations,
        pages=run.library,
        strategy=strategy_of(settings.generation.misfits),
    )
    sources = [
        {"source_id": s.id, "chunk_id": s.hit.chunk.id, "tokens": s.tokens, "truncated": s.truncated}
        for s in made.sources
    ]
    trimmed = [t.model_dump(mode="json") for t in made.trimmed]
    return Step(
        {"context": made},
        {
            "chunks": [hit.chunk.id for hit in chosen],
            "budget_tokens": made.budget_tokens,
        },
        {"sources": sources, "trimmed": trimmed, "tokens": made.tokens, "counter": made.counter, "text": made.text},
        f"{len(sources)} sources within {made.budget_tokens} tokens, {len(trimmed)} left out",
    )


def generate(state: State, run: Run) -> Step:
    """The reader's claims: hearsay until verified."""
    if run.cancelled():
        reading = Reading(stop="cancelled", notes=("Stopped before reading",))
    elif not state["context"].sources:
        reading = Reading(abstained="nothing in the documents comes near this question")
    else:
        reading = _read(state, run)
    unmentioned = [name for step in state["plan"].subquestions for name in step.unmentioned]
    run.notes.extend([*reading.notes, *([not_mentioned(unmentioned)] if unmentioned and reading.claims else [])])
    said = [claim.model_dump(mode="json") for claim in reading.claims]
    return Step(
        {"reading": reading},
        {"reader": run.models.reader.name, "sources": [s.id for s in state["context"].sources]},
        {"claims": said, "abstained": reading.abstained, "stop": reading.stop, "model": reading.model,
         "usage": reading.usage.model_dump(mode="json"), **reading.report},
        reading.abstained or f"{len(said)} claims",
    )  # fmt: skip


def verify(state: State, run: Run) -> Step:
    """Evidence and verdict for every claim. After Stop nothing is spent: the claims stay unverified and say so."""
    reading = state["reading"]
    if reading.stop == "cancelled" or run.cancelled():
        verified = [_unchecked(claim, "stopped before it was checked") for claim in reading.claims]
    else:
        verified = _verify(state, run)
        run.notes.extend(run.models.entailment_notes)
    model = run.models.entailment.model if run.models.entailment else None
    return Step(
        {"verified": verified},
        {"claims": [c.id for c in reading.claims], "round": state["rounds"], "model": model},
        {"claims": [c.model_dump(mode="json") for c in verified], "calls": _taken(run.models.entailment_reports)},
        f"{sum(c.verdict.grounded for c in verified)} of {len(verified)} claims grounded",
    )


def wants_repair(state: State, run: Run) -> bool:
    """Whether failed claims get another round: only with a model, only when its reply was complete."""
    allowed = state["rounds"] < run.settings.verification.repair_rounds and state["reading"].stop == "complete"
    failed = any(not claim.verdict.grounded for claim in state["verified"])
    return allowed and failed and run.models.client is not None and not run.cancelled()


def repair(state: State, run: Run) -> Step:
    """One round for the claims that failed: fix the quote, fix the claim, or drop it."""
    reading, client = state["reading"], run.models.client
    failures = {claim.id: claim.verdict.reason for claim in state["verified"] if not claim.verdict.grounded}
    assert client is not None  # wants_repair
    mended = repair_claims(client, state["plan"], state["context"], reading.claims, failures, cancelled=run.cancelled)
    run.notes.extend(mended.notes)
    fixed = {claim.id: claim for claim in mended.claims}
    kept = tuple(fixed.get(c.id, c) for c in reading.claims if c.id not in mended.dropped)
    return Step(
        {"reading": reading.model_copy(update={"claims": kept}), "rounds": state["rounds"] + 1},
        {"failed": failures},
        {
            "claims": [c.model_dump(mode="json") for c in mended.claims],
            "dropped": list(mended.dropped),
            **mended.report,
        },
        f"of {len(failures)} failed claims {len(fixed)} rewritten, {len(mended.dropped)} withdrawn",
    )


def judge(state: State, run: Run) -> Step:
    """A model's opinion of the whole answer: a signal, never a proof."""
    assert run.models.judge is not None  # wants_judge
    claims = [claim.text for claim in state["verified"]]
    opinion = run.models.judge.judge(run.question, claims, state["context"], cancelled=run.cancelled)
    return Step(
        {"judgement": opinion.record()},
        {"claims": claims},
        {"judge": opinion.record(), **opinion.report},
        opinion.error or "signals by a model, not evidence",
    )


def wants_judge(state: State, run: Run) -> bool:
    """Whether the answer is scored: when asked for, possible, and there is something to score."""
    return run.judge and run.models.judge is not None and bool(state["verified"]) and not run.cancelled()


def assemble(state: State, run: Run) -> Step:
    """The answer as shown."""
    answer = _answer(state, run)
    return Step(
        {"answer": answer},
        {"claims": [claim.id for claim in answer.claims]},
        {"answer": answer.model_dump(mode="json"), "judge": answer.judge or "not run"},
        f"{answer.status}: grounded {sum(c.verdict.grounded for c in answer.claims)} of {len(answer.claims)}",
    )


def hit_fields(hit: Hit) -> dict[str, Any]:
    """What a span records of a hit."""
    chunk, scores = hit.chunk, hit.model_dump(mode="json", exclude={"chunk"})
    return {
        "chunk_id": chunk.id,
        "document": chunk.document,
        "page": chunk.page,
        "span": list(chunk.span),
        "chunk_sha256": sha256(chunk.text.encode("utf-8", "surrogatepass")).hexdigest(),
        **scores,
    }


def _standing_alone(run: Run) -> tuple[str, dict[str, Any]]:
    """The question as it is searched, and the record of the call that rewrote it, if any."""
    if not run.history or run.models.client is None:
        return run.question, {}
    history = [(turn.question, turn.answer) for turn in run.history]
    written = rewrite_followup(run.models.client, run.question, history, cancelled=run.cancelled)
    run.notes.extend(written.notes)
    return written.question, {"rewrite": written.report}


def _taken(reports: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The reports so far, in an order that does not hang on which call came back first; the next round has none."""
    taken, reports[:] = sorted(reports, key=lambda report: str(report.get("request_sha256"))), []
    return taken


def _read(state: State, run: Run) -> Reading:
    try:
        return run.models.reader.read(
            state["plan"],
            state["context"],
            run.library,
            on_claim=lambda claim: run.tell("claim", "generate", claim.text, claim),
            cancelled=run.cancelled,
        )
    except Cancelled:
        return Reading(stop="cancelled")
    except ModelError as error:
        return Reading(stop="partial", notes=(error.message,), report={"failed": error.kind, **error.report})


def _verify(state: State, run: Run) -> list[VerifiedClaim]:
    done = verify_claims(
        state["reading"].claims,
        state["context"],
        run.library,
        entailment=run.models.entailment,
        pairs=run.models.pairs,
        cancelled=run.cancelled,
    )
    return list(done)


def _unchecked(claim: Claim, why: str) -> VerifiedClaim:
    verdict = Verdict(grounded=False, status="unverified", confidence=0.0, reason=why)
    return VerifiedClaim(id=claim.id, text=claim.text, verdict=verdict)


def _answer(state: State, run: Run) -> Answer:
    reading, claims = state["reading"], tuple(state["verified"])
    status = _status(state)
    return Answer(
        trace_id=run.trace.trace_id,
        question=run.question,
        status=status,
        reader=run.models.reader.name,
        model=reading.model,
        answer=answer_text(claims),
        claims=claims,
        generation_confidence=generation_confidence(claims),
        grounded_share=grounded_share(claims),
        hits=tuple(_records(state)),
        abstention=_abstention(state, run) if status == "abstained" else None,
        conflicts=find_conflicts(claims) or disputes(claims, state["context"], run.library),
        notes=tuple(dict.fromkeys(run.notes)),
        usage=run.models.client.usage if run.models.client else Usage(),
        judge=state.get("judgement"),
        timings_ms=run.timings | {"total": run.elapsed_ms},
    )


def _status(state: State) -> Any:
    reading = state["reading"]
    if reading.stop == "cancelled":
        return "cancelled"
    if state["verified"]:
        return "answered"
    return "failed" if "failed" in reading.report else "abstained"


def _records(state: State) -> list[HitRecord]:
    sources = {s.hit.chunk.id: s.id for s in state["context"].sources}
    trimmed = {t.chunk_id: t.reason for t in state["context"].trimmed}
    records = []
    for place, hit in enumerate(state["hits"]):
        source_id = sources.get(hit.chunk.id)
        if place >= len(sources) + len(trimmed) + RUNNERS_UP and source_id is None:
            continue
        reason = None if source_id else trimmed.get(hit.chunk.id, "ranked below the passages that were kept")
        records.append(HitRecord.of(hit, source_id, reason))
    return records


def _abstention(state: State, run: Run) -> Abstention:
    searched = [d for d in run.library.documents() if not run.scope or d.id in run.scope]
    return Abstention(
        reason=state["reading"].abstained or "the reader made no claim",
        searched=tuple(d.name for d in searched),
        nearest=tuple(_records(state)[:3]),
        unread_pages={d.name: tuple(sorted(d.coverage.unread)) for d in searched if d.coverage.unread},
    )
