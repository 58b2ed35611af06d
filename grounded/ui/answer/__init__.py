"""The one component of the app: claim cards beside the page they rest on.

Claims and rectangles go in as data, page images and text come from the server's page routes. A click highlights at once
in the browser; Python hears of it afterwards, for the link in the address bar. Text reaches the screen by
`textContent` only, so nothing a document or a model wrote is ever markup.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_SCRIPTS = ("dom.js", "claims.js", "viewer.js", "app.js")  # one module: later files use what earlier ones declare


@cache
def _component() -> Any:
    return st.components.v2.component(
        "grounded_answer",
        html=_read("answer.html"),
        css=_read("answer.css"),
        js="\n".join(_read(name) for name in _SCRIPTS),
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def answer_view(
    payload: dict[str, Any],
    *,
    key: str,
    on_place: Callable[[], None] = lambda: None,
    on_stop: Callable[[], None] = lambda: None,
) -> Any:
    """Mount the component. Its state has `place` ({key, told, claim?, citation?, document?, page?}: where the reader is
    looking) and the triggers `stop` and `look` (time to see how a running answer goes)."""
    heard = {"on_place_change": on_place, "on_stop_change": on_stop, "on_look_change": lambda: None}
    return _component()(key=key, data=payload, **heard)
