"""The order of work around the model, as small as it can be: read, verify, repair once, verify again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from grounded.generation.claude import ClaudeReader
from grounded.generation.reader import Reading
from grounded.generation.repair import Repair, repair
from grounded.llm import Client, never
from grounded.settings import Settings
from grounded.types import Claim, Context, Plan, SubQuestion, VerifiedClaim
from grounded.verification.claude import ClaudeEntailment
from grounded.verification.verify import verify
from tests.verification.small import Pages

QUESTION = "What does the fund cost?"


@dataclass
class Asked:
    """Everything one question brought."""

    reading: Reading
    claims: list[VerifiedClaim] = field(default_factory=list)
    shown: list[Claim] = field(default_factory=list)
    repair: Repair | None = None
    entailment: ClaudeEntailment | None = None


def plan(question: str = QUESTION) -> Plan:
    return Plan(question=question, subquestions=(SubQuestion(text=question),))


def read(
    settings: Settings,
    pages: Pages,
    *,
    context: Context | None = None,
    on_claim: Callable[[Claim], None] = lambda _: None,
    cancelled: Callable[[], bool] = never,
) -> Reading:
    reader = ClaudeReader(settings)
    return reader.read(plan(), context or pages.context(), pages, on_claim=on_claim, cancelled=cancelled)


def ask(settings: Settings, pages: Pages, *, repairs: bool = True) -> Asked:
    """One question through one client."""
    client, context = Client(settings), pages.context()
    shown: list[Claim] = []
    reading = ClaudeReader(settings, client).read(plan(), context, pages, on_claim=shown.append, cancelled=never)
    asked = Asked(reading, shown=shown, entailment=ClaudeEntailment(settings, client))
    claims = {claim.id: claim for claim in reading.claims}

    def check() -> list[VerifiedClaim]:
        return verify(list(claims.values()), context, pages, entailment=asked.entailment)

    asked.claims = check()
    failed = {c.id: c.verdict.reason for c in asked.claims if not c.verdict.grounded}
    if repairs and failed:
        asked.repair = repair(client, plan(), context, list(claims.values()), failed)
        claims |= {claim.id: claim for claim in asked.repair.claims}
        for dropped in asked.repair.dropped:
            del claims[dropped]
        asked.claims = check()
    return asked
