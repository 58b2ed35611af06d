"""The Library page: add PDFs, see what could be read of them, open, rename, remove, index again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from grounded.errors import GroundedError
from grounded.types import DocumentRecord
from grounded.ui import frame, payload, state, words
from grounded.ui.access import Workspace
from grounded.ui.answer import answer_view
from grounded.ui.indexing import Desk, Indexing, Upload
from grounded.ui.payload import Focus, Shelf

VIEW = "library_view"
_TICK = 0.5  # seconds between looks at an indexing run


@st.cache_resource
def desk() -> Desk:
    """The indexing runs of this server."""
    return Desk()


def add_files(workspace: Workspace) -> None:
    """Drop zone and password, or the run that is going on."""
    running = desk().of(workspace.user)
    if running:
        _progress(workspace, running)
    if running and not running.done:
        return
    turn = state.get("library_turn", 0)
    files = st.file_uploader(
        "Add PDFs", type=["pdf"], accept_multiple_files=True, key=f"library_files_{turn}",
        max_upload_size=min(500, workspace.settings.documents.max_file_mb),
    )  # fmt: skip
    if not files:
        return
    with st.form("library_add", border=False):
        password = st.text_input("Password, if one of them needs it", type="password", key=f"library_password_{turn}")
        if st.form_submit_button(f"Add {words.plural(len(files), 'file')}", type="primary"):
            uploads = [Upload(file.name, file.getvalue()) for file in files]
            desk().start(workspace.user, Indexing(workspace.library, uploads, [password] if password else []))
            state.put("library_turn", turn + 1)  # a new uploader: the old one's files are on their way
            st.rerun()


def _progress(workspace: Workspace, running: Indexing) -> None:
    """How far a run is. Its buttons act in callbacks: `st.rerun` would win over a click on another page's link."""

    @st.fragment(run_every=_TICK)
    def panel() -> None:
        if running.done:
            st.rerun(scope="app")
        _lines(running)
        st.button("Cancel", on_click=running.cancel)

    with frame.own_place("indexing"):
        if not running.done:
            panel()
            return
        _lines(running)
        st.button("Close", on_click=desk().dismiss, args=(workspace.user,))


def _lines(running: Indexing) -> None:
    st.text(running.summary)
    if running.trouble:
        st.error("The library could not be written.")
        st.text(running.trouble.message)
    lines = sorted(running.lines, key=lambda line: not line.bad)
    st.dataframe(
        [{"file": line.name, "pages read": line.share, "state": line.said} for line in lines],
        column_config={"pages read": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)},
        hide_index=True,
        height=frame.table_height(len(lines), 300),
    )


