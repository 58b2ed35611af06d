"""The only door to a model provider: one call, its retries, its clocks, its money, its record."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from grounded.errors import BudgetReached, Cancelled, ModelKeyRejected, ModelUnreachable, UsageError
from grounded.llm import faults, loop, prices
from grounded.llm.exchange import Failed, Gathered, attempt
from grounded.llm.messages import Attempt, Block, Call, Reply, Turn
from grounded.llm.prices import price_table
from grounded.llm.purse import Purse
from grounded.llm.tokens import estimate_call_tokens, estimate_tokens
from grounded.settings import Settings
from grounded.text import without_login
from grounded.types import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_POLL_S = 0.05  # how often Stop is looked at while nothing arrives
_CLEANUP_S = 0.5  # how long to wait for a cancelled request to close its connection
_FORMAT_WORDS = ("output_config", "output_format", "json_schema", "structured output")
_KEY_LENGTH = 12
DEFAULT_URL = "https://api.anthropic.com"


def never() -> bool:
    """Nobody cancels."""
    return False


@dataclass(slots=True)
class _Conversation:
    """State of one call, shared by the caller's thread and the background loop."""

    call: Call
    ceiling: float | None = None
    inbox: queue.SimpleQueue[tuple[str, Any] | None] = field(default_factory=queue.SimpleQueue)
    finished: threading.Event = field(default_factory=threading.Event)
    began: float = field(default_factory=time.monotonic)
    attempts: list[Attempt] = field(default_factory=list)
    spent: list[Usage] = field(default_factory=list)
    current: Gathered = field(default_factory=Gathered)
    fault: faults.Fault | None = None
    cancelled: bool = False
    strict: bool = True
    notes: list[str] = field(default_factory=list)


