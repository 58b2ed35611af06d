"""After a crash: close what was left open, set torn ends aside. What does not verify is left as it is."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from grounded.audit import layout
from grounded.audit.canonical import FIELDS, ZERO_HASH, Malformed, parse_strict, span_hash
from grounded.audit.content import ContentStore
from grounded.audit.files import claim, read_regular
from grounded.audit.ledger import Head, Ledger


def recover(ledger: Ledger) -> list[str]:
    """Close every open trace whose writer is dead as `aborted` and return their ids. Torn ends go to quarantine/;
    a complete line that does not parse or does not chain is tampering: that trace is left open and untouched.

    Raises AuditError when the log cannot be written."""
    if not (ledger.folder / layout.LEDGER).is_dir():
        return []
    with ledger.locked() as head:
        _drop_unregistered(ledger, head)
        _finish_erasures(ledger, head)
        return [trace_id for trace_id in sorted(head.open) if _close(ledger, head, trace_id)]


def _close(ledger: Ledger, head: Head, trace_id: str) -> bool:
    path = layout.trace_path(ledger.folder, trace_id)
    if path.is_symlink() or not path.is_file():
        return False
    descriptor = ledger.files.open_append(path)
    try:
        if not claim(descriptor):
            return False
        data = read_regular(path)
        whole = data[: data.rfind(b"\n") + 1]
        spans = _hashes(whole)
        if spans is None:
            return False
        torn = data[len(whole) :]
        if torn:
            ledger.quarantine(trace_id, torn)
            ledger.files.truncate(descriptor, len(whole))
        ledger.files.sync(descriptor)
        ledger.add(head, "trace.close", _seal(trace_id, whole, spans, torn))
        return True
    finally:
        os.close(descriptor)


def _seal(trace_id: str, whole: bytes, spans: list[str], torn: bytes) -> dict[str, Any]:
    seal = {"trace_id": trace_id, "status": "aborted", "n": len(spans), "spans": spans, "bytes": len(whole)}
    seal["file_sha256"] = hashlib.sha256(whole).hexdigest()
    return seal | ({"quarantined": hashlib.sha256(torn).hexdigest()} if torn else {})


def _hashes(whole: bytes) -> list[str] | None:
    """this_hash of every line, or None when a line does not parse or does not chain."""
    previous, found = ZERO_HASH, []
    for line in whole.split(b"\n")[:-1]:
        try:
            span = parse_strict(line)
        except Malformed:
            return None
        if not isinstance(span, dict) or span.keys() != FIELDS or span["prev_hash"] != previous:
            return None
        if span_hash(previous, span) != span["this_hash"]:
            return None
        previous = span["this_hash"]
        found.append(previous)
    return found


def _finish_erasures(ledger: Ledger, head: Head) -> None:
    """Remove what is recorded as erased and still there."""
    store = ContentStore(ledger.folder, files=ledger.files)
    for digest in head.erased:
        store.remove(digest)


def _drop_unregistered(ledger: Ledger, head: Head) -> None:
    """Remove empty files of traces that a crash kept out of the ledger. Files with content are not ours to touch."""
    for path in ledger.folder.glob(f"*{layout.SUFFIX}"):
        if path.stem in head.known or path.is_symlink() or not path.is_file() or path.stat().st_size:
            continue
        descriptor = ledger.files.open_append(path)
        try:
            if claim(descriptor):
                ledger.files.unlink(path)
        finally:
            os.close(descriptor)
