"""Claims that nobody had to write, with the text each is held against and what that says to it.

From abstracts: titles and conclusions, which the rest of the abstract supports; the same with one word turned, which it
contradicts; and another abstract on the same subject, which says nothing of them. Only abstracts that no claim of
SciFact cites. From questions with known answers, on articles and reports: the two put together, beside the paragraph
with the answer and beside it without; and with the answer to another question.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log
from typing import Any, NamedTuple

from bench.claims import rows
from bench.train_verifier import CLASSES
from grounded.text import sentence_spans
from grounded.verification.words import stems

# words that turn a finding into its opposite, both ways
_TURNS = """
increases=decreases increased=decreased increase=decrease increasing=decreasing higher=lower high=low promotes=inhibits
promote=inhibit promoted=inhibited activates=represses activation=inhibition activated=inhibited improves=worsens
improved=worsened improve=worsen improvement=worsening enhances=impairs enhanced=impaired enhance=impair more=less
greater=smaller upregulated=downregulated upregulation=downregulation up-regulated=down-regulated induces=prevents
induced=prevented induce=prevent stimulates=suppresses stimulate=suppress stimulated=suppressed positively=negatively
positive=negative gain=loss longer=shorter reduces=increases reduced=increased reduce=increase reduction=increase
suppresses=promotes suppress=promote blocks=promotes blocked=promoted protects_against=predisposes_to
required=dispensable necessary=unnecessary essential=dispensable sufficient=insufficient effective=ineffective
early=late better=worse safe=unsafe common=rare dependent=independent sensitive=resistant sensitivity=resistance
presence=absence before=after attenuates=exacerbates attenuated=exacerbated accelerates=slows rise=fall larger=smaller
faster=slower most=few many=few stable=unstable similar=different efficacious=ineffective benefit=harm
beneficial=harmful
"""
_STATES = re.compile(
    r"\b(is|are|was|were|can|increases?|decreases?|promotes?|inhibits?|regulates?|controls?|mediates?|reduces?"
    r"|improves?|predicts?|induces?|suppress(?:es)?|activates?|enhances?|requires?|reveals?|causes?|leads?|links?"
    r"|drives?|prevents?|protects?|modulates?|affects?|contributes?|triggers?|maintains?|determines?|represses?"
    r"|associates?|associated|required|alters?|impairs?|restores?|limits?|supports?|interacts?|binds?|targets?"
    r"|couples?|coordinates?|identif(?:y|ies)|facilitates?|accelerates?|blocks?|attenuates?|has|have|does|do)\b"
)
_AUXILIARY = re.compile(r"\b(is|are|was|were|can|may|does|do|did|has been|have been|could|should|will)\b(?! not)")
_NEGATED = re.compile(
    r"\b(?:does|do|did) not (\w+)|\b(is|are|was|were|can|could|has|have|may) not\b|\b(no) (?=\w)|\bwithout\b"
)
_OPENING = re.compile(
    r"^(?:(?:in )?conclusions?:?,?\s*|interpretation:?\s*|findings?:?\s*|results?:?\s*|(?:taken )?together,?\s*"
    r"|thus,?\s*|therefore,?\s*|overall,?\s*|in summary,?\s*|hence,?\s*"
    r"|(?:our|these|the present|this|the) (?:results?|findings?|data|stud(?:y|ies)|observations?|work|evidence)"
    r"[^,.;]{0,40}?\b(?:suggests?|indicates?|demonstrates?|shows?|provides? evidence|reveals?|supports?"
    r"|establish(?:es)?|identif(?:y|ies)|confirms?)(?: that)?\s*"
    r"|we (?:conclude|show|propose|found|find|demonstrate|suggest|report)(?: that)?\s*"
    r"|here,? we (?:show|report|demonstrate|found|find)(?: that)?\s*)+",
    re.IGNORECASE,
)
_LEAST, _TITLE, _CONCLUSION = 5, 25, 32  # words
ABSTRACTS = 3000  # claims from abstracts, of some 6,700 that could be made; the others add little
_BESIDE = 3  # the abstracts nearest to a claim of which one is taken


_ANSWER = 20  # words
_ASKING = re.compile(
    r"^(?:(?:in|on|at|to|by|of|from|for|with|during) )?"
    r"(what|which|whom?|whose|when|where|why|how(?: (?:many|much|long|old|often|far|large))?)\b\s*(.*?)\s*\??$",
    re.IGNORECASE,
)
_ASKED_VERB = re.compile(
    r"^((?:[\w'’-]+ ){0,5}?)(did|does|do|is|was|are|were|has|have|had|can|could|will|would)\b (.*)$"
)


class Made(NamedTuple):
    """A claim with the text it is held against, and what that says to it (index into CLASSES); group: the document
    of a set that the verifier is measured on, if it is one."""

    claim: str
    text: str
    label: int
    group: str = ""


class Known(NamedTuple):
    """A true claim taken from an abstract, and the abstract without it."""

    document: str
    claim: str
    text: str


# ---------------------------------------------------------------- abstracts


def from_abstracts() -> list[Made]:
    """Supported, contradicted and not stated ones, in a fixed random order."""
    chooser = random.Random(7)
    known = _known()
    nearest = _Nearest(known)
    made = []
    for claim in known:
        made.append(Made(claim.claim, claim.text, CLASSES.index("supported")))
        turned = _turned(claim.claim, chooser)
        if turned:
            made.append(Made(turned, claim.text, CLASSES.index("contradicted")))
        beside = nearest.of(claim)
        if beside:
            other = chooser.choice(beside)
            said = claim.claim if chooser.random() < 0.7 or not turned else turned
            made.append(Made(said, other.text, CLASSES.index("not stated")))
    chooser.shuffle(made)
    return made[:ABSTRACTS]


def _known() -> list[Known]:
    cited = {document for row in rows("scifact/claims_train.jsonl") for document in row["cited_doc_ids"]}
    abstracts = {r["doc_id"]: r for r in rows("scifact/corpus.jsonl") if r["doc_id"] not in cited}
    return [
        known
        for key, row in sorted(abstracts.items())
        if len(row["abstract"]) >= 4
        for known in (_title(key, row), _conclusion(key, row))
        if known is not None
    ]


def _title(key: str, row: dict[str, Any]) -> Known | None:
    """A title that states something."""
    title = row["title"].strip().rstrip(".")
    if not _STATES.search(title) or title.endswith("?") or not _LEAST <= len(title.split()) <= _TITLE:
        return None
    return Known(key, f"{title}.", " ".join(s.strip() for s in row["abstract"]))


def _conclusion(key: str, row: dict[str, Any]) -> Known | None:
    """One of the last two sentences that opens like a conclusion, without its opening."""
    sentences = [s.strip() for s in row["abstract"]]
    for at in (len(sentences) - 1, len(sentences) - 2):
        opening = _OPENING.match(sentences[at])
        rest = sentences[at][opening.end() :] if opening else ""
        if _STATES.search(rest) and _LEAST < len(rest.split()) <= _CONCLUSION:
            others = sentences[:at] + sentences[at + 1 :]
            return Known(key, rest[0].upper() + rest[1:], " ".join(others))
    return None


class _Nearest:
    """Texts of other documents that have most of a claim's rarer words."""

    def __init__(self, known: Sequence[Known]) -> None:
        self.known = known
        self.holders: dict[str, list[int]] = defaultdict(list)
        for i, each in enumerate(known):
            for word in frozenset(stems(each.text)):
                self.holders[word].append(i)

    def of(self, claim: Known) -> list[Known]:
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(stems(claim.claim))):
            found = self.holders.get(word, [])
            if 1 < len(found) < len(self.known) / 10:
                for i in found:
                    scores[i] += log(len(self.known) / len(found))
        best = [self.known[i] for i, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: 2 * _BESIDE]]
        return [k for k in best if k.document != claim.document][:_BESIDE]


