"""Figures say their numbers, and nothing of a document becomes a tag in them."""

from __future__ import annotations

import html

import pytest

from grounded.ui import charts
from grounded.ui.theme import Palette
from tests.ui.gallery import example
from tests.ui.hostile import HOSTILE

COLOURS = Palette(
    "#000",
    "#ccc",
    "#00f",
    "#888",
    {"grounded": "green", "partial": "orange", "unverified": "gray", "contradicted": "red"},
)


def test_claims_are_written_beside_their_bars() -> None:
    bars = charts.claims_by_confidence(example()[0].claims, COLOURS).data[0]
    assert sorted(bars.x) == [0.0, 0.62, 0.97, 0.98, 0.99, 0.99]
    assert "4 ✕ contradicted 0.99" in bars.y


def test_source_parts_add_up_to_retrieval_confidence() -> None:
    hits = example()[0].hits
    cosine, section = charts.sources_by_parts(hits, COLOURS).data
    total = dict(zip(cosine.y, [a + b for a, b in zip(cosine.x, section.x, strict=True)], strict=True))
    for hit in hits:
        assert total[hit.source_id or f"rank {hit.reranked_rank}"] == pytest.approx(hit.retrieval_confidence)


def test_ranks_show_what_was_not_read() -> None:
    lines = charts.ranks(example()[0].hits, COLOURS).data
    assert [line.line.dash for line in lines] == [None, None, None, "dot"]
    assert "over the token budget" in lines[3].hovertemplate


def test_timing_is_in_the_order_of_work_without_the_total() -> None:
    bars = charts.timing({"context": 1, "plan": 2, "retrieve": 10, "total": 16, "verify": 5}, COLOURS).data[0]
    assert list(bars.y) == ["verify · 5 ms", "context · 1 ms", "retrieve · 10 ms", "plan · 2 ms"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hover_texts_hold_no_tags(text: str) -> None:
    done = example()[0]
    claim = done.claims[0].model_copy(update={"text": text})
    shown = charts.claims_by_confidence([claim], COLOURS).data[0].customdata[0][0]
    assert "<" not in shown.replace("<br>", "") and html.unescape(shown.replace("<br>", " ")) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_kinds_and_metrics_of_gold_sets_hold_no_tags(text: str) -> None:
    bars = charts.right_by_kind([(text, 1, 4), ("other", 0, 4)], COLOURS).data[0]
    assert bars.y[0].endswith(" · 3 of 4") and bars.y[1] == "other · 4 of 4" and "<" not in bars.y[0]
    assert "<" not in bars.customdata[0][0].replace("<br>", "")


def test_what_the_second_run_changed() -> None:
    between, first, second = charts.before_after([("recall@5", 0.5, 0.75)], COLOURS).data
    assert (list(between.x), list(first.x), list(second.x)) == ([0.5, 0.75, None], [0.5], [0.75])


def test_recall_and_reliability_draw_what_there_is() -> None:
    (line,) = charts.recall_by_k({"read": [(1, 0.2), (5, 0.6)]}, COLOURS).data
    assert (list(line.x), list(line.y), line.line.dash) == (["1", "5"], [0.2, 0.6], "dash")
    ideal, dots = charts.reliability({"verdicts": [(0.9, 0.8, 40)]}, COLOURS).data
    assert list(ideal.x) == list(ideal.y) and dots.customdata[0][0] == 40
