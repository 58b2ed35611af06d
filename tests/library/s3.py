"""An S3-compatible server on loopback that can be stopped, also after a given number of writes, and started again with
what it held."""

from __future__ import annotations

import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

WRITES = ("PUT", "POST", "DELETE")


class Storage:
    """The server. `only_after(n)` lets n writes through and then drops off; `conditions = False` makes it one of those
    that take no notice of If-Match and If-None-Match."""

    def __init__(self) -> None:
        self._app = DomainDispatcherApplication(create_backend_app)
        self._left: int | None = None
        self._lock = threading.Lock()
        self.conditions = True
        self.writes = 0
        self.port = 0
        self._server: BaseWSGIServer | None = None
        self.start()

    def start(self) -> None:
        """Answer again, at the same address."""
        self._left = None
        self._server = make_server("127.0.0.1", self.port, self._answer, True, request_handler=_Quiet)
        self.port = self._server.port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Refuse connections."""
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    def only_after(self, writes: int | None) -> None:
        """Take that many writes more, then none, and no reads either; None: all."""
        self._left = writes

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if not self.conditions:
            environ = {k: v for k, v in environ.items() if k not in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH")}
        with self._lock:
            if environ["REQUEST_METHOD"] in WRITES:
                self.writes += 1
                self._left = None if self._left is None else self._left - 1
            gone = self._left is not None and self._left < 0
        if gone:
            raise ConnectionAbortedError
        return self._app(environ, start_response)


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """A server with an empty bucket `bucket`, and the environment that leads to it."""
    storage = Storage()
    address = f"http://127.0.0.1:{storage.port}"
    environment = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": address,
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    urllib.request.urlopen(urllib.request.Request(f"{address}/bucket", method="PUT"))
    try:
        yield storage
    finally:
        storage.stop()
