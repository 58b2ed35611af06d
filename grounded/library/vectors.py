"""Vectors that were computed once, by model and text: re-indexing, resuming and look-alike pages cost no embedding."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grounded.retrieval.embed import DIMENSIONS, Embedder, text_key

Vectors = NDArray[np.float32]
_AT_ONCE = 500  # keys in one look-up; SQLite allows 32,766 parameters


class VectorCache:
    """A file of vectors beside the index. Losing it loses time only."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def encode(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32: from the cache, and from `embedder` for what it lacks."""
        if missing := self.missing(embedder.digest, texts):
            self.keep(embedder.digest, missing, embedder.encode_documents(missing))
        return self.get(embedder.digest, texts)

    def missing(self, model: str, texts: Sequence[str]) -> list[str]:
        """The texts whose vectors by `model` are not known, each once."""
        keys = _keys(model, texts)
        known = self._get(keys)
        return list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.values())

    def keep(self, model: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors (n, 384) that `model` gave to the texts."""
        self._put(dict(zip(_keys(model, texts), vectors, strict=True)))

    def get(self, model: str, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32: the vectors of texts that are all known."""
        keys = _keys(model, texts)
        known = self._get(keys)
        return np.array([known[key] for key in keys], np.float32).reshape(len(keys), DIMENSIONS)

    def _get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        with closing(self._connect()) as connection:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)  # noqa: S608
                found |= {key: np.frombuffer(vector, np.float32) for key, vector in rows}
        return found

    def _put(self, vectors: dict[bytes, Vectors]) -> None:
        with closing(self._connect()) as connection, connection:
            rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=60)
        connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        return connection


def _keys(model: str, texts: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(text_key(model, text)) for text in texts]
