import itertools

from hypothesis import given
from hypothesis import strategies as st

from grounded.text import collapse, fold, sentence_spans


def test_fold_unifies_what_quotes_differ_in() -> None:
    assert (
        fold("The e\ufb03cient “o\ufb00ice”\u00a0—\u00ad cli-\nmate").key == fold('the efficient "office" climate').key
    )


def test_fold_keeps_digits_points_and_percent() -> None:
    assert fold("1.5%").key != fold("15%").key
    assert fold("(1,234)").key == "(1,234)"


def test_fold_of_mathematical_letters() -> None:
    assert fold("𝐀𝔅").key == "ab"


@given(st.text())
def test_offsets_point_at_the_characters_that_made_the_key(text: str) -> None:
    folded = fold(text)
    assert len(folded.key) == len(folded.offsets)
    assert list(folded.offsets) == sorted(folded.offsets)
    if folded.key:
        start, end = folded.raw_span(0, len(folded.key))
        assert fold(text[start:end]).key == folded.key


@given(st.text())
def test_sentences_round_trip_and_do_not_overlap(text: str) -> None:
    spans = sentence_spans(text)
    assert all(text[s:e].strip() == text[s:e] and s < e for s, e in spans)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    assert collapse("".join(text[s:e] for s, e in spans)).replace(" ", "") == collapse(text).replace(" ", "")


def test_sentences_do_not_break_at_abbreviations_and_numbers() -> None:
    text = "Acme Inc. paid $1.5 million to Mr. J. Doe on Jan. 5. It was late. See Sec. 3.1 for details."
    assert [text[s:e] for s, e in sentence_spans(text)] == [
        "Acme Inc. paid $1.5 million to Mr. J. Doe on Jan. 5.",
        "It was late.",
        "See Sec. 3.1 for details.",
    ]
