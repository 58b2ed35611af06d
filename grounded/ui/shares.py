"""What users share with each other: traces, each with the documents it cites. One small file a trace."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grounded.audit.layout import is_trace_id


class Shares:
    """A folder of shares. An unreadable share is no share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def share(self, trace: str, owner: str, documents: Iterable[str]) -> None:
        """Let everybody who is signed in see this trace and the pages of these documents."""
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(dir=self._folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump({"owner": owner, "documents": sorted(set(documents))}, stream)
        Path(scratch).replace(self._path(trace))

    def unshare(self, trace: str) -> None:
        """Take it back."""
        self._path(trace).unlink(missing_ok=True)

    def owner(self, trace: str) -> str | None:
        """Whose shared trace this is; None when it is not shared."""
        if not is_trace_id(trace):
            return None
        owner = _read(self._path(trace)).get("owner")
        return owner if isinstance(owner, str) else None

    def owner_of_document(self, document: str) -> str | None:
        """Somebody who has shared a trace that cites this document."""
        for path in self._folder.glob("*.json"):
            share = _read(path)
            if document in share.get("documents", ()) and isinstance(share.get("owner"), str):
                return str(share["owner"])
        return None

    def _path(self, trace: str) -> Path:
        return self._folder / f"{trace}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
