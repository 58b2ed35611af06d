"""The Check page: an answer from anywhere, its verdicts, their pages, and Stop."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import steps

CLAIMS = "The expense ratio is 0.03%.\nThe expense ratio is 0.13%.\nThe fund owns a brewery in Leeds."


@pytest.fixture
def checking(tab: Page, prepared: str) -> Page:
    tab.goto(f"{prepared}/check")
    return tab


def check(tab: Page, text: str) -> None:
    tab.get_by_label("Claims or a whole answer").fill(text)
    tab.get_by_role("button", name="Check", exact=True).click()


def test_every_claim_gets_its_verdict_and_its_page(checking: Page) -> None:
    check(checking, CLAIMS)
    expect(checking.locator(".summary")).to_contain_text("1 of 3 grounded")
    expect(checking.locator(".claim .badge")).to_have_text(["grounded", "contradicted", "unverified"])
    expect(checking.locator(".summary")).to_contain_text("checked on this machine, no language model")
    checking.locator(".pick").first.click()
    expect(checking.locator(".paper img")).to_have_attribute("alt", re.compile("Page 1 of nimbus_202"))
    steps.marks_stand_on_ink(checking)


def test_stop_keeps_what_is_checked(checking: Page) -> None:
    check(checking, "\n".join(f"The expense ratio is 0.{n:02}%." for n in range(100)))
    checking.get_by_role("button", name="Stop", exact=True).click()
    expect(checking.locator(".summary")).to_contain_text(re.compile(r"stopped after \d+ of 100 claims"))
    steps.at_rest(checking)
    expect(checking.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    assert 0 < checking.locator(".claim").count() < 100
