"""Yes or no: what a sentence plainly says to a question that asks whether."""

from __future__ import annotations

import re
from collections.abc import Collection

from grounded.generation.extractive.evidence import Sentence, is_whole
from grounded.generation.extractive.question import Question
from grounded.generation.extractive.words import stem, terms
from grounded.text import polarity

_THERE = re.compile(r"^(?:is|are) there\b|^(?:does|do) .+ (?:contain|include|have|provide)\b", re.IGNORECASE)
_PLAIN = frozenset(map(stem, ("contract", "agreement", "party", "clause", "provision", "fund", "company", "document")))


def yes_or_no(question: Question, sentence: Sentence, named: Collection[str] = ()) -> str:
    """ "Yes" or "No" when the sentence holds every word of the question that means something and says so without
    qualification, else "". named: stems of what the sentence is already known to be about."""
    if question.kind != "yes-no" or polarity(question.text.partition(" ")[2]) != "Yes":
        return ""
    asked = set(terms(question.text)) - _PLAIN
    word = polarity(sentence.text)
    if not asked or asked - {*sentence.stems, *named} or not is_whole(sentence.text):
        return ""
    return "" if _THERE.search(question.text) and word == "No" else word
