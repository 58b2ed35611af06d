"""A claim laid beside the sentence with most of its words: where nearly all are there, the differences decide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from grounded.quantities import Quantity
from grounded.quantities.compare import units_agree
from grounded.types import Check, Status
from grounded.verification import edits
from grounded.verification.cells import Value
from grounded.verification.edits import Compared, Edit
from grounded.verification.examine import Examined
from grounded.verification.fit import period_fit
from grounded.verification.frequency import often_words, said_often
from grounded.verification.grounds import in_other_years, of_other_clause, of_sibling
from grounded.verification.judgement import GUESSED, SURE, Judgement, on_statement, ruled, short
from grounded.verification.numbers import Finding, Seen
from grounded.verification.numeric import by_numbers
from grounded.verification.prose import Statement, clause_of, period_of
from grounded.verification.words import content, stem, stems

_NEARLY = 0.8  # share of a claim's words that must stand in one sentence for the differences to decide
_MOSTLY, _REORDERED = 0.6, 0.35
SEVERAL = 4  # content words from which an answer may be a changed copy of a sentence's part
_SOFTENED, _ROUND = 30, Decimal("1.1")  # letters from 'more than' to its number; by which factor that may differ
_PLAINLY_READ = 0.8  # chance of support from which a reading outdoes words that differ
_VALUES = frozenset({"number", "unit", "period"})  # kinds of edits that the check of numbers decides better
_YEAR = re.compile(r"(?:19|20)\d\d")


class Near(NamedTuple):
    """A sentence of the evidence, or the neighbouring pieces of one, with the claim laid beside it."""

    statements: tuple[Statement, ...]
    words: Compared

    @property
    def quantities(self) -> list[tuple[Statement, Quantity]]:
        """Its numbers, each with the piece it stands in."""
        return [(s, q) for s in self.statements for q in s.quantities]


def find_nearest(claim: str, closest: Sequence[Statement], examined: Examined) -> Near | None:
    """The sentence with most of the claim's words in order, among those that share most words. Where lines broke a
    sentence into pieces, they are also laid beside the claim together."""
    rarity = examined.models.scorer.rarity
    own = frozenset(stems(claim))
    together = (_trimmed(examined.prose.pieces(s), own) or (s,) for s in closest)
    runs = {(run[0].index, len(run)): run for run in (*((s,) for s in closest), *together)}
    compared = [Near(run, edits.compare(claim, " ".join(s.text for s in run), rarity)) for run in runs.values()]
    return max(compared, key=lambda n: (round(n.words.share, 2), -len(n.words.edits)), default=None)


def _trimmed(run: tuple[Statement, ...], own: frozenset[str]) -> tuple[Statement, ...]:
    """The pieces from the first to the last that has a word of the claim."""
    having = [n for n, statement in enumerate(run) if statement.stem_set & own]
    return run[having[0] : having[-1] + 1] if having else ()


def by_repetition(near: Near, examined: Examined) -> Judgement | None:
    """By the differences, where a claim nearly repeats a sentence: none, or one change."""
    found = _differences(near, examined)
    if near.words.share < _NEARLY or not edits.is_one_change(found):
        return None
    judged = _by_words(near, found)
    return judged if not found else _by_row(examined) or _reworded(near, judged, examined)


def by_changed_answer(examined: Examined) -> Judgement | None:
    """An answer in several words that nearly repeats a part of a sentence, with one change."""
    answer = examined.reading.stated
    if len(content(answer)) < SEVERAL:
        return None
    near = find_nearest(answer, examined.closest_to_answer, examined)
    if near is None or near.words.share < _NEARLY:
        return None
    found = _differences(near, examined)
    return _by_words(near, found) if found and edits.is_one_change(found) else None


def _differences(near: Near, examined: Examined) -> list[Edit]:
    found = [edit for edit in near.words.edits if not _settled(edit, near, examined)]
    beside = (differ(f, near) for f in examined.findings for differ in (_other_period, _other_row, _other_measure))
    return found + [edit for edit in beside if edit]


def _by_words(near: Near, found: Sequence[Edit]) -> Judgement:
    if not found:
        check = Check(name="words", passed=True, detail=f"stands in: “{short(near.words.text)}”")
        return Judgement(ruled("grounded", SURE, "the source says it in the same words", [check]), near.statements)
    checks = [Check(name=edit.kind, passed=False, detail=edit.detail) for edit in found]
    opposed = all(edit.stated for edit in found[:1]) or found[0].kind == "negation"
    status: Status = "contradicted" if opposed and found[0].kind != "content" else "unverified"
    sure = GUESSED if found[0].kind == "content" else 0.95
    return Judgement(ruled(status, sure, found[0].detail, checks), near.statements)


def _reworded(near: Near, judged: Judgement, examined: Examined) -> Judgement:
    """The judgement, or a better one when only words without a class differ and the encoder plainly reads the same."""
    if any(check.name != "content" for check in judged.verdict.checks) or (read := examined.read) is None:
        return judged
    if read["supported"] < _PLAINLY_READ:
        return judged
    return on_statement("grounded", read["supported"], "follows, in other words, from", near.statements[0])


def _other_period(finding: Finding, near: Near) -> Edit | None:
    """A difference when the sentence prints the number for another period than the claim, and for the claim's not."""
    target = finding.target
    given = [period_of(s, q) for s, q in near.quantities if q.number == target.quantity.number]
    others = any(in_other_years(target.bare, s.text) for s, q in near.quantities if q.number == target.quantity.number)
    if not given or not (others or all(period_fit(target.periods, periods) == 0 for periods in given)):
        return None
    return Edit("period", ", ".join(p.text for p in target.periods), ", ".join(p.text for p in given[0]))


