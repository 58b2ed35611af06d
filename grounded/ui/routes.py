"""Page images and page text over HTTP, for the viewer: fetched when looked at, kept by the browser, never the PDF.

GET /page/{document}/{number}.json   {"label", "width", "height", "lines": [[text, x0, y0, x1, y1, turn], …]}
GET /page/{document}/{number}.png?scale=2   pixels per point, capped by settings. An encrypted document's need its
    password, percent-encoded in the header X-Document-Password: it is used for the one image and kept nowhere.
Addresses are content addresses (the document's sha256), so answers never change. Every request is checked on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from grounded import documents
from grounded.errors import GroundedError, PasswordNeeded
from grounded.types import Page
from grounded.ui.textlayer import pieces

_SCALES = (0.1, 4.0)
_LOCKED = "This PDF is encrypted: give its password to see its pages. It is kept in this tab only, until you close it."
_HEADERS = {
    "Cache-Control": "private, max-age=86400, immutable",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class PageSupply(Protocol):
    """What the routes need of a library."""

    def page(self, document: str, number: int) -> Page: ...
    def original(self, document: str) -> bytes: ...


Opener = Callable[[Request, str], PageSupply]


def page_routes(supply: Opener, max_pixels: int) -> list[Route]:
    """The two routes. `supply` gives the library a request may read that document from, or raises GroundedError.

    The endpoints are plain functions, so the server runs them in its thread pool.
    """

    def text(request: Request) -> Response:
        return _guarded(lambda document, number: _text(supply(request, document), document, number), request)

    def image(request: Request) -> Response:
        scale = _scale(request.query_params.get("scale", ""))
        password = unquote(request.headers.get("X-Document-Password", ""))

        def draw(document: str, number: int) -> Response:
            return _image(supply(request, document), document, number, scale, max_pixels, password)

        return _guarded(draw, request)

    return [Route("/page/{document}/{number:int}.json", text), Route("/page/{document}/{number:int}.png", image)]


def _guarded(serve: Callable[[str, int], Response], request: Request) -> Response:
    try:
        return serve(request.path_params["document"], request.path_params["number"])
    except PasswordNeeded:
        tried = "This password does not open it. " if "X-Document-Password" in request.headers else ""
        return JSONResponse({"message": tried + _LOCKED, "locked": True}, status_code=403)
    except GroundedError as error:
        return JSONResponse({"message": error.message}, status_code=404)
    except (IndexError, KeyError):
        return JSONResponse({"message": "There is no such page. Go back to the answer."}, status_code=404)


def _text(library: PageSupply, document: str, number: int) -> Response:
    page = library.page(document, number)
    body = {"label": page.label, "width": page.width, "height": page.height, "lines": pieces(page)}
    return JSONResponse(body, headers=_HEADERS)


def _image(library: PageSupply, document: str, number: int, scale: float, max_pixels: int, password: str) -> Response:
    if password:  # not through the cache, which would keep it
        data = library.original(document)
        png = documents.render(data, number, scale=scale, max_pixels=max_pixels, password=password)
    else:
        png = _rendered(_Original(library, document), number, scale, max_pixels)
    return Response(png, media_type="image/png", headers=_HEADERS)


class _Original:
    """A document's bytes, read only when they are rendered; equal by the document's hash, so images can be kept."""

    def __init__(self, library: PageSupply, document: str) -> None:
        self.library, self.document = library, document

    def __hash__(self) -> int:
        return hash(self.document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Original) and other.document == self.document


@lru_cache(maxsize=96)
def _rendered(original: _Original, number: int, scale: float, max_pixels: int) -> bytes:
    data = original.library.original(original.document)
    return documents.render(data, number, scale=scale, max_pixels=max_pixels)


def _scale(text: str) -> float:
    try:
        wanted = float(text)
    except ValueError:
        return 1.0
    return min(max(wanted, _SCALES[0]), _SCALES[1]) if wanted == wanted else 1.0  # NaN is not itself
