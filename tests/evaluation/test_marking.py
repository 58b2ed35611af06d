"""What a person marks becomes gold that can be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grounded.evaluation import marking
from grounded.evaluation.cases import GoldPlace, read_cases
from grounded.evaluation.marking import Mark
from grounded.types import Answer
from tests.evaluation.test_outcomes import A, cite, said

FEE = said("The expense ratio is 0.03%.", cite(A, 1, 10, 20, snippet="Expense ratio 0.03%", boxes=((1, 2, 3, 4),)))
PROOF = GoldPlace(document=A, page=2, quote="0.04%", spans=((5, 10),))


def answer(*claims: Any) -> Answer:
    status = "answered" if claims else "abstained"
    return Answer(trace_id="f" * 32, question="What does it cost?", status=status, reader="extractive", claims=claims)


def test_accepted() -> None:
    asked, claimed = marking.cases_of(answer(FEE), [Mark(claim=FEE, says="accept")])
    assert (asked.task, asked.answerable, asked.places[0].spans) == ("ask", True, ((10, 20),))
    assert (claimed.task, claimed.label, claimed.document) == ("check", "supported", A)


def test_rejected_alone_says_nothing_about_the_question() -> None:
    (claimed,) = marking.cases_of(answer(FEE), [Mark(claim=FEE, says="reject")])
    assert (claimed.task, claimed.label) == ("check", "not supported")


def test_corrected_is_both_and_leads_to_the_right_place() -> None:
    mark = Mark(claim=FEE, says="correct", text="The expense ratio is 0.04%.", place=PROOF)
    asked, wrong, right = marking.cases_of(answer(FEE), [mark])
    assert asked.places == (PROOF,)
    assert (wrong.claim, wrong.label) == (FEE.text, "not supported")
    assert (right.claim, right.label, right.quote, right.page) == (mark.text, "supported", "0.04%", 2)


def test_a_case_marked_again_replaces_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "mine.jsonl"
    assert marking.keep(path, marking.cases_of(answer(FEE), [Mark(claim=FEE, says="accept")])) == 2
    assert marking.keep(path, marking.cases_of(answer(FEE), [Mark(claim=FEE, says="reject")])) == 2
    assert [case.label for case in read_cases(path)] == [None, "not supported"]


def test_silence() -> None:
    assert marking.unanswerable(answer()).answerable is False
    assert marking.answered_at(answer(), PROOF).places == (PROOF,)
