"""Which sources mattered? A recorded question asked again without each source in turn, its cost said first."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from grounded.errors import Cancelled, GroundedError
from grounded.types import Answer
from grounded.ui import frame, state, words
from grounded.ui.access import Workspace, home_of
from grounded.ui.recorded import spans

if TYPE_CHECKING:
    from grounded.generation.causality import SourceEffect
    from grounded.pipeline import Causality

_TICK = 0.5  # seconds between looks at the runs


class Trial:
    """The runs of one answer, in a thread of their own."""

    def __init__(self, asked: Causality) -> None:
        """Raises ModelError when the cost cannot be had."""
        self.cost, self.sources = asked.cost(), asked.sources
        self.effects: tuple[SourceEffect, ...] = ()
        self.trouble = ""
        self._asked, self._stop = asked, threading.Event()
        self._thread = threading.Thread(target=self._work, name="mattered", daemon=True)

    @property
    def started(self) -> bool:
        """Has it been begun?"""
        return self._thread.ident is not None

    @property
    def busy(self) -> bool:
        """Is it still asking?"""
        return self._thread.is_alive()

    def start(self) -> None:
        """Ask again without each source."""
        self._thread.start()

    def stop(self) -> None:
        """Do not ask on; what was found stays."""
        self._stop.set()

    def _work(self) -> None:
        try:
            self._asked.run(on_source=self._keep, cancelled=self._stop.is_set)
        except Cancelled:
            self.trouble = "Stopped: the sources below were tried, the others were not."
        except GroundedError as error:
            self.trouble = error.message

    def _keep(self, effect: SourceEffect) -> None:
        self.effects = (*self.effects, effect)


def which_mattered(workspace: Workspace, answer: Answer) -> None:
    """Cited is not yet used: offer to find out, cost first, then show how it goes."""
    st.caption("Which of them mattered?")
    if answer.model is None:
        st.text("The extractive reader uses only what it cites.")
    elif home_of(workspace, answer.trace_id) is not workspace:
        st.text("Only whoever asked can ask again.")
    else:
        _offer(workspace, answer)


def _offer(workspace: Workspace, answer: Answer) -> None:
    key = f"mattered_{answer.trace_id}"
    trial: Trial | None = state.get(key)
    if trial is None:
        st.text("The model is asked again without each source in turn. A source was used when a claim goes or changes.")
        if st.button("What would it cost?", key="mattered_cost") and (trial := _costed(workspace, answer.trace_id)):
            state.put(key, trial)
            st.rerun(scope="app")
        return
    if not trial.started:
        st.text(cost_sentence(trial))
        if st.button(f"Ask again, {words.plural(trial.cost.calls, 'time')}", type="primary", key="mattered_go"):
            trial.start()
            st.rerun(scope="app")
        return
    busy = trial.busy

    @st.fragment(run_every=_TICK if busy else None)
    def progress() -> None:
        if busy and not trial.busy:
            st.rerun(scope="app")
        _progress(trial, answer)

    with frame.own_place("mattered"):
        progress()


def _costed(workspace: Workspace, trace: str) -> Trial | None:
    from grounded.pipeline import Causality

    try:
        with st.spinner("Counting tokens"):
            return Trial(Causality(spans(workspace, trace), workspace.library, workspace.settings))
    except GroundedError as error:
        st.text(error.message)
        return None


def cost_sentence(trial: Trial) -> str:
    """Calls, tokens and money."""
    dollars = trial.cost.ceiling_usd
    most = "at a price that is not known" if dollars is None else f"at most {words.money(dollars)}"
    return f"{words.plural(trial.cost.calls, 'call')}, {trial.cost.input_tokens:,} tokens in, {most}."


def _progress(trial: Trial, answer: Answer) -> None:
    tried = f"{len(trial.effects)} of {words.plural(len(trial.sources), 'source')} tried"
    if trial.busy:
        st.progress(len(trial.effects) / len(trial.sources), text=tried)
        st.button("Stop asking", on_click=trial.stop, key="mattered_stop")
    else:
        st.text(" ".join(part for part in (tried + ".", trial.trouble) if part))
    if trial.effects:
        st.dataframe([_row(effect, answer) for effect in trial.effects], hide_index=True)


def _row(effect: SourceEffect, answer: Answer) -> dict[str, str]:
    where = {hit.source_id: words.where(hit) for hit in answer.hits}
    numbers = {claim.id: number for number, claim in enumerate(answer.claims, 1)}

    def named(ids: Sequence[str]) -> str:
        return words.ranges(numbers[key] for key in ids if key in numbers)

    return {
        "without": effect.source_id,
        "where": where.get(effect.source_id, ""),
        "outcome": "used" if effect.used else "made no difference",
        "claims gone": named([claim.claim_id for claim in effect.claims if claim.effect == "gone"]),
        "claims changed": named([claim.claim_id for claim in effect.claims if claim.effect == "changed"]),
        "cited by claims": named([claim.claim_id for claim in effect.claims if claim.cited]),
    }
