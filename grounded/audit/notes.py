"""Checkpoints as signed notes (C2SP signed-note, tlog-checkpoint, tlog-cosignature). Standard library only, except
where a signature is made or checked (`cryptography`, imported there)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import NamedTuple

from grounded.audit.canonical import Malformed

ED25519 = 1
COSIGNATURE = 4
NOTE_LINES = 5  # origin, size, root, empty, signature
_NAME = re.compile(r"[^\s+]{1,200}\Z")
_SIZE = re.compile(r"(?:0|[1-9][0-9]{0,17})\Z")


class VerifierKey(NamedTuple):
    """A public key with the name it signs under."""

    name: str
    algorithm: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """First four bytes of SHA-256(name, newline, algorithm byte, key)."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes([self.algorithm]) + self.public).digest()[:4]

    def __str__(self) -> str:
        encoded = base64.b64encode(bytes([self.algorithm]) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{encoded}"


class Signature(NamedTuple):
    """One signature line of a note."""

    name: str
    key_id: bytes
    value: bytes


class Checkpoint(NamedTuple):
    """A parsed note: the log's origin, how many entries it covers, their Merkle root, and who signed that."""

    origin: str
    size: int
    root: bytes
    signatures: tuple[Signature, ...]

    @property
    def text(self) -> bytes:
        """The signed text."""
        return checkpoint_text(self.origin, self.size, self.root)


def checkpoint_text(origin: str, size: int, root: bytes) -> bytes:
    """The text of a checkpoint: three lines."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n".encode()


def signature_line(key: VerifierKey, value: bytes) -> bytes:
    """A signature as a note carries it."""
    return f"— {key.name} {base64.b64encode(key.key_id + value).decode()}\n".encode()


def parse_key(text: str) -> VerifierKey:
    """A verifier key `name+hex id+base64`. Raises ValueError on anything else."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    blob = _decode(encoded)
    if not _NAME.match(name) or len(blob) != 33 or blob[0] not in (ED25519, COSIGNATURE):
        raise ValueError("not a verifier key (name+id+base64 of an Ed25519 key)")
    key = VerifierKey(name, blob[0], blob[1:])
    if key.key_id.hex() != key_id:
        raise ValueError("the key's id does not belong to its name and bytes")
    return key


def parse_note(data: bytes) -> Checkpoint:
    """A checkpoint with its signatures. Raises Malformed unless the bytes are exactly what a writer of notes gives."""
    body, blank, tail = data.partition(b"\n\n")
    try:
        lines, marks = body.decode("utf-8").split("\n"), tail.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise Malformed("checkpoint_form", "not UTF-8") from None
    if (
        not blank
        or len(lines) != 3
        or not tail.endswith(b"\n")
        or not _NAME.match(lines[0])
        or not _SIZE.match(lines[1])
    ):
        raise Malformed("checkpoint_form", "not a signed checkpoint (origin, size, root, empty line, signatures)")
    root = _decode(lines[2])
    if len(root) != 32:
        raise Malformed("checkpoint_form", "the root is not 32 bytes of base64")
    return Checkpoint(lines[0], int(lines[1]), root, tuple(map(_parse_signature, marks[:-1])))


def _parse_signature(line: str) -> Signature:
    dash, name, encoded = (*line.split(" "), "", "")[:3]
    blob = _decode(encoded)
    if dash != "—" or not _NAME.match(name) or len(blob) < 5 or line.count(" ") != 2:
        raise Malformed("checkpoint_form", "not a signature line")
    return Signature(name, blob[:4], blob[4:])


def _decode(encoded: str) -> bytes:
    """Strict base64: one spelling only, or no bytes at all (spare bits would let a note be altered unseen)."""
    try:
        blob = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return blob if base64.b64encode(blob).decode() == encoded else b""


def signed_by(text: bytes, signature: Signature, key: VerifierKey) -> bool:
    """Whether `signature` is `key`'s over `text`. A cosignature covers its time too (tlog-cosignature)."""
    if (signature.name, signature.key_id) != (key.name, key.key_id):
        return False
    if key.algorithm == COSIGNATURE:
        if len(signature.value) != 72:
            return False
        return ed25519_valid(key.public, signature.value[8:], cosigned_text(text, cosigned_at(signature)))
    return ed25519_valid(key.public, signature.value, text)


def cosigned_text(text: bytes, seconds: int) -> bytes:
    """What a witness signs: the checkpoint under its time (Unix seconds)."""
    return f"cosignature/v1\ntime {seconds}\n".encode() + text


def cosigned_at(signature: Signature) -> int:
    """Unix seconds inside a cosignature."""
    return int.from_bytes(signature.value[:8], "big")


def ed25519_valid(public: bytes, signature: bytes, message: bytes) -> bool:
    """RFC 8032 verification; False for keys and signatures of the wrong form."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
