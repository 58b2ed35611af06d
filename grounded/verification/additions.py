"""What a claim says beyond the places that bear it out: a denial, a condition, a limit, a year of its own.

A number that is right, a form's field that has the value, or a passage that answers a question says nothing of a 'not',
an 'unless' or an 'only' that none of them has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.verification.edits import Edit
from grounded.verification.lexicon import opposites
from grounded.verification.words import stem, tokens

_DENIAL = re.compile(
    r"\b(?:not|never|cannot|nobody|neither|nor|none|no longer|no|fail(?:s|ed)? to|unable to|lacks?|without)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(r"\bno(?=\.? ?\d|\.|\))|\bno(?:t)? (?:more|less|fewer|later|earlier) than\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:lack|absen|refus|prohibit|exclud|fail|declin|nil|zero|former|ceas|abandon)\w*", re.IGNORECASE
)
_PREFIX = re.compile(r"\b(?:non-?|un|in|im|ir|dis)(\w{4,})", re.IGNORECASE)
_CONDITION = re.compile(
    r"\b(?:unless|except(?:ing)?|provided,? (?:that|however)|only if|but only|subject to|on condition|as long as)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_CLASSES = (("negation", _DENIAL), ("condition", _CONDITION), ("quantifier", _LIMIT))
_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d)")
_WORK = re.compile(r"et al\.?,? ?\(?\d{4}|\([A-Z][^()]*,? \d{4}[a-z]?\)")  # 'Ito et al. (2016)', '(Ito and Bo, 2016)'


def addition(claim: str, stated: str, places: Sequence[str]) -> Edit | None:
    """A word that denies, conditions or limits the claim, of a class that none of the places has. stated: the claim, or
    the answer in it: an 'only' in a question says what is asked for."""
    there = " ".join(places)
    for kind, words in _CLASSES:
        found = words.search(_NO_NUMBER.sub(" ", stated if words is _LIMIT else claim))
        if found and not words.search(there) and not (kind == "negation" and _says_no(there, claim)):
            return Edit(kind, found.group(), "")
    return None


def _says_no(text: str, claim: str) -> bool:
    """Whether a text denies in a word: 'unrecognized' for 'not recognized', 'ceased' for 'no longer'."""
    own = {stem(word) for word in tokens(claim)}
    opposed = (m for m in _PREFIX.finditer(text) if stem(m.group()) not in own)
    return _DENIED.search(text) is not None or any(stem(match.group(1)) in own for match in opposed)


def strange_condition(claim: str, everything: str) -> str:
    """An 'unless' or 'provided that' of the claim, where the evidence has none; '' when there is no such word."""
    found = _CONDITION.search(claim)
    return found.group() if found and not _CONDITION.search(everything) else ""


def strange_year(claim: str, everything: str) -> str:
    """A year of the claim that the evidence nowhere has, in full or by its last two digits; '' when there is none. The
    year of a work that the claim cites is none of its own."""
    said = _WORK.sub(" ", claim)
    return next((year for year in _YEAR.findall(said) if year not in everything and not _short(year, everything)), "")


def _short(year: str, everything: str) -> bool:
    return re.search(rf"(?:['’‘/–-]|fy ?|[a-z]{{3}}[ -]){year[2:]}(?!\d|[.,]\d)", everything) is not None


def other_kind(own: frozenset[str], there: frozenset[str]) -> tuple[str, str] | None:
    """(a claim's word, the source's word): of two words that exclude each other the claim has one and not the other,
    and the places it rests on have the other one and not this."""
    for line in opposites():
        said, stated = line & own, line & there
        if said and stated and not said & stated:
            return min(said), min(stated)
    return None
