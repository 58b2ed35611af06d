"""Figures of single cases, worked out by hand, and what they add up to."""

from __future__ import annotations

from typing import Any

import pytest

from grounded.evaluation import answers, outcomes
from grounded.evaluation.cases import GoldCase, GoldSet
from grounded.evaluation.outcomes import FoundPassage, GoldSpot, Outcome
from grounded.evaluation.summary import compare, summarise
from grounded.types import Answer, Calculation, Citation, Verdict, VerifiedClaim

A, B = "a" * 64, "b" * 64
YES = Verdict(grounded=True, status="grounded", confidence=0.9, reason="")


def cite(document: str, page: int, start: int, end: int, **more: Any) -> Citation:
    plain: dict[str, Any] = {"source_id": "S1", "source_name": "x.pdf", "page_label": str(page), "section": ""}
    plain |= {"snippet": "", "boxes": (), "chunk_id": None, "match": "exact", "score": 0.5}
    return Citation(document=document, page=page, spans=((start, end),), **(plain | more))


def answer(*claims: VerifiedClaim, **more: Any) -> Answer:
    status = "answered" if claims else "abstained"
    return Answer(
        **({"trace_id": "", "question": "q", "status": status, "reader": "extractive", "claims": claims} | more)
    )


def said(text: str, *citations: Citation, result: str = "") -> VerifiedClaim:
    made = Calculation(operation="sum", formula="", operands=(), result=result) if result else None
    return VerifiedClaim(id="c1", text=text, citations=citations, verdict=YES, calculation=made)


def test_citations_by_hand() -> None:
    gold = [
        GoldSpot(document=A, page=1, spans=((10, 20),), boxes=((0, 0, 10, 10),)),
        GoldSpot(document=A, page=2, spans=((0, 10),), boxes=((0, 0, 10, 10),)),
    ]
    cited = [
        cite(A, 1, 15, 25, boxes=((5, 0, 15, 10),)),  # half of the first place, and as much beside it
        cite(A, 1, 30, 35),  # right page, wrong words
        cite(B, 1, 10, 20),  # another document
        cite(A, 3, 10, 20),  # another page
    ]
    found = outcomes.citation_figures(cited, gold)
    assert found["citation precision"] == 1 / 4
    assert found["citation recall"] == 1 / 2
    assert found["page accuracy"] == 2 / 4
    assert found["wrong document"] == 1 / 4
    assert found["span F1"] == pytest.approx(2 * 5 / (10 + 5 + 10 + 10 + 20))
    assert found["box IoU"] == pytest.approx(50 / (150 + 100))


def test_nothing_cited_is_undefined_precision_and_no_recall() -> None:
    found = outcomes.citation_figures([], [GoldSpot(document=A, page=1, spans=((0, 5),))])
    assert found["citation precision"] is None and found["wrong document"] is None and found["page accuracy"] is None
    assert found["citation recall"] == 0 and found["span F1"] == 0
    assert "box IoU" not in found


def passage(page: int, retrieved: int, reranked: int, *, read: bool = True, document: str = A) -> FoundPassage:
    return FoundPassage(document=document, page=page, retrieved_rank=retrieved, reranked_rank=reranked, read=read)


def test_retrieval_at_three_stages() -> None:
    found = [passage(1, 1, 2), passage(1, 2, 3), passage(7, 3, 1, read=False)]
    figures = outcomes.retrieval_figures(found, [GoldSpot(document=A, page=7)])
    assert figures["MRR (retrieved)"] == 1 / 2  # a page ranks once, with its best passage
    assert figures["MRR"] == 1 and figures["recall@1"] == 1
    assert figures["recall@20 (read)"] == 0  # trimmed away
    assert figures["right page first"] == 1 and figures["right document first"] == 1


def test_a_document_as_gold_counts_documents() -> None:
    figures = outcomes.retrieval_figures([passage(3, 1, 1, document=B), passage(9, 2, 2)], [GoldSpot(document=A)])
    assert figures["MRR"] == 1 / 2 and "right page first" not in figures


@pytest.mark.parametrize(
    ("claim", "gold", "scale", "same"),
    [
        (said("Total sales (2019): $1,496.5 million"), "$1,496.5", "million", 1),
        (said("Total sales (2019): 1,496.5"), "1496.5", "million", 1),  # the scale may be left out
        (said("Total sales (2019): 1,496.5 billion"), "1496.5", "million", 0),
        (said("Total sales (2019): 1,469.5 million"), "1496.5", "million", 0),
        (said("Net assets: $59,283 million"), "$59,283 million", "", 1),
        (said("Net assets: $59,283 billion"), "$59,283 million", "", 0),
        (said("Growth was −22.2189 %", result="−22.2189 %"), "-22.22", "percent", 1),
        (said("Largest sector: Information technology (32.7%)"), "information technology", "", 1),
        (said("Largest sector: Financials"), "information technology", "", 0),
    ],
)
def test_gold_values_are_said_or_not(claim: VerifiedClaim, gold: str, scale: str, same: float) -> None:
    case = GoldCase(id="1", question="q", answers=(gold,), scale=scale)
    assert answers.exact([claim], case) == same


