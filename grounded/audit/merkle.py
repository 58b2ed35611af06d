"""The Merkle tree of RFC 6962 §2.1 (leaf prefix 00, node prefix 01) and its two proofs. Standard library only."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """Hash of a leaf: 32 bytes."""
    digest = hashlib.sha256(b"\x00")
    digest.update(data)
    return digest.digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node: 32 bytes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Frontier:
    """The right edge of a growing tree: appending a leaf and reading the root cost O(log n), memory O(log n)."""

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        self.size = size
        self._subtrees = list(subtrees)  # perfect subtrees, largest first

    def append(self, leaf: bytes) -> None:
        """Add a leaf hash."""
        node, size = leaf, self.size
        while size & 1:
            node = node_hash(self._subtrees.pop(), node)
            size >>= 1
        self._subtrees.append(node)
        self.size += 1

    def root(self) -> bytes:
        """Root of all leaves so far."""
        if not self._subtrees:
            return EMPTY_ROOT
        node = self._subtrees[-1]
        for left in reversed(self._subtrees[:-1]):
            node = node_hash(left, node)
        return node

    def copy(self) -> Frontier:
        """An independent copy."""
        return Frontier(self.size, self._subtrees)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Root over leaf hashes."""
    frontier = Frontier()
    for leaf in leaves:
        frontier.append(leaf)
    return frontier.root()


def _split(size: int) -> int:
    """The largest power of two below `size` (which is at least 2)."""
    return 1 << ((size - 1).bit_length() - 1)


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """PATH(index, leaves) of RFC 6962 §2.1.1, lowest sibling first."""
    if len(leaves) <= 1:
        return []
    k = _split(len(leaves))
    if index < k:
        return [*inclusion_proof(leaves[:k], index), root_of(leaves[k:])]
    return [*inclusion_proof(leaves[k:], index - k), root_of(leaves[:k])]


def consistency_proof(leaves: Sequence[bytes], old_size: int) -> list[bytes]:
    """PROOF(old_size, leaves) of RFC 6962 §2.1.2; empty for 0 and for the whole tree."""
    if old_size in (0, len(leaves)):
        return []
    return _subproof(leaves, old_size, whole=True)


def _subproof(leaves: Sequence[bytes], old_size: int, *, whole: bool) -> list[bytes]:
    if old_size == len(leaves):
        return [] if whole else [root_of(leaves)]
    k = _split(len(leaves))
    if old_size <= k:
        return [*_subproof(leaves[:k], old_size, whole=whole), root_of(leaves[k:])]
    return [*_subproof(leaves[k:], old_size - k, whole=False), root_of(leaves[:k])]


def inclusion_root(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes | None:
    """The root that `proof` leads to from `leaf` (RFC 9162 §2.1.3.2), or None when it does not fit index and size."""
    if not 0 <= index < size:
        return None
    node, last, position = leaf, size - 1, index
    for sibling in proof:
        if last == 0:
            return None
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    return node if last == 0 else None


def consistent(old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether `proof` shows that the tree of new_size extends the one of old_size (RFC 9162 §2.1.4.2)."""
    if old_size == new_size:
        return old_root == new_root and not proof
    if old_size == 0:
        return not proof
    if old_size > new_size or not proof:
        return False
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    position, last = old_size - 1, new_size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    return _walk(path, position, last) == (old_root, new_root)


def _walk(path: Sequence[bytes], position: int, last: int) -> tuple[bytes, bytes] | None:
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return None
        if position & 1 or position == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        position, last = position >> 1, last >> 1
    return (old, new) if last == 0 else None
