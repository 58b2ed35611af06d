"""Sources that disagree are shown side by side."""

from __future__ import annotations

import pytest

from grounded.types import Citation, Verdict, VerifiedClaim
from grounded.verification.conflicts import find_conflicts


def claim(text: str, name: str, grounded: bool = True) -> VerifiedClaim:
    citation = Citation(
        source_id="S1", document=name, source_name=name, page=1, page_label="1", section="", snippet=text,
        spans=((0, 1),), boxes=(), chunk_id=None, match="exact", score=None,
    )  # fmt: skip
    verdict = Verdict(grounded=grounded, status="grounded" if grounded else "unverified", confidence=1, reason="")
    return VerifiedClaim(id=name, text=text, citations=(citation,), verdict=verdict)


def test_two_values_of_one_subject() -> None:
    (conflict,) = find_conflicts([claim("The fee is 0.05%", "a.pdf"), claim("The fee is 0.06%", "b.pdf")])
    assert [c.source_name for c in conflict.citations] == ["a.pdf", "b.pdf"]
    assert "0.05%" in conflict.detail and "0.06%" in conflict.detail


@pytest.mark.parametrize(
    "other",
    ["The fee is 0.050%", "The yield is 0.06%", "The fee is $6", "The fee in 2024 was 0.06%"],
)
def test_no_conflict(other: str) -> None:
    assert find_conflicts([claim("The fee is 0.05%", "a.pdf"), claim(other, "b.pdf")]) == ()


def test_what_is_not_grounded_conflicts_with_nothing() -> None:
    assert (
        find_conflicts([claim("The fee is 0.05%", "a.pdf"), claim("The fee is 0.06%", "b.pdf", grounded=False)]) == ()
    )
