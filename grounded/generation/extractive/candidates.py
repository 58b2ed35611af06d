"""Spans of a sentence that may answer a question: phrases, found by function words, capitals, digits and word endings.

No grammar is parsed. A span may begin where a phrase may begin (behind a function word, a comma, a verb; at a name or a
number) and end where one may end; everything between two such places, up to MAX_TOKENS words, is a candidate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from grounded.generation.extractive.words import stem

MAX_TOKENS = 14
Sort = Literal[
    "det", "quant", "prep", "conj", "pron", "aux", "wh", "to", "punct", "number", "name", "verb", "adverb", "word"
]
SORTS: tuple[Sort, ...] = get_args(Sort)

_TOKEN = re.compile(
    r"[$€£¥]?\d+(?:[.,:/–-]\d+)*(?:%|st\b|nd\b|rd\b|th\b|[½¼¾])?|[½¼¾]|(?:[^\W\d_]\.){2,}"
    r"|[^\W_]+(?:['’.&‐-–-][^\W_]+)*(?:['’]s?\b)?|[^\w\s]"
)
_WORDS: dict[Sort, str] = {
    "det": "a an the this that these those its their his her our each every any no",
    "prep": """of in on at by for from with into onto over under between among during since until through against about
        after before within without toward towards via per upon across along around behind despite near than like as
        throughout including""",
    "quant": """most many some several other others another more less few much such too very also only just even still
        often however then thus therefore moreover further furthermore finally first soon long later now both all same
        own one almost nearly quite rather ever never always usually generally already again instead""",
    "number": """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
        trillion dozen half third quarter""",
    "conj": "and or but nor while although though because if so yet whereas",
    "pron": "he she it they we you i him them us there itself himself themselves",
    "aux": """is are was were be been being am has have had having do does did will would can could may might must shall
        should became become becomes not""",
    "wh": "who whom whose which what where when why how",
    "to": "to",
}
_SORTS = {word: sort for sort, words in _WORDS.items() for word in words.split()}
_CAPITAL = re.compile(
    r"\W? ?(?:(?:of|the|de|von) )?[A-Z]"
)  # what follows the first word of a sentence when it is a name
_VERB = re.compile(r"[a-z]{2,}(?:ed|ing)$")
_CLOSERS = frozenset({"punct", "conj", "wh", "prep", "to", "aux", "pron", "det"})


class Token(NamedTuple):
    """A word or mark: `text[start:end]`, its stem and its sort."""

    text: str
    stem: str
    sort: Sort
    start: int
    end: int


@lru_cache(maxsize=1024)
def tokens(text: str) -> tuple[Token, ...]:
    """The words and marks of a sentence."""
    return tuple(
        Token(m.group(), stem(m.group()) if m.group()[0].isalnum() else m.group(), _sort(m), m.start(), m.end())
        for m in _TOKEN.finditer(text)
    )


def spans(found: Sequence[Token]) -> list[tuple[int, int]]:
    """Half-open token spans of a sentence that are phrases, shortest first at each beginning."""
    begins = [i for i in range(len(found)) if _begins(found, i)]
    ends = [j for j in range(1, len(found) + 1) if _ends(found, j)]
    return [(i, j) for i in begins for j in ends if 0 < j - i <= MAX_TOKENS and _whole(found, i, j)]


def _sort(match: re.Match[str]) -> Sort:
    word = match.group()
    lowered = word.casefold()
    if not word[0].isalnum() and not any(c.isdigit() for c in word):
        return "punct"
    if lowered in _SORTS and (word == lowered or match.start() == 0):
        return _SORTS[lowered]
    if any(c.isdigit() for c in word):
        return "number"
    if word[0].isupper():
        return (
            "name"
            if match.start() or word[1:].lower() != word[1:] or _CAPITAL.match(match.string, match.end())
            else "word"
        )
    if _VERB.search(word):
        return "verb"
    return "adverb" if lowered.endswith("ly") else "word"


def _begins(found: Sequence[Token], i: int) -> bool:
    sort, before = found[i].sort, found[i - 1].sort if i else "punct"
    if sort in ("punct", "conj", "aux", "wh"):
        return found[i].text in _QUOTES
    if before in ("name", "number") and sort == before:
        return False
    return (
        before in _CLOSERS
        or before in ("verb", "adverb")
        or sort in ("name", "number", "prep", "to", "det", "verb")
        or before == "word"
    )


def _ends(found: Sequence[Token], j: int) -> bool:
    sort, after = found[j - 1].sort, found[j].sort if j < len(found) else "punct"
    if sort in _CLOSERS:
        return found[j - 1].text in _QUOTES
    return not (sort == after and sort in ("name", "number"))


def _whole(found: Sequence[Token], i: int, j: int) -> bool:
    """No full stop inside, brackets and quotes closed, more than a footnote mark."""
    inner = [t.text for t in found[i:j]]
    said = any(c.isalpha() or c.isdecimal() for text in inner for c in text)
    return (
        said and ";" not in inner and inner.count("(") == inner.count(")") and sum(t in _QUOTES for t in inner) % 2 == 0
    )


_QUOTES = frozenset('"“”')
