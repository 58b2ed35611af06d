"""The Evaluation page: sets and runs, tables with intervals, plots, failing cases beside their pages, two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from grounded.errors import GroundedError
from grounded.evaluation import history, sets
from grounded.evaluation.catalogue import BY_NAME
from grounded.evaluation.history import RunReport
from grounded.evaluation.outcomes import KS, STAGES, Outcome
from grounded.evaluation.report import number
from grounded.evaluation.statistics import Figure
from grounded.evaluation.summary import Compared, SetReport, by_stage, compare, stage_of
from grounded.types import Citation, Verdict, VerifiedClaim
from grounded.ui import access, charts, frame, payload, state, words
from grounded.ui.access import Workspace
from grounded.ui.answer import answer_view
from grounded.ui.evaluating import Evaluating
from grounded.ui.payload import Shelf
from grounded.ui.theme import palette

VIEW = "evaluation_view"
_TICK = 0.5  # seconds between looks at a run
_PANELS = ("Figures", "Charts", "Cases")
_PLAIN = {"displayModeBar": False}
_KINDS = 20  # bars at most
_IDLE = "Choose a case to see it beside its page."
_GOLD = Verdict(grounded=True, status="grounded", confidence=1.0, reason="What the set says.")


@st.cache_resource
def desk() -> dict[str, Evaluating]:
    """The latest run of each user of this server."""
    return {}


def body(workspace: Workspace) -> None:
    """Everything below the heading."""
    if access.sign_in_is_on():
        st.text("Runs are made and read by whoever operates this server: python -m grounded eval --list")
        answer_view(payload.document_payload({}, idle=""), key=VIEW)
        return
    _run_panel(workspace)
    runs = history.runs()
    if not runs:
        _first_visit()
        answer_view(payload.document_payload({}, idle=_IDLE), key=VIEW)
        return
    run, other = _choose(runs)
    name = _choose_set(run)
    found = run.set(name)
    above = st.container(key="evaluation_case")  # the chosen case stands above the table it was chosen in
    case = _panels(run, other, found) if found else None
    with above:
        _view(workspace, run, case)


# ---------------------------------------------------------------- running


def _run_panel(workspace: Workspace) -> None:
    running = desk().get(workspace.user)
    if running and not running.done:
        _progress(running)
        return
    if running and running.trouble:
        st.error("The run could not be made.")
        st.text(running.trouble.message)
    with st.popover("Run sets", icon=":material/play_arrow:"):
        present = [name for name in sets.available() if not sets.is_absent(name)]
        names = st.multiselect("Sets", present, default=present[:1], key="evaluation_sets")
        cases = st.number_input("Cases of each task", 1, 500, 50, key="evaluation_cases")
        st.text("Cases that were worked out before, with the same everything, are taken as they were.")
        if st.button("Run", type="primary", disabled=not names):
            started = Evaluating(names, int(cases), workspace.settings, workspace.library)
            desk()[workspace.user] = started
            started.start()
            st.rerun()


def _progress(running: Evaluating) -> None:
    @st.fragment(run_every=_TICK)
    def panel() -> None:
        if running.done:
            state.put("evaluation_run", running.run_id or None)
            st.rerun(scope="app")
        step = running.step
        share = step.done / step.total if step.total else 1.0
        st.progress(min(1.0, share), text=f"{step.set.replace('_', ' ')} {step.doing} {step.done} of {step.total}")
        if st.button("Stop", key="evaluation_stop"):
            running.stop()

    with frame.own_place("evaluating"):
        panel()


def _first_visit() -> None:
    st.text(
        "No run is recorded yet. A run asks the questions of a gold set, whose answers are known, and says how often "
        "retrieval, citations, verdicts and silence were right. Start with the sample questions."
    )
    st.text("Your own sets: open Mark below an answer on Ask, or write one by hand (docs/evaluation.md).")


# ---------------------------------------------------------------- choosing


def _choose(runs: Sequence[RunReport]) -> tuple[RunReport, RunReport | None]:
    by_id = {run.id: run for run in runs}
    if state.get("evaluation_run") not in by_id:
        state.put("evaluation_run", runs[0].id)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Run", list(by_id), format_func=lambda key: _title(by_id[key]), key="evaluation_run")
        others = [key for key in by_id if key != chosen]
        other = st.selectbox(
            "Compare with an earlier one", others, index=None, format_func=lambda key: _title(by_id[key]),
            key="evaluation_other", placeholder="None",
        )  # fmt: skip
    run = by_id[chosen or runs[0].id]
    st.text(_run_with(run))
    return run, by_id.get(other) if other else None


def _title(run: RunReport) -> str:
    """When, of what, by which code; the end of the id, because a choice goes by its words and two may be alike."""
    names = words.listed([found.name for found in run.sets], 2)
    return f"{run.started[:16].replace('T', ' ')} · {names} · {run.commit or run.version} · {run.id[-6:]}"


def _run_with(run: RunReport) -> str:
    models = ", ".join(model for model in run.models.values() if model)
    parts = [f"Cases: {run.part}", f"reader: {run.reader}", models, words.seconds(run.seconds * 1000)]
    parts.append(f"{run.reused:,} cases reused" if run.reused else "")
    parts.append(f"not on this machine: {words.listed(run.absent)}" if run.absent else "")
    return " · ".join(part for part in parts if part)


def _choose_set(run: RunReport) -> str:
    names = [found.name for found in run.sets]
    if state.get("evaluation_set") not in names:
        state.put("evaluation_set", names[0] if names else None)
    chosen = st.segmented_control("Set", names, key="evaluation_set", label_visibility="collapsed") if names else None
    return chosen or (names[0] if names else "")


# ---------------------------------------------------------------- panels


def _panels(run: RunReport, other: RunReport | None, found: SetReport) -> tuple[Outcome, Outcome | None] | None:
    """What was asked for of a set; the case that was chosen, with the same of the other run."""
    st.text(f"{found.about} {words.plural(found.cases, 'case')}, {words.plural(found.documents, 'document')}.")
    if found.caution:
        st.warning(f"Read with care: {found.caution}.")
    if found.failed:
        st.warning(f"{words.plural(found.failed, 'question')} failed and are in no figure.")
    kinds = (*_PANELS, "Compare") if other else _PANELS
    panel = st.segmented_control("Show", kinds, default="Figures", key="evaluation_panel", label_visibility="collapsed")
    if panel == "Charts":
        _charts(found)
    elif panel == "Cases":
        return _cases(_outcomes(run, found.name), None)
    elif panel == "Compare" and other:
        return _compare(_outcomes(other, found.name), _outcomes(run, found.name))
    else:
        _figures(found)
    return None


def _outcomes(run: RunReport, name: str) -> Sequence[Outcome]:
    try:
        return history.outcomes_of(run.id).get(name, [])
    except GroundedError as error:
        st.text(error.message)
        return []


def _figures(found: SetReport) -> None:
    if staged := by_stage(found):
        rows = [{"retrieval": name} | {s: said(figures.get(s)) for s in STAGES} for name, figures in staged.items()]
        _table(rows)
    plain = [row for row in found.rows if not stage_of(row.metric)]
    _table(
        [
            {"metric": r.metric, "value": number(r.figure.value), "interval": _interval(r.figure), "cases": r.figure.n,
             "n/a": r.figure.undefined, "meaning": BY_NAME[r.metric].meaning if r.metric in BY_NAME else ""}
            for r in plain
        ]
    )  # fmt: skip
    if found.abstention:
        a = found.abstention
        counts: list[dict[str, Any]] = [
            {"questions": "answerable", "answered": a.answered_answerable, "silent": a.silent_answerable},
            {"questions": "not answerable", "answered": a.answered_unanswerable, "silent": a.silent_unanswerable},
        ]
        _table(counts)
    if found.signals:
        st.caption("Signals: opinions about answers, never gold. Do they score right answers above wrong ones?")
        _table(
            [
                {"signal": s.name, "mean": said(s.mean), "agreement (AUROC, 0.5 is chance)": said(s.agreement)}
                for s in found.signals
            ]
        )
    st.caption(
        "Intervals: 95 %, bootstrap over documents. n/a: not defined on a case; counted, never taken for 0 or 1."
    )


def said(figure: Figure | None) -> str:
    """A figure in one cell."""
    return "–" if figure is None else f"{number(figure.value)} {_interval(figure)}".strip()


def _interval(figure: Figure) -> str:
    return f"[{number(figure.low)}, {number(figure.high)}]" if figure.low is not None else ""


def _charts(found: SetReport) -> None:
    colours, drawn = palette(), 0
    staged = by_stage(found)
    stages = {stage: _recall(staged, stage) for stage in STAGES}
    if any(stages.values()):
        _chart(charts.recall_by_k({s: p for s, p in stages.items() if p}, colours), "Recall by k, as under Figures")
        drawn += 1
    if found.reliability:
        bins = {name: [(b.confidence, b.right, b.cases) for b in held] for name, held in found.reliability.items()}
        _chart(charts.reliability(bins, colours), "Share right by confidence, as in the table below")
        _table([{"of": n, "confidence": b[0], "right": b[1], "cases": b[2]} for n, held in bins.items() for b in held])
        drawn += 1
    kinds = sorted(found.kinds, key=lambda kind: kind.right / kind.cases)[:_KINDS]
    if any(kind.right < kind.cases for kind in kinds):
        rows = [(kind.kind, kind.right, kind.cases) for kind in kinds]
        _chart(charts.right_by_kind(rows, colours), "Share wrong by kind, as in the table below")
        _table([{"task": k.task, "kind": k.kind, "right": k.right, "cases": k.cases} for k in kinds])
        drawn += 1
    if not drawn:
        st.text("There is nothing to draw: every case was right.")


def _recall(staged: Mapping[str, Mapping[str, Figure]], stage: str) -> list[tuple[int, float]]:
    figures = [(k, staged.get(f"recall@{k}", {}).get(stage)) for k in KS]
    return [(k, figure.value) for k, figure in figures if figure is not None and figure.value is not None]


def _cases(outcomes: Sequence[Outcome], others: Mapping[str, Outcome] | None) -> tuple[Outcome, Outcome | None] | None:
    """The cases, failing ones first asked for; the chosen one."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        failing = st.toggle("Only failing", True, key="evaluation_failing") if others is None else False
        wanted = st.text_input("Search", key="evaluation_search", placeholder="Question, claim, kind or answer")
    kept = [o for o in outcomes if (not failing or o.right is False) and _matches(o, wanted)]
    st.caption(words.plural(len(kept), "case"))
    rows = [_row(o, others.get(o.id) if others else None) for o in kept]
    event = st.dataframe(
        rows, hide_index=True, on_select="rerun", selection_mode="single-row", key=f"evaluation_cases_{len(kept)}",
        column_config={"asked": st.column_config.TextColumn(width="large")},
        height=frame.table_height(len(kept), 460),
    )  # fmt: skip
    picked = event["selection"]["rows"]
    if not picked or picked[0] >= len(kept):
        return None
    chosen = kept[picked[0]]
    return chosen, others.get(chosen.id) if others else None


