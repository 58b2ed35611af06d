"""What a term means: the sentence that defines it, or the words that a bracketed short name stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from grounded.generation.extractive import compose
from grounded.generation.extractive.evidence import Sentence, Sheet
from grounded.types import CharSpan, Claim

MAX_TERM_WORDS = 6
REACH = 120  # characters before a short name in brackets in which its words stand
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_OPEN, _CLOSE = "[“\"'‘]", "[”\"'’]"
_END = r"\s*(?:[?.]|$|in the\b|in this\b)"
_TERM = rf"(?:the (?:term|word|phrase|expression) )?{_OPEN}?(?P<term>[^?“”\"‘’]+?){_CLOSE}?"
_ASKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bwhat (?:does|do|did) {_TERM} (?:mean|stand for|refer to)\b",
        rf"\b(?:what is|what's|whats) (?:meant by|the (?:meaning|definition) of) {_TERM}{_END}",
        rf"\bhow (?:is|are|does .+? define|do .+? define) {_TERM}(?: defined)?{_END}",
        rf"^(?:please )?(?:define|definition of|meaning of) {_TERM}{_END}",
    )
)
_MEANS = (
    r"(?:shall )?(?:means?\b|(?:has|have) the (?:respective )?meaning|refers? to\b|stands? for\b|"
    r"(?:is|are) (?:defined|referred to|understood) (?:as|to mean)\b|includes?\b|(?:is|are) any\b)"
)

_ASKS_SHORT_NAME = re.compile(r"^what(?:['’]s| is| are) (?:the )?(?P<term>[a-z]{2,8})\s*\??$", re.IGNORECASE)


def asked_term(question: str) -> str:
    """The term whose meaning is asked for; "" when none is."""
    for pattern in _ASKS:
        match = pattern.search(question)
        if match and len(match["term"].split()) <= MAX_TERM_WORDS:
            return re.sub(r"^(?:the|a|an) ", "", match["term"].strip(), flags=re.IGNORECASE)
    return ""


def said_to_be(question: str, sentences: Iterable[Sentence]) -> Claim | None:
    """Of "what is MCAS?": the sentence that begins "MCAS is a …"; None when no sentence does."""
    asked = _ASKS_SHORT_NAME.search(question)
    if asked is None:
        return None
    opening = re.compile(rf"^(?:\d{{1,2}}\s)?(?:the )?{asked['term'].upper()} (?:is|are) (?:an?|the) ")
    found = next((s for s in sentences if opening.search(s.text)), None)
    return compose.from_sentence(found, 1.0) if found else None


def definition(term: str, sheets: Sequence[Sheet], sentences: Iterable[Sentence]) -> Claim | None:
    """The sentence that says what the term means, or what names it in brackets; None when the text does neither."""
    said = r"\s+".join(map(re.escape, term.split()))
    quoted, opening = rf"{_OPEN}\s*{said}\s*{_CLOSE}\s*(?:\([^)]*\)\s*)?", rf"^(?:the term )?{_OPEN}?{said}{_CLOSE}?:? "
    defines = re.compile(rf"(?:{quoted}|{opening}){_MEANS}", re.IGNORECASE)
    named = re.compile(rf"\((?:[^()]{{0,60}}\s)?{_OPEN}{said}{_CLOSE}[^()]{{0,40}}\)", re.IGNORECASE)
    told = list(sentences)
    for pattern in (defines, named):
        for sentence in told:
            if pattern.search(sentence.text):
                return compose.from_sentence(sentence, 1.0)
    for sheet in sheets:
        span = _long_form(term, sheet)
        if span:
            return compose.from_place(sheet, span, 1.0)
    return None


def _long_form(short: str, sheet: Sheet) -> CharSpan | None:
    """Where the words stand that a short name in brackets is made of: "net asset value (NAV)"."""
    if not (2 <= len(short) <= 8 and short.isalpha()):
        return None
    text = sheet.page.text
    for match in re.finditer(rf"\({re.escape(short)}\)", text):
        before = list(_WORD.finditer(text, max(0, match.start() - REACH), match.start()))
        for first in reversed(before[-len(short) - 2 :]):
            span = (first.start(), match.end())
            spelled = iter(text[first.start() : match.start()].casefold())
            opens = first[0][0].casefold() == short[0].casefold()
            if opens and all(c in spelled for c in short.casefold()) and sheet.source_of(span):
                return span
    return None
