"""The whole way: add documents, ask, see the page, trust the record, take the answer away, find it again."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import steps
from tests.browser.server import Server

QUESTION = "What is the expense ratio as of June 30, 2025?"


def test_from_upload_to_a_link_after_a_restart(tab: Page, tmp_path: Path, samples: list[Path]) -> None:
    with Server(tmp_path) as server:
        tab.goto(server.url)
        expect(tab.get_by_text("The library is empty", exact=False)).to_be_visible(timeout=steps.PATIENT)
        tab.get_by_role("link", name="Add PDFs").click()
        steps.upload(tab, *samples)
        tab.get_by_role("link", name="Ask", exact=True).click()
        trace = steps.ask(tab, QUESTION)
        tab.locator(".pick").first.click()
        steps.page_is_open(tab, "nimbus_2025.pdf", 1)
        steps.marks_stand_on_ink(tab)
        expect(tab).to_have_url(re.compile("claim=c1"))
        _take_away(tab, tmp_path)
        _record_is_whole(tab, server.url, trace)
        _tampering_shows_its_line(tab, server.url, tmp_path / "traces" / f"{trace}.jsonl")
    with Server(tmp_path) as again:
        tab.goto(f"{again.url}/?trace={trace}&claim=c1")
        expect(tab.locator(".claim.chosen")).to_contain_text("0.03%", timeout=steps.PATIENT)
        steps.page_is_open(tab, "nimbus_2025.pdf", 1)
        steps.marks_stand_on_ink(tab)


def _take_away(tab: Page, folder: Path) -> None:
    tab.get_by_role("radio", name="Take away").or_(tab.get_by_text("Take away", exact=True)).first.click()
    for label in ("Markdown", "HTML with pages", "Word", "Claims (CSV)", "JSON"):
        with tab.expect_download(timeout=steps.PATIENT) as started:
            tab.get_by_role("button", name=label, exact=True).click(timeout=steps.PATIENT)
        path = folder / started.value.suggested_filename
        started.value.save_as(path)
        text = (
            "".join(zipfile.ZipFile(path).read(n).decode() for n in ("word/document.xml", "word/footnotes.xml"))
            if path.suffix == ".docx"
            else path.read_text()
        )
        assert "0.03%" in text and "nimbus" in text, label


def _record_is_whole(tab: Page, url: str, trace: str) -> None:
    tab.goto(f"{url}/traces?trace={trace}")
    expect(tab.get_by_text("✓ chain intact")).to_be_visible(timeout=steps.PATIENT)
    expect(tab.get_by_text("When did each step run?")).to_be_visible(timeout=steps.PATIENT)


def _tampering_shows_its_line(tab: Page, url: str, path: Path) -> None:
    honest = path.read_bytes()
    lines = honest.decode().splitlines()
    span = json.loads(lines[2])
    span["reasoning"] += " or not"
    lines[2] = json.dumps(span, sort_keys=True, separators=(",", ":"))
    path.write_text("\n".join(lines) + "\n")
    tab.reload()
    expect(tab.get_by_text("✕ tampered")).to_be_visible(timeout=steps.PATIENT)
    told = tab.get_by_text(f"Broken at {path.name}, line 3", exact=False)
    expect(told).to_contain_text("expected")
    expect(told).to_contain_text(span["this_hash"])
    tab.goto(f"{url}/traces")
    expect(tab.get_by_text(f"Broken at {path.name}, line 3", exact=False)).to_be_visible(timeout=steps.PATIENT)
    path.write_bytes(honest)


@pytest.fixture
def reading(prepared: str, tab: Page) -> Page:
    """A tab on the Ask page of the server with both samples."""
    tab.goto(prepared)
    return tab


def test_first_visit_explains_itself(reading: Page) -> None:
    expect(reading.get_by_text("Every sentence of an answer is checked", exact=False)).to_be_visible(
        timeout=steps.PATIENT
    )
    expect(reading.get_by_text("Nothing leaves this machine", exact=False)).to_be_visible()
    expect(reading.get_by_role("button", name="What is the expense ratio?")).to_be_visible()
    reading.get_by_role("button", name="Which sector is the largest", exact=False).click()
    expect(reading.locator(".claim").first).to_contain_text("Information technology", timeout=steps.PATIENT)


def test_keyboard_alone(reading: Page) -> None:
    expect(reading.get_by_test_id("stChatInputTextArea")).to_be_enabled(timeout=steps.PATIENT)
    for _ in range(40):
        reading.keyboard.press("Tab")
        if reading.evaluate("document.activeElement?.dataset?.testid") == "stChatInputTextArea":
            break
    reading.keyboard.type("What is the 10-year return at net asset value in 2025?")
    reading.keyboard.press("Enter")
    expect(reading.locator(".claim").first).to_contain_text("13.46%", timeout=steps.PATIENT)
    for _ in range(60):
        reading.keyboard.press("Shift+Tab")
        if reading.evaluate(_FOCUS) == "pick":
            break
    reading.keyboard.press("Enter")
    expect(reading.locator(".claim.chosen")).to_have_count(1)
    reading.keyboard.press("n")
    for _ in range(40):
        reading.keyboard.press("Tab")
        if reading.evaluate(_FOCUS) == "stage":
            break
    reading.keyboard.press("ArrowRight")
    steps.page_is_open(reading, "nimbus_2025.pdf", 2)


_FOCUS = "() => { let n = document.activeElement; while (n?.shadowRoot?.activeElement) n = n.shadowRoot.activeElement; return n?.className }"  # noqa: E501


def test_scope_is_kept_and_respected(reading: Page) -> None:
    """Case 7: what is asked of one document shows only that document."""
    _choose_scope(reading, "nimbus_2024.pdf", "1 of 2 documents")
    steps.ask(reading, "What is the expense ratio?")
    _only_cites(reading, "nimbus_2024.pdf")
    _choose_scope(reading, "nimbus_2024.pdf", r"(?<!of )2 documents")  # a second click takes it away again
    _choose_scope(reading, "nimbus_2025.pdf", "1 of 2 documents")
    steps.ask(reading, "What is the expense ratio?")
    _only_cites(reading, "nimbus_2025.pdf")
    assert reading.locator(".tab").all_inner_texts() in ([], ["nimbus_2025.pdf"])


def _choose_scope(tab: Page, name: str, then: str) -> None:
    """Click a document of the scope; the button then says how many are asked."""
    tab.get_by_test_id("stPopover").first.get_by_role("button").click()
    box = tab.get_by_test_id("stMultiSelect").get_by_role("combobox")
    expect(box).to_be_visible(timeout=steps.PATIENT)
    remove = tab.get_by_test_id("stMultiSelect").get_by_label(f"Remove {name}")
    if remove.count():
        remove.click()
    else:
        box.click()
        tab.get_by_role("option", name=name).click()
    tab.keyboard.press("Escape")
    tab.keyboard.press("Escape")
    expect(tab.get_by_test_id("stPopover").first).to_have_text(re.compile(then), timeout=steps.PATIENT)


def _only_cites(tab: Page, name: str) -> None:
    """The answer is drawn (the address changes first), and every chip names that document."""
    expect(tab.locator(".chip").first).to_contain_text(name, timeout=steps.PATIENT)
    assert {chip.split(" · ")[0] for chip in tab.locator(".chip").all_inner_texts()} == {name}


def test_question_about_nothing_abstains(reading: Page) -> None:
    steps.ask(reading, "Who won the chess match in Reykjavik?")
    expect(reading.locator(".abstention")).to_contain_text("Searched 2 documents")
    expect(reading.locator(".claim")).to_have_count(0)


def test_refresh_and_back_keep_the_view(reading: Page) -> None:
    first = steps.ask(reading, "What is the expense ratio?")
    second = steps.ask(reading, "Which is the largest holding?")
    reading.reload()
    expect(reading.locator(".question")).to_have_text("Which is the largest holding?", timeout=steps.PATIENT)
    assert steps.trace_of(reading) == second
    reading.goto(reading.url.replace(second, first))
    expect(reading.locator(".question")).to_have_text("What is the expense ratio?", timeout=steps.PATIENT)
    reading.go_back()
    expect(reading.locator(".question")).to_have_text("Which is the largest holding?", timeout=steps.PATIENT)


def test_two_tabs_do_not_mix(browser: Browser, prepared: str) -> None:
    tabs = [browser.new_context().new_page() for _ in range(2)]
    questions = ["What is the expense ratio?", "How many stocks does the fund hold?"]
    for tab, question in zip(tabs, questions, strict=True):
        tab.goto(prepared)
        steps.type_question(tab, question)
    for tab, question in zip(tabs, questions, strict=True):
        expect(tab.locator(".summary")).to_contain_text(" s", timeout=steps.PATIENT)
        expect(tab.locator(".question")).to_have_text(question)
        tab.context.close()


@pytest.mark.parametrize("pause", [0, 100, 250])
def test_a_page_turned_just_before_asking_does_not_hide_the_answer(reading: Page, pause: int) -> None:
    steps.ask(reading, QUESTION)
    reading.locator(".next").click()
    reading.wait_for_timeout(pause)  # the viewer reports where it stands a quarter of a second later
    steps.ask(reading, "What is the largest sector?")
    expect(reading.locator(".claim").first).to_contain_text("Information technology")


def test_document_link_opens_its_page(reading: Page, prepared: str, sample_ids: dict[str, str]) -> None:
    for place in ("", "library"):
        reading.goto(f"{prepared}/{place}?doc={sample_ids['nimbus_2024.pdf']}&page=2")
        steps.page_is_open(reading, "nimbus_2024.pdf", 2)


def test_rows_of_the_library_open_a_document_and_its_sections(reading: Page, prepared: str) -> None:
    reading.goto(f"{prepared}/library")
    _tick_first(reading, 0)
    steps.page_is_open(reading, "nimbus_2025.pdf", 1)
    reading.get_by_text(re.compile(r"^Sections \(")).click()
    for turn in (2, 1, 2):  # the section's page is opened once, and does not come back when the page is turned
        if turn == 1:
            _tick_first(reading, 1)
        else:
            reading.get_by_role("button", name="Next page").click()
        expect(reading).to_have_url(re.compile(f"page={turn}"), timeout=steps.PATIENT)
        steps.at_rest(reading)
        steps.page_is_open(reading, "nimbus_2025.pdf", turn)


def _tick_first(tab: Page, table: int) -> None:
    """Tick the first row of a table, which is drawn on a canvas."""
    frame = tab.get_by_test_id("stDataFrame").nth(table)
    expect(frame.locator("canvas").first).to_be_visible(timeout=steps.PATIENT)
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box
    tab.mouse.click(box["x"] + 20, box["y"] + 55)


def test_unknown_links_end_in_a_sentence(reading: Page, prepared: str) -> None:
    for query, words in [("?trace=" + "0" * 32, "no such trace"), ("?trace=../../etc", "not a trace id"),
                         ("?doc=" + "f" * 64, "not in the library"), ("?run=nothing", "interrupted")]:  # fmt: skip
        reading.goto(f"{prepared}/{query}")
        expect(reading.get_by_text(words, exact=False).first).to_be_visible(timeout=steps.PATIENT)


def test_follow_up_and_earlier_questions(reading: Page) -> None:
    steps.ask(reading, "What was the expense ratio in the fact sheet of June 30, 2024?")
    steps.ask(reading, "And in 2025?")
    reading.get_by_role("button", name="Earlier (2)").click()
    reading.get_by_role("combobox", name=re.compile("Questions of this session")).click()
    reading.get_by_role("option", name="What was the expense ratio in the fact sheet", exact=False).click()
    reading.get_by_role("button", name="Show this answer").click()
    expect(reading.locator(".question")).to_contain_text("June 30, 2024", timeout=steps.PATIENT)


def test_nothing_is_asked_of_another_host(browser: Browser, prepared: str) -> None:
    context = browser.new_context()
    tab, strangers = context.new_page(), []
    tab.on("request", lambda r: None if r.url.startswith((prepared, "data:", "blob:")) else strangers.append(r.url))
    tab.goto(prepared)
    steps.ask(tab, "What is the expense ratio?")
    tab.get_by_text("Sources", exact=True).click()
    expect(tab.get_by_text("What made each source relevant?")).to_be_visible(timeout=steps.PATIENT)
    for page in ("library", "traces"):
        tab.goto(f"{prepared}/{page}")
        expect(tab.get_by_test_id("stHeading").first).to_be_visible(timeout=steps.PATIENT)
        steps.at_rest(tab)
    context.close()
    assert strangers == []
