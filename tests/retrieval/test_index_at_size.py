"""Indexes come and grow on their own: the thresholds are lowered, so that a small table passes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.scale_chunks import PER_DOCUMENT, Seeds, entry
from grounded.retrieval import index as module
from grounded.retrieval.index import Index


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    monkeypatch.setattr(module, "VECTOR_INDEX_ROWS", 500)
    monkeypatch.setattr(module, "REFRESH_ROWS", 250)
    monkeypatch.setattr(module, "PARTITION_ROWS", 100)
    return Index(tmp_path)


@pytest.fixture(scope="module")
def real() -> Seeds:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(40, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    near = np.argsort(-(vectors @ vectors.T), axis=1)[:, :12]
    words = [[f"word{n}" for n in rng.integers(500, size=60)] for _ in vectors]
    return Seeds(words, [f"Section {n}" for n in range(40)], vectors, near)


def vector_indexes(index: Index) -> list[str]:
    return [found.name for found in index._chunks.list_indices() if "vector" in found.columns]


def test_indexes_are_made_refreshed_and_made_anew(index: Index, real: Seeds) -> None:
    made: list[str] = []
    for number in range(0, 16, 2):
        index.commit([entry(real, number), entry(real, number + 1)])
        assert len(vector_indexes(index)) <= 1
        made += vector_indexes(index)
    assert list(dict.fromkeys(made)) == ["vector_8", "vector_16"]
    assert index.count() == 16 * PER_DOCUMENT


def test_an_indexed_table_finds_what_an_exact_search_finds(index: Index, real: Seeds) -> None:
    index.commit([entry(real, number) for number in range(8)])
    newest = entry(real, 99)
    index.commit([newest])  # not in the index yet
    for vector in (newest.vectors[0], entry(real, 3).vectors[7]):
        exact = index.bare_search(vector, 20, exact=True)["id"].to_pylist()
        assert set(index.bare_search(vector, 20)["id"].to_pylist()) == set(exact)
    assert index.nearest(newest.vectors[0], 1)[0].chunk.document == newest.record.id
    other = entry(real, 3).record.id
    assert {found.chunk.document for found in index.nearest(newest.vectors[0], 20, [other])} == {other}


def test_what_a_killed_writer_left_is_swept(index: Index, real: Seeds) -> None:
    index.commit([entry(real, 0)])
    index._chunks.add(module._chunk_rows([entry(real, 1)]))  # killed before its document's row
    found = index.nearest(entry(real, 1).vectors[0], 2 * PER_DOCUMENT)
    assert {row.chunk.document for row in found} == {entry(real, 0).record.id}
    index.commit([entry(real, 2)])
    assert index.count() == 2 * PER_DOCUMENT
