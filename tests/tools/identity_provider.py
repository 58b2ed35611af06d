"""A small OpenID Connect provider on 127.0.0.1: discovery, a page to choose who one is, tokens, keys.

with IdentityProvider(["ann", "bob"]) as provider:
    provider.discovery   # goes into `server_metadata_url`
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "grounded", "a client secret for tests"


class IdentityProvider:
    """Vouches for whoever one says to be. `sub` is the name."""

    def __init__(self, people: list[str]) -> None:
        self.people = people
        self._key = RSAKey.generate_key(2048, {"kid": "test", "use": "sig", "alg": "RS256"})
        self._codes: dict[str, dict[str, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self.discovery = f"{self.issuer}/.well-known/openid-configuration"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def secrets_file(self, app: str) -> str:
        """Streamlit's secrets for an app at that address."""
        values = {
            "redirect_uri": f"{app}/oauth2callback",
            "cookie_secret": secrets.token_hex(32),
            "client_id": CLIENT,
            "client_secret": SECRET,
            "server_metadata_url": self.discovery,
        }
        return "[auth]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())

    def metadata(self) -> dict[str, Any]:
        """What discovery says."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def chooser(self, asked: dict[str, str]) -> str:
        """The sign-in page: a link for each person."""
        links = []
        for person in self.people:
            code = secrets.token_urlsafe(16)
            self._codes[code] = asked | {"person": person}
            back = f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
            links.append(f'<p><a href="{escape(back)}">{escape(person)}</a></p>')
        return f"<!doctype html><title>Who are you?</title>{''.join(links)}"

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        """Tokens for a code, once, for whoever holds the code's verifier."""
        asked = self._codes.pop(form["code"])
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        assert challenge.decode() == asked["code_challenge"]
        now, person = int(time.time()), asked["person"]
        claims = {"iss": self.issuer, "sub": person, "aud": CLIENT, "iat": now, "exp": now + 600,
                  "nonce": asked["nonce"], "email": f"{person}@example.com"}  # fmt: skip
        signed = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self._key)
        return {"access_token": secrets.token_hex(8), "token_type": "Bearer", "expires_in": 600, "id_token": signed}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                at = urlsplit(self.path)
                if at.path == "/authorize":
                    self._send("text/html; charset=utf-8", provider.chooser(_fields(at.query)))
                elif at.path == "/keys":
                    self._send("application/json", json.dumps({"keys": [provider._key.as_dict(private=False)]}))
                else:
                    self._send("application/json", json.dumps(provider.metadata()))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._send("application/json", json.dumps(provider.token(_fields(body))))

            def _send(self, kind: str, body: str) -> None:
                data = body.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                """Quiet."""

        return Handler


def _fields(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
