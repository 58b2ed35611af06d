"""Identifiers, names, limits and words of a claim that the evidence nowhere has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.types import Check
from grounded.verification.examine import Examined
from grounded.verification.judgement import Judgement, refused, ruled
from grounded.verification.words import stem

_TOUCHED = 0.25  # share of a claim's words, for a sentence to be about it at all
_HALF_KNOWN = 0.5  # share of a reworded claim's content words that the source must have somewhere
_LISTED = 3  # words named in a reason
_ROOT = 5  # letters that 'California' and 'Californian' share
_BARELY = 0.6  # most words are missing
_CAPITALISED = re.compile(r"(?<=[\w,;)] )[A-Z][a-z]{3,}\b")
_ONLY = re.compile(r"\b(?:only|solely|exclusively|limited to|nothing but)\b", re.IGNORECASE)
# letters and digits in one word: report numbers, serial numbers, registrations, product codes
_IDENTIFIER = re.compile(r"\b(?!FY)(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d[A-Z0-9-]*\d)[A-Z0-9][A-Z0-9-]{4,}\b")


def find_stranger(examined: Examined) -> Judgement | None:
    """A verdict when the claim is about something with an identifier that the evidence does not have."""
    text = examined.everything
    missing = next((w for w in _IDENTIFIER.findall(examined.claim) if w.casefold() not in text), None)
    if missing is None:
        return None
    reason = f"“{missing}” is nowhere in the source: another document or another item is meant"
    return Judgement(ruled("unverified", 0.95, reason, [Check(name="identifier", passed=False, detail=reason)]))


def find_strange_name(examined: Examined) -> Judgement | None:
    """A name in a claim that the evidence nowhere has, nor a word that begins like it."""
    names = [w for w in _CAPITALISED.findall(examined.reading.undated) if not _is_known(w, examined)]
    return refused(f"“{names[0]}” is nowhere in the source", "name") if names else None


def _is_known(name: str, examined: Examined) -> bool:
    return stem(name) in examined.stems or name[:_ROOT].casefold() in examined.everything


def find_strange_limit(examined: Examined) -> Judgement | None:
    """'Only' or 'solely' in a claim, where no sentence that has words of it says so."""
    limit = _ONLY.search(examined.claim)
    if limit is None or any(_ONLY.search(a.statement.text) for a in examined.aligned if a.covered >= _TOUCHED):
        return None
    return refused(f"no sentence about it says “{limit.group()}”", "quantifier")


def find_strange_words(examined: Examined) -> Judgement | None:
    """A claim of which the source has less than half the content words."""
    if examined.explained >= _HALF_KNOWN:
        return None
    return refused(f"{listed(examined.strangers)} are nowhere in the source", "content", _BARELY)


def listed(words: Sequence[str]) -> str:
    """The first few, in quotes."""
    return ", ".join(f"“{word}”" for word in words[:_LISTED])
