"""A sample of the claims on invented tables: true ones pass, what was done to the others is caught, kind by kind."""

from __future__ import annotations

from collections import defaultdict

import pytest

from bench.invented_tables import LAYOUTS, cases
from grounded.verification.check import evidence_of, read_item
from grounded.verification.judge import judge

SAMPLE = 4  # every fourth claim of one table of each layout


@pytest.fixture(scope="module")
def right() -> dict[str, list[bool]]:
    """For each kind of claim: whether each was judged rightly."""
    by_kind = defaultdict(list)
    for case in list(cases(tables=1, seed=41))[::SAMPLE]:
        verdict = judge(case.item["claim"], evidence_of(read_item(case.item, case.id)))
        by_kind[case.kind].append(verdict.grounded == (case.label == "supported"))
    return dict(by_kind)


def test_nearly_all_are_judged_rightly(right: dict[str, list[bool]]) -> None:
    """All kinds together, and each kind with enough claims to say so."""
    judged = [holds for part in right.values() for holds in part]
    assert len(judged) > 10 * len(LAYOUTS)
    assert sum(judged) >= 0.97 * len(judged)
    assert not {kind for kind, part in right.items() if sum(part) < 0.85 * len(part) and len(part) > 6}


def test_a_claim_is_made_of_its_table_alone() -> None:
    """The same seed makes the same tables and claims."""
    first, second = (next(iter(cases(tables=1, seed=3))) for _ in range(2))
    assert first == second
    assert first.label == "supported"
