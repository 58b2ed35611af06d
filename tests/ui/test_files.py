"""Files taken away over HTTP."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from grounded.library import Library
from grounded.pipeline import ask
from grounded.ui import access, server
from grounded.ui.files import KINDS


@pytest.fixture
def client(fresh_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("GROUNDED_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("GROUNDED_TRACES", str(tmp_path / "traces"))
    return TestClient(Starlette(routes=server.routes()), base_url="http://app.test")


def test_an_encrypted_document_is_quoted_but_its_page_is_not_shown(
    client: TestClient, tmp_path: Path, samples: list[Path]
) -> None:
    locked = tmp_path / "locked.pdf"
    with pymupdf.open(samples[1]) as document:
        document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    own = access.workspace_of(access.LOCAL)
    assert own.library.add([locked], passwords=["secret"])[0].usable
    answer = ask("What is the expense ratio?", library=own.library, settings=own.settings)
    files = {suffix: client.get(f"/take/{answer.trace_id}.{suffix}") for suffix in KINDS}
    assert {reply.status_code for reply in files.values()} == {200}
    assert f"http://app.test/?trace={answer.trace_id}" in files["json"].text
    assert "0.03%" in files["html"].text and "its password is not kept" in files["html"].text
    assert "<img" not in files["html"].text
    assert all("attachment" in reply.headers["Content-Disposition"] for reply in files.values())
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["0" * 32 + ".md", "0" * 32 + ".exe", "..%2f..%2fetc%2fpasswd.jsonl", ".md", "x"])
def test_what_is_not_there_is_not_found(client: TestClient, name: str) -> None:
    Library(str(access.base_settings().library))
    assert client.get(f"/take/{name}").status_code == 404
