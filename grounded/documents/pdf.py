"""Opening a PDF: every way it can fail, as one of our errors."""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Iterator

import pymupdf

from grounded.documents.layout import OutlineEntry
from grounded.errors import CorruptPdf, DocumentError, EmptyFile, LimitExceeded, NotAPdf, PasswordNeeded

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

_HEADER = re.compile(rb"PDF-\d")
_HEADER_WITHIN = 1024  # bytes, as the format's readers allow
# What PyMuPDF raises on damaged files: MuPDF's own errors, bare RuntimeErrors, and whatever its Python meets in them.
DAMAGE = (
    pymupdf.mupdf.FzErrorBase,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    MemoryError,
)
_INLINE_IMAGE = re.compile(rb"\bBI\s[^()]{3,400}?\sID\s")
_MOST_CONTENT = 4_000_000  # bytes: more is looked through by nobody, and some files unpack to gigabytes
_BLENDS = re.compile(r"/BM ?(?:\[|/(?!Normal|Compatible))|/ShadingType \d|/PatternType 1\b|/S ?/(?:Luminosity|Alpha)\b")
_LINK = pymupdf.PDF_ANNOT_LINK
_HEX_PREFIX = re.compile(r"<FEFF((?:[0-9A-Fa-f]{4})*)>")


@contextlib.contextmanager
def open_pdf(data: bytes, name: str, password: str | None = None) -> Iterator[pymupdf.Document]:
    """An open PDF with at least one page.

    Raises EmptyFile, NotAPdf, CorruptPdf, PasswordNeeded. The password goes to PyMuPDF and nowhere else.
    """
    if not data:
        raise EmptyFile("the file is empty (0 bytes)", where=name, advice="Download or export it again")
    try:
        pdf = pymupdf.open(stream=data, filetype="pdf")
    except DAMAGE as error:
        raise _unusable(data, name, "it cannot be opened") from error
    with pdf:
        if not pdf.is_pdf:  # MuPDF also reads HTML, XML, images, … whatever the file is called
            raise _unusable(data, name, "it is another kind of file")
        _unlock(pdf, name, password)
        if _count_pages(pdf) == 0:
            raise _unusable(data, name, "it opens with no pages")
        yield pdf


def _unusable(data: bytes, name: str, what: str) -> DocumentError:
    if not _HEADER.search(data[:_HEADER_WITHIN]):
        return NotAPdf("this is not a PDF", where=name, advice="Export or print the document to PDF first")
    return CorruptPdf(f"the PDF is damaged: {what}", where=name, advice="Download it again or repair it, then add it")


def _unlock(pdf: pymupdf.Document, name: str, password: str | None) -> None:
    if not pdf.needs_pass:
        return
    if password is None:
        raise PasswordNeeded(
            "the PDF is encrypted", where=name, advice="Give its password (--password, or in the app's Library)"
        )
    if not pdf.authenticate(password):
        raise PasswordNeeded("the password does not open this PDF", where=name, advice="Check the password")


def _count_pages(pdf: pymupdf.Document) -> int:
    try:
        return int(pdf.page_count)
    except DAMAGE:
        return 0


def check_size(data: bytes, name: str, *, max_file_mb: int) -> None:
    """Raises LimitExceeded when the file is larger than the setting allows."""
    if len(data) > max_file_mb * 1_000_000:
        raise LimitExceeded(
            f"the file has {len(data) / 1e6:.0f} MB, the limit is {max_file_mb} MB",
            where=name,
            advice="Raise GROUNDED_DOCUMENTS__MAX_FILE_MB or split the file",
        )


def outline(pdf: pymupdf.Document) -> tuple[OutlineEntry, ...]:
    """The document's bookmarks that point at one of its pages; () when there are none or they are damaged."""
    try:
        entries = pdf.get_toc(simple=False)
        return tuple(_outline_entry(pdf, *entry) for entry in entries if 1 <= entry[2] <= pdf.page_count)
    except DAMAGE:
        return ()


def _outline_entry(pdf: pymupdf.Document, level: int, title: str, page: int, target: dict[str, object]) -> OutlineEntry:
    to = target.get("to")
    y = None
    if isinstance(to, pymupdf.Point):
        sheet = pdf[page - 1]
        if target.get("kind") == pymupdf.LINK_NAMED:  # still in PDF space, y upwards
            to = to * sheet.transformation_matrix
        y = float((to * displayed(sheet)).y)
    return OutlineEntry(level, " ".join(title.split()), page, y)


