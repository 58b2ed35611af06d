"""Every fault of a real endpoint, over real HTTP with the real SDK: named, retried only when it can heal, recorded."""

from __future__ import annotations

import datetime
import email.utils
import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grounded import errors
from grounded.llm import Call, Client, Reply
from tests.tools.fake_claude import settings_for
from tests.tools.scripted_messages import (
    Hangup,
    Pause,
    Script,
    ScriptedMessages,
    Step,
    drop_after,
    end,
    event,
    events,
    other_block,
    plain,
    reply,
    stall_after,
    start,
    status,
    text_block,
)

KEY = "sk-ant-test-0123456789"
TEXT = "The expense ratio is 0.03 %."


def call(**changes: Any) -> Call:
    turn = {"role": "user", "content": "What does it cost?"}
    given: dict[str, Any] = {"purpose": "test", "model": "claude-sonnet-5-5", "messages": (turn,), "max_tokens": 100}
    return Call(**(given | changes))


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedMessages]:
    with ScriptedMessages([reply(TEXT)]) as running:
        yield running


@pytest.fixture
def play(server: ScriptedMessages) -> Callable[..., Client]:
    """A client that meets this script."""

    def start_with(*script: Script, llm: dict[str, Any] | None = None, **more: Any) -> Client:
        server.script, server.requests[:], server.disconnects[:] = script, [], []
        return Client(settings_for(server.url, llm, **more))

    return start_with


Play = Callable[..., Client]


@dataclass(frozen=True)
class Hopeless:
    """A fault that is not retried."""

    name: str
    step: Step
    error: type[errors.ModelError]
    says: str


HOPELESS = [
    Hopeless("400", status(400, "invalid_request_error", "bad field"), errors.ModelRejected, "bad field"),
    Hopeless("401", status(401, "authentication_error", f"invalid key {KEY}"), errors.ModelKeyRejected, "API_KEY"),
    Hopeless("402", status(402, "billing_error"), errors.ModelKeyRejected, "billing"),
    Hopeless("403", status(403, "permission_error"), errors.ModelKeyRejected, "right"),
    Hopeless("404", status(404, "not_found_error", "model: claude-x"), errors.ModelNotFound, "ANTHROPIC_MODEL"),
    Hopeless("413", status(413, "request_too_large"), errors.ModelRejected, "too large"),
    Hopeless("422", status(422, "invalid_request_error"), errors.ModelRejected, "422"),
    Hopeless("418", plain("I am a teapot", code=418), errors.ModelRejected, "418"),
    Hopeless("redirect", plain("", code=307, location="http://127.0.0.1:9/"), errors.ModelUnusable, "redirects"),
    Hopeless("portal", plain("<html>Sign in</html>"), errors.ModelUnusable, "Sign in"),
    Hopeless("json, no message", plain('{"ok": 1}', content_type="application/json"), errors.ModelUnusable, "content"),
    Hopeless("empty stream", events(), errors.ModelUnusable, "empty"),
    Hopeless("not utf-8", events(b"event: ping\ndata: \xff\xfe\n\n"), errors.ModelUnusable, "UTF-8"),
    Hopeless("told not to retry", status(529, "overloaded_error", x_should_retry="false"), errors.ModelBusy, "529"),
    Hopeless(
        "error event 400",
        events(start(), event("error", error={"type": "invalid_request_error", "message": "no"})),
        errors.ModelRejected,
        "no",
    ),
]


@pytest.mark.parametrize("fault", HOPELESS, ids=lambda fault: fault.name)
def test_a_fault_that_cannot_heal_is_sent_once(play: Play, server: ScriptedMessages, fault: Hopeless) -> None:
    with pytest.raises(fault.error, match=fault.says) as caught:
        play(fault.step).complete(call())
    assert len(server.requests) == 1
    (attempt,) = caught.value.report["attempts"]
    assert attempt["outcome"] == fault.error.__name__
    assert KEY not in json.dumps(caught.value.report) + str(caught.value)


