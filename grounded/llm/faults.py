"""Every way a call can fail, named once: can it heal, how long to wait, and what a person should do."""

from __future__ import annotations

import email.utils
import random
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grounded import errors
from grounded.settings import ModelSettings

_RETRY_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_TYPE_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed attempt. `error` is the class raised when it is the last."""

    error: type[errors.ModelError]
    message: str
    advice: str
    retryable: bool
    status: int | None = None
    retry_after_s: float | None = None
    request_id: str | None = None

    @property
    def kind(self) -> str:
        """Stable name for the trace."""
        return self.error.__name__

    def raised(self, report: dict[str, Any], where: str) -> errors.ModelError:
        """The exception a caller sees."""
        return self.error(self.message, where=where, advice=self.advice, report=report)


def from_status(status: int, message: str, headers: Mapping[str, str]) -> Fault:
    """A fault from an HTTP status (or the status an error event stands for)."""
    error, what, advice = _describe(status)
    asked = headers.get("x-should-retry")
    return Fault(
        error,
        f"{what} ({status}): {_clip(message)}" if message else f"{what} ({status})",
        advice,
        retryable=asked == "true" or (asked != "false" and (status in _RETRY_STATUSES or status > 504)),
        status=status,
        retry_after_s=retry_after(headers),
        request_id=headers.get("request-id"),
    )


def from_event(data: Any, headers: Mapping[str, str]) -> Fault:
    """A fault from an `error` event inside a stream that began with 200."""
    body = data.get("error") if isinstance(data, dict) else None
    kind = body.get("type") if isinstance(body, dict) else None
    message = body.get("message") if isinstance(body, dict) else None
    return from_status(_TYPE_STATUS.get(str(kind), 500), str(message or kind or data), headers)


def unreachable(error: BaseException) -> Fault:
    """A fault from a connection that was not made or broke."""
    chain = list(_chain(error))
    if any(isinstance(e, ssl.SSLCertVerificationError) for e in chain):
        return _connection("its certificate is not trusted", "Check ANTHROPIC_BASE_URL, the proxy, and the clock.")
    if any(isinstance(e, ssl.SSLError) for e in chain):
        return _connection("no secure connection could be made", "Check that ANTHROPIC_BASE_URL speaks https.")
    if any(isinstance(e, socket.gaierror) for e in chain):
        return _connection("its name was not found", "Check the network and ANTHROPIC_BASE_URL.", retryable=True)
    if any(isinstance(e, ConnectionRefusedError) for e in chain) or "refused" in str(error).lower():
        return _connection("the connection was refused", "Is the server of ANTHROPIC_BASE_URL running?", retryable=True)
    return _connection(
        f"the connection failed ({_innermost(chain)})", "Check the network and ask again.", retryable=True
    )


def dropped(detail: str = "") -> Fault:
    """The stream ended before the message did."""
    return _connection("the reply broke off" + (f" ({detail})" if detail else ""), "Ask again.", retryable=True)


def silent(phase: str, seconds: float) -> Fault:
    """Nothing arrived for longer than allowed."""
    return Fault(
        errors.ModelTimedOut,
        f"{phase} for {seconds:g} s",
        "Ask again, or raise GROUNDED_LLM__FIRST_BYTE_S / GROUNDED_LLM__STALL_S.",
        retryable=True,
    )


def over_deadline(seconds: float, last: Fault | None) -> Fault:
    """The whole call, retries included, took too long."""
    detail = f"; last: {last.message}" if last else ""
    return Fault(
        errors.ModelTimedOut,
        f"no complete reply within the deadline of {seconds:g} s{detail}",
        "Ask again, or raise GROUNDED_LLM__DEADLINE_S.",
        retryable=False,
        status=last.status if last else None,
    )


def unusable(detail: str) -> Fault:
    """A 200 that is not a reply of the Messages API."""
    return Fault(
        errors.ModelUnusable,
        f"the endpoint's answer is not a Messages API reply ({_clip(detail)})",
        "Check ANTHROPIC_BASE_URL.",
        retryable=False,
        status=200,
    )


def wait_before_retry(fault: Fault, attempt: int, settings: ModelSettings) -> float:
    """Seconds to wait after the given attempt (1-based): the server's wish when it has one, else exponential and
    capped. Jitter only ever lengthens a wish and only ever shortens our own wait."""
    if fault.retry_after_s is not None:
        return fault.retry_after_s * (1 + 0.1 * random.random())  # noqa: S311 — jitter, not cryptography
    backoff = min(settings.retry_cap_s, settings.retry_first_s * 2.0 ** (attempt - 1))
    return backoff * (1 - 0.5 * random.random())  # noqa: S311


def too_long_a_wait(fault: Fault, wait: float, left: float) -> Fault:
    """The server asks for more patience than the deadline has."""
    return replace(
        fault,
        message=f"{fault.message}; the server asks to wait {wait:.0f} s, {max(left, 0):.0f} s are left",
        retryable=False,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait: retry-after-ms, or retry-after in seconds or as an HTTP date."""
    if (ms := _number(headers.get("retry-after-ms"))) is not None:
        return ms / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    if value is None or not re.fullmatch(r"\s*\d{1,9}(\.\d+)?\s*", value):
        return None
    return float(value)


def _describe(status: int) -> tuple[type[errors.ModelError], str, str]:
    if status in _SENTENCES:
        return _SENTENCES[status]
    if status >= 500:
        return errors.ModelBusy, "the endpoint has a fault of its own", "Ask again in a minute."
    if 300 <= status < 400:
        return errors.ModelUnusable, "the endpoint redirects elsewhere", "Check ANTHROPIC_BASE_URL."
    return errors.ModelRejected, "the endpoint does not take the request", "The trace holds what was sent."


_SENTENCES: dict[int, tuple[type[errors.ModelError], str, str]] = {
    400: (errors.ModelRejected, "the endpoint calls the request invalid", "Check the model name and the settings."),
    401: (errors.ModelKeyRejected, "the endpoint does not accept the key", "Check ANTHROPIC_API_KEY."),
    402: (errors.ModelKeyRejected, "the account cannot pay for this call", "Check the account's billing."),
    403: (errors.ModelKeyRejected, "the key has no right to this model", "Choose another model or key."),
    404: (errors.ModelNotFound, "the endpoint does not know this model", "Check ANTHROPIC_MODEL and the base URL."),
    413: (errors.ModelRejected, "the request is too large", "Lower --budget-tokens or choose fewer documents."),
    422: (errors.ModelRejected, "the endpoint cannot process the request", "Check the model name and the settings."),
    429: (errors.ModelBusy, "the rate limit is reached", "Ask again in a minute."),
    529: (errors.ModelBusy, "the model is overloaded", "Ask again in a minute."),
}


def _connection(what: str, advice: str, *, retryable: bool = False) -> Fault:
    return Fault(errors.ModelUnreachable, what, advice, retryable=retryable)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    todo = [error]
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        todo += [e for e in (current.__cause__, current.__context__) if e is not None]
        todo += list(getattr(current, "exceptions", ()))


def _innermost(chain: list[BaseException]) -> str:
    return _clip(str(chain[-1]) or type(chain[-1]).__name__)


def _clip(text: str, limit: int = 300) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
