"""Receipts: one trace with its proof, to hand over. `receipt_verify.py` checks them without this project."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from grounded.audit import layout, receipt_verify
from grounded.audit.canonical import canonical
from grounded.audit.content import ContentKeyNeeded, ContentStore, commitments
from grounded.audit.files import read_regular, reading
from grounded.audit.keys import load_content_key
from grounded.audit.merkle import inclusion_proof, leaf_hash
from grounded.audit.notes import NOTE_LINES, parse_note
from grounded.audit.reader import raw_spans, trace_file
from grounded.errors import AuditError, UsageError


def build_receipt(
    folder: Path,
    trace_id: str,
    *,
    state: Path | None = None,
    spans: Collection[str] | None = None,
    contents: bool = True,
) -> bytes:
    """The receipt of a closed trace: a zip, always the same bytes for the same log and choice.

    spans: names of the spans to show, all others withheld (only their hash is shown); None shows all. contents: put
    in what the spans shown keep beside the log. Raises UsageError for an unknown or open trace, AuditError when the
    log does not prove it."""
    path = trace_file(folder, trace_id)
    with reading(folder / layout.LOCK):
        lines, note = _ledger(folder)
    index = _closing(lines, trace_id)
    size = parse_note(note).size
    proof = inclusion_proof([leaf_hash(line) for line in lines[:size]], index)
    shown = [
        span if spans is None or span["name"] in spans else {"$redacted": span["this_hash"]} for span in raw_spans(path)
    ]
    files = {
        "trace.jsonl": b"".join(canonical(span) + b"\n" for span in shown),
        "entry.json": lines[index],
        "proof.json": canonical({"index": index, "size": size, "hashes": [node.hex() for node in proof]}),
        "checkpoint": note,
    }
    if contents:
        files |= _contents(folder, shown, state)
    return _proven(receipt_verify.pack(files), signing_key([json.loads(line) for line in lines[:size]]), path)


def signing_key(entries: Sequence[dict[str, Any]]) -> str:
    """The key that signs the checkpoint over these ledger entries (a rotation is sealed by the old one). Whoever checks
    a receipt must have it from elsewhere."""
    entries = entries[: max(1, len(entries) - 1)]
    keys = [entry["key"] if entry["kind"] == "log.genesis" else entry["new"] for entry in entries if _names_key(entry)]
    if not keys:
        raise AuditError("the ledger names no key")
    return str(keys[-1])


def _names_key(entry: dict[str, Any]) -> bool:
    return entry["kind"] in ("log.genesis", "key.rotate")


def _ledger(folder: Path) -> tuple[list[bytes], bytes]:
    try:
        lines = read_regular(folder / layout.ENTRIES).split(b"\n")[:-1]
        notes = read_regular(folder / layout.CHECKPOINTS).split(b"\n")[:-1]
    except OSError as error:
        raise AuditError(f"there is no ledger to prove anything ({error.strerror})", where=str(folder)) from None
    last = len(notes) // NOTE_LINES * NOTE_LINES
    if not last:
        raise AuditError("the ledger has no checkpoint", where=str(folder))
    return lines, b"\n".join(notes[last - NOTE_LINES : last]) + b"\n"


def _closing(lines: list[bytes], trace_id: str) -> int:
    wanted = (b'"kind":"trace.close"', f'"trace_id":"{trace_id}"'.encode())
    for index in range(len(lines) - 1, -1, -1):
        if all(mark in lines[index] for mark in wanted):
            return index
    raise UsageError("the ledger has no closed trace of that id", where=trace_id)


def _contents(folder: Path, shown: list[dict[str, object]], state: Path | None) -> dict[str, bytes]:
    store = ContentStore(folder, key=load_content_key(state) if state else None)
    found = {}
    for commitment in commitments(shown):
        try:
            kept = store.get(commitment.digest)
        except (OSError, ValueError, ContentKeyNeeded):
            kept = None
        if kept is not None:
            found[f"{layout.CONTENT}/{commitment.digest}"] = kept[0] + kept[1]
    return found


def _proven(receipt: bytes, key: str, path: Path) -> bytes:
    """The receipt, after checking it as its reader will: nothing that does not hold is handed out."""
    try:
        receipt_verify.verify(receipt, key)
    except Exception as error:
        raise AuditError(
            f"the receipt would not hold: {error}", where=str(path), advice="Run `verify-log` on the folder."
        ) from error
    return receipt