HEALING = {
    "408": status(408, "timeout_error"),
    "409": status(409),
    "429": status(429, "rate_limit_error"),
    "500": status(500),
    "502 with a proxy's page": plain("<html>Bad gateway</html>", code=502),
    "503": status(503),
    "504": status(504, "timeout_error"),
    "529": status(529, "overloaded_error"),
    "error event in the stream": events(start(), event("error", error={"type": "overloaded_error", "message": "busy"})),
    "dropped before a word": events(start(), Pause(0.01), Hangup()),
    "dropped at once": events(Hangup()),
    "closed early": drop_after("The exp", reset=False),
    "dropped mid-stream": drop_after("The expense"),
    "an event that is no JSON": events(start(), b"event: content_block_start\ndata: {oops\n\n"),
}


@pytest.mark.parametrize("name", HEALING)
def test_a_fault_that_heals_is_retried(play: Play, name: str) -> None:
    got = play(HEALING[name], reply(TEXT)).complete(call())
    assert got.text == TEXT
    assert [a.outcome == "ok" for a in got.attempts] == [False, True]
    assert got.attempts[0].waited_s >= 0


@pytest.mark.parametrize("name", HEALING)
def test_a_fault_that_stays_ends_after_the_set_number(play: Play, server: ScriptedMessages, name: str) -> None:
    with pytest.raises(errors.ModelError) as caught:
        play(HEALING[name], llm={"max_attempts": 3}).complete(call())
    assert len(server.requests) == 3
    assert [a["number"] for a in caught.value.report["attempts"]] == [1, 2, 3]
    assert "Traceback" not in str(caught.value)


def test_three_overloads_then_an_answer(play: Play) -> None:
    overloaded = status(529, "overloaded_error")
    got = play(overloaded, overloaded, overloaded, reply(TEXT)).complete(call())
    assert [a.status for a in got.attempts] == [529, 529, 529, 200]


def test_waits_double_up_to_the_cap_and_are_jittered(play: Play) -> None:
    llm = {"max_attempts": 5, "retry_first_s": 0.02, "retry_cap_s": 0.05}
    with pytest.raises(errors.ModelBusy) as caught:
        play(status(500), llm=llm).complete(call())
    waits = [a["waited_s"] for a in caught.value.report["attempts"]]
    for wait, ceiling in zip(waits, (0.02, 0.04, 0.05, 0.05), strict=False):
        assert ceiling / 2 <= wait <= ceiling
    assert waits[-1] == 0


@pytest.mark.parametrize("header", [{"retry_after": "1"}, {"retry_after_ms": "1000"}], ids=["seconds", "ms"])
def test_retry_after_is_obeyed(play: Play, server: ScriptedMessages, header: dict[str, str]) -> None:
    got = play(status(429, "rate_limit_error", **header), reply(TEXT)).complete(call())
    assert server.requests[1].at - server.requests[0].at >= 1.0
    assert got.attempts[0].retry_after_s == 1.0


def test_retry_after_may_be_a_date(play: Play, server: ScriptedMessages) -> None:
    date = email.utils.format_datetime(datetime.datetime(2999, 1, 1, tzinfo=datetime.UTC), usegmt=True)
    with pytest.raises(errors.ModelBusy, match="asks to wait"):
        play(status(429, "rate_limit_error", retry_after=date)).complete(call())
    assert len(server.requests) == 1


def test_retry_after_beyond_the_deadline_is_not_waited_for(play: Play) -> None:
    began = time.monotonic()
    with pytest.raises(errors.ModelBusy, match="asks to wait") as caught:
        play(status(429, "rate_limit_error", retry_after="3600")).complete(call())
    assert time.monotonic() - began < 5
    assert caught.value.report["attempts"][0]["retry_after_s"] == 3600


