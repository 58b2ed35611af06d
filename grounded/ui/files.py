"""Answers taken away, over HTTP: made when asked for, for whoever may see the trace, and kept nowhere.

GET /take/{trace}.md, .html, .docx, .csv, .json   the answer (grounded.ui.export)
GET /take/{trace}.receipt.zip                     the evidence receipt
GET /take/{trace}.jsonl                           the record itself
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from grounded import locations
from grounded.audit.reader import trace_file
from grounded.audit.receipt import build_receipt
from grounded.errors import GroundedError
from grounded.ui import export
from grounded.ui.access import Workspace, home_of
from grounded.ui.recorded import pictures, record_of

Opener = Callable[[Request], Workspace]
_HEADERS = {
    "Cache-Control": "private, no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class Kind(NamedTuple):
    """A kind of file: its button, its media type, and how it is made (workspace, trace, address of the view)."""

    label: str
    media_type: str
    make: Callable[[Workspace, str, str], bytes]


def _receipt(workspace: Workspace, trace: str, _: str) -> bytes:
    return build_receipt(home_of(workspace, trace).settings.traces, trace, state=locations.state())


def _record(workspace: Workspace, trace: str, _: str) -> bytes:
    return trace_file(home_of(workspace, trace).settings.traces, trace).read_bytes()


def _answer(write: Callable[[export.Record], str]) -> Callable[[Workspace, str, str], bytes]:
    return lambda workspace, trace, link: write(record_of(workspace, trace, link)).encode("utf-8")


def _with_pages(workspace: Workspace, trace: str, link: str) -> bytes:
    return export.page(record_of(workspace, trace, link), pictures(workspace)).encode("utf-8")


def _word(workspace: Workspace, trace: str, link: str) -> bytes:
    return export.word(record_of(workspace, trace, link))


KINDS = {
    "md": Kind("Markdown", "text/markdown; charset=utf-8", _answer(export.markdown)),
    "html": Kind("HTML with pages", "text/html; charset=utf-8", _with_pages),
    "docx": Kind("Word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", _word),
    "csv": Kind("Claims (CSV)", "text/csv; charset=utf-8", _answer(export.claims_csv)),
    "json": Kind("JSON", "application/json", _answer(export.answer_json)),
    "receipt.zip": Kind("Evidence receipt", "application/zip", _receipt),
    "jsonl": Kind("The trace file", "application/jsonl", _record),
}
ANSWER = tuple(suffix for suffix in KINDS if suffix != "jsonl")  # what is taken away of an answer


def file_address(trace: str, suffix: str) -> str:
    """Where a file is had."""
    return f"/take/{trace}.{suffix}"


def file_routes(workspace: Opener) -> list[Route]:
    """The route. `workspace` gives the asker's, or raises GroundedError; a plain function, so it runs in a thread."""

    def take(request: Request) -> Response:
        trace, _, suffix = request.path_params["name"].partition(".")
        try:
            if suffix not in KINDS:
                return JSONResponse({"message": "There is no such kind of file."}, status_code=404)
            kind = KINDS[suffix]
            data = kind.make(workspace(request), trace, f"{request.base_url}?trace={trace}")
        except (GroundedError, OSError, ValueError) as error:
            said = error.message if isinstance(error, GroundedError) else "This file cannot be made of this trace."
            return JSONResponse({"message": said}, status_code=404)
        name = f"{trace}.jsonl" if suffix == "jsonl" else f"grounded-{trace[:12]}.{suffix}"  # a log's name is checked
        named = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type=kind.media_type, headers=_HEADERS | named)

    return [Route("/take/{name}", take)]