def _matches(outcome: Outcome, wanted: str) -> bool:
    text = " ".join((outcome.asked, outcome.kind, outcome.expected, outcome.id)).casefold()
    return all(word in text for word in wanted.casefold().split())


def _row(outcome: Outcome, other: Outcome | None) -> dict[str, Any]:
    row = {"": _mark(outcome), "asked": outcome.asked, "expected": outcome.expected, "said": _brief(outcome)}
    before = {"before": f"{_mark(other)} {_brief(other)}"} if other else {}
    return row | before | {"kind": outcome.kind, "case": outcome.id}


def _mark(outcome: Outcome) -> str:
    return {True: "✓ right", False: "✕ wrong", None: "? undecided"}[outcome.right]


def _brief(outcome: Outcome) -> str:
    return outcome.claims[0].text if outcome.claims and outcome.task == "ask" else outcome.status


# ---------------------------------------------------------------- two runs


def _compare(first: Sequence[Outcome], second: Sequence[Outcome]) -> tuple[Outcome, Outcome | None] | None:
    """The other run against the chosen one: every metric, then the cases that changed."""
    pairs = compare(first, second)
    if not pairs:
        st.text("The two runs have no case of this set in common.")
        return None
    quality = [p for p in pairs if p.section != "cost" and not _is_side_stage(p.metric)]
    drawn = [(p.metric, p.first, p.second) for p in quality if p.first is not None and p.second is not None]
    _chart(charts.before_after(drawn, palette()), "Each metric in both runs, as in the table below")
    _table([_pair(pair) for pair in pairs])
    before = {outcome.id: outcome for outcome in first}
    changed = [o for o in second if o.id in before and before[o.id].right != o.right]
    st.caption("Cases that changed")
    return _cases(changed, before)


