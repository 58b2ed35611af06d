"""What leaves the machine, in words for the screen, before the first question is asked."""

from __future__ import annotations

from urllib.parse import urlsplit

from grounded.llm.client import endpoint
from grounded.settings import Settings
from grounded.text import is_this_machine, without_login
from grounded.types import Frozen


class Disclosure(Frozen):
    """Where questions and passages go. `host` is None when nothing leaves the machine."""

    host: str | None
    address: str | None = None
    models: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The whole of it in one sentence."""
        if self.host is None:
            where = f" The model runs here ({self.address})." if self.address else ""
            return f"Nothing leaves this machine.{where}"
        return (
            f"Sent to {self.host} ({', '.join(self.models)}): {', '.join(self.sent)}. Not sent: {', '.join(self.kept)}."
        )


def disclosure(settings: Settings) -> Disclosure:
    """What the settings imply. Raises UsageError when the address is none."""
    if settings.reader_in_use == "extractive":
        return Disclosure(host=None)
    url = endpoint(settings)
    models = tuple(dict.fromkeys((settings.model, settings.verification.model)))
    if is_this_machine(url):
        return Disclosure(host=None, address=without_login(url), models=models)
    return Disclosure(
        host=urlsplit(url).hostname,
        address=without_login(url),
        models=models,
        sent=("your question", "the passages found for it, with document names", "the claims of the answer"),
        kept=("the PDF files", "pages that were not found", "the audit log"),
    )
