"""Erasing what somebody has a right to see erased, and keeping what the law wants kept. A hold beats an erasure."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.audit import layout
from grounded.audit.content import ContentStore, commitments
from grounded.audit.ledger import Head, Ledger
from grounded.audit.reader import raw_spans, trace_file
from grounded.errors import AuditError, UsageError


def erase(ledger: Ledger, trace_id: str, *, reason: str, actor: str, commits: Sequence[str] | None = None) -> list[str]:
    """Erase values a trace keeps beside the log (all of them unless `commits` names some); their digests.

    The erasure is recorded before anything is removed. Raises UsageError for an unknown trace or value, AuditError
    under a hold. What stands inside a span itself cannot be erased: the chain needs it."""
    path = trace_file(ledger.folder, trace_id)
    kept = {found.digest for span in raw_spans(path) for found in commitments([span["input"], span["output"]])}
    chosen = sorted(kept if commits is None else set(commits))
    if unknown := set(chosen) - kept:
        raise UsageError(f"the trace keeps no value {min(unknown)}", where=trace_id)
    with ledger.locked() as head:
        _known(head, trace_id)
        if head.held.get(trace_id, 0) > 0:
            raise AuditError("the trace is under a legal hold", where=trace_id, advice="Release the hold first.")
        fresh = [digest for digest in chosen if digest not in head.erased]
        if fresh:
            ledger.add(head, "erasure", {"trace_id": trace_id, "commits": fresh, "reason": reason, "actor": actor})
        store = ContentStore(ledger.folder, files=ledger.files)
        for digest in chosen:
            store.remove(digest)
    return fresh


def hold(ledger: Ledger, trace_id: str, *, reason: str, actor: str) -> None:
    """Nothing of this trace may be erased until the hold is released. Holds add up."""
    with ledger.locked() as head:
        _known(head, trace_id)
        ledger.add(head, "hold", {"trace_id": trace_id, "reason": reason, "actor": actor})


def release(ledger: Ledger, trace_id: str, *, reason: str, actor: str) -> None:
    """Lift one hold. Raises UsageError when there is none."""
    with ledger.locked() as head:
        _known(head, trace_id)
        if head.held.get(trace_id, 0) <= 0:
            raise UsageError("the trace is under no hold", where=trace_id)
        ledger.add(head, "release", {"trace_id": trace_id, "reason": reason, "actor": actor})


def _known(head: Head, trace_id: str) -> None:
    if not layout.is_trace_id(trace_id) or trace_id not in head.known:
        raise UsageError("the ledger lists no such trace", where=ascii(trace_id[:80]))
