"""Words as the extractive reader compares them: stems with their places, stop words, spelling."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from grounded.text import english_stem, fold_char

_WORD = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # U.S.
    r"|\d+[^\W\d_]\w*|[^\W\d_]+\d+[^\W\d_]\w*|[A-Z]+\d+\w*|(?:[qh]\d|fy\d+)\b"  # codes: 99N500, NYC08CA055, Q3, FY19
    r"|\d+(?:[.,]\d+)*"
    r"|(?<!\d)%"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*(?:&[^\W\d_]+)?"  # a digit after lower case is a footnote mark: "ratio1"
)
_STOP_WORDS = """
    a an the this that these those it its they their them he she his her we our us you your i me my which who whom whose
    what when where why how do does did doing done is are was were be been being am have has had having of in on at by
    for with from to into onto as per about between and or but if than then there here such any some each another
    please tell show give find list name state stated states say says said know want need would could should can may
    might will shall must much many s t re according mentioned described given document report so also not no only just
    own same too very both during under over within without out up down off above below through until
"""
_STOP = frozenset(_STOP_WORDS.split())
_NUMERAL_WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMERALS = {word: str(n) for n, word in enumerate(_NUMERAL_WORDS.split(), 1)}
_PLURAL_OF = {
    "%": "percent",
    "percentage": "percent",
    "men": "man",
    "women": "woman",
    "people": "person",
    "indices": "index",
    "children": "child",
}


_LETTERED = re.compile(
    r"\b(?:class|series|tranche|schedule|exhibit|annex|appendix)\s+(?P<behind>[a-z])\b(?!['’.])"
    r"|\b(?P<before>[b-hj-z]|(?-i:[A-Z]))[ -](?:shares?|units?|share\s+class)\b",
    re.IGNORECASE,
)
LETTER = "§"  # before the stem of a letter that names one of several: a share class, an exhibit


class Word(NamedTuple):
    """One word of a text: `text[start:end]` as printed, and the stem it is compared by."""

    stem: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English stem of a folded word; numbers and codes stay as they are (thousands commas dropped)."""
    if word[0].isdigit():
        return word.replace(",", "").casefold()
    folded = "".join(fold_char(c) for c in word).replace(".", "").removesuffix("'s")
    folded = _PLURAL_OF.get(folded, folded)
    if folded in _NUMERALS:
        return _NUMERALS[folded]
    if not folded.isalpha():
        return folded
    return english_stem(folded)


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[Word, ...]:
    """Every word of `text`, stop words included, in order; the A of "Class A" is a name, no article."""
    lettered = {m.start("behind" if m["behind"] else "before") for m in _LETTERED.finditer(text)}
    return tuple(
        Word(f"{LETTER}{m.group().casefold()}" if m.start() in lettered else stem(m.group()), m.start(), m.end())
        for m in _WORD.finditer(text)
    )


_STOP_STEMS = frozenset(stem(word) for word in _STOP) | _STOP


_CALENDAR_WORDS = """
    million millions thousand thousands billion dollar dollars restated unaudited audited note notes year years
    ended end ending fiscal quarter month months january february march april may june july august september october
    november december fy as at of since euro euros eur usd gbp
"""
CALENDAR = frozenset(stem(word) for word in _CALENDAR_WORDS.split())


def is_stop(stemmed: str) -> bool:
    """Whether a stem says nothing about the subject."""
    return stemmed in _STOP_STEMS


def terms(text: str) -> tuple[str, ...]:
    """The stems of `text` that carry meaning, in order, repeated as often as they stand there."""
    return tuple(word.stem for word in words(text) if word.stem not in _STOP_STEMS)


def is_code(stemmed: str) -> bool:
    """Whether a stem is an identifier: letters and digits mixed, five characters or more."""
    return len(stemmed) >= 5 and not stemmed.isalpha() and any(c.isalpha() for c in stemmed)


def respell(unknown: str, vocabulary: Collection[str]) -> str | None:
    """The word of `vocabulary` that `unknown` most likely stands for: the abbreviation of it ("Wt." of weight), or
    what it is a typing error of. None when none is close.

    Only words of four letters and more, beginning alike, are tried: shorter ones have too many neighbours.
    """
    if len(unknown) < 4 or not unknown.isalpha():
        return None
    if short := next((w for w in vocabulary if abbreviates(w, unknown)), None):
        return short
    near = [w for w in vocabulary if w[:1] == unknown[:1] and abs(len(w) - len(unknown)) <= 2 and w.isalpha()]
    if swapped := next((w for w in near if sorted(w) == sorted(unknown)), None):
        return swapped
    found = difflib.get_close_matches(unknown, near, n=1, cutoff=0.8 if len(unknown) > 5 else 0.88)
    return found[0] if found else None


def initials(text: str) -> str:
    """First letters of all words of `text`: "Year to date" is "ytd"."""
    return "".join(text[w.start].casefold() for w in words(text))


def abbreviates(short: str, long: str) -> bool:
    """Whether `short` is how a form would shorten `long`: its head, or letters of it from the first to the last."""
    if not 2 <= len(short) <= 4 or len(long) < len(short) + 3 or short[0] != long[0]:
        return False
    rest = iter(long)
    return (long.startswith(short) and len(short) > 2) or (short[-1] == long[-1] and all(c in rest for c in short))


def document_frequency(texts: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """How many of the texts (as stems) hold each stem."""
    counts: dict[str, int] = {}
    for stems in texts:
        for stemmed in set(stems):
            counts[stemmed] = counts.get(stemmed, 0) + 1
    return counts
