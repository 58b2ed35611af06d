"""A claim with the quote that is given for it: the quote must bear it out, read where it stands.

One sentence alone is rarely enough for what decides claims in words: it was fitted on whole texts, and a quote leaves
out who "it" is. So where no rule decides on the quote, the claim is read beside the text around it as well; what that
gives counts if it rests on the quote.
"""

from __future__ import annotations

from grounded.text import collapse
from grounded.types import Verdict
from grounded.verification.evidence import Evidence
from grounded.verification.follows import PairReader
from grounded.verification.judge import judge, weigh
from grounded.verification.judgement import Judgement


def judge_quoted(claim: str, quoted: Evidence, around: str, pairs: PairReader | None) -> Verdict:
    """The verdict on a claim. quoted: the quote with its tables; around: the text it stands in."""
    verdict = judge(claim, quoted, pairs)
    if verdict.status != "unverified" or any(check.passed is False for check in verdict.checks):
        return verdict
    read = weigh(claim, Evidence(text=around, name=quoted.name), pairs)
    return read.verdict if _rests_on(read, quoted.text) else verdict


def _rests_on(judgement: Judgement, quote: str) -> bool:
    said = collapse(quote)
    return any((s := collapse(statement.text)) in said or said in s for statement in judgement.statements)
