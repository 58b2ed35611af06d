"""The workspace: PDFs in, indexed, listed, removed."""

from grounded.library.results import FileResult, Finding
from grounded.library.workspace import Library

__all__ = ["FileResult", "Finding", "Library"]
