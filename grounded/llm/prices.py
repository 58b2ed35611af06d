"""What a call costs, from a dated price table a user can edit. Unknown stays unknown: None, never zero."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import Field, ValidationError

from grounded.errors import UsageError
from grounded.types import Frozen, Usage

_DATED = re.compile(r"-\d{8}$")
_MILLION = 1_000_000


class Rates(Frozen):
    """USD per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_write: float = Field(ge=0)
    cache_read: float = Field(ge=0)


class LongPrompt(Rates):
    """Rates of a whole request whose prompt (cache included) is longer than that."""

    prompt_tokens: int = Field(ge=1)


class Price(Rates):
    """A model's rates."""

    above: LongPrompt | None = None

    def rates(self, prompt_tokens: int) -> Rates:
        """The rates in force for a prompt of that length."""
        return self.above if self.above and prompt_tokens > self.above.prompt_tokens else self


class PriceTable(Frozen):
    """Prices as of a day."""

    as_of: str
    currency: str = "USD"
    unit: str = "per million tokens"
    source: str = ""
    models: dict[str, Price]

    def price(self, model: str | None) -> Price | None:
        """The model's price; a dated name ('…-20250929') falls back to the undated one."""
        if model is None:
            return None
        return self.models.get(model) or self.models.get(_DATED.sub("", model))

    def cost(self, model: str | None, usage: Usage) -> float | None:
        """USD of one request, or None when the model has no price."""
        price = self.price(model)
        if price is None:
            return None
        prompt = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
        rates = price.rates(prompt)
        total = (
            usage.input_tokens * rates.input
            + usage.output_tokens * rates.output
            + usage.cache_creation_input_tokens * rates.cache_write
            + usage.cache_read_input_tokens * rates.cache_read
        )
        return total / _MILLION

    def ceiling(self, model: str, prompt_tokens: int, max_tokens: int) -> float | None:
        """The most one request can cost: nothing read from the cache, everything written to it, the reply full."""
        price = self.price(model)
        if price is None:
            return None
        rates = price.rates(prompt_tokens)
        return (prompt_tokens * max(rates.input, rates.cache_write) + max_tokens * rates.output) / _MILLION


@lru_cache(maxsize=8)
def price_table(path: Path | None = None) -> PriceTable:
    """The built-in table, or a user's own file of the same shape. Raises UsageError when that cannot be read."""
    try:
        raw = path.read_text("utf-8") if path else (files("grounded.llm") / "prices.json").read_text("utf-8")
        return PriceTable.model_validate(json.loads(raw))
    except (OSError, ValueError, ValidationError) as error:
        raise UsageError(
            f"the price table cannot be read ({type(error).__name__})",
            where=str(path or "grounded/llm/prices.json"),
            advice="Copy grounded/llm/prices.json and edit the copy.",
        ) from error


def add(usages: Iterable[Usage]) -> Usage:
    """The sum. The cost is None as soon as one part that used tokens has none."""
    parts = [u for u in usages if tokens(u)]
    costs = [u.cost_usd for u in parts]
    known = [c for c in costs if c is not None]
    return Usage(
        input_tokens=sum(u.input_tokens for u in parts),
        output_tokens=sum(u.output_tokens for u in parts),
        cache_creation_input_tokens=sum(u.cache_creation_input_tokens for u in parts),
        cache_read_input_tokens=sum(u.cache_read_input_tokens for u in parts),
        cost_usd=sum(known) if parts and len(known) == len(costs) else None,
    )


def tokens(usage: Usage) -> int:
    """All tokens of a usage."""
    return usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
