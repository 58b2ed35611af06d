"""The Ask page: scope, question, answer beside its pages, and what lies below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from grounded.errors import GroundedError
from grounded.llm import disclosure
from grounded.pipeline import Turn
from grounded.settings import Settings
from grounded.types import Answer, DocumentRecord
from grounded.ui import details, frame, page, payload, state, words
from grounded.ui.access import Workspace, home_of
from grounded.ui.answer import answer_view
from grounded.ui.payload import Focus, Shelf
from grounded.ui.recorded import places, rebuild
from grounded.ui.runs import Run, Runs

VIEW = "answer"  # key of the component
_EXAMPLES = (
    "What is the expense ratio?",
    "Which sector is the largest, and what share of the fund is it?",
    "What was the 10-year return at net asset value?",
)
_SAMPLES = ("nimbus_2024.pdf", "nimbus_2025.pdf")
_FOLLOW_UPS = 6  # earlier questions a follow-up is read with


@st.cache_resource
def runs() -> Runs:
    """The questions being answered by this server."""
    return Runs()


def top_row(workspace: Workspace, documents: Sequence[DocumentRecord]) -> tuple[str, ...]:
    """Scope, earlier questions and settings. Returns the ids in scope, () for all."""
    _hold(workspace)
    if not state.link().run:
        _shown(workspace, state.link())  # what a link names belongs to the session before its questions are listed
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="top"):
        scope = _scope(documents)
        _earlier(workspace)
        _options(workspace.settings)
        if state.shown() and st.button("New question", type="tertiary", icon=":material/add:"):
            state.clear()
            st.rerun()
    return scope


def body(workspace: Workspace, documents: Sequence[DocumentRecord], scope: tuple[str, ...]) -> None:
    """Whatever the page has to show now: what went wrong, a running question, an answer, a document, or the way in.

    The component stays the same one in its place through all of these, so the page beside it never blinks."""
    link = state.link()
    run = runs().find(link.run, workspace.user) if link.run else None
    shown = None if run else _shown(workspace, link)

    @st.fragment
    def panel() -> None:
        if run and run.progress.done:
            _finish(run)
        view = _view(workspace, documents, scope, run, shown)
        answer_view(view, key=VIEW, on_place=_follow, on_stop=run.stop if run else _nothing)

    with st.container():
        _problem()
    with frame.own_place("answer"):
        panel()
    if shown:
        with frame.own_place("below"):
            details.below(workspace, shown.answer)
    elif not run:
        _way_in(workspace, documents, scope, link)


def question_box(workspace: Workspace, documents: Sequence[DocumentRecord], scope: tuple[str, ...]) -> None:
    """The box at the foot of the page."""
    busy = _busy(workspace)
    hint = "Answering…" if busy else "Ask a follow-up or another question" if state.shown() else "Ask your documents"
    asked = st.chat_input(hint, key="question", disabled=busy or not documents, max_chars=8000)
    if asked and asked.strip():
        ask(workspace, documents, scope, asked.strip())


def ask(workspace: Workspace, documents: Sequence[DocumentRecord], scope: tuple[str, ...], question: str) -> None:
    """Start answering and show it."""
    from grounded.pipeline import ask as answer

    settings = _chosen(workspace.settings)
    history = [Turn(entry.question, entry.answer) for entry in state.earlier()[-_FOLLOW_UPS:]]
    names = [record.name for record in documents if not scope or record.id in scope]
    work = partial(
        answer,
        question,
        library=workspace.library,
        settings=settings,
        scope=scope,
        history=history,
        judge=bool(state.get("option_judge")),
        actor=workspace.user,
    )
    run = Run(question=question, owner=workspace.user, documents=names, work=work)
    runs().add(run)
    run.wait(0.15)
    state.put("ask_going", run.key)
    state.set_link(run=run.key)
    st.rerun()


def shelves(documents: Sequence[DocumentRecord]) -> dict[str, Shelf]:
    """The library's documents as the viewer needs them."""
    return {record.id: Shelf(record.name, record.pages) for record in documents}


