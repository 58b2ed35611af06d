"""Answers found by their heading: what stands in the section that is named like the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from grounded.generation.extractive.evidence import Sentence, Sheet, given, is_title, is_whole
from grounded.generation.extractive.matching import Matcher
from grounded.generation.extractive.words import terms
from grounded.types import CharSpan

MOST_TERMS = 5  # of a heading that may answer: a longer one is about more
FIRST = 3  # sentences of a section that are shown
BRIEF_LINES, BRIEF_CHARS = 5, 200  # of a section that is shown though it holds no sentence: a name with its address
_NAMED = re.compile(
    r"(?:which|what|who)(?: are| is)?(?: the)? (?P<title>[\w -]+?)"
    r"(?: (?:does|do|did|is|are|was|were|has|have|must|may|shall|of|for|in|under|that|apply|applies)\b|\?|$)",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:not|never|no|cannot)\b|n['’]t\b", re.IGNORECASE)
_LINE = re.compile(r"[^\n]*\S[^\n]*")


def told_under(matcher: Matcher, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The first sentences of the section whose title says all that is asked for, the shortest title first; [] when no
    title does. A section that begins with half a sentence is a diagram or a form."""
    sections: dict[tuple[str, str], list[Sentence]] = {}
    for sentence in sentences:
        sections.setdefault((sentence.sheet.document, _section(sentence)), []).append(sentence)
    fitting = [
        (terms_of(title), order, found[:FIRST])
        for order, ((_, title), found) in enumerate(sections.items())
        if _answers(matcher, title) and all(is_whole(s.text) for s in found[:FIRST])
    ]
    return min(fitting)[2] if fitting else []


def told_behind(question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentence behind a title in its line, "2. Negative covenants. The borrower shall …", that the question asks
    for."""
    named = _NAMED.match(question)
    wanted = set(terms(named["title"])) if named else set()
    return [s for s in sentences if wanted and wanted == set(terms(s.before)) and is_whole(s.text)][:1]


def brief_under(matcher: Matcher, sheets: Sequence[Sheet]) -> tuple[Sheet, CharSpan] | None:
    """The few lines of such a section that holds no sentence; None when there is none, or there are many lines."""
    for sheet in sheets:
        for source in sheet.sources:
            lines = list(_lines(sheet, given(source)))
            for number, (title, span) in enumerate(lines):
                if not _answers(matcher, title) or not is_title(sheet, span):
                    continue
                own = _section_after(lines, number)
                if 0 < len(own) <= BRIEF_LINES and own[-1][1] - own[0][0] <= BRIEF_CHARS:
                    return sheet, (own[0][0], own[-1][1])
    return None


def _section_after(lines: Sequence[tuple[str, CharSpan]], number: int) -> list[CharSpan]:
    """The lines behind a title that stand in its section."""
    title = lines[number][0]
    return [span for _, span in takewhile(lambda line: line[0] == title, lines[number + 1 :])]


def terms_of(title: str) -> int:
    """How many words of meaning the last part of a title path has."""
    return len(terms(title.rsplit(" › ", 1)[-1]))


def _answers(matcher: Matcher, title: str) -> bool:
    last = title.rsplit(" › ", 1)[-1]
    stems = [t for t in terms(last) if not t[0].isdigit()]
    denies = bool(_DENIES.search(last)) and not _DENIES.search(matcher.question.text)
    return 0 < len(stems) <= MOST_TERMS and matcher.holds_all(stems) and not denies


def _lines(sheet: Sheet, span: CharSpan) -> Iterator[tuple[str, CharSpan]]:
    """Lines that hold something, each with the title path in force."""
    for match in _LINE.finditer(sheet.page.text, *span):
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        yield sheet.section_at(start), (start, match.start() + len(match.group().rstrip()))


def _section(sentence: Sentence) -> str:
    """The title path in force where a sentence stands: a chunk may run over several."""
    return sentence.sheet.section_at(sentence.span[0]) or sentence.source.hit.chunk.section
