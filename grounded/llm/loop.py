"""One background event loop for all model calls: a call can be cancelled at any await, so Stop reaches the socket."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
_log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def _loop(process: int) -> asyncio.AbstractEventLoop:
    """The loop of this process: a fork inherits the object but not its thread, so it gets its own."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _, context: _log.debug("background loop: %s", context.get("message")))
    threading.Thread(target=loop.run_forever, name="grounded-llm", daemon=True).start()
    return loop


_start = threading.Lock()


def submit(work: Coroutine[None, None, T]) -> Future[T]:
    """Run `work` on the background loop. Cancelling the future cancels the coroutine where it waits."""
    with _start:
        loop = _loop(os.getpid())
    return asyncio.run_coroutine_threadsafe(work, loop)
