"""A link followed before signing in is opened after it: the identity provider always sends people back to the front."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st

# The tab's own memory, and only a path of this very server.
_JS = """
export default function ({ data }) {
  const key = "grounded-wanted";
  const here = window.location;
  if (!data.signedIn) return sessionStorage.setItem(key, here.pathname + here.search);
  const wanted = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (wanted && wanted !== here.pathname + here.search && !here.search) here.replace(new URL(wanted, here.origin));
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component("grounded_come_back", js=_JS)


def come_back(signed_in: bool) -> None:
    """Remember where somebody wanted to go, or go there once they are known."""
    _component()(key="come_back", data={"signedIn": signed_in}, height=0)
