"""What the component is given."""

from __future__ import annotations

import json

from grounded.types import Claim
from grounded.ui import payload
from grounded.ui.payload import Focus, Shelf
from tests.ui.gallery import Shelf as Pages
from tests.ui.gallery import example
from tests.ui.samples import abstention, answer, conflict

SHELVES = {"a" * 64: Shelf("nimbus_2024.pdf", 2), "b" * 64: Shelf("nimbus_2025.pdf", 2)}


def test_answer_is_plain_json_with_boxes_per_line() -> None:
    done = example()[0]
    view = payload.answer_payload(done, SHELVES, None)
    assert json.loads(json.dumps(view)) == view
    assert view["key"] == done.trace_id and len(view["claims"]) == 6
    assert view["summary"][:2] == ["3 of 6 grounded", "confidence 0.76"]
    assert len(view["claims"][2]["citations"][0]["boxes"]) == 2  # a quote over two lines


def test_focus_and_open_follow_the_link() -> None:
    done = example()[0]
    view = payload.answer_payload(done, SHELVES, None, focus=Focus("c4", 0, "b" * 64, 2))
    assert view["focus"] == {"claim": "c4", "citation": 0, "sheet": False}
    assert view["open"] == {"document": "b" * 64, "page": 2}
    assert payload.answer_payload(done, {}, None, focus=Focus(document="c" * 64))["open"] is None


def test_drafts_are_marked_as_being_checked() -> None:
    view = payload.running_payload(
        "r", "q", "Checking", 0.5, [Claim(id="c1", text="One."), *example()[0].claims[1:2]], SHELVES
    )
    assert [card["status"] for card in view["claims"]] == ["checking", "grounded"]
    assert view["claims"][0]["confidence"] == ""


def test_nearest_passages_have_boxes_but_are_no_citations() -> None:
    hits = example()[2]
    view = payload.answer_payload(
        answer((), hits, status="abstained", abstention=abstention(hits[:2])), SHELVES, Pages()
    )
    assert view["claims"] == [] and len(view["abstention"]["nearest"]) == 2
    assert view["abstention"]["nearest"][0]["boxes"] and view["abstention"]["nearest"][0]["match"] == "approximate"


def test_conflicts_keep_both_sides() -> None:
    done, pair, _ = example()
    view = payload.answer_payload(done.model_copy(update={"conflicts": (conflict(*pair),)}), SHELVES, None)
    assert [c["document"] for c in view["conflicts"][0]["citations"]] == ["b" * 64, "a" * 64]
