"""An answer as its trace has it, and all that a file taken away says of it. No Streamlit here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grounded import documents, locations
from grounded.audit.reader import read_trace, rebuild_answer
from grounded.errors import GroundedError, PasswordNeeded
from grounded.types import Answer, Box, Citation, HitRecord
from grounded.ui import access
from grounded.ui.access import Workspace, home_of
from grounded.ui.export import NoPicture, Record

_PICTURE_SCALE = 1.5  # pixels per point of the page images in an HTML file


def places(answer: Answer) -> Iterator[Citation | HitRecord]:
    """Everything of an answer that stands on a page."""
    for claim in answer.claims:
        yield from claim.citations
    for conflict in answer.conflicts:
        yield from conflict.citations
    if answer.abstention:
        yield from answer.abstention.nearest


def spans(workspace: Workspace, trace: str) -> list[dict[str, Any]]:
    """The spans of a trace, oldest first. Raises UsageError or AuditError."""
    return read_trace(home_of(workspace, trace).settings.traces, trace, state=locations.state())


def rebuild(workspace: Workspace, trace: str) -> Answer:
    """The answer as it was shown, from its trace alone. Raises UsageError or AuditError."""
    return Answer.model_validate(rebuild_answer(spans(workspace, trace)))


def record_of(workspace: Workspace, trace: str, link: str) -> Record:
    """The answer with its time, its documents and the address of its view. Raises UsageError or AuditError."""
    found = spans(workspace, trace)
    answer = Answer.model_validate(rebuild_answer(found))
    asked: dict[str, Any] = found[0].get("input") or {}
    named = {str(d.get("sha256")): str(d.get("name")) for d in asked.get("documents", [])}
    cited = {place.document: place.source_name for place in places(answer)}
    used = {key: name for key, name in {**named, **cited}.items() if key in cited or not cited}
    return Record(answer, str(found[0].get("start", "")), used, link)


def pictures(workspace: Workspace) -> Callable[[str, int, Sequence[Box]], bytes | NoPicture]:
    """Pages as PNGs with boxes marked, or why there is none."""
    pixels = workspace.settings.documents.render_pixels

    def picture(document: str, page: int, boxes: Sequence[Box]) -> bytes | NoPicture:
        try:
            data = access.library_for(workspace.user, document).original(document)
            return documents.render(data, page, scale=_PICTURE_SCALE, boxes=boxes, max_pixels=pixels)
        except PasswordNeeded:
            return NoPicture.ENCRYPTED
        except (GroundedError, IndexError):
            return NoPicture.GONE

    return picture
