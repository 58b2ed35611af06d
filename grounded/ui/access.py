"""Who is asking, and which library and traces are theirs.

Without sign-in there is one local user and the settings' own folders. With Streamlit's OIDC sign-in (an `[auth]`
section in .streamlit/secrets.toml) every user has folders of their own below those, named by a hash of issuer and
subject; every page image, trace and export is looked up in the asker's folders only.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grounded.library import Library
from grounded.settings import Settings

LOCAL = "local"


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


def user_id(issuer: str, subject: str) -> str:
    """A pseudonym that is safe as a folder name and says nothing about the person."""
    return hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()[:32]


@lru_cache(maxsize=256)
def workspace_of(user: str) -> Workspace:
    """The user's workspace, opened once. Raises LibraryError when the library cannot be opened."""
    settings = base_settings()
    if user != LOCAL:
        own = {"library": str(Path(settings.library) / "users" / user), "traces": settings.traces / "users" / user}
        settings = settings.model_copy(update=own)
    return Workspace(user, settings, Library(settings.library, settings=settings))
