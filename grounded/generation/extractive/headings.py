"""Answers found by their heading: what stands in the section that is named like the question."""

from __future__ import annotations

from collections.abc import Sequence

from grounded.generation.extractive.evidence import Sentence
from grounded.generation.extractive.matching import Matcher
from grounded.generation.extractive.words import terms

MOST_TERMS = 5  # of a heading that may answer: a longer one is about more
FIRST = 3  # sentences of a section that are shown


def told_under(matcher: Matcher, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The first sentences of the section whose title says all that is asked for, the shortest title first; [] when no
    title does. A section that begins with half a sentence is a diagram or a form."""
    sections: dict[tuple[str, str], list[Sentence]] = {}
    for sentence in sentences:
        sections.setdefault((sentence.sheet.document, _section(sentence)), []).append(sentence)
    fitting = [
        (len(stems), order, found[:FIRST])
        for order, ((_, title), found) in enumerate(sections.items())
        if 0 < len(stems := terms(title.rsplit(" › ", 1)[-1])) <= MOST_TERMS
        and matcher.holds_all(stems)
        and all(_is_whole(s.text) for s in found[:FIRST])
    ]
    return min(fitting)[2] if fitting else []


def _section(sentence: Sentence) -> str:
    """The title path in force where a sentence stands: a chunk may run over several."""
    return sentence.sheet.section_at(sentence.span[0]) or sentence.source.hit.chunk.section


def _is_whole(text: str) -> bool:
    return not text[0].islower() and text.rstrip("”\"')")[-1:] in (".", "!", ";")
