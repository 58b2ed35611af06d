"""Claims from the document's own words: fixed templates, every word quoted from where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from grounded.generation.extractive.evidence import Fact, Sentence, Sheet
from grounded.generation.extractive.operations import Computed
from grounded.types import Calculation, CharSpan, Claim, Quote

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|fifty|hundred)\b", re.I
)


class Proposal(NamedTuple):
    """Claims, or the reason for none. Their ids are given by the reader."""

    claims: Sequence[Claim] = ()
    reason: str = ""


def from_fact(fact: Fact, score: float, *, named: bool = False, leaf: bool = False) -> Claim:
    """ "Expense ratio (Quick facts): 0.03%"; named: with the document's name in the brackets; leaf: what heads the row
    stands in the brackets, too."""
    section, section_quotes = _section(fact)
    unit = _unit_span(fact)
    quotes = quote_fact(fact) + quote_spans(fact.sheet, [unit] if unit else ()) + section_quotes
    inner = [part for part in (_column(fact), section, fact.sheet.name if named else "") if part]
    label = fact.row_text or fact.column_text
    if leaf and (path := label.split(" › "))[1:]:
        label, inner = path[-1], [*path[:-1], *inner]
    head = f"{label} ({', '.join(inner)})" if inner else label
    tail = f" ({fact.sheet.text([unit]).strip(' ()')})" if unit else ""
    return Claim(id="", text=f"{head}: {fact.value_text}{tail}", quotes=quotes, score=round(score, 4))


def from_sentence(sentence: Sentence, score: float) -> Claim:
    """The sentence itself."""
    quote = Quote(source_id=sentence.source.id, text=_at(sentence.sheet, sentence.span), span=sentence.span)
    return Claim(id="", text=sentence.text, quotes=(quote,), score=round(score, 4))


def from_answer(sentence: Sentence, word: str, score: float) -> Claim:
    """ "No: the sentence"; the sentence alone when the word is ""."""
    whole = from_sentence(sentence, score)
    return whole.model_copy(update={"text": f"{word}: {whole.text}"}) if word else whole


def from_place(sheet: Sheet, span: CharSpan, score: float) -> Claim:
    """What stands at a place of a page; nothing is quoted when no source holds it."""
    return Claim(id="", text=sheet.text((span,)), quotes=quote_spans(sheet, (span,)), score=round(score, 4))


def from_span(sentence: Sentence, span: CharSpan, score: float) -> Claim:
    """The span that answers, quoted first, then the sentence it stands in."""
    quotes = quote_spans(sentence.sheet, (span, sentence.span))
    return Claim(id="", text=sentence.sheet.text((span,)), quotes=quotes, score=round(score, 4))


def from_computed(computed: Computed, *, named: bool = False) -> Claim:
    """ "Total sales: $1,496.5 (2019) − $1,202.9 (2018) = $293.6 million": operands quoted first, then their labels;
    named: an extreme with its document's name."""
    operands = tuple(q for fact in computed.operands for q in _value_quotes(fact))
    labels = tuple(q for fact in computed.operands for q in quote_spans(fact.sheet, _around(fact)))
    calculation = Calculation(
        operation=computed.operation, formula=computed.formula, operands=computed.shown, result=computed.result
    )
    return Claim(
        id="",
        text=_computed_text(computed, computed.operands[0].sheet.name if named else ""),
        quotes=tuple(dict.fromkeys(operands + labels)),
        calculation=calculation if computed.operation else None,
        score=round(computed.score, 4),
    )


def _around(fact: Fact) -> list[CharSpan]:
    """Where a value's labels and unit are printed."""
    unit = _unit_span(fact)
    return [*fact.row, *fact.column, *([unit] if unit else [])]


def _computed_text(computed: Computed, document: str) -> str:
    if computed.context:
        context = ", ".join(part for part in (computed.context, document) if part)
        return f"{computed.label} ({context}): {computed.result}"
    return f"{computed.label}: {computed.formula}" if computed.label else computed.formula


