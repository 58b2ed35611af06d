"""True statements made from the public sets, and the same statements with one edit that makes them wrong.

Statements: cells of tables in words, sentences of reports, contracts and abstracts (whole, or their first clause).
Edits: one of the kinds in KINDS, each a function from a statement to an edited one, or None where it does not apply.
The evidence is the table or text the statement was made from.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from bench import claims as sets
from bench.claims import Case
from grounded.text import collapse, sentence_spans

Random = random.Random
EDITS_A_STATEMENT = 4


class Statement(NamedTuple):
    """A true statement with its evidence; others: values of the same table, names and texts of other documents."""

    text: str
    evidence: dict[str, Any]
    group: str
    source: str
    same_row: tuple[str, ...] = ()
    same_column: tuple[str, ...] = ()
    value: str = ""
    strangers: tuple[str, ...] = ()


Edit = Callable[[Statement, Random], str | None]

# ---------------------------------------------------------------- edits


def pairs(text: str) -> dict[str, str]:
    """'a=b c=d' -> both directions."""
    table: dict[str, str] = {}
    for pair in text.split():
        left, _, right = pair.partition("=")
        table |= {left.replace("_", " "): right.replace("_", " "), right.replace("_", " "): left.replace("_", " ")}
    return table


DIRECTIONS = pairs(
    "increased=decreased increase=decrease rose=fell higher=lower growth=decline increases=decreases grew=shrank"
    " gained=lost greater=smaller improved=worsened upregulated=downregulated enhanced=impaired increasing=decreasing"
)
QUANTIFIERS = pairs("all=some at_least=at_most every=no any=no both=neither most=few always=never")
MODALITIES = pairs("shall=may must=may will=may shall_not=may may_not=shall")
ROLES = pairs(
    "Disclosing=Receiving lender=borrower buyer=seller licensor=licensee lessor=lessee employer=employee gross=net"
    " assets=liabilities basic=diluted revenue=cost current=non-current receivable=payable domestic=foreign"
)
CONDITIONS = pairs("unless=if before=after until=after except=including and=or prior_to=after")
COMPARATORS = pairs("more_than=less_than over=under above=below exceeds=is_below greater_than=less_than")
SCALES = pairs("million=billion thousand=million millions=billions thousands=millions")
UNITS = pairs(
    "%=basis_points percent=percentage_points $=€ years=months days=weeks miles=kilometres feet=metres lbs=kg"
    " hours=days"
)
NUMBER_WORDS = pairs("two=three four=five six=seven three=four")
MULTIPLES = pairs("doubled=tripled halved=doubled twice=three_times")
EXTREMES = pairs("highest=lowest largest=smallest first=last most=least maximum=minimum best=worst")
_MONTH_NAMES = "January February March April June July August September October November December"
MONTHS = _MONTH_NAMES.split()
_NUMBER = re.compile(r"(?<![\w.,])[$€£(]*\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}(?: [A-Z][a-z]{2,})*\b")
_FIRST_VERB = re.compile(
    r"\b(is|are|was|were|will|shall|may|must|can|could|should|has|have|had)\b(?! not\b| no\b| never\b)"
)
_EXCEPTION = re.compile(r",? (?:unless|except|provided that|other than)\b[^.;,]*(?=\.$)")


def replacing(table: dict[str, str]) -> Edit:
    """One of the table's words becomes its partner."""
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(w)}(?![\w-])" for w in sorted(table, key=len, reverse=True)))

    def edit(statement: Statement, rng: Random) -> str | None:
        found = list(pattern.finditer(statement.text))
        if not found:
            return None
        match = rng.choice(found)
        return statement.text[: match.start()] + table[match.group()] + statement.text[match.end() :]

    return edit


def _numbers(text: str) -> list[re.Match[str]]:
    return [m for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m.group())]


def digit(statement: Statement, rng: Random) -> str | None:
    """One digit of a number becomes another."""
    found = _numbers(statement.text)
    if not found:
        return None
    match = rng.choice(found)
    places = [i for i in range(match.start(), match.end()) if statement.text[i].isdigit()]
    i = rng.choice(places)
    new = rng.choice([d for d in "123456789" if d != statement.text[i]])
    return statement.text[:i] + new + statement.text[i + 1 :]


def digit_swap(statement: Statement, rng: Random) -> str | None:
    """Two neighbouring digits change places."""
    text = statement.text
    inside = [i for m in _numbers(text) for i in range(m.start(), m.end() - 1)]
    pairs = [i for i in inside if re.fullmatch(r"\d[1-9]", text[i : i + 2]) and text[i] != text[i + 1]]
    if not pairs:
        return None
    i = rng.choice(pairs)
    return text[:i] + text[i + 1] + text[i] + text[i + 2 :]


