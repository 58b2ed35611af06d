from pathlib import Path

import pytest

from grounded.errors import LibraryError
from grounded.retrieval.pairs import MAX_TOKENS, PairEncoder, load_pairs


def test_pieces_are_the_passages_own_words() -> None:
    passage = "The bridge was opened in 1932."
    offsets, states = load_pairs().read("When was it opened?", passage)
    assert [passage[a:b] for a, b in offsets] == ["The", "bridge", "was", "opened", "in", "1932", "."]
    assert states.shape == (7, 384)


@pytest.mark.parametrize(("question", "passage"), [("問" * 500, "答" * 900), ("", ""), ("?", "   ")])
def test_whatever_is_asked_is_read_or_cut(question: str, passage: str) -> None:
    offsets, states = load_pairs().read(question, passage)
    assert len(offsets) == len(states) < MAX_TOKENS


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.onnx"
    file.write_bytes(b"not a model")
    with pytest.raises(LibraryError, match="pair encoder"):
        PairEncoder(file).read("a", "b")
