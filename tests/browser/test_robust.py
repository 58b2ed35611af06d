"""When the ground gives way: a full disk, a locked library, a document that is gone. Each ends in a sensible screen."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Page, expect

from grounded.audit.verify import verify_folder
from tests.browser import steps
from tests.browser.server import Server

QUESTION = "What is the expense ratio?"


@pytest.fixture(scope="module")
def server(sample_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("robust")
    shutil.copytree(sample_library / "library", home / "library")
    with Server(home, GROUNDED_DOCUMENTS__LOCK_WAIT_S="0.2") as running:
        yield running


@contextmanager
def no_room(server: Server, size: int = 2000) -> Iterator[None]:
    """No file of the server can grow beyond `size` bytes: every larger write fails as on a full disk."""
    import resource

    pid, kind = server.process.pid, resource.RLIMIT_FSIZE
    before = resource.prlimit(pid, kind, (size, resource.RLIM_INFINITY))
    yield
    resource.prlimit(pid, kind, before)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of a running process are Linux")
def test_a_full_disk_gives_no_unrecorded_answer_and_heals(tab: Page, server: Server, samples: list[Path]) -> None:
    tab.goto(server.url)
    steps.ask(tab, QUESTION)
    with no_room(server):
        steps.type_question(tab, "Which sector is the largest?")
        expect(tab.get_by_text("This did not work")).to_be_visible(timeout=steps.PATIENT)
        expect(tab.get_by_text("no answer is shown that is not on record", exact=False)).to_be_visible()
        tab.goto(f"{server.url}/library")
        tab.locator("input[type=file]").first.set_input_files(str(samples[0]))
        tab.get_by_role("button", name=re.compile(r"^Add 1 file")).click(timeout=steps.PATIENT)
        expect(tab.get_by_text("The library could not be written.")).to_be_visible(timeout=steps.PATIENT)
        tab.get_by_role("button", name="Close").click(timeout=steps.PATIENT)
    tab.goto(server.url)
    steps.ask(tab, "How many stocks does the fund hold?")
    assert verify_folder(server.home / "traces", state=server.home / "state").verdict == "intact"


def test_a_locked_library_is_read_but_not_written(tab: Page, server: Server, sample_ids: dict[str, str]) -> None:
    with FileLock(server.home / "library" / "write.lock"):
        tab.goto(f"{server.url}/library?doc={sample_ids['nimbus_2025.pdf']}&page=2")
        steps.page_is_open(tab, "nimbus_2025.pdf", 2)
        tab.get_by_role("button", name="Rename").click(timeout=steps.PATIENT)
        dialog = tab.get_by_role("dialog")
        dialog.get_by_label("New name").fill("another name.pdf")
        dialog.get_by_role("button", name="Rename").click()
        expect(dialog.get_by_text("another process is writing", exact=False)).to_be_visible(timeout=steps.PATIENT)
    dialog.get_by_role("button", name="Rename").click()
    renamed = tab.get_by_text("another name.pdf", exact=True)
    expect(renamed.locator("visible=true").first).to_be_visible(timeout=steps.PATIENT)


def test_a_removed_document_still_opens_from_its_answer(tab: Page, server: Server, sample_ids: dict[str, str]) -> None:
    tab.goto(server.url)
    trace = steps.ask(tab, "What was the expense ratio in the fact sheet of June 30, 2024?")
    tab.goto(f"{server.url}/library?doc={sample_ids['nimbus_2024.pdf']}&page=1")
    tab.get_by_role("button", name="Remove").click(timeout=steps.PATIENT)
    tab.get_by_role("dialog").get_by_role("button", name="Remove").click(timeout=steps.PATIENT)
    expect(tab.get_by_text("1 document", exact=True)).to_be_visible(timeout=steps.PATIENT)
    tab.goto(f"{server.url}/?trace={trace}&claim=c1")
    expect(tab.locator(".gone")).to_contain_text("has been removed from the library", timeout=steps.PATIENT)
    steps.page_is_open(tab, "nimbus_2024.pdf", 1)
    steps.marks_stand_on_ink(tab)
    tab.goto(f"{server.url}/?doc={sample_ids['nimbus_2024.pdf']}&page=1")
    expect(tab.get_by_text("This document is not in the library.")).to_be_visible(timeout=steps.PATIENT)
