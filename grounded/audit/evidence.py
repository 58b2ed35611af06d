"""Checking evidence from outside about a checkpoint: a third party's time (RFC 3161), a witness's cosignature (C2SP).

Each is a file `ledger/tokens/<sha256>`, and an `anchor` entry names its hash: it cannot be altered or dropped unseen.
`rfc3161-client` (requirements-extra.txt) is needed to check time stamps, and lives only here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from grounded.audit import layout
from grounded.audit.canonical import Malformed
from grounded.audit.files import read_regular
from grounded.audit.notes import VerifierKey, parse_note, signed_by
from grounded.errors import AuditError


class NotTrusted(Exception):
    """The evidence is in order but comes from nobody known here."""


def stamped_at(token: bytes, text: bytes, *, nonce: int | None = None) -> datetime:
    """The time a token gives `text`; who gave it is not looked at. Raises ValueError when it is not about `text`."""
    response = stamp_client().decode_timestamp_response(token)
    if response.status not in (0, 1):
        raise ValueError(f"the authority refused (status {response.status})")
    info = response.tst_info
    if info.message_imprint.message != hashlib.sha256(text).digest():
        raise ValueError("the time stamp is over something else")
    if nonce is not None and info.nonce != nonce:
        raise ValueError("the time stamp answers another request")
    return info.gen_time  # type: ignore[no-any-return]


def check_stamp(token: bytes, text: bytes, roots: Sequence[Path]) -> datetime:
    """The time a trusted authority gives `text`. Raises ValueError, or NotTrusted when it is none of `roots` (PEM)."""
    from cryptography.x509 import load_pem_x509_certificates

    client = stamp_client()
    moment = stamped_at(token, text)
    builder = client.VerifierBuilder()
    for path in roots:
        for certificate in load_pem_x509_certificates(path.read_bytes()):
            builder = builder.add_root_certificate(certificate)
    try:
        builder.build().verify(client.decode_timestamp_response(token), hashlib.sha256(text).digest())
    except (client.VerificationError, ValueError) as error:
        raise NotTrusted(str(error)) from None
    return moment


def stamp_client() -> Any:
    """The package that reads time stamps. Raises AuditError when it is not installed."""
    try:
        import rfc3161_client
    except ImportError:
        raise AuditError("rfc3161-client is not installed", advice="pip install -r requirements-extra.txt") from None
    return rfc3161_client


def check_cosignature(token: bytes, text: bytes, witnesses: Sequence[VerifierKey]) -> str:
    """The name of the known witness that cosigned `text`. Raises ValueError, or NotTrusted when none is known."""
    try:
        note = parse_note(token)
    except Malformed as fault:
        raise ValueError(fault.detail) from None
    if note.text != text:
        raise ValueError("the cosignature is over something else")
    for key in witnesses:
        for signature in note.signatures:
            if (signature.name, signature.key_id) == (key.name, key.key_id):
                if signed_by(note.text, signature, key):
                    return key.name
                raise ValueError(f"the cosignature of {key.name} does not verify")
    raise NotTrusted("no witness known here")


def read_token(folder: Path, digest: str) -> bytes | None:
    """A kept piece of evidence, or None when it is not there. Raises ValueError when it is not what was named."""
    try:
        token = read_regular(folder / layout.TOKENS / digest)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(str(error)) from None
    if hashlib.sha256(token).hexdigest() != digest:
        raise ValueError("another content")
    return token