def displayed(sheet: pymupdf.Page) -> pymupdf.Matrix:
    """From PyMuPDF's unrotated frame to the page as displayed (its own `rotation_matrix` forgets UserUnit)."""
    width, height = sheet.rect.width, sheet.rect.height
    return {
        90: pymupdf.Matrix(0, 1, -1, 0, width, 0),
        180: pymupdf.Matrix(-1, 0, 0, -1, width, height),
        270: pymupdf.Matrix(0, -1, 1, 0, 0, height),
    }.get(sheet.rotation, pymupdf.Matrix(1, 1))


def labels(pdf: pymupdf.Document) -> list[str]:
    """The printed label of every page; its number where the document defines none."""
    try:
        given = [pdf[i].get_label() for i in range(pdf.page_count)] if pdf.get_page_labels() else []
    except DAMAGE:
        given = []
    plain = [_HEX_PREFIX.sub(_decode_prefix, label).strip() for label in given] or [""] * pdf.page_count
    return [label or str(number) for number, label in enumerate(plain, 1)]


def _decode_prefix(match: re.Match[str]) -> str:
    """PyMuPDF leaves a UTF-16 label prefix as hexadecimal digits."""
    return bytes.fromhex(match[1]).decode("utf-16-be", "replace")


def metadata(pdf: pymupdf.Document) -> dict[str, str]:
    """Title, author, dates, producer: what is there and is text."""
    try:
        return {str(k): v for k, v in (pdf.metadata or {}).items() if isinstance(v, str) and v}
    except DAMAGE:
        return {}


def has_inline_image(sheet: pymupdf.Page) -> bool:
    """Does the page's content stream begin (some megabytes) with an image written into it?"""
    pdf = sheet.parent
    for xref in sheet.get_contents():
        try:
            raw = pdf.xref_stream_raw(xref) or b""
        except ValueError:  # a damaged page may name a stream that is none
            continue
        if "Flate" in pdf.xref_get_key(xref, "Filter")[1]:
            with contextlib.suppress(zlib.error):
                raw = zlib.decompressobj().decompress(raw, _MOST_CONTENT)
        if b"BI" in raw and _INLINE_IMAGE.search(raw, 0, _MOST_CONTENT):
            return True
    return False


def picture_annotations(sheet: pymupdf.Page) -> list[pymupdf.Rect]:
    """Where the annotations and form fields of a page stand, as displayed, when one of them (a stamp, a button, a
    signature) may draw pictures; [] when none may."""
    if not any(_may_draw_picture(sheet.parent, xref) for xref, kind, _ in sheet.annot_xrefs() if kind != _LINK):
        return []
    return [pymupdf.Rect(each.rect) * displayed(sheet) for each in (*sheet.annots(), *sheet.widgets())]


def _may_draw_picture(pdf: pymupdf.Document, xref: int) -> bool:
    """Does the appearance of an annotation use pictures or forms of its own? What has no number cannot be looked up."""
    if not xref:
        return True
    keys = ("AP/N", f"AP/N{pdf.xref_get_key(xref, 'AS')[1]}")
    return any(pdf.xref_get_key(xref, f"{key}/Resources/XObject")[0] != "null" for key in keys)


def blends(pdf: pymupdf.Document) -> bool:
    """Does the file have gradients, tilings, masks or blending? What these do to text only the rendering shows."""
    try:
        objects = (pdf.xref_object(number, compressed=True) for number in range(1, pdf.xref_length()))
        return any("/Subtype/Image" not in text and _BLENDS.search(text) for text in objects)
    except DAMAGE:
        return True


def with_all_layers(pdf: pymupdf.Document) -> tuple[pymupdf.Document | None, tuple[str, ...]]:
    """A copy of the PDF with every layer switched on, None when none is off; and a warning when that failed."""
    try:
        layers = list(pdf.get_ocgs())
        if not layers or not _is_some_off(pdf, layers):
            return None, ()
        copy = pymupdf.open(stream=pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_NONE), filetype="pdf")
        copy.set_layer(-1, basestate="ON", on=layers, off=[])
        for layer in layers:
            copy.xref_set_key(layer, "Usage", "null")
        return pymupdf.open(stream=copy.tobytes(), filetype="pdf"), ()
    except DAMAGE as error:
        return None, (f"hidden text: layers that are switched off could not be read ({type(error).__name__})",)


def _is_some_off(pdf: pymupdf.Document, layers: list[int]) -> bool:
    """By the file's own words: PyMuPDF's "on" of a layer without a usage dictionary is always true."""
    state = pdf.get_layer() or {}
    if state.get("off") or state.get("basestate", "ON") != "ON":
        return True
    return any(pdf.xref_get_key(layer, "Usage/View/ViewState")[1] == "/OFF" for layer in layers)
