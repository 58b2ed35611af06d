from grounded.generation.reader import Reading
from tests.generation.extractive.sheets import Pages, ask, context, page

FORM = page(
    "Accident Report DEN08\n\nLocation:           Chevroux\nRated Power:\n"
    "Seats:              4\nEngine Model:       O-320"
)
PROSE = page("The lease runs for five years. Either party may end it on 30 days notice. Rent is due on the first day.")


def texts(reading: Reading) -> list[str]:
    return [claim.text for claim in reading.claims]


def test_field_of_a_form_with_its_label() -> None:
    reading = ask("What is the engine model?", Pages({"a.pdf": [FORM]}))
    assert texts(reading) == ["Engine Model: O-320"]
    (quote,) = reading.claims[0].quotes
    assert quote.span is not None
    assert FORM.text[slice(*quote.span)] == quote.text


def test_blank_field_is_said_to_be_blank() -> None:
    reading = ask("What is the rated power?", Pages({"a.pdf": [FORM]}))
    assert not reading.claims
    assert reading.abstained == "The document leaves “Rated Power” blank."


def test_typing_errors_and_telegraphic_style() -> None:
    for question in ("engin modl", "ENGINE MODEL?", "model of engine pls"):
        assert texts(ask(question, Pages({"a.pdf": [FORM]}))) == ["Engine Model: O-320"], question


def test_silent_on_what_is_not_there() -> None:
    for question in ("Who is the chief executive?", "What was the dividend in 2019?", "capital of France"):
        reading = ask(question, Pages({"a.pdf": [FORM, PROSE]}))
        assert not reading.claims, question
        assert reading.abstained


def test_sentence_that_answers() -> None:
    reading = ask("On how many days notice may a party end the lease?", Pages({"lease.pdf": [PROSE]}))
    assert texts(reading) == ["30", "Either party may end it on 30 days notice."]
    assert [q.text for q in reading.claims[0].quotes] == ["30", "Either party may end it on 30 days notice."]


def test_nothing_outside_the_sources_is_quoted() -> None:
    pages = Pages({"a.pdf": [FORM]})
    head = context(pages, {("a.pdf", 1): (0, FORM.text.index("Engine"))})
    assert not ask("What is the engine model?", pages, head).claims


def test_no_sources_no_claims() -> None:
    assert ask("What is the location?", Pages({})).abstained == "No passage was found for the question."


def test_a_weak_fit_is_told() -> None:
    said = {q: ask(q, Pages({"a.pdf": [PROSE]})).notes for q in ("What happens on the first day?", "When is rent due?")}
    assert list(said.values()) == [("The reader is not sure that this answers the question.",), ()]