def _is_side_stage(metric: str) -> bool:
    at = stage_of(metric)
    return at is not None and at[1] != "reranked"


def _pair(pair: Compared) -> dict[str, Any]:
    d = pair.difference
    between = f"[{d.low:+.3f}, {d.high:+.3f}]" if d.low is not None and d.high is not None else ""
    changed = "n/a" if d.value is None else f"{d.value:+.3f}"
    row = {"metric": pair.metric, "first": number(pair.first), "second": number(pair.second), "difference": changed}
    return row | {"95 % interval": between, "cases": d.n, "verdict": d.verdict}


# ---------------------------------------------------------------- one case


def _view(workspace: Workspace, run: RunReport, case: tuple[Outcome, Outcome | None] | None) -> None:
    if case is None:
        answer_view(payload.document_payload({}, idle=_IDLE), key=VIEW)
        return
    chosen, other = case
    claims = [*chosen.claims, *_gold(chosen), *(_earlier(other) if other else ())]
    view = payload.document_payload(_shelves(workspace, claims))
    view |= {
        "key": f"case:{run.id}:{chosen.id}:{other is not None}",
        "state": "answered",
        "question": chosen.asked,
        "summary": [_mark(chosen), f"expected: {chosen.expected}", chosen.status],
        "notes": [chosen.note] if chosen.note else [],
        "claims": payload.claims_payload(claims),
        "focus": {"claim": claims[0].id, "citation": 0, "sheet": False} if claims else None,
    }
    answer_view(view, key=VIEW)