def decimal_shift(statement: Statement, rng: Random) -> str | None:
    """The decimal point moves by one place."""
    found = [m for m in _numbers(statement.text) if "." in m.group()]
    if not found:
        return None
    match = rng.choice(found)
    whole, _, part = match.group().partition(".")
    shifted = f"{whole}{part[0]}.{part[1:] or '0'}"
    return statement.text[: match.start()] + shifted + statement.text[match.end() :]


def sign(statement: Statement, rng: Random) -> str | None:
    """A positive value becomes negative."""
    if not statement.value or statement.value not in statement.text or statement.value.startswith("("):
        return None
    return statement.text.replace(statement.value, f"-{statement.value}", 1)


def year(statement: Statement, rng: Random) -> str | None:
    """Another year."""
    found = list(_YEAR.finditer(statement.text))
    if not found:
        return None
    match = rng.choice(found)
    return (
        statement.text[: match.start()] + str(int(match.group()) + rng.choice([-1, 1])) + statement.text[match.end() :]
    )


def month(statement: Statement, rng: Random) -> str | None:
    """Another month."""
    found = [m for m in MONTHS if re.search(rf"\b{m}\b", statement.text)]
    if not found:
        return None
    old = rng.choice(found)
    return re.sub(rf"\b{old}\b", rng.choice([m for m in MONTHS if m != old]), statement.text, count=1)


def entity(statement: Statement, rng: Random) -> str | None:
    """A name becomes a name of another document."""
    found = list(NAME.finditer(statement.text))
    names = [n for n in statement.strangers if n not in statement.text and n not in str(statement.evidence)]
    if not found or not names:
        return None
    match = rng.choice(found)
    return statement.text[: match.start()] + rng.choice(names) + statement.text[match.end() :]


def names_exchanged(statement: Statement, rng: Random) -> str | None:
    """Two names change places."""
    found = [m.group() for m in NAME.finditer(statement.text)]
    if len(set(found)) < 2:
        return None
    first, second = found[0], next(n for n in found if n != found[0])
    if first in second or second in first:
        return None
    return statement.text.replace(first, "\0").replace(second, first).replace("\0", second)


def negation_added(statement: Statement, rng: Random) -> str | None:
    """'not' after the first auxiliary."""
    match = _FIRST_VERB.search(statement.text)
    return f"{statement.text[: match.end()]} not{statement.text[match.end() :]}" if match else None


def negation_lost(statement: Statement, rng: Random) -> str | None:
    """'not' or 'no' left out."""
    match = re.search(r"\b(?:not|no|never) ", statement.text)
    return statement.text[: match.start()] + statement.text[match.end() :] if match else None


def exception_lost(statement: Statement, rng: Random) -> str | None:
    """The clause that makes an exception left out."""
    match = _EXCEPTION.search(statement.text)
    if not match or match.start() < 30:
        return None
    return (statement.text[: match.start()] + statement.text[match.end() :]).rstrip(" .") + "."


def column_swap(statement: Statement, rng: Random) -> str | None:
    """The value of another column of the same row."""
    return _other_value(statement, statement.same_row, rng)


def row_swap(statement: Statement, rng: Random) -> str | None:
    """The value of another row of the same column."""
    return _other_value(statement, statement.same_column, rng)


def _other_value(statement: Statement, values: tuple[str, ...], rng: Random) -> str | None:
    others = [v for v in values if v != statement.value and v not in statement.text]
    return statement.text.replace(statement.value, rng.choice(others), 1) if others and statement.value else None


KINDS: dict[str, Edit] = {
    "digit": digit, "digit swap": digit_swap, "decimal shift": decimal_shift, "sign": sign, "scale": replacing(SCALES),
    "unit": replacing(UNITS), "year": year, "month": month, "entity": entity, "names exchanged": names_exchanged,
    "negation added": negation_added, "negation lost": negation_lost, "direction": replacing(DIRECTIONS),
    "quantifier": replacing(QUANTIFIERS), "modality": replacing(MODALITIES), "role": replacing(ROLES),
    "condition": replacing(CONDITIONS), "exception lost": exception_lost, "comparator": replacing(COMPARATORS),
    "number word": replacing(NUMBER_WORDS), "multiple": replacing(MULTIPLES), "extreme": replacing(EXTREMES),
    "column swap": column_swap, "row swap": row_swap,
}  # fmt: skip


# ---------------------------------------------------------------- statements


