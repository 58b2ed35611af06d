"""A stated estimate of tokens, for when nobody counted. It errs on the high side: it guards a budget."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grounded.llm.messages import Call

_ASCII_PER_TOKEN = 3.0  # English prose measures about 4; tables of numbers about 2.5
_OTHER_TOKENS = 1.2  # per character outside ASCII


def estimate_tokens(text: str) -> int:
    """Tokens of a text: ASCII characters / 3 plus 1.2 for each other character, rounded up."""
    other = sum(1 for char in text if ord(char) > 127)
    return math.ceil((len(text) - other) / _ASCII_PER_TOKEN + other * _OTHER_TOKENS)


def estimate_call_tokens(call: Call) -> int:
    """Tokens of a whole request, its schema included."""
    return estimate_tokens(json.dumps(call.body(), ensure_ascii=False))
