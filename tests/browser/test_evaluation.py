"""The Evaluation page in a browser: run the sample questions, read the figures, open a case on its page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import steps


def test_run_figures_and_a_case_on_its_page(tab: Page, prepared: str) -> None:
    tab.goto(f"{prepared}/evaluation")
    tab.get_by_role("button", name="Run sets").click()
    tab.get_by_role("button", name="Run", exact=True).click()
    expect(tab.get_by_text("Cases: 50 · reader: extractive")).to_be_visible(timeout=5 * steps.PATIENT)
    tab.get_by_role("radio", name="Cases").click()
    tab.get_by_text("Only failing").click()
    search = tab.get_by_role("textbox", name="Search")
    search.fill("top holding")
    search.press("Enter")
    expect(tab.get_by_text("1 case", exact=True)).to_be_visible()
    steps.at_rest(tab)  # until then the table of all cases is still on the page
    box = tab.get_by_test_id("stDataFrame").bounding_box()
    assert box
    tab.mouse.click(box["x"] + 20, box["y"] + 55)  # the row's tick box
    gold = tab.locator(".claim", has_text="Gold:")
    gold.locator(".chip").first.click()
    steps.page_is_open(tab, "nimbus_2025.pdf", 2)
    steps.marks_stand_on_ink(tab)
