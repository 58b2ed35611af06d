"""Money: a budget per question and per day. A call is paid for in advance at its ceiling, then settled."""

from __future__ import annotations

import json
import math
import threading
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from grounded import locations
from grounded.errors import BudgetReached
from grounded.settings import ModelSettings

_LOCK_S = 5


class Purse:
    """The money of one question, and of the day (shared by every process of this user, UTC days).

    reserve() raises BudgetReached instead of letting a call begin that could go over; settle() gives back what the
    call did not use. Safe to use from several threads.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self._question, self._day = settings.budget_usd_question, settings.budget_usd_day
        self._held = 0.0
        self._lock = threading.Lock()

    @property
    def limited(self) -> bool:
        """Whether any budget is set; without one nothing is counted or written."""
        return self._question is not None or self._day is not None

    def reserve(self, ceiling: float | None, model: str) -> float:
        """Put aside `ceiling` USD for a call and return it. Raises BudgetReached, also when the price is unknown."""
        if not self.limited:
            return 0.0
        if ceiling is None:
            raise BudgetReached(
                f"a budget is set and {model} has no price, so the cost cannot be bounded",
                advice="Add the model to the price table (GROUNDED_LLM__PRICES) or remove the budget.",
            )
        with self._lock:
            _check("question", self._question, self._held, ceiling)
            if self._day is not None:
                _change_day(ceiling, self._day)
            self._held += ceiling
        return ceiling

    def settle(self, reserved: float, cost: float | None) -> None:
        """Replace a reservation by what the call cost; an unknown cost keeps the whole reservation."""
        if not self.limited or cost is None:
            return
        with self._lock:
            self._held += cost - reserved
            if self._day is not None:
                _change_day(cost - reserved, math.inf)


def _check(period: str, limit: float | None, held: float, ceiling: float) -> None:
    if limit is None or held + ceiling <= limit:
        return
    raise BudgetReached(
        f"the next call could cost up to ${ceiling:.4f}, and ${held:.4f} of the ${limit:.4f} set for this {period} "
        "are used or reserved; it was not sent",
        advice=f"Raise GROUNDED_LLM__BUDGET_USD_{period.upper()}, or choose fewer or shorter sources.",
    )


def _change_day(amount: float, limit: float) -> None:
    folder = locations.state() / "spend"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{datetime.now(UTC):%Y-%m-%d}.json"
    try:
        with FileLock(folder / ".lock", timeout=_LOCK_S):
            held = _read(path)
            if amount > 0 and limit < math.inf:
                _check("day", limit, held, amount)
            _write(path, max(0.0, held + amount))
    except Timeout as error:
        raise BudgetReached(
            "the record of today's spending is locked", where=str(path), advice="Ask again in a moment."
        ) from error


def _read(path: Path) -> float:
    try:
        return float(json.loads(path.read_text("utf-8"))["usd"])
    except FileNotFoundError:
        return 0.0
    except (ValueError, KeyError, TypeError) as error:
        raise BudgetReached(
            "the record of today's spending cannot be read", where=str(path), advice="Correct or delete that file."
        ) from error


def _write(path: Path, usd: float) -> None:
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps({"usd": round(usd, 9)}), "utf-8")
    draft.replace(path)
