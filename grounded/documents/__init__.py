"""PDF bytes -> Document -> Chunks; page + boxes -> PNG. The only home of PyMuPDF, which is imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grounded.documents.archive import PageArchive, pack_pages
    from grounded.documents.chunks import chunk
    from grounded.documents.pool import read_many
    from grounded.documents.reader import EXTRACTOR, extractor_name, read
    from grounded.documents.rendering import page_size, render, rendered_size

__all__ = [
    "EXTRACTOR",
    "PageArchive",
    "chunk",
    "extractor_name",
    "pack_pages",
    "page_size",
    "read",
    "read_many",
    "render",
    "rendered_size",
]

_HOMES = {
    "EXTRACTOR": "reader",
    "PageArchive": "archive",
    "chunk": "chunks",
    "extractor_name": "reader",
    "page_size": "rendering",
    "read": "reader",
    "read_many": "pool",
    "render": "rendering",
    "rendered_size": "rendering",
    "pack_pages": "archive",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
