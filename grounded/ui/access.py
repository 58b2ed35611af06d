"""Who is asking, and which library and traces are theirs.

Without sign-in there is one local user and the settings' own folders. With Streamlit's OIDC sign-in (an `[auth]`
section in .streamlit/secrets.toml) every user has folders of their own below those, named by a hash of issuer and
subject. Whatever is shown is looked up in the asker's folders; of somebody else's only what they have shared: a trace,
with the documents it cites.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from streamlit.auth_util import get_cookie_with_chunks, get_secrets_auth_section

from grounded.audit.reader import trace_file
from grounded.errors import GroundedError, LibraryError, UsageError
from grounded.evaluation.history import libraries
from grounded.library import Library
from grounded.settings import Settings
from grounded.ui.shares import Shares

LOCAL = "local"


class NotAllowed(GroundedError):
    """The asker may not see this. Said in the same words as "there is none", so that nothing is given away."""


@dataclass(frozen=True)
class Workspace:
    """What one user works with. settings.library and settings.traces are the user's own."""

    user: str
    settings: Settings
    library: Library


@lru_cache(maxsize=1)
def base_settings() -> Settings:
    """The settings of this server, read once."""
    return Settings()


def sign_in_is_on() -> bool:
    """Does this server ask people to sign in?"""
    return bool(get_secrets_auth_section())


def user_id(claims: Mapping[str, object]) -> str:
    """A pseudonym for the person an identity provider vouches for: safe as a folder name, and says nothing."""
    issuer, subject = str(claims.get("iss", "")), str(claims.get("sub", ""))
    if not subject:
        raise NotAllowed("the identity provider did not say who you are", advice="Ask its administrator for `sub`")
    return hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()[:32]


@lru_cache(maxsize=256)
def workspace_of(user: str) -> Workspace:
    """The user's workspace, opened once. Raises LibraryError when the library cannot be opened."""
    settings = base_settings()
    if user != LOCAL:
        own = {"library": str(Path(settings.library) / "users" / user), "traces": settings.traces / "users" / user}
        settings = settings.model_copy(update=own)
    return Workspace(user, settings, Library(settings.library, settings=settings))


@lru_cache(maxsize=1)
def shares() -> Shares:
    """What users of this server have shared."""
    return Shares(Path(base_settings().library) / "shared")


def home_of(workspace: Workspace, trace: str) -> Workspace:
    """The workspace a trace lies in: the asker's, or that of whoever shared it. Raises UsageError."""
    if trace_file(workspace.settings.traces, trace).exists():
        return workspace
    owner = shares().owner(trace) if sign_in_is_on() else None
    if owner is None:
        raise UsageError("no such trace", where=trace, advice="It may be somebody else's, or on another server")
    return workspace_of(owner)


def library_for(user: str, document: str) -> Library:
    """The library a user may read a document's pages from. Raises NotAllowed."""
    own = workspace_of(user).library
    try:
        own.page_count(document)  # of removed documents too: old answers still open
        return own
    except LibraryError:
        pass
    if not sign_in_is_on() and (gold := gold_library(document)) is not None:
        return gold
    owner = shares().owner_of_document(document) if sign_in_is_on() else None
    if owner is None:
        raise NotAllowed("there is no such document", where=document[:12], advice="It may be somebody else's")
    return workspace_of(owner).library


def gold_library(document: str) -> Library | None:
    """The library of a gold set that has the document."""
    for folder in sorted(libraries().glob("*/")):
        try:
            _gold(folder).page_count(document)
        except LibraryError:
            continue
        return _gold(folder)
    return None


@lru_cache(maxsize=64)
def _gold(folder: Path) -> Library:
    return Library(str(folder), settings=base_settings())


def signed_in(cookies: Mapping[str, str]) -> str | None:
    """The user a request's cookies vouch for; LOCAL without sign-in, None when nobody is signed in.

    Streamlit checks its sign-in cookie for page sessions only; page images are requests of their own, so the same
    cookie is read the same way here.
    """
    if not sign_in_is_on():
        return LOCAL
    from streamlit.web.server.server_util import get_cookie_secret
    from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    def part(name: str) -> bytes | None:
        raw = cookies.get(name)
        return decode_signed_value(get_cookie_secret(), name, raw.encode("latin-1")) if raw else None

    whole = get_cookie_with_chunks(part, USER_COOKIE_NAME)
    claims = json.loads(whole) if whole else {}
    return user_id(claims) if claims.get("is_logged_in") else None
