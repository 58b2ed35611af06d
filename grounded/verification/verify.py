"""Claims and the context they came from -> citations and verdicts.

What must hold for a claim to be grounded, in this order:
1. it cites something (else unverified, confidence 0);
2. each source it names was shown to the reader;
3. each quote stands, exactly or folded, in a shown source (else unverified, confidence 0.9), and no orders to a
   language model stand in or next to it: text printed to steer a reader program proves nothing;
4. it is put together from its quotes and comes apart again (`composed`: label and value, calculation), or the
   deterministic checks on its content do not object: numbers, tables, words;
5. the model, when one is used, says yes. Its no stands; its yes does not overrule 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grounded.orders import orders_around
from grounded.types import Check, Citation, Claim, Context, PageSource, Verdict, VerifiedClaim
from grounded.verification.citing import cite, refusal
from grounded.verification.composed import composed
from grounded.verification.entailment import Entailment, EntailmentItem, ModelVerdict
from grounded.verification.evidence import Evidence, Grid, grids_under
from grounded.verification.follows import PairReader
from grounded.verification.quoted import judge_quoted

_NEIGHBOURS = 400  # characters on each side of the cited chunk that the model sees
NOT_IN_CONTEXT = "snippet not found in retrieved context"


@dataclass(frozen=True, slots=True)
class Located:
    """A claim with its citations, and what already speaks against it before its content is read."""

    claim: Claim
    citations: tuple[Citation, ...]
    checks: tuple[Check, ...]
    refused: Verdict | None


def verify(
    claims: Sequence[Claim],
    context: Context,
    pages: PageSource,
    *,
    entailment: Entailment | None,
    pairs: PairReader | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[VerifiedClaim]:
    """One VerifiedClaim for each claim, in order. Without a model the verdicts' basis is 'rules'.

    Raises ModelError only when the model cannot be used at all; a verdict it left out is unverified and says so.
    """
    located = [_locate(claim, context, pages) for claim in claims]
    ruled = {item.claim.id: item.refused or _ruled(item, context, pages, pairs) for item in located}
    open_items = [item for item in located if item.refused is None]
    said: Mapping[str, ModelVerdict] | None = None
    if entailment is not None and open_items:
        said = entailment.judge([_item(item, context, pages) for item in open_items], cancelled=cancelled)
    return [_verified(item, ruled[item.claim.id], said) for item in located]


def _ruled(item: Located, context: Context, pages: PageSource, pairs: PairReader | None) -> Verdict:
    """By composition when the claim is put together from its quotes, else by its content."""
    proven = composed(item.claim, item.citations, pages)
    around = "\n".join(_passages(item, context, pages))
    return proven or judge_quoted(item.claim.text, _evidence(item, context, pages), around, pairs)


# ---------------------------------------------------------------- 1-3: the citation


def _locate(claim: Claim, context: Context, pages: PageSource) -> Located:
    if not claim.quotes:
        return Located(claim, (), (), refusal("the claim cites no source", 0.0, "citation"))
    named = [context.source(quote.source_id) for quote in claim.quotes]
    if None in named:
        unknown = claim.quotes[named.index(None)].source_id
        return Located(claim, (), (), refusal(f"source {unknown} was never shown to the reader", 0.0, "source"))
    parts = [cite(q, source, context, pages) for q, source in zip(claim.quotes, named, strict=True) if source]
    found = tuple(dict.fromkeys(citation for part in parts for citation in part))
    if any(not part or part[0].match == "approximate" for part in parts):
        return Located(claim, found, (), refusal(NOT_IN_CONTEXT, 0.9, "verbatim"))
    if order := next((order for c in found if (order := _orders(c, pages))), None):
        reason = f"the passage gives orders to a reader program (“{order}”), which proves nothing"
        return Located(claim, found, (), refusal(reason, 0.9, "orders"))
    checks = tuple(Check(name="verbatim", passed=True, detail=_where(c)) for c in found)
    return Located(claim, found, checks, None)


def _where(citation: Citation) -> str:
    how = "word for word" if citation.match == "exact" else "but for spacing, hyphens and letter forms"
    return f"the quote stands on page {citation.page}, {how}"


def _orders(citation: Citation, pages: PageSource) -> str | None:
    text = pages.page(citation.document, citation.page).text
    return next((order for span in citation.spans if (order := orders_around(text, *span))), None)


# ---------------------------------------------------------------- 4: what the rules are given


def _evidence(item: Located, context: Context, pages: PageSource) -> Evidence:
    """The quotes as text, the tables they stand in, and their chunks around them."""
    grids = dict.fromkeys(grid for citation in item.citations for grid in _grids(citation, pages))
    return Evidence(
        text="\n".join(citation.snippet for citation in item.citations),
        grids=tuple(grids),
        around=_sources_text(item, context),
        name=" ".join(dict.fromkeys(citation.source_name for citation in item.citations)),
    )


def _grids(citation: Citation, pages: PageSource) -> list[Grid]:
    return grids_under(pages.page(citation.document, citation.page), citation.spans)


def _sources_text(item: Located, context: Context) -> str:
    """The cited chunks with the headers that are in force there."""
    cited = {citation.chunk_id for citation in item.citations}
    parts = [(s.hit.chunk.context, s.text) for s in context.sources if s.hit.chunk.id in cited]
    return "\n".join(line for part in parts for line in part if line)


# ---------------------------------------------------------------- 5: the model


def _item(item: Located, context: Context, pages: PageSource) -> EntailmentItem:
    snippet = "\n".join(citation.snippet for citation in item.citations)
    source = "\n\n".join(_passages(item, context, pages))
    return EntailmentItem(id=item.claim.id, claim=item.claim.text, snippet=snippet, source=source)


def _passages(item: Located, context: Context, pages: PageSource) -> list[str]:
    """Each cited chunk under its headings, with the text before and after it on the page."""
    cited = {citation.chunk_id for citation in item.citations}
    chunks = [source.hit.chunk for source in context.sources if source.hit.chunk.id in cited]
    return [
        f"{c.context or c.section}\n{_with_neighbours(pages.page(c.document, c.page).text, c.span)}" for c in chunks
    ]


def _with_neighbours(text: str, span: tuple[int, int]) -> str:
    start, end = max(0, span[0] - _NEIGHBOURS), min(len(text), span[1] + _NEIGHBOURS)
    while start < span[0] and start > 0 and not text[start - 1].isspace():
        start += 1
    while end > span[1] and end < len(text) and not text[end].isspace():
        end -= 1
    return text[start:end]


def _verified(item: Located, ruled: Verdict, said: Mapping[str, ModelVerdict] | None) -> VerifiedClaim:
    verdict = ruled.model_copy(update={"checks": item.checks + ruled.checks})
    if said is not None and item.refused is None:
        verdict = _combined(verdict, said.get(item.claim.id))
    return VerifiedClaim(
        id=item.claim.id,
        text=item.claim.text,
        citations=item.citations,
        verdict=verdict,
        calculation=item.claim.calculation,
    )


def _combined(ruled: Verdict, said: ModelVerdict | None) -> Verdict:
    """Rules veto a yes; a model's no stands; a missing verdict is unverified."""
    if said is None:
        reason = "the verifier model gave no verdict on this claim"
        check = Check(name="entailment", passed=None, detail=reason)
        return Verdict(
            grounded=False, status="unverified", confidence=0.0, reason=reason, checks=(*ruled.checks, check)
        )
    check = Check(name="entailment", passed=said.grounded, detail=said.reason)
    vetoed = any(c.passed is False for c in ruled.checks)
    if vetoed:
        return ruled.model_copy(update={"checks": (*ruled.checks, check), "basis": "both"})
    return Verdict(
        grounded=said.grounded,
        status=said.status,
        confidence=said.confidence,
        reason=said.reason,
        checks=(*ruled.checks, check),
        basis="both",
    )
