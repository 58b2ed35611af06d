"""The text over the page's image."""

from __future__ import annotations

import numpy as np

from grounded.types import Page
from grounded.ui.textlayer import pieces


def made(text: str, boxes: list[tuple[float, float, float, float]]) -> Page:
    return Page(1, "1", 200, 100, 0, text, np.array(boxes, dtype=np.float32))


def row(text: str, x: float, y: float, step: float = 5) -> list[tuple[float, float, float, float]]:
    return [(x + step * i, y, x + step * (i + 1), y + 10) for i in range(len(text))]


def test_a_line_is_one_piece_and_blank_lines_are_none() -> None:
    page = made("ab cd\n\nx", [*row("ab cd", 10, 20), (0, 0, 0, 0), (0, 0, 0, 0), *row("x", 10, 40)])
    assert [tuple(p) for p in pieces(page)] == [("ab cd", 10, 20, 35, 30, 0), ("x", 10, 40, 15, 50, 0)]


def test_a_wide_gap_parts_columns() -> None:
    page = made("ab cd", [*row("ab", 10, 20), (20, 20, 20, 30), *row("cd", 120, 20)])
    assert [p.text for p in pieces(page)] == ["ab", "cd"]


def test_vertical_text_is_turned() -> None:
    down = made("abc", [(10, 10 + 8 * i, 20, 18 + 8 * i) for i in range(3)])
    up = made("abc", [(10, 60 - 8 * i, 20, 68 - 8 * i) for i in range(3)])
    assert [p.turn for p in (*pieces(down), *pieces(up))] == [90, 270]


def test_right_to_left_stays_whole() -> None:
    page = made("abc", row("abc", 10, 20)[::-1])
    assert [tuple(p) for p in pieces(page)] == [("abc", 10, 20, 25, 30, 0)]
