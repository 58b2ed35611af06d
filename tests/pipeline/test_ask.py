import json
from collections.abc import Callable
from pathlib import Path

import pytest

from grounded import locations
from grounded.audit.verify import verify_folder
from grounded.errors import LibraryError, UsageError
from grounded.generation.reader import Reading
from grounded.library import Library
from grounded.pipeline import Event, ask, find
from grounded.pipeline.models import Models
from grounded.retrieval.plan import plan
from grounded.settings import Settings
from grounded.types import Claim, Context, PageSource, Plan, Quote, ReaderName, snippet_at

LINE = ["plan", "retrieve", "rerank", "context", "generate", "verify", "assemble"]


class Scripted:
    """A reader that says what it is told, whatever it is shown."""

    name: ReaderName = "extractive"

    def __init__(self, say: Callable[[Context], list[Claim]]) -> None:
        self.say = say

    def read(
        self,
        plan: Plan,
        context: Context,
        pages: PageSource,
        *,
        on_claim: Callable[[Claim], None],
        cancelled: Callable[[], bool],
    ) -> Reading:
        claims = self.say(context)
        for claim in claims:
            on_claim(claim)
        return Reading(claims=tuple(claims), stop="cancelled" if cancelled() else "complete")


def spans_of(settings: Settings, trace_id: str) -> list[dict]:
    lines = (settings.traces / f"{trace_id}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_every_node_is_a_span_on_disk_before_it_is_told(library: Library, settings: Settings) -> None:
    told: list[str] = []

    def listen(event: Event) -> None:
        if event.kind == "finished":
            newest = max(settings.traces.glob("*.jsonl"), key=lambda p: p.stat().st_mtime_ns)
            told.append(event.node)
            assert json.loads(newest.read_text().splitlines()[-1])["name"] == event.node

    answer = ask("What is the expense ratio?", library=library, settings=settings, on_event=listen)
    assert told == LINE
    assert [span["name"] for span in spans_of(settings, answer.trace_id)] == ["ask", *LINE]


def test_the_chain_and_its_seal_hold(library: Library, settings: Settings) -> None:
    answer = ask("What is the ticker symbol?", library=library, settings=settings)
    assert answer.status == "answered"
    report = verify_folder(settings.traces, state=locations.state())
    assert report.verdict == "intact"
    assert report.assurance != "L0"


def test_a_change_is_asked_of_both_fact_sheets_and_computed(library: Library, settings: Settings) -> None:
    for question in ("How did the expense ratio change between the two fact sheets?", "Did the expense ratio fall?"):
        answer = ask(question, library=library, settings=settings)
        assert answer.status == "answered"
        assert all(claim.verdict.grounded for claim in answer.claims)
        cited = {library.name(c.document) for claim in answer.claims for c in claim.citations}
        assert cited == {"nimbus_2024.pdf", "nimbus_2025.pdf"}
        said = " ".join(claim.text for claim in answer.claims)
        assert "0.04%" in said and "0.03%" in said and "\u22120.01" in said


def test_which_grew_the_most_is_planned_as_a_comparison(library: Library) -> None:
    made = plan("Which sector grew the most?", documents=library.documents())
    assert made.kind == "comparison"
    assert [[library.name(d) for d in sub.documents] for sub in made.subquestions] == [
        ["nimbus_2024.pdf"],
        ["nimbus_2025.pdf"],
    ]


def test_citations_are_reread_from_the_page(library: Library, settings: Settings) -> None:
    answer = ask("What is the expense ratio?", library=library, settings=settings)
    assert answer.claims
    for claim in answer.claims:
        assert claim.verdict.grounded
        for citation in claim.citations:
            page = library.page(citation.document, citation.page)
            assert citation.snippet == snippet_at(page, citation.spans)
            assert all(0 <= x0 < x1 <= page.width and 0 <= y0 < y1 <= page.height for x0, y0, x1, y1 in citation.boxes)


def test_a_scope_is_kept(library: Library, settings: Settings) -> None:
    only = library.documents()[1].id
    answer = ask("What are the net assets?", library=library, settings=settings, scope=[only])
    assert answer.hits
    assert {hit.document for hit in answer.hits} == {only}


def test_a_reader_that_invents_is_not_believed(library: Library, settings: Settings) -> None:
    def invent(context: Context) -> list[Claim]:
        source = context.sources[0]
        return [
            Claim(id="c1", text="The fund holds gold.", quotes=(Quote(source_id="S1", text="The fund holds gold."),)),
            Claim(id="c2", text="It is cheap.", quotes=(Quote(source_id="S99", text=source.text[:30]),)),
            Claim(id="c3", text="It is old."),
        ]

    answer = ask("What does it hold?", library=library, settings=settings, models=Models(Scripted(invent)))
    assert [claim.verdict.grounded for claim in answer.claims] == [False, False, False]
    assert answer.claims[0].verdict.reason == "snippet not found in retrieved context"
    assert answer.claims[0].verdict.confidence == 0.9
    assert answer.claims[2].verdict.confidence == 0.0
    assert answer.grounded_share == 0.0
    assert all("S99" not in (citation.source_id or "") for claim in answer.claims for citation in claim.citations)


def test_stop_spends_no_verification_and_marks_the_claims(library: Library, settings: Settings) -> None:
    def say(context: Context) -> list[Claim]:
        return [Claim(id="c1", text="Half a claim", quotes=(Quote(source_id="S1", text=context.sources[0].text),))]

    stopped: list[bool] = []

    def listen(event: Event) -> None:
        if event.kind == "claim":
            stopped.append(True)

    answer = ask(
        "What does it hold?",
        library=library,
        settings=settings,
        models=Models(Scripted(say)),
        on_event=listen,
        cancelled=lambda: bool(stopped),
    )
    assert answer.status == "cancelled"
    assert answer.claims[0].verdict.status == "unverified"
    assert "stopped" in answer.claims[0].verdict.reason


@pytest.mark.parametrize("question", ["", "   \n", "x" * 9000])
def test_an_unusable_question_is_refused(library: Library, settings: Settings, question: str) -> None:
    with pytest.raises(UsageError):
        ask(question, library=library, settings=settings)
    assert not settings.traces.exists()


def test_an_empty_library_says_so(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(LibraryError, match="no documents"):
        ask("Anything?", library=Library(str(tmp_path / "empty"), settings=settings), settings=settings)


def test_nothing_in_the_documents_abstains_and_says_what_was_searched(library: Library, settings: Settings) -> None:
    answer = ask("Who won the 1987 chess championship of Iceland?", library=library, settings=settings)
    assert answer.status == "abstained"
    assert answer.abstention is not None
    assert set(answer.abstention.searched) == {"nimbus_2024.pdf", "nimbus_2025.pdf"}
    assert answer.abstention.nearest
    assert not answer.claims
    assert answer.generation_confidence is None


def test_find_returns_what_ask_reads(library: Library, settings: Settings) -> None:
    question = "What is the largest sector?"
    found = find(question, library=library, settings=settings)
    answer = ask(question, library=library, settings=settings)
    assert [hit.chunk.id for hit in found] == [hit.chunk_id for hit in answer.hits][: len(found)]


def test_a_question_on_a_name_no_document_has_is_met_with_silence(library: Library, settings: Settings) -> None:
    answer = ask("What is Acme's expense ratio?", library=library, settings=settings)
    assert answer.abstention is not None and answer.abstention.reason == "No document searched mentions “Acme”."


def test_a_reader_that_answers_all_the_same_is_not_left_without_a_note(library: Library, settings: Settings) -> None:
    def quote(context: Context) -> list[Claim]:
        source = context.sources[0]
        words = source.text.split(".")[0]
        return [Claim(id="c1", text=words, quotes=(Quote(source_id=source.id, text=words),))]

    scripted = Scripted(quote)
    answer = ask("What is Acme's expense ratio?", library=library, settings=settings, models=Models(scripted))
    assert "No document searched mentions “Acme”." in answer.notes
