"""Can the text of a page be believed? Fonts without a map to Unicode give letters that nobody printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from grounded.documents.characters import Characters, Fragment

BAD_ENCODING = "unreadable font encoding"
IMAGE_ONLY = "no text (image only)"
SHAPES_ONLY = "no text (drawn as shapes)"
BLANK = "blank page"
NO_OCR = "OCR is not installed"  # said behind one of the others
WORTH_OCR = frozenset({BAD_ENCODING, IMAGE_ONLY, SHAPES_ONLY})

# Shares of a page's characters from which it is suspected; a suspect is cleared when most of its words look like words.
_MANY_UNPRINTABLE, _MANY_UNMAPPED, _WORDLIKE, _IN_WORDS = 0.05, 0.3, 0.85, 0.2
_WORD = re.compile(r"[^\W\d_]{3,}")
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýąęāēīōūőűăıěůαεηιουωάέήίόύώаеёиоуыэюяіїєў]", re.IGNORECASE)
_SCRIPTS_WITHOUT_VOWELS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "ARABIC", "HEBREW", "THAI", "DEVANAGARI", "BENGALI")


def doubts(characters: Characters, fragments: Sequence[Fragment]) -> tuple[str, str]:
    """(reason why the page is unreadable or "", warning or "")."""
    text = " ".join(characters.text[f.start : f.end] for f in fragments)
    total = len("".join(text.split()))
    if not total:
        return "", ""
    unmapped = sum(p.end - p.start for f in fragments for p in f.pieces if p.style.unmapped)
    unprintable = text.count("\ufffd")
    suspect = unprintable >= _MANY_UNPRINTABLE * total or unmapped >= _MANY_UNMAPPED * total
    if suspect and not _looks_like_words(text, total):
        return BAD_ENCODING, ""
    unknown = max(unmapped, unprintable)
    if unknown >= 0.02 * total:
        return "", f"{unknown} of {total} characters have no Unicode in their font and may be wrong"
    return "", ""


def _looks_like_words(text: str, total: int) -> bool:
    in_words = sum(map(len, _WORD.findall(text)))
    return in_words >= _IN_WORDS * total and wordlike_share(text)[1] >= _WORDLIKE


def wordlike_share(text: str) -> tuple[int, float]:
    """How many words of three letters or more, and which share of them looks like words; (0, 0.0) without words."""
    words = _WORD.findall(text)
    return len(words), sum(map(_is_wordlike, words)) / max(1, len(words))


def _is_wordlike(word: str) -> bool:
    """One script throughout, and a vowel where the script writes them."""
    scripts = {unicodedata.name(char, "?").split(" ")[0] for char in word if not unicodedata.combining(char)}
    if len(scripts) != 1:
        return scripts <= {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH", "FULLWIDTH"}
    return scripts.pop().startswith(_SCRIPTS_WITHOUT_VOWELS) or _VOWEL.search(word) is not None
