"""Answers out of running text: the phrase that answers, from the passages whose sentences fit the question best."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from grounded.generation.extractive.evidence import Sentence, given
from grounded.generation.extractive.forms import suits
from grounded.generation.extractive.ranking import Pair, Pairs, candidates, model
from grounded.generation.extractive.words import terms
from grounded.types import CharSpan

PASSAGES = 2  # read at most
NEAR = 0.9  # of the best sentence's fit: what another passage's must have to be read too


class Phrase(NamedTuple):
    """A phrase of a sentence. span: on its page; probability: that it or one like it answers, of the phrases of its
    passage; confident: that the passage answers the question at all. Both 0..1."""

    sentence: Sentence
    span: CharSpan
    probability: float
    confident: float


def phrase(
    question: str, fitting: Sequence[tuple[float, Sentence]], every: Sequence[Sentence], pairs: Pairs | None
) -> Phrase | None:
    """The phrase that answers best. fitting: sentences with their fit, the best first; every: all that were given."""
    stems = [frozenset(s.stems) for s in every]
    found: list[Phrase] = []
    tried: set[str] = set()
    for fit, sentence in fitting:
        if len(tried) == PASSAGES or fit < NEAR * fitting[0][0]:
            break
        if sentence.source.id not in tried:
            tried.add(sentence.source.id)
            own = [s for s in every if s.source.id == sentence.source.id]
            found += [best] if (best := _best(question, own, stems, pairs)) else []
    return max(found, key=lambda p: p.confident, default=None)


def _best(
    question: str, own: Sequence[Sentence], stems: Sequence[frozenset[str]], pairs: Pairs | None
) -> Phrase | None:
    """The best phrase of one passage."""
    start, end = given(own[0].source)
    text = own[0].sheet.page.text[start:end]
    told = candidates(question, text, [(s.span[0] - start, s.span[1] - start) for s in own], stems)
    if told is None:
        return None
    ranked = model().rank(told, Pair(*pairs.read(question, text)) if pairs else None)
    named = {*terms(own[0].sheet.name.rsplit(".", 1)[0]), *terms(own[0].source.hit.chunk.context.split("\n", 1)[0])}
    order = [int(i) for i in np.argsort(-ranked.scores, kind="stable")]
    index = next((i for i in order if _may_answer(question, text, ranked.spans[i], named)), order[0])
    span = (ranked.spans[index][0] + start, ranked.spans[index][1] + start)
    sentence = next(s for s in own if s.span[0] <= span[0] < s.span[1])
    return Phrase(sentence, span, ranked.support(index), ranked.confident)


def _may_answer(question: str, text: str, span: CharSpan, named: Collection[str]) -> bool:
    """Whether a phrase has the form asked for and is not just the name of the document."""
    return suits(question, text, span) and not set(terms(text[slice(*span)])) <= set(named)
