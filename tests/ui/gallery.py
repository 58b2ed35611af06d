"""Every state of the answer component on one address each: `streamlit run tests/ui/gallery.py`, then ?state=NAME."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import streamlit as st

from grounded.types import Answer, Check, Page, Verdict, VerifiedClaim
from tests.ui.hostile import HOSTILE
from tests.ui.samples import DATA, abstention, answer, cite, claim, conflict, hit, read_page

DOCUMENTS = {"a" * 64: DATA / "nimbus_2024.pdf", "b" * 64: DATA / "nimbus_2025.pdf"}


class Shelf:
    """The two samples, in the shape of a library."""

    def page(self, document: str, number: int) -> Page:
        return read_page(DOCUMENTS[document], number)

    def original(self, document: str) -> bytes:
        return DOCUMENTS[document].read_bytes()


def example():
    new, old = "b" * 64, "a" * 64
    page, second, earlier = read_page(DOCUMENTS[new], 1), read_page(DOCUMENTS[new], 2), read_page(DOCUMENTS[old], 1)
    name, older = "nimbus_2025.pdf", "nimbus_2024.pdf"
    cost = cite(page, new, name, "Expense ratio1\n0.03%", "Quick facts")
    market = cite(page, new, name, "Market price\n10.85%", "Performance history")
    approach = cite(
        page,
        new,
        name,
        "Holds every stock of the index in about the same proportion as its weight in the\nindex.",
        "Investment approach",
    )
    sector = cite(second, new, name, "Information technology\n32.7%", "Sector diversification")
    old_cost = cite(earlier, old, older, "Expense ratio1\n0.04%", "Quick facts")
    sure, missing = "the same words stand in the source", "“cheapest of all” was not found in the source"
    largest = "Information technology is the largest sector, at 32.7% of the fund."
    claims = (
        claim(1, "The expense ratio is 0.03%.", "grounded", 0.98, "0.03% = 0.03%", cost, old_cost),
        claim(2, largest, "grounded", 0.97, "32.7% = 32.7%", sector),
        claim(3, "It holds every stock of its index in about the same proportion.", "grounded", 0.99, sure, approach),
        claim(4, "At market price it returned 10.58%.", "contradicted", 0.99, "source says 10.85 %", market),
        claim(5, "It costs less than 0.05% and is the cheapest of all.", "partial", 0.62, missing, cost),
        claim(6, "The fund lends its securities.", "unverified", 0.0, "no citation"),
    )
    hits = (
        hit(1, cost, 0.62, 1.0),
        hit(2, market, 0.58, 0.0),
        hit(3, sector, 0.41, 0.0),
        hit(4, old_cost, 0.4, 1.0, trimmed="over the token budget"),
    )
    return answer(claims, hits), (cost, old_cost), hits


def hostile(done: Answer) -> Answer:
    """One claim for each hostile text, which stands in every place a text can stand."""
    claims = []
    for number, text in enumerate(HOSTILE, 1):
        cited = done.claims[0].citations[0].model_copy(update={"snippet": text, "source_name": text, "section": text})
        checks = (Check(name=text, passed=False, detail=text),)
        verdict = Verdict(grounded=False, status="unverified", confidence=0, reason=text, checks=checks)
        claims.append(VerifiedClaim(id=f"c{number}", text=text, citations=(cited,), verdict=verdict))
    return done.model_copy(update={"question": HOSTILE[0], "claims": tuple(claims), "notes": HOSTILE})


if __name__ == "__main__":
    from grounded.ui import payload as build
    from grounded.ui.answer import answer_view
    from grounded.ui.frame import foot, frame

    st.set_page_config(page_title="Gallery", layout="wide")
    state = st.query_params.get("state", "answered")

    def show() -> None:
        frame("split")
        shelves = {key: build.Shelf(path.name, 2) for key, path in DOCUMENTS.items()}
        done, pair, hits = example()
        if state == "running":
            data = build.running_payload("run", done.question, "Checking claim 2 of 6", 1 / 3, done.claims[:2], shelves)
        elif state == "abstained":
            data = build.answer_payload(
                answer((), hits, status="abstained", abstention=abstention(hits[:3])), shelves, Shelf()
            )
        elif state == "conflict":
            data = build.answer_payload(
                done.model_copy(
                    update={
                        "claims": done.claims[:2],
                        "conflicts": (conflict(*pair),),
                        "notes": ("No reranker: passages are in retrieval order.",),
                    }
                ),
                shelves,
                Shelf(),
            )
        elif state == "removed":
            data = build.answer_payload(done, {k: s._replace(removed=k[0] == "b") for k, s in shelves.items()}, Shelf())
        elif state == "hostile":
            shelves = {key: build.Shelf(HOSTILE[0], 2) for key in shelves}
            data = build.answer_payload(hostile(done), shelves, Shelf())
        elif state == "empty":
            data = build.document_payload({}, idle="Pages appear here.")
        elif state == "document":
            data = build.document_payload(shelves, build.Focus(document="b" * 64, page=2))
        else:
            data = build.answer_payload(done, shelves, Shelf())
        result = answer_view(data, key="viewer")
        st.text(str(result.get("place")))
        with foot():
            st.chat_input("Ask about these documents")

    st.navigation(
        [
            st.Page(show, title="Ask", default=True),
            *(st.Page(lambda: None, title=t, url_path=t.lower()) for t in ("Library", "Traces", "Check")),
        ],
        position="top",
    ).run()
else:
    from grounded.ui.routes import page_routes

    app = st.App(__file__, routes=page_routes(lambda request, document: Shelf(), 4_000_000))
