from grounded.generation.extractive.pairs import pairs
from tests.generation.extractive.sheets import page


def read(text: str) -> dict[str, str]:
    leaf = page(text)
    return {
        " ".join(leaf.text[s:e] for s, e in pair.label): " ".join(leaf.text[s:e] for s, e in pair.value)
        for pair in pairs(leaf, (0, len(text)))
    }


def test_value_beside_its_label() -> None:
    assert read("Location:           Tallahassee, FL\nRegistration:       N5921D")["Location:"] == "Tallahassee, FL"


def test_blank_field_does_not_take_the_next_value() -> None:
    found = read("Rated Power:\nOperator:           Willis O Forman\nSeats:              4")
    assert found == {"Rated Power:": "", "Operator:": "Willis O Forman", "Seats:": "4"}


def test_two_fields_on_one_row() -> None:
    found = read("Age:      85, Male      Rating:      Single-engine\nSeat:                   Restraint:   None")
    assert found == {"Age:": "85, Male", "Rating:": "Single-engine", "Seat:": "", "Restraint:": "None"}


def test_value_straight_below_its_label() -> None:
    assert read("Borrower:\nAcme Corp.\n\nLender:\nFirst Bank") == {"Borrower:": "Acme Corp.", "Lender:": "First Bank"}


def test_label_of_two_lines() -> None:
    found = read(
        "Operator:              Acme\nOperating Certificate(s)\nHeld:                      None\nSeats:      4"
    )
    assert found["Operating Certificate(s) Held:"] == "None"
    assert found["Operator:"] == "Acme"


def test_value_that_wraps() -> None:
    assert read("Restraint Used:     Seatbelt, Shoulder\n                    harness")["Restraint Used:"] == (
        "Seatbelt, Shoulder harness"
    )


def test_label_and_value_in_one_line_of_text() -> None:
    assert read("Governing law: State of New York") == {"Governing law": "State of New York"}