def cited_shelves(answer: Answer, documents: Sequence[DocumentRecord]) -> dict[str, Shelf]:
    """The documents an answer points at; those no longer in the library are marked so."""
    known = shelves(documents)
    found: dict[str, Shelf] = {}
    for place in places(answer):
        gone = Shelf(place.source_name, place.page, removed=True)
        found[place.document] = known.get(place.document, gone)
    return found


# ---------------------------------------------------------------- the top row


def _scope(documents: Sequence[DocumentRecord]) -> tuple[str, ...]:
    names = _distinct(documents)
    chosen = [key for key in state.get("scope", []) if key in names]
    label = words.plural(len(documents), "document") if not chosen else f"{len(chosen)} of {len(documents)} documents"
    with st.popover(label, icon=":material/description:"):
        picked = st.multiselect(
            "Ask only these documents",
            list(names),
            format_func=lambda key: names.get(key, key),
            key="scope",
            placeholder="All documents",
            persist_state="session",
        )
        st.page_link("pages/library.py", label="Add or remove documents")
    return tuple(key for key in picked if key in names)


def _distinct(documents: Sequence[DocumentRecord]) -> dict[str, str]:
    """id -> name; documents that share a name are told apart by the start of their hash."""
    counts: dict[str, int] = {}
    for record in documents:
        counts[record.name] = counts.get(record.name, 0) + 1
    return {r.id: r.name if counts[r.name] == 1 else f"{r.name} ({r.id[:8]})" for r in documents}


def _earlier(workspace: Workspace) -> None:
    entries = state.earlier()[::-1]
    if not entries:
        return
    with st.popover(f"Earlier ({len(entries)})", icon=":material/history:"):
        texts = {entry.trace_id: entry.question for entry in entries}
        picked = st.selectbox(
            "Questions of this session",
            list(texts),
            index=None,
            format_func=texts.__getitem__,
            placeholder="Choose one",
        )
        if picked and st.button("Show this answer"):
            state.put("ask_going", None)
            state.set_link(trace=picked)
            st.rerun()


def _options(settings: Settings) -> None:
    with st.popover("Options", icon=":material/tune:"):
        model = settings.model_copy(update={"reader": "auto"}).reader_in_use == "claude"  # a key, or a local endpoint
        readers = ["auto", "claude", "extractive"] if model else ["extractive"]
        first = readers.index(settings.reader) if settings.reader in readers else 0
        reader = st.selectbox("Reader", readers, first, key="option_reader", persist_state="session")
        st.number_input("Passages read", 1, 50, settings.retrieval.top_k, key="option_top_k", persist_state="session")
        st.toggle(
            "Source labels inside the context", settings.generation.include_citations, key="option_labels",
            persist_state="session",
        )  # fmt: skip
        st.toggle(
            "Score the answer with a model", False, key="option_judge",
            disabled=not model or reader == "extractive",
            persist_state="session",
        )  # fmt: skip
        st.text(leaves(_chosen(settings)))
        page.sign_out()


def _chosen(settings: Settings) -> Settings:
    retrieval = settings.retrieval.model_copy(update={"top_k": state.get("option_top_k", settings.retrieval.top_k)})
    labels = state.get("option_labels", settings.generation.include_citations)
    generation = settings.generation.model_copy(update={"include_citations": labels})
    reader = state.get("option_reader", settings.reader)
    return settings.model_copy(update={"retrieval": retrieval, "generation": generation, "reader": reader})


def leaves(settings: Settings) -> str:
    """What leaves the machine, said before the first question."""
    return disclosure(settings).sentence


# ---------------------------------------------------------------- what the page shows


def _busy(workspace: Workspace) -> bool:
    key = state.link().run
    run = runs().find(key, workspace.user) if key else None
    return bool(run and not run.progress.done)


def _view(
    workspace: Workspace,
    documents: Sequence[DocumentRecord],
    scope: tuple[str, ...],
    run: Run | None,
    shown: state.Shown | None,
) -> payload.Payload:
    focus = state.link().focus
    first = next((r.id for r in documents if r.id in scope), documents[-1].id if documents else None)
    if run:
        progress = run.progress
        claims = progress.verified or progress.drafts
        wanted = {first, *(place.document for claim in progress.verified for place in claim.citations)}
        known = shelves([record for record in documents if record.id in wanted])
        return payload.running_payload(
            run.key, run.question, progress.step, progress.share, claims, known, Focus(document=first)
        )
    if shown:
        home = home_of(workspace, shown.answer.trace_id)
        cited = cited_shelves(shown.answer, documents if home is workspace else home.library.documents())
        return payload.answer_payload(shown.answer, cited, home.library, key=shown.key, focus=focus)
    if focus.document is None:
        focus = Focus(document=first)
    idle = "" if documents else "The pages of your documents appear here."
    open_one = [record for record in documents if record.id == focus.document]
    return payload.document_payload(shelves(open_one), focus, idle)


