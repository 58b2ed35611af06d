"""Signing keys and what the state folder remembers about logs. The private part stays there, mode 0600."""

from __future__ import annotations

import base64
import json
import os
import secrets
from pathlib import Path
from typing import NamedTuple

from grounded.audit import layout
from grounded.audit.notes import COSIGNATURE, ED25519, VerifierKey, checkpoint_text, parse_key, signature_line
from grounded.errors import AuditError

_PREFIX = "PRIVATE+KEY"


class Signer:
    """An Ed25519 key under a name."""

    def __init__(self, name: str, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self._seed = seed
        self.key = VerifierKey(name, ED25519, self._private.public_key().public_bytes_raw())

    @classmethod
    def new(cls, name: str) -> Signer:
        """A fresh key."""
        return cls(name, secrets.token_bytes(32))

    def sign(self, message: bytes) -> bytes:
        """64 bytes."""
        return self._private.sign(message)

    def note(self, size: int, root: bytes) -> bytes:
        """A signed checkpoint of the log this key is named after."""
        text = checkpoint_text(self.key.name, size, root)
        return text + b"\n" + signature_line(self.key, self.sign(text))

    def export(self) -> str:
        """The private key as one line, Go note style."""
        encoded = base64.b64encode(bytes([ED25519]) + self._seed).decode()
        return f"{_PREFIX}+{self.key.name}+{self.key.key_id.hex()}+{encoded}\n"


def new_origin() -> str:
    """A name no other log has."""
    return f"grounded.local/log/{secrets.token_hex(8)}"


def write_private(path: Path, text: str) -> None:
    """A file only its owner can read, complete or not there at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load_signer(path: Path) -> Signer:
    """The private key in `path`. Raises AuditError when it is not there or not one."""
    try:
        name, _, encoded = path.read_text("utf-8").strip().removeprefix(f"{_PREFIX}+").split("+", 2)
        seed = base64.b64decode(encoded, validate=True)
        if len(seed) != 33 or seed[0] != ED25519:
            raise ValueError("not an Ed25519 key")
        return Signer(name, seed[1:])
    except FileNotFoundError:
        raise AuditError(
            "the log's signing key is not there",
            where=str(path),
            advice="Restore it from a backup, or move the traces folder aside so that a new log begins.",
        ) from None
    except (OSError, ValueError) as error:
        raise AuditError(f"the signing key cannot be used ({error})", where=str(path)) from None


def remember_key(state: Path, key: VerifierKey) -> None:
    """Add a public key to those known for its log."""
    _remember(layout.known_keys_path(state, key.name), key)


def remember_witness(state: Path, key: VerifierKey) -> None:
    """Trust a witness."""
    if key.algorithm != COSIGNATURE:
        raise AuditError("not a witness's key", where=key.name)
    _remember(layout.witnesses_path(state), key)


def _remember(path: Path, key: VerifierKey) -> None:
    known = [str(old) for old in known_keys(path)]
    if str(key) not in known:
        write_private(path, "".join(f"{line}\n" for line in [*known, str(key)]))


def known_keys(path: Path) -> tuple[VerifierKey, ...]:
    """The keys in a .vkey file, oldest first; none when there is no file."""
    if not path.is_file():
        return ()
    lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    return tuple(map(parse_key, lines))


class Trust(NamedTuple):
    """Keys that came from outside the log: of logs (by origin, oldest first), of witnesses, and the root certificates
    (PEM files) of time-stamping authorities."""

    logs: dict[str, tuple[VerifierKey, ...]]
    witnesses: tuple[VerifierKey, ...] = ()
    authorities: tuple[Path, ...] = ()


def load_trust(state: Path, key: str | None = None) -> Trust:
    """The keys to judge by: `key` alone when given (a .vkey file or the key itself), else all that `state` knows."""
    witnesses = known_keys(layout.witnesses_path(state))
    authorities = tuple(sorted(layout.authorities_path(state).glob("*.pem")))
    if key is not None:
        return Trust(_by_origin(_given(key)), witnesses, authorities)
    found = [known for path in sorted((state / "keys").glob("*.vkey")) for known in known_keys(path)]
    return Trust(_by_origin(found), witnesses, authorities)


def _given(key: str) -> list[VerifierKey]:
    try:
        return list(known_keys(Path(key))) or [parse_key(key)]
    except (ValueError, OSError) as error:
        raise AuditError(f"not a verifier key or a file of keys: {error}", where=key[:80]) from None


def _by_origin(keys: list[VerifierKey]) -> dict[str, tuple[VerifierKey, ...]]:
    logs: dict[str, tuple[VerifierKey, ...]] = {}
    for key in keys:
        logs[key.name] = (*logs.get(key.name, ()), key)
    return logs


def remember_folder(state: Path, folder: Path, origin: str) -> None:
    """Note which log lies in `folder`, so that its disappearance shows."""
    if remembered_origin(state, folder) != origin:
        write_private(layout.folder_path(state, folder), json.dumps({"folder": str(folder), "origin": origin}))


def remembered_origin(state: Path, folder: Path) -> str | None:
    """The log last seen in `folder`, or None."""
    try:
        origin = json.loads(layout.folder_path(state, folder).read_text("utf-8"))["origin"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return origin if isinstance(origin, str) else None


def load_content_key(state: Path) -> bytes | None:
    """The key stored content is encrypted with, or None."""
    path = state / "keys" / "content.secret"
    return base64.b64decode(path.read_text("ascii").strip(), validate=True) if path.is_file() else None


def new_content_key(state: Path) -> bytes:
    """A fresh content key (AES-256), kept in the state folder."""
    key = secrets.token_bytes(32)
    write_private(state / "keys" / "content.secret", base64.b64encode(key).decode() + "\n")
    return key
