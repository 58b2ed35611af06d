"""One family of errors. The class writes the sentence: what happened, where, what to do."""

from __future__ import annotations

from typing import Any


class GroundedError(Exception):
    """Root of every error this project raises on purpose. Safe to show to a user.

    what: what happened, one plain clause. where: file, page or setting. advice: what to do now.
    """

    def __init__(self, what: str, *, where: str = "", advice: str = "") -> None:
        self.what, self.where, self.advice = what, where, advice
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """The whole sentence, as a person reads it."""
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}. {self.advice}" if self.advice else head

    @property
    def kind(self) -> str:
        """The error's type name, stable for scripts."""
        return type(self).__name__


class UsageError(GroundedError):
    """The call itself is wrong (missing file, empty question, bad option)."""


class DocumentError(GroundedError):
    """A PDF could not be used."""


class NotAPdf(DocumentError):
    """The bytes are not a PDF."""


class EmptyFile(DocumentError):
    """The file has no bytes."""


class CorruptPdf(DocumentError):
    """The file starts like a PDF but cannot be read, or opens with no pages."""


class NoReadableText(DocumentError):
    """The PDF opens, but none of its pages has text that can be read (scans without OCR, broken fonts)."""


class PasswordNeeded(DocumentError):
    """The PDF is encrypted and no password, or a wrong one, was given."""


class LimitExceeded(DocumentError):
    """A file went over its time, memory or size limit, or killed its worker."""


class LibraryError(GroundedError):
    """The library (index, originals, page data) could not be read or written."""


class LibraryLocked(LibraryError):
    """Another process is writing to the library."""


class ModelError(GroundedError):
    """The model endpoint could not be reached, refused, or answered with something unusable.

    report: what the trace keeps of the failed call (every attempt, with status and wait). Never the key.
    """

    def __init__(self, what: str, *, where: str = "", advice: str = "", report: dict[str, Any] | None = None) -> None:
        super().__init__(what, where=where, advice=advice)
        self.report: dict[str, Any] = report or {}


class ModelKeyRejected(ModelError):
    """No key, a wrong key, or a key without the right (401, 403)."""


class ModelNotFound(ModelError):
    """The endpoint does not know the model, or is no Messages API (404)."""


class ModelRejected(ModelError):
    """The endpoint will not take this request, however often it is sent (400, 413, 422 and other 4xx)."""


class ModelBusy(ModelError):
    """Rate limit, overload or server fault that outlasted the retries (429, 5xx)."""


class ModelUnreachable(ModelError):
    """No connection: refused, name not found, certificate not trusted, or dropped."""


class ModelTimedOut(ModelError):
    """The endpoint was silent for too long, or the whole call went over its deadline."""


class ModelUnusable(ModelError):
    """The endpoint answered, but not with a reply of the Messages API."""


class BudgetReached(ModelError):
    """The next call could go over the money set for a question or a day; it was not sent."""


class AuditError(GroundedError):
    """The audit log could not be written or read."""


class Cancelled(GroundedError):
    """The user stopped the work."""
