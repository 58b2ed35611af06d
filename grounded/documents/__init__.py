"""PDF bytes -> Document -> Chunks; page + boxes -> PNG. The only home of PyMuPDF, which is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grounded.documents.reader import EXTRACTOR, extractor_name, read

__all__ = ["EXTRACTOR", "extractor_name", "read"]

_HOMES = {"EXTRACTOR": "reader", "extractor_name": "reader", "read": "reader"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
