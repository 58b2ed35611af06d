"""One run in full: its steps, the answer as it was shown, its sources, its record, and how it differs from others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import streamlit as st

from grounded.audit.reader import rebuild_answer
from grounded.audit.replay import Difference
from grounded.errors import GroundedError
from grounded.pipeline import replay
from grounded.types import Answer
from grounded.ui import charts, details, frame, integrity, payload, state, words
from grounded.ui.access import Workspace, home_of
from grounded.ui.answer import answer_view
from grounded.ui.ask import cited_shelves
from grounded.ui.downloads import downloads
from grounded.ui.recorded import spans as recorded_spans
from grounded.ui.theme import palette
from grounded.ui.traces_page import index

VIEW = "trace_view"
Span = dict[str, Any]
_TABS = ("Timeline", "Answer", "Sources", "Compare", "Replay", "Take away")
# What a reviewer asks first of a step, wherever it recorded it.
_TOLD = frozenset(
    {"prompt_id", "prompt", "prompt_sha256", "model", "requested_model", "answered_model", "request_id", "request_ids"}
    | {"stop_reason", "usage", "attempts", "app_version", "index_digest", "embedder_digest"}
)


def run(workspace: Workspace, trace: str) -> None:
    """One run in full. A trace that was broken so that it cannot be read still shows where it is broken."""
    if st.button("All traces", icon=":material/arrow_back:", type="tertiary"):
        state.set_link()
        st.rerun()
    try:
        report = integrity.check(workspace, trace)
        spans = recorded_spans(workspace, trace)
    except GroundedError as error:
        _unreadable(workspace, trace, error)
        return
    _head(spans, trace)
    with st.container(border=True, key="ledger"):
        integrity.headline(report)
        integrity.findings(report)
    tab = st.segmented_control("View", _TABS, default="Timeline", key="trace_tab", label_visibility="collapsed")
    _show(tab or "Timeline", workspace, trace, spans)


def _unreadable(workspace: Workspace, trace: str, error: GroundedError) -> None:
    st.warning("This trace cannot be read.")
    st.text(error.message)
    try:
        report = integrity.check(workspace, trace)
    except GroundedError:
        return
    integrity.headline(report)
    integrity.findings(report)


def _show(tab: str, workspace: Workspace, trace: str, spans: Sequence[Span]) -> None:
    answer = _answer_of(spans)
    if tab == "Timeline":
        _timeline(spans)
        downloads(trace, ("jsonl",), key="trace_file")
    elif tab == "Compare":
        _compare(workspace, trace, spans, answer)
    elif tab == "Replay":
        _replay(workspace, spans)
    elif answer is None:
        st.text("No answer was assembled in this run: it failed, was stopped, or was cut off.")
    elif tab == "Answer":
        _shown(workspace, answer)
    elif tab == "Sources":
        details.sources(workspace, answer)
    else:
        details.take_away(answer)


def _answer_of(spans: Sequence[Span]) -> Answer | None:
    try:
        return Answer.model_validate(rebuild_answer(spans))
    except (GroundedError, ValueError):
        return None


def _head(spans: Sequence[Span], trace: str) -> None:
    root = spans[0] if spans else {}
    asked = root.get("input") or {}
    frame.title(str(asked.get("question", "")) or "A run without a question")
    names = [str(d.get("name", "")) for d in asked.get("documents", []) if isinstance(d, dict)]
    st.text(f"{root.get('start', '')} · {asked.get('reader', '')} · {words.listed(names, 3)} · trace {trace}")


def _timeline(spans: Sequence[Span]) -> None:
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


def _shown(workspace: Workspace, answer: Answer) -> None:
    library = home_of(workspace, answer.trace_id).library
    cited = cited_shelves(answer, library.documents())
    view = payload.answer_payload(answer, cited, library, focus=state.link().focus)
    answer_view({**view, "layout": "inline"}, key=VIEW)


def _compare(workspace: Workspace, trace: str, spans: Sequence[Span], answer: Answer | None) -> None:
    others = [r for r in index(workspace.settings.traces).rows if r.trace_id != trace]
    if not others:
        st.text("There is no other run to compare with.")
        return
    question = str((spans[0].get("input") or {}).get("question", ""))
    others.sort(key=lambda r: r.question != question)
    labels = {r.trace_id: f"{r.opened[:19]} {r.question}" for r in others[:500]}
    other = st.selectbox("Compare with", list(labels), format_func=labels.__getitem__, key="trace_other")
    try:
        theirs = recorded_spans(workspace, other)
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


def _replay(workspace: Workspace, spans: Sequence[Span]) -> None:
    st.text("Runs the question again over the library as it is now, with the recorded model replies, and compares.")
    if not st.button("Replay", type="primary"):
        return
    with st.spinner("Replaying"):
        try:
            done = replay(spans, library=workspace.library)
        except GroundedError as error:
            st.text(error.message)
            return
    st.text("Every step came out as recorded." if done.same else "Not every step came out as recorded.")
    for line in done.changed:
        st.text(f"Changed since: {line}")
    rows = [
        {
            "step": step.name,
            "outcome": step.outcome,
            "where": d.path,
            "recorded": repr(d.recorded),
            "now": repr(d.replayed),
        }
        for step in done.steps
        for d in step.differences or (Difference("", "", ""),)
    ]
    _table(rows, "")


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


def _steps(mine: Sequence[Span], theirs: Sequence[Span]) -> list[dict[str, Any]]:
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
        st.dataframe(list(rows), hide_index=True, height=frame.table_height(len(rows), 320))
    else:
        st.text(empty)


def _moment(text: Any) -> datetime:
    return datetime.fromisoformat(str(text))


def _ms(start: datetime, end: Any) -> float:
    return (_moment(end) - start).total_seconds() * 1000
