"""The way into every page: whose workspace it is, and what to show when there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from grounded.errors import GroundedError
from grounded.ui.access import LOCAL, Workspace, workspace_of


@contextmanager
def workspace() -> Iterator[Workspace]:
    """The asker's workspace. An error anywhere on the page becomes its sentence, never a traceback."""
    try:
        yield workspace_of(LOCAL)
    except GroundedError as error:
        st.error("This page cannot be shown.")
        st.text(error.message)
        if st.button("Try again"):
            st.rerun()
