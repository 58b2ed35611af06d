"""Text to vectors: all-MiniLM-L6-v2, 384 coordinates, at most 256 tokens. The one door to the embedding libraries."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grounded import locations
from grounded.errors import LibraryError
from grounded.retrieval.export import WEIGHTS_SHA256, sha256_file, weights_folder

DIMENSIONS = 384
MAX_TOKENS = 256
BATCH = 8  # faster than 32 on a CPU: less padding

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into unit vectors; the dot product of two is their cosine."""

    digest: str  # names the weights: vectors with the same digest may be compared
    max_tokens: int  # what one text may have, special tokens included; the rest is not read

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows of length 1, in the order given."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """(384,) float32 of length 1."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`, the two special ones included, not cut at max_tokens."""
        ...


def load_embedder(folder: Path | None = None) -> OnnxEmbedder:
    """The embedder, from `folder` (default: `.onnx_cache/onnx/`, see locations). A folder that already holds
    model.onnx and tokenizer.json is used as it is; otherwise the weights are exported into it, once.

    Raises LibraryError when the folder is incomplete or damaged, or the export fails.
    """
    folder = folder or locations.onnx_cache() / "onnx"
    if not (folder / "model.onnx").is_file():
        _export_once(folder)
    return OnnxEmbedder(folder)


class OnnxEmbedder:
    """all-MiniLM-L6-v2 in fp32 on onnxruntime: the vectors of sentence-transformers without torch."""

    max_tokens = MAX_TOKENS

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._folder = folder
        self.digest = _digest(folder)
        self._session = _session(folder / "model.onnx")
        self._inputs = {i.name for i in self._session.get_inputs()}
        # Two tokenizers: cutting and padding are state of the object, and counting must not cut.
        self._cutting, self._counting = (Tokenizer.from_file(str(folder / "tokenizer.json")) for _ in range(2))
        self._cutting.enable_truncation(MAX_TOKENS)
        self._cutting.no_padding()
        self._counting.no_truncation()
        self._counting.no_padding()

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process or machine, it is loaded there, or exported first."""
        return load_embedder, (self._folder,)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows of length 1, in the order given. Batches of 8, sorted by length."""
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        if not texts:
            return vectors
        encodings = self._cutting.encode_batch([text.strip() for text in texts])
        order = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = self._run([encodings[i].ids for i in rows])
        return vectors

    def encode_query(self, text: str) -> Vectors:
        """(384,) float32 of length 1."""
        row: Vectors = self.encode_documents([text])[0]
        return row

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`, the two special ones included, not cut at max_tokens."""
        return len(self._counting.encode(text))

    def _run(self, rows: list[list[int]]) -> Vectors:
        width = max(map(len, rows))
        ids = np.zeros((len(rows), width), np.int64)
        mask = np.zeros_like(ids)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run(None, {k: v for k, v in feed.items() if k in self._inputs})[0]
        return _pooled(output, mask)


class TorchEmbedder:
    """The same model through sentence-transformers: the reference that the export is checked against."""

    max_tokens = MAX_TOKENS
    digest = WEIGHTS_SHA256

    def __init__(self, folder: Path | None = None) -> None:
        from sentence_transformers import SentenceTransformer

        self._model: Any = SentenceTransformer(str(folder or weights_folder()), device="cpu", local_files_only=True)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows of length 1, in the order given."""
        return np.asarray(self._model.encode_document(list(texts), batch_size=BATCH), np.float32)

    def encode_query(self, text: str) -> Vectors:
        """(384,) float32 of length 1."""
        return np.asarray(self._model.encode_query(text), np.float32)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text`, the two special ones included, not cut at max_tokens."""
        return len(self._model.tokenizer(text, truncation=False, verbose=False)["input_ids"])


def text_key(digest: str, text: str) -> str:
    """Name of a text's vector in a cache: sha256 hex over model and text."""
    return hashlib.sha256(f"{digest}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _session(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = locations.threads()
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises several private classes
        raise _unusable(path, "is not a model onnxruntime can load") from error


def _digest(folder: Path) -> str:
    """The published weights' sha256 for our own export, else the drop-in model's own sha256."""
    if not (folder / "tokenizer.json").is_file():
        raise _unusable(folder, "has no tokenizer.json")
    actual = sha256_file(folder / "model.onnx")
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        return actual
    recorded = json.loads(manifest.read_text(encoding="utf-8"))
    if recorded.get("model") != actual:
        raise _unusable(folder, "has a model.onnx that is not the one written there")
    return str(recorded["weights"])


def _pooled(output: NDArray[Any], mask: NDArray[np.int64]) -> Vectors:
    """Unit sentence vectors from a model's output. A drop-in export may give token vectors: mean under the mask."""
    vectors = output
    if output.ndim == 3:
        weights = mask[:, :, None].astype(np.float32)
        vectors = (output * weights).sum(1) / np.maximum(weights.sum(1), 1e-9)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def _export_once(folder: Path) -> None:
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / "export.lock"):
        if (folder / "model.onnx").is_file():
            return
        checkout = Path(__file__).resolve().parents[2]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(checkout), *sys.path[1:]])}
        done = subprocess.run(
            [sys.executable, "-m", "grounded.retrieval.export", str(folder.resolve())],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise _unusable(folder, f"could not be written: {lines[-1]}")


def _unusable(path: Path, what: str) -> LibraryError:
    return LibraryError(
        f"the embedding model {what}",
        where=str(path),
        advice="Delete the folder to have it made again, or put in model.onnx and tokenizer.json of all-MiniLM-L6-v2",
    )
