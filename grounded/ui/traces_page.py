"""The Traces page: every run, whether the record is whole, and one run in full."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import streamlit as st

from grounded import locations
from grounded.audit.reader import rebuild_answer
from grounded.audit.report import Report
from grounded.audit.verify import verify_file
from grounded.errors import GroundedError
from grounded.types import Answer
from grounded.ui import charts, details, payload, state, words
from grounded.ui.access import Workspace
from grounded.ui.answer import answer_view
from grounded.ui.ask import cited_shelves
from grounded.ui.theme import palette
from grounded.ui.trace_index import Standing, TraceIndex, TraceRow

PAGE = 50  # rows of the table at once
VIEW = "trace_view"
_TICK = 1.0
_STATUS = ("answered", "abstained", "cancelled", "failed", "error", "aborted", "open")
_TABS = ("Timeline", "Answer", "Sources", "Record", "Compare", "Take away")


@st.cache_resource
def index(folder: Path) -> TraceIndex:
    """The index of a traces folder, one for all sessions of its user."""
    return TraceIndex(folder, locations.state())


# ---------------------------------------------------------------- the list


def overview(workspace: Workspace) -> None:
    """The standing of the log, the filters and the table."""
    found = index(workspace.settings.traces)
    found.refresh()
    found.wait(0.3)

    @st.fragment(run_every=_TICK if found.busy else None)
    def panel() -> None:
        if not found.busy and state.get("traces_busy"):
            state.put("traces_busy", False)
            st.rerun(scope="app")
        _ledger(found)
        _list(found)

    state.put("traces_busy", found.busy)
    panel()
    _foreign()


def _ledger(found: TraceIndex) -> None:
    standing = found.standing
    with st.container(border=True, key="ledger"):
        if standing is None:
            st.text(found.trouble or "Checking the whole log…")
            return
        report = standing.report
        verdicts = {
            "intact": ":green-badge[✓ intact]",
            "tampered": ":red-badge[✕ tampered]",
            "not_judged": ":gray-badge[? not judged]",
        }
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**The whole log** {verdicts[report.verdict]}")
            st.text(
                f"{report.assurance} · {words.plural(report.traces, 'trace')} · {words.plural(report.spans, 'span')}"
            )
            if st.button("Check again", type="tertiary"):
                found.check()
                st.rerun()
        _findings(report)


def _findings(report: Report) -> None:
    """The exact broken lines, with what was expected and what was found; then what was not looked at."""
    errors = [f for f in report.findings if f.severity == "error"]
    if errors:
        first = errors[0]
        st.text(_finding(first))
        if len(errors) > 1:
            rows = [
                {"file": Path(f.file).name, "line": f.line, "what": f.code, "expected": f.expected, "found": f.found}
                for f in errors[1:]
            ]
            st.caption(f"{words.plural(len(rows), 'further break')}")
            st.dataframe(rows, hide_index=True, height=min(38 + 36 * len(rows), 220))
    if report.not_checked:
        with st.expander(f"Not checked ({len(report.not_checked)})"):
            st.text("\n".join(f"– {line}" for line in report.not_checked))


def _finding(finding: Any) -> str:
    where = f"{Path(finding.file).name}, line {finding.line}" if finding.line else Path(finding.file).name
    lines = [f"Broken at {where}: {finding.code.replace('_', ' ')}"]
    lines += [f"expected {finding.expected}"] if finding.expected else []
    lines += [f"found    {finding.found}"] if finding.found else []
    return "\n".join(lines)


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
                       "question": st.column_config.TextColumn(width="large")},
        hide_index=True, on_select="rerun", selection_mode="single-row", key=f"traces_table_{at}_{len(rows)}",
        height=min(38 + 36 * max(1, len(shown)), 560),
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
        "documents": words.listed(row.documents, 2),
        "reader": row.reader,
        "grounded": "–" if row.claims is None else f"{row.grounded} of {row.claims}",
        "status": row.status,
        "integrity": standing.of(row.trace_id, listed=row.status != "unlisted") if standing else "checking",
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
    with tempfile.TemporaryDirectory(prefix="grounded-") as folder:
        path = Path(folder) / f"uploaded{suffix}"
        path.write_bytes(data)
        try:
            report = verify_file(path, state=locations.state(), key=key)
        except GroundedError as error:
            st.text(error.message)
            return
    _verdict(report)


def _verdict(report: Report) -> None:
    said = {
        "intact": ":green-badge[✓ intact]",
        "tampered": ":red-badge[✕ tampered]",
        "not_judged": ":gray-badge[? not judged]",
    }
    st.markdown(f"{said[report.verdict]} {report.assurance}, {words.plural(report.spans, 'span')}")
    _findings(report)


# ---------------------------------------------------------------- one run


def run(workspace: Workspace, trace: str) -> None:
    """One run in full."""
    if st.button("All traces", icon=":material/arrow_back:", type="tertiary"):
        state.set_link()
        st.rerun()
    try:
        spans = details.spans(workspace, trace)
    except GroundedError as error:
        st.warning("This trace cannot be read.")
        st.text(error.message)
        return
    _head(spans, trace)
    tab = st.segmented_control("View", _TABS, default="Timeline", key="trace_tab", label_visibility="collapsed")
    answer = _answer_of(spans)
    if tab == "Timeline":
        _timeline(spans)
    elif tab == "Record":
        _record(workspace, trace)
    elif tab == "Compare":
        _compare(workspace, trace, spans, answer)
    elif answer is None:
        st.text("No answer was assembled in this run: it failed, was stopped, or was cut off.")
    elif tab == "Answer":
        _shown(workspace, answer)
    elif tab == "Sources":
        details.sources(answer.hits)
    elif tab == "Take away":
        details.take_away(workspace, answer)


def _answer_of(spans: Sequence[dict[str, Any]]) -> Answer | None:
    try:
        return Answer.model_validate(rebuild_answer(spans))
    except (GroundedError, ValueError):
        return None


def _head(spans: Sequence[dict[str, Any]], trace: str) -> None:
    root = spans[0] if spans else {}
    asked = root.get("input") or {}
    st.subheader("One run", anchor=False)
    st.text(str(asked.get("question", "")))
    names = [str(d.get("name", "")) for d in asked.get("documents", []) if isinstance(d, dict)]
    st.text(f"{root.get('start', '')} · {asked.get('reader', '')} · {words.listed(names)} · trace {trace}")


def _timeline(spans: Sequence[dict[str, Any]]) -> None:
    start = _moment(spans[0]["start"])
    bars = [(str(s["name"]), _ms(start, s["start"]), _ms(_moment(s["start"]), s["end"])) for s in spans]
    figure = charts.waterfall(bars, palette())
    st.plotly_chart(figure, theme=None, config={"displayModeBar": False}, alt="Start and duration of each step")
    labels = [f"{n}. {name}, {took:,.0f} ms" for n, (name, _, took) in enumerate(bars, 1)]
    at = st.selectbox("Step", range(len(spans)), format_func=labels.__getitem__, key="trace_step")
    _span(spans[at])


def _span(span: Mapping[str, Any]) -> None:
    st.text(str(span.get("reasoning", "")))
    facts = _facts(span)
    if facts:
        st.dataframe([{"fact": k, "value": v} for k, v in facts.items()], hide_index=True)
    left, right = st.columns(2)
    for column, part in ((left, "input"), (right, "output")):
        with column:
            st.caption(part.capitalize())
            st.json(json.dumps(span.get(part)), expanded=1)
    st.text(f"span {span.get('span_id')}\nprev_hash {span.get('prev_hash')}\nthis_hash {span.get('this_hash')}")


_TOLD = ("prompt_id", "prompt_sha256", "model", "requested_model", "request_id", "request_ids", "stop_reason", "usage",
         "attempts", "version", "app_version", "index_digest", "embedder_digest")  # fmt: skip


def _facts(span: Mapping[str, Any]) -> dict[str, str]:
    """Prompts, models, requests and usage, wherever a step recorded them."""
    found: dict[str, str] = {}
    for part in ("input", "output"):
        for name, value in _flat(span.get(part)):
            if name.rsplit(".", 1)[-1] in _TOLD and value not in (None, [], {}, ""):
                found.setdefault(name, value if isinstance(value, str) else json.dumps(value))
    return found


def _flat(value: Any, prefix: str = "") -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return []
    pairs: list[tuple[str, Any]] = []
    for name, item in value.items():
        path = f"{prefix}{name}"
        pairs.append((path, item))
        pairs.extend(_flat(item, f"{path}."))
    return pairs


def _record(workspace: Workspace, trace: str) -> None:
    path = workspace.settings.traces / f"{trace}.jsonl"
    try:
        _verdict(verify_file(path, state=locations.state()))
    except GroundedError as error:
        st.text(error.message)
        return
    st.download_button("The trace file", path.read_bytes, f"{trace}.jsonl", "application/jsonl", on_click="ignore")


def _shown(workspace: Workspace, answer: Answer) -> None:
    documents = workspace.library.documents()
    view = payload.answer_payload(answer, cited_shelves(answer, documents), workspace.library, focus=state.link().focus)
    answer_view({**view, "layout": "inline"}, key=VIEW)


def _compare(workspace: Workspace, trace: str, spans: Sequence[dict[str, Any]], answer: Answer | None) -> None:
    others = [r for r in index(workspace.settings.traces).rows if r.trace_id != trace]
    if not others:
        st.text("There is no other run to compare with.")
        return
    question = str((spans[0].get("input") or {}).get("question", ""))
    others.sort(key=lambda r: r.question != question)
    labels = {r.trace_id: f"{r.opened[:19]} {r.question}" for r in others[:500]}
    other = st.selectbox("Compare with", list(labels), format_func=labels.__getitem__, key="trace_other")
    try:
        theirs = details.spans(workspace, other)
    except GroundedError as error:
        st.text(error.message)
        return
    st.caption("What differs in how they were asked")
    _table(
        _differences(spans[0].get("input") or {}, theirs[0].get("input") or {}),
        "Nothing: same settings, same documents.",
    )
    st.caption("Claims")
    _table(_claims(answer, _answer_of(theirs)), "Neither run has claims.")
    st.caption("Milliseconds of each step")
    _table(_steps(spans, theirs), "")


def _differences(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[dict[str, Any]]:
    left, right = (dict(_leaves(side)) for side in (mine, theirs))
    return [
        {"what": name, "this run": left.get(name, "–"), "the other": right.get(name, "–")}
        for name in dict.fromkeys([*left, *right])
        if left.get(name) != right.get(name)
    ]


def _leaves(value: Any, prefix: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [leaf for name, item in value.items() for leaf in _leaves(item, f"{prefix}{name}.")]
    return [(prefix.rstrip("."), value if isinstance(value, str) else json.dumps(value))]


def _claims(mine: Answer | None, theirs: Answer | None) -> list[dict[str, Any]]:
    sides = [
        {c.text: f"{c.verdict.status} {c.verdict.confidence:.2f}" for c in a.claims} if a else {}
        for a in (mine, theirs)
    ]
    return [
        {"claim": text, "this run": sides[0].get(text, "–"), "the other": sides[1].get(text, "–")}
        for text in dict.fromkeys([*sides[0], *sides[1]])
    ]


def _steps(mine: Sequence[dict[str, Any]], theirs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    sides: list[dict[str, float]] = [{}, {}]
    for side, spans in zip(sides, (mine, theirs), strict=True):
        for span in spans[1:]:
            name = str(span["name"])
            side[name] = side.get(name, 0.0) + _ms(_moment(span["start"]), span["end"])
    return [
        {"step": name, "this run": round(sides[0].get(name, 0.0), 1), "the other": round(sides[1].get(name, 0.0), 1)}
        for name in dict.fromkeys([*sides[0], *sides[1]])
    ]


def _table(rows: Sequence[Mapping[str, Any]], empty: str) -> None:
    if rows:
        st.dataframe(list(rows), hide_index=True, height=min(38 + 36 * len(rows), 320))
    else:
        st.text(empty)


def _moment(text: Any) -> datetime:
    return datetime.fromisoformat(str(text))


def _ms(start: datetime, end: Any) -> float:
    return (_moment(end) - start).total_seconds() * 1000
