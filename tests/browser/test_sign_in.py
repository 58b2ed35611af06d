"""Two people sign in through an identity provider: what is whose is decided on the server, for every address."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from grounded.ui.access import user_id
from tests.browser import steps
from tests.browser.server import Server
from tests.tools.identity_provider import IdentityProvider

QUESTION = "What is the expense ratio as of June 30, 2025?"


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    with IdentityProvider(["ann", "bob"]) as running:
        yield running


@pytest.fixture
def app(tmp_path: Path, provider: IdentityProvider, sample_library: Path) -> Iterator[Server]:
    """A server that asks people to sign in; Ann has the samples, Bob has nothing."""
    anns = user_id({"iss": provider.issuer, "sub": "ann"})
    shutil.copytree(sample_library / "library", tmp_path / "library" / "users" / anns)
    server = Server(tmp_path)
    (tmp_path / "secrets.toml").write_text(provider.secrets_file(server.url))
    server.options = ["--secrets.files", str(tmp_path / "secrets.toml")]
    with server:
        yield server


def sign_in(tab: Page, address: str, person: str) -> None:
    """Follow a link, sign in on the way."""
    tab.goto(address)
    tab.get_by_role("button", name="Sign in").click(timeout=steps.PATIENT)
    tab.get_by_role("link", name=person).click(timeout=steps.PATIENT)


def test_each_sees_only_their_own(browser: Browser, tab: Page, app: Server, sample_ids: dict[str, str]) -> None:
    document = sample_ids["nimbus_2025.pdf"]
    sign_in(tab, app.url, "ann")
    trace = steps.ask(tab, QUESTION)
    addresses = [f"{app.url}/page/{document}/1.{kind}" for kind in ("json", "png")]
    addresses += [f"{app.url}/take/{trace}.{kind}" for kind in ("md", "html", "docx", "csv", "json", "jsonl")]
    addresses.append(f"{app.url}/take/{trace}.receipt.zip")
    assert [tab.request.get(address).status for address in addresses] == [200] * len(addresses)

    context = browser.new_context()
    other = context.new_page()
    assert [other.request.get(address).status for address in addresses] == [404] * len(addresses)  # nobody
    sign_in(other, f"{app.url}/?trace={trace}", "bob")
    expect(other.get_by_text("no such trace", exact=False)).to_be_visible(timeout=steps.PATIENT)
    expect(other.get_by_text("The library is empty", exact=False)).to_be_visible(timeout=steps.PATIENT)
    assert [other.request.get(address).status for address in addresses] == [404] * len(addresses)
    for path, words in [(f"traces?trace={trace}", "no such trace"), ("traces", "0 runs"),
                        (f"?doc={document}&page=1", "not in the library"), ("library", "Add PDFs")]:  # fmt: skip
        other.goto(f"{app.url}/{path}")
        expect(other.get_by_text(words, exact=False).first).to_be_visible(timeout=steps.PATIENT)
        expect(other.get_by_text("nimbus", exact=False)).to_have_count(0)
    context.close()


def test_a_link_followed_before_signing_in_opens_after_it(tab: Page, app: Server, sample_ids: dict[str, str]) -> None:
    sign_in(tab, f"{app.url}/library?doc={sample_ids['nimbus_2024.pdf']}&page=2", "ann")
    steps.page_is_open(tab, "nimbus_2024.pdf", 2)
    tab.goto(app.url)
    tab.get_by_role("button", name="Options").click(timeout=steps.PATIENT)
    expect(tab.get_by_text("Signed in as ann@example.com")).to_be_visible()
    tab.get_by_role("button", name="Sign out").click()
    expect(tab.get_by_role("button", name="Sign in")).to_be_visible(timeout=steps.PATIENT)
    assert tab.request.get(f"{app.url}/page/{sample_ids['nimbus_2024.pdf']}/1.json").status == 404


def test_a_shared_answer_opens_with_its_pages_until_it_is_taken_back(
    browser: Browser, tab: Page, app: Server, sample_ids: dict[str, str]
) -> None:
    sign_in(tab, app.url, "ann")
    trace = steps.ask(tab, QUESTION)
    tab.get_by_text("Record", exact=True).click()
    share = tab.get_by_text("Shared with everybody who can sign in here")
    share.click()
    steps.at_rest(tab)
    cited, other = (f"{app.url}/page/{sample_ids[f'nimbus_{year}.pdf']}/1.json" for year in (2025, 2024))

    context = browser.new_context()
    guest = context.new_page()
    assert guest.request.get(cited).status == 404  # nobody is still nobody
    sign_in(guest, f"{app.url}/?trace={trace}", "bob")
    expect(guest.locator(".question")).to_have_text(QUESTION, timeout=steps.PATIENT)
    steps.page_is_open(guest, "nimbus_2025.pdf", 1)
    assert (guest.request.get(cited).status, guest.request.get(other).status) == (200, 404)
    share.click()
    steps.at_rest(tab)
    guest.reload()
    expect(guest.get_by_text("no such trace", exact=False)).to_be_visible(timeout=steps.PATIENT)
    assert guest.request.get(cited).status == 404
    context.close()
