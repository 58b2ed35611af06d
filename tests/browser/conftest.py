"""One browser for the session, one server with the sample documents, a fresh tab per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from grounded.library import Library
from tests.browser import steps
from tests.browser.server import FLAGS, ROOT, Server, chromium


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium; a missing browser is a failure with advice."""
    expect.set_options(timeout=steps.PATIENT)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the gallery: every state of the answer component."""
    with Server(tmp_path_factory.mktemp("gallery"), "tests/ui/gallery.py") as server:
        yield server.url


@pytest.fixture(scope="session")
def sample_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the two sample fact sheets indexed; copy it to change it."""
    home = tmp_path_factory.mktemp("prepared")
    results = Library(str(home / "library")).add([ROOT / "data"])
    assert all(result.usable for result in results)
    return home


@pytest.fixture(scope="session")
def sample_ids(sample_library: Path) -> dict[str, str]:
    """File name -> document id."""
    return {record.name: record.id for record in Library(str(sample_library / "library")).documents()}


@pytest.fixture(scope="session")
def prepared(sample_library: Path) -> Iterator[str]:
    """Address of the app over the sample library, for tests that only read it."""
    with Server(sample_library) as server:
        yield server.url


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A fresh tab at 1440 x 900. Errors of the page fail the test."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    page = context.new_page()
    page.set_default_timeout(steps.PATIENT)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors, errors
