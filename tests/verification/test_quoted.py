"""A claim with its quote, read where the quote stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import claims
from grounded.retrieval.pairs import available_pairs
from grounded.verification.evidence import Evidence
from grounded.verification.judge import judge
from grounded.verification.quoted import judge_quoted

TEXT = (
    "The trial enrolled 400 adults with high blood pressure. Half of them received a low dose of the drug for six "
    "months. Patients on placebo showed no change. The authors call for longer studies."
)


@pytest.mark.parametrize(
    ("claim", "quote", "status"),
    [
        ("Patients on placebo showed no change.", "Patients on placebo showed no change.", "grounded"),
        ("Patients on placebo showed no change.", "The authors call for longer studies.", "unverified"),
        ("The trial enrolled 500 adults.", "The trial enrolled 400 adults with high blood pressure.", "contradicted"),
    ],
)
def test_what_stands_beside_a_quote_is_not_what_it_says(claim: str, quote: str, status: str) -> None:
    assert judge_quoted(claim, Evidence(text=quote), TEXT, available_pairs()).status == status


@pytest.mark.shared
def test_true_quotes_are_read_in_their_text(shared: Path) -> None:
    """Statements about agreements that nothing was fitted on: most need the text around the quote, none loses by it."""
    cases = [c for c in claims.contractnli() if c.fold == 0 and c.label == "supported"]
    alone, read = 0, 0
    for case in cases:
        text, spans, claim = case.item["text"], case.extra["spans"], case.item["claim"]
        quote = Evidence(text="\n".join(text[a:b] for a, b in spans))
        around = "\n".join(text[max(0, a - 1500) : b + 1500] for a, b in spans)
        alone += judge(claim, quote).grounded
        read += judge_quoted(claim, quote, around, None).grounded
    assert read >= 0.5 * len(cases) > alone
