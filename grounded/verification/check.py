"""Claims written by anyone, against evidence given inline or against documents: what `check` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from grounded.errors import GroundedError, UsageError
from grounded.types import Check, Citation, Frozen, LocateMatch, Page, PageSource, Verdict
from grounded.verification.citing import refusal
from grounded.verification.evidence import Evidence, Grid, grids_under
from grounded.verification.follows import PairReader
from grounded.verification.judge import judge, weigh
from grounded.verification.locate import locate
from grounded.verification.pages import evidence_for

_AROUND = 400  # characters on each side of a quote that are in force around it

OpenDocument = Callable[[str], tuple[str, PageSource]]
"""A path, library id or name -> the document's id and its pages. Raises a GroundedError when there is none."""


class CheckItem(Frozen):
    """One claim to check: against a document (with or without a quote), or against inline text and table."""

    claim: str = Field(min_length=1)
    quote: str | None = None
    page: int | None = Field(default=None, ge=1)
    document: str | None = None
    text: str | None = None
    table: tuple[tuple[str, ...], ...] | None = None
    caption: str | None = None


class CheckResult(Frozen):
    """The verdict on one claim, with the places it rests on."""

    claim: str
    verdict: Verdict
    citations: tuple[Citation, ...] = ()


def read_item(raw: Mapping[str, Any], where: str) -> CheckItem:
    """An item from JSON; cells may be numbers or null. Raises UsageError that names the field."""
    table = raw.get("table")
    if isinstance(table, list) and all(isinstance(row, list) for row in table):
        raw = {**raw, "table": [["" if cell is None else str(cell) for cell in row] for row in table]}
    try:
        item = CheckItem.model_validate({k: v for k, v in raw.items() if k in CheckItem.model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise UsageError(f"{field}: {first['msg'].lower()}", where=where) from error
    if not item.document and item.text is None and item.table is None:
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
    if not item.document:
        return CheckResult(claim=item.claim, verdict=judge(item.claim, evidence_of(item), pairs))
    try:
        document, source = open_document(item.document)
    except GroundedError as error:  # one document that cannot be opened does not cost the other claims their verdicts
        return CheckResult(claim=item.claim, verdict=refusal(error.message, 0.0, "document"))
    if item.page is not None and item.page > source.page_count(document):
        reason = f"the document has no page {item.page}"
        return CheckResult(claim=item.claim, verdict=refusal(reason, 0.9, "page"))
    if item.quote:
        return _quoted(item, item.quote, document, source, pairs)
    found = evidence_for(item.claim, document, source, item.page)
    judgement = weigh(item.claim, found.evidence, pairs)
    return CheckResult(claim=item.claim, verdict=judgement.verdict, citations=found.citations(judgement, source))


def _quoted(item: CheckItem, quote: str, document: str, source: PageSource, pairs: PairReader | None) -> CheckResult:
    """The quote must stand in the document, on the page when one is given; the claim is then held against it."""
    numbers = [item.page] if item.page else range(1, source.page_count(document) + 1)
    pages = (source.page(document, number) for number in numbers)
    matches = locate((page for page in pages if page.readable), quote, as_proof=True)
    citations = tuple(_citation(part, document, source) for m in matches[:1] for part in (m, *m.continues))
    if not matches or matches[0].match == "approximate":
        where = f"page {item.page} of the document" if item.page else "the document"
        verdict = refusal(f"the quote is not in {where}", 0.9, "verbatim")
        return CheckResult(claim=item.claim, verdict=verdict, citations=citations)
    verdict = judge(item.claim, _around(citations, document, source), pairs)
    check = Check(name="verbatim", passed=True, detail=f"the quote stands on page {citations[0].page}")
    verdict = verdict.model_copy(update={"checks": (check, *verdict.checks)})
    return CheckResult(claim=item.claim, verdict=verdict, citations=citations)


def _around(citations: Sequence[Citation], document: str, source: PageSource) -> Evidence:
    """The quote, the tables it stands in, and the text around it."""
    pages: dict[int, Page] = {c.page: source.page(document, c.page) for c in citations}
    grids = [grid for c in citations for grid in grids_under(pages[c.page], c.spans)]
    around = [pages[c.page].text[max(0, c.spans[0][0] - _AROUND) : c.spans[-1][1] + _AROUND] for c in citations]
    text = "\n".join(c.snippet for c in citations)
    return Evidence(text=text, grids=tuple(dict.fromkeys(grids)), around="\n".join(around), name=source.name(document))


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
