"""Where the log's parts lie. Standard library only."""

from __future__ import annotations

import hashlib
from pathlib import Path

LEDGER = "ledger"
ENTRIES = "ledger/entries.jsonl"
CHECKPOINTS = "ledger/checkpoints"
TOKENS = "ledger/tokens"
LOCK = "ledger/lock"
CONTENT = "content"
QUARANTINE = "quarantine"
SUFFIX = ".jsonl"

LEDGER_NAMES = frozenset(Path(name).name for name in (ENTRIES, CHECKPOINTS, TOKENS, LOCK))
# What may lie in a traces folder beside the traces; `samples` is a log of its own.
FOLDER_NAMES = frozenset((LEDGER, CONTENT, QUARANTINE, "samples", "README.md", ".gitignore", ".gitkeep", ".DS_Store"))


def trace_path(folder: Path, trace_id: str) -> Path:
    """The file of a trace. `trace_id` must be safe (see `is_trace_id`)."""
    return folder / f"{trace_id}{SUFFIX}"


def is_trace_id(text: str) -> bool:
    """Safe as a file name everywhere: 1 to 128 letters, digits, `.`, `_`, `-`, not starting with a dot or a dash."""
    return (
        0 < len(text) <= 128
        and text.isascii()
        and text[0] not in ".-"
        and all(char.isalnum() or char in "._-" for char in text)
    )


def log_id(origin: str) -> str:
    """A file name for what the state folder keeps about the log `origin`."""
    return hashlib.sha256(origin.encode()).hexdigest()[:32]


def key_path(state: Path, origin: str) -> Path:
    """The private signing key (0600)."""
    return state / "keys" / f"{log_id(origin)}.key"


def next_key_path(state: Path, origin: str) -> Path:
    """The key being rotated in."""
    return state / "keys" / f"{log_id(origin)}.next"


def known_keys_path(state: Path, origin: str) -> Path:
    """The log's public keys, one a line, oldest first."""
    return state / "keys" / f"{log_id(origin)}.vkey"


def witnesses_path(state: Path) -> Path:
    """The public keys of the witnesses trusted here."""
    return state / "witnesses.vkey"


def authorities_path(state: Path) -> Path:
    """Root certificates (PEM) of the time-stamping authorities trusted here."""
    return state / "authorities"


def pin_path(state: Path, origin: str) -> Path:
    """The last checkpoint a successful verification saw."""
    return state / "pins" / f"{log_id(origin)}.json"


def folder_path(state: Path, folder: Path) -> Path:
    """Which log was last seen in a folder."""
    return (
        state
        / "folders"
        / f"{hashlib.sha256(str(folder.resolve()).encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"
    )
