"""Screenshots of every page, both themes and widths: `python -m bench.screenshots [FOLDER]` (docs/screenshots)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from grounded.library import Library
from tests.browser import steps
from tests.browser.server import FLAGS, ROOT, Server, chromium

SIZES = {"1440": (1440, 900), "390": (390, 844)}
CLAIMS = "The expense ratio is 0.03%.\nThe 10-year return at net asset value is 14.36%.\nThe fund lends its securities."
QUESTION = "What was the 10-year return at net asset value, and what does the fund cost, as of June 30, 2025?"


def main(folder: Path) -> None:
    """Serve the samples, ask two questions, and look at everything."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        Library(str(Path(home) / "library")).add([ROOT / "data"])
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        with Server(Path(home)) as server:
            measure = [sys.executable, "-m", "grounded", "eval", "samples"]
            subprocess.run(measure, cwd=ROOT, env=server.environment, stdout=subprocess.DEVNULL, check=True)
            links = _ask(browser, server.url)
            for theme in ("light", "dark"):
                for width, size in SIZES.items():
                    _look(browser, server.url, links, folder, theme, width, size)
        browser.close()


def _ask(browser: Browser, url: str) -> dict[str, str]:
    """Two questions, so that the table of traces has rows; page name -> address."""
    with _tab(browser, "light", SIZES["1440"]) as tab:
        tab.goto(url)
        steps.ask(tab, "Which sector is the largest, and what share of the fund is it?")
        trace = steps.ask(tab, QUESTION)
    return {
        "first-visit": "/", "ask": f"/?trace={trace}&claim=c1", "library": "/library", "traces": "/traces",
        "trace": f"/traces?trace={trace}", "check": "/check", "evaluation": "/evaluation",
    }  # fmt: skip


def _look(
    browser: Browser, url: str, links: dict[str, str], folder: Path, theme: str, width: str, size: tuple[int, int]
) -> None:
    for name, path in links.items():
        with _tab(browser, theme, size) as tab:
            tab.goto(url + path)
            _READY.get(name, _settled)(tab)
            tab.wait_for_timeout(1500)
            target = folder / f"{name}-{theme}-{width}.png"
            tab.screenshot(path=target)
            # Maximum coverage keeps the few pixels of a verdict's colour, which an average over the page would lose.
            colours = Image.open(target).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE)
            colours.save(target, optimize=True)
            print(target)


@contextmanager
def _tab(browser: Browser, theme: str, size: tuple[int, int]) -> Iterator[Page]:
    scheme = "dark" if theme == "dark" else "light"
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def _settled(tab: Page) -> None:
    tab.get_by_test_id("stHeading").first.wait_for(timeout=steps.PATIENT)


def _answer(tab: Page) -> None:
    tab.locator(".claim").first.wait_for(timeout=steps.PATIENT)
    # On a phone the page is behind the claims until one is tapped.
    tab.locator(".paper img[alt^=Page]").wait_for(state="attached", timeout=steps.PATIENT)


def _library(tab: Page) -> None:
    _settled(tab)
    tab.get_by_test_id("stDataFrame").wait_for(timeout=steps.PATIENT)
    box = tab.get_by_test_id("stDataFrame").bounding_box()
    if box:
        tab.mouse.click(box["x"] + 20, box["y"] + 55)  # the first row's tick box
    tab.locator(".paper img[alt^=Page]").wait_for(state="attached", timeout=steps.PATIENT)


def _traces(tab: Page) -> None:
    tab.get_by_test_id("stDataFrame").locator("canvas").first.wait_for(timeout=steps.PATIENT)
    tab.wait_for_timeout(2000)


def _trace(tab: Page) -> None:
    tab.get_by_text("When did each step run?").wait_for(timeout=steps.PATIENT)


def _check(tab: Page) -> None:
    tab.get_by_role("textbox", name="Claims or a whole answer").fill(CLAIMS, timeout=steps.PATIENT)
    tab.get_by_role("button", name="Check", exact=True).click()
    _answer(tab)


_READY: dict[str, Callable[[Page], None]] = {
    "ask": _answer,
    "library": _library,
    "traces": _traces,
    "trace": _trace,
    "check": _check,
    "evaluation": _traces,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screenshots")
