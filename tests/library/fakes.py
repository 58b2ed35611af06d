"""A fake embedder with the shape of the real one, and a process that indexes with it.

`python -m tests.library.fakes LIBRARY PATH…` indexes the PDFs and prints one line when it starts to write.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grounded.documents import read
from grounded.library import Library
from grounded.library.preparing import Cancel, Item, Outcome, prepare, with_vectors
from grounded.library.results import PageProgress
from grounded.retrieval.words import content_stems
from grounded.settings import DocumentSettings


class WordEmbedder:
    """Each stem is a direction: texts that share words are near. Counts what it was asked to embed."""

    max_tokens = 256

    def __init__(self, digest: str = "fake") -> None:
        self.digest = digest
        self.embedded = 0

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += len(texts)
        return np.stack([self.encode_query(text) for text in texts]) if texts else np.empty((0, 384), np.float32)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector = np.full(384, 1e-3, np.float32)
        for stem in content_stems(text):
            vector[int.from_bytes(hashlib.sha256(stem.encode()).digest()[:4]) % 384] += 1
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split()) * 4 // 3 + 2


class HereEngine:
    """Reads and embeds in this process: no worker processes to start."""

    def run(self, items: Iterable[Item], *, cancelled: Cancel, progress: PageProgress) -> Iterator[tuple[int, Outcome]]:
        embedder, settings = WordEmbedder(), DocumentSettings(ocr="off")
        for number, (name, path, password) in enumerate(items):
            prepared = prepare(
                read(path.read_bytes(), name, password=password, settings=settings), DocumentSettings(), embedder
            )
            yield number, with_vectors(prepared, [embedder.encode_documents(prepared.entry.searched)])


if __name__ == "__main__":
    library = Library(sys.argv[1], embedder=WordEmbedder())
    print("ready", flush=True)
    library.add([Path(path) for path in sys.argv[2:]])
    print("done", flush=True)
