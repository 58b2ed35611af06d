"""The rules of contracts.md on citations and verdicts."""

from __future__ import annotations

from grounded.types import Claim, Quote, VerifiedClaim
from grounded.verification.answer import answer_text, generation_confidence, grounded_share
from grounded.verification.entailment import ModelVerdict
from grounded.verification.verify import verify
from tests.verification.small import Pages, ScriptedModel

PAGES = Pages("Quick facts. Expense ratio 0.03% as of the prospectus.", "The fund does not lend its securities.")


def checked(text: str, *quotes: tuple[str, str], model: ScriptedModel | None = None) -> VerifiedClaim:
    claim = Claim(id="c1", text=text, quotes=tuple(Quote(source_id=s, text=q) for s, q in quotes))
    (verified,) = verify([claim], PAGES.context(), PAGES, entailment=model)
    return verified


def test_a_true_claim_with_its_quote() -> None:
    claim = checked("The expense ratio is 0.03%", ("S1", "Expense ratio 0.03%"))
    assert claim.verdict.grounded and claim.verdict.status == "grounded" and claim.verdict.basis == "rules"
    (citation,) = claim.citations
    assert (citation.snippet, citation.spans, citation.match) == ("Expense ratio 0.03%", ((13, 32),), "exact")
    assert citation.score == 0.65
    assert answer_text([claim]) == "[grounded] The expense ratio is 0.03% (p.1, Facts)"


def test_no_citation() -> None:
    verdict = checked("The expense ratio is 0.03%").verdict
    assert (verdict.grounded, verdict.status, verdict.confidence) == (False, "unverified", 0.0)


def test_quote_not_in_the_context() -> None:
    claim = checked("The expense ratio is 0.04%", ("S1", "Expense ratio 0.04%"))
    verdict = claim.verdict
    assert (verdict.grounded, verdict.confidence) == (False, 0.9)
    assert verdict.reason == "snippet not found in retrieved context"


def test_a_source_that_was_never_shown() -> None:
    claim = checked("The expense ratio is 0.03%", ("S9", "Expense ratio 0.03%"))
    assert not claim.citations and claim.verdict.status == "unverified"
    assert "S9" in claim.verdict.reason


def test_a_changed_digit_is_not_in_the_quote() -> None:
    verdict = checked("The expense ratio is 0.30%", ("S1", "Expense ratio 0.03%")).verdict
    assert not verdict.grounded
    assert "0.30%" in verdict.reason


def test_the_model_may_refuse_but_not_overrule() -> None:
    yes = ModelVerdict(grounded=True, status="grounded", reason="says so", confidence=0.99)
    no = ModelVerdict(grounded=False, status="contradicted", reason="the fund does not", confidence=0.97)
    assert not checked(
        "The ratio is 0.30%", ("S1", "Expense ratio 0.03%"), model=ScriptedModel({"c1": yes})
    ).verdict.grounded
    refused = checked("Expense ratio 0.03%", ("S1", "Expense ratio 0.03%"), model=ScriptedModel({"c1": no})).verdict
    assert (refused.status, refused.confidence, refused.basis) == ("contradicted", 0.97, "both")


def test_a_verdict_the_model_left_out() -> None:
    verdict = checked("Expense ratio 0.03%", ("S1", "Expense ratio 0.03%"), model=ScriptedModel({})).verdict
    assert not verdict.grounded and verdict.status == "unverified"
    assert "no verdict" in verdict.reason


def test_the_model_sees_the_cited_chunk() -> None:
    model = ScriptedModel({})
    checked("The fund lends its securities", ("S2", "does not lend"), model=model)
    assert "does not lend its securities" in model.seen[0].source


def test_figures_of_an_answer() -> None:
    claims = [checked("Expense ratio 0.03%", ("S1", "Expense ratio 0.03%")), checked("The fund is large.")]
    assert grounded_share(claims) == 0.5
    assert generation_confidence(claims) == round(claims[0].verdict.confidence / 2, 4)
    assert generation_confidence([]) is None and grounded_share([]) is None
