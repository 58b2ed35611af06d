"""What the library says about its work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import Field

from grounded.documents.readability import NO_OCR
from grounded.errors import GroundedError, NoReadableText
from grounded.types import Coverage, DocumentRecord, Frozen

Status = Literal["added", "unchanged", "renamed", "reindexed", "unreadable", "failed"]


class Problem(Frozen):
    """Why a file is not usable: the error's type name and its sentence."""

    type: str
    message: str


class FileResult(Frozen):
    """What became of one file."""

    path: str
    status: Status = Field(
        description="renamed: the same bytes were there under another name, the document now has both; reindexed: "
        "a setting had changed; unreadable: kept, but no page has text; failed: not kept"
    )
    document: str | None = None
    pages: int = 0
    readable_pages: int = 0
    chunks: int = 0
    coverage: Coverage | None = None
    error: Problem | None = None

    @property
    def usable(self) -> bool:
        """Can questions be asked of it?"""
        return self.error is None


class Finding(Frozen):
    """Something `verify` found wrong. document: its id, or "" for the index itself."""

    document: str
    code: str
    detail: str


Progress = Callable[[int, int, FileResult], None]  # files done, files in all, the file just done
PageProgress = Callable[[str, int, int], None]  # name, pages read, pages in all


def failed(path: str, error: GroundedError) -> FileResult:
    """The result of a file that could not be added."""
    return FileResult(path=path, status="failed", error=Problem(type=error.kind, message=error.message))


def kept(path: str, status: Status, record: DocumentRecord) -> FileResult:
    """The result of a file that is in the library."""
    problem = None if record.readable_pages else no_text(path, record)
    return FileResult(
        path=path,
        status=status if problem is None else "unreadable",
        document=record.id,
        pages=record.pages,
        readable_pages=record.readable_pages,
        chunks=record.chunks,
        coverage=record.coverage,
        error=problem,
    )


def no_text(path: str, record: DocumentRecord) -> Problem:
    """Why a document without a readable page cannot be asked."""
    reasons = "; ".join(dict.fromkeys(record.coverage.unread.values())) or "the pages are blank"
    remedy = "add a version with text"
    if NO_OCR in reasons:
        remedy = f"install Tesseract to have scans read, or {remedy}"
    error = NoReadableText(
        f"none of its {record.pages} pages has text that can be read ({reasons})",
        where=path,
        advice=f"It stays listed; {remedy}",
    )
    return Problem(type=error.kind, message=error.message)
