"""Statements as analysts write them, on invented sheets and texts: what the source denies, gives another row, clause,
span of years or frequency, does not bear a claim out, however near its words are."""

from __future__ import annotations

import pytest

from grounded.types import Status
from grounded.verification.align import Aligned
from grounded.verification.evidence import Evidence, Grid
from grounded.verification.examine import Examined
from grounded.verification.frequency import said_often
from grounded.verification.grounds import names_another
from grounded.verification.judge import judge
from grounded.verification.models import shipped
from grounded.verification.polarity import both_deny, denied, find_denial
from grounded.verification.prose import read_prose

TRUST = Evidence(
    text="The trust does not try to outrun its index; it will not hold gold in a falling market. "
    "The index is a product of Corran Data, which does not sponsor, endorse or sell the trust. "
    "Units are not deposits and may lose value. Distributions are paid each quarter."
)
DEATHS = Evidence(
    text="In 2016, accidents were responsible for 12.4% of all losses: 9.1% from fires and 3.3% from floods. "
    "The rate for owners was 40% higher than for tenants (18.6 versus 13.3 per 10,000 homes, respectively).",
    grids=(
        Grid(
            (
                ("", "Number", "Rate"),
                ("Owners", "5,210", "18.6"),
                ("Tenants", "3,480", "13.3"),
            ),
            "Losses, by tenure",
        ),
    ),
)
JOBS = Evidence(
    text="The bureau projects that employment will rise by 4.2 million between 2018 and 2028.³ The annual rate of 0.7 "
    "percent reverses the decline between 2008 and 2018, when 1.1 million jobs were lost."
)
DOSE = Evidence(text="Ravenol should be given to adults as a single daily dose of 40 mg. It may be crushed.")

RULES = Evidence(
    text="Doses of ravenol should not be higher than 80 mg. The operator must file a safety report with the registry "
    "within 18 weeks of approval. The auditor shall answer letters within one month."
)
RATIOS = Evidence(
    grids=(Grid((("", "Fund", "Index"), ("Return on capital", "21.3%", "21.9%"), ("Turnover", "3.1%", "4.0%"))),)
)


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        ("The trust holds gold when markets fall.", TRUST, "contradicted"),
        ("Corran Data endorses the trust.", TRUST, "contradicted"),
        ("Distributions are paid monthly.", TRUST, "contradicted"),
        ("Accidents were responsible for 12.4% of all losses in 2016.", DEATHS, "grounded"),
        ("Fires were responsible for 12.4% of all losses in 2016.", DEATHS, "contradicted"),
        ("Floods were responsible for 9.1% of all losses.", DEATHS, "contradicted"),
        ("Floods were responsible for 3.3% of all losses.", DEATHS, "grounded"),
        ("Owners lost at a rate of 18.6 per 10,000, tenants at 13.3.", DEATHS, "grounded"),
        ("Employment will rise by 4.2 million between 2018 and 2028.", JOBS, "grounded"),
        ("Ravenol is given to adults at 40 mg once a day.", DOSE, "grounded"),
        ("Ravenol should be given to adults at 40 mg twice a day.", DOSE, "contradicted"),
        ("Doses of ravenol should not be more than 80 mg.", RULES, "grounded"),
        ("The operator files a safety report with the registry within 4 weeks of approval.", RULES, "contradicted"),
        ("The fund's return on capital is 21.3%, compared with 21.9% for the index.", RATIOS, "grounded"),
    ],
)
def test_plain_statements(claim: str, evidence: Evidence, status: Status) -> None:
    """True ones stand, false ones that use the source's words do not."""
    found = judge(claim, evidence)
    assert found.status == status, found.reason


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The rate was 18.6 per 10,000 for tenants and 13.3 for owners.", DEATHS),
        ("The rate for tenants was 18.6.", DEATHS),
        ("Employment will rise by 4.2 million between 2008 and 2018.", JOBS),
        ("Doses of ravenol higher than 80 mg are recommended.", RULES),
        ("The fund's return on capital is 21.9%, compared with 21.3% for the index.", RATIOS),
    ],
)
def test_numbers_of_another_row_or_span_have_no_ground(claim: str, evidence: Evidence) -> None:
    """The figure is printed, for somebody or some time else."""
    assert not judge(claim, evidence).grounded


def test_what_a_denial_denies() -> None:
    """The first content word behind 'not' and what is joined to it by 'or'; a phrase of place denies no deed."""
    assert set(denied("which does not sponsor, endorse or sell the trust")) == {"sponsor", "endors", "sell"}
    assert set(denied("does not try to outrun its index")) == {"outrun"}
    assert set(denied("memory, but not naive, cells respond")) == {"naiv"}
    assert not denied("cells respond, but not in mice")
    assert not denied("due not later than 30 days after notice")
    assert both_deny("It does not hold gold.", "It never holds gold.")


def test_a_denial_stands_against_the_claim_in_either_direction() -> None:
    """'not crushed' against 'crushed', and the other way round; where both say the same nothing does."""
    crushed, uncrushed = (
        [Aligned(s, 1.0, 0.0, 0.0) for s in read_prose(text, None).statements]
        for text in ("The tablet may be crushed by patients.", "The tablet must not be crushed by patients.")
    )
    assert find_denial("The tablet must not be crushed by patients.", crushed)
    assert find_denial("The tablet may be crushed by patients.", uncrushed)
    assert find_denial("The tablet may be crushed by patients.", crushed) is None
    assert find_denial("The tablet must not be crushed by patients.", uncrushed) is None


def test_how_often_in_each_unit() -> None:
    """'Twice daily' is another frequency than 'daily'."""
    assert said_often("taken twice a day") == said_often("two times daily") == {("day", 2)}
    assert said_often("once a day") == said_often("a single daily dose") == {("day", 1)}


def test_a_sentence_ends_before_a_footnote_mark() -> None:
    """'… 2028.³ The annual rate' are two sentences."""
    assert len(read_prose(JOBS.text, None).statements) == 2


def test_a_sentence_on_another_name() -> None:
    """'TVE yielded the mildest extract' says nothing of ORL; what names neither may speak of both."""
    evidence = Evidence(
        text="Oils are cheap. All were pressed. None was mixed. ORL stank. It was thin. TVE gave an oil. It was clear."
    )
    examined = Examined("ORL gave an oil.", evidence, shipped())
    *_, told, clear = examined.prose.statements
    assert names_another(told, examined)
    assert not names_another(clear, examined)
    assert not names_another(told, Examined("TVE gave an oil.", evidence, shipped()))
