"""A witness: it cosigns a log's checkpoints, and only such as extend what it cosigned before (C2SP tlog-witness).

Run it on another machine, by somebody else. It keeps a key and, per log, the last size and root. The log's side of the
conversation is `cosign`.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from grounded.audit import keys, layout
from grounded.audit.anchors import anchor, leaves_of
from grounded.audit.canonical import Malformed
from grounded.audit.evidence import check_cosignature
from grounded.audit.ledger import Ledger
from grounded.audit.merkle import consistency_proof, consistent, leaf_hash
from grounded.audit.notes import (
    COSIGNATURE,
    Checkpoint,
    VerifierKey,
    cosigned_text,
    parse_note,
    signature_line,
    signed_by,
)
from grounded.errors import AuditError

_MAX_REQUEST = 1 << 16
_TIMEOUT_S = 30


class Reply(NamedTuple):
    """An HTTP answer."""

    status: int
    body: bytes
    kind: str = "text/plain; charset=utf-8"


class Witness:
    """The state of a witness in a folder of its own. logs: the keys of the logs it serves."""

    def __init__(self, folder: Path, name: str, logs: Sequence[VerifierKey]) -> None:
        path = folder / "witness.key"
        if not path.exists():
            keys.write_private(path, keys.Signer.new(name).export())
        self._signer = keys.load_signer(path)
        self._folder, self._logs, self._lock = folder, {key.name: key for key in logs}, threading.Lock()

    @property
    def key(self) -> VerifierKey:
        """The public key that others check its cosignatures with."""
        return VerifierKey(self._signer.key.name, COSIGNATURE, self._signer.key.public)

    def add_checkpoint(self, body: bytes) -> Reply:
        """POST /add-checkpoint: `old N`, the consistency proof, an empty line, the checkpoint."""
        head, _, note = body.partition(b"\n\n")
        try:
            old, proof = _parse_head(head.decode("ascii"))
            checkpoint = parse_note(note)
        except (Malformed, ValueError):
            return Reply(400, b"malformed\n")
        log = self._logs.get(checkpoint.origin)
        if log is None:
            return Reply(404, b"unknown log\n")
        if not any(signed_by(checkpoint.text, signature, log) for signature in checkpoint.signatures):
            return Reply(403, b"no signature of the log\n")
        with self._lock:
            return self._judge(old, proof, checkpoint)

    def _judge(self, old: int, proof: list[bytes], checkpoint: Checkpoint) -> Reply:
        size, root = self._last(checkpoint.origin)
        if old > checkpoint.size:
            return Reply(400, b"the old size is beyond the new one\n")
        if old != size:
            return Reply(409, f"{size}\n".encode(), "text/x.tlog.size")
        if not consistent(old, checkpoint.size, root, checkpoint.root, proof):
            same_size = old == checkpoint.size
            return Reply(409, f"{size}\n".encode(), "text/x.tlog.size") if same_size else Reply(422, b"a fork\n")
        self._remember(checkpoint)
        return Reply(200, self._cosign(checkpoint.text))

    def _cosign(self, text: bytes) -> bytes:
        now = int(time.time())
        return signature_line(self.key, now.to_bytes(8, "big") + self._signer.sign(cosigned_text(text, now)))

    def _last(self, origin: str) -> tuple[int, bytes]:
        path = self._folder / f"{layout.log_id(origin)}.json"
        if not path.exists():
            return 0, b""
        kept = json.loads(path.read_text("utf-8"))
        return kept["size"], bytes.fromhex(kept["root"])

    def _remember(self, checkpoint: Checkpoint) -> None:
        kept = {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()}
        keys.write_private(self._folder / f"{layout.log_id(checkpoint.origin)}.json", json.dumps(kept))


def _parse_head(head: str) -> tuple[int, list[bytes]]:
    first, *proof = head.split("\n")
    word, _, size = first.partition(" ")
    if word != "old" or not size.isdigit():
        raise ValueError("no old size")
    nodes = [base64.b64decode(line, validate=True) for line in proof]
    if any(len(node) != 32 for node in nodes):
        raise ValueError("not a proof")
    return int(size), nodes


def serve(witness: Witness, address: tuple[str, int] = ("127.0.0.1", 0)) -> ThreadingHTTPServer:
    """An HTTP server for the witness, bound but not yet running (`serve_forever`)."""

    class Handler(BaseHTTPRequestHandler):
        timeout = _TIMEOUT_S

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if self.path != "/add-checkpoint":
                self._answer(Reply(404, b"there is only /add-checkpoint\n"))
            elif not length.isdigit() or int(length) > _MAX_REQUEST:
                self._answer(Reply(400, b"too large\n"))
            else:
                self._answer(witness.add_checkpoint(self.rfile.read(int(length))))

        def _answer(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *args: Any) -> None:
            """Quiet: requests are not the witness's to tell."""

    return ThreadingHTTPServer(address, Handler)


def cosign(ledger: Ledger, url: str, key: VerifierKey) -> dict[str, Any]:
    """Have the witness at `url` cosign the last checkpoint, and anchor its cosignature.

    key: the witness's, from outside. Raises AuditError when it refuses: it has seen another history of this log."""
    with ledger.locked() as head:
        size, root, lines = head.frontier.size, head.frontier.root(), leaves_of(head, ledger.folder)
        note = ledger.signed_head(head)
    leaves = [leaf_hash(line) for line in lines]
    status, answer = _ask(url, _request(leaves, 0, note))
    if status == 409 and answer.strip().isdigit() and int(answer) <= size:
        status, answer = _ask(url, _request(leaves, int(answer), note))
    if status != 200:
        said = answer.decode("utf-8", "replace").strip()[:80]
        raise AuditError(f"the witness refuses ({status}: {said})", where=url)
    try:
        check_cosignature(note + answer, parse_note(note).text, [key])
    except Exception as error:
        raise AuditError(f"the witness's answer does not verify ({error})", where=url) from error
    return anchor(ledger, "cosignature", size, root, note + answer)


def _request(leaves: list[bytes], old: int, note: bytes) -> bytes:
    proof = [base64.b64encode(node).decode() for node in consistency_proof(leaves, old)]
    return "\n".join([f"old {old}", *proof]).encode() + b"\n\n" + note


def _ask(url: str, body: bytes) -> tuple[int, bytes]:
    if not url.startswith(("http://", "https://")):
        raise AuditError("not an http address", where=url)
    request = Request(f"{url.rstrip('/')}/add-checkpoint", data=body)  # noqa: S310 — the scheme is checked above
    try:
        with urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310
            return answer.status, answer.read(1 << 16)
    except HTTPError as error:
        return error.code, error.read(1 << 16)
    except OSError as error:
        raise AuditError(f"the witness does not answer ({error})", where=url) from error
