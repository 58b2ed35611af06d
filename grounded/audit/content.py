"""Values kept beside the log behind salted commitments, so that they can be erased while the chain still verifies.

A span carries {"$commit": hex, "bytes": n}; `content/<hex>` holds salt (32 bytes) and content (canonical JSON of the
value), plain, or encrypted when the state folder has a content key. Keys of recorded data that begin with `$` get one
more `$`, so that no recorded text can pass for a commitment. Standard library only, except for encryption.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from grounded.audit import layout
from grounded.audit.canonical import is_hash
from grounded.audit.files import Files, read_regular, write_new

DOMAIN = b"grounded-audit/content/v1\x00"
SALT_BYTES = 32
LARGE = 16 * 1024  # bytes of canonical JSON
COMMIT = "$commit"
_ENCRYPTED = b"GRENC1"
_NONCE_BYTES = 12


@dataclass(frozen=True)
class Erasable:
    """Marks a value that somebody may one day have a right to see erased: it is kept beside the log."""

    value: Any


class Commitment(NamedTuple):
    """What a span says about a value kept beside the log. stored is False when it was never kept."""

    digest: str
    size: int
    stored: bool = True

    def as_json(self) -> dict[str, Any]:
        """Its place in the span."""
        return {COMMIT: self.digest, "bytes": self.size} | ({} if self.stored else {"stored": False})


class ContentKeyNeeded(Exception):
    """The content is encrypted and its key is not here."""


def commitment_of(salt: bytes, content: bytes) -> str:
    """sha256(domain, salt, content), hex."""
    return hashlib.sha256(DOMAIN + salt + content).hexdigest()


def fits(commitment: Commitment, salt: bytes, content: bytes) -> bool:
    """Whether this is the content that was committed to."""
    return len(content) == commitment.size and commitment_of(salt, content) == commitment.digest


def parse_commitment(value: Any) -> Commitment | None:
    """The commitment a JSON object is, or None."""
    if not isinstance(value, dict) or COMMIT not in value or not value.keys() <= {COMMIT, "bytes", "stored"}:
        return None
    digest, size = value[COMMIT], value.get("bytes")
    if not isinstance(digest, str) or not is_hash(digest) or type(size) is not int:
        return None
    return Commitment(digest, size, value.get("stored") is not False)


def commitments(value: Any) -> Iterator[Commitment]:
    """Every commitment anywhere in a span, in no particular order."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            found = parse_commitment(item)
            if found is not None:
                yield found
            else:
                stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


class ContentStore:
    """The content folder of one log."""

    def __init__(self, folder: Path, *, files: Files | None = None, key: bytes | None = None) -> None:
        self.folder = folder / layout.CONTENT
        self._files, self._key = files or Files(), key

    def put(self, content: bytes) -> Commitment:
        """Keep `content`; its bytes are durable on return, its name after `sync`."""
        salt = secrets.token_bytes(SALT_BYTES)
        digest = commitment_of(salt, content)
        self._files.make_folder(self.folder)
        write_new(self._files, self.folder / digest, self._seal(salt + content, digest))
        return Commitment(digest, len(content))

    def sync(self) -> None:
        """Make the names of everything put durable."""
        self._files.sync_folder(self.folder)

    def get(self, digest: str) -> tuple[bytes, bytes] | None:
        """(salt, content), or None when it is not there. Raises ContentKeyNeeded; OSError when it cannot be read;
        ValueError when it does not decrypt."""
        try:
            blob = read_regular(self.folder / digest)
        except FileNotFoundError:
            return None
        blob = self._unseal(blob, digest)
        return blob[:SALT_BYTES], blob[SALT_BYTES:]

    def remove(self, digest: str) -> None:
        """Erase the content, salt included: what is left in the log cannot be guessed back."""
        path = self.folder / digest
        if path.is_file():
            self._files.unlink(path)
            self._files.sync_folder(self.folder)

    def _seal(self, blob: bytes, digest: str) -> bytes:
        if self._key is None:
            return blob
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = secrets.token_bytes(_NONCE_BYTES)
        return _ENCRYPTED + nonce + AESGCM(self._key).encrypt(nonce, blob, digest.encode())

    def _unseal(self, blob: bytes, digest: str) -> bytes:
        if not blob.startswith(_ENCRYPTED) or commitment_of(blob[:SALT_BYTES], blob[SALT_BYTES:]) == digest:
            return blob
        if self._key is None:
            raise ContentKeyNeeded(digest)
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        start = len(_ENCRYPTED)
        nonce, sealed = blob[start : start + _NONCE_BYTES], blob[start + _NONCE_BYTES :]
        try:
            return AESGCM(self._key).decrypt(nonce, sealed, digest.encode())
        except (InvalidTag, ValueError):
            raise ValueError("the encrypted content does not open") from None


def restore(value: Any, store: ContentStore) -> Any:
    """`value` with every commitment replaced by its content and `$$` keys by `$` keys. What is erased or not to be
    read stays a commitment."""
    found = parse_commitment(value)
    if found is not None:
        kept = _kept(found, store)
        return value if kept is None else restore(kept[0], store)
    if isinstance(value, dict):
        return {key[1:] if key.startswith("$$") else key: restore(item, store) for key, item in value.items()}
    return [restore(item, store) for item in value] if isinstance(value, list) else value


def _kept(commitment: Commitment, store: ContentStore) -> tuple[Any] | None:
    try:
        found = store.get(commitment.digest)
        return None if found is None else (json.loads(found[1]),)
    except (OSError, ValueError, ContentKeyNeeded):
        return None
