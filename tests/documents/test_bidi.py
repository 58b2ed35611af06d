"""Right-to-left lines come out in reading order however they were written down."""

from __future__ import annotations

import pytest

from grounded.documents.bidi import is_rtl, logical_order

SHALOM = "שלום"


def on_the_page(logical: str) -> tuple[str, list[float]]:
    """Glyphs of a right-to-left line from left to right; numbers run from the left."""
    shown = "".join(token if token.isascii() else token[::-1] for token in reversed(logical.split(" ")))
    return shown, [float(i) for i in range(len(shown))]


@pytest.mark.parametrize("written", ["visual", "logical"])
def test_hebrew_with_a_number(written: str) -> None:
    logical = f"{SHALOM} 1,234 {SHALOM[:3]}"
    visual = f"{SHALOM[:3][::-1]} 1,234 {SHALOM[::-1]}"
    places = {i: float(i) for i in range(len(visual))}
    if written == "visual":
        text, middles = visual, list(places.values())
    else:
        text = logical
        middles = [float(i) for i in range(len(visual) - 1, len(visual) - 6, -1)]  # the first word and its blank
        middles += [4.0, 5.0, 6.0, 7.0, 8.0, 3.0, 2.0, 1.0, 0.0]
    order, read = logical_order(text, middles, rtl=True)
    assert read == logical
    assert sorted(order) == list(range(len(text)))


def test_direction_is_told_by_letters() -> None:
    assert is_rtl(f"{SHALOM} abc") and not is_rtl("the word ש in English text")
