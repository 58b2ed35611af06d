"""Which classes of meaning-turning words a text has: negation, modality, quantity, condition, direction, …"""

from __future__ import annotations

import re
from functools import lru_cache

from grounded.verification.lexicon import cue_patterns

_PATTERNS = {name: re.compile(rf"\b(?:{words})(?!\w)", re.IGNORECASE) for name, words in cue_patterns().items()}
CUES = tuple(_PATTERNS)


@lru_cache(maxsize=16384)
def cues(text: str) -> frozenset[str]:
    """The classes whose words occur in the text."""
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(text))