@pytest.mark.parametrize("value", ["soon", "-5", "1e9", "nan", ""])
def test_a_senseless_retry_after_is_ignored(play: Play, value: str) -> None:
    assert play(status(429, "rate_limit_error", retry_after=value), reply(TEXT)).complete(call()).text == TEXT


CLOCKS: dict[str, tuple[Step, dict[str, float], str]] = {
    "slow first byte": (Step(delay=5), {"first_byte_s": 0.1}, "did not begin"),
    "headers, then nothing": (events(Pause(5)), {"first_byte_s": 0.1}, "did not begin"),
    "stall mid-stream": (stall_after("The exp", 5), {"stall_s": 0.1}, "stopped arriving"),
    "pings for ever": (events(start(), *[event("ping"), Pause(0.05)] * 100), {"deadline_s": 0.4}, "deadline"),
    "drops for ever": (drop_after("x"), {"deadline_s": 0.4, "max_attempts": 10, "retry_first_s": 0.2}, "broke off"),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_silence_ends(play: Play, name: str) -> None:
    step, llm, says = CLOCKS[name]
    began = time.monotonic()
    with pytest.raises(errors.ModelError, match=says) as caught:
        play(step, llm={"max_attempts": 2, "retry_cap_s": 1.0} | llm).complete(call())
    assert time.monotonic() - began < 20
    assert caught.value.report["attempts"]


def test_pings_keep_a_slow_reply_alive(play: Play) -> None:
    thinking = [part for _ in range(10) for part in (event("ping"), Pause(0.15))]
    slow = events(start(), *thinking, *text_block([TEXT]), *end())
    assert play(slow, llm={"stall_s": 1.0}).complete(call()).text == TEXT


def _closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


UNREACHABLE = {
    "refused": (f"http://127.0.0.1:{_closed_port()}", errors.ModelUnreachable, "refused"),
    "unknown name": ("http://grounded-test.invalid", errors.ModelUnreachable, "name"),
    "no scheme": ("127.0.0.1:1", errors.UsageError, "http"),
    "no host": ("http://", errors.UsageError, "host"),
    "no port": ("http://127.0.0.1:port", errors.UsageError, "host"),
    "no name": ("http://\u202eevil", errors.UsageError, "host"),
    "no address": ("http://[::1", errors.UsageError, "http"),
    "another scheme": ("ftp://127.0.0.1", errors.UsageError, "http"),
}


@pytest.mark.parametrize("name", UNREACHABLE)
def test_an_address_that_leads_nowhere(name: str) -> None:
    url, error, says = UNREACHABLE[name]
    with pytest.raises(error, match=says) as caught:
        Client(settings_for(url, {"max_attempts": 2})).complete(call())
    assert KEY not in str(caught.value)


def test_a_certificate_nobody_trusts_is_not_retried(tmp_path: Path) -> None:
    with ScriptedMessages([reply(TEXT)]) as server:
        server.use_tls(self_signed(tmp_path))
        with pytest.raises(errors.ModelUnreachable, match="certificate") as caught:
            Client(settings_for(server.url)).complete(call())
    assert len(caught.value.report["attempts"]) == 1


def test_https_to_a_server_without_it_says_so(server: ScriptedMessages) -> None:
    with pytest.raises(errors.ModelUnreachable, match="secure connection"):
        Client(settings_for(server.url.replace("http:", "https:"))).complete(call())


def self_signed(folder: Path) -> ssl.SSLContext:
    """A server context with a certificate nobody trusts."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    pem = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    plain_key = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "server.pem"
    path.write_bytes(pem + plain_key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


# ------------------------------------------------------------------ keys


def test_without_a_key_nothing_is_sent() -> None:
    with pytest.raises(errors.ModelKeyRejected, match="ANTHROPIC_API_KEY"):
        Client(settings_for("", api_key=None, base_url=None))


@pytest.mark.parametrize("key", ["sk ant", "sk-ant\nx", "sk-änt", "sk-ant‑x"])
def test_a_key_that_is_none_is_named_before_it_is_sent(key: str) -> None:
    with pytest.raises(errors.ModelKeyRejected, match="characters") as caught:
        Client(settings_for("http://127.0.0.1:1", api_key=key))
    assert key not in str(caught.value)


def test_a_local_server_needs_no_key(play: Play, server: ScriptedMessages) -> None:
    assert play(reply(TEXT), api_key=None).complete(call()).text == TEXT
    assert server.requests[0].headers["authorization"] == "Bearer local"


def test_the_key_travels_in_its_header_only(play: Play, server: ScriptedMessages) -> None:
    echoed = play(reply(f"you sent {KEY}")).complete(call())
    assert KEY.encode() not in server.requests[0].raw
    assert KEY in server.requests[0].headers["authorization"]
    assert KEY not in json.dumps(echoed.report())


def test_a_placeholder_key_leaves_words_alone(play: Play) -> None:
    assert play(reply("a local test"), api_key=None).complete(call()).text == "a local test"
    assert play(reply("a local test"), api_key="test").complete(call()).text == "a local test"


def test_an_address_with_a_password_is_shown_without_it(server: ScriptedMessages) -> None:
    url = server.url.replace("http://", "http://me:secret@")
    server.script = [status(401)]
    with pytest.raises(errors.ModelKeyRejected) as caught:
        Client(settings_for(url)).complete(call())
    assert "secret" not in str(caught.value)


# ------------------------------------------------------------------ replies


def test_usage_is_counted_with_cache_tokens_and_priced(play: Play) -> None:
    usage = {"input_tokens": 1000, "cache_creation_input_tokens": 2000, "cache_read_input_tokens": 4000}
    client = play(reply(TEXT, usage=usage, model="claude-sonnet-5-5"))
    got = client.complete(call())
    assert (got.usage.cache_creation_input_tokens, got.usage.cache_read_input_tokens) == (2000, 4000)
    expected = (1000 * 2 + 2000 * 2.5 + 4000 * 0.1 + 50 * 10) / 1e6
    assert got.usage.cost_usd == pytest.approx(expected)
    assert client.usage == got.usage


def test_a_model_without_a_price_costs_null(play: Play) -> None:
    got = play(reply(TEXT, model="somebody-elses-model")).complete(call(model="somebody-elses-model"))
    assert got.usage.input_tokens == 100
    assert got.usage.cost_usd is None


BLOCKS: dict[str, Step] = {
    "thinking first": reply(TEXT, before=[p for i in range(2) for p in other_block("thinking", i, thinking="hm")]),
    "redacted thinking": reply(TEXT, before=other_block("redacted_thinking", 0, data="x")),
    "a block nobody knows": reply(TEXT, before=other_block("hologram", 0, beam=1)),
    "events nobody knows": events(start(), event("weather", sun=True), *text_block([TEXT]), *end()),
    "no usage": events(event("message_start", message={"model": "m"}), *text_block([TEXT]), *end()),
    "null fields": events(event("message_start", message=None), *text_block([TEXT]), event("message_stop")),
    "no message_stop": events(start(), *text_block([TEXT]), end()[0]),
    "text in the start event": events(
        start(), event("content_block_start", index=0, content_block={"type": "text", "text": TEXT}),
        event("content_block_stop", index=0), *end(),
    ),
    "no block events": events(start(), text_block([TEXT])[1], *end()),
    "one byte at a time": events(*(bytes([b]) for b in b"".join([start(), *text_block([TEXT]), *end()]))),
    "crlf": events(b"".join([start(), *text_block([TEXT]), *end()]).replace(b"\n", b"\r\n")),
    "comments between": events(start(), b": keep-alive\n\n", *text_block([TEXT]), b":\n\n", *end()),
    "not streamed": plain(
        json.dumps({"type": "message", "model": "m", "content": [{"type": "text", "text": TEXT}],
                    "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2}}),
        content_type="application/json",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_a_reply_in_any_wrapping_is_read(play: Play, name: str) -> None:
    got = play(BLOCKS[name]).complete(call())
    assert (got.text, got.complete, len(got.attempts)) == (TEXT, True, 1)


@pytest.mark.parametrize(
    "reason", ["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded", "brand_new"]
)
def test_a_stop_reason_is_passed_on(play: Play, reason: str) -> None:
    got = play(reply(TEXT, stop_reason=reason)).complete(call())
    assert (got.stop_reason, got.complete) == (reason, True)


def test_a_reply_without_end_is_cut(play: Play) -> None:
    flood = events(start(), *text_block(["x" * 60_000] * 40)[:-1])
    with pytest.raises(errors.ModelUnusable, match="does not end"):
        play(flood).complete(call())


def test_what_was_handed_over_is_never_sent_twice(play: Play, server: ScriptedMessages) -> None:
    pieces: list[str] = []
    got = play(drop_after("The expense"), reply(TEXT)).send(call(), on_text=pieces.append)
    assert "".join(pieces) == got.text == "The expense"
    assert (got.complete, len(server.requests)) == (False, 1)
    assert "broke off" in str(got.fault)


def test_text_arrives_before_the_reply_ends(play: Play) -> None:
    slow = reply(TEXT, size=4, pause=0.03)
    times: list[float] = []
    play(slow).send(call(), on_text=lambda _: times.append(time.monotonic()))
    assert times[-1] - times[0] >= 0.1


def test_an_endpoint_without_reply_schemas_is_asked_in_words(play: Play, server: ScriptedMessages) -> None:
    refused = status(400, "invalid_request_error", "output_config: extra inputs are not permitted")
    got = play(refused, reply('{"a": 1}')).complete(call(output_schema={"type": "object"}))
    assert ["output_config" in r.body for r in server.requests] == [True, False]
    assert any("schema" in note for note in got.notes)


# ------------------------------------------------------------------ stop


PATIENCE_S = 5  # a second on an idle machine; tests run on busy ones


def hung_up(server: ScriptedMessages) -> float:
    """When the server saw the client go."""
    until = time.monotonic() + PATIENCE_S
    while not server.disconnects and time.monotonic() < until:
        time.sleep(0.01)
    return server.disconnects[0]


def stopped(client: Client, after: float, **callbacks: Any) -> tuple[Reply, float]:
    began = time.monotonic()
    got = client.send(call(), cancelled=lambda: time.monotonic() - began > after, **callbacks)
    return got, time.monotonic()


STOPS: dict[str, tuple[Script, ...]] = {
    "before the headers": (Step(delay=20),),
    "before the first word": (events(Pause(20)),),
    "mid-stream": (stall_after("The expense", 20),),
    "while words arrive": (reply("word " * 4000, size=5, pause=0.01),),
    "while waiting to retry": (status(429, "rate_limit_error", retry_after="8"),),
}


@pytest.mark.parametrize("name", STOPS)
def test_stop_reaches_the_server_within_a_second(play: Play, server: ScriptedMessages, name: str) -> None:
    got, returned = stopped(play(*STOPS[name], llm={"first_byte_s": 30, "stall_s": 30, "deadline_s": 30}), 0.2)
    assert got.cancelled
    assert not got.complete
    if name != "while waiting to retry":
        assert hung_up(server) - returned < PATIENCE_S
        assert got.attempts[-1].outcome == "cancelled"


def test_stop_before_the_start_sends_nothing(play: Play, server: ScriptedMessages) -> None:
    assert play(reply(TEXT)).send(call(), cancelled=lambda: True).cancelled
    assert not server.requests


def test_complete_raises_when_stopped(play: Play) -> None:
    with pytest.raises(errors.Cancelled):
        play(Step(delay=5)).complete(call(), cancelled=lambda: True)


def test_a_callback_that_raises_ends_the_request(play: Play, server: ScriptedMessages) -> None:
    def fail(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(reply("word " * 1000, pause=0.01)).send(call(), on_text=fail)
    assert hung_up(server)
