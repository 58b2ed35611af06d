"""A client that answers from a record: no network, no money, the same replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grounded.errors import ModelError
from grounded.llm.client import Client, never
from grounded.llm.messages import Block, Call, Reply
from grounded.llm.prices import price_table
from grounded.llm.purse import Purse
from grounded.llm.tokens import estimate_call_tokens
from grounded.settings import Settings
from grounded.types import Usage


class RecordedClient(Client):
    """Gives each call the recorded reply to exactly that request, found by the request's digest.

    Raises ModelError for a request that is not in the record: something asked for it differently.
    """

    def __init__(self, settings: Settings, spans: Iterable[Mapping[str, Any]]) -> None:
        self.settings, self.purse, self.prices = settings, Purse(settings.llm), price_table(settings.llm.prices)
        self._usages: list[Usage] = []
        self._reports = {report["request_sha256"]: report for span in spans for report in _reports(span["output"])}

    def send(
        self,
        call: Call,
        *,
        on_text: Callable[[str], None] | None = None,
        on_block: Callable[[Block], None] | None = None,
        cancelled: Callable[[], bool] = never,
    ) -> Reply:
        """The recorded reply, handed to the callbacks in one piece."""
        report = self._reports.get(call.sha256)
        if report is None:
            raise ModelError("this request is not in the record", where=call.purpose, advice="It was asked differently")
        known = {name: report[name] for name in Reply.model_fields if name in report}
        reply = Reply.model_validate(known | {"text": report["raw"]})
        self._usages.append(reply.usage)
        if on_text and reply.text:
            on_text(reply.text)
        for block in reply.blocks if on_block else ():
            on_block(block)  # type: ignore[misc]
        return reply

    def complete(self, call: Call, *, cancelled: Callable[[], bool] = never) -> Reply:
        """The recorded reply. Raises ModelError when it broke off then, too."""
        reply = self.send(call)
        if not reply.complete:
            raise ModelError(reply.fault or "the recorded reply broke off", where=call.purpose, report=reply.report())
        return reply

    def count_tokens(self, call: Call, *, cancelled: Callable[[], bool] = never) -> tuple[int, str]:
        """An estimate: nobody is asked."""
        return estimate_call_tokens(call), "estimate"


def _reports(value: Any) -> list[dict[str, Any]]:
    """Every record of a reply inside a span's output."""
    if isinstance(value, dict):
        own = [value] if "request_sha256" in value and "raw" in value else []
        return own + [report for item in value.values() for report in _reports(item)]
    return [report for item in value for report in _reports(item)] if isinstance(value, list) else []
