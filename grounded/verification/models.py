"""The learned part of a verdict: the calibrated heads of `models.json` and the sentence model of `sentences.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from grounded.verification import align, model
from grounded.verification.align import Scorer
from grounded.verification.model import Head


class Models(NamedTuple):
    """Heads by name, and the sentence model."""

    heads: Mapping[str, Head]
    scorer: Scorer


@lru_cache(maxsize=1)
def shipped() -> Models:
    """The models beside this module."""
    return load(files("grounded.verification"))


def load(folder: Path | Traversable) -> Models:
    """The models of a folder with the two files."""
    heads = json.loads(folder.joinpath("models.json").read_text("utf-8"))
    sentences = json.loads(folder.joinpath("sentences.json").read_text("utf-8"))
    return Models(model.parse(heads), align.parse(sentences))
