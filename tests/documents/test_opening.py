"""Case 16: what is no usable PDF is named for what it is."""

from pathlib import Path

import pymupdf
import pytest

from grounded.documents import read
from grounded.errors import CorruptPdf, DocumentError, EmptyFile, NotAPdf, PasswordNeeded
from grounded.settings import DocumentSettings

PNG = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 8, 8)).tobytes("png")


def locked(pdf: Path, **passwords: str) -> bytes:
    with pymupdf.open(pdf) as document:
        return bytes(document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, **passwords))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", EmptyFile),
        (b"<html><body>Sign in</body></html>", NotAPdf),
        (b"<?xml version='1.0'?><a/>", NotAPdf),
        (b"just words", NotAPdf),
        (PNG, NotAPdf),
        (b"%PDF-1.7\nnothing follows", CorruptPdf),
    ],
)
def test_each_bad_file_has_its_own_error(data: bytes, error: type[DocumentError]) -> None:
    with pytest.raises(error, match=r"^bad\.pdf: .+\. [A-Z].+"):
        read(data, "bad.pdf", settings=DocumentSettings())


def test_a_user_password_is_asked_for_and_opens(samples: list[Path]) -> None:
    data = locked(samples[0], user_pw="secret", owner_pw="other")
    for wrong in (None, "wrong"):
        with pytest.raises(PasswordNeeded) as raised:
            read(data, "locked.pdf", password=wrong, settings=DocumentSettings())
        assert "wrong" not in str(raised.value)
    assert len(read(data, "locked.pdf", password="secret", settings=DocumentSettings()).pages) == 2


def test_an_owner_password_alone_keeps_nobody_out(samples: list[Path]) -> None:
    data = locked(samples[0], owner_pw="other")
    assert "Nimbus" in read(data, "owner.pdf", settings=DocumentSettings()).pages[0].text


def test_a_file_cut_short_is_repaired_and_says_so(samples: list[Path]) -> None:
    data = samples[0].read_bytes()
    try:
        document = read(data[: int(len(data) * 0.7)], "cut.pdf", settings=DocumentSettings())
    except CorruptPdf:
        return
    assert document.repaired
    assert document.coverage.unread or document.warnings
