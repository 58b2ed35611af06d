"""The only home of session state and of the address bar: what this session asked, and what it is looking at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import streamlit as st

from grounded.types import Answer
from grounded.ui.payload import Focus


class Shown(NamedTuple):
    """The answer on screen. `key` names its view in the component: the run it came from, or its trace."""

    key: str
    answer: Answer


class Asked(NamedTuple):
    """An earlier question of the session."""

    trace_id: str
    question: str
    answer: str


class Link(NamedTuple):
    """What the address bar names."""

    run: str | None
    trace: str | None
    focus: Focus


def link() -> Link:
    """Read the address bar. Anything malformed counts as absent."""
    query = st.query_params
    focus = Focus(
        claim=query.get("claim"),
        citation=_number(query.get("cite"), 0),
        document=query.get("doc"),
        page=max(1, _number(query.get("page"), 1)),
    )
    return Link(query.get("run"), query.get("trace"), focus)


def set_link(**wanted: str | int | None) -> None:
    """Write the address bar: exactly these parameters, empty ones left out."""
    new = {name: str(value) for name, value in wanted.items() if value not in (None, "")}
    if dict(st.query_params) != new:
        st.query_params.from_dict(new)


def shown() -> Shown | None:
    """The answer on screen."""
    return cast("Shown | None", st.session_state.get("shown"))


def show(answer: Answer, key: str | None = None) -> None:
    """Put an answer on screen and among the session's questions."""
    st.session_state["shown"] = Shown(key or answer.trace_id, answer)
    asked = [entry for entry in earlier() if entry.trace_id != answer.trace_id]
    st.session_state["asked"] = [*asked, Asked(answer.trace_id, answer.question, answer.answer)]


def clear() -> None:
    """Nothing on screen; the session's questions stay."""
    put("ask_going", None)
    st.session_state.pop("shown", None)
    set_link()


def earlier() -> list[Asked]:
    """The session's questions, oldest first."""
    return cast("list[Asked]", st.session_state.get("asked", []))


def place(component: str) -> Mapping[str, Any]:
    """Where the reader is looking, as the component last reported."""
    value = st.session_state.get(component)
    return cast("Mapping[str, Any]", (value.get("place") if value else None) or {})


def ticked(table: str) -> list[int]:
    """The rows of a table that are ticked."""
    value = st.session_state.get(table)
    return list(value["selection"]["rows"]) if value else []


def get(name: str, default: Any = None) -> Any:
    """A page's own value, by a name that starts with the page's."""
    return st.session_state.get(name, default)


def put(name: str, value: Any) -> None:
    """Keep a page's own value."""
    st.session_state[name] = value


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else default
