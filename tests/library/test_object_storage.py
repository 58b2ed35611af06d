"""A library on an S3-compatible server on loopback: used, read by others meanwhile, cut off in mid-write, locked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grounded import cli
from grounded.errors import GroundedError, LibraryError, LibraryLocked
from grounded.library import Library
from grounded.library.lease import Lease
from grounded.library.places import ObjectPlace
from grounded.settings import DocumentSettings, Settings, StorageSettings
from tests.library.fakes import HereEngine, WordEmbedder
from tests.library.s3 import Storage, serving
from tests.library.test_library import TOPICS, pdf, search

LEASE_S = 2.0
PAGES = ["Tulips are planted in October and bloom in April.", "A bulb costs two dollars."]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("GROUNDED_CACHE", str(tmp_path_factory.mktemp("cache")))
        with serving(environment) as storage:
            yield storage


def opened(uri: str) -> Library:
    settings = Settings(
        documents=DocumentSettings(workers=1, lock_wait_s=30), storage=StorageSettings(lease_s=LEASE_S, retries=0)
    )
    return Library(uri, settings=settings, embedder=WordEmbedder())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    for name, pages in {"tulips": PAGES, **TOPICS}.items():
        (folder / f"{name}.pdf").write_bytes(pdf(*pages))
    return {path.stem: path for path in folder.iterdir()}


def add(library: Library, *paths: Path) -> None:
    results = library.add(paths, engine=HereEngine())
    assert all(result.usable for result in results)


def place(name: str) -> ObjectPlace:
    return ObjectPlace(f"s3://bucket/{name}", 0)


def test_indexed_asked_cited_and_verified(
    server: Storage, tmp_path: Path, samples: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--library", "s3://bucket/samples", "--traces", str(tmp_path / "traces"), "--json"]
    assert cli.main(["index", str(samples[0]), *where]) == 0
    capsys.readouterr()
    assert cli.main(["ask", "What is the expense ratio?", "--reader", "extractive", *where]) == 0
    answer = json.loads(capsys.readouterr().out)
    citation = answer["claims"][0]["citations"][0]
    assert answer["claims"][0]["verdict"]["grounded"]
    library = opened("s3://bucket/samples")
    page = library.page(citation["document"], citation["page"])
    assert " ".join(page.text[start:end] for start, end in citation["spans"]) == citation["snippet"]
    assert library.original(citation["document"]) == samples[0].read_bytes()
    assert cli.main(["library", "verify", *where]) == 0
    assert cli.main(["verify-log", str(tmp_path / "traces")]) == 0


def test_two_read_while_one_writes(server: Storage, files: dict[str, Path]) -> None:
    uri = "s3://bucket/shared"
    writer = opened(uri)
    add(writer, files["tulips"])
    done = threading.Event()
    troubles: list[str] = []
    seen: list[set[int]] = [set(), set()]

    def read(number: int) -> None:
        library = opened(uri)
        while True:
            last = done.is_set()
            records = library.documents()
            seen[number].add(len(records))
            found = search(library, "When do tulips bloom?")
            wrong = [h for h in found if library.page(h.chunk.document, h.chunk.page).text.find(h.chunk.text) < 0]
            troubles.extend(f"{hit.chunk.id} is not on its page" for hit in wrong)
            troubles.extend(
                f"{r.name}: {len(library.index.chunks(r.id))} of {r.chunks} chunks"
                for r in records
                if len(library.index.chunks(r.id)) != r.chunks
            )
            if last:
                return

    readers = [threading.Thread(target=read, args=(number,)) for number in range(2)]
    for reader in readers:
        reader.start()
    for name in TOPICS:
        add(writer, files[name])
    done.set()
    for reader in readers:
        reader.join()
    assert troubles == []
    assert all(max(counts) == 4 for counts in seen)
    assert writer.verify() == []


def test_a_server_that_stops_in_mid_write_leaves_all_or_nothing(server: Storage, files: dict[str, Path]) -> None:
    uri = "s3://bucket/cut"
    add(opened(uri), files["boats"])
    before = server.writes
    add(opened("s3://bucket/whole"), files["tulips"])
    needed = server.writes - before
    outcomes = set()
    for writes in range(1, needed, 3):
        server.go_after(writes)
        try:
            add(opened(uri), files["tulips"])
        except GroundedError as error:
            outcomes.add(error.kind)
        server.come_back()
        library = opened(uri)
        names = {r.name for r in library.documents()}
        assert names in ({"boats.pdf"}, {"boats.pdf", "tulips.pdf"}) and library.verify() == []
        if "tulips.pdf" in names:
            library.remove(library.find("tulips.pdf").id)
    library = opened(uri)
    assert outcomes
    add(library, files["tulips"])
    ids = [c.id for r in library.documents() for c in library.index.chunks(r.id)]
    assert library.index.count() == len(ids) == len(set(ids)) and library.verify() == []


def test_one_lease_at_a_time(server: Storage) -> None:
    first, second = Lease(place("lease"), 60), Lease(place("lease"), 60)
    with first.held(5):
        first.check()
        with pytest.raises(LibraryLocked), second.held(0.3):
            pass
    with second.held(5):
        second.check()
        with pytest.raises(LibraryError):
            first.check()


def test_a_silent_holder_is_replaced_by_one_after_the_other(server: Storage) -> None:
    dead = {"holder": "dead", "term": 7, "lease_s": 0.5}
    place("silent").write("write.lock", json.dumps(dead).encode())
    inside, terms = threading.Lock(), []

    def take() -> None:
        with Lease(place("silent"), 60).held(20), inside:
            terms.append(json.loads(place("silent").read("write.lock"))["term"])

    takers = [threading.Thread(target=take) for _ in range(3)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert terms == [8, 9, 10]


def test_who_lost_the_lease_commits_nothing_more(server: Storage) -> None:
    lease = Lease(place("lost"), 1.0)
    other = {"holder": "other", "term": 2, "lease_s": 60}
    with lease.held(5):
        place("lost").write("write.lock", json.dumps(other).encode())
        threading.Event().wait(0.7)  # a renewal later, or half a lease without one: lost either way
        with pytest.raises(LibraryError, match="taken over"):
            lease.check()
    assert json.loads(place("lost").read("write.lock"))["holder"] == "other"


def test_storage_without_conditional_writes_is_read_but_not_written(server: Storage, files: dict[str, Path]) -> None:
    uri = "s3://bucket/careless"
    add(opened(uri), files["tulips"])
    server.conditions = False
    try:
        library = opened(uri)
        assert search(library, "When do tulips bloom?")[0].chunk.source_name == "tulips.pdf"
        with pytest.raises(LibraryError, match="conditional"):
            add(library, files["boats"])
    finally:
        server.conditions = True
    assert [r.name for r in opened(uri).documents()] == ["tulips.pdf"]


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(LibraryError):
        opened("carrier-pigeon://somewhere")
