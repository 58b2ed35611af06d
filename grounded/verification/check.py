"""Claims written by anyone, against evidence given inline or against documents: what `check` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from grounded.errors import GroundedError, UsageError
from grounded.types import Check, Citation, Conflict, Frozen, LocateMatch, Page, PageSource, Status, Verdict
from grounded.verification.citing import refusal
from grounded.verification.disputes import Held, against, hold, short, where
from grounded.verification.evidence import Evidence, Grid
from grounded.verification.follows import PairReader
from grounded.verification.frequency import said_often
from grounded.verification.judge import judge
from grounded.verification.locate import locate
from grounded.verification.pages import text_around
from grounded.verification.passages import continued, layout, prose
from grounded.verification.quoted import judge_quoted

_READ_WITH = 1500  # characters on each side of a quote that it is read with
_AROUND = 400  # characters on each side of a quote that are in force around it

_PLACES = 4  # where one quote stands that a claim is held against
_MUCH_NEARER = 0.8  # of 2.4: by how much a place must fit a claim better to outweigh one that bears it out
_EVEN = 0.5  # confidence where sources disagree

STRONGEST: tuple[Status, ...] = ("grounded", "contradicted", "partial", "unverified")
"""Which of several verdicts on a claim says most."""

OpenDocument = Callable[[str], tuple[str, PageSource]]
"""A path, library id or name -> the document's id and its pages. Raises a GroundedError when there is none."""


