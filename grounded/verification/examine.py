"""Everything that can be seen about a claim and its evidence, before any of it is weighed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from grounded.quantities import Quantity, decimal_mark, hint
from grounded.quantities.numerals import DecimalMark
from grounded.verification import align, follows
from grounded.verification.align import Aligned
from grounded.verification.cells import Sheet, read_sheet, scale_notes
from grounded.verification.claims import Reading, read_claim
from grounded.verification.evidence import Evidence
from grounded.verification.follows import PairReader
from grounded.verification.formulas import operations
from grounded.verification.models import Models
from grounded.verification.numbers import Finding, find, read_out
from grounded.verification.prose import Prose, Statement, read_prose
from grounded.verification.words import content, stem, tokens

_EXPLAINED, _REMARK = 0.75, 5  # share of words; words
_CLOSEST = 3
_MEASURED = re.compile(
    r"against|year|month|quarter|period|point|basis|million|billion|thousand|two|three|four"
)  # stems
_NAME_BEFORE, _NAME_AFTER = re.compile(r"\b[A-Z][\w.&-]* $"), re.compile(r" [A-Z][\w&-]*")


@dataclass(frozen=True)
class Examined:
    """A claim with its evidence, read; findings and alignment are worked out when asked for."""

    claim: str
    evidence: Evidence
    models: Models
    pairs: PairReader | None = None

    @cached_property
    def mark(self) -> DecimalMark | None:
        """The decimal mark in force in claim and evidence together."""
        return _mark(self.evidence) or decimal_mark(None, self.claim)

    @property
    def everything(self) -> str:
        """All words of the evidence, case folded."""
        return _everything(self.evidence)

    @property
    def stems(self) -> frozenset[str]:
        """All stems of the evidence."""
        return _all_stems(self.evidence)

    @cached_property
    def reading(self) -> Reading:
        return read_claim(self.claim, self.mark)

    @cached_property
    def prose(self) -> Prose:
        return read_prose(self.evidence.text, self.mark)

    @cached_property
    def sheets(self) -> tuple[Sheet, ...]:
        return _sheets(self.evidence, self.mark)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """One for each claimed number."""
        notes = self._notes()
        targets = [t for t in self.reading.targets if not self._in_name(t.quantity)]
        said = [s for s in self.spoken if s.quantities]
        return tuple(find(target, self.sheets, self.prose, said, notes) for target in targets)

    @property
    def spoken(self) -> tuple[Statement, ...]:
        """The sentences that are not only a table's text."""
        return _spoken(self.evidence, self.mark)

    @cached_property
    def aligned(self) -> list[Aligned]:
        """The claim beside each of these sentences."""
        return align.align(self.claim, self.prose, self.models.scorer, self.spoken)

    @cached_property
    def closest(self) -> list[Statement]:
        """The three of these sentences that have most of the claim's words."""
        return self._closest_to(self.claim)

    @property
    def closest_to_answer(self) -> list[Statement]:
        """The three that have most of the words of an answer."""
        return self._closest_to(self.reading.stated)

    def _closest_to(self, text: str) -> list[Statement]:
        pair = align.Pair(text, self.prose, self.models.scorer.rarity)
        return sorted(self.spoken, key=lambda s: -pair.covered(s))[:_CLOSEST]

    @cached_property
    def read(self) -> dict[str, float] | None:
        """Class probabilities as the encoder reads claim and nearest sentences; None without encoder or text."""
        if self.pairs is None or not self.aligned:
            return None
        return follows.chances(self.claim, self.aligned, self.pairs, self.models.home)

    @property
    def is_remark(self) -> bool:
        """A statement on tables alone that says much in words which no table has, and which name no calculation: what
        it means is a guess."""
        alone = bool(self.sheets) and not self.prose.statements and not self.reading.is_answer
        if any(t.quantity.currency or t.quantity.scaled_by for t in self.reading.targets):
            return False
        said = content(self.reading.undated)
        own = frozenset(w for w in said if not (operations(w) or _MEASURED.fullmatch(w)))
        return alone and len(own) >= _REMARK and len(own & self.stems) < _EXPLAINED * len(own)

    @property
    def explained(self) -> float:
        """Share of the claim's content words that the evidence has."""
        own = content(self.claim)
        return len(own & self.stems) / len(own) if own else 1.0

    @property
    def strangers(self) -> tuple[str, ...]:
        """The claim's content words that the evidence nowhere has, as written."""
        unknown = content(self.claim) - self.stems
        return tuple(dict.fromkeys(word for word in tokens(self.claim) if stem(word) in unknown))

    def _in_name(self, quantity: Quantity) -> bool:
        """A number that is part of a name which the evidence has: 'Meridian US 500 Index'."""
        start, end = quantity.span
        named = _NAME_BEFORE.search(self.claim[:start]), _NAME_AFTER.match(self.claim[end:])
        if named[0] is None or named[1] is None or self.reading.is_answer:
            return False
        return f"{named[0].group()}{self.claim[start:end]}{named[1].group()}".casefold() in self.everything

    def _notes(self) -> tuple[int, ...]:
        """The scales that the evidence's notes put in force for amounts in the text that say none."""
        texts = [grid.caption for grid in self.evidence.grids] + [self.evidence.text, self.evidence.around]
        return tuple(dict.fromkeys(hint(note).exponent for text in texts for note in scale_notes(text)))


@lru_cache(maxsize=256)
def _sheets(evidence: Evidence, mark: DecimalMark | None) -> tuple[Sheet, ...]:
    around = f"{evidence.text}\n{evidence.around}"
    return tuple(read_sheet(grid, mark, around) for grid in evidence.grids)


@lru_cache(maxsize=256)
def _spoken(evidence: Evidence, mark: DecimalMark | None) -> tuple[Statement, ...]:
    sheets = _sheets(evidence, mark)
    return tuple(s for s in read_prose(evidence.text, mark).statements if not read_out(s, sheets))


@lru_cache(maxsize=256)
def _mark(evidence: Evidence) -> DecimalMark | None:
    cells = " ".join(cell for grid in evidence.grids for row in grid.rows for cell in row)
    return decimal_mark(None, f"{evidence.text}\n{cells}")


@lru_cache(maxsize=256)
def _everything(evidence: Evidence) -> str:
    tables = [cell for grid in evidence.grids for row in (*grid.rows, (grid.caption,)) for cell in row]
    return "\n".join([evidence.text, evidence.around, evidence.name, *tables]).casefold()


@lru_cache(maxsize=256)
def _all_stems(evidence: Evidence) -> frozenset[str]:
    return frozenset(stem(token) for token in tokens(_everything(evidence)))
