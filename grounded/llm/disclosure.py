"""What leaves the machine, in words for the screen, before the first question is asked."""

from __future__ import annotations

from urllib.parse import urlsplit

from grounded.llm.client import endpoint
from grounded.settings import Settings
from grounded.text import is_this_machine, without_login
from grounded.types import Frozen

_SENT = ("your question", "the passages found for it with their document names", "the claims of the answer")
_KEPT = ("the PDFs", "all other pages", "the record")


class Disclosure(Frozen):
    """Where questions and passages go. `address` is None when no model is called, `host` when it runs here."""

    host: str | None = None
    address: str | None = None
    models: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The whole of it, in words."""
        if self.address is None:
            return "Nothing leaves this machine: answers are words of your documents, no model is called."
        to = f"{self.host or self.address} ({', '.join(self.models)})"
        here = "" if self.host else " on this machine"
        return f"{_listed(_SENT)} are sent to {to}{here}. {_listed(_KEPT)} stay on this machine."


def disclosure(settings: Settings) -> Disclosure:
    """What the settings imply. Raises UsageError when the address is none."""
    if settings.reader_in_use == "extractive":
        return Disclosure()
    url = endpoint(settings)
    host = None if is_this_machine(url) else urlsplit(url).hostname
    models = tuple(dict.fromkeys((settings.model, settings.verification.model)))
    return Disclosure(host=host, address=without_login(url), models=models)


def _listed(parts: tuple[str, ...]) -> str:
    text = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return text[0].upper() + text[1:]
