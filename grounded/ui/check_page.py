"""The Check page: claims from anywhere, held against documents of the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from grounded.retrieval.pairs import available_pairs
from grounded.text import collapse, sentence_spans
from grounded.types import Conflict, DocumentRecord, VerifiedClaim
from grounded.ui import payload, state, words
from grounded.ui.access import Workspace
from grounded.ui.answer import answer_view
from grounded.ui.payload import Focus, Shelf
from grounded.verification.check import CheckItem, check_claims

VIEW = "check_view"
MOST = 100  # claims at once
_EXAMPLE = "The expense ratio is 0.03%.\nThe 10-year return at net asset value is 14.36%."


@dataclass(frozen=True)
class Checked:
    """What was checked: one claim a sentence, the best verdict over the documents in scope."""

    claims: tuple[VerifiedClaim, ...]
    documents: tuple[str, ...]
    asked: int  # claims that were to be checked: more than there are when it was stopped
    conflicts: tuple[Conflict, ...] = ()


def form(workspace: Workspace, documents: Sequence[DocumentRecord]) -> None:
    """Text to check and the documents to hold it against."""
    names = {record.id: record.name for record in documents}
    with st.form("check", border=False):
        text = st.text_area(
            "Claims or a whole answer, from anywhere", placeholder=_EXAMPLE, height=140, max_chars=20_000
        )
        scope = st.multiselect(
            "Against", list(names), format_func=lambda key: names.get(key, key), placeholder="All documents"
        )
        if not st.form_submit_button("Check", type="primary", disabled=not documents):
            return
    claims = split(text)
    if not claims:
        st.warning("There is nothing to check: write or paste a sentence.")
        return
    with (place := st.empty()).container():
        bar = st.progress(0.0)
        st.button("Stop")  # any click ends this run of the page; what is checked by then is kept

    def told(done: Checked) -> None:
        state.put("check_result", done)
        bar.progress(len(done.claims) / done.asked, text=f"{len(done.claims)} of {_claims(done)} checked")

    check(workspace, claims, scope or list(names), on_claim=told)
    place.empty()


def split(text: str) -> list[str]:
    """The sentences of a text, one claim each; a line is never joined with the next one."""
    lines = [line.strip().lstrip("-*•–").strip() for line in text.splitlines()]
    return [collapse(line[start:end]) for line in lines for start, end in sentence_spans(line)][:MOST]


def check(
    workspace: Workspace,
    claims: Sequence[str],
    scope: Sequence[str],
    *,
    on_claim: Callable[[Checked], None] = lambda done: None,
) -> Checked:
    """Every claim against every document in scope; the verdict that says most is kept. on_claim: what is done."""
    library = workspace.library
    done = Checked((), tuple(scope), len(claims))
    for number, claim in enumerate(claims, 1):
        item = CheckItem(claim=claim, document=tuple(scope))
        (result,) = check_claims([item], lambda name: (name, library), available_pairs())
        checked = VerifiedClaim(id=f"c{number}", text=claim, citations=result.citations, verdict=result.verdict)
        done = replace(done, claims=(*done.claims, checked), conflicts=(*done.conflicts, *result.conflicts))
        on_claim(done)
    return done


def _claims(checked: Checked) -> str:
    return words.plural(checked.asked, "claim")


def outcome(documents: Sequence[DocumentRecord]) -> None:
    """The verdicts beside the pages they rest on."""
    checked: Checked | None = state.get("check_result")
    if checked is None:
        idle = "The pages that prove or contradict a claim appear here." if documents else "Add documents first."
        answer_view(payload.document_payload({}, Focus(), idle), key=VIEW)
        return
    grounded = sum(claim.verdict.grounded for claim in checked.claims)
    shelves = {r.id: Shelf(r.name, r.pages) for r in documents if r.id in checked.documents}
    view = payload.document_payload(shelves)
    against = f"against {words.plural(len(shelves), 'document')}"
    done = len(checked.claims)
    stopped = [f"stopped after {done} of {_claims(checked)}"] if done < checked.asked else []
    view |= {
        "key": f"check:{hash(checked.claims)}",
        "state": "answered",
        "question": "Checked claims",
        "summary": [f"{grounded} of {done} grounded", *stopped, "checked on this machine, no language model", against],
        "claims": payload.claims_payload(checked.claims),
        "conflicts": payload.conflicts_payload(checked.conflicts),
    }
    answer_view(view, key=VIEW)
