"""What the server needs beside the pages: its own routes, and the heavy libraries loaded before they are wanted."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request
from starlette.routing import Route
from streamlit.runtime.pages_manager import PagesManager

from grounded.errors import GroundedError
from grounded.ui.access import (
    LOCAL,
    NotAllowed,
    base_settings,
    library_for,
    sign_in_is_on,
    signed_in,
    workspace_of,
)
from grounded.ui.files import file_routes
from grounded.ui.routes import page_routes


def routes() -> list[Route]:
    """The routes of page images, page text and files to take away."""
    # Without this a server that is first asked for /library takes the pages folder for Streamlit's older kind of
    # navigation and runs that page alone; st.navigation says the same, but only once the front door has run.
    PagesManager.uses_pages_directory = False
    pages = page_routes(
        lambda request, document: library_for(_user(request), document), base_settings().documents.render_pixels
    )
    return [*pages, *file_routes(lambda request: workspace_of(_user(request)))]


def _user(request: Request) -> str:
    user = signed_in(request.cookies)
    if user is None:
        raise NotAllowed("nobody is signed in", advice="Sign in and open the page again")
    return user


@asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Load graph, embedder and index beside the start, so that neither the first page nor the first question waits."""
    threading.Thread(target=_load, name="warm-up", daemon=True).start()
    yield


def _load() -> None:
    from grounded import pipeline

    try:
        pipeline.warm_up(base_settings())
        workspace = workspace_of(LOCAL)
        library = workspace.library
        if library.documents() and not sign_in_is_on():
            pipeline.find("What is this about?", library=library, settings=workspace.settings)
        else:
            library.embedder.encode_documents(["warm"])
    except (GroundedError, OSError):
        return  # said on the page that needs it
