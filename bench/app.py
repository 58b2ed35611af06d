"""The app in a browser: first load, claim click, page turn, twenty sessions at once, memory. On the sample documents;
the Traces page over ten thousand runs.

Times of the page are given beside those of a bare Streamlit page in the same run, because both depend on the machine.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil
from playwright.sync_api import Browser, Page, expect, sync_playwright

from grounded.audit.verify import verify_folder
from grounded.library import Library
from tests.browser import steps
from tests.browser.server import FLAGS, ROOT, Server, chromium
from tests.tools.many_traces import write_traces

LOADS, CLICKS, SESSIONS, TRACES = 5, 40, 20, 10_000
QUESTION = "What is the expense ratio, and which sector is the largest, as of June 30, 2025?"
_BARE = """
import streamlit as st
st.set_page_config(layout="wide")
st.text("found " + st.text_input("Search"))
st.chat_input("Ask")
"""
# Click, then count frames until the chosen claim's rectangle lies over a decoded page.
_CLICK = """async (index) => {
  const root = [...document.querySelectorAll('*')].find((n) => n.shadowRoot?.querySelector('.g')).shadowRoot;
  const chips = root.querySelectorAll('.chip');
  const chip = chips[index % chips.length];
  const start = performance.now();
  chip.click();
  const ready = () => {
    const image = root.querySelector('.paper img');
    const chosen = chip.getAttribute('aria-pressed') === 'true' && root.querySelector('.mark.chosen');
    return chosen && image.complete && image.naturalWidth;
  };
  do await new Promise(requestAnimationFrame); while (!ready());
  return performance.now() - start;
}"""
_TURN = """async (forward) => {
  const root = [...document.querySelectorAll('*')].find((n) => n.shadowRoot?.querySelector('.g')).shadowRoot;
  const image = root.querySelector('.paper img');
  const before = image.alt;
  const start = performance.now();
  root.querySelector(forward ? '.next' : '.prev').click();
  do await new Promise(requestAnimationFrame); while (image.alt === before || !image.complete);
  return performance.now() - start;
}"""


def main() -> None:
    """Print the figures."""
    expect.set_options(timeout=steps.PATIENT)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        Library(str(home / "library")).add([ROOT / "data"])
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        bare = _bare(browser, home)
        with Server(home) as server:
            _report_page(browser, server, bare.load)
            _report_crowd(browser, server, home)
        _report_traces(browser, home / "many", bare.search)
        browser.close()


class Bare(NamedTuple):
    """Seconds a page of nothing but Streamlit takes to load, and to answer one typed word."""

    load: float
    search: float


def _report_page(browser: Browser, server: Server, bare: float) -> None:
    tab = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    tab.goto(server.url)
    steps.ask(tab, QUESTION)  # the first question loads what is loaded once
    loads = [_load(browser, server.url) for _ in range(LOADS)]
    load = statistics.median(loads)
    print(f"first load to usable, warm   {load:.2f} s, {load / bare:.2f} x a bare Streamlit page ({bare:.2f} s)")
    _print("claim click to marked page", [tab.evaluate(_CLICK, index) for index in range(CLICKS)], 300)
    _print("page turn", _turns(tab), 200)
    answers = [_timed(lambda: steps.ask(tab, QUESTION)) for _ in range(3)]
    print(f"question to whole answer     {statistics.median(answers):.2f} s in the browser (extractive)")


def _turns(tab: Page) -> list[float]:
    tab.locator(".number").fill("1")
    tab.locator(".number").press("Enter")
    steps.page_is_open(tab, "nimbus_2025.pdf", 1)
    return [tab.evaluate(_TURN, index % 2 == 0) for index in range(CLICKS)]


def _report_crowd(browser: Browser, server: Server, home: Path) -> None:
    tabs = [browser.new_context().new_page() for _ in range(SESSIONS)]
    for tab in tabs:
        tab.goto(server.url, timeout=600_000)
    start = time.perf_counter()
    for tab in tabs:
        steps.type_question(tab, QUESTION)
    for tab in tabs:
        expect(tab).to_have_url(re.compile("trace="), timeout=600_000)
        expect(tab.locator(".summary")).to_contain_text(" s", timeout=600_000)
    spent = time.perf_counter() - start
    good = sum(tab.locator(".claim").count() > 0 for tab in tabs)
    report = verify_folder(home / "traces", state=home / "state")
    memory = psutil.Process(server.process.pid).memory_info().rss / 2**20
    print(f"{SESSIONS} sessions asking at once   {good} answered, {spent:.1f} s for all; log {report.verdict}")
    print(f"server memory after that     {memory:,.0f} MiB (limit 1,229)")


def _report_traces(browser: Browser, home: Path, bare: float) -> None:
    home.mkdir()
    write_traces(home, TRACES)
    with Server(home) as server:
        tab = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        tab.set_default_timeout(steps.PATIENT)
        start = time.perf_counter()
        tab.goto(f"{server.url}/traces")
        spent = {}
        for words in (f"{TRACES:,} runs", "✓ chain intact"):
            expect(tab.get_by_text(words, exact=False).first).to_be_visible(timeout=600_000)
            spent[words] = time.perf_counter() - start
        listed, checked = spent.values()
        print(
            f"{TRACES:,} traces, cold server  listed after {listed:.1f} s, the whole log checked after {checked:.1f} s"
        )
        found = statistics.median(_search(tab, f"question {n:,}?", "1 run") for n in range(1000, 6000, 1000))
        print(f"search among them            {found:.2f} s, {found / bare:.1f} x a bare Streamlit page ({bare:.2f} s)")


def _search(tab: Page, words: str, then: str) -> float:
    """Seconds from Enter to the page that says `then`, which it did not say before."""
    box = tab.get_by_role("textbox", name="Search")
    box.fill("")
    box.press("Enter")
    expect(tab.get_by_text(then, exact=True)).to_have_count(0)
    box.fill(words)
    return _timed(lambda: (box.press("Enter"), expect(tab.get_by_text(then, exact=True)).to_be_visible()))


def _bare(browser: Browser, home: Path) -> Bare:
    script = home / "bare.py"
    script.write_text(_BARE)
    with Server(home, str(script)) as server:
        _load(browser, server.url)
        load = statistics.median(_load(browser, server.url) for _ in range(LOADS))
        tab = browser.new_context().new_page()
        tab.goto(server.url)
        return Bare(load, statistics.median(_search(tab, f"w{n}", f"found w{n}") for n in range(5)))


def _load(browser: Browser, url: str) -> float:
    """Seconds until the question box can be typed into, in a fresh profile."""
    context = browser.new_context()
    tab = context.new_page()
    spent = _timed(
        lambda: (tab.goto(url), expect(tab.get_by_test_id("stChatInputTextArea")).to_be_enabled(timeout=60_000))
    )
    context.close()
    return spent


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _print(name: str, values: Sequence[float], limit: int) -> None:
    ordered = sorted(values)
    p95 = ordered[max(0, round(0.95 * len(ordered)) - 1)]
    print(f"{name:<28} median {statistics.median(ordered):.0f} ms, p95 {p95:.0f} ms (limit {limit})")


if __name__ == "__main__":
    main()
