"""Reading pages that have no usable text with Tesseract, when it is installed.

The displayed page is rendered, recognised, and the characters come back in the frame of the page as displayed.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pymupdf

from grounded.documents.characters import FLAGS, Characters, Piece, read_characters, transformed
from grounded.documents.pdf import DAMAGE
from grounded.documents.readability import wordlike_share

DPI = 200
_PIXELS = 12_000_000
_TURNS = (0, 90, 270, 180)  # degrees the picture is turned by before it is read, likeliest first
_GOOD_WORDS, _GOOD_SHARE = 5, 0.5
# MuPDF writes recognised text invisibly, and unclipped it keeps words at the very edge.
_OCR_FLAGS = FLAGS & ~(pymupdf.TEXT_CLIP | pymupdf.TEXT_COLLECT_VECTORS)

# Tesseract's own threads fight over the cores that the worker processes already use.
os.environ.setdefault("OMP_THREAD_LIMIT", "1")


@lru_cache(maxsize=1)
def _tessdata() -> str | None:
    try:
        found = pymupdf.get_tessdata()
    except DAMAGE:
        return None
    return str(found) if found else None


def available(language: str) -> bool:
    """Tesseract's data for every part of `language` ("eng+deu") is installed."""
    folder = _tessdata()
    return folder is not None and all(Path(folder, f"{part}.traineddata").exists() for part in language.split("+"))


def recognise(sheet: pymupdf.Page, language: str) -> Characters | None:
    """The characters of a page by OCR; None when nothing like words was found, turned any way.

    Raises what PyMuPDF raises.
    """
    best: tuple[int, Characters] | None = None
    for turn in _TURNS:
        characters = _recognise_turned(sheet, language, turn)
        words, share = wordlike_share(characters.text)
        if words >= _GOOD_WORDS and share >= _GOOD_SHARE:
            return characters
        score = round(words * share)
        if score > (best[0] if best else 0):
            best = score, characters
    return best[1] if best else None


def _recognise_turned(sheet: pymupdf.Page, language: str, turn: int) -> Characters:
    area = max(1.0, sheet.rect.width * sheet.rect.height)
    scale = min(DPI / 72, (_PIXELS / area) ** 0.5)
    matrix = pymupdf.Matrix(scale, scale).prerotate(turn)
    pixmap = sheet.get_pixmap(matrix=matrix, alpha=False)
    data = pixmap.pdfocr_tobytes(compress=False, language=language, tessdata=_tessdata())
    with pymupdf.open(stream=data, filetype="pdf") as pdf:
        page = pdf[0]
        found = read_characters(page, _OCR_FLAGS)
        pixels = pymupdf.Matrix(pixmap.width / page.rect.width, pixmap.height / page.rect.height)
    return _moved(found, pixels * pymupdf.Matrix(1, 0, 0, 1, pixmap.x, pixmap.y) * ~matrix)


def _moved(found: Characters, matrix: pymupdf.Matrix) -> Characters:
    """The recognised characters in another frame; `matrix` turns by quarters only."""
    turn = round(math.degrees(math.atan2(matrix.b, matrix.a)) / 90) * 90
    boxes = transformed(found.boxes, matrix)
    lines = transformed(np.array([f.box for f in found.fragments], np.float32).reshape(-1, 4), matrix).tolist()
    shrink = math.hypot(matrix.a, matrix.b)
    fragments = tuple(
        f._replace(box=tuple(box), angle=(f.angle + turn) % 360, pieces=tuple(_scaled(p, shrink) for p in f.pieces))
        for f, box in zip(found.fragments, lines, strict=True)
    )
    return replace(found, boxes=boxes, fragments=fragments)


def _scaled(piece: Piece, factor: float) -> Piece:
    """A piece with its font size in the page's frame; what OCR software writes counts as printed."""
    return piece._replace(style=piece.style._replace(size=piece.style.size * factor, alpha=255, inked=True))