def _gold(outcome: Outcome) -> list[VerifiedClaim]:
    """The gold as one more card, so that it is shown on its page like any other."""
    cited = [
        Citation(
            source_id=None,
            document=spot.document,
            source_name=spot.name,
            page=spot.page,
            page_label=str(spot.page),
            section="gold",
            snippet=spot.text,
            spans=spot.spans,
            boxes=spot.boxes,
            chunk_id=None,
            match="exact",
            score=None,
        )
        for spot in outcome.places
        if spot.page
    ]
    return [VerifiedClaim(id="gold", text=f"Gold: {outcome.expected}", citations=tuple(cited), verdict=_GOLD)]


def _earlier(outcome: Outcome) -> list[VerifiedClaim]:
    """What the other run said."""
    return [
        c.model_copy(update={"id": f"before-{c.id}", "text": f"Compared run: {c.text}"}) for c in outcome.claims
    ] or [VerifiedClaim(id="before", text=f"Compared run: {outcome.status}", verdict=_SILENT)]


_SILENT = Verdict(grounded=False, status="unverified", confidence=0.0, reason="It made no claim.")


def _shelves(workspace: Workspace, claims: Sequence[VerifiedClaim]) -> dict[str, Shelf]:
    shelves: dict[str, Shelf] = {}
    for citation in (c for claim in claims for c in claim.citations):
        try:
            pages = access.library_for(workspace.user, citation.document).page_count(citation.document)
            shelves[citation.document] = Shelf(citation.source_name, pages)
        except GroundedError:
            shelves[citation.document] = Shelf(citation.source_name, citation.page, removed=True)
    return shelves


def _chart(figure: Any, alt: str) -> None:
    st.plotly_chart(figure, theme=None, config=_PLAIN, alt=alt)


def _table(rows: Sequence[dict[str, Any]]) -> None:
    st.dataframe(list(rows), hide_index=True, height=frame.table_height(len(rows), 520))
