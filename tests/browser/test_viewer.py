"""The answer component: click, highlight, keyboard, text layer. On answers made by hand, so every state is at hand."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from playwright.sync_api import Page, expect

from grounded.library import Library
from tests.browser import steps
from tests.browser.server import Server
from tests.ui.hostile import HOSTILE


def open_state(tab: Page, gallery: str, state: str = "answered") -> None:
    tab.goto(f"{gallery}/?state={state}")
    tab.locator(".paper img").wait_for()


def test_first_citation_is_open(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    expect(tab.locator(".claim")).to_have_count(6)
    expect(tab.locator(".claim.chosen")).to_contain_text("The expense ratio is 0.03%.")
    expect(tab.locator(".mark.chosen")).to_have_count(2)
    expect(tab.locator(".which")).to_have_text("citation 1 of 6")


def test_click_on_claim_marks_its_ink(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    tab.locator(".pick").nth(1).click()
    steps.page_is_open(tab, "nimbus_2025.pdf", 2)
    expect(tab.locator(".mark.chosen.grounded")).to_have_count(2)
    steps.marks_stand_on_ink(tab)


def test_click_on_highlight_chooses_its_claim(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    box = tab.locator(".mark.contradicted").last.bounding_box()
    assert box
    tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(tab.locator(".claim.chosen")).to_contain_text("10.58%")


def test_citations_by_keyboard(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    tab.locator(".pick").first.focus()
    tab.keyboard.press("n")
    expect(tab.locator(".tab[aria-selected=true]")).to_have_text("nimbus_2024.pdf")
    tab.keyboard.press("n")
    expect(tab.locator(".claim.chosen")).to_contain_text("largest sector")
    tab.keyboard.press("p")
    expect(tab.locator(".which")).to_have_text("citation 2 of 6")
    tab.keyboard.press("ArrowDown")
    expect(tab.locator(".claim.chosen")).to_contain_text("largest sector")


def test_pages_by_keyboard(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    tab.locator(".stage").focus()
    tab.keyboard.press("ArrowRight")
    expect(tab.locator(".paper img")).to_have_attribute("alt", "Page 2 of nimbus_2025.pdf")
    tab.keyboard.press("Home")
    expect(tab.locator(".number")).to_have_value("1")
    tab.keyboard.press("g")
    tab.keyboard.type("2")
    tab.keyboard.press("Enter")
    expect(tab.locator(".paper img")).to_have_attribute("alt", "Page 2 of nimbus_2025.pdf")


def test_zoom_keeps_marks_on_their_words(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    for key in ("+", "+", "-", "0"):
        tab.locator(".stage").focus()
        tab.keyboard.press(key)
        steps.marks_stand_on_ink(tab)


def test_text_layer_is_selected_and_copied(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    line = tab.locator(".text span", has_text="Seeks to track the performance").first
    shown, image = line.bounding_box(), tab.locator(".paper").bounding_box()
    assert shown and image
    assert shown["width"] == pytest.approx(image["width"] * 0.49, rel=0.15)
    line.click(click_count=3)
    tab.keyboard.press("Control+C")
    assert "Seeks to track the performance of the Meridian" in tab.evaluate("navigator.clipboard.readText()")


def test_copy_with_citation(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    tab.locator(".more").first.click()
    tab.get_by_role("button", name="Copy with citation").click()
    expect(tab.get_by_role("button", name="Copied")).to_be_visible()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("The expense ratio is 0.03%. [grounded]\n“Expense ratio")
    assert "nimbus_2025.pdf · p. 1 · Quick facts" in copied


def test_place_is_reported(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    tab.locator(".chip").nth(1).click()
    expect(tab.get_by_text("'citation': 1")).to_be_visible()


def test_running_shows_step_and_stop(tab: Page, gallery: str) -> None:
    open_state(tab, gallery, "running")
    expect(tab.locator(".work")).to_contain_text("Checking claim 2 of 6")
    expect(tab.get_by_role("button", name="Stop")).to_be_visible()


def test_abstention_names_what_was_searched(tab: Page, gallery: str) -> None:
    open_state(tab, gallery, "abstained")
    expect(tab.locator(".abstention")).to_contain_text("Searched 2 documents")
    expect(tab.locator(".abstention")).to_contain_text("scan.pdf: 2 pages unread (4–5)")
    expect(tab.locator(".abstention")).to_contain_text("Nearest passages — not an answer")
    tab.locator(".passage").nth(2).click()
    expect(tab.locator(".mark.nearest.chosen").first).to_be_visible()


def test_conflict_stands_side_by_side(tab: Page, gallery: str) -> None:
    open_state(tab, gallery, "conflict")
    left, right = (tab.locator(".side").nth(i).bounding_box() for i in (0, 1))
    assert left and right and left["y"] == right["y"]
    tab.locator(".side").nth(1).click()
    expect(tab.locator(".tab[aria-selected=true]")).to_have_text("nimbus_2024.pdf")


def test_removed_document_is_said(tab: Page, gallery: str) -> None:
    open_state(tab, gallery, "removed")
    expect(tab.locator(".gone")).to_contain_text("nimbus_2025.pdf has been removed from the library")


def test_thumbnails_turn_to_their_page(tab: Page, gallery: str) -> None:
    open_state(tab, gallery)
    tab.get_by_role("button", name="Pages").click()
    tab.get_by_role("button", name="Page 2, cited").click()
    expect(tab.locator(".number")).to_have_value("2")


def test_phone_opens_page_as_sheet(tab: Page, gallery: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{gallery}/?state=answered")
    expect(tab.locator(".viewer")).not_to_be_visible()
    tab.locator(".chip").first.click()
    expect(tab.locator(".viewer")).to_be_visible()
    tab.get_by_role("button", name="Back to the answer").click()
    expect(tab.locator(".viewer")).not_to_be_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_hostile_text_is_shown_literally_everywhere(tab: Page, gallery: str) -> None:
    """Case 19: nothing that a document, a name or a model says becomes markup, and nothing is fetched for it."""
    strangers: list[str] = []
    tab.on("request", lambda r: None if r.url.startswith((gallery, "data:", "blob:")) else strangers.append(r.url))
    open_state(tab, gallery, "hostile")
    for more in tab.locator(".more").all():
        more.click()
    for number, text in enumerate(HOSTILE):
        card = tab.locator(".claim").nth(number)
        assert card.locator(".words").text_content() == text
        assert card.locator("blockquote span").text_content() == text
        assert text in (card.locator(".chip").text_content() or "")
    assert tab.locator(".answer img, .answer a, .answer strong, .viewer .tabs img").count() == 0
    assert tab.locator(".claim cite").count() == len(HOSTILE)  # our own, one a source text
    assert strangers == []


_SMALL_PAGES = """() => {
  const root = [...document.querySelectorAll("*")].find((n) => n.shadowRoot?.querySelector(".g")).shadowRoot;
  const images = [...root.querySelectorAll(".thumb img")];
  return images.length === 2 && images.every((image) => image.complete && image.naturalWidth > 0);
}"""


def test_encrypted_pages_open_with_their_password(tab: Page, tmp_path: Path, samples: list[Path]) -> None:
    locked = tmp_path / "locked.pdf"
    with pymupdf.open(samples[0]) as document:
        document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    added = Library(str(tmp_path / "library")).add([locked], passwords=["secret"])[0]
    assert added.usable
    with Server(tmp_path) as server:
        tab.goto(server.url)
        expect(tab.locator(".trouble")).to_contain_text("This PDF is encrypted", timeout=steps.PATIENT)
        expect(tab.locator(".paper img")).not_to_be_visible()
        for password, then in (("wrong", "This password does not open it"), ("secret", "")):
            tab.get_by_label("Password").fill(password)
            tab.get_by_role("button", name="Show its pages").click()
            if then:
                expect(tab.locator(".trouble")).to_contain_text(then)
        steps.page_is_open(tab, "locked.pdf", 1)
        expect(tab.locator(".unlock")).not_to_be_visible()
        tab.get_by_role("button", name="Pages").click()
        tab.wait_for_function(_SMALL_PAGES)
    assert b"secret" not in (tmp_path / "server.log").read_bytes()
