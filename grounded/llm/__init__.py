"""The only door to a model provider. No prompts here; nothing heavy is imported before the first call."""

from grounded.llm.client import Client, endpoint, never, usages
from grounded.llm.disclosure import Disclosure, disclosure
from grounded.llm.fence import encode, fence
from grounded.llm.messages import Attempt, Block, Call, Reply, Turn
from grounded.llm.prices import PriceTable, price_table
from grounded.llm.prompt import Prompt, load_prompt
from grounded.llm.purse import Purse
from grounded.llm.tokens import estimate_tokens

__all__ = [
    "Attempt",
    "Block",
    "Call",
    "Client",
    "Disclosure",
    "PriceTable",
    "Prompt",
    "Purse",
    "Reply",
    "Turn",
    "disclosure",
    "encode",
    "endpoint",
    "estimate_tokens",
    "fence",
    "load_prompt",
    "never",
    "price_table",
    "usages",
]
