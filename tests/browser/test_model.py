"""With a model that answers slowly: claims one by one, Stop, a refresh and a power cut in mid-answer."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import steps
from tests.browser.server import Server
from tests.tools import fake_claude
from tests.tools.scripted_messages import Body, ScriptedMessages, Step, reply

QUESTION = "What is the expense ratio?"
PAUSE = 0.25  # seconds between the pieces of the model's reply


def slowly(body: Body) -> Step:
    """Claims arrive in pieces; everything else at once."""
    if fake_claude.asked_for(body) == "claims":
        return reply({"claims": fake_claude.claims(body), "unanswered": None}, size=60, pause=PAUSE)
    return fake_claude.answer(body)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([slowly]) as running:
        yield running


@pytest.fixture(scope="module")
def home(sample_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("model")
    shutil.copytree(sample_library / "library", home / "library")
    return home


def serve(home: Path, model: ScriptedMessages) -> Server:
    return Server(home, ANTHROPIC_API_KEY="sk-ant-test", ANTHROPIC_BASE_URL=model.url, ANTHROPIC_MODEL="claude-test-1")


@pytest.fixture(scope="module")
def app(home: Path, model: ScriptedMessages) -> Iterator[str]:
    with serve(home, model) as server:
        yield server.url


def begin(tab: Page, url: str) -> None:
    """Ask, and wait for the first claim."""
    tab.goto(url)
    expect(tab.get_by_text("(claude-test-1", exact=False)).to_be_visible(timeout=steps.PATIENT)
    steps.type_question(tab, QUESTION)
    expect(tab.locator(".claim").first).to_be_visible(timeout=steps.PATIENT)


def test_stop_ends_the_request_and_says_so(tab: Page, app: str, model: ScriptedMessages) -> None:
    """Case 20."""
    before = len(model.disconnects)
    begin(tab, app)
    expect(tab.locator(".badge.checking").first).to_be_visible()
    tab.get_by_role("button", name="Stop").click()
    expect(tab.locator(".summary")).to_contain_text("stopped", timeout=steps.PATIENT)
    assert tab.locator(".badge.grounded").count() == 0
    deadline = time.monotonic() + 30
    while len(model.disconnects) == before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(model.disconnects) > before


def test_refresh_in_mid_answer_goes_on(tab: Page, app: str) -> None:
    begin(tab, app)
    tab.reload()
    expect(tab.locator(".question")).to_have_text(QUESTION, timeout=steps.PATIENT)
    expect(tab).to_have_url(re.compile("trace="), timeout=steps.PATIENT)
    expect(tab.locator(".badge.grounded").first).to_be_visible(timeout=steps.PATIENT)


def test_power_cut_in_mid_answer_ends_in_a_sentence(tab: Page, home: Path, model: ScriptedMessages) -> None:
    with serve(home, model) as server:
        begin(tab, server.url)
        lost = tab.url.split("?", 1)[1]
        server.kill()
    with serve(home, model) as again:
        tab.goto(f"{again.url}/?{lost}")
        expect(tab.get_by_text("This question was interrupted", exact=False)).to_be_visible(timeout=steps.PATIENT)
        tab.goto(f"{again.url}/traces")
        expect(tab.get_by_text("✓ chain intact").or_(tab.get_by_text("? not judged"))).to_be_visible(
            timeout=steps.PATIENT
        )