def _value_quotes(fact: Fact) -> tuple[Quote, ...]:
    """The value as one quote."""
    return quote_spans(fact.sheet, [(fact.value[0][0], fact.value[-1][1])])


def quote_fact(fact: Fact) -> tuple[Quote, ...]:
    """Row label with value (one quote where they follow each other in the text), then the column header."""
    spans = [*fact.row, *fact.value]
    joined = (min(s for s, _ in spans), max(e for _, e in spans))
    apart = [*_merged(fact.sheet, fact.row), *_merged(fact.sheet, fact.value)]
    named = [joined] if _adjacent(fact, joined) else apart
    return quote_spans(fact.sheet, named) + quote_spans(fact.sheet, fact.column)


def quote_spans(sheet: Sheet, spans: Iterable[CharSpan]) -> tuple[Quote, ...]:
    """A quote for each span that a source holds."""
    cited = ((span, sheet.source_of(span)) for span in spans)
    return tuple(Quote(source_id=source.id, text=_at(sheet, span), span=span) for span, source in cited if source)


def _merged(sheet: Sheet, spans: Iterable[CharSpan]) -> list[CharSpan]:
    """The spans, those with nothing but blanks between them as one."""
    merged: list[CharSpan] = []
    for start, end in sorted(spans):
        if merged and not sheet.page.text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _adjacent(fact: Fact, joined: CharSpan) -> bool:
    """Whether nothing but the label, a colon and the value stands between their ends, so that one quote says both."""
    text = fact.sheet.page.text
    own = "".join(text[start:end] for start, end in sorted((*fact.row, *fact.value)))
    whole = text[joined[0] : joined[1]]
    same = "".join(whole.replace(":", "").split()) == "".join(own.replace(":", "").split())
    return same and fact.sheet.source_of(joined) is not None


def _column(fact: Fact) -> str:
    """The column header, when a source holds it to be quoted."""
    quotable = fact.row and fact.column and all(fact.sheet.source_of(span) for span in fact.column)
    return fact.column_text if quotable else ""


def _section(fact: Fact) -> tuple[str, tuple[Quote, ...]]:
    """The title of the value's section. One that holds a number is quoted too, or else left out."""
    source = fact.source
    if source is None or not fact.value:
        return "", ()
    title = (fact.sheet.section_at(fact.value[0][0]) or source.hit.chunk.section).rsplit(" › ", 1)[-1]
    if not _NUMBER.search(title):
        return title, ()
    at = _find(fact.sheet.page.text, title, source.hit.chunk.span)
    return (title, quote_spans(fact.sheet, [at])) if at else ("", ())


def _unit_span(fact: Fact) -> CharSpan | None:
    """Where the unit in force is printed, when it is not printed with the value: the last place above it that a source
    holds."""
    if not fact.unit or not fact.value or fact.unit in fact.value_text or fact.unit == "%":
        return None
    top = min(s.hit.chunk.span[0] for s in fact.sheet.sources)
    at = _find(fact.sheet.page.text, fact.unit, (top, fact.value[0][0]))
    at = _with_brackets(fact.sheet.page.text, at) if at else None
    return at if at and fact.sheet.source_of(at) else None


def _with_brackets(text: str, span: CharSpan) -> CharSpan:
    """A unit that begins with a digit, "(1,000)": without its brackets it could be another number."""
    start, end = span
    return (start - 1, end + 1) if text[start - 1 : start] == "(" and text[end : end + 1] == ")" else span


def _find(text: str, wanted: str, within: CharSpan) -> CharSpan | None:
    """The last place of `wanted` in `text[within]`, whatever whitespace lies between its words."""
    pattern = r"\s+".join(re.escape(word) for word in wanted.split())
    found = list(re.finditer(pattern, text[slice(*within)])) if pattern else []
    return (within[0] + found[-1].start(), within[0] + found[-1].end()) if found else None


def _at(sheet: Sheet, span: CharSpan) -> str:
    return sheet.page.text[span[0] : span[1]]