def table(documents: Sequence[DocumentRecord]) -> str | None:
    """The documents, searchable. Returns the id of the chosen one."""
    wanted = st.text_input(
        "Search", placeholder="Search by name or title", key="library_search", label_visibility="collapsed"
    )
    found = [r for r in documents if _matches(r, wanted)][::-1]
    st.caption(f"{words.plural(len(found), 'document')}" + (f" of {len(documents):,}" if wanted else ""))
    key = f"library_table_{len(documents)}_{wanted}"  # a row that was ticked never comes to mean another document

    def open_ticked() -> None:
        if rows := state.ticked(key):
            state.set_link(doc=found[rows[0]].id, page=1)

    st.dataframe(
        [_row(record) for record in found],
        column_config={
            "added": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
        hide_index=True,
        height=frame.table_height(len(found), 420),
        on_select=open_ticked,
        selection_mode="single-row",
        key=key,
    )
    linked = state.link().focus.document
    return linked if any(record.id == linked for record in documents) else None


def _matches(record: DocumentRecord, wanted: str) -> bool:
    text = " ".join((*record.names, record.title)).casefold()
    return all(word in text for word in wanted.casefold().split())


def _row(record: DocumentRecord) -> dict[str, object]:
    return {
        "name": record.name,
        "readable": f"{record.readable_pages:,} of {record.pages:,}",
        "unread": _unread(record),
        "passages": record.chunks,
        "added": record.added,
        "id": record.id[:12],
    }


def _unread(record: DocumentRecord) -> str:
    return "; ".join(dict.fromkeys(record.coverage.unread.values()))


def chosen(workspace: Workspace, documents: Sequence[DocumentRecord], document: str | None) -> None:
    """One document: what was read of it and what can be done with it; its pages in the viewer."""
    record = next((r for r in documents if r.id == document), None)
    if record:
        with st.container(border=True):
            frame.title(record.name)
            _coverage(record)
            _sections(workspace, record)
            _actions(workspace, record)
    known = {r.id: Shelf(r.name, r.pages) for r in ([record] if record else [])}
    page = state.link().focus.page if record and state.link().focus.document == record.id else 1
    idle = "Choose a document to see its pages." if documents else "The pages of your documents appear here."
    focus = Focus(document=record.id, page=page) if record else Focus()
    answer_view(payload.document_payload(known, focus, idle), key=VIEW, on_place=_follow)


def _follow() -> None:
    place = state.place(VIEW)
    if place.get("document"):
        state.set_link(doc=place["document"], page=place["page"])


def _coverage(record: DocumentRecord) -> None:
    coverage = record.coverage
    lines = [f"{record.readable_pages} of {words.plural(record.pages, 'page')} readable, {record.chunks:,} passages"]
    if coverage.ocr:
        lines.append(f"Read by OCR: pages {words.ranges(coverage.ocr)}")
    for reason in dict.fromkeys(coverage.unread.values()):
        pages = [number for number, why in coverage.unread.items() if why == reason]
        lines.append(f"Not read: pages {words.ranges(pages)}, {reason}")
    if coverage.hidden:
        lines.append(f"Hidden text, never cited: {words.plural(len(coverage.hidden), 'place')}")
    if len(record.names) > 1:
        lines.append(f"Also added as {words.listed(record.names[1:])}")
    lines += coverage.warnings[:5]
    st.text("\n".join([*lines, f"sha256 {record.id}"]))


def _sections(workspace: Workspace, record: DocumentRecord) -> None:
    panel = st.expander(f"Sections ({record.sections})", on_change="rerun", key=f"library_sections_{record.id[:12]}")
    if not panel.open:
        return
    with panel:
        places: dict[str, int] = {}
        for chunk in workspace.library.index.chunks(record.id):
            places.setdefault(chunk.section, chunk.page)
        found = [(title or "(before the first heading)", page) for title, page in places.items()]
        rows = [{"section": title, "page": page} for title, page in found]
        key = f"library_section_table_{record.id[:12]}"

        def turn_to_ticked() -> None:
            if ticked := state.ticked(key):
                state.set_link(doc=record.id, page=found[ticked[0]][1])

        st.dataframe(
            rows, hide_index=True, on_select=turn_to_ticked, selection_mode="single-row", key=key,
            height=frame.table_height(len(rows), 300),
        )  # fmt: skip


def _actions(workspace: Workspace, record: DocumentRecord) -> None:
    with st.container(horizontal=True, gap="small"):
        if st.button("Ask about it", type="primary", icon=":material/search:"):
            state.put("scope", [record.id])
            st.switch_page("pages/ask.py")
        if st.button("Rename"):
            _rename(workspace, record)
        if st.button("Index again"):
            _reindex(workspace, record)
        if st.button("Remove"):
            _remove(workspace, record)


@st.dialog("Rename a document")
def _rename(workspace: Workspace, record: DocumentRecord) -> None:
    name = st.text_input("New name", record.name, max_chars=200)
    st.text("Earlier answers keep the name they were given under. The file itself is not changed.")
    if st.button("Rename", type="primary", key="library_rename_do"):
        _tried(lambda: workspace.library.rename(record.id, name))


@st.dialog("Remove a document")
def _remove(workspace: Workspace, record: DocumentRecord) -> None:
    st.text(record.name)
    st.text(
        f"Its {record.chunks:,} passages will no longer be found by any question. "
        "Earlier answers that cite it, and the pages they cite, stay open for the record."
    )
    if st.button("Remove", type="primary", key="library_remove_do"):
        _tried(lambda: workspace.library.remove(record.id))


def _reindex(workspace: Workspace, record: DocumentRecord) -> None:
    try:
        upload = Upload(record.name, workspace.library.original(record.id))
    except GroundedError as error:
        st.error("The original cannot be read.")
        st.text(error.message)
        return
    desk().start(workspace.user, Indexing(workspace.library, [upload]))
    st.rerun()


def _tried(action: Callable[[], object]) -> None:
    with st.spinner("Writing to the library"):  # it may have to wait for another process that does
        try:
            action()
        except GroundedError as error:
            st.error("This did not work.")
            st.text(error.message)
            return
    st.rerun()
