"""What lies below an answer: how sure, what was found, where the time went, its record, and taking it away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import streamlit as st

from grounded import documents, locations
from grounded.audit.reader import read_trace, rebuild_answer
from grounded.audit.receipt import build_receipt
from grounded.errors import GroundedError
from grounded.types import Answer, Box, Citation, HitRecord
from grounded.ui import access, charts, export, integrity, words
from grounded.ui.access import Workspace, home_of
from grounded.ui.export import Record
from grounded.ui.theme import palette

_PANELS = ("Confidence", "Sources", "Timing", "Record", "Take away")
_RANKS_SHOWN = 12  # passages that were not read, up to this rank
_PLAIN = {"displayModeBar": False}
_PICTURE_SCALE = 1.5  # pixels per point of the page images in an HTML file
_KINDS = (
    ("Markdown", "md", "text/markdown", lambda record, _: export.markdown(record)),
    ("HTML with pages", "html", "text/html", lambda record, picture: export.page(record, picture)),
    ("Word", "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
     lambda record, _: export.word(record)),
    ("Claims (CSV)", "csv", "text/csv", lambda record, _: export.claims_csv(record)),
    ("JSON", "json", "application/json", lambda record, _: export.answer_json(record)),
)  # fmt: skip


def places(answer: Answer) -> Iterator[Citation | HitRecord]:
    """Everything of an answer that stands on a page."""
    for claim in answer.claims:
        yield from claim.citations
    for conflict in answer.conflicts:
        yield from conflict.citations
    if answer.abstention:
        yield from answer.abstention.nearest


def spans(workspace: Workspace, trace: str) -> list[dict[str, Any]]:
    """The spans of a trace, oldest first. Raises UsageError or AuditError."""
    return read_trace(home_of(workspace, trace).settings.traces, trace, state=locations.state())


def rebuild(workspace: Workspace, trace: str) -> Answer:
    """The answer as it was shown, from its trace alone. Raises UsageError or AuditError."""
    return Answer.model_validate(rebuild_answer(spans(workspace, trace)))


@st.fragment
def below(workspace: Workspace, answer: Answer) -> None:
    """The panels, one at a time and none at first."""
    panel = st.segmented_control("More about this answer", _PANELS, key="panel", label_visibility="collapsed")
    show = {
        "Confidence": lambda: confidence(answer),
        "Sources": lambda: sources(answer.hits),
        "Timing": lambda: timing(answer),
        "Record": lambda: record_panel(workspace, answer.trace_id),
        "Take away": lambda: take_away(workspace, answer),
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


def sources(found: Sequence[HitRecord]) -> None:
    """What was found, what it scored, what of it was read."""
    hits = [hit for hit in found if hit.in_context or hit.reranked_rank <= _RANKS_SHOWN]
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


def timing(answer: Answer) -> None:
    """Where the time went."""
    _chart(charts.timing(answer.timings_ms, palette()), "Milliseconds of each step, as in the table below")
    _table([{"step": name, "milliseconds": value} for name, value in answer.timings_ms.items()])
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


def take_away(workspace: Workspace, answer: Answer) -> None:
    """Download buttons; a file is made when its button is pressed."""
    st.text(
        "Each file has the question, the claims with verdicts and snippets, pages, document hashes, time and trace."
    )
    record = record_of(workspace, answer)
    picture = pictures(workspace)
    with st.container(horizontal=True, gap="small"):
        for label, suffix, mime, make in _KINDS:
            st.download_button(
                label, _made(make, record, picture), f"grounded-{answer.trace_id[:12]}.{suffix}", mime,
                key=f"take_{suffix}", on_click="ignore",
            )  # fmt: skip
        _receipt(workspace, answer.trace_id)


def _receipt(workspace: Workspace, trace: str) -> None:
    """The trace with its proof, checkable without this project."""
    folder = home_of(workspace, trace).settings.traces

    def data() -> bytes:
        return build_receipt(folder, trace, state=locations.state())

    st.download_button(
        "Evidence receipt", data, f"grounded-{trace[:12]}.receipt.zip", "application/zip", key="take_receipt",
        on_click="ignore", help="The record with its proof. Who checks it needs the log's key from you.",
    )  # fmt: skip


def record_of(workspace: Workspace, answer: Answer) -> Record:
    """The answer with its time, documents and link; the time and documents come from its trace."""
    try:
        root = spans(workspace, answer.trace_id)[0]
    except (GroundedError, IndexError):
        root = {}
    asked: dict[str, Any] = root.get("input") or {}
    named = {str(d.get("sha256")): str(d.get("name")) for d in asked.get("documents", [])}
    cited = {place.document: place.source_name for place in places(answer)}
    used = {key: name for key, name in {**named, **cited}.items() if key in cited or not cited}
    return Record(answer, str(root.get("start", "")), used, link(answer.trace_id))


def link(trace: str) -> str:
    """Address of the answer's view."""
    address = (st.context.url or "").split("?")[0].rstrip("/").removesuffix("/traces").removesuffix("/check")
    return f"{address}/?trace={trace}"


def pictures(workspace: Workspace) -> Callable[[str, int, Sequence[Box]], bytes | None]:
    """Pages as PNGs with boxes marked, None for those that can no longer be had."""
    pixels = workspace.settings.documents.render_pixels

    def picture(document: str, page: int, boxes: Sequence[Box]) -> bytes | None:
        try:
            data = access.library_for(workspace.user, document).original(document)
            return documents.render(data, page, scale=_PICTURE_SCALE, boxes=boxes, max_pixels=pixels)
        except (GroundedError, IndexError):
            return None

    return picture


def _made(make: Any, record: Record, picture: Any) -> Callable[[], bytes]:
    def data() -> bytes:
        made = make(record, picture)
        return made if isinstance(made, bytes) else made.encode("utf-8")

    return data


def _chart(figure: Any, alt: str) -> None:
    st.plotly_chart(figure, theme=None, config=_PLAIN, alt=alt)


def _table(rows: Sequence[dict[str, Any]], columns: dict[str, Any] | None = None) -> None:
    st.dataframe(list(rows), column_config=columns or {}, hide_index=True, height=min(38 + 36 * max(1, len(rows)), 360))