def _sentences(text: str, rng: Random, count: int) -> list[str]:
    """Some whole sentences of a text, and of one in three its first clause."""
    whole = [collapse(line[a:b]) for line in text.split("\n") for a, b in sentence_spans(line)]
    fit = [
        s
        for s in whole
        if 8 <= len(s.split()) <= 45 and s[0].isupper() and s.endswith(".") and "?" not in s and not _HEADED.search(s)
    ]
    chosen = rng.sample(fit, min(count, len(fit)))
    return [_first_clause(s) if i % 3 == 2 else s for i, s in enumerate(chosen)]


def _first_clause(sentence: str) -> str:
    """The sentence up to a comma, when that is a statement of its own and no exception follows."""
    head, comma, rest = sentence.partition(", ")
    own = comma and len(head.split()) >= 8 and _FIRST_VERB.search(head)
    return f"{head}." if own and not re.match(r"(?:unless|except|provided|if|but|or|subject)\b", rest) else sentence


# a heading or a list number that the sentence splitter left at either end
_HEADED = re.compile(r"[,;:.] \d+\.$|^[A-Z ,]{6,}|: ?\(|_{3}|…{2}")


def _of_tables(rng: Random) -> Iterator[Statement]:
    for context in sets.rows("tatqa/dev_contexts.jsonl"):
        text = "\n".join(p["text"] for p in context["paragraphs"])
        evidence = {"table": context["table"], "text": text}
        yield from _of_cells(context, evidence, rng)
        for sentence in _sentences(text, rng, 2):
            yield Statement(sentence, {"text": text}, context["context_id"], "report")


def _of_cells(context: dict[str, Any], evidence: dict[str, Any], rng: Random) -> Iterator[Statement]:
    """'Total sales was $1,496.5 in 2019.' for cells under a header row of years."""
    rows = context["table"]
    header = next((r for r in rows[:3] if sum(bool(_YEAR.fullmatch(c.strip())) for c in r) >= 2), None)
    if header is None:
        return
    years = [c for c, cell in enumerate(header) if _YEAR.fullmatch(cell.strip())]
    labels = [row[0] for row in rows]
    named = [row for row in rows[rows.index(header) + 1 :] if len(row[0]) > 6 and labels.count(row[0]) == 1]
    usable = [row for row in named if all(re.search(r"\d", row[c]) and ":" not in row[c] for c in years)]
    for row in rng.sample(usable, min(2, len(usable))):
        c = rng.choice(years)
        value = _bare(row[c])
        statement = f"{row[0].strip(' :')} was {value} in {header[c].strip()}."
        same_row = tuple(_bare(row[k]) for k in years)
        same_column = tuple(_bare(r[c]) for r in usable)
        yield Statement(statement, evidence, context["context_id"], "table", same_row, same_column, value)


def _bare(cell: str) -> str:
    """A cell without its currency: a bare '$5' would say dollars where the table has millions."""
    return " ".join(cell.split()).lstrip("$€£ ")


def _of_texts(rng: Random) -> Iterator[Statement]:
    for document in sets.rows("contractnli/dev_docs.jsonl"):
        for sentence in _sentences(document["text"], rng, 12):
            yield Statement(sentence, {"text": document["text"]}, str(document["doc_id"]), "contract")
    abstracts = sets.rows("scifact/corpus.jsonl")
    for abstract in rng.sample(abstracts, 250):
        text = " ".join(s.strip() for s in abstract["abstract"])
        for sentence in _sentences(text, rng, 2):
            yield Statement(sentence, {"text": text}, abstract["doc_id"], "abstract")


def statements() -> list[Statement]:
    """All true statements, the same ones in every run."""
    rng = Random(20240607)
    found = [*_of_tables(rng), *_of_texts(rng)]
    names = sorted({m.group() for s in found for m in NAME.finditer(s.text)})
    return [s._replace(strangers=tuple(rng.sample(names, 20))) for s in found]


def mutations() -> Iterator[Case]:
    """Each true statement as a case, and some edits of it. A scale is added where the table gives one."""
    rng = Random(7)
    for i, statement in enumerate(statements()):
        yield case("mutations", statement, statement.text, f"{i}", "supported", f"true {statement.source}")
        kinds = list(KINDS)
        rng.shuffle(kinds)
        edited = ((kind, KINDS[kind](statement, rng)) for kind in kinds)
        made = [(kind, text) for kind, text in edited if text is not None and text != statement.text]
        for kind, text in made[:EDITS_A_STATEMENT]:
            yield case("mutations", statement, text, f"{i}:{kind}", "not supported", kind)


def case(name_of_set: str, statement: Statement, text: str, name: str, label: Any, kind: str) -> Case:
    """A statement, as it is or edited, as a claim on its own evidence."""
    return Case(name_of_set, name, statement.group, {"claim": text, **statement.evidence}, label, kind)
