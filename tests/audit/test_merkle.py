"""The tree against its recursive definition, and the proofs against every wrong one."""

from __future__ import annotations

import hashlib

import pytest

from grounded.audit.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    consistent,
    inclusion_proof,
    inclusion_root,
    leaf_hash,
    root_of,
)
from grounded.audit.receipt_verify import root_of as receipt_root
from grounded.audit.reference import merkle_root

DATA = [str(i).encode() for i in range(40)]
LEAVES = [leaf_hash(data) for data in DATA]


def test_known_roots() -> None:
    """RFC 6962's own examples: the empty tree, and Certificate Transparency's test leaves."""
    assert hashlib.sha256(b"").digest() == EMPTY_ROOT
    inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    leaves = [leaf_hash(bytes.fromhex(text)) for text in inputs]
    assert root_of(leaves).hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


@pytest.mark.parametrize("size", range(1, 41))
def test_the_frontier_gives_the_recursive_root(size: int) -> None:
    frontier = Frontier()
    for leaf in LEAVES[:size]:
        frontier.append(leaf)
    assert frontier.root() == frontier.copy().root() == root_of(LEAVES[:size]) == merkle_root(DATA[:size])


@pytest.mark.parametrize("size", [*range(1, 18), 40])
def test_inclusion_is_proven_for_the_right_leaf_only(size: int) -> None:
    root = root_of(LEAVES[:size])
    for index in range(size):
        proof = inclusion_proof(LEAVES[:size], index)
        assert inclusion_root(index, size, LEAVES[index], proof) == root
        assert receipt_root(DATA[index], index, size, [node.hex() for node in proof]) == root
        assert (
            inclusion_root(index, size, LEAVES[index] if size == 1 else LEAVES[index - 1], proof) != root or size == 1
        )
        for wrong in range(size):
            assert wrong == index or inclusion_root(wrong, size, LEAVES[index], proof) != root
        assert inclusion_root(index, size, LEAVES[index], [*proof, LEAVES[0]]) is None
        assert not proof or inclusion_root(index, size, LEAVES[index], proof[:-1]) != root
        for bad in (size, -1):
            assert inclusion_root(bad, size, LEAVES[index], proof) is None


@pytest.mark.parametrize("new", range(1, 24))
def test_consistency_is_proven_for_true_extensions_only(new: int) -> None:
    new_root = root_of(LEAVES[:new])
    forked = root_of([LEAVES[-1], *LEAVES[1:new]])
    for old in range(new + 1):
        old_root, proof = root_of(LEAVES[:old]), consistency_proof(LEAVES[:new], old)
        assert consistent(old, new, old_root, new_root, proof)
        if 0 < old < new:
            assert not consistent(old, new, old_root, forked, proof)
            assert not consistent(old, new, LEAVES[0][::-1], new_root, proof)
            assert not consistent(old, new, old_root, new_root, [])
            assert not consistent(old, new, old_root, new_root, [*proof, LEAVES[0]])
            assert not consistent(old, new, old_root, new_root, proof[:-1])
    assert not consistent(new, new, LEAVES[0][::-1], new_root, [])
    assert not consistent(new + 1, new, new_root, new_root, [])
