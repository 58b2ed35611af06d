"""Answers a person marked, as gold: accepted, rejected or corrected claims and the places they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from grounded.evaluation.cases import GoldCase, GoldPlace, Label, read_cases
from grounded.types import Answer, Citation, Frozen, LocateMatch, VerifiedClaim


class Mark(Frozen):
    """What a person says about one claim. A corrected one has a text and a place of its own."""

    claim: VerifiedClaim
    says: Literal["accept", "reject", "correct"]
    text: str = ""
    place: GoldPlace | None = None


def place_of(citation: Citation) -> GoldPlace:
    """A citation as a gold place."""
    shared = citation.model_dump(include={"document", "page", "spans", "boxes"})
    return GoldPlace(quote=citation.snippet, **shared)


def place_at(document: str, match: LocateMatch) -> GoldPlace:
    """A located quote as a gold place."""
    return GoldPlace(document=document, page=match.page, quote=match.text, spans=match.spans, boxes=match.boxes)


def cases_of(answer: Answer, marks: Sequence[Mark]) -> list[GoldCase]:
    """The question, as far as accepted and corrected claims say what answers it, and each marked claim."""
    good = tuple(dict.fromkeys(place for mark in marks for place in _right_places(mark)))
    cases = [_asked(answer, places=good)] if good else []
    return cases + [case for mark in marks for case in _claimed(answer, mark)]


def unanswerable(answer: Answer) -> GoldCase:
    """The question, of which a person says that the documents do not answer it."""
    return _asked(answer, answerable=False)


def answered_at(answer: Answer, place: GoldPlace) -> GoldCase:
    """The question, of which a person says where the answer stands."""
    return _asked(answer, places=(place,))


def keep(path: Path, cases: Sequence[GoldCase]) -> int:
    """Add cases to a set; a case marked again replaces what it was. How many the set has now."""
    known = {case.id: case for case in read_cases(path)} if path.exists() else {}
    known |= {case.id: case for case in cases}
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (case.model_dump_json(exclude_defaults=True) for case in known.values())
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(known)


def _right_places(mark: Mark) -> list[GoldPlace]:
    if mark.says == "correct" and mark.place:
        return [mark.place]
    return [place_of(c) for c in mark.claim.citations] if mark.says == "accept" else []


def _asked(answer: Answer, *, places: tuple[GoldPlace, ...] = (), answerable: bool = True) -> GoldCase:
    name = f"{answer.trace_id[:12]}:question"
    return GoldCase(id=name, kind="marked", question=answer.question, answerable=answerable, places=places)


def _claimed(answer: Answer, mark: Mark) -> list[GoldCase]:
    first = mark.claim.citations[0].document if mark.claim.citations else None
    name, document = f"{answer.trace_id[:12]}:{mark.claim.id}", mark.place.document if mark.place else first
    if not document:
        return []
    if mark.says == "accept":
        return [_claim(name, "accepted", mark.claim.text, document, "supported")]
    rejected = _claim(name, "rejected", mark.claim.text, document, "not supported")
    if mark.says == "reject":
        return [rejected]
    quote = mark.place.quote if mark.place else None
    page = mark.place.page if mark.place else None
    corrected = _claim(f"{name}:corrected", "corrected", mark.text, document, "supported")
    return [rejected, corrected.model_copy(update={"quote": quote, "page": page})]


def _claim(name: str, kind: str, text: str, document: str, label: Label) -> GoldCase:
    return GoldCase(id=name, task="check", kind=kind, claim=text, document=document, label=label)
