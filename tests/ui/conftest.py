"""The app's pages without a browser: a workspace of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from grounded.library import Library
from grounded.ui import access
from tests.conftest import ROOT


@pytest.fixture
def fresh_settings() -> Iterator[None]:
    """The settings are read once per process; here they are read again for each test."""
    caches = (access.base_settings, access.workspace_of, access.shares)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the two samples; tests do not change it."""
    home = tmp_path_factory.mktemp("home")
    results = Library(str(home / "library")).add([ROOT / "data"])
    assert all(result.usable for result in results)
    return home


@pytest.fixture
def app(fresh_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Opens a page of the app over a library; traces and keys are the test's own unless `log` holds others."""

    def open_page(
        where: str = "pages/ask.py", /, *, home: Path | None = None, log: Path | None = None, **query: str
    ) -> AppTest:
        monkeypatch.setenv("GROUNDED_LIBRARY", str((home or tmp_path) / "library"))
        monkeypatch.setenv("GROUNDED_TRACES", str((log or tmp_path) / "traces"))
        if log:
            monkeypatch.setenv("GROUNDED_STATE", str(log / "state"))
        test = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=120)
        for name, value in query.items():
            test.query_params[name] = value
        return test.run() if where == "pages/ask.py" else test.run().switch_page(where).run()

    return open_page
