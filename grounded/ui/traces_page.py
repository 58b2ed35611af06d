"""The Traces page: every run of this log, and whether the log is whole."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

from grounded import locations
from grounded.audit import receipt_verify
from grounded.audit.verify import verify_file
from grounded.errors import GroundedError
from grounded.ui import frame, integrity, state, words
from grounded.ui.access import Workspace
from grounded.ui.trace_index import Standing, TraceIndex, TraceRow

PAGE = 50  # rows of the table at once
_TICK = 1.0  # seconds between looks at a log that is being read
_STATUS = ("answered", "abstained", "cancelled", "failed", "error", "aborted", "open")


@st.cache_resource
def index(folder: Path) -> TraceIndex:
    """The index of a traces folder, one for all sessions of its user."""
    return TraceIndex(folder, locations.state())


def overview(workspace: Workspace) -> None:
    """The standing of the log, the filters and the table."""
    found = index(workspace.settings.traces)
    found.refresh()
    if not state.get("traces_busy"):  # a first look may find it all; later ones do not wait
        found.wait(0.3)

    @st.fragment(run_every=_TICK if found.busy else None)
    def panel() -> None:
        if not found.busy and state.get("traces_busy"):
            state.put("traces_busy", False)
            st.rerun(scope="app")
        _ledger(found)
        _list(found)

    state.put("traces_busy", found.busy)
    with frame.own_place("runs"):
        panel()
    _foreign()


def _ledger(found: TraceIndex) -> None:
    standing = found.standing
    with st.container(border=True, key="ledger"):
        if standing is None:
            st.text(found.trouble or "Checking the whole log…")
            return
        report = standing.report
        with st.container(horizontal=True, vertical_alignment="center"):
            integrity.headline(report, "The whole log")
            st.text(_when(found, standing))
            if st.button("Check again", type="tertiary"):
                found.check()
                st.rerun()
        integrity.findings(report)


def _when(found: TraceIndex, standing: Standing) -> str:
    """When it was checked, and what that does not cover."""
    later = sum(row.trace_id not in standing.covered for row in found.rows)
    at = f"checked {standing.at:%Y-%m-%d %H:%M:%S} UTC"
    return f"{at}, before {words.plural(later, 'newer run')}" if later else at


def _list(found: TraceIndex) -> None:
    rows = _filtered(found)
    pages = max(1, -(-len(rows) // PAGE))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reading = f", {len(found.rows):,} of {found.total:,} read so far" if len(found.rows) < found.total else ""
        st.text(f"{words.plural(len(rows), 'run')}{reading}")
        at = 1
        if pages > 1:
            at = int(st.number_input(f"Page, of {pages:,}", 1, pages, 1, key="traces_at", width=160))
    shown = rows[(at - 1) * PAGE : at * PAGE]
    event = st.dataframe(
        [_line(r, found.standing) for r in shown],
        column_config={"time": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss"),
                       "question": st.column_config.TextColumn(width="large"),
                       "documents": st.column_config.TextColumn(width="medium")},
        hide_index=True, on_select="rerun", selection_mode="single-row", key=f"traces_table_{at}_{len(rows)}",
        height=frame.table_height(len(shown), 560),
    )  # fmt: skip
    if (picked := event["selection"]["rows"]) and picked[0] < len(shown):
        state.set_link(trace=shown[picked[0]].trace_id)
        st.rerun(scope="app")


def _filtered(found: TraceIndex) -> list[TraceRow]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.text_input("Search", placeholder="Question, document or trace id", key="traces_search")
        status = st.multiselect("Status", _STATUS, key="traces_status", placeholder="Any")
        verdict = st.multiselect("Holds a claim", words.STATUS_ORDER, key="traces_verdict", placeholder="Any verdict")
        broken = st.toggle("Only tampered", key="traces_broken")
    terms = wanted.casefold().split()
    tampered = found.standing.broken if found.standing else {}
    return [
        r
        for r in found.rows
        if r.matches(terms)
        and (not status or r.status in status)
        and (not verdict or set(verdict) & set(r.verdicts))
        and (not broken or r.trace_id in tampered)
    ]


def _line(row: TraceRow, standing: Standing | None) -> dict[str, Any]:
    return {
        "time": row.opened,
        "question": row.question,
        "grounded": f"{row.grounded} of {row.claims}" if row.claims else "–",
        "integrity": standing.of(row.trace_id, listed=row.status != "unlisted") if standing else "checking",
        "status": row.status,
        "reader": row.reader,
        "documents": words.listed(row.documents, 2),
        "trace": row.trace_id[:12],
    }


def _foreign() -> None:
    """A log or receipt from elsewhere."""
    with st.expander("Check a log or receipt from elsewhere"):
        file = st.file_uploader("Trace file (.jsonl) or receipt (.zip)", type=["jsonl", "zip"], key="traces_foreign")
        key = st.text_input("Verification key, if you were given one", key="traces_key")
        if file is not None:
            _verify_upload(file.getvalue(), Path(file.name).suffix.lower(), key.strip() or None)


def _verify_upload(data: bytes, suffix: str, key: str | None) -> None:
    if suffix == ".zip":
        _verify_receipt(data, key)
        return
    with tempfile.TemporaryDirectory(prefix="grounded-") as folder:
        path = Path(folder) / "uploaded.jsonl"
        path.write_bytes(data)
        try:
            report = verify_file(path, state=locations.state(), key=key)
        except GroundedError as error:
            st.text(error.message)
            return
    integrity.headline(report)
    integrity.findings(report)


def _verify_receipt(data: bytes, key: str | None) -> None:
    if not key:
        st.text("A receipt is checked under the key of the log it came from. Ask whoever gave it to you for the key.")
        return
    try:
        entry, spans, contents = receipt_verify.verify(data, key)
    except Exception as error:  # noqa: BLE001 - whatever a forged file makes Python raise, it does not hold
        st.markdown(":red-badge[✕ does not hold]")
        st.text(f"{error} ({type(error).__name__})")
        return
    st.markdown(":green-badge[✓ holds]")
    seen = len(spans) - spans.count(None)
    shown = f"{seen} of {words.plural(len(spans), 'span')}, {words.plural(len(contents), 'content')}"
    st.text(f"Trace {entry['trace_id']}, {entry['status']}, closed {entry['time']}, {shown} shown")
    st.text("It proves what was recorded and that it is unchanged since, not that it is true.")
