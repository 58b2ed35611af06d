"""Prompts are files: the first line names id and version, and the sha256 of the whole file goes into the trace."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from importlib.resources import files

from grounded.types import Frozen

_HEAD = re.compile(r"<!-- id: (?P<id>[a-z-]+) version: (?P<version>[0-9.]+) -->\n")


class Prompt(Frozen):
    """A prompt file. `id` carries the version: 'generate@1'."""

    id: str
    sha256: str
    text: str

    def record(self) -> dict[str, str]:
        """What the trace says about it."""
        return {"id": self.id, "sha256": self.sha256}


@lru_cache(maxsize=32)
def load_prompt(package: str, name: str) -> Prompt:
    """The prompt `name`.md in the folder `prompts` of a package. ValueError when its first line is not a head."""
    raw = (files(package) / "prompts" / f"{name}.md").read_text("utf-8")
    head = _HEAD.match(raw)
    if head is None:
        raise ValueError(f"{package}/prompts/{name}.md must start with <!-- id: … version: … -->")
    digest = hashlib.sha256(raw.encode()).hexdigest()
    return Prompt(id=f"{head['id']}@{head['version']}", sha256=digest, text=raw[head.end() :].strip())
