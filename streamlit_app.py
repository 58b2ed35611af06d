"""Front door: page config, navigation and the server's routes, nothing else."""

import streamlit as st

if __name__ == "__main__":  # a run of the page script
    from grounded.ui.frame import ICON, LOGO

    st.set_page_config(page_title="Grounded", page_icon=ICON, layout="wide")
    st.logo(LOGO)
    pages = [
        st.Page("pages/ask.py", title="Ask", default=True),
        st.Page("pages/library.py", title="Library"),
        st.Page("pages/traces.py", title="Traces"),
        st.Page("pages/check.py", title="Check"),
        st.Page("pages/evaluation.py", title="Evaluation"),
    ]
    st.navigation(pages, position="top").run()
else:  # the server looking for its application
    from grounded.ui.server import routes, warm_up

    app = st.App(__file__, routes=routes(), lifespan=warm_up)
