"""Whether a claim follows from a passage, by a linear layer over the states of a frozen pair encoder.

The encoder comes in from outside (`PairReader`) and reads the claim with the sentences that share most words with it.
`follows.npz`, fitted by `bench.train_follows`, weighs the states' means and maxima. Asked only where no rule decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from grounded.verification.align import Aligned

CLASSES = ("not stated", "supported", "contradicted")
_LENGTH = 650  # characters of a passage; a first sentence may be longer
_CONCLUDES = 0.05  # by how much more of the claim's words the last sentence counts


class PairReader(Protocol):
    """An encoder that reads two texts together: the states of the claim's word pieces, (n, width), the one of the
    whole pair in front, and of the passage's, (m, width). The same texts give the same states."""

    def states(self, claim: str, passage: str) -> tuple[Any, Any]: ...


def chances(claim: str, aligned: Sequence[Aligned], pairs: PairReader, home: Path) -> dict[str, float]:
    """Class probabilities, with a claim as likely supported as not before it is read; in steps of a hundredth, since
    processors differ in an encoder's last digits. home: the folder with the layer."""
    import numpy as np

    weights, bias = _weights(home)
    scores = pooled(*pairs.states(claim, passage(aligned))) @ weights + bias
    raised = np.exp(scores - scores.max())
    return dict(zip(CLASSES, (round(float(p), 2) for p in raised / raised.sum()), strict=True))


def passage(aligned: Sequence[Aligned]) -> str:
    """The sentences with most of the claim's words, as many as fit, in the order of the text."""
    last = len(aligned) - 1
    kept: list[int] = []
    length = 0
    for i in sorted(range(len(aligned)), key=lambda i: -aligned[i].covered - _CONCLUDES * (i == last)):
        size = len(aligned[i].statement.text)
        if kept and length + size > _LENGTH:
            continue
        kept.append(i)
        length += size
    return " ".join(aligned[i].statement.text for i in sorted(kept))


def pooled(claim: Any, passage: Any) -> Any:
    """(5 * width,): mean and maximum over the passage, the pair's own state, mean and maximum over the claim."""
    import numpy as np

    own = claim[1:]
    parts = (passage.mean(axis=0), passage.max(axis=0), claim[0], own.mean(axis=0), own.max(axis=0))
    return np.concatenate(parts).astype(np.float32)


@lru_cache(maxsize=1)
def _weights(home: Path) -> tuple[Any, Any]:
    """(5 * width, classes) and (classes,)."""
    import numpy as np

    with home.joinpath("follows.npz").open("rb") as file, np.load(file) as kept:
        return kept["weights"], kept["bias"]
