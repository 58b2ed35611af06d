"""Traces: every run, whether the record is whole, one run in full."""

import streamlit as st

from grounded.ui import frame, page, state, trace_run, traces_page

frame.frame("wide")
with page.workspace() as workspace:
    if trace := state.link().trace:
        trace_run.run(workspace, trace)
    else:
        st.header("Traces", anchor=False)
        traces_page.overview(workspace)
