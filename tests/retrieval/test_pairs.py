from pathlib import Path

import numpy as np
import pytest

from grounded.errors import LibraryError
from grounded.retrieval.pairs import MAX_TOKENS, PairEncoder, load_pairs


def test_pieces_are_the_passages_own_words() -> None:
    passage = "The bridge was opened in 1932."
    question = "When was it opened?"
    offsets, read = load_pairs().read(question, passage)
    assert [passage[a:b] for a, b in offsets] == ["The", "bridge", "was", "opened", "in", "1932", "."]
    assert read.shape == (7, 384 + 9 * 48)
    assert np.array_equal(read[:, :384], load_pairs().states(question, passage)[1][:-1])  # less the closing mark
    assert (read[:, 384:] <= np.log(1.001)).all()  # attention sums to one


@pytest.mark.parametrize(("question", "passage"), [("問" * 500, "答" * 900), ("", ""), ("?", "   ")])
def test_whatever_is_asked_is_read_or_cut(question: str, passage: str) -> None:
    offsets, states = load_pairs().read(question, passage)
    assert len(offsets) == len(states) < MAX_TOKENS


def test_the_states_of_a_claim_and_its_passage() -> None:
    claim, passage = load_pairs().states("It was opened.", "The bridge was opened in 1932.")
    assert claim.shape == (6, 384)  # the pair's own, four pieces, the closing mark
    assert passage.shape == (8, 384)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(
            (claim, passage), load_pairs().states("It was opened.", "The bridge was opened in 1932."), strict=True
        )
    )
    long = load_pairs().states("問" * 900, "答" * 900)
    assert sum(map(len, long)) == MAX_TOKENS


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.onnx"
    file.write_bytes(b"not a model")
    with pytest.raises(LibraryError, match="pair encoder"):
        PairEncoder(file).read("a", "b")
