"""Buttons that fetch a file from the server's own routes, say how it goes, and hand it to the browser.

Streamlit's download button would put every file in the server's memory under an address that asks nobody who they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import streamlit as st

from grounded.ui.files import KINDS, file_address

_HTML = """
<div class="files"></div>
<p class="said" role="status"></p>
"""
_CSS = """
.files { display: flex; flex-wrap: wrap; gap: 0.5rem; font-family: var(--st-font); }
.files button { font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: 6px; padding: 0.25rem 0.75rem; min-height: 2.25rem;
  cursor: pointer; }
.files button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
.files button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.files button[aria-busy="true"] { cursor: progress; opacity: 0.6; }
.said { font: 0.8125rem var(--st-font); color: var(--st-text-color); margin: 0.375rem 0 0; min-height: 1.25rem;
  overflow-wrap: anywhere; }
"""
_JS = """
export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".files");
  const said = parentElement.querySelector(".said");
  const fetchFile = async (button, { label, address }) => {
    button.setAttribute("aria-busy", "true");
    said.textContent = `Making: ${label}`;
    try {
      const reply = await fetch(address, { credentials: "same-origin" });
      if (!reply.ok) throw new Error((await reply.json().catch(() => ({}))).message || "The file could not be made.");
      const link = document.createElement("a");
      link.download = /filename="([^"]+)"/.exec(reply.headers.get("Content-Disposition"))?.[1] || "";
      link.href = URL.createObjectURL(await reply.blob());
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      said.textContent = `Made: ${link.download}`;
    } catch (error) {
      said.textContent = error.message;
    }
    button.removeAttribute("aria-busy");
  };
  box.replaceChildren(...data.map((file) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = file.label;
    button.addEventListener("click", () => button.hasAttribute("aria-busy") || fetchFile(button, file));
    return button;
  }));
}
"""


@cache
def _component() -> Any:
    return st.components.v2.component("grounded_downloads", html=_HTML, css=_CSS, js=_JS)


def downloads(trace: str, suffixes: Sequence[str], *, key: str) -> None:
    """One button for each kind of file of a trace."""
    files = [{"label": KINDS[suffix].label, "address": file_address(trace, suffix)} for suffix in suffixes]
    _component()(key=key, data=files)
