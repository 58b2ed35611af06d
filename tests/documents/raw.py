"""PDFs written operator by operator: what drawing libraries would not write."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

Parts = Callable[[pikepdf.Pdf], Mapping[str, Any]]


def nothing(pdf: pikepdf.Pdf) -> Mapping[str, Any]:
    """No further entries."""
    return {}


def raw_pdf(content: str, *, resources: Parts = nothing, page: Parts = nothing) -> bytes:
    """One page of 400 x 500 points with this content stream; /F1 is Helvetica. `resources` and `page` add entries."""
    pdf = pikepdf.new()
    kept = Dictionary(Font=Dictionary(F1=helvetica()), **resources(pdf))
    entries = {"MediaBox": Array([0, 0, 400, 500]), **page(pdf)}
    sheet = Dictionary(Type=Name.Page, Resources=kept, Contents=pdf.make_stream(content.encode("latin-1")), **entries)
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(sheet)))
    buffer = io.BytesIO()
    pdf.save(buffer)
    return buffer.getvalue()


def helvetica() -> Dictionary:
    """A font of the reader's own."""
    return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)


def shown(text: str, y: float, *, before: str = "", size: float = 12) -> str:
    """Operators that show a line of text at x = 60; `before` stands inside the text object."""
    return f"BT {before} /F1 {size} Tf 60 {y} Td ({text}) Tj ET\n"


def state(**entries: Any) -> Parts:
    """A graphics state /G."""
    return lambda pdf: {"ExtGState": Dictionary(G=Dictionary(**entries))}


def white_gradient(pdf: pikepdf.Pdf) -> Mapping[str, Any]:
    """A shading /S that is white throughout."""
    white = Array([1, 1, 1])
    function = Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=white, C1=white, N=1)
    coordinates = Array([50, 0, 350, 0])
    shading = Dictionary(ShadingType=2, ColorSpace=Name.DeviceRGB, Coords=coordinates, Function=function)
    return {"Shading": Dictionary(S=shading)}


def black_mask(pdf: pikepdf.Pdf) -> Mapping[str, Any]:
    """A graphics state /G whose soft mask lets nothing through."""
    group = Dictionary(S=Name.Transparency, CS=Name.DeviceGray)
    form = pdf.make_stream(
        b"0 g 0 0 400 500 re f", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 400, 500]), Group=group
    )
    return state(SMask=Dictionary(S=Name.Luminosity, G=form))(pdf)


def grey_picture(pdf: pikepdf.Pdf) -> Mapping[str, Any]:
    """An image /I of one grey."""
    image = pdf.make_stream(
        b"\x80" * 12,
        Type=Name.XObject, Subtype=Name.Image, Width=2, Height=2, ColorSpace=Name.DeviceRGB, BitsPerComponent=8,
    )  # fmt: skip
    return {"XObject": Dictionary(I=image)}