def test_all_answers_or_any() -> None:
    any_ = GoldCase(id="1", question="q", answers=("red", "blue"))
    every = any_.model_copy(update={"needs": "all"})
    assert (answers.exact([said("red")], any_), answers.exact([said("red")], every)) == (1, 0)
    assert answers.exact([said("red"), said("blue")], every) == 1


def test_words_inside_a_sentence_are_right_but_no_exact_match() -> None:
    case = GoldCase(id="1", question="q", answers=("Lycoming engine",))
    found = outcomes.of_ask(case, answer(said("It was built around the Lycoming engine, model O-320.")), [], [])
    assert (found.right, found.figures["exact match"], found.figures["answer contained"]) == (True, 0, 1)
    apart = outcomes.of_ask(case, answer(said("The engine was a Lycoming.")), [], [])
    assert (apart.right, apart.figures["answer contained"]) == (False, 0)
    number = outcomes.of_ask(GoldCase(id="1", question="q", answers=("12",)), answer(said("12 of 40 engines")), [], [])
    assert number.right is False and "answer contained" not in number.figures


def test_silence_is_right_only_where_there_is_nothing_to_say() -> None:
    case = GoldCase(id="1", question="q", answers=("red",))
    silent = outcomes.of_ask(case, answer(), [], [])
    assert (silent.right, silent.figures["answered on answerable"], silent.figures["exact match"]) == (False, 0, 0)
    nothing = case.model_copy(update={"answerable": False, "answers": ()})
    assert outcomes.of_ask(nothing, answer(), [], []).right is True
    assert outcomes.of_ask(nothing, answer(said("red")), [], []).right is False
    undecided = GoldCase(id="1", question="q")
    assert outcomes.of_ask(undecided, answer(said("red")), [], []).right is None


def checked(name: str, label: str, verdict: Verdict) -> Outcome:
    case = GoldCase.model_validate(
        {"id": name, "task": "check", "claim": "c", "text": "t", "label": label, "group": name}
    )
    return outcomes.of_check(case, verdict, (), 1.0)


NO = Verdict(grounded=False, status="contradicted", confidence=0.8, reason="")


def report_of(*found: Outcome) -> Any:
    return summarise(GoldSet("s", "", "", ()), found)


def test_claims_by_hand() -> None:
    found = report_of(
        checked("a", "supported", YES), checked("b", "supported", NO), checked("c", "contradicted", NO),
        checked("d", "not stated", NO),
    )  # fmt: skip
    assert found.value("balanced accuracy") == pytest.approx((1 / 2 + 1) / 2)
    assert found.value("AUROC") == pytest.approx((1 + 0.5) / 2)  # b ties with both others
    assert found.value("contradictions named") == 1
    assert found.value("Brier of verdicts") == pytest.approx((0.1**2 + 0.8**2 + 2 * 0.2**2) / 4)
    assert found.value("ECE of verdicts") == pytest.approx((1 * 0.1 + 3 * abs(0.8 - 2 / 3)) / 4)


def test_one_class_alone_is_not_available_and_counted() -> None:
    found = report_of(checked("a", "supported", YES), checked("b", "supported", NO))
    (row,) = [row for row in found.rows if row.metric == "balanced accuracy"]
    assert row.figure.value is None and row.figure.undefined == 2
    assert found.value("false claims refused") is None


def asked(name: str, text: str, judge: float | None) -> Outcome:
    case = GoldCase(id=name, question="q", answers=("red",), group=name)
    opinion = {"faithfulness": judge, "context_relevance": None, "answer_relevance": None}
    return outcomes.of_ask(case, answer(said(text), judge=opinion, generation_confidence=0.9), [], [])


def test_judges_are_signals_with_their_agreement_and_never_among_the_figures() -> None:
    found = report_of(asked("a", "red", 0.9), asked("b", "blue", 0.3), asked("c", "red", 0.2), asked("d", "red", None))
    signals = {signal.name: signal for signal in found.signals}
    faithful = signals["judge: faithfulness"]
    assert faithful.mean.n == 3 and faithful.mean.undefined == 1
    assert faithful.agreement.value == 1 / 2  # one right answer above the wrong one, one below
    assert signals["judge: answer relevance"].mean.value is None
    assert not {row.metric for row in found.rows} & set(signals)


def test_a_run_that_got_better_and_costs_turned_around() -> None:
    before = [checked(str(n), "supported", NO if n % 2 else YES) for n in range(20)]
    after = [checked(str(n), "supported", YES) for n in range(20)]
    slower = [o.model_copy(update={"figures": o.figures | {"milliseconds a claim": 9.0}}) for o in after]
    found = {pair.metric: pair.difference for pair in compare(before, slower)}
    assert found["verdict right"].verdict == "better" and found["verdict right"].value == 1 / 2
    assert found["milliseconds a claim"].verdict == "worse"
    assert found["balanced accuracy"].verdict == "n/a"
    assert {pair.difference.verdict for pair in compare(after, after)} == {"no difference", "n/a"}


def test_a_value_with_a_colon_of_its_own_is_read_whole() -> None:
    claim = said("Flight Conducted Under (Final Report): Part 91: General Aviation")
    assert {"Part 91: General Aviation", "General Aviation"} <= set(answers.parts(claim))
