"""What a person does in the app, in words the tests are written in."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

PATIENT = 75_000  # milliseconds; a machine that is busy with other things is no failure
_INK = 0.05  # share of dark pixels in a box of print; blank paper has none


def type_question(tab: Page, question: str) -> None:
    """Write it into the box and press Enter."""
    box = tab.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled(timeout=PATIENT)
    box.fill(question)
    box.press("Enter")


def ask(tab: Page, question: str) -> str:
    """Ask and wait for the answer; returns its trace id."""
    before = trace_of(tab)
    type_question(tab, question)
    expect(tab.locator(".question")).to_have_text(question, timeout=PATIENT)
    expect(tab.locator(".summary")).to_contain_text(" s", timeout=PATIENT)
    expect(tab).to_have_url(re.compile(r"trace=(?!%s)[0-9a-f]{32}" % (before or "x")), timeout=PATIENT)
    return trace_of(tab)


def trace_of(tab: Page) -> str:
    """The trace id in the address bar, '' when there is none."""
    found = re.search(r"[?&]trace=([0-9a-f]{32})", tab.url)
    return found[1] if found else ""


def upload(tab: Page, *files: Path) -> None:
    """Add files on the Library page and wait until they are indexed."""
    tab.locator("input[type=file]").first.set_input_files([str(f) for f in files])
    tab.get_by_role("button", name=re.compile(r"^Add \d+ file")).click(timeout=PATIENT)
    expect(tab.get_by_text(f"{len(files)} of {len(files)} file", exact=False)).to_be_visible(timeout=PATIENT)
    tab.get_by_role("button", name="Close").click(timeout=PATIENT)


def at_rest(tab: Page) -> None:
    """The page's script has run to its end, and every picture on it is there."""
    expect(tab.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENT)
    tab.wait_for_function("[...document.images].every((image) => image.complete)", timeout=PATIENT)


def page_is_open(tab: Page, name: str, number: int) -> None:
    """The viewer shows that page."""
    expect(tab.locator(".paper img")).to_have_attribute("alt", f"Page {number} of {name}", timeout=PATIENT)


def marks_stand_on_ink(tab: Page, selector: str = ".mark.chosen") -> None:
    """There is print under the first element of `selector`, once the page has come to rest."""
    deadline = time.monotonic() + PATIENT / 1000
    while (ink := _ink_under(tab, selector)) <= _INK:
        assert time.monotonic() < deadline, f"only {ink:.3f} of the pixels under {selector} are dark"
        tab.wait_for_timeout(100)


def _ink_under(tab: Page, selector: str) -> float:
    """Share of dark pixels on the screen under the first element of `selector`."""
    box = tab.locator(selector).first.bounding_box()
    assert box, f"{selector} is not on screen"
    picture = Image.open(io.BytesIO(tab.screenshot(clip=box))).convert("L")
    return float((np.asarray(picture) < 110).mean())