class Client:
    """Make one per question: it counts that question's money and tokens. Connections are shared between clients.

    The key is read from the settings and never leaves this module except in the request's own header.
    """

    def __init__(self, settings: Settings, purse: Purse | None = None) -> None:
        self.settings = settings
        self.purse = purse or Purse(settings.llm)
        self.prices = price_table(settings.llm.prices)
        self._usages: list[Usage] = []
        self._key, self._url = _key(settings), endpoint(settings)

    @property
    def usage(self) -> Usage:
        """Everything this client has used so far."""
        return prices.add(self._usages)

    def send(
        self,
        call: Call,
        *,
        on_text: Callable[[str], None] | None = None,
        on_block: Callable[[Block], None] | None = None,
        cancelled: Callable[[], bool] = never,
    ) -> Reply:
        """Send a call and return what came back. The callbacks run in the caller's thread, while the reply arrives.

        A failed attempt is retried while nothing has been handed to a callback; after that a broken reply comes
        back as it is, with `complete=False`. A stopped call comes back with `cancelled=True` within a second.
        Raises ModelError (with every attempt in its report) when there is no reply at all.
        """
        talk = self._talk(call, on_text, on_block, cancelled)
        reply = self._reply(talk)
        if talk.fault and not talk.cancelled and not reply.text:
            raise talk.fault.raised(reply.report(), without_login(self._url))
        return reply

    def _talk(
        self,
        call: Call,
        on_text: Callable[[str], None] | None,
        on_block: Callable[[Block], None] | None,
        cancelled: Callable[[], bool],
    ) -> _Conversation:
        talk = _Conversation(call)
        if self.purse.limited:
            talk.ceiling = self.estimate_usd(call, cancelled=cancelled)
        if cancelled():
            talk.cancelled = True
            return talk
        try:
            self._converse(talk, on_text, on_block, cancelled)
        except BudgetReached as error:
            error.report = {"purpose": call.purpose, "attempts": [a.model_dump(mode="json") for a in talk.attempts]}
            raise
        finally:
            self._usages.extend(talk.spent)
        return talk

    def complete(self, call: Call, *, cancelled: Callable[[], bool] = never) -> Reply:
        """Send a call whose reply is of use only whole. Raises Cancelled when stopped, ModelError when it broke."""
        talk = self._talk(call, None, None, cancelled)
        if talk.cancelled:
            raise Cancelled("stopped by the user")
        reply = self._reply(talk)
        if talk.fault:
            raise talk.fault.raised(reply.report(), without_login(self._url))
        return reply

    def estimate_usd(self, call: Call, *, cancelled: Callable[[], bool] = never) -> float | None:
        """The most the call can cost, with the endpoint's own token count where it has one; None when unknown."""
        return self.prices.ceiling(call.model, self.count_tokens(call, cancelled=cancelled)[0], call.max_tokens)

    def count_tokens(self, call: Call, *, cancelled: Callable[[], bool] = never) -> tuple[int, str]:
        """Prompt tokens of a call and how they were counted: 'count_tokens', or 'estimate' when that failed."""
        counting = loop.submit(self._count(call.body()))
        while not cancelled():
            try:
                return counting.result(_POLL_S), "count_tokens"
            except Failed:
                break
            except TimeoutError:
                continue
        counting.cancel()
        return estimate_call_tokens(call), "estimate"

    def text_counter(self, model: str) -> Callable[[str], int]:
        """A counter for the context assembler; falls back to the estimate at the first failure."""
        state = {"endpoint": True}

        def count(text: str) -> int:
            if not state["endpoint"] or not text:
                return estimate_tokens(text)
            turn: Turn = {"role": "user", "content": text}
            tokens, how = self.count_tokens(Call(purpose="count", model=model, messages=(turn,), max_tokens=1))
            state["endpoint"] = how == "count_tokens"
            return tokens

        return count

    def _converse(
        self,
        talk: _Conversation,
        on_text: Callable[[str], None] | None,
        on_block: Callable[[Block], None] | None,
        cancelled: Callable[[], bool],
    ) -> None:
        delivered = threading.Event()
        future = loop.submit(self._run(talk, delivered if on_text or on_block else None))
        future.add_done_callback(lambda _: talk.inbox.put(None))
        try:
            talk.cancelled = not _listen(talk.inbox, {"text": on_text, "block": on_block}, delivered, cancelled)
        finally:
            if not future.done():
                future.cancel()
                talk.finished.wait(_CLEANUP_S)
        if not future.cancelled():
            future.result()

    async def _run(self, talk: _Conversation, delivered: threading.Event | None) -> None:
        deadline = self.settings.llm.deadline_s
        try:
            async with asyncio.timeout(deadline):
                await self._attempts(talk, delivered, talk.began + deadline)
        except TimeoutError:
            talk.fault = faults.over_deadline(deadline, talk.fault)
        finally:
            talk.finished.set()

    async def _attempts(self, talk: _Conversation, delivered: threading.Event | None, end: float) -> None:
        limit = self.settings.llm.max_attempts
        while True:
            talk.current = Gathered()
            number = len(talk.attempts) + 1
            talk.fault = await self._attempt(talk, number)
            if talk.fault is None or (delivered and delivered.is_set()):
                return
            if _format_refused(talk):
                continue
            if not talk.fault.retryable or number >= limit:
                return
            wait = faults.wait_before_retry(talk.fault, number, self.settings.llm)
            if time.monotonic() + wait >= end:
                talk.fault = faults.too_long_a_wait(talk.fault, wait, end - time.monotonic())
                return
            talk.attempts[-1] = talk.attempts[-1].model_copy(update={"waited_s": round(wait, 3)})
            await asyncio.sleep(wait)

    async def _attempt(self, talk: _Conversation, number: int) -> faults.Fault | None:
        reserved = self.purse.reserve(talk.ceiling, talk.call.model)
        started, clock = datetime.now(UTC).isoformat(timespec="milliseconds"), time.monotonic()
        fault: faults.Fault | None = None
        outcome = "cancelled"
        try:
            body = talk.call.body(strict=talk.strict)
            await attempt(_sdk(self._key, self._url), body, self.settings.llm, talk.current, _deliver(talk))
            outcome = "ok"
        except Failed as failed:
            fault = self._scrubbed(failed.fault)
            outcome = fault.kind
        finally:
            talk.attempts.append(
                Attempt(
                    number=number,
                    started=started,
                    status=talk.current.status,
                    outcome=outcome,
                    message=fault.message if fault else "",
                    request_id=talk.current.request_id,
                    elapsed_ms=round((time.monotonic() - clock) * 1000, 1),
                    retry_after_s=fault.retry_after_s if fault else None,
                )
            )
            talk.spent.append(self._priced(talk.current, talk.call.model))
            self.purse.settle(reserved, _known_cost(talk.current, talk.spent[-1], fault))
        return fault

    async def _count(self, body: dict[str, Any]) -> int:
        import anthropic

        body = {k: v for k, v in body.items() if k in ("model", "messages", "system")}
        try:
            async with asyncio.timeout(self.settings.llm.connect_s):
                counted = await _sdk(self._key, self._url).messages.count_tokens(**body)
        except (anthropic.AnthropicError, TimeoutError) as error:
            raise Failed(faults.unusable("count_tokens")) from error
        tokens = getattr(counted, "input_tokens", None)
        if not isinstance(tokens, int):
            raise Failed(faults.unusable("count_tokens"))
        return tokens

    def _priced(self, gathered: Gathered, asked: str) -> Usage:
        usage = gathered.tokens()
        if not prices.tokens(usage):
            return usage
        cost = self.prices.cost(gathered.model, usage)
        return usage.model_copy(update={"cost_usd": cost if cost is not None else self.prices.cost(asked, usage)})

    def _reply(self, talk: _Conversation) -> Reply:
        got, now = talk.current, time.monotonic()
        return Reply(
            purpose=talk.call.purpose,
            model_asked=talk.call.model,
            model=got.model,
            request_id=got.request_id,
            request_sha256=talk.call.sha256,
            text=self._scrub("".join(got.text)),
            blocks=tuple(got.blocks),
            stop_reason=got.stop_reason,
            complete=got.complete and talk.fault is None,
            cancelled=talk.cancelled,
            fault=talk.fault.message if talk.fault else None,
            usage=prices.add(talk.spent),
            attempts=tuple(talk.attempts),
            notes=(*talk.notes, *(f"skipped a {kind} block" for kind in sorted(got.skipped - {"thinking"}))),
            elapsed_ms=round((now - talk.began) * 1000, 1),
            first_text_ms=round((got.first_text - talk.began) * 1000, 1) if got.first_text else None,
        )

    def _scrub(self, text: str) -> str:
        """The text without the key, in case an endpoint sends it back. Short keys are placeholders and may be words."""
        return text.replace(self._key, "[key]") if len(self._key) >= _KEY_LENGTH else text

    def _scrubbed(self, fault: faults.Fault) -> faults.Fault:
        return replace(fault, message=self._scrub(fault.message))


