"""The phrase of a passage that answers: candidates, the trained ranker, and the encoder beside it."""

import pytest

from grounded.generation.extractive.asking import asking
from grounded.generation.extractive.candidates import spans, tokens
from grounded.generation.extractive.ranking import Pair, candidates, model
from grounded.retrieval.pairs import load_pairs
from grounded.text import sentence_spans

PASSAGE = (
    "The lighthouse at Cape Varn was designed by Ingrid Solheim and built of grey granite in 1883. It replaced a "
    "wooden tower that burned down during a storm. Its lamp can be seen from a distance of 24 miles."
)


def best(question: str, *, encoder: bool) -> tuple[str, float]:
    sentences = sentence_spans(PASSAGE)
    found = candidates(question, PASSAGE, sentences, [{t.stem for t in tokens(PASSAGE[a:b])} for a, b in sentences])
    assert found is not None
    ranked = model().rank(found, Pair(*load_pairs().read(question, PASSAGE)) if encoder else None)
    return PASSAGE[slice(*ranked.spans[int(ranked.scores.argmax())])], ranked.confident


def test_phrases_are_candidates_and_half_phrases_are_not() -> None:
    text = "It was designed by Ingrid Solheim in 1883."
    found = tokens(text)
    phrases = {text[found[i].start : found[j - 1].end] for i, j in spans(found)}
    assert {"Ingrid Solheim", "1883", "designed by Ingrid Solheim", "in 1883"} <= phrases
    assert not {"Solheim", "by", "Ingrid", "designed by"} & phrases


@pytest.mark.parametrize(
    ("question", "form", "kind", "noun"),
    [
        ("Who designed the tower?", "who", "person", ""),
        ("In what year was it built?", "what", "time", "year"),
        ("How many miles can it be seen?", "how many", "number", "mile"),
        ("Which city is it near?", "which", "place", "citi"),
    ],
)
def test_what_a_question_looks_for(question: str, form: str, kind: str, noun: str) -> None:
    asked = asking(question)
    assert (asked.form, asked.kind, asked.noun) == (form, kind, noun)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who designed the lighthouse?", "Ingrid Solheim"),
        ("When was the lighthouse built?", "1883"),
        ("From how far away can its lamp be seen?", "24 miles"),
    ],
)
def test_the_phrase_that_answers(question: str, answer: str) -> None:
    said, sure = best(question, encoder=True)
    assert answer in said
    assert len(said) < len(answer) + 16
    assert sure > 0.5


def test_without_the_encoder_features_alone_rank() -> None:
    assert best("When was the lighthouse built?", encoder=False)[0] == "1883"


def test_a_question_the_passage_does_not_answer_gives_no_confidence() -> None:
    assert best("What dividend did the bank pay in March?", encoder=True)[1] < 0.3
