"""Domain vocabulary as data: what people ask for -> how it is printed and where it lives.

The files in `glossaries/` (and a user's own, settings.retrieval.glossary) are JSON lists of entries:

    {"terms": ["capex", "capital expenditure"],                       what a question says
     "forms": ["purchases of property, plant and equipment"],         what the page says
     "pages": ["cash flow statement"], "sections": ["cash flows"]}    where it lives; both optional

A term is in a question when all its content words are there, at most SLACK other content words between them. Pages are
the page kinds of chunks, and "front" for page 1. An entry with a "weight" above 1 says more about the place than the
others in the question: who asks for reasons is answered by the discussion, whatever the figure. With "alone" false it
counts only beside another entry: everyday words.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from grounded.errors import UsageError
from grounded.retrieval.words import content_stems
from grounded.types import Frozen

SLACK = 4
TURNED = 1
LOOSE = 0.1  # of its weight that a term loses with each word between
_JOINED = re.compile(r"(?<=\w)[-‐‑–/](?=\w)")
_OFF_BALANCE = re.compile(r"\boff\s+balance\s+sheet\b", re.IGNORECASE)  # "off" carries no subject elsewhere
_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
_PLACES = 4  # of a repeated word that are looked at
_COMMON = frozenset(content_stems("party parties contract agreement clause term section company amount total number"))


class GlossaryEntry(Frozen):
    """One idea: the terms that ask for it, the forms it is printed in, the places where it lives."""

    terms: tuple[str, ...] = Field(min_length=1)
    forms: tuple[str, ...] = Field(min_length=1)
    pages: frozenset[str] = frozenset()
    sections: tuple[str, ...] = ()
    weight: float = Field(default=1.0, gt=0)
    alone: bool = True


class Sense(NamedTuple):
    """An entry that a question speaks of. `weight` grows with the words of the term that was said."""

    entry: GlossaryEntry
    said: frozenset[str]
    weight: float


class Glossary:
    """Entries, ready to be looked up in a question."""

    def __init__(self, entries: Iterable[GlossaryEntry]) -> None:
        self._terms = [(e, [stems for term in e.terms if (stems := _stems(term))]) for e in entries]

    def senses(self, question: str) -> list[Sense]:
        """The entries the question speaks of, strongest first. An entry whose words another one says better is
        left out: "license" beside "non-transferable license"."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, stem in enumerate(_stems(question)):
            places[stem].append(place)
        found = [sense for entry, terms in self._terms if (sense := _best_sense(entry, terms, places))]
        if not any(sense.entry.alone for sense in found):
            return []
        kept = [sense for sense in found if not any(sense.said < other.said for other in found)]
        return sorted(kept, key=lambda sense: -sense.weight)


def _stems(text: str) -> list[str]:
    """Stems of a term or question; "capital-intensive" is two words, as "capital intensive" is, and "why" asks for a
    reason."""
    apart = _OFF_BALANCE.sub(" offbalance ", _JOINED.sub(" ", text))
    return content_stems(_WHY.sub(" reason ", apart))


def load_glossary(own: Path | None = None) -> Glossary:
    """The built-in glossaries and, when given, a user's own. Raises UsageError when that file is not one."""
    return _load(own, own.stat().st_mtime_ns if own and own.exists() else 0)


@lru_cache(maxsize=4)
def _load(own: Path | None, _modified: int) -> Glossary:
    folder = files("grounded.retrieval") / "glossaries"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.iterdir(), key=lambda p: p.name)]
    entries = [entry for text in texts for entry in _ENTRIES.validate_python(json.loads(text))]
    return Glossary([*entries, *(_own_entries(own) if own else [])])


_ENTRIES: TypeAdapter[list[GlossaryEntry]] = TypeAdapter(list[GlossaryEntry])


def _own_entries(path: Path) -> list[GlossaryEntry]:
    try:
        return _ENTRIES.validate_python(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise UsageError(
            f"the glossary cannot be used ({type(error).__name__})",
            where=str(path),
            advice='It is a JSON list of {"terms": […], "forms": […], "pages": […], "sections": […]}',
        ) from error


def _best_sense(
    entry: GlossaryEntry, terms: Sequence[Sequence[str]], places: Mapping[str, Sequence[int]]
) -> Sense | None:
    said = [
        (_weight(frozenset(term), places) * (1 - LOOSE * gap), frozenset(term))
        for term in terms
        if (gap := _gap(term, places)) <= SLACK
    ]
    weight, best = max(said, key=lambda pair: pair[0], default=(0.0, frozenset[str]()))
    return Sense(entry, best, weight * entry.weight) if weight > 0 else None


def _gap(term: Sequence[str], places: Mapping[str, Sequence[int]]) -> int:
    """How many other content words stand between those of the term, TURNED more when they stand in another order;
    more than SLACK when one is missing."""
    if not all(stem in places for stem in term):
        return SLACK + 1
    ways = itertools.product(*(places[stem][:_PLACES] for stem in term))
    return min(max(0, max(at) - min(at) - len(term) + 1) + TURNED * (list(at) != sorted(at)) for at in ways)


def _weight(stems: frozenset[str], asked: Mapping[str, Sequence[int]]) -> float:
    """One for each telling word, half for a common one; common words alone say something only when nothing else is
    said ("Who are the parties?")."""
    telling = len(stems - _COMMON)
    says = telling > 0 or (bool(stems) and stems.issuperset(asked))
    return telling + (len(stems) - telling) / 2 if says else 0.0
