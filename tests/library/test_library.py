"""A library over real PDFs with a fake embedder: names, removal, settings, resume, refusal, checks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from grounded.errors import Cancelled, LibraryError, UsageError
from grounded.library import Library
from grounded.library.places import LocalPlace
from grounded.library.store import Store
from grounded.retrieval.plan import plan
from grounded.retrieval.search import retrieve
from grounded.settings import DocumentSettings, RetrievalSettings, Settings
from grounded.types import Hit
from tests.library.fakes import WordEmbedder

TOPICS = {
    "apples": ["Apples are sold at three dollars a pound. The orchard opens in May.", "Cider is pressed in autumn."],
    "boats": ["The harbour charges forty dollars a night for each boat.", "Sails are repaired in winter."],
    "clocks": ["A clock tower was built in 1891. Its bell weighs two tonnes.", "The clockmaker retired in 1930."],
}


def pdf(*pages: str, **saving: object) -> bytes:
    made = pymupdf.open()
    for text in pages:
        made.new_page().insert_textbox((72, 72, 520, 700), text, fontsize=11)
    return bytes(made.tobytes(no_new_id=True, **saving))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pdfs")
    for name, pages in TOPICS.items():
        (made / f"{name}.pdf").write_bytes(pdf(*pages))
    return made


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    made = tmp_path_factory.mktemp("indexed") / "lib"
    opened(made).add([folder])
    return made


@pytest.fixture
def library(tmp_path: Path, indexed: Path) -> Library:
    shutil.copytree(indexed, tmp_path / "lib")
    return opened(tmp_path / "lib")


def opened(folder: Path, embedder: WordEmbedder | None = None, **documents: object) -> Library:
    """A library with a fake embedder; one worker, so that a test starts one process and not one per core."""
    settings = Settings(documents=DocumentSettings.model_validate({"workers": 1, **documents}))
    return Library(str(folder), settings=settings, embedder=embedder or WordEmbedder())


def search(library: Library, question: str, scope: Sequence[str] = ()) -> list[Hit]:
    asked = plan(question, documents=library.documents())
    return retrieve(library.index, library.embedder, asked, scope=scope, settings=RetrievalSettings())


def test_added_documents_are_listed_found_and_read_back(library: Library, folder: Path) -> None:
    assert sorted(r.name for r in library.documents()) == ["apples.pdf", "boats.pdf", "clocks.pdf"]
    best = search(library, "What does the harbour charge for a boat?")[0]
    assert best.chunk.source_name == "boats.pdf"
    page = library.page(best.chunk.document, best.chunk.page)
    assert page.text[slice(*best.chunk.span)] == best.chunk.text
    assert best.retrieval_confidence == pytest.approx(0.7 * best.cosine + 0.3 * best.section_match)
    assert library.original(best.chunk.document) == (folder / "boats.pdf").read_bytes()
    assert library.page_count(best.chunk.document) == 2
    assert library.name(best.chunk.document) == "boats.pdf"
    assert library.verify() == []


def test_scope_is_kept(library: Library) -> None:
    clocks = library.find("clocks.pdf").id
    assert {hit.chunk.document for hit in search(library, "harbour boat", [clocks])} == {clocks}


def test_a_second_run_does_no_work_twice(library: Library, folder: Path) -> None:
    before = library.index_digest
    assert {r.status for r in library.add([folder])} == {"unchanged"}
    assert library.index_digest == before


def test_same_bytes_twice_are_one_document_with_two_names(library: Library, tmp_path: Path, folder: Path) -> None:
    copy = tmp_path / "fruit.pdf"
    shutil.copyfile(folder / "apples.pdf", copy)
    assert [r.status for r in library.add([copy])] == ["renamed"]
    assert library.find("fruit.pdf").names == ("apples.pdf", "fruit.pdf")
    assert len(library.documents()) == 3


def test_two_files_of_one_name_are_two_documents(library: Library) -> None:
    first = library.add_bytes("report.pdf", pdf("The first report is about tulips."))
    second = library.add_bytes("report.pdf", pdf("The second report is about granite."))
    assert first.document != second.document
    with pytest.raises(LibraryError, match="2 documents have this name"):
        library.find("report.pdf")
    assert {h.chunk.document for h in search(library, "tulips")[:1]} == {first.document}
    assert {h.chunk.document for h in search(library, "granite")[:1]} == {second.document}


def test_a_removed_document_is_not_found_but_still_opens(library: Library) -> None:
    boats = library.find("boats.pdf").id
    library.remove(boats)
    assert all(hit.chunk.document != boats for hit in search(library, "harbour boat night"))
    assert "harbour" in library.page(boats, 1).text
    assert library.original(boats).startswith(b"%PDF")
    with pytest.raises(LibraryError, match="no such document"):
        library.remove(boats)


def test_a_removed_document_can_come_back(library: Library, folder: Path) -> None:
    library.remove(library.find("boats.pdf").id)
    assert [r.status for r in library.add([folder / "boats.pdf"])] == ["added"]
    assert search(library, "harbour boat")[0].chunk.source_name == "boats.pdf"
    assert library.verify() == []


def test_renaming_shows_the_new_name_everywhere(library: Library) -> None:
    boats = library.find("boats.pdf").id
    library.rename(boats, "harbour.pdf")
    assert library.find("harbour.pdf").id == library.find("boats.pdf").id == boats
    assert search(library, "harbour boat")[0].chunk.source_name == "harbour.pdf"


def test_bad_files_are_results_and_the_rest_is_indexed(tmp_path: Path) -> None:
    good = pdf("Good text about penguins.")
    files = {
        "good.pdf": good,
        "owner.pdf": pdf("Owner text.", encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o"),
        "locked.pdf": pdf("Locked text.", encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o", user_pw="u"),
        "page.pdf": b"<html>not a pdf</html>",
        "empty.pdf": b"",
        "blank.pdf": pdf(""),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    library = opened(tmp_path / "lib")
    results = {Path(r.path).name: r for r in library.add([tmp_path])}
    assert {n: (r.status, r.error.type if r.error else None) for n, r in results.items()} == {
        "good.pdf": ("added", None),
        "owner.pdf": ("added", None),
        "locked.pdf": ("failed", "PasswordNeeded"),
        "page.pdf": ("failed", "NotAPdf"),
        "empty.pdf": ("failed", "EmptyFile"),
        "blank.pdf": ("unreadable", "NoReadableText"),
    }
    blank = results["blank.pdf"].error
    assert blank and "add a version with text" in blank.message and "Tesseract" not in blank.message
    assert library.add([tmp_path / "locked.pdf"], passwords=["wrong", "u"])[0].status == "added"


def test_a_changed_setting_indexes_again_from_the_originals(library: Library, tmp_path: Path) -> None:
    changed = opened(tmp_path / "lib", ocr="off")
    assert {r.status for r in changed.add([])} == {"reindexed"}
    assert len({r.extractor for r in changed.documents()}) == 1
    assert changed.verify() == []
    assert len(search(changed, "harbour boat")) == len({h.chunk.id for h in search(changed, "harbour boat")})


def test_another_embedder_is_refused_until_indexed_again(library: Library, tmp_path: Path) -> None:
    other = opened(tmp_path / "lib", WordEmbedder("other"))
    with pytest.raises(LibraryError, match="another embedding model"):
        search(other, "harbour boat")
    assert {f.code for f in other.verify()} == {"embedder"}
    other.add([])
    assert search(other, "harbour boat")[0].chunk.source_name == "boats.pdf"
    assert other.verify() == []


def test_vectors_are_computed_once(library: Library, tmp_path: Path) -> None:
    again = WordEmbedder()
    opened(tmp_path / "lib", again, ocr="off").add([])
    assert again.embedded == 0


def test_stopping_keeps_what_is_done_and_goes_on_later(tmp_path: Path, folder: Path) -> None:
    asked = iter([False] * 3)
    library = opened(tmp_path / "lib")
    with pytest.raises(Cancelled):
        library.add([folder], cancelled=lambda: next(asked, True))
    library.add([folder])
    assert len(library.documents()) == 3
    assert library.verify() == []


def test_a_missing_path_is_the_callers_error(library: Library, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        library.add([tmp_path / "nowhere.pdf"])


def test_an_id_from_outside_never_becomes_a_path(tmp_path: Path) -> None:
    for evil in ("../../etc/passwd", "a" * 63, "A" * 64, ""):
        with pytest.raises(LibraryError, match="not a document id"):
            Store(LocalPlace(tmp_path)).original(evil)


def test_a_name_with_quotes_is_only_a_name(library: Library) -> None:
    name = "x' OR 1=1 --\"><img>.pdf"
    result = library.add_bytes(name, pdf("Walrus text."))
    assert library.find(name).id == result.document
    library.remove(library.find(name).id)
    assert len(library.documents()) == 3


def test_damage_is_found_by_verify(library: Library) -> None:
    boats, clocks = library.find("boats.pdf").id, library.find("clocks.pdf").id
    next(Path(library.uri).glob(f"originals/*/{boats}.pdf")).write_bytes(b"%PDF-1.7 changed")
    next(Path(library.uri).glob(f"pages/*/{clocks}.pages")).write_bytes(b"not a zip")
    assert {(f.document, f.code) for f in library.verify()} == {(boats, "original"), (clocks, "pages")}


# ---------------------------------------------------------------- more than one process


def indexer(library: Path, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.library.fakes", str(library), str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def intact(folder: Path, library: Path) -> Library:
    """A library after whatever happened to it, once the indexing has been run to its end."""
    made = opened(library)
    made.add([folder])
    assert sorted(r.name for r in made.documents()) == sorted(p.name for p in folder.iterdir())
    assert made.verify() == []
    ids = [c.id for r in made.documents() for c in made.index.chunks(r.id)]
    assert len(ids) == len(set(ids)) == made.index.count()
    return made


def test_two_indexers_at_once_make_one_library(tmp_path: Path, folder: Path) -> None:
    both = [indexer(tmp_path / "lib", folder) for _ in range(2)]
    assert [p.wait(timeout=240) for p in both] == [0, 0]
    intact(folder, tmp_path / "lib")


@pytest.mark.parametrize("wait_s", [0.0, 0.9])
def test_killed_half_way_nothing_is_lost_or_doubled(tmp_path: Path, folder: Path, wait_s: float) -> None:
    process = indexer(tmp_path / "lib", folder)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    try:
        process.wait(timeout=wait_s)
    except subprocess.TimeoutExpired:
        process.kill()
    process.wait()
    intact(folder, tmp_path / "lib")
