"""Colours for charts, taken from .streamlit/config.toml: one home for every colour of the app."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from grounded.types import Status

_HUES: dict[Status, str] = {
    "grounded": "green",
    "partial": "orange",
    "unverified": "gray",
    "contradicted": "red",
}


class Palette(NamedTuple):
    """The colours of the theme the reader sees."""

    text: str
    line: str
    accent: str
    soft: str
    verdicts: dict[Status, str]


def palette() -> Palette:
    """Light or dark, as the browser shows it; light before the browser has said."""
    kind = st.context.theme.type or "light"

    def option(name: str) -> str:
        return str(st.get_option(f"theme.{kind}.{name}"))

    verdicts = {status: option(f"{hue}TextColor") for status, hue in _HUES.items()}
    return Palette(
        option("textColor"), option("borderColor"), option("primaryColor"), option("grayTextColor"), verdicts
    )
