"""axe-core on every page, light and dark: nothing serious, nothing critical."""

from __future__ import annotations

from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import steps

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
PAGES = ["", "library", "traces", "check", "evaluation"]


def violations(tab: Page) -> list[str]:
    """Serious and critical findings, with the first place of each."""
    tab.evaluate(AXE)
    found = tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [
        f"{v['impact']} {v['id']}: {v['nodes'][0]['html'][:160]} {v['nodes'][0].get('failureSummary', '')[:200]}"
        for v in found
        if v["impact"] in {"serious", "critical"}
    ]


@pytest.fixture(params=["light", "dark"])
def themed(browser: Browser, request: pytest.FixtureRequest) -> Page:
    """A tab in that theme."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=request.param)
    request.addfinalizer(context.close)
    return context.new_page()


def test_every_page(themed: Page, prepared: str) -> None:
    found = {}
    for name in PAGES:
        themed.goto(f"{prepared}/{name}")
        expect(themed.get_by_test_id("stHeading").first).to_be_visible(timeout=steps.PATIENT)
        steps.at_rest(themed)
        found[name] = violations(themed)
    assert not any(found.values()), found


@pytest.mark.parametrize("state", ["answered", "running", "abstained", "conflict"])
def test_every_state_of_an_answer(themed: Page, gallery: str, state: str) -> None:
    themed.goto(f"{gallery}/?state={state}")
    themed.locator(".paper img").wait_for()
    for button in themed.locator(".more").all()[:1]:
        button.click()
    assert violations(themed) == []
