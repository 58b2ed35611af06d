"""What leaves the machine is said before the first question."""

from __future__ import annotations

import pytest

from grounded.errors import UsageError
from grounded.llm import disclosure
from tests.tools.fake_claude import settings_for


def test_the_extractive_reader_sends_nothing() -> None:
    assert disclosure(settings_for("", reader="extractive")).sentence.startswith("Nothing leaves this machine")


def test_a_provider_is_named_with_what_it_gets() -> None:
    told = disclosure(settings_for("https://user:pw@models.example.org/v2?k=1", model="m-1"))
    assert told.host == "models.example.org"
    assert told.address == "https://models.example.org/v2"
    assert "m-1" in told.sentence
    assert "pw" not in told.model_dump_json()


@pytest.mark.parametrize("url", ["http://localhost:8080", "http://127.0.0.1:1", "http://[::1]:9"])
def test_a_server_on_this_machine_is_said_to_be_here(url: str) -> None:
    told = disclosure(settings_for(url))
    assert told.host is None
    assert url in told.sentence


def test_an_address_that_is_none_is_named() -> None:
    with pytest.raises(UsageError):
        disclosure(settings_for("models.example.org"))
