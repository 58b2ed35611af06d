"""The word classes of `lexicon.toml`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files

from grounded.verification.words import stem


@lru_cache(maxsize=1)
def _document() -> dict[str, dict[str, str]]:
    return tomllib.loads(files("grounded.verification").joinpath("lexicon.toml").read_text("utf-8"))


def cue_patterns() -> dict[str, str]:
    """Class -> one alternation of regular expressions."""
    return {
        name: "|".join(words.split()).replace(",_", ", ").replace("_", " ")
        for name, words in _document()["cues"].items()
    }


def word_groups() -> dict[str, tuple[str, int]]:
    """Word -> (class, number of its line in the class); a line that begins with '+' goes on with the one before."""
    table: dict[str, tuple[str, int]] = {}
    for kind, lines in _document()["groups"].items():
        line_number = -1
        for line in lines.strip().splitlines():
            line_number += not line.startswith("+")
            for word in line.lstrip("+ ").split():
                table.setdefault(word, (kind, line_number))
    return table


@lru_cache(maxsize=1)
def opposites() -> tuple[frozenset[str], ...]:
    """Sets of stems of which a thing is one and not another."""
    return tuple(frozenset(map(stem, line.split())) for line in _document()["opposites"].values())


@lru_cache(maxsize=1)
def front_words() -> frozenset[str]:
    """Words at the front of a document that are no part of a name: what kind it is, forms of companies, dates."""
    return frozenset(word for words in _document()["fronts"].values() for word in words.split())
