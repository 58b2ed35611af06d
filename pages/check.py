"""Check: claims from anywhere, verdicts and pages."""

import streamlit as st

from grounded.ui import check_page, frame, page

frame.frame("split")
with page.workspace() as workspace:
    documents = workspace.library.documents()
    st.header("Check", anchor=False)
    check_page.form(workspace, documents)
    check_page.outcome(documents)
