"""One family of errors. The class writes the sentence: what happened, where, what to do."""

from __future__ import annotations


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


class PasswordNeeded(DocumentError):
    """The PDF is encrypted and no password, or a wrong one, was given."""


class LimitExceeded(DocumentError):
    """A file went over its time, memory or size limit, or killed its worker."""


class LibraryError(GroundedError):
    """The library (index, originals, page data) could not be read or written."""


class LibraryLocked(LibraryError):
    """Another process is writing to the library."""


class ModelError(GroundedError):
    """The model endpoint could not be reached, refused, or answered with something unusable."""


class AuditError(GroundedError):
    """The audit log could not be written or read."""


class Cancelled(GroundedError):
    """The user stopped the work."""
