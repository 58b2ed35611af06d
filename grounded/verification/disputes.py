"""A claim held against every place that may speak to it; places that disagree are told side by side, none is chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from grounded.quantities import periods
from grounded.types import Citation, Conflict, Context, PageSource, VerifiedClaim
from grounded.verification.claims import read_claim
from grounded.verification.elsewhere import Front, are_comparable, differs
from grounded.verification.follows import PairReader
from grounded.verification.judge import weigh
from grounded.verification.judgement import Judgement
from grounded.verification.pages import PageEvidence, evidence_for
from grounded.verification.words import content, tokens

_PLACE = 0.5  # what the fit of a cell weighs beside the words of the whole stretch
_SHOWN = 160  # characters of a snippet in a sentence
_ABOUT = 0.8  # share of a claim's content words that a source must have to be asked about it
_BRACKETS = re.compile(r"\([^()]*\)")


class Held(NamedTuple):
    """A claim held against one stretch of a document."""

    evidence: PageEvidence
    judgement: Judgement
    source: PageSource

    @property
    def worth(self) -> float:
        """How well the stretch suits the claim; where it speaks against the claim, also the place it rests on."""
        return self.evidence.worth + (0.0 if self.judgement.verdict.grounded else _PLACE * self.judgement.fit)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The places it rests on."""
        return self.evidence.citations(self.judgement, self.source)


def hold(
    claim: str, document: str, source: PageSource, pairs: PairReader | None, page: int | None = None
) -> list[Held]:
    """The claim against a page, or against the stretches of a document that have most of its words."""
    found = evidence_for(claim, document, source, page)
    return [Held(evidence, weigh(claim, evidence.evidence, pairs), source) for evidence in found]


def against(claim: str, best: Held, held: Sequence[Held], pairs: PairReader | None) -> tuple[Conflict, ...]:
    """The places, in the rest of its own stretch and in the others, that give what bears a claim out another value."""
    rest = Held(best.evidence, weigh(claim, best.evidence.without(best.judgement), pairs), best.source)
    found = (_conflict(claim, best, other) for other in (rest, *held) if other is not best)
    return tuple(dict.fromkeys(conflict for conflict in found if conflict is not None))


def _conflict(claim: str, best: Held, other: Held) -> Conflict | None:
    one, two = best.evidence.document, other.evidence.document
    if not differs(claim, best.judgement, other.judgement, in_one=one == two) or not (there := other.citations):
        return None
    if one != two and not are_comparable(claim, _front(best), _front(other)):
        return None
    here = best.citations[0]
    detail = f"{where(here)}: {short(here)}; {where(there[0])}: {short(there[0])}"
    return Conflict(subject=claim, citations=(here, there[0]), detail=detail)


def _front(held: Held) -> Front:
    first = held.source.page(held.evidence.document, 1).text
    pages = (page.text for page in held.evidence.pages)
    return Front(first, frozenset(token for text in (first, *pages) for token in tokens(text)))


def where(citation: Citation) -> str:
    """'report.pdf, p. 3'."""
    return f"{citation.source_name}, p. {citation.page_label}"


def short(citation: Citation) -> str:
    """Its snippet on one line."""
    return " ".join(citation.snippet.split())[:_SHOWN]


# ---------------------------------------------------------------- answers


def disputes(claims: Sequence[VerifiedClaim], context: Context, pages: PageSource) -> tuple[Conflict, ...]:
    """The same for the grounded claims of an answer, over the pages that were shown to its reader."""
    found: dict[frozenset[tuple[str, int, str]], Conflict] = {}
    for claim in claims:
        for conflict in _disputed(claim, context, pages):
            key = frozenset((c.document, c.page, c.snippet) for c in conflict.citations)
            found.setdefault(key, conflict)
    return tuple(found.values())


def _periods_of(brackets: re.Match[str]) -> str:
    """'Revenue (Annual report 2022, 2021)' -> 'Revenue (2022, 2021)': a source's title is not what is said of it."""
    return f"({', '.join(period.text for period in periods(brackets.group()))})"


def _disputed(claim: VerifiedClaim, context: Context, pages: PageSource) -> tuple[Conflict, ...]:
    text = _BRACKETS.sub(_periods_of, claim.text)
    own, targets = content(text), read_claim(text, None).targets
    if not claim.verdict.grounded or not claim.citations or claim.calculation:
        return ()
    if len(targets) != 1 or not targets[0].words:  # '30 days' alone says of nothing what it says
        return ()
    home = (claim.citations[0].document, claim.citations[0].page)
    chunks = [source.hit.chunk for source in context.sources]
    speaking = {(c.document, c.page): None for c in chunks if len(own & content(c.text)) >= _ABOUT * len(own)}
    held = [held for key in {home: None} | speaking for held in hold(text, key[0], pages, None, key[1])]
    if not held or not held[0].judgement.verdict.grounded:
        return ()
    return against(text, held[0], held, None)
