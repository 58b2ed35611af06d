"""One page: characters, hidden text taken out, doubts about the rest, OCR where there is nothing to read."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple

import pymupdf

from grounded.documents import hidden, ocr, readability
from grounded.documents.assemble import NOTHING, assemble
from grounded.documents.characters import FLAGS, Characters, Fragment, read_characters
from grounded.documents.layout import PageLayout
from grounded.documents.pdf import DAMAGE, blends, has_inline_image, picture_annotations, with_all_layers
from grounded.settings import DocumentSettings
from grounded.types import Page

# A page with fewer characters than this under a picture over most of it is probably a scan with a stamp on it.
_FEW_CHARACTERS, _MOST_OF_PAGE = 150, 0.7
# OCR may take this share of a file's time; pages after that stay unread and say so.
_OCR_SHARE = 0.7
_BLANK_PIXELS = 1_000_000


class _Reading(NamedTuple):
    """What of a page is believed, and why not more."""

    characters: Characters
    fragments: tuple[Fragment, ...]
    reason: str = ""
    source: Literal["text", "ocr"] = "text"
    warnings: tuple[str, ...] = ()


class PageReader:
    """Reads the pages of one open PDF."""

    def __init__(self, pdf: pymupdf.Document, settings: DocumentSettings) -> None:
        self._pdf, self._settings = pdf, settings
        self._ocr_until = time.monotonic() + _OCR_SHARE * settings.timeout_s
        self._all_layers, self.warnings = with_all_layers(pdf)
        self._blends = blends(pdf)

    def read(self, number: int, label: str) -> tuple[PageLayout, Page]:
        """The 1-based page. A page that cannot be read says why; nothing is raised for it."""
        try:
            sheet = self._pdf[number - 1]
            return self._read(sheet, label)
        except DAMAGE as error:
            return _damaged(number, label, f"the page is damaged ({type(error).__name__})")

    def _read(self, sheet: pymupdf.Page, label: str) -> tuple[PageLayout, Page]:
        characters = read_characters(sheet)
        drawing = _drawing(sheet, characters)
        layers = self._all_layers[sheet.number] if self._all_layers else None
        findings = hidden.separate(sheet, characters, drawing, all_layers=layers, blends=self._blends)
        reading = self._believe(sheet, characters, findings, drawing)
        made = assemble(reading.characters, reading.fragments) if not reading.reason else NOTHING
        number, width, height = sheet.number + 1, float(sheet.rect.width), float(sheet.rect.height)
        images = tuple(image.box for image in drawing.images)
        layout = PageLayout(number, label, width, height, made.text, made.boxes, made.lines, characters.rules, images)
        page = Page(
            number=number,
            label=label,
            width=width,
            height=height,
            rotation=sheet.rotation,
            text=made.text,
            boxes=made.boxes,
            stream=made.stream,
            readable=not reading.reason,
            unread_reason=reading.reason,
            source=reading.source,
            hidden=findings.hidden,
            warnings=findings.warnings + reading.warnings,
        )
        return layout, page

    def _believe(
        self, sheet: pymupdf.Page, characters: Characters, findings: hidden.Findings, drawing: hidden.Drawing
    ) -> _Reading:
        reason, warning = _doubts(sheet, characters, findings.fragments, drawing)
        warnings = (warning,) if warning else ()
        if reason == readability.BAD_ENCODING and (spoken := _actual_text(sheet)) is not None:
            said = "the font has no Unicode; the text is the file's ActualText, not what is printed"
            return _Reading(spoken, spoken.fragments, warnings=(said,))
        if reason in readability.WORTH_OCR:
            return self._recognise(sheet, characters, reason)
        if findings.is_ocr_layer:
            said = "the text is an invisible layer made by OCR software; it was not compared with the picture"
            return _Reading(characters, findings.fragments, source="ocr", warnings=(*warnings, said))
        return _Reading(characters, findings.fragments, reason, warnings=warnings)

    def _recognise(self, sheet: pymupdf.Page, characters: Characters, reason: str) -> _Reading:
        if self._settings.ocr == "off":
            return _Reading(characters, (), reason)
        if not ocr.available(self._settings.ocr_language):
            return _Reading(characters, (), f"{reason}; {readability.NO_OCR}")
        if time.monotonic() > self._ocr_until:
            return _Reading(characters, (), f"{reason}; no time was left for OCR")
        try:
            found = ocr.recognise(sheet, self._settings.ocr_language)
        except DAMAGE as error:
            return _Reading(characters, (), f"{reason}; OCR failed ({type(error).__name__})")
        if found is None:
            return _Reading(characters, (), f"{reason}; OCR found no words")
        return _Reading(found, found.fragments, source="ocr")


def _drawing(sheet: pymupdf.Page, characters: Characters) -> hidden.Drawing:
    """Pictures and drawing operations, where they matter."""
    annotations = picture_annotations(sheet)
    if characters.fragments and not annotations and not sheet.get_images() and not has_inline_image(sheet):
        return hidden.Drawing((), (), 0)
    return hidden.read_drawing(sheet, [(rect.x0, rect.y0, rect.x1, rect.y1) for rect in annotations])


def _doubts(
    sheet: pymupdf.Page, characters: Characters, fragments: tuple[Fragment, ...], drawing: hidden.Drawing
) -> tuple[str, str]:
    """(why the page cannot be read or "", warning or "")."""
    if fragments:
        reason, warning = readability.doubts(characters, fragments)
        return reason, warning or _beside_picture(fragments, drawing, sheet.rect.width * sheet.rect.height)
    if drawing.images:
        return readability.IMAGE_ONLY, ""
    return (readability.SHAPES_ONLY if drawing.paths and not _is_blank(sheet) else readability.BLANK), ""


def _is_blank(sheet: pymupdf.Page) -> bool:
    """Nothing is to be seen: every pixel has one colour."""
    scale = min(1.0, (_BLANK_PIXELS / max(1.0, sheet.rect.width * sheet.rect.height)) ** 0.5)
    pixmap = sheet.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    return bool(pixmap.is_unicolor)


def _beside_picture(fragments: tuple[Fragment, ...], drawing: hidden.Drawing, area: float) -> str:
    """A warning when a picture fills most of a page with little text."""
    largest = max((hidden.area(image.box) for image in drawing.images), default=0.0)
    if largest < _MOST_OF_PAGE * area or sum(f.end - f.start for f in fragments) >= _FEW_CHARACTERS:
        return ""
    return "a picture fills most of the page; text inside it is not read"


def _actual_text(sheet: pymupdf.Page) -> Characters | None:
    """The page with ActualText in place of the glyphs, when that can be read."""
    spoken = read_characters(sheet, FLAGS & ~pymupdf.TEXT_IGNORE_ACTUALTEXT)
    reason, _ = readability.doubts(spoken, spoken.fragments)
    return None if reason or not spoken.fragments else spoken


def _damaged(number: int, label: str, reason: str) -> tuple[PageLayout, Page]:
    layout = PageLayout(number, label, 0.0, 0.0, "", NOTHING.boxes, ())
    return layout, Page(number, label, 0.0, 0.0, 0, "", NOTHING.boxes, readable=False, unread_reason=reason)
