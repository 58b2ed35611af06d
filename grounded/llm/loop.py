"""One background event loop for all model calls: a call can be cancelled at any await, so Stop reaches the socket."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="grounded-llm", daemon=True).start()
    return loop


_start = threading.Lock()


def submit(work: Coroutine[None, None, T]) -> Future[T]:
    """Run `work` on the background loop. Cancelling the future cancels the coroutine where it waits."""
    with _start:
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(work, loop)
