"""The exported embedder gives the vectors of sentence-transformers, without torch."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grounded import locations
from grounded.errors import LibraryError
from grounded.retrieval.embed import OnnxEmbedder, TorchEmbedder, load_embedder, text_key

TEXTS = [
    "Expense ratio 0.03%",
    "",
    "  spaces around  ",
    "Größe, ﬁnance — naïve “quotes” 日本語",
    "Total net assets " * 200,  # longer than the model reads
    *(f"Line {n}: " + "the quick brown fox jumps over the lazy dog. " * (n % 7) for n in range(20)),
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return load_embedder()


def test_same_vectors_as_sentence_transformers(embedder: OnnxEmbedder) -> None:
    reference = TorchEmbedder()
    vectors = embedder.encode_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, reference.encode_documents(TEXTS), atol=1e-5)
    np.testing.assert_allclose(embedder.encode_query(TEXTS[0]), reference.encode_query(TEXTS[0]), atol=1e-5)
    assert [embedder.count_tokens(t) for t in TEXTS] == [reference.count_tokens(t) for t in TEXTS]
    assert embedder.digest == reference.digest


def test_order_and_neighbours_do_not_change_a_vector(embedder: OnnxEmbedder) -> None:
    together = embedder.encode_documents(TEXTS)
    alone = np.stack([embedder.encode_query(t) for t in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_counting_does_not_cut(embedder: OnnxEmbedder) -> None:
    assert embedder.count_tokens("word " * 1000) == 1002
    assert embedder.max_tokens == 256


def test_no_text_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.encode_documents([]).shape == (0, 384)


def test_loading_and_a_question_import_no_torch() -> None:
    code = (
        "import sys; from grounded.retrieval.embed import load_embedder; load_embedder().encode_query('x');"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    load_embedder()  # the export itself, if it is due, runs in its own process
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_drop_in_is_used_as_it_is(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    source = locations.onnx_cache() / "onnx"
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(source / name, tmp_path / name)
    dropped = load_embedder(tmp_path)
    assert dropped.digest == json.loads((source / "manifest.json").read_text())["model"]
    np.testing.assert_allclose(dropped.encode_query("a"), embedder.encode_query("a"), atol=1e-6)


@pytest.mark.parametrize("damage", ["cut", "no tokenizer", "other model"])
def test_a_damaged_folder_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    load_embedder()
    shutil.copytree(locations.onnx_cache() / "onnx", tmp_path / "onnx")
    model = tmp_path / "onnx" / "model.onnx"
    if damage == "no tokenizer":
        (tmp_path / "onnx" / "tokenizer.json").unlink()
    else:
        model.write_bytes(model.read_bytes()[:1000])
    if damage == "cut":
        (tmp_path / "onnx" / "manifest.json").unlink()
    with pytest.raises(LibraryError, match="embedding model"):
        load_embedder(tmp_path / "onnx")


def test_cache_keys_know_model_and_text() -> None:
    assert len({text_key(m, t) for m in ("a", "b") for t in ("x", "y", "\ud800")}) == 6