def endpoint(settings: Settings) -> str:
    """The address every call goes to. Raises UsageError when it is no http(s) address."""
    url = (settings.base_url or DEFAULT_URL).strip()
    if not _is_address(url):
        raise UsageError(
            "the model's address must be http:// or https:// with a host",
            where="ANTHROPIC_BASE_URL",
            advice="For example http://localhost:8080.",
        )
    return url


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        return parts.scheme in ("http", "https") and bool(host) and parts.port != 0
    except ValueError:  # no port number, no host name
        return False


def _key(settings: Settings) -> str:
    key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
    if not key and settings.base_url:
        return "local"  # a server of one's own asks for none, but the SDK wants a value
    if not key:
        raise ModelKeyRejected(
            "no key is set", where="ANTHROPIC_API_KEY", advice="Set it in .env, or use --reader extractive."
        )
    if not key.isascii() or any(c.isspace() for c in key):
        raise ModelKeyRejected("the key has characters no key has", where="ANTHROPIC_API_KEY", advice="Copy it again.")
    return key


@lru_cache(maxsize=8)
def _sdk(key: str, url: str) -> AsyncAnthropic:
    """One SDK client, and so one pool of connections, per key and address. Our own loop does the retries, and no
    redirect is followed: sources go to the address the user was shown and nowhere else."""
    import anthropic

    transport = anthropic.DefaultAsyncHttpxClient(follow_redirects=False)
    return anthropic.AsyncAnthropic(
        api_key=key, base_url=url, max_retries=0, http_client=transport, open_telemetry=False
    )


def _listen(
    inbox: queue.SimpleQueue[tuple[str, Any] | None],
    handlers: dict[str, Callable[[Any], None] | None],
    delivered: threading.Event,
    cancelled: Callable[[], bool],
) -> bool:
    """Hand out what arrives until the end (True) or until the caller cancels (False)."""
    while not cancelled():
        try:
            item = inbox.get(timeout=_POLL_S)
        except queue.Empty:
            continue
        if item is None:
            return True
        if handler := handlers[item[0]]:
            delivered.set()
            handler(item[1])
    return False


def _deliver(talk: _Conversation) -> Callable[[str, Any], None]:
    return lambda kind, value: talk.inbox.put((kind, value))


def _known_cost(got: Gathered, usage: Usage, fault: faults.Fault | None) -> float | None:
    """What an attempt cost for certain: nothing when it was turned away; None when it may have been billed."""
    if got.complete:
        return usage.cost_usd
    turned_away = fault is not None and (fault.error is ModelUnreachable or got.status not in (None, 200))
    return 0.0 if turned_away and got.model is None else None


def _format_refused(talk: _Conversation) -> bool:
    """Older models and some local servers refuse a reply schema: ask once more without it, and say so."""
    fault = talk.fault
    if not talk.strict or talk.call.output_schema is None or fault is None or fault.status not in (400, 422):
        return False
    if not any(
        word in fault.message for word in ("output_config", "output_format", "json_schema", "structured output")
    ):
        return False
    talk.strict = False
    talk.notes.append("the endpoint takes no reply schema: asked in words instead")
    return True


def usages(replies: Sequence[Reply]) -> Usage:
    """The sum over several replies."""
    return prices.add(reply.usage for reply in replies)
