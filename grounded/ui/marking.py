"""Mark: a person says which claims of an answer are right, and what is said becomes gold of a set of their own."""

from __future__ import annotations

import streamlit as st

from grounded.errors import GroundedError, UsageError
from grounded.evaluation import marking, sets
from grounded.evaluation.cases import GoldPlace
from grounded.evaluation.marking import Mark
from grounded.types import Answer, VerifiedClaim
from grounded.ui import access, words
from grounded.ui.access import Workspace
from grounded.verification.locate import locate

_CHOICES = ("–", "Accept", "Reject", "Correct")
_NEW = "A new set…"


def panel(workspace: Workspace, answer: Answer) -> None:
    """The claims with what can be said of each; where there is no answer, whether there is one."""
    if access.sign_in_is_on():
        st.text("Sets are kept by whoever operates this server.")
        return
    st.text("What you mark becomes gold: `eval` and the Evaluation page measure against it.")
    marks = [_claim(number, claim) for number, claim in enumerate(answer.claims, 1)]
    silence = None if answer.claims else _silence(workspace)
    name = _set()
    if st.button("Keep these marks", key="mark_keep"):
        try:
            _keep(workspace, answer, marks, silence, name)
        except GroundedError as error:
            st.text(error.message)


def _claim(number: int, claim: VerifiedClaim) -> tuple[VerifiedClaim, str, str, str]:
    """(claim, what is said of it, its right text, its right quote)."""
    st.text(f"{number}. {claim.text}")
    said = st.segmented_control(
        f"Claim {number}", _CHOICES, default="–", key=f"mark_{claim.id}", label_visibility="collapsed"
    )
    if said != "Correct":
        return claim, said or "–", "", ""
    text = st.text_input("It should say", claim.text, key=f"mark_text_{claim.id}")
    cited = claim.citations[0].snippet if claim.citations else ""
    quote = st.text_input("Words of the document that prove it", cited, key=f"mark_quote_{claim.id}")
    return claim, said, text.strip(), quote.strip()


def _silence(workspace: Workspace) -> tuple[str, str]:
    """(what is said of the silence, the quote that answers)."""
    choices = ("Rightly silent: the documents do not say", "The documents do say it")
    said = st.radio("No answer was given", choices, key="mark_silence")
    quote = st.text_input("Words of a document that answer it", key="mark_silent_quote") if said == choices[1] else ""
    return said, quote.strip()


def _set() -> str:
    names = [path.stem for path in sets.own_sets()]
    chosen = st.selectbox("Set", [*names, _NEW], key="mark_set") if names else _NEW
    return st.text_input("Name of the new set", "my answers", key="mark_new") if chosen == _NEW else str(chosen)


def _keep(
    workspace: Workspace,
    answer: Answer,
    said: list[tuple[VerifiedClaim, str, str, str]],
    silence: tuple[str, str] | None,
    name: str,
) -> None:
    path = sets.own_set(name.strip())
    if silence is not None:
        found = _place(workspace, silence[1]) if silence[1] else None
        case = marking.answered_at(answer, found) if found else marking.unanswerable(answer)
        cases = [case]
    else:
        cases = marking.cases_of(answer, [_mark(workspace, *one) for one in said if one[1] != "–"])
    if not cases:
        raise UsageError("nothing is marked", advice="Accept, reject or correct a claim that cites something")
    total = marking.keep(path, cases)
    st.text(f"Kept. {path.stem} has {words.plural(total, 'case')}; run it on Evaluation, or `eval {path.stem!r}`.")


def _mark(workspace: Workspace, claim: VerifiedClaim, said: str, text: str, quote: str) -> Mark:
    if said != "Correct":
        return Mark(claim=claim, says="accept" if said == "Accept" else "reject")
    if not text or not quote:
        raise UsageError("a correction needs both: what the claim should say, and the words that prove it")
    documents = [c.document for c in claim.citations]
    return Mark(claim=claim, says="correct", text=text, place=_place(workspace, quote, *documents))


def _place(workspace: Workspace, quote: str, *first: str) -> GoldPlace:
    """Where a quote stands: in the cited documents, else anywhere in the library. Raises UsageError when nowhere."""
    library = workspace.library
    known = [record.id for record in library.documents()]
    for document in dict.fromkeys([*(d for d in first if d in known), *known]):
        pages = (library.page(document, number) for number in range(1, library.page_count(document) + 1))
        matches = [m for m in locate(pages, quote) if m.match != "approximate"]
        if matches:
            return marking.place_at(document, matches[0])
    raise UsageError(
        "these words stand in no document of the library", where=quote[:80], advice="Copy them from the page"
    )
