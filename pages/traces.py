"""Traces: every run, whether the record is whole, one run in full."""

import streamlit as st

from grounded.ui import frame, page, state, traces_page

frame.frame("wide")
with page.workspace() as workspace:
    if trace := state.link().trace:
        traces_page.run(workspace, trace)
    else:
        st.header("Traces", anchor=False)
        traces_page.overview(workspace)