class CheckItem(Frozen):
    """One claim to check: against documents (with or without a quote), or against inline text and table."""

    claim: str = Field(min_length=1)
    quote: str | None = None
    page: int | None = Field(default=None, ge=1)
    document: str | tuple[str, ...] | None = Field(default=None, description="one, or several that may all speak to it")
    text: str | None = None
    table: tuple[tuple[str, ...], ...] | None = None
    caption: str | None = None

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents named."""
        named = (self.document,) if isinstance(self.document, str) else self.document or ()
        return tuple(name for name in named if name.strip())


class CheckResult(Frozen):
    """The verdict on one claim, with the places it rests on. conflicts: places that give the same subject another value
    than the place that bears the claim out."""

    claim: str
    verdict: Verdict
    citations: tuple[Citation, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def read_item(raw: Mapping[str, Any], where: str) -> CheckItem:
    """An item from JSON; cells may be numbers or null. Raises UsageError that names the field."""
    table = raw.get("table")
    if isinstance(table, list) and all(isinstance(row, list) for row in table):
        raw = {**raw, "table": [["" if cell is None else str(cell) for cell in row] for row in table]}
    try:
        item = CheckItem.model_validate({k: v for k, v in raw.items() if k in CheckItem.model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{first['loc'][0]}: {first['msg'].lower()}", where=where) from error
    if not item.claim.strip():
        raise UsageError("claim: it is empty", where=where)
    if not item.documents and item.text is None and item.table is None:
        raise UsageError("no evidence", where=where, advice='Give "document", or "text" and "table" inline')
    return item


def check_claims(
    items: Sequence[CheckItem], open_document: OpenDocument, pairs: PairReader | None = None
) -> list[CheckResult]:
    """One result for each item, in order. No language model is asked: the basis of every verdict is 'rules'."""
    return [_check(item, open_document, pairs) for item in items]


def evidence_of(item: CheckItem) -> Evidence:
    """The inline evidence of an item. A caption without a table is part of the text."""
    caption, text = item.caption or "", item.text or ""
    if not item.table:
        return Evidence(text=f"{caption}\n{text}" if caption else text)
    return Evidence(text=text, grids=(Grid(item.table, caption),))


def _check(item: CheckItem, open_document: OpenDocument, pairs: PairReader | None) -> CheckResult:
    if not item.documents:
        return CheckResult(claim=item.claim, verdict=judge(item.claim, evidence_of(item), pairs))
    refused: list[CheckResult] = []
    held: list[Held] = []
    for name in item.documents:
        opened = _opened(item, name, open_document)
        if isinstance(opened, CheckResult):
            refused.append(opened)
        elif item.quote and item.quote.strip():
            refused.append(_quoted(item, item.quote, *opened, pairs))
        else:
            held += hold(item.claim, *opened, pairs, item.page)
    return min([*_weighed(item.claim, held, pairs), *refused], key=_says)


def _says(result: CheckResult) -> int:
    return STRONGEST.index(result.verdict.status)


def _opened(item: CheckItem, name: str, open_document: OpenDocument) -> tuple[str, PageSource] | CheckResult:
    """The document, or why nothing in it can be read: it costs the other claims nothing."""
    try:
        document, source = open_document(name)
    except GroundedError as error:
        return CheckResult(claim=item.claim, verdict=refusal(error.message, 0.0, "document"))
    count = source.page_count(document)
    if item.page is not None and item.page > count:
        reason = f"the document has no page {item.page}: it ends with page {count}"
        return CheckResult(claim=item.claim, verdict=refusal(reason, 0.9, "page"))
    numbers = [item.page] if item.page else range(1, count + 1)
    if not any(source.page(document, number).readable for number in numbers):
        page = source.page(document, numbers[0])
        reason = f"{source.name(document)}: page {page.number} cannot be read: {page.unread_reason}"
        return CheckResult(claim=item.claim, verdict=refusal(reason, 0.0, "document"))
    return document, source


def _weighed(claim: str, held: Sequence[Held], pairs: PairReader | None) -> list[CheckResult]:
    """The verdict that says most, if there is any, with the places that speak against it."""
    if not held:
        return []
    best = min(held, key=lambda h: (STRONGEST.index(h.judgement.verdict.status), -h.worth))
    if best.judgement.verdict.grounded:
        best = _plainly_against(claim, best, held) or best
    result = CheckResult(claim=claim, verdict=best.judgement.verdict, citations=best.citations)
    if not result.verdict.grounded or not result.citations:
        return [_with_unread(result, held)]
    conflicts = against(claim, best, held, pairs)
    return [_disputed(result, conflicts) if conflicts else result]


def _plainly_against(claim: str, best: Held, held: Sequence[Held]) -> Held | None:
    """The place of the same document that contradicts the claim and is about it much more than the one that seems to
    bear it out ('500 stocks' against 'Nimbus 500'); or that says another frequency, of which the other, right in its
    numbers, is silent."""
    bearing = [h for h in held if h.judgement.verdict.grounded]
    if any(_checks(h, passed=True) - {"numbers"} for h in bearing):
        return None  # not by its numbers alone
    most = max(h.judgement.fit for h in bearing)
    often = said_often(claim)
    silent = not often & said_often(best.evidence.evidence.text)
    found = [
        h
        for h in held
        if h.judgement.verdict.status == "contradicted"
        and h.evidence.document == best.evidence.document
        and (h.judgement.fit >= most + _MUCH_NEARER or (often and silent and "frequency" in _checks(h)))
    ]
    return max(found, key=lambda h: h.judgement.fit, default=None)


def _checks(held: Held, passed: bool = False) -> set[str]:
    """Names of the checks that failed, or passed."""
    return {check.name for check in held.judgement.verdict.checks if check.passed is passed}


def _with_unread(result: CheckResult, held: Sequence[Held]) -> CheckResult:
    """A claim that nothing bears out may stand on a page that cannot be read: the reason says so."""
    if result.verdict.status != "unverified":
        return result
    documents = {h.evidence.document: h.source for h in held}
    missing = [
        f"{source.name(key)}, p. {', '.join(map(str, pages))}"
        for key, source in documents.items()
        if (pages := list(layout(key, source).unread))
    ]
    if not missing:
        return result
    reason = f"{result.verdict.reason}; not read: {'; '.join(missing)}"
    return result.model_copy(update={"verdict": result.verdict.model_copy(update={"reason": reason})})


def _disputed(result: CheckResult, conflicts: tuple[Conflict, ...]) -> CheckResult:
    """Neither place is chosen: both are shown, and the confidence is even."""
    places = [conflict.citations[-1] for conflict in conflicts]
    detail = f"sources disagree: {'; '.join(f'{where(place)} says “{short(place)}”' for place in places)}"
    verdict = result.verdict.model_copy(
        update={
            "confidence": min(result.verdict.confidence, _EVEN),
            "reason": f"{result.verdict.reason}; but {detail}",
            "checks": (*result.verdict.checks, Check(name="sources", passed=None, detail=detail)),
        }
    )
    return CheckResult(claim=result.claim, verdict=verdict, citations=(*result.citations, *places), conflicts=conflicts)


def _quoted(item: CheckItem, quote: str, document: str, source: PageSource, pairs: PairReader | None) -> CheckResult:
    """The quote must stand in the document, on the page when one is given; the claim is then held against the places
    where it does."""
    pages = [source.page(document, item.page)] if item.page else _pages(document, source)
    matches = locate((page for page in pages if page.readable), quote, as_proof=True)
    sure = [m for m in matches if m.match != "approximate"] or matches
    found = [tuple(_citation(part, document, source) for part in (m, *m.continues)) for m in sure[:_PLACES]]
    if not sure or sure[0].match == "approximate":
        verdict = refusal(_not_there(item, quote, document, source), 0.9, "verbatim")
        return CheckResult(claim=item.claim, verdict=verdict, citations=found[0] if found else ())
    return min((_on_quote(item.claim, place, document, source, pairs) for place in found), key=_says)


def _on_quote(
    claim: str, place: tuple[Citation, ...], document: str, source: PageSource, pairs: PairReader | None
) -> CheckResult:
    verdict = judge_quoted(claim, _around(place, document, source), _text_near(place, document, source), pairs)
    check = Check(name="verbatim", passed=True, detail=f"the quote stands on page {place[0].page}")
    verdict = verdict.model_copy(update={"checks": (check, *verdict.checks)})
    return CheckResult(claim=claim, verdict=verdict, citations=place)


def _not_there(item: CheckItem, quote: str, document: str, source: PageSource) -> str:
    if item.page is None:
        return "the quote is not in the document"
    others = locate((p for p in _pages(document, source) if p.readable), quote, as_proof=True)
    found = next((m for m in others if m.match != "approximate"), None)
    elsewhere = f" but on page {found.page}" if found else ""
    return f"the quote is not on page {item.page} of the document{elsewhere}"


def _pages(document: str, source: PageSource) -> Iterator[Page]:
    return (source.page(document, number) for number in range(1, source.page_count(document) + 1))


def _around(citations: Sequence[Citation], document: str, source: PageSource) -> Evidence:
    """The quote, the tables it stands in, and the text around it. The text of a table of figures is no sentence."""
    count = source.page_count(document)
    numbers = {n for c in citations for n in range(c.page - 1, c.page + 2) if 1 <= n <= count}
    pages = {n: source.page(document, n) for n in sorted(numbers)}
    text = {c.page: prose(pages[c.page]) for c in citations}
    spans = {(c.page, span) for c in citations for span in c.spans}
    tables = [t for t in continued(list(pages.values())) if any(t.touches(page, span, pages) for page, span in spans)]
    around = [text[c.page][max(0, c.spans[0][0] - _AROUND) : c.spans[-1][1] + _AROUND] for c in citations]
    if tables:  # their scale and period may be said before the first row
        around += [text_around(document, source, c.page, c.spans[0][0]) for c in citations]
    quoted = "\n".join(text[c.page][slice(*span)] for c in citations for span in c.spans)
    if quoted.rstrip().endswith(":"):  # what it announces
        last = citations[-1]
        quoted += text[last.page][last.spans[-1][1] :][:_AROUND]
    grids = tuple(table.grid for table in tables)
    return Evidence(text=quoted, grids=grids, around="\n".join(around), name=source.name(document))


def _text_near(citations: Sequence[Citation], document: str, source: PageSource) -> str:
    """What stands before and after each part of the quote on its page, the parts with it."""
    texts = [(prose(source.page(document, c.page)), c.spans[0][0], c.spans[-1][1]) for c in citations]
    return "\n".join(text[max(0, start - _READ_WITH) : end + _READ_WITH] for text, start, end in texts)


def _citation(match: LocateMatch, document: str, source: PageSource) -> Citation:
    return Citation(
        source_id=None,
        document=document,
        source_name=source.name(document),
        page=match.page,
        page_label=match.page_label,
        section=source.section_at(document, match.page, match.spans[0][0]),
        snippet=match.text,
        spans=match.spans,
        boxes=match.boxes,
        chunk_id=None,
        match=match.match,
        score=None,
    )
