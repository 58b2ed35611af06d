"""A Messages API server that follows a script: real HTTP, real server-sent events, on 127.0.0.1.

    with ScriptedMessages([reply("hello"), status(529), drop_after("{\"cla")]) as server:
        settings = Settings(_env_file=None, api_key="sk-test", base_url=server.url)

Every request takes the next step of the script; the last step repeats. A step may also be a function of the request
(its parsed body) that returns a step, so a fake model can answer what it was asked. `server.requests` holds what was
received (path, headers, body, raw bytes), `server.disconnects` when a client hung up (monotonic seconds).

By hand: `python -m tests.tools.scripted_messages --port 8808 [--script FILE.json]`, then set ANTHROPIC_BASE_URL.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

Body = dict[str, Any]


@dataclass(frozen=True)
class Pause:
    """Wait that long (seconds), noticing when the client hangs up."""

    seconds: float


@dataclass(frozen=True)
class Hangup:
    """Cut the connection; `reset` sends RST instead of FIN."""

    reset: bool = True


Part = bytes | Pause | Hangup


@dataclass(frozen=True)
class Step:
    """One HTTP answer: status, headers, then parts of the body in order."""

    parts: tuple[Part, ...] = ()
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "text/event-stream; charset=utf-8"
    delay: float = 0.0


Script = Step | Callable[[Body], "Step"]


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: Body
    raw: bytes
    at: float


# ------------------------------------------------------------------ steps


def event(kind: str, /, **data: Any) -> bytes:
    """One server-sent event, its type repeated in the data as the API does."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind} | data)}\n\n".encode()


def start(model: str = "claude-test-1", usage: Body | None = None, index: int = 1) -> bytes:
    """message_start."""
    message = {
        "id": f"msg_{index}", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "usage": {"input_tokens": 100, "output_tokens": 1} | (usage or {}),
    }  # fmt: skip
    return event("message_start", message=message)


def text_block(pieces: Iterable[str], index: int = 0, citations: Sequence[Body] = ()) -> list[bytes]:
    """A text block that arrives in pieces."""
    return [
        event("content_block_start", index=index, content_block={"type": "text", "text": ""}),
        *(event("content_block_delta", index=index, delta={"type": "text_delta", "text": p}) for p in pieces),
        *(
            event("content_block_delta", index=index, delta={"type": "citations_delta", "citation": c})
            for c in citations
        ),
        event("content_block_stop", index=index),
    ]


def _delta(index: int, delta: Body) -> bytes:
    return event("content_block_delta", index=index, delta=delta)


def other_block(kind: str, index: int = 0, **content: Any) -> list[bytes]:
    """A block of another type: thinking, or one nobody knows."""
    block = {"type": kind} | content
    return [event("content_block_start", index=index, content_block=block), event("content_block_stop", index=index)]


def end(stop_reason: str | None = "end_turn", output_tokens: int = 50) -> list[bytes]:
    """message_delta with the stop reason, message_stop."""
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    return [event("message_delta", delta=delta, usage={"output_tokens": output_tokens}), event("message_stop")]


def pieces(text: str, size: int = 12) -> list[str]:
    """The text cut into deltas."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def reply(
    text: str | Body | list[Any],
    *,
    stop_reason: str = "end_turn",
    model: str = "claude-test-1",
    usage: Body | None = None,
    size: int = 12,
    pause: float = 0.0,
    before: Sequence[bytes] = (),
    request_id: str = "req_test",
) -> Step:
    """A whole streamed reply. A dict or list is sent as JSON. `pause` seconds between deltas."""
    body = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    block: list[Part] = []
    for part in text_block(pieces(body, size), index=len(before)):
        block += [part, Pause(pause)] if pause else [part]
    head: list[Part] = [start(model, usage), *before]
    return Step((*head, *block, *end(stop_reason)), headers=(("request-id", request_id),))


def events(*parts: Part) -> Step:
    """A stream of exactly these parts."""
    return Step(tuple(parts), headers=(("request-id", "req_test"),))


def drop_after(text: str, *, reset: bool = True, size: int = 12) -> Step:
    """A reply that breaks off after that text."""
    block = text_block(pieces(text, size))[:-1]
    return events(start(), *block, Pause(0.02), Hangup(reset))


def stall_after(text: str, seconds: float = 30) -> Step:
    """A reply that falls silent after that text."""
    return events(start(), *text_block(pieces(text))[:-1], Pause(seconds))


def status(code: int, kind: str = "api_error", message: str = "scripted fault", **extra: str) -> Step:
    """An error answer in the API's own form. Header names with underscores: retry_after='2'."""
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fault"})
    pairs = tuple((name.replace("_", "-"), value) for name, value in extra.items())
    return Step(
        (body.encode(),), status=code, headers=(("request-id", "req_fault"), *pairs), content_type="application/json"
    )


