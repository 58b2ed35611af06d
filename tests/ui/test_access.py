"""Whose documents and records are whose: decided on the server for every request."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from grounded.errors import GroundedError, UsageError
from grounded.library import Library
from grounded.ui import access, server

ANN, BOB = ({"iss": "https://id.test", "sub": name, "is_logged_in": True} for name in ("ann", "bob"))
_SECRETS = """
[auth]
redirect_uri = "http://localhost:8501/oauth2callback"
cookie_secret = "a-secret-of-sufficient-length-for-tests"
client_id = "grounded"
client_secret = "none"
server_metadata_url = "http://127.0.0.1:9/.well-known/openid-configuration"
"""


@pytest.fixture
def signing_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_settings: None) -> Iterator[None]:
    """A server that asks people to sign in."""
    monkeypatch.setenv("GROUNDED_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("GROUNDED_TRACES", str(tmp_path / "traces"))
    (tmp_path / "secrets.toml").write_text(_SECRETS)
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(tmp_path / "secrets.toml")])
    secrets_singleton._reset()
    yield
    config.set_option("secrets.files", before)
    secrets_singleton._reset()


def cookies(claims: dict[str, object]) -> dict[str, str]:
    """The sign-in cookie Streamlit would have set."""
    return {USER_COOKIE_NAME: create_signed_value(get_cookie_secret(), USER_COOKIE_NAME, json.dumps(claims)).decode()}


@pytest.fixture
def anns(signing_in: None, sample_home: Path, tmp_path: Path) -> str:
    """A document in Ann's library."""
    shutil.copytree(sample_home / "library", tmp_path / "library" / "users" / access.user_id(ANN))
    return access.workspace_of(access.user_id(ANN)).library.find("nimbus_2025.pdf").id


def page(document: str, claims: dict[str, object] | None, suffix: str = "json") -> int:
    """Status of a request for page 1."""
    client = TestClient(Starlette(routes=server.routes()), cookies=cookies(claims) if claims else {})
    return client.get(f"/page/{document}/1.{suffix}").status_code


def test_without_sign_in_there_is_one_user(fresh_settings: None) -> None:
    assert not access.sign_in_is_on() and access.signed_in({}) == access.LOCAL


def test_pages_go_to_their_owner_only(anns: str) -> None:
    assert [page(anns, ANN, suffix) for suffix in ("json", "png")] == [200, 200]
    assert [page(anns, who, suffix) for who in (BOB, None) for suffix in ("json", "png")] == [404] * 4


def test_a_forged_or_signed_out_cookie_is_nobody(anns: str) -> None:
    forged = {USER_COOKIE_NAME: json.dumps(ANN)}
    assert access.signed_in(forged) is None and access.signed_in({}) is None
    assert page(anns, ANN | {"is_logged_in": False}) == 404


def test_ids_from_outside_never_become_paths(anns: str) -> None:
    assert [page(document, ANN) for document in ("..%2f..%2fetc", "a" * 64, "A" * 64)] == [404] * 3


def test_sharing_opens_a_trace_and_its_pages_until_taken_back(anns: str) -> None:
    ann, bob = (access.workspace_of(access.user_id(who)) for who in (ANN, BOB))
    trace = "a" * 32
    ann.settings.traces.mkdir(parents=True)
    (ann.settings.traces / f"{trace}.jsonl").write_text("")
    with pytest.raises(UsageError):
        access.home_of(bob, trace)
    access.shares().share(trace, ann.user, [anns])
    assert access.home_of(bob, trace) is ann and page(anns, BOB) == 200
    access.shares().unshare(trace)
    assert page(anns, BOB) == 404
    with pytest.raises(UsageError):
        access.home_of(bob, trace)


def test_a_token_without_a_subject_is_refused() -> None:
    with pytest.raises(GroundedError):
        access.user_id({"iss": "https://id.test"})


def test_users_have_folders_that_say_nothing_about_them(signing_in: None) -> None:
    assert isinstance(access.workspace_of(access.user_id(ANN)).library, Library)
    names = {path.name for path in Path(access.base_settings().library, "users").iterdir()}
    assert names == {access.user_id(ANN)} and "ann" not in next(iter(names))
