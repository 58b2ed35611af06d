"""A sample of the public sets; the whole of them: `python -m bench.verification`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

import pytest

from bench import claims
from bench.claims import Case
from bench.edited_claims import edited_claims
from bench.mutations import mutations
from bench.verification import balanced_accuracy, score
from grounded.retrieval.pairs import available_pairs

pytestmark = pytest.mark.shared


@pytest.mark.parametrize(
    ("cases", "least"),
    [(claims.tatqa, 0.85), (claims.ntsb, 0.97), (claims.contractnli, 0.65), (claims.scifact, 0.62), (mutations, 0.95)],
)
def test_held_back_documents(shared: Path, cases: Callable[[], Iterable[Case]], least: float) -> None:
    sample = list(islice((case for case in cases() if case.fold == 0), 170))
    assert balanced_accuracy(score(sample, available_pairs())) >= least


def test_edited_claims_are_caught() -> None:
    """Every thirtieth of the sets' own true claims and their edits, without the encoder."""
    sample = [case for case in edited_claims() if "text" in case.item][::30]
    assert balanced_accuracy(score(sample, None)) >= 0.85
