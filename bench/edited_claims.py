"""The true claims of the public sets themselves, and the same with one edit that makes them wrong.

Claims: answered questions on reports (TAT-QA) and encyclopedia articles (XQuAD), fields of accident reports (NTSB),
statements about agreements (ContractNLI), clauses of contracts (CUAD), sentences of abstracts that
settle a claim (SciFact). Edits: those of `bench.mutations` and more ways of denying, limiting, exchanging and adding. A
question keeps its form, so fewer kinds apply to it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from bench import claims as sets
from bench.claims import Case
from bench.mutations import KINDS, NAME, Edit, Statement, case, pairs, replacing
from grounded.text import collapse

Random = random.Random
EDITS_A_CLAIM = 4
LONGEST, SHORTEST = 60, 8  # words of a clause
A_SET = 160  # claims of a set, of as many documents as it has
_AUXILIARY = r"\b(is|are|was|were|has|have|does|could|should|would)\b(?! not\b| no\b)"
_PREFIXES = pairs(
    "able=unable likely=unlikely audited=unaudited direct=indirect significant=insignificant limited=unlimited"
    " material=immaterial available=unavailable complete=incomplete exclusive=non-exclusive known=unknown"
    " recognized=unrecognized secured=unsecured realized=unrealized authorized=unauthorized sufficient=insufficient"
    " certain=uncertain effective=ineffective affected=unaffected related=unrelated with=without"
)
_OPPOSED = pairs(
    "includes=excludes include=exclude included=excluded accept=reject approved=rejected permits=prohibits"
    " allow=prevent granted=denied grants=denies confirmed=denied contains=lacks retain=surrender disclose=conceal"
    " comply=fail_to_comply supported=opposed appointed=dismissed enables=prevents caused=prevented"
    " leads_to=prevents led_to=prevented requires=forbids adopted=abandoned terminate=extend"
)
_ATTRIBUTES = pairs(
    "gross=net basic=diluted assets=liabilities current=noncurrent short-term=long-term interest=dividend"
    " operating=financing receivable=payable domestic=foreign federal=state mean=median fixed=variable"
    " tangible=intangible common=preferred debt=equity depreciation=amortization written=oral quarterly=annual"
)
_DEGREES = pairs(
    "slightly=sharply significantly=marginally significant=negligible partially=fully mainly=hardly greatly=barely"
    " rapidly=slowly exactly=approximately permanently=temporarily severe=mild chronic=acute often=rarely"
)
_ADDED = (
    ", unless the parties agree otherwise", ", but only if the board approves it in writing", " except in emergencies",
    ", provided that a fee is paid", ", which was later reversed", ", according to the Ministry of Fisheries",
)  # fmt: skip


def _substituting(pattern: str, new: str) -> Edit:
    compiled = re.compile(pattern)
    return lambda s, _: compiled.sub(new, s.text, count=1) if compiled.search(s.text) else None


def _more(statement: Statement, rng: Random) -> str | None:
    """A clause more at the end."""
    return f"{statement.text[:-1]}{rng.choice(_ADDED)}." if statement.text.endswith(".") else None


def _year_far(statement: Statement, rng: Random) -> str | None:
    """A year some years off."""
    match = re.search(r"\b(?:1[4-9]|20)\d\d\b", statement.text)
    if not match:
        return None
    year = int(match.group()) + rng.choice((-100, -12, -9, 11, 14))
    return statement.text[: match.start()] + str(year) + statement.text[match.end() :]


def _in_parentheses(statement: Statement, rng: Random) -> str | None:
    """A positive answer in parentheses, as reports write negative ones."""
    head, dash, value = statement.text.rpartition("— ")
    return f"{head}{dash}({value})" if dash and re.fullmatch(r"\d[\d,.]*%?", value) and value != "0" else None


MORE: dict[str, Edit] = {
    "never": _substituting(r"\b(is|are|was|were|shall|may|will|can|has|have)\b(?! not\b| no\b)", r"\1 never"),
    "no longer": _substituting(r"\b(is|are|was|were|may|shall|will|can)\b(?! not\b| no\b)", r"\1 no longer"),
    "contracted not": _substituting(_AUXILIARY, r"\1n't"),
    "fails to": _substituting(r"\b(shall|will|may|must|can)\b (?!not\b|be\b|no\b|have\b|only\b)", r"\1 fail to "),
    "prefix": replacing(_PREFIXES), "opposite verb": replacing(_OPPOSED), "attribute": replacing(_ATTRIBUTES),
    "degree": replacing(_DEGREES), "addition": _more, "year far": _year_far, "parentheses": _in_parentheses,
}  # fmt: skip
# 'What was the change …? — 5' has no order of words, no modality and no condition of its own
ASKED = (
    "digit", "digit swap", "decimal shift", "scale", "unit", "year", "entity", "never", "no longer", "contracted not",
    "attribute", "year far", "parentheses",
)  # fmt: skip


# ---------------------------------------------------------------- true claims


def _checked(name: str) -> Iterator[Statement]:
    """The supported claims of a set."""
    for given in sets.SETS[name]():
        if given.label == "supported":
            evidence = {key: value for key, value in given.item.items() if key != "claim"}
            yield Statement(given.item["claim"], evidence, given.group, name)


def _answered() -> Iterator[Statement]:
    """Questions on paragraphs with their answers."""
    for row in sets.rows("xquad_en/xquad_en.jsonl"):
        article = row["context_id"].rsplit("_", 1)[0]
        yield Statement(f"{row['question']} — {row['answers'][0]['text']}", {"text": row["context"]}, article, "xquad")


def _settling() -> Iterator[Statement]:
    """Sentences of abstracts that settle a claim."""
    for given in sets.scifact():
        for sentence in given.extra["sentences"][:1]:
            yield Statement(collapse(sentence), {"text": given.item["text"]}, given.group, "scifact")


def _clauses() -> Iterator[Statement]:
    """Clauses of contracts, on all clauses that were marked in the contract."""
    rows = sets.rows("cuad/gold_spans.jsonl")
    for row in rows:
        clause = collapse(row["quote"])
        if SHORTEST <= len(clause.split()) <= LONGEST and clause[0].isupper() and "<omitted>" not in clause:
            marked = dict.fromkeys(other["quote"] for other in rows if other["doc_id"] == row["doc_id"])
            yield Statement(clause, {"text": "\n".join(marked)}, row["doc_id"], "cuad")


def _true() -> Iterator[Statement]:
    rng = Random(11)
    given = [_checked("tatqa"), _answered(), _checked("ntsb"), _checked("contractnli"), _settling(), _clauses()]
    for statements in given:
        found = list(statements)
        yield from rng.sample(found, min(A_SET, len(found)))


def edited_claims() -> Iterator[Case]:
    """Each true claim as a case, and some edits of it; kind: the edit, or 'true' with the set's name."""
    rng = Random(5)
    found = list(_true())
    names = sorted({m.group() for s in found for m in NAME.finditer(s.text)})
    for i, plain in enumerate(found):
        statement = plain._replace(strangers=tuple(rng.sample(names, 20)))
        yield case("edited", statement, statement.text, f"{i}", "supported", f"true {statement.source}")
        kinds = [k for k in KINDS | MORE if "? —" not in statement.text or k in ASKED]
        rng.shuffle(kinds)
        edited = ((kind, (KINDS | MORE)[kind](statement, rng)) for kind in kinds)
        made = [(kind, text) for kind, text in edited if text is not None and text != statement.text]
        for kind, text in made[:EDITS_A_CLAIM]:
            yield case("edited", statement, text, f"{i}:{kind}", "not supported", kind)
