"""Library: PDFs in, what could be read of them, and their pages."""

import streamlit as st

from grounded.ui import frame, library_page, page

frame.frame("split")
with page.workspace() as workspace:
    st.header("Library", anchor=False)
    documents = workspace.library.documents()
    library_page.add_files(workspace)
    document = library_page.table(documents) if documents else None
    library_page.chosen(workspace, documents, document)
