"""The graph, and `ask`, which runs it for one question."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from grounded import __version__, locations
from grounded.audit.langfuse_export import copy_if_asked
from grounded.audit.reader import read_trace
from grounded.audit.writer import shared_log
from grounded.errors import GroundedError, LibraryError, UsageError
from grounded.library import Library
from grounded.pipeline import nodes
from grounded.pipeline.models import Models, models_for
from grounded.pipeline.run import Event, Run, State, Step, Turn
from grounded.settings import Settings
from grounded.types import Answer, DocumentRecord

_LOGGER = logging.getLogger(__name__)
MAX_QUESTION = 8000  # characters; a question, not a document
_LINE = ("plan", "retrieve", "rerank", "context", "generate", "verify")
_SEALED_AS: dict[str, Literal["error", "cancelled"]] = {"failed": "error", "cancelled": "cancelled"}
_NODES: dict[str, Callable[[State, Run], Step]] = {
    "plan": nodes.plan,
    "retrieve": nodes.retrieve,
    "rerank": nodes.rerank,
    "context": nodes.context,
    "generate": nodes.generate,
    "verify": nodes.verify,
    "repair": nodes.repair,
    "judge": nodes.judge,
    "assemble": nodes.assemble,
}


def ask(
    question: str,
    *,
    library: Library,
    settings: Settings,
    scope: Sequence[str] = (),
    history: Sequence[Turn] = (),
    models: Models | None = None,
    judge: bool = False,
    actor: str = "local",
    on_event: Callable[[Event], None] = lambda event: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Answer:
    """Answer a question from the library's documents (`scope`: document ids, empty = all), sealed in the audit log.

    A model that cannot be used gives an Answer with status "failed" that says why; Stop gives "cancelled" with the
    unchecked claims marked. Raises UsageError for an empty question, LibraryError for an empty library or an unknown
    document, AuditError when the log cannot be written (fail-closed: no answer without its trace).
    """
    asked, documents = _usable(question), _in_scope(library, scope)
    chosen = models or models_for(settings)
    log = shared_log(settings.traces, state=locations.state(), settings=settings.audit)
    root = _root(asked, documents, library, settings, chosen, tuple(scope), history, judge, actor)
    with log.open("ask", root, "a question was asked") as trace:
        run = Run(asked, library, settings, tuple(scope), tuple(history), chosen, trace, on_event, cancelled, judge)
        answer = walk(run)["answer"]
        trace.close(_SEALED_AS.get(answer.status, "ok"))
    if failed := copy_if_asked(lambda: read_trace(settings.traces, answer.trace_id, state=locations.state())):
        _LOGGER.warning(failed)
    run.tell("answer", "assemble", answer.status, answer)
    return answer


def warm_up(settings: Settings) -> None:
    """Load what the first question would wait for: the graph's library and the reader's."""
    _graph()
    models_for(settings)


@lru_cache(maxsize=1)
def _graph() -> Any:
    """The compiled LangGraph."""
    from langgraph.graph import END, START, StateGraph

    graph: Any = StateGraph(State)
    for name, node in _NODES.items():
        graph.add_node(name, _recorded(name, node))
    graph.add_edge(START, _LINE[0])
    for before, after in pairwise(_LINE):
        graph.add_edge(before, after)
    graph.add_conditional_edges("verify", _after_verify, ["repair", "judge", "assemble"])
    graph.add_edge("repair", "verify")
    graph.add_edge("judge", "assemble")
    graph.add_edge("assemble", END)
    return graph.compile()


def walk(run: Run) -> State:
    """Run the graph for one question; the final state."""
    final: State = _graph().invoke({"run": run, "rounds": 0}, {"recursion_limit": 50})
    return final


def _recorded(name: str, node: Callable[[State, Run], Step]) -> Callable[[State], State]:
    """A LangGraph node around a plain function: time it, put its span on disk, only then tell the listener."""

    def work(state: State) -> State:
        run = state["run"]
        run.tell("started", name)
        start, clock = datetime.now(UTC), time.perf_counter()
        try:
            step = node(state, run)
        except GroundedError as error:
            failed = {"error": {"type": error.kind, "message": error.message}}
            run.write(name, start, datetime.now(UTC), Step({}, {}, failed, "the step failed"))
            raise
        run.spend((time.perf_counter() - clock) * 1000, name)
        run.write(name, start, datetime.now(UTC), step)
        run.tell("finished", name, step.reasoning, step.update)
        return step.update

    return work


def _after_verify(state: State) -> str:
    run = state["run"]
    if nodes.wants_repair(state, run):
        return "repair"
    return "judge" if nodes.wants_judge(state, run) else "assemble"


def _usable(question: str) -> str:
    asked = question.strip()
    if not asked:
        raise UsageError("the question is empty", advice="Write what you want to know about the documents")
    if len(asked) > MAX_QUESTION:
        raise UsageError(f"the question has {len(asked)} characters", advice=f"Use at most {MAX_QUESTION}")
    return asked


def _in_scope(library: Library, scope: Sequence[str]) -> list[DocumentRecord]:
    records = {record.id: record for record in library.documents()}
    if not records:
        raise LibraryError("the library has no documents", where=library.uri, advice="Add PDFs first")
    if missing := [identity for identity in scope if identity not in records]:
        raise LibraryError(f"document {missing[0][:12]} is not in the library", advice="Choose among those listed")
    return [records[identity] for identity in scope] if scope else list(records.values())


def _root(
    question: str,
    documents: Sequence[DocumentRecord],
    library: Library,
    settings: Settings,
    models: Models,
    scope: tuple[str, ...],
    history: Sequence[Turn],
    judge: bool,
    actor: str,
) -> dict[str, Any]:
    """What the root span records: who asked what, of which documents, under which settings."""
    listed = [{"sha256": d.id, "name": d.name, "pages": d.pages, "extractor": d.extractor} for d in documents]
    return {
        "question": question,
        "actor": actor,
        "documents": listed,
        "scope": list(scope),
        "history": [{"question": turn.question, "answer": turn.answer} for turn in history],
        "judge": judge,
        "index_digest": library.index_digest,
        "embedder_digest": library.embedder.digest,
        "settings": settings.record(),
        "reader": models.reader.name,
        "app_version": __version__,
        "expected_nodes": [*_LINE, "assemble"],
    }
