"""Evaluation: gold sets and runs, figures with intervals, and the cases that fail, beside their pages."""

import streamlit as st

from grounded.ui import evaluation_page, frame, page

frame.frame("split")
with page.workspace() as workspace:
    st.header("Evaluation", anchor=False)
    evaluation_page.body(workspace)
