"""Signed notes: one spelling, the right key, and nothing else."""

from __future__ import annotations

import pytest

from grounded.audit.canonical import Malformed
from grounded.audit.keys import Signer
from grounded.audit.notes import COSIGNATURE, VerifierKey, parse_key, parse_note, signed_by
from grounded.audit.receipt_verify import ed25519

# C2SP signed-note's own example (its key and its note).
EXAMPLE_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
EXAMPLE_TEXT = b"If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
EXAMPLE_MARK = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
SIGNER = Signer("grounded.example/log/n", b"n" * 32)


def test_the_published_example_verifies() -> None:
    import base64

    key = parse_key(EXAMPLE_KEY)
    blob = base64.b64decode(EXAMPLE_MARK)
    assert str(key) == EXAMPLE_KEY and blob[:4] == key.key_id
    assert ed25519(key.public, blob[4:], EXAMPLE_TEXT)


def test_a_checkpoint_reads_back() -> None:
    note = SIGNER.note(7, b"r" * 32)
    checkpoint = parse_note(note)
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (SIGNER.key.name, 7, b"r" * 32)
    assert signed_by(checkpoint.text, checkpoint.signatures[0], SIGNER.key)


def test_no_single_byte_of_a_checkpoint_can_change() -> None:
    note = SIGNER.note(1234, b"r" * 32)
    accepted = 0
    for at in range(len(note)):
        for other in (note[at] ^ 1, note[at] ^ 32, 10, 32):
            changed = note[:at] + bytes([other]) + note[at + 1 :]
            if changed == note:
                continue
            try:
                found = parse_note(changed)
            except Malformed:
                continue
            accepted += any(signed_by(found.text, signature, SIGNER.key) for signature in found.signatures)
    assert accepted == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "a+b+c",
        EXAMPLE_KEY[:-1],
        EXAMPLE_KEY.replace("Peter", "Pater"),
        EXAMPLE_KEY.replace("c74f", "c74e"),
        EXAMPLE_KEY.replace("W", "X"),
    ],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_key(text)


def test_a_signature_counts_for_its_own_key_and_kind_only() -> None:
    note = parse_note(SIGNER.note(7, b"r" * 32))
    stranger = Signer(SIGNER.key.name, b"s" * 32)
    as_witness = VerifierKey(SIGNER.key.name, COSIGNATURE, SIGNER.key.public)
    for key in (stranger.key, as_witness, VerifierKey("other", 1, SIGNER.key.public)):
        assert not signed_by(note.text, note.signatures[0], key)


def test_pure_python_ed25519_agrees_with_the_library() -> None:
    """RFC 8032 §7.1 test 3, and the forms that must be refused: s beyond the order, a point of another spelling."""
    public = bytes.fromhex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
    signature = bytes.fromhex(
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        "4a7c15e9716ed28dc027beceea1ec40a"
    )
    order = 2**252 + 27742317777372353535851937790883648493
    late = signature[:32] + (int.from_bytes(signature[32:], "little") + order).to_bytes(32, "little")
    assert ed25519(public, signature, bytes.fromhex("af82"))
    assert not ed25519(public, late, bytes.fromhex("af82"))
    assert not ed25519(public, signature, b"")
    assert not ed25519(public, signature + b"\x00", bytes.fromhex("af82"))
    assert not ed25519((2**255 - 18).to_bytes(32, "little"), signature, bytes.fromhex("af82"))
