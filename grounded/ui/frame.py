"""What every page shares: the few lines of CSS that turn Streamlit's flow into this app's frame."""

from __future__ import annotations

from typing import Literal

import streamlit as st

# Fixed text of our own; nothing from a document, a model or a user is ever put into it.
_BASE = """
<style>
.stMain .stMainBlockContainer { padding: 4.75rem 1.5rem 2rem; max-width: 84rem; }
[data-testid="stHeader"] { box-shadow: 0 1px color-mix(in srgb, currentColor 12%, transparent); }
.stMain [data-testid="stVerticalBlock"] { gap: 0.75rem; }
@media (prefers-reduced-motion: reduce) {
  * { transition-duration: 0s !important; animation-iteration-count: 1 !important; }
}
</style>
"""
_SPLIT = """
<style>
.stMain [data-testid="stBottomBlockContainer"] { padding: 0.75rem 1.5rem 1rem; max-width: none; }
@media (min-width: 1000px) {
  .stMain { align-items: flex-start; }
  .stMain .stMainBlockContainer { max-width: none; width: 48vw; padding-bottom: 3rem; }
  .stMain [data-testid="stBottom"] { width: 48vw; }
}
@media (max-width: 999px) {
  .stMain .stMainBlockContainer { padding: 4.5rem 0.75rem 3rem; }
  .stMain [data-testid="stBottomBlockContainer"] { padding: 0.5rem 0.75rem; }
}
</style>
"""


def frame(layout: Literal["wide", "split"] = "wide") -> None:
    """Lay the page out: `split` leaves the right half of a wide screen to the page viewer."""
    st.html(_BASE)
    if layout == "split":
        st.html(_SPLIT)