def _turned(claim: str, chooser: random.Random) -> str | None:
    """A claim with one word turned into its opposite, or a 'not' more or less; None where nothing can be turned."""
    words, states, negated = _TURNING.search(claim), _AUXILIARY.search(claim), _NEGATED.search(claim)
    ways = [*(["word"] * 2 if words else []), *(["not"] if states else []), *(["plain"] * 2 if negated else [])]
    if not ways:
        return None
    way = chooser.choice(ways)
    if way == "word":
        match = chooser.choice(list(_TURNING.finditer(claim)))
        new = _OPPOSITE[match.group().lower()]
        return _put(claim, match, new.capitalize() if match.group()[0].isupper() else new)
    if way == "not" and states:
        return _put(claim, states, _negation(states.group()))
    return _put(claim, negated, _plain(negated)) if negated else None


def _negation(auxiliary: str) -> str:
    """'has been' -> 'has not been'."""
    first, _, rest = auxiliary.partition(" ")
    return f"{first} not {rest}" if rest else f"{auxiliary} not"


def _plain(negated: re.Match[str]) -> str:
    """'does not bind' -> 'binds', 'is not' -> 'is', 'no' -> 'a', 'without' -> 'with'."""
    if negated[1]:
        return f"{negated[1]}s" if negated.group().startswith("does") else str(negated[1])
    return str(negated[2] or ("a" if negated[3] else "with"))


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _opposites() -> dict[str, str]:
    """Both ways; of a word with several opposites the first."""
    table: dict[str, str] = {}
    for pair in _TURNS.split():
        left, _, right = pair.replace("_", " ").partition("=")
        table.setdefault(left, right)
        table.setdefault(right, left)
    return table


