"""The way into every page: whose workspace it is, and what to show when there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from grounded.errors import GroundedError
from grounded.ui import access
from grounded.ui.access import Workspace
from grounded.ui.come_back import come_back

_HERE = {"localhost", "127.0.0.1", "::1"}


@contextmanager
def workspace() -> Iterator[Workspace]:
    """The asker's workspace. What goes wrong on the page becomes a sentence and a way on, never a traceback."""
    if access.sign_in_is_on():
        come_back(st.user.is_logged_in)
        if not st.user.is_logged_in:
            _sign_in()
    with _sorry_for_trouble():
        found = access.workspace_of(_user())
        _open_to_all()
    with _sorry_for_trouble():
        yield found


@contextmanager
def _sorry_for_trouble() -> Iterator[None]:
    try:
        yield
    except GroundedError as error:
        _sorry(error.message)
    except OSError as error:
        _sorry(f"{error.strerror or error}: {error.filename or 'the disk'}. Make room there or check its permissions.")


def _user() -> str:
    return access.user_id(st.user.to_dict()) if access.sign_in_is_on() else access.LOCAL


def _sign_in() -> None:
    st.header("Grounded", anchor=False)
    st.text("Sign in to see your documents, questions and records. They are yours alone unless you share them.")
    if st.button("Sign in", type="primary"):
        st.login()
    st.stop()


def sign_out() -> None:
    """Who is signed in, and the way out; nothing without sign-in."""
    if access.sign_in_is_on() and st.user.is_logged_in:
        st.text(f"Signed in as {st.user.get('email') or st.user.get('name') or st.user.get('sub')}")
        st.button("Sign out", on_click=st.logout)


def _open_to_all() -> None:
    if not access.sign_in_is_on() and (st.get_option("server.address") or "") not in _HERE:
        st.warning("Everybody who can reach this address can read this library: sign-in is not set up.")


def _sorry(message: str) -> None:
    st.error("This page cannot be shown.")
    st.text(message)
    if st.button("Try again"):
        st.rerun()
    st.stop()
