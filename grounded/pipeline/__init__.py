"""The one place where the order of work is written. LangGraph lives here only.

plan -> retrieve -> rerank -> context -> generate -> verify -> (repair -> verify)* -> [judge] -> assemble
"""

from grounded.pipeline.causality import Causality
from grounded.pipeline.find import find
from grounded.pipeline.graph import ask, warm_up
from grounded.pipeline.replay import Replay, replay
from grounded.pipeline.run import Event, Turn

__all__ = ["Causality", "Event", "Replay", "Turn", "ask", "find", "replay", "warm_up"]
