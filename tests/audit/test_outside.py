"""Evidence from outside: an RFC 3161 authority (openssl on this machine) and a witness over loopback HTTP."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grounded.audit import anchors, keys, layout, witness
from grounded.audit.verify import verify
from grounded.audit.writer import AuditLog
from grounded.errors import AuditError
from tests.audit.logs import make_log, write_run

CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
CN = Test authority
[root]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[tsa]
basicConstraints = CA:false
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[tsa_config]
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
"""


class OpenSsl:
    """A time-stamping authority of this machine: a root and, under it, the key that stamps."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.root = folder, folder / "root.pem"
        (folder / "config").write_text(CONFIG.format(folder=folder))
        (folder / "serial").write_text("01")
        new = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-config", "config")
        self._run(*new, "-extensions", "root", "-keyout", "root.key", "-out", "root.pem", "-subj", f"/CN={folder.name}")
        signed = ("-CA", "root.pem", "-CAkey", "root.key")
        self._run(*new, "-extensions", "tsa", "-keyout", "tsa.key", "-out", "tsa.pem", *signed)

    def _run(self, *words: str) -> None:
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def __call__(self, request: bytes) -> bytes:
        (self.folder / "q").write_bytes(request)
        self._run("ts", "-reply", "-queryfile", "q", "-out", "r", "-config", "config", "-section", "tsa_config")
        return (self.folder / "r").read_bytes()


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    made = make_log(tmp_path)
    write_run(made)
    verify(made.folder, state=made.state)
    return made


def authority(tmp_path: Path, name: str = "tsa") -> OpenSsl:
    pytest.importorskip("rfc3161_client")
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return OpenSsl(tmp_path / name)


def trust_authority(log: AuditLog, root: Path) -> None:
    folder = layout.authorities_path(log.state)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(root, folder / "tsa.pem")


def test_a_time_stamp_lifts_the_log_to_l3(log: AuditLog, tmp_path: Path) -> None:
    tsa = authority(tmp_path)
    anchors.stamp(log.ledger, tsa)
    unknown = verify(log.folder, state=log.state)
    assert (unknown.verdict, unknown.assurance) == ("intact", "L2")
    assert any("no time-stamping authority is trusted" in item for item in unknown.not_checked)
    trust_authority(log, tsa.root)
    report = verify(log.folder, state=log.state)
    assert (report.verdict, report.assurance, report.findings) == ("intact", "L3", [])
    assert any("entries after 3" in item for item in report.not_checked)


def test_a_stranger_s_time_stamp_is_not_counted(log: AuditLog, tmp_path: Path) -> None:
    anchors.stamp(log.ledger, authority(tmp_path))
    trust_authority(log, authority(tmp_path, "other").root)
    report = verify(log.folder, state=log.state)
    assert (report.verdict, report.assurance) == ("intact", "L2")


def test_a_stamp_over_something_else_is_refused(log: AuditLog, tmp_path: Path) -> None:
    tsa = authority(tmp_path)
    kept: list[bytes] = []

    def recording(request: bytes) -> bytes:
        kept.append(tsa(request))
        return kept[-1]

    anchors.stamp(log.ledger, recording)
    with pytest.raises(ValueError, match=r"something else|another request"):
        anchors.stamp(log.ledger, lambda request: kept[0])
    with pytest.raises(ValueError):
        anchors.stamp(log.ledger, lambda request: b"not a token")
    trust_authority(log, tsa.root)
    _, size, root = anchors.head_of(log.ledger)
    anchors.anchor(log.ledger, "rfc3161", size, root, kept[0])
    report = verify(log.folder, state=log.state)
    assert (report.verdict, [f.code for f in report.findings]) == ("tampered", ["token_altered"])


class Running:
    """A witness on a port of its own."""

    def __init__(self, folder: Path, log: AuditLog) -> None:
        known = [key for found in keys.load_trust(log.state).logs.values() for key in found]
        self.witness = witness.Witness(folder, "witness.example", known)
        self.server = witness.serve(self.witness)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


@pytest.fixture
def running(log: AuditLog, tmp_path: Path) -> Iterator[Running]:
    served = Running(tmp_path / "witness", log)
    yield served
    served.stop()


def test_a_witness_lifts_the_log_to_l4_and_follows_it(log: AuditLog, running: Running) -> None:
    for _ in range(4):
        witness.cosign(log.ledger, running.url, running.witness.key)
        write_run(log)
    unknown = verify(log.folder, state=log.state)
    assert (unknown.verdict, unknown.assurance) == ("intact", "L2")
    keys.remember_witness(log.state, running.witness.key)
    report = verify(log.folder, state=log.state)
    assert (report.verdict, report.assurance, report.findings) == ("intact", "L4", [])


def test_a_witness_does_not_cosign_another_history(log: AuditLog, running: Running, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(log.folder, copy / "traces")
    shutil.copytree(log.state, copy / "state")
    write_run(log)
    witness.cosign(log.ledger, running.url, running.witness.key)
    forked = make_log(copy)
    for _ in range(3):
        write_run(forked, "another history")
    with pytest.raises(AuditError, match="refuses"):
        witness.cosign(forked.ledger, running.url, running.witness.key)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"old x\n\nnote", 400),
        (b"old 0\n\n", 400),
        (b"old 0\nAAAA\n\nnote", 400),
        (b"old 0\n\ngrounded.example/unknown\n1\n" + b"A" * 43 + b"=\n\n\xe2\x80\x94 x AAAAAAAA\n", 404),
    ],
)
def test_a_witness_answers_nonsense_with_a_status(running: Running, body: bytes, status: int) -> None:
    assert running.witness.add_checkpoint(body).status == status


def test_a_witness_wants_the_log_s_signature(log: AuditLog, running: Running) -> None:
    with log.ledger.locked() as head:
        note = log.ledger.signed_head(head)
    forged = note[:-30] + (b"A" if note[-30:-29] != b"A" else b"B") + note[-29:]
    assert running.witness.add_checkpoint(b"old 0\n\n" + forged).status in (400, 403)
    assert running.witness.add_checkpoint(b"old 0\n\n" + note).status == 200
    assert running.witness.add_checkpoint(b"old 0\n\n" + note).status == 409
    assert running.witness.add_checkpoint(b"old 99\n\n" + note).status == 400
    size = head.frontier.size
    assert running.witness.add_checkpoint(f"old {size}\n\n".encode() + note).status == 200


def test_a_forged_cosignature_is_tampering(log: AuditLog, running: Running) -> None:
    keys.remember_witness(log.state, running.witness.key)
    with log.ledger.locked() as head:
        note, size, root = log.ledger.signed_head(head), head.frontier.size, head.frontier.root()
    good = running.witness.add_checkpoint(b"old 0\n\n" + note).body
    anchors.anchor(log.ledger, "cosignature", size, root, note + good[:-30] + b"AAAA" + good[-26:])
    report = verify(log.folder, state=log.state)
    assert (report.verdict, [f.code for f in report.findings]) == ("tampered", ["token_altered"])
