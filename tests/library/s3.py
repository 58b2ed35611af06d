"""An S3-compatible server on loopback that goes after a given number of writes and comes back with what it held."""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

WRITES = ("PUT", "POST", "DELETE")


class Storage:
    """The server. conditions = False makes it one of those that take no notice of If-Match and If-None-Match."""

    def __init__(self) -> None:
        self._app = DomainDispatcherApplication(create_backend_app)
        self._left: float = float("inf")
        self._lock = threading.Lock()
        self.conditions = True
        self.writes = 0
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=_Quiet)
        self.address = f"http://127.0.0.1:{self._server.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def go_after(self, writes: int) -> None:
        """Take that many writes more, then drop every connection."""
        self._left = writes

    def come_back(self) -> None:
        """Answer again."""
        self._left = float("inf")

    def close(self) -> None:
        """End for good."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if not self.conditions:
            environ = {k: v for k, v in environ.items() if k not in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH")}
        with self._lock:
            if environ["REQUEST_METHOD"] in WRITES:
                self.writes += 1
                self._left -= 1
            gone = self._left < 0
        if gone:
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            raise ConnectionAbortedError
        return self._app(environ, start_response)


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        """Nothing."""


@contextmanager
def serving(environment: pytest.MonkeyPatch) -> Iterator[Storage]:
    """A server with an empty bucket `bucket`, and the environment that leads to it."""
    storage = Storage()
    variables = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": storage.address,
        "AWS_ALLOW_HTTP": "true",
    }
    for name, value in variables.items():
        environment.setenv(name, value)
    urllib.request.urlopen(urllib.request.Request(f"{storage.address}/bucket", method="PUT"))
    try:
        yield storage
    finally:
        storage.close()
