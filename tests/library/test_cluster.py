"""Indexing on a Ray cluster of two workers on this machine: the same library, whatever happens to the workers."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from grounded.errors import Cancelled, LibraryError
from grounded.library import FileResult, Library
from grounded.library.cluster import connect
from tests.library.fakes import HereEngine, WordEmbedder
from tests.library.test_library import TOPICS, opened, pdf

pytestmark = pytest.mark.slow
FILES = 12


class Deadly(WordEmbedder):
    """Ends the process that counts the tokens of a text about poison."""

    def count_tokens(self, text: str) -> int:
        if "poison" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().count_tokens(text)


class Slow(WordEmbedder):
    """Takes its time for every document."""

    def encode_documents(self, texts: list[str]) -> object:  # type: ignore[override]
        time.sleep(0.3)
        return super().encode_documents(texts)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, pages in TOPICS.items():
        (folder / f"{name}.pdf").write_bytes(pdf(*pages))
    for number in range(FILES - len(TOPICS) - 1):
        (folder / f"ledger-{number}.pdf").write_bytes(pdf(f"Ledger {number} lists {number * 7} barrels.", "The end."))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    return folder


@pytest.fixture(scope="module")
def local_digest(files: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    library = opened(tmp_path_factory.mktemp("local") / "library")
    library.add([path for path in sorted(files.iterdir()) if path.name != "broken.pdf"], engine=HereEngine())
    return library.index_digest


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One cluster for the module."""
    ray, _ = connect(None, 2)
    yield
    ray.shutdown()


def add(library: Library, *paths: Path, **options: object) -> list[FileResult]:
    with library.ray_engine() as engine:
        return library.add(paths, engine=engine, **options)  # type: ignore[arg-type]


def a_worker() -> psutil.Process:
    """A process that reads or embeds."""
    running = psutil.Process().children(recursive=True)
    return next(p for p in running if p.name().startswith(("ray::_Encoder", "ray::_read")))


def test_a_cluster_makes_the_same_library(cluster: None, files: Path, local_digest: str, tmp_path: Path) -> None:
    library = opened(tmp_path / "library")
    seen: list[tuple[int, int]] = []
    results = add(library, files, progress=lambda done, total, _: seen.append((done, total)))
    assert {Path(r.path).name: r.error.type for r in results if r.error} == {"broken.pdf": "CorruptPdf"}
    assert [done for done, _ in seen] == list(range(1, FILES + 1)) and {total for _, total in seen} == {FILES}
    assert library.index_digest == local_digest
    assert library.verify() == []


def test_killed_workers_lose_and_duplicate_nothing(
    cluster: None, files: Path, local_digest: str, tmp_path: Path
) -> None:
    library = opened(tmp_path / "library", Slow())
    victims: list[str] = []

    def kill_one(done: int, total: int, result: object) -> None:
        if done in (2, 5):
            victims.append(a_worker().name())
            a_worker().kill()

    results = add(library, files, progress=kill_one)
    ids = [c.id for r in library.documents() for c in library.index.chunks(r.id)]
    assert len(victims) == 2 and sum(r.usable for r in results) == FILES - 1
    assert library.index_digest == local_digest
    assert library.index.count() == len(ids) == len(set(ids))


def test_a_file_that_kills_its_workers_is_named_and_the_rest_goes_on(
    cluster: None, files: Path, local_digest: str, tmp_path: Path
) -> None:
    (tmp_path / "deadly.pdf").write_bytes(pdf("This page is about poison."))
    library = opened(tmp_path / "library", Deadly())
    results = add(library, tmp_path / "deadly.pdf", files)
    errors = {Path(r.path).name: r.error for r in results if r.error}
    assert errors["deadly.pdf"].type == "LimitExceeded" and "deadly.pdf" in errors["deadly.pdf"].message
    assert set(errors) == {"deadly.pdf", "broken.pdf"} and library.index_digest == local_digest


def test_a_cancelled_run_is_taken_up_again(cluster: None, files: Path, local_digest: str, tmp_path: Path) -> None:
    library, stop = opened(tmp_path / "library"), threading.Event()
    with pytest.raises(Cancelled):
        add(library, files, progress=lambda *_: stop.set(), cancelled=stop.is_set)
    add(library, files)
    assert library.index_digest == local_digest


def test_pages_are_reported_while_a_file_is_read(cluster: None, tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(pdf(*[f"Page {n} is about barrels. " * 40 for n in range(400)]))
    seen: list[tuple[str, int, int]] = []
    library = opened(tmp_path / "library")
    add(library, tmp_path / "long.pdf", page_progress=lambda *told: seen.append(told))
    done = [pages for _, pages, _ in seen]
    assert {(Path(name).name, total) for name, _, total in seen} == {("long.pdf", 400)}
    assert len(set(done)) > 1 and done == sorted(done) and done[-1] == 400


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("127.0.0.1:1", "127.0.0.1:1: no Ray cluster answers there (Connection refused). Start its head"),
        ("ray://127.0.0.1:1", "no Ray cluster answers there (Connection refused)"),
        ("[::1]:99999", "no Ray cluster answers there"),
        ("nowhere.invalid:6379", "nowhere.invalid:6379: no Ray cluster answers there"),
    ],
)
def test_an_address_where_nobody_listens_is_an_error_at_once(address: str, what: str) -> None:
    with pytest.raises(LibraryError, match=re.escape(what)):
        connect(address, None)


def test_a_local_cluster_listens_on_loopback_only(cluster: None) -> None:
    ours = [psutil.Process(), *psutil.Process().children(recursive=True)]
    listening = [c.laddr.ip for p in ours for c in connections(p) if c.status == psutil.CONN_LISTEN]
    assert listening and set(listening) <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


def connections(process: psutil.Process) -> list[Any]:
    """TCP connections of a process; none of one that has just ended."""
    try:
        return list(process.net_connections("tcp"))
    except psutil.NoSuchProcess:
        return []


@pytest.mark.shared
def test_contracts_survive_the_loss_of_a_worker(cluster: None, shared: Path, tmp_path: Path) -> None:
    contracts = sorted((shared / "bench" / "cuad" / "pdfs").glob("*.pdf"), key=lambda path: path.stat().st_size)[:10]
    local, distributed = opened(tmp_path / "local"), opened(tmp_path / "distributed")
    local.add(contracts, engine=HereEngine())

    def kill_one(done: int, total: int, result: object) -> None:
        if done == total // 2:
            a_worker().kill()

    assert all(r.usable for r in add(distributed, *contracts, progress=kill_one))
    assert distributed.index_digest == local.index_digest and distributed.verify() == []