def _hold(workspace: Workspace) -> None:
    """Stay with the question that is being answered. What the browser reports late, such as a page turned just before
    asking, comes with the address of that moment and would lead away from it."""
    going = state.get("ask_going")
    if going and runs().find(going, workspace.user) is None:
        state.put("ask_going", None)
    elif going and state.link().run != going:
        state.set_link(run=going)


def _finish(run: Run) -> None:
    progress = run.progress
    state.put("ask_going", None)
    if progress.answer:
        state.show(progress.answer, run.key)
        state.set_link(trace=progress.answer.trace_id)
    elif progress.error:
        state.put("ask_error", (run.question, progress.error))
        state.set_link()
    st.rerun(scope="app")


def _shown(workspace: Workspace, link: state.Link) -> state.Shown | None:
    """The answer the link names, from this session or rebuilt from its trace; else the one that was on screen."""
    shown = state.shown()
    if link.trace and (shown is None or shown.answer.trace_id != link.trace):
        try:
            state.show(rebuild(workspace, link.trace))
        except GroundedError as error:
            state.put("ask_error", ("", error))
            state.clear()
            return None
        return state.shown()
    if shown and not link.trace and not link.focus.document:
        state.set_link(trace=shown.answer.trace_id)
    return None if link.focus.document and not link.trace else shown


def _follow() -> None:
    """Write where the reader looks into the address bar; a late word from a view that has gone says nothing."""
    place, shown = state.place(VIEW), state.shown()
    if state.get("ask_going") or state.link().run or (shown and place.get("key") != shown.key):
        return
    trace = shown.answer.trace_id if shown else None
    if trace and place.get("claim"):
        state.set_link(trace=trace, claim=place["claim"], cite=place.get("citation") or None)
    elif place.get("document"):
        state.set_link(trace=trace, doc=place["document"], page=place["page"])


def _nothing() -> None:
    """There is nothing to stop."""


def _way_in(
    workspace: Workspace, documents: Sequence[DocumentRecord], scope: tuple[str, ...], link: state.Link
) -> None:
    if link.run:
        _lost()
    elif link.focus.document and link.focus.document not in shelves(documents):
        st.warning("This document is not in the library.")
    if documents:
        _welcome(workspace, documents, scope)
    else:
        _empty(workspace)


def _lost() -> None:
    st.warning("This question was interrupted: the server was restarted while it was being answered.")
    st.text("What was recorded until then is under Traces. You can ask again.")


def _problem() -> None:
    question, error = state.get("ask_error", ("", None))
    if error is None:
        return
    state.put("ask_error", ("", None))
    with st.container(border=True):
        st.markdown("**This did not work**")
        st.text(error.message)
        if question:
            st.text(f"Asked: {question}")


def _welcome(workspace: Workspace, documents: Sequence[DocumentRecord], scope: tuple[str, ...]) -> None:
    st.header("Ask your documents", anchor=False)
    st.text("Every sentence of an answer is checked and shown on the page it rests on.")
    st.caption("What leaves this machine")
    st.text(leaves(_chosen(workspace.settings)))
    if any(record.name in _SAMPLES for record in documents):
        st.caption("Try one of these on the sample fact sheets")
        for number, example in enumerate(_EXAMPLES):
            if st.button(example, key=f"example_{number}", width="stretch"):
                ask(workspace, documents, scope, example)


def _empty(workspace: Workspace) -> None:
    st.header("Ask your documents", anchor=False)
    st.text("The library is empty. Add PDFs, and every sentence of an answer will be shown on the page it rests on.")
    st.page_link("pages/library.py", label="Add PDFs", icon=":material/upload_file:")
    st.text(leaves(_chosen(workspace.settings)))
