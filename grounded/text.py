"""String rules that two rooms share: the comparison key with its offset map, and sentence spans."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from array import array
from functools import lru_cache
from itertools import compress
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛′`´ʼ＇", "'") | dict.fromkeys("“”„‟″«»‹›＂", '"') | {"\u2044": "/", "\u2212": ""}
)
MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")  # how lines from the right show brackets
_DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Mn", "Me", "Zs", "Zl", "Zp", "Pd"})
# Four dots may be an ellipsis behind a full stop, but not where they stand apart in front of a number.
_LEADER = re.compile(r"\.(?:[ \t\n\u00a0]?\.){4,}(?!\d)|(?<=\s)\.{4}(?=\s[-–−($€£¥]*\d)")
_UNKNOWN = "\ufffd"  # a glyph without Unicode
_NEGATING_STROKE = "\u0338"  # the combining mark that makes "≠" of "="


class Folded(NamedTuple):
    """A comparison key and, for each of its characters, the offset of the raw character it came from."""

    key: str
    offsets: array[int]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Half-open raw span under the half-open key span (which must not be empty)."""
        return self.offsets[start], self.offsets[end - 1] + 1


class _Keys(dict[str, str]):
    """The keys of the characters met so far."""

    def __missing__(self, char: str) -> str:
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
        self[char] = key = "".join(
            c.translate(_SAME)
            for c in decomposed
            if c == _NEGATING_STROKE or (c != _UNKNOWN and unicodedata.category(c) not in _DROPPED_CATEGORIES)
        )
        return key


_KEYS = _Keys()


def fold_char(char: str) -> str:
    """The key of one character: NFKD, casefold, NFKD; whitespace, hyphens, dashes, U+2212, soft hyphens,
    zero-width, combining, control and unknown (U+FFFD) characters dropped; quotes straightened.
    May be empty or longer."""
    return _KEYS[char]


def fold(text: str) -> Folded:
    """Fold `text` for comparison: the keys of its characters, without the dots that lead the eye over a gap. What the
    key drops (signs; decimal points are kept) must be compared on the raw text afterwards: the key finds a place, it
    proves nothing."""
    parts = list(map(_KEYS.__getitem__, text))
    for leader in _LEADER.finditer(text):
        parts[leader.start() : leader.end()] = [""] * len(leader.group())
    offsets = array("l", compress(range(len(parts)), parts))
    key = "".join(parts)
    if len(offsets) < len(key):  # some characters have a longer key
        offsets = array("l", [index for index, part in enumerate(parts) for _ in part])
    return Folded(key, offsets)


def collapse(text: str) -> str:
    """`text` with every run of whitespace as one space, trimmed."""
    return " ".join(text.split())


def without_login(url: str) -> str:
    """The address without user name, password, query and fragment: for screens and records."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(not an address)"
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def is_this_machine(url: str) -> bool:
    """Whether an address leads to this machine (localhost or a loopback number)."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_NEGATES = re.compile(r"\b(?:not|never|neither|nor|no|none|cannot|prohibited|forbidden)\b|n['’]t\b", re.IGNORECASE)
_QUALIFIES = re.compile(
    r"\b(?:unless|except(?:ing)?|without|only|if|provided|until|subject to|other than|but|however|save|although|while"
    r"|certain|some|either|whether|may|might|could)\b",
    re.IGNORECASE,
)


def polarity(sentence: str) -> str:
    """ "Yes" for a sentence that states something plainly, "No" for one that denies it with one negation, "" for one
    that qualifies what it says: such a sentence has to be read."""
    negations = len(_NEGATES.findall(sentence))
    permits = re.sub(r"\bmay not\b", "not", sentence, flags=re.IGNORECASE)
    if negations > 1 or _QUALIFIES.search(permits):
        return ""
    return "No" if negations else "Yes"


_QUESTION_WORD = re.compile(r"\b(?:how (?:many|much)|who|whom|whose|when|where|why|how|which|what)\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def english_stem(word: str) -> str:
    """The Snowball stem of a word in lower case."""
    return str(_stemmer().stemWord(word))


def question_word(question: str) -> tuple[int, int] | None:
    """Where a question says what it asks for: its first "who", "how many", …; None when it has none."""
    match = _QUESTION_WORD.search(question)
    return match.span() if match else None


_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|nos|inc|ltd|co|corp|vs|etc|e\.g|i\.e|cf|fig|eq|sec|art|approx|vol|pp?|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mio|mrd|tsd)|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[.!?][\"'”’)\]]*[¹²³⁰⁴-⁹]*(?=\s+[\"'“‘(\[]?[A-Z0-9])|[。！？]|\n[ \t]*\n+")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open spans of the sentences of `text`, trimmed of whitespace: `text[s:e]` is the sentence."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if match.group().startswith(".") and _ABBREVIATION.search(
            text[max(start, match.start() - 12) : match.start() + 1]
        ):
            continue
        _append_trimmed(spans, text, start, match.end())
        start = match.end()
    _append_trimmed(spans, text, start, len(text))
    return spans


def _append_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
