"""What goes to the model and what comes back, as values the trace can hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from grounded.types import Frozen, Usage

Block = dict[str, Any]
Turn = dict[str, Any]


class Call(Frozen):
    """One request. `messages` are Messages-API turns; `output_schema` makes the reply strict JSON."""

    purpose: str = Field(description="generate, repair, verify, rewrite, plan, judge, …: names the call in the trace")
    model: str
    system: str = ""
    messages: tuple[Turn, ...]
    max_tokens: int = Field(ge=1)
    output_schema: Mapping[str, Any] | None = None
    effort: Literal["low", "medium", "high"] | None = None

    def body(self, *, strict: bool = True) -> dict[str, Any]:
        """The request body. The system prompt is the stable prefix and is marked for caching."""
        body: dict[str, Any] = {"model": self.model, "max_tokens": self.max_tokens, "messages": list(self.messages)}
        if self.system:
            body["system"] = [{"type": "text", "text": self.system, "cache_control": {"type": "ephemeral"}}]
        config: dict[str, Any] = {}
        if strict and self.output_schema is not None:
            config["format"] = {"type": "json_schema", "schema": dict(self.output_schema)}
        if self.effort:
            config["effort"] = self.effort
        return body | ({"output_config": config} if config else {})

    @property
    def sha256(self) -> str:
        """Digest of the body (sorted keys): two calls with the same digest asked the same thing."""
        return hashlib.sha256(json.dumps(self.body(), sort_keys=True).encode()).hexdigest()


class Attempt(Frozen):
    """One HTTP request and how it ended."""

    number: int = Field(ge=1)
    started: str = Field(description="UTC, ISO 8601")
    status: int | None = Field(description="HTTP status; None when there was no response")
    outcome: str = Field(description="ok, cancelled, or the kind of fault")
    message: str = ""
    request_id: str | None = None
    elapsed_ms: float
    retry_after_s: float | None = Field(default=None, description="what the server asked for")
    waited_s: float = Field(default=0, description="wait before the next attempt")


class Reply(Frozen):
    """What the model answered, whole or in part. A reply in part says why in `fault` or `cancelled`."""

    purpose: str
    model_asked: str
    model: str | None
    request_id: str | None
    request_sha256: str
    text: str = ""
    blocks: tuple[Block, ...] = Field(default=(), description="completed content blocks, thinking left out")
    stop_reason: str | None = None
    complete: bool = Field(description="the stream ended as the API ends a message")
    cancelled: bool = False
    fault: str | None = None
    usage: Usage = Usage()
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    elapsed_ms: float = 0
    first_text_ms: float | None = None

    def report(self) -> dict[str, Any]:
        """For the trace: the text as `raw`, and the blocks only where they say more than the text (citations)."""
        plain = not any(block.get("citations") for block in self.blocks)
        return self.model_dump(mode="json", exclude={"text"} | ({"blocks"} if plain else set())) | {"raw": self.text}