def _other_row(finding: Finding, near: Near) -> Edit | None:
    """A difference when the number belongs to another row, or another clause of the sentence, than the claim says."""
    text = finding.text
    if text is None or text.statement is None or text.statement not in near.statements:
        return None
    if not (of_sibling(finding) or of_other_clause(finding, text)):
        return None
    of = finding.cell.name if finding.cell else clause_of(text.statement, text.quantity)
    return Edit("row", finding.target.phrase.strip(), f"{text.quantity.text.strip()} for {short(of)}")


def _other_measure(finding: Finding, near: Near) -> Edit | None:
    """A difference when the sentence prints the number in another unit or currency only, or without the claim's minus
    sign."""
    claimed = finding.target.quantity
    given = [q for _, q in near.quantities if abs(q.number) == abs(claimed.number)]
    if not given or any(units_agree(claimed, q) and not claimed.number < 0 < q.number for q in given):
        return None
    kind = "unit" if not any(units_agree(claimed, q) for q in given) else "sign"
    return Edit(kind, claimed.text.strip(), given[0].text.strip())


def by_rearrangement(near: Near, examined: Examined) -> Judgement | None:
    """A sentence that has the claim's words but not in its order, or all but a name that the evidence nowhere has."""
    found = _differences(near, examined)
    strangers = [w for w in near.words.loose if w[0].isupper() and w.casefold() not in examined.everything]
    if strangers and near.words.share >= _MOSTLY:
        return _by_words(near, found)
    if near.words.share >= _MOSTLY and found and _is_single(found, near, examined):
        return _reworded(near, _by_words(near, found), examined)
    turned = any(edit.kind in ("order", "negation") for edit in near.words.edits) and edits.is_one_change(found)
    return _by_words(near, found) if turned and not near.words.loose and near.words.share >= _REORDERED else None


def _is_single(found: Sequence[Edit], near: Near, examined: Examined) -> bool:
    """Whether all differences stand in one place, where the claim says something more that the source nowhere has, or
    a word of a class, or a name, for another one; and the claim has no other word that the sentence lacks."""
    if len({edit.place for edit in found}) > 1 or any(edit.kind in _VALUES for edit in found):
        return False
    if not any(edit.stated for edit in found):
        return any(e.kind == "condition" or _is_strange(e, examined) for e in found)
    told = {edit.claimed for edit in found}
    return all(e.claimed and e.kind != "content" for e in found) and told >= set(near.words.loose)


def _is_strange(edit: Edit, examined: Examined) -> bool:
    return edit.kind in ("content", "entity") and stem(edit.claimed) not in examined.stems


def _settled(edit: Edit, near: Near, examined: Examined) -> bool:
    """A number written in another way is no difference; nor is a word of the claim that is in force around the text."""
    if edit.kind == "quantifier" and any(_softens(edit, finding, near) for finding in examined.findings):
        return True
    if edit.kind == "number":
        return any(_same_number(finding, edit, near) for finding in examined.findings)
    if edit.kind == "order" and _YEAR.fullmatch(edit.claimed):
        return True  # 'in 2019' may stand anywhere; whether it is the number's year is checked by itself
    if edit.claimed.casefold() in often_words(examined.claim):
        return any(said_often(examined.claim) & said_often(s.text) for s in near.statements)
    if edit.kind in ("content", "entity", "role") and not edit.stated:
        return edit.claimed.casefold() in _neighbours(near, examined)
    return False


def _softens(edit: Edit, finding: Finding, near: Near) -> bool:
    """Whether a word is only the claim's 'about' or 'more than' before a number that the sentence bears out."""
    quantity, text = finding.target.quantity, finding.text
    if text is None or text.statement not in near.statements or not quantity.approx:
        return False
    return 0 <= quantity.span[0] - edit.at <= _SOFTENED and (text.match.how != "bound" or _is_close(quantity, text))


def _is_close(claimed: Quantity, found: Seen) -> bool:
    """Whether an amount is near enough for 'more than' to round it, and no limit of its own ('at most 50 days')."""
    amount = claimed.kind in ("money", "percent") or bool(claimed.scaled_by) or claimed.approx == "about"
    near, far = sorted(abs(q.number.scaleb(q.exponent)) for q in (claimed, found.quantity))
    return amount and far <= near * _ROUND


def _same_number(finding: Finding, edit: Edit, near: Near) -> bool:
    """Whether the sentence gives the number in another way of writing."""
    start, end = finding.target.quantity.span
    text = finding.text
    if text is None or text.statement not in near.statements or not start <= edit.at < end:
        return False
    if text.match.how in ("equal", "rounded", "omitted"):
        return True
    return text.match.how == "bound" and _is_close(finding.target.quantity, text)


def _neighbours(near: Near, examined: Examined) -> str:
    """The sentences before and after, and the headings in force: a claim may carry words from there."""
    around = examined.prose.statements[max(0, near.statements[0].index - 1) : near.statements[-1].index + 2]
    return " ".join([*(s.text for s in around), examined.evidence.around]).casefold()


def _by_row(examined: Examined) -> Judgement | None:
    """A claim that a sentence nearly repeats, but that stands in a table row in all its words."""
    named = [_words_of(f.cell.value) for f in examined.findings if f.cell is not None and f.cell.value is not None]
    if not named or len(named) < len(examined.findings):
        return None
    own = content(examined.claim)
    if len(own - frozenset().union(*named)) > 0.15 * len(own):
        return None
    judged = by_numbers(examined)
    return judged if judged.verdict.grounded else None


def _words_of(value: Value) -> frozenset[str]:
    return value.label_words | value.section_words | value.column_words
