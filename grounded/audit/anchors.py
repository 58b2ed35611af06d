"""Asking for evidence about a checkpoint from outside, and naming its hash in the ledger (checked by `evidence`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from grounded.audit import layout
from grounded.audit.evidence import stamp_client, stamped_at
from grounded.audit.files import read_regular, write_new
from grounded.audit.ledger import Head, Ledger
from grounded.audit.notes import checkpoint_text
from grounded.errors import AuditError, UsageError

Authority = Callable[[bytes], bytes]
AnchorType = Literal["rfc3161", "cosignature"]
_TIMEOUT_S = 30


def anchor(ledger: Ledger, kind: AnchorType, size: int, root: bytes, token: bytes) -> dict[str, Any]:
    """Keep a piece of evidence about the checkpoint (size, root) and name its hash in the ledger."""
    digest = hashlib.sha256(token).hexdigest()
    with ledger.locked() as head:
        folder = ledger.folder / layout.TOKENS
        ledger.files.make_folder(folder)
        if not (folder / digest).exists():
            write_new(ledger.files, folder / digest, token)
            ledger.files.sync_folder(folder)
        return ledger.add(head, "anchor", {"type": kind, "size": size, "root": root.hex(), "token_sha256": digest})


def head_of(ledger: Ledger) -> tuple[str, int, bytes]:
    """Origin, size and root of the last checkpoint."""
    with ledger.locked() as head:
        return head.origin, head.frontier.size, head.frontier.root()


# ---------------------------------------------------------------- time


def stamp(ledger: Ledger, authority: Authority) -> dict[str, Any]:
    """Have an authority put its time over the last checkpoint. authority: DER request -> DER response."""
    client = stamp_client()
    origin, size, root = head_of(ledger)
    text = checkpoint_text(origin, size, root)
    request = client.TimestampRequestBuilder().data(text).hash_algorithm(client.HashAlgorithm.SHA256).build()
    token = authority(request.as_bytes())
    stamped_at(token, text, nonce=request.nonce)
    return anchor(ledger, "rfc3161", size, root, token)


def authority_at(url: str) -> Authority:
    """A time-stamping authority over HTTP (RFC 3161 §3.4)."""

    def ask(request: bytes) -> bytes:
        return post(url, request, "application/timestamp-query")

    return ask


def post(url: str, body: bytes, kind: str) -> bytes:
    """POST and return the body of the answer. Raises AuditError."""
    from urllib.request import Request, urlopen

    if not url.startswith(("http://", "https://")):
        raise UsageError("not an http address", where=url)
    request = Request(url, data=body, headers={"Content-Type": kind})  # noqa: S310 — the scheme is checked above
    try:
        with urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310
            return bytes(answer.read(1 << 20))
    except OSError as error:
        raise AuditError(f"no answer ({error})", where=url) from error


def leaves_of(head: Head, folder: Path) -> list[bytes]:
    """The sealed entries' lines."""
    return read_regular(folder / layout.ENTRIES).split(b"\n")[: head.frontier.size]
