"""What lies below an answer: how sure, what was found, where the time went, its record, and taking it away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from grounded.errors import GroundedError
from grounded.types import Answer
from grounded.ui import access, charts, frame, integrity, marking, words
from grounded.ui.access import Workspace, home_of
from grounded.ui.downloads import downloads
from grounded.ui.files import ANSWER
from grounded.ui.mattered import which_mattered
from grounded.ui.recorded import places, rebuild
from grounded.ui.theme import palette

_PANELS = ("Confidence", "Sources", "Timing", "Record", "Take away", "Mark")
_RANKS_SHOWN = 12  # passages that were not read, up to this rank
_PLAIN = {"displayModeBar": False}


@st.fragment
def below(workspace: Workspace, answer: Answer) -> None:
    """The panels, one at a time and none at first."""
    panel = st.segmented_control("More about this answer", _PANELS, key="panel", label_visibility="collapsed")
    show = {
        "Confidence": lambda: confidence(answer),
        "Sources": lambda: sources(workspace, answer),
        "Timing": lambda: timing(answer),
        "Record": lambda: record_panel(workspace, answer.trace_id),
        "Take away": lambda: take_away(answer),
        "Mark": lambda: marking.panel(workspace, answer),
    }
    if panel:
        show[panel]()


def confidence(answer: Answer) -> None:
    """Claims by confidence."""
    if not answer.claims:
        st.text("There are no claims to be sure of.")
        return
    _chart(charts.claims_by_confidence(answer.claims, palette()), "Confidence of each claim, as in the table below")
    rows = [
        {"claim": number, "verdict": c.verdict.status, "confidence": c.verdict.confidence, "text": c.text}
        for number, c in enumerate(answer.claims, 1)
    ]
    _table(rows, {"confidence": st.column_config.NumberColumn(format="%.2f")})


def sources(workspace: Workspace, answer: Answer) -> None:
    """What was found, what it scored, what of it was read, and what of that mattered."""
    hits = [hit for hit in answer.hits if hit.in_context or hit.reranked_rank <= _RANKS_SHOWN]
    if not hits:
        st.text("No passages are recorded for this answer.")
        return
    colours = palette()
    _chart(charts.sources_by_parts(hits, colours), "Retrieval confidence of each source in two parts, as in the table")
    _chart(charts.ranks(hits, colours), "Rank of each passage before and after reranking, as in the table below")
    rows = [
        {
            "source": hit.source_id or "–",
            "where": words.where(hit),
            "cosine": hit.cosine,
            "section match": hit.section_match,
            "retrieval": hit.retrieval_confidence,
            "rank": hit.retrieved_rank,
            "after reranking": hit.reranked_rank,
            "use": "read" if hit.in_context else hit.trimmed or "not read",
        }
        for hit in hits
    ]
    decimals = st.column_config.NumberColumn(format="%.3f")
    _table(rows, dict.fromkeys(("cosine", "section match", "retrieval"), decimals))
    if answer.claims:
        which_mattered(workspace, answer)


def timing(answer: Answer) -> None:
    """Where the time went."""
    steps = words.in_order(answer.timings_ms)
    _chart(charts.timing(steps, palette()), "Milliseconds of each step, as in the table below")
    decimals = st.column_config.NumberColumn(format="%.1f")
    _table([{"step": name, "milliseconds": value} for name, value in steps.items()], {"milliseconds": decimals})
    usage = answer.usage
    if usage.input_tokens or usage.output_tokens:
        cost = words.money(usage.cost_usd) or "price unknown"
        st.text(f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {cost}")


def record_panel(workspace: Workspace, trace: str) -> None:
    """Is the record whole?"""
    try:
        report = integrity.check(workspace, trace)
    except GroundedError as error:
        st.text(error.message)
        return
    integrity.headline(report)
    st.text(f"Trace {trace}")
    integrity.findings(report)
    st.page_link("pages/traces.py", label="Open the whole record", query_params={"trace": trace})
    if access.sign_in_is_on() and home_of(workspace, trace) is workspace:
        _sharing(workspace, trace)


def _sharing(workspace: Workspace, trace: str) -> None:
    """Let everybody who can sign in see this answer, or take that back."""
    before = access.shares().owner(trace) is not None
    after = st.toggle("Shared with everybody who can sign in here", before, key=f"share_{trace}")
    if after and not before:
        cited = {place.document for place in places(rebuild(workspace, trace))}
        access.shares().share(trace, workspace.user, cited)
    elif before and not after:
        access.shares().unshare(trace)
    st.caption("They see the question, the answer, its record, and the pages of the documents it cites.")


def take_away(answer: Answer) -> None:
    """Buttons of the files; each is made when its button is pressed."""
    st.text(
        "Each file has the question, the claims with verdicts and snippets, pages, document hashes, time and trace. "
        "Who checks the receipt needs the log's key from you."
    )
    downloads(answer.trace_id, ANSWER, key="take_away")


def _chart(figure: Any, alt: str) -> None:
    st.plotly_chart(figure, theme=None, config=_PLAIN, alt=alt)


def _table(rows: Sequence[dict[str, Any]], columns: dict[str, Any] | None = None) -> None:
    st.dataframe(list(rows), column_config=columns or {}, hide_index=True, height=frame.table_height(len(rows), 360))
