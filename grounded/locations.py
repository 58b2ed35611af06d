"""Where things live on disk. Standard library only, so that `verify-log` starts in a blink.

Together with `settings` the only reader of the environment.
"""

from __future__ import annotations

import os
from pathlib import Path


def library() -> str:
    """The library's path or URI: GROUNDED_LIBRARY, else `.grounded` in the working directory."""
    return os.environ.get("GROUNDED_LIBRARY") or ".grounded"


def traces() -> Path:
    """The folder of the audit log: GROUNDED_TRACES, else `traces` in the working directory."""
    return Path(os.environ.get("GROUNDED_TRACES") or "traces")


def state() -> Path:
    """The user's private folder (signing keys, pins), outside every library and log: GROUNDED_STATE,
    else `$XDG_STATE_HOME/grounded`, else `~/.local/state/grounded`."""
    if chosen := os.environ.get("GROUNDED_STATE"):
        return Path(chosen)
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "grounded"


def cache() -> Path:
    """What may be lost and is only of use on this machine (embeddings of libraries on object storage):
    GROUNDED_CACHE, else `$XDG_CACHE_HOME/grounded`, else `~/.cache/grounded`."""
    if chosen := os.environ.get("GROUNDED_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "grounded"


def onnx_cache() -> Path:
    """Where the embedder's exported model lies, in its folder `onnx`: GROUNDED_ONNX_CACHE, else `.onnx_cache` in the
    checkout. Whoever puts model.onnx and tokenizer.json there needs no torch at all."""
    return Path(os.environ.get("GROUNDED_ONNX_CACHE") or Path(__file__).resolve().parents[1] / ".onnx_cache")


def threads() -> int:
    """Threads of one process for arithmetic: OMP_NUM_THREADS (which Ray sets for its workers), else 0 for all cores."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    return int(number) if number.isdecimal() else 0


def shared() -> Path:
    """Public test data, read-only and optional: GROUNDED_SHARED, else `../shared`."""
    return Path(os.environ.get("GROUNDED_SHARED") or "../shared")


def langfuse_public_key() -> str | None:
    """LANGFUSE_PUBLIC_KEY: set, traces are copied to Langfuse too. The other LANGFUSE_* variables are its client's."""
    return os.environ.get("LANGFUSE_PUBLIC_KEY") or None
