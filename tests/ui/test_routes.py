"""Pages of encrypted documents: their images ask for the password, and keep it nowhere."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from grounded.types import Page
from grounded.ui.routes import page_routes


class Locked:
    """One encrypted document."""

    def __init__(self, pdf: Path) -> None:
        with pymupdf.open(pdf) as document:
            self.data = bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="clé secrète"))

    def original(self, document: str) -> bytes:
        return self.data

    def page(self, document: str, number: int) -> Page:
        raise KeyError(document)


@pytest.fixture
def client(samples: list[Path]) -> TestClient:
    supply = Locked(samples[0])
    return TestClient(Starlette(routes=page_routes(lambda request, document: supply, 100_000)))


def test_an_encrypted_page_asks_for_its_password(client: TestClient) -> None:
    address = f"/page/{'e' * 64}/1.png"
    asked = client.get(address)
    assert asked.status_code == 403 and asked.json()["locked"]
    assert asked.json()["message"].startswith("This PDF is encrypted: give its password to see its pages.")
    wrong = client.get(address, headers={"X-Document-Password": "wrong"})
    assert wrong.status_code == 403 and wrong.json()["message"].startswith("This password does not open it.")
    opened = client.get(address, headers={"X-Document-Password": "cl%C3%A9%20secr%C3%A8te"})
    assert opened.status_code == 200 and opened.content.startswith(b"\x89PNG")
    assert client.get(address).status_code == 403
