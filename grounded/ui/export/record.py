"""What every file taken away says, in one noun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grounded.types import Answer, Citation, VerifiedClaim
from grounded.ui import words

NOTE = "A verdict says whether the cited source supports the claim, not whether the source is right."


@dataclass(frozen=True)
class Record:
    """An answer with what a reviewer needs beside it.

    asked_at: UTC, ISO 8601. documents: sha256 -> name, of every document cited or searched. link: address of the view.
    """

    answer: Answer
    asked_at: str
    documents: Mapping[str, str]
    link: str = ""

    def footnotes(self) -> list[Citation]:
        """The citations in the order they are numbered, from 1; the same place cited twice has one number."""
        return list(dict.fromkeys(c for claim in self.answer.claims for c in claim.citations))

    def numbers(self, claim: VerifiedClaim) -> list[int]:
        """The footnote numbers of a claim."""
        notes = self.footnotes()
        return [notes.index(citation) + 1 for citation in claim.citations]

    def facts(self) -> list[tuple[str, str]]:
        """The lines under the question: name and value."""
        answer = self.answer
        return [
            ("Asked", self.asked_at),
            ("Result", result(answer)),
            ("Read by", words.reader(answer)),
            ("Trace", answer.trace_id),
            *([("Link", self.link)] if self.link else []),
        ]


def result(answer: Answer) -> str:
    """The outcome in a few words."""
    if answer.claims:
        count = f"{words.grounded_count(answer)} of {len(answer.claims)} claims grounded"
        return f"{count}, mean confidence {words.confidence(answer.generation_confidence)}"
    return answer.abstention.reason if answer.abstention else answer.status


def verdict_line(claim: VerifiedClaim) -> str:
    """`grounded, confidence 0.98: reason`."""
    verdict = claim.verdict
    head = f"{verdict.status}, confidence {words.confidence(verdict.confidence)}"
    return f"{head}: {verdict.reason}" if verdict.reason else head
