"""How peers are scored; running them: `python -m bench.peers`."""

from __future__ import annotations

import pytest

from bench.peers import Measured, _figures
from grounded.evaluation.cases import GoldCase, GoldPlace


def test_pages_and_citations_by_hand() -> None:
    gold = GoldPlace(document="a.pdf", page=2, quote="Engine: Lycoming")
    cases = [GoldCase(id=str(n), question="q", places=(gold,)) for n in range(3)]
    ranked = [[("a.pdf", 2)], [("b.pdf", 2), ("a.pdf", 1), ("a.pdf", 2)], []]
    cited = ["Engine: Lycoming", "The engine of this aircraft was made by Lycoming", ""]
    found = _figures(Measured(1.0, 2.0, [3.0, 5.0, 4.0], ranked, cited), cases)
    assert (found["page@1"], found["page@5"], found["question_ms"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3), 4.0)
    assert found["citation_f1"] == pytest.approx((1 + 4 / 10 + 0) / 3)