def plain(body: str | bytes, *, code: int = 200, content_type: str = "text/html", **headers: str) -> Step:
    """Any other answer: a captive portal, a proxy's page, a message without streaming."""
    raw = body.encode() if isinstance(body, str) else body
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Step((raw,), status=code, headers=pairs, content_type=content_type)


# ------------------------------------------------------------------ server


@dataclass
class ScriptedMessages:
    """The server. A context manager; `url` is its address. `counts` answers count_tokens (None: 404)."""

    script: Sequence[Script]
    port: int = 0
    counts: Callable[[Body], int] | None = None
    requests: list[Received] = field(default_factory=list, repr=False)
    counted: list[Received] = field(default_factory=list, repr=False)
    disconnects: list[float] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._http = _Quiet(("127.0.0.1", self.port), type("Handler", (_Handler,), {"script": self}))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    def use_tls(self, context: ssl.SSLContext) -> None:
        """Speak https from now on."""
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.url = self.url.replace("http:", "https:")

    def take(self, received: Received) -> Step:
        """The step for this request."""
        with self._lock:
            step = self.script[min(len(self.requests), len(self.script) - 1)]
            self.requests.append(received)
        return step(received.body) if callable(step) else step

    def count(self, received: Received) -> Step:
        """The answer to count_tokens."""
        self.counted.append(received)
        if self.counts is None:
            return status(404, "not_found_error")
        return plain(json.dumps({"input_tokens": self.counts(received.body)}), content_type="application/json")


class _Quiet(ThreadingHTTPServer):
    """Clients that hang up in the middle of something are the point here, not worth a traceback."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Silence."""


class _Handler(BaseHTTPRequestHandler):
    """Plays steps. `script` is set by the server it belongs to."""

    script: ScriptedMessages
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        received = Received(self.path, headers, json.loads(raw or b"{}"), raw, time.monotonic())
        if self.path.endswith("/count_tokens"):
            self._play(self.script.count(received))
        else:
            self._play(self.script.take(received))

    def _play(self, step: Step) -> None:
        try:
            if self._wait(step.delay):
                self._send(step)
        except (BrokenPipeError, ConnectionResetError):
            self._gone()

    def _send(self, step: Step) -> None:
        self.send_response(step.status)
        self.send_header("content-type", step.content_type)
        self.send_header("transfer-encoding", "chunked")
        for name, value in step.headers:
            self.send_header(name, value)
        self.end_headers()
        if all(self._part(part) for part in step.parts):
            self.wfile.write(b"0\r\n\r\n")

    def _part(self, part: Part) -> bool:
        """Play one part; False when the connection is over."""
        if isinstance(part, Pause):
            return self._wait(part.seconds)
        if isinstance(part, Hangup):
            self._hang_up(part.reset)
            return False
        if part:  # an empty chunk would end the body
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        return True

    def _wait(self, seconds: float) -> bool:
        """False when the client hung up meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            readable, _, _ = select.select([self.connection], [], [], left)
            if readable and not self._alive():
                self._gone()
                return False
        return True

    def _alive(self) -> bool:
        try:
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def _gone(self) -> None:
        self.script.disconnects.append(time.monotonic())
        self.close_connection = True

    def _hang_up(self, reset: bool) -> None:
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self.close_connection = True
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""


def from_json(entry: Body) -> Step:
    """A step from a script file: {"reply": …}, {"status": 529, "retry_after": "2"}, {"drop_after": "…"}, …"""
    entry = dict(entry)
    makers: dict[str, Callable[..., Step]] = {
        "reply": reply, "status": status, "drop_after": drop_after, "stall_after": stall_after, "plain": plain,
    }  # fmt: skip
    name = next(key for key in makers if key in entry)
    return makers[name](entry.pop(name), **entry)


def main() -> None:
    """Serve a script until interrupted."""
    parser = argparse.ArgumentParser(description="a scripted Messages API server")
    parser.add_argument("--port", type=int, default=8808)
    parser.add_argument("--script", type=Path, help="a JSON list of steps; default: an obedient fake model")
    options = parser.parse_args()
    from tests.tools.fake_claude import answer

    script: list[Script] = (
        [from_json(e) for e in json.loads(options.script.read_text())] if options.script else [answer]
    )
    with ScriptedMessages(script, port=options.port) as server:
        print(f"ANTHROPIC_BASE_URL={server.url}")
        threading.Event().wait()


if __name__ == "__main__":
    main()
