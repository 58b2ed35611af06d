"""Retrieval alone: the first steps of the pipeline, unrecorded."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.library import Library
from grounded.retrieval.plan import plan
from grounded.retrieval.rerank import rerank
from grounded.retrieval.search import retrieve
from grounded.settings import Settings
from grounded.types import Hit


def find(question: str, *, library: Library, settings: Settings, scope: Sequence[str] = ()) -> list[Hit]:
    """The hits `ask` would read, best first, `top_k` of them. Nothing is logged, no model is called."""
    in_scope = [d for d in library.documents() if not scope or d.id in scope]
    made = plan(question, documents=in_scope)
    found = retrieve(library.index, library.embedder, made, scope=scope, settings=settings.retrieval)
    return rerank(made, found, settings=settings.retrieval).hits[: settings.retrieval.top_k]
