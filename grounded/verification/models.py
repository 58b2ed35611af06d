"""The learned part of a verdict: the calibrated heads of `models.json` and the sentence model of `sentences.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from grounded.verification import align, model
from grounded.verification.align import Scorer
from grounded.verification.model import Head

HOME = Path(__file__).parent


class Models(NamedTuple):
    """Heads by name, the sentence model, and the folder they came from, where `follows` finds its layer."""

    heads: Mapping[str, Head]
    scorer: Scorer
    home: Path = HOME


@lru_cache(maxsize=1)
def shipped() -> Models:
    """The models beside this module."""
    return load(HOME)


def load(folder: Path) -> Models:
    """The models of a folder with the two files."""
    heads = json.loads(folder.joinpath("models.json").read_text("utf-8"))
    sentences = json.loads(folder.joinpath("sentences.json").read_text("utf-8"))
    return Models(model.parse(heads), align.parse(sentences), folder)
