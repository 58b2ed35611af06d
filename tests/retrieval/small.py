"""A small index of invented pages, embedded for real."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from grounded.documents import chunk
from grounded.retrieval.embed import load_embedder
from grounded.retrieval.index import Entry, Index, chunk_digest, new_build
from grounded.types import Coverage, Document, DocumentRecord, Page


def committed(index: Index, name: str, texts: list[str]) -> str:
    """Add a document of these pages; its id."""
    pages = tuple(
        Page(n, str(n), 612, 792, 0, text, np.zeros((len(text), 4), np.float32)) for n, text in enumerate(texts, 1)
    )
    key = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
    embedder = load_embedder()
    made = chunk(
        Document(id=key, name=name, pages=pages, extractor="t"),
        count_tokens=embedder.count_tokens,
        max_tokens=embedder.max_tokens,
    )
    searched = [f"{c.context}\n{c.text}" for c in made]
    record = DocumentRecord(
        id=key, names=(name,), pages=len(pages), readable_pages=len(pages), chunks=len(made), extractor="t",
        chunker="t", embedder=embedder.digest, added=name, coverage=Coverage(pages=len(pages)), build=new_build(),
        digest=chunk_digest(made),
    )  # fmt: skip
    index.commit([Entry(record, made, embedder.encode_documents(searched), searched)])
    return key