_OPPOSITE = _opposites()
_TURNING = re.compile(
    rf"\b({'|'.join(re.escape(w) for w in sorted(_OPPOSITE, key=len, reverse=True))})\b", re.IGNORECASE
)


# ---------------------------------------------------------------- questions with answers


def from_questions() -> list[Made]:
    """Right answers beside the paragraph, and beside it without the sentences that have the answer; other answers."""
    chooser = random.Random(13)
    asked: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for paragraph, group, question, answer in [*_of_articles(), *_of_reports()]:
        asked[paragraph, group].append((question, answer))
    return [
        made._replace(group=group)
        for (paragraph, group), pairs in sorted(asked.items())
        for question, answer in pairs
        for made in _from_question(paragraph, question, answer, [other for _, other in pairs], chooser)
    ]


def _from_question(
    paragraph: str, question: str, answer: str, answers: Sequence[str], chooser: random.Random
) -> Iterator[Made]:
    claim = _stated(question, answer)
    if claim is None:
        return
    yield Made(claim, paragraph, CLASSES.index("supported"))
    if rest := " ".join(s for s in _sentences(paragraph) if answer not in s):
        yield Made(claim, rest, CLASSES.index("not stated"))
    others = [other for other in answers if _is_another(other, answer)]
    if others and (wrong := _stated(question, chooser.choice(others))):
        yield Made(wrong, paragraph, CLASSES.index("contradicted"))


def _sentences(text: str) -> list[str]:
    return [text[a:b].strip() for a, b in sentence_spans(text)]


def _of_articles() -> Iterator[tuple[str, str, str, str]]:
    for row in rows("xquad_en/xquad_en.jsonl"):
        yield row["context"], "", row["question"], row["answers"][0]["text"]


def _of_reports() -> Iterator[tuple[str, str, str, str]]:
    """Questions on the text of reports, answered in a few words of one paragraph."""
    texts = {
        (row["context_id"], str(p["order"])): p["text"]
        for row in rows("tatqa/dev_contexts.jsonl")
        for p in row["paragraphs"]
    }
    for row in rows("tatqa/dev_questions.jsonl"):
        if (row["answer_type"], row["answer_from"]) != ("span", "text"):
            continue
        answer, paragraph = row["answer"][0].strip(" ."), texts.get((row["context_id"], row["rel_paragraphs"][0]), "")
        if answer in paragraph and len(answer.split()) <= _ANSWER:
            yield paragraph, row["context_id"], row["question"], answer


def _is_another(other: str, answer: str) -> bool:
    """Whether it may stand in an answer's place, and is not part of it."""
    apart = other.lower() not in answer.lower() and answer.lower() not in other.lower()
    return apart and other[0].isdigit() == answer[0].isdigit()


def _stated(question: str, answer: str) -> str | None:
    """A question with its answer as a statement, in rough English; None for forms not known."""
    asking = _ASKING.match(question.strip())
    if asking is None:
        return None
    said = _put_together(asking[1].lower(), asking[2], answer)
    return f"{said[0].upper()}{said[1:]}." if len(said.split()) >= _LEAST - 1 else None


def _put_together(asked: str, rest: str, answer: str) -> str:
    verb = _ASKED_VERB.match(rest)
    if verb is None:
        return f"{answer} {rest}"
    noun, auxiliary, said = verb.groups()
    if auxiliary in ("did", "does", "do"):
        return f"{said} {answer} {noun}".strip()
    is_plain = not noun and auxiliary in ("is", "was", "are", "were")
    if is_plain and (asked not in ("who", "what", "which") or len(said.split()) < 7):
        return f"{said} {auxiliary} {answer}"
    return f"{answer} {noun}{auxiliary} {said}"
