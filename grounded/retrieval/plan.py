"""A question to a plan, by rules: what is asked of which documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded.retrieval import cards, dates
from grounded.retrieval.parts import POINTS_BACK, questions
from grounded.retrieval.words import content_stems
from grounded.types import DocumentRecord, Plan, SubQuestion

MAX_SUBQUESTIONS = 6

_OPENING = re.compile(r"^\s*(?:and|but|so|also|then|what\s+about|how\s+about|same\s+for)\b[\s,]*", re.IGNORECASE)

Groups = list[tuple[str, ...]]


def plan(question: str, *, history: Sequence[str] = (), documents: Sequence[DocumentRecord] = ()) -> Plan:
    """How `question` is searched. `history`: the session's earlier questions, newest last; `documents`: the records
    in scope. Deterministic: the same question over the same documents gives the same plan.

    Several questions are asked one by one; a question about several documents or times is asked of each; a follow-up
    takes from the question before what it leaves out.
    """
    asked = question.strip()
    parts = questions(asked)
    if history and (_OPENING.match(asked) or POINTS_BACK.search(parts[0])):
        return _follow_up(asked, history[-1].strip(), documents)
    subquestions = [sub for part in parts for sub in _ask(part, cards.route(part, documents))][:MAX_SUBQUESTIONS]
    if len(parts) > 1:
        return _made(question, subquestions, "several", f"{len(parts)} questions")
    if len(subquestions) > 1:
        return _made(question, subquestions, "comparison", f"asked of {len(subquestions)} documents or times")
    named = len(subquestions[0].documents)
    return _made(question, subquestions, "single", f"{named} documents meant" if named else "no document named")


def _follow_up(question: str, before: str, documents: Sequence[DocumentRecord]) -> Plan:
    """ "And in 2025?" repeats the question before with another time; "What about the top holding?" asks something new
    of the same documents; "Is it higher there?" means what was spoken of."""
    groups = cards.route(question, documents) or cards.route(before, documents)
    subject = _OPENING.sub("", cards.without_reference(question, documents))
    new_subject = bool(_OPENING.match(question)) and not POINTS_BACK.search(question) and _names_subject(subject)
    text = subject if new_subject else f"{before} {question}"
    return _made(question, _ask(text, groups)[:MAX_SUBQUESTIONS], "follow-up", f"read as: {text}")


def _names_subject(text: str) -> bool:
    """Is there a word left that is not a time?"""
    times = set(content_stems(" ".join(said for _, said in dates.said_times(text))))
    return bool(set(content_stems(text)) - times)


def _ask(text: str, groups: Groups) -> list[SubQuestion]:
    return [SubQuestion(text=text, documents=group) for group in groups] or [SubQuestion(text=text)]


def _made(question: str, subquestions: Sequence[SubQuestion], kind: str, reason: str) -> Plan:
    return Plan.model_validate(
        {"question": question, "subquestions": tuple(subquestions), "kind": kind, "reason": reason}
    )
