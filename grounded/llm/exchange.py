"""One HTTP attempt: a Messages-API stream, read event by event with its own clocks, gathered into blocks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from grounded.llm import faults
from grounded.llm.messages import Block
from grounded.settings import ModelSettings
from grounded.types import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_DRAIN_S = 0.1
_LEAST_S = 0.01
_MAX_TEXT = 1_000_000  # characters; 21,000 tokens of reply are about a tenth of that
Deliver = Callable[[str, Any], None]


class Failed(Exception):
    """An attempt ended in a fault."""

    def __init__(self, fault: faults.Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True)
class Gathered:
    """What one attempt has brought so far."""

    model: str | None = None
    request_id: str | None = None
    status: int | None = None
    stop_reason: str | None = None
    text: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    open: dict[int, Block] = field(default_factory=dict)
    usage: dict[str, int] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    length: int = 0
    first_text: float | None = None
    complete: bool = False

    def tokens(self) -> Usage:
        """Usage without a price."""
        return Usage(**self.usage)


async def attempt(
    sdk: AsyncAnthropic, body: Mapping[str, Any], settings: ModelSettings, into: Gathered, deliver: Deliver
) -> None:
    """Send `body` once and gather the reply. deliver("text", str) and deliver("block", dict) as they arrive.

    Raises Failed with the fault; a cancelled task closes the connection.
    """
    import anthropic

    began = time.monotonic()
    try:
        stream = await _open(sdk, body, settings)
        try:
            into.status = stream.response.status_code
            into.request_id = stream.response.headers.get("request-id")
            left = max(_LEAST_S, settings.first_byte_s - (time.monotonic() - began))
            await _read(stream.response, left, settings.stall_s, into, deliver)
        finally:
            await stream.close()
    except anthropic.APIStatusError as error:
        into.status, into.request_id = error.status_code, error.request_id
        raise Failed(faults.from_status(error.status_code, _message(error), error.response.headers)) from error
    except anthropic.APITimeoutError as error:
        raise Failed(faults.silent("the endpoint did not take the connection", settings.connect_s)) from error
    except anthropic.APIConnectionError as error:
        raise Failed(faults.unreachable(error)) from error


async def _open(sdk: AsyncAnthropic, body: Mapping[str, Any], settings: ModelSettings) -> Any:
    import httpx2

    clocks = httpx2.Timeout(None, connect=settings.connect_s)  # the others are kept here, phase by phase
    try:
        async with asyncio.timeout(settings.first_byte_s):
            return await sdk.messages.create(**cast(dict[str, Any], dict(body)), stream=True, timeout=clocks)
    except TimeoutError as error:
        raise Failed(faults.silent("the endpoint did not begin to answer", settings.first_byte_s)) from error


async def _read(response: Any, first: float, stall: float, into: Gathered, deliver: Deliver) -> None:
    import anthropic
    import httpx2

    paced = _Paced(response, first, stall)
    try:
        if "event-stream" not in response.headers.get("content-type", "event-stream"):
            return _whole(b"".join([part async for part in paced.aiter_bytes()]), into, deliver)
        events = anthropic.AsyncStream.raw_events(cast(Any, paced))
        async for event in events:
            _take(event.event, event.data, response.headers, into, deliver)
            if into.complete:
                return await _drain(events)
    except httpx2.HTTPError as error:
        raise Failed(faults.dropped(type(error).__name__)) from error
    except UnicodeDecodeError as error:
        raise Failed(faults.unusable("not UTF-8")) from error
    if into.stop_reason is None:
        raise Failed(faults.dropped() if into.model else faults.unusable("an empty stream"))
    into.complete = True
    return None


async def _drain(events: AsyncIterator[Any]) -> None:
    """Read on to the end of the body, so that the connection can be used again; never wait for it."""
    import httpx2

    with contextlib.suppress(TimeoutError, Failed, httpx2.HTTPError, UnicodeDecodeError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in events:
                pass


@dataclass(slots=True)
class _Paced:
    """A response whose bytes must keep coming: `first` seconds for the first, `stall` between the others."""

    response: Any
    first: float
    stall: float

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        source = self.response.aiter_bytes().__aiter__()
        patience, phase = self.first, "the endpoint did not begin to answer"
        while True:
            try:
                async with asyncio.timeout(patience):
                    chunk = await anext(source, None)
            except TimeoutError as error:
                raise Failed(faults.silent(phase, patience)) from error
            if chunk is None:
                return
            yield chunk
            patience, phase = self.stall, "the reply stopped arriving"


def _take(name: str | None, data: str, headers: Mapping[str, str], into: Gathered, deliver: Deliver) -> None:
    if name in (None, "ping") or not data:
        return
    try:
        event = json.loads(data)
    except ValueError as error:
        raise Failed(faults.dropped("an event is not JSON")) from error
    if name == "error" or (isinstance(event, dict) and event.get("type") == "error"):
        raise Failed(faults.from_event(event, headers))
    handler = _EVENTS.get(str(name))
    if handler is None or not isinstance(event, dict):
        into.skipped.add(str(name))
        return
    handler(event, into, deliver)


def _message_start(event: dict[str, Any], into: Gathered, deliver: Deliver) -> None:
    message = _dict(event.get("message"))
    into.model = str(message.get("model") or "") or "unknown"
    _count(message.get("usage"), into)


def _block_start(event: dict[str, Any], into: Gathered, deliver: Deliver) -> None:
    block = dict(_dict(event.get("content_block")))
    into.open[_index(event)] = block
    if block.get("type") == "text" and block.get("text"):
        _add_text(str(block["text"]), into, deliver)


def _block_delta(event: dict[str, Any], into: Gathered, deliver: Deliver) -> None:
    delta = _dict(event.get("delta"))
    block = into.open.setdefault(_index(event), {"type": "text"})
    if delta.get("type") == "text_delta" and isinstance(delta.get("text"), str):
        block["text"] = str(block.get("text") or "") + delta["text"]
        _add_text(delta["text"], into, deliver)
    elif delta.get("type") == "citations_delta":
        block["citations"] = [*(block.get("citations") or []), _dict(delta.get("citation"))]


def _block_stop(event: dict[str, Any], into: Gathered, deliver: Deliver) -> None:
    block = into.open.pop(_index(event), None)
    if block is not None:
        _add_block(block, into, deliver)


def _message_delta(event: dict[str, Any], into: Gathered, deliver: Deliver) -> None:
    reason = _dict(event.get("delta")).get("stop_reason")
    into.stop_reason = str(reason) if reason else into.stop_reason
    _count(event.get("usage"), into)


def _message_stop(event: dict[str, Any], into: Gathered, deliver: Deliver) -> None:
    into.stop_reason = into.stop_reason or "end_turn"
    into.complete = True


_EVENTS: dict[str, Callable[[dict[str, Any], Gathered, Deliver], None]] = {
    "message_start": _message_start,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "content_block_stop": _block_stop,
    "message_delta": _message_delta,
    "message_stop": _message_stop,
}


def _whole(raw: bytes, into: Gathered, deliver: Deliver) -> None:
    """A server that does not stream answers with the whole message at once."""
    try:
        message = json.loads(raw)
    except ValueError as error:
        raise Failed(faults.unusable(raw[:80].decode("utf-8", "replace"))) from error
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        raise Failed(faults.unusable("no content in the message"))
    _message_start({"message": message}, into, deliver)
    for block in content:
        if _dict(block).get("type") == "text":
            _add_text(str(block.get("text") or ""), into, deliver)
        _add_block(_dict(block), into, deliver)
    into.stop_reason = str(message.get("stop_reason") or "end_turn")
    into.complete = True


def _add_text(text: str, into: Gathered, deliver: Deliver) -> None:
    into.length += len(text)
    if into.length > _MAX_TEXT:
        raise Failed(faults.unusable("the reply does not end"))
    into.first_text = into.first_text or time.monotonic()
    into.text.append(text)
    deliver("text", text)


def _add_block(block: Block, into: Gathered, deliver: Deliver) -> None:
    if block.get("type") == "text":
        into.blocks.append(block)
        deliver("block", block)
    else:
        into.skipped.add(str(block.get("type")))


def _count(usage: Any, into: Gathered) -> None:
    """Counts in a stream are running totals: the last one stands."""
    for name in ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"):
        value = _dict(usage).get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            into.usage[name] = value


def _index(event: dict[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _message(error: Any) -> str:
    if error.api_message:
        return str(error.api_message)
    return error.body if isinstance(error.body, str) else ""
