"""Names a question says that no document searched has: what is asked of Acme is not answered from Nimbus."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence

from grounded.retrieval.embed import Embedder
from grounded.retrieval.glossary import Glossary
from grounded.retrieval.index import Found, Index
from grounded.retrieval.words import is_stop_word, stem, words
from grounded.types import DocumentRecord, Plan, SubQuestion

MIN_NAME, MIN_TERM = 3, 8  # characters; a short word of many pieces is mostly a misspelling
TERM_PIECES = 3  # word pieces from which a word is a technical term: "clopidogrel", no everyday word
SPECIAL_TOKENS = 2  # that the embedder counts with every text
LONG = 6  # letters
NEAR, NEAR_SHORT = 0.8, 0.9  # of difflib's ratio: another spelling of a word; of a short one: "Acme" is no "ace"
MIN_BEGINNING = 4  # letters; the index keeps the stem of "operating", which "operatng" resembles only in its beginning
LOOK_AT = 50  # passages with a word like it

_WORD = re.compile(r"[^\W\d_]+(?:[.'’&-][^\W\d_]+)*")
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]|[‘'](?<!\w')[^'’]*[’'](?!\w)")
_POSSESSIVE = re.compile(r"['’]s$")
_JOINTS = re.compile(r"[.'’&-]")
_SENTENCE_START = re.compile(r"(?:^|[.?!:;]\s+)[\"“‘'(\[]*\Z")
_BEHIND_NAME = re.compile(r"\s+(?:[A-Z]|\d)")
_DETERMINING = "a an the this that these those any each every its their our your his her no which what"
_DETERMINERS = frozenset(_DETERMINING.split())
_NEVER_NAMES = """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    section article item table note exhibit schedule annex appendix part chapter page figure form class series clause
    paragraph
    summarize summarise itemize itemise enumerate tabulate
"""
_NO_NAMES = frozenset(_NEVER_NAMES.split())

CountPieces = Callable[[str], int]  # word pieces of a word


def names_said(question: str, pieces: CountPieces) -> list[str]:
    """The words of `question` that name something, as written, in order: capitalised where a sentence does not call
    for it, in the possessive, or technical terms. Not: quotations, abbreviations, titles In Capitals, and roles ("the
    Recipient"), which a document may call otherwise."""
    quoted = [match.span() for match in _QUOTED.finditer(question)]
    found = [m for m in _WORD.finditer(question) if not any(start <= m.start() < end for start, end in quoted)]
    if any(is_stop_word(m.group()) and m.group().istitle() and not _begins(question, m) for m in found):
        return []
    before = ["", *(m.group().casefold() for m in found)]
    named = (m.group() for m, word in zip(found, before, strict=False) if _names(question, m, word, pieces))
    return list(dict.fromkeys(_POSSESSIVE.sub("", name) for name in named))


def _begins(question: str, word: re.Match[str]) -> bool:
    return bool(_SENTENCE_START.search(question, 0, word.start()))


def _names(question: str, match: re.Match[str], before: str, pieces: CountPieces) -> bool:
    word = _POSSESSIVE.sub("", match.group())
    if len(word) < MIN_NAME or word.casefold() in _NO_NAMES or is_stop_word(word):
        return False
    if word[0].isupper():
        role = before in _DETERMINERS and not _BEHIND_NAME.match(question, match.end())
        return not word.isupper() and not role and (word != match.group() or not _begins(question, match))
    return word.isalpha() and len(word) >= MIN_TERM and pieces(word) >= TERM_PIECES


def with_unmentioned(
    plan: Plan, index: Index, embedder: Embedder, *, scope: Sequence[str] = (), glossary: Glossary
) -> Plan:
    """The plan, each step with the names it says that stand in none of its documents (`scope`: ids, empty for all),
    neither in their text nor on their cards, nor in nearly that spelling. Words of the glossary are no names: pages
    print other words for them."""

    def marked(step: SubQuestion) -> SubQuestion:
        names = names_said(step.text, lambda word: embedder.count_tokens(word) - SPECIAL_TOKENS)
        known = {said for sense in glossary.senses(step.text) for said in sense.said} if names else set()
        asked = [name for name in names if not _stems(name) & known]
        return step.model_copy(update={"unmentioned": _missing(asked, index, step.documents or tuple(scope))})

    return plan.model_copy(update={"subquestions": tuple(map(marked, plan.subquestions))})


def _missing(names: Sequence[str], index: Index, documents: Sequence[str]) -> tuple[str, ...]:
    records = index.documents().items() if names else ()
    cards = {stem(w) for key, record in records if not documents or key in documents for w in _card_words(record)}
    return tuple(name for name in names if not _stems(name) & cards and not _printed(name, index, documents))


def _printed(name: str, index: Index, documents: Sequence[str]) -> bool:
    stems, found = _stems(name), index.matching(name, LOOK_AT, documents)
    if any(stem(word) in stems for f in found for word in _searched(f)):
        return True
    beginnings = " ".join(name[:length] for length in range(MIN_BEGINNING, len(name)))
    near = [*index.matching(name, LOOK_AT, documents, near=True), *index.matching(beginnings, LOOK_AT, documents)]
    printed = {word for f in near for word in _searched(f)}
    return bool(difflib.get_close_matches(name.casefold(), printed, 1, NEAR if len(name) >= LONG else NEAR_SHORT))


def _card_words(record: DocumentRecord) -> Iterator[str]:
    for text in (*record.names, record.title, *record.card.names, record.card.head):
        yield from _parts(text.replace("_", " "))


def _searched(found: Found) -> Iterator[str]:
    return _parts(f"{found.chunk.context} {found.chunk.section} {found.chunk.text}")


def _parts(text: str) -> Iterator[str]:
    """Its words, and the parts of joined ones."""
    for word in words(text):
        yield word
        yield from filter(None, _JOINTS.split(word))


def _stems(name: str) -> set[str]:
    return {stem(word) for word in _parts(name)}
