"""A sample of what bench.check_pdfs measures: a PDF takes nothing from a claim that its table inline has."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from bench import check_pdfs, claims
from bench.bound import LAYOUTS, Context, bind


@pytest.mark.shared
@pytest.mark.parametrize("name", ["columns", "broken, header repeated"])
def test_claims_on_printed_tables(tmp_path: Path, name: str) -> None:
    cases = check_pdfs.sample(list(claims.tatqa()), Namespace(half="fit", documents=5, claims=30))
    layout = next(layout for layout in LAYOUTS if layout.name == name)
    printed = check_pdfs.typeset("tatqa", layout, cases, tmp_path)
    inline = check_pdfs.run(printed, lambda p: {k: v for k, v in p.case.item.items() if k != "claim"})
    on_paper = check_pdfs.run(printed, lambda p: {"document": p.path})
    same = [a.result.verdict.grounded == b.result.verdict.grounded for a, b in zip(inline, on_paper, strict=True)]
    assert sum(same) >= 0.9 * len(same)
    assert all(r.result.citations and r.on_page for r in on_paper if r.result.verdict.grounded)


def test_contexts_bound_together_keep_their_pages(tmp_path: Path) -> None:
    table = [["", "2023", "2022"], *([f"Row {n}", str(n), str(n + 1)] for n in range(40))]
    contexts = [Context(str(n), ["Words of a report. " * 20] * 3, table) for n in range(4)]
    pages = bind(tmp_path / "bound.pdf", contexts, next(layout for layout in LAYOUTS if layout.name == "bound"))
    assert list(pages) == ["0", "1", "2", "3"]
    assert pages["0"][0] == 1
    assert all(len(found) >= 1 for found in pages.values())
    assert [found[0] for found in pages.values()] == sorted(found[0] for found in pages.values())
