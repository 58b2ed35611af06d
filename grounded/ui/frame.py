"""What every page shares: the few lines of CSS that turn Streamlit's flow into this app's frame."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_ASSETS = Path(__file__).parent / "assets"
# Files of our own: a material symbol as page icon would be fetched from another host.
ICON, LOGO = str(_ASSETS / "icon.svg"), str(_ASSETS / "logo.svg")

# Fixed text of our own; nothing from a document, a model or a user is ever put into it.
_BASE = """
<style>
.stMain .stMainBlockContainer { padding: 4.75rem 1.5rem 2rem; max-width: 84rem; }
[data-testid="stHeader"] { box-shadow: 0 1px color-mix(in srgb, currentColor 12%, transparent); }
[data-testid="stHeaderLogo"], [data-testid="stLogo"] { height: 1.75rem; max-width: none; }
.stMain [data-testid="stVerticalBlock"] { gap: 0.75rem; }
.stMain [data-testid="stText"] { font-size: 0.875rem; line-height: 1.45; opacity: 0.82; overflow-wrap: anywhere; }
.stMain [class*="st-key-title"] [data-testid="stText"] { font-size: 1.0625rem; font-weight: 600; opacity: 1; }
.stMain [data-testid="stCaptionContainer"], .stMain [data-testid="stCaptionContainer"] p {
  color: light-dark(LIGHT, DARK); opacity: 1;
}
.stMain [data-testid="stHeadingWithActionElements"] { padding-bottom: 0; }
/* Streamlit writes white on a dark theme's light accent, which cannot be read; the page's own ground can. */
button[data-testid^="stBaseButton-primary"]:enabled, button[data-testid^="stBaseButton-primary"]:enabled p {
  color: Canvas;
}
@media (prefers-reduced-motion: reduce) {
  * { transition-duration: 0s !important; animation-iteration-count: 1 !important; }
}
</style>
"""
_SPLIT = """
<style>
.stMain .stMainBlockContainer { padding-bottom: 7rem; }
.st-key-foot {
  position: fixed; bottom: 0; left: 0; width: 100%; z-index: 2; padding: 0.75rem 1.5rem 1rem;
  background: linear-gradient(transparent, light-dark(LIGHT, DARK) 0.75rem);
}
@media (min-width: 1000px) {
  .stMain { align-items: flex-start; }
  .stMain .stMainBlockContainer { max-width: none; width: 48vw; }
  .st-key-foot { width: calc(48vw - 1px); }
}
@media (max-width: 999px) {
  .stMain .stMainBlockContainer { padding: 4.5rem 0.75rem 7rem; }
  .st-key-foot { padding: 0.5rem 0.75rem; }
}
</style>
"""


def title(text: str) -> None:
    """A heading that a document or a user wrote: literal, whatever it says."""
    with st.container(key=f"title_{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"):
        st.text(text)


@contextmanager
def foot() -> Iterator[None]:
    """A place at the foot of a split page that stays there. Unlike Streamlit's own it does not scroll the page down
    whenever something grows above it."""
    with st.container(key="foot"):
        yield


def table_height(rows: int, most: int) -> int | Literal["content"]:
    """Height of a table: all of its rows, or `most` pixels with a scroll bar."""
    return "content" if 38 + 36 * rows <= most else most


def own_place(name: str) -> DeltaGenerator:
    """A container for a fragment, made by the page. Call the fragment inside it, always.

    A fragment run that starts before the page's messages were sent drops the fragment's share of them; what follows
    it on the page would then move up one place and be overwritten. In a place of its own it can only overwrite itself.
    """
    return st.container(key=f"place_{name}")


def frame(layout: Literal["wide", "split"] = "wide") -> None:
    """Lay the page out: `split` leaves the right half of a wide screen to the page viewer."""
    st.html(_coloured(_BASE, "grayTextColor"))
    if layout == "split":
        st.html(_coloured(_SPLIT, "backgroundColor"))


def _coloured(css: str, option: str) -> str:
    """The theme's light and dark value of an option, in the places that ask for them."""
    light, dark = (str(st.get_option(f"theme.{kind}.{option}")) for kind in ("light", "dark"))
    return css.replace("LIGHT", light).replace("DARK", dark)
