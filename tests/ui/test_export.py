"""Files taken away: complete, and literal whatever the text says."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from html.parser import HTMLParser

import pytest
from docx import Document

from grounded.types import Answer, Verdict
from grounded.ui.export import NoPicture, Record, answer_json, claims_csv, markdown, page, word
from tests.ui.gallery import example
from tests.ui.hostile import HOSTILE
from tests.ui.samples import abstention, answer

SHA = {"a" * 64: "nimbus_2024.pdf", "b" * 64: "nimbus_2025.pdf"}
ASKED = "2025-11-30T14:15:00Z"
PIXEL = bytes.fromhex("89504e470d0a1a0a")


def sample() -> Record:
    return Record(example()[0], ASKED, SHA, "http://localhost:8501/?trace=t")


def hostile(text: str) -> Record:
    """Every free text of an answer replaced by `text`."""
    done = example()[0]
    cited = done.claims[0].citations[0].model_copy(update={"snippet": text, "source_name": text, "section": text})
    verdict = Verdict(grounded=True, status="grounded", confidence=1, reason=text)
    claim = done.claims[0].model_copy(update={"text": text, "citations": (cited,), "verdict": verdict})
    changed = {"claims": (claim,), "question": text, "trace_id": text}
    return Record(done.model_copy(update=changed), ASKED, {"b" * 64: text})


class Tags(HTMLParser):
    """Names and addresses of what a browser would make of a file, and its text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.text: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href"} or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_everything_a_reviewer_needs_is_in_each_file() -> None:
    record = sample()
    docx = Document(io.BytesIO(word(record)))
    notes = zipfile.ZipFile(io.BytesIO(word(record))).read("word/footnotes.xml").decode()
    texts = {
        "markdown": markdown(record).replace("\\", ""),
        "html": " ".join(Tags(page(record, lambda *_: PIXEL)).text),
        "word": "\n".join(p.text for p in docx.paragraphs) + notes,
        "json": answer_json(record),
    }
    wanted = ["What does it cost", "The expense ratio is 0.03%.", "contradicted", "0.03%", "nimbus_2025.pdf", "p. 1",
              "b" * 64, ASKED, record.answer.trace_id]  # fmt: skip
    for name, text in texts.items():
        flat = re.sub(r"\s+", " ", text)
        missing = [w for w in wanted if w not in flat and not (name == "json" and w == "p. 1")]
        assert not missing, (name, missing)


def test_word_has_one_footnote_a_citation_and_opens() -> None:
    archive = zipfile.ZipFile(io.BytesIO(word(sample())))
    notes = archive.read("word/footnotes.xml").decode()
    body = archive.read("word/document.xml").decode()
    assert len(re.findall(r'w:footnote w:id="[1-9]', notes)) == len(sample().footnotes()) == 5
    assert {int(i) for i in re.findall(r'footnoteReference w:id="(\d+)"', body)} == {1, 2, 3, 4, 5}
    assert "footnotes+xml" in archive.read("[Content_Types].xml").decode()


def test_html_carries_its_pages_and_asks_for_nothing() -> None:
    tags = Tags(page(sample(), lambda *_: PIXEL))
    assert tags.names.count("img") == 3  # pages 1 and 2 of one document, page 1 of the other
    assert all(address.startswith("data:image/png;base64,") for address in tags.addresses)


def test_html_says_when_a_page_is_gone() -> None:
    assert page(sample(), lambda *_: NoPicture.GONE).count("no longer kept in the library") == 3
    assert page(sample(), lambda *_: NoPicture.ENCRYPTED).count("its password is not kept") == 3


def test_csv_has_a_line_a_citation() -> None:
    rows = list(csv.DictReader(io.StringIO(claims_csv(sample()))))
    assert len(rows) == 7  # six claims, one with two citations, one with none
    assert rows[0]["document_sha256"] == "b" * 64 and rows[-1]["document"] == ""
    assert {row["asked_at"] for row in rows} == {ASKED}


def test_json_is_the_answer() -> None:
    body = json.loads(answer_json(sample()))
    extra = {"asked_at", "documents", "link"}
    assert Answer.model_validate({k: v for k, v in body.items() if k not in extra}) == sample().answer


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    record = hostile(text)
    tags = Tags(page(record, lambda *_: NoPicture.GONE))
    assert not {"img", "cite", "script", "a", "strong"} & set(tags.names) and not tags.addresses
    assert text in tags.text
    docx = Document(io.BytesIO(word(record)))
    assert text in [p.text for p in docx.paragraphs]
    rows = list(csv.DictReader(io.StringIO(claims_csv(record))))
    assert rows[0]["claim"].lstrip("'") == text and rows[0]["claim"][0] not in "=+@"
    assert json.loads(answer_json(record))["question"] == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_in_markdown(text: str) -> None:
    written = markdown(hostile(text))
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", written)  # CommonMark: an escaped punctuation mark is only itself
    assert not re.search(r"<[a-z]|!\[|\]\(|:red|:material|\$x|~~|\bhttp:", bare)
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", written.splitlines()[0]) == f"# {text}"


def test_abstention_is_taken_away_too() -> None:
    hits = example()[2]
    record = Record(answer((), hits, status="abstained", abstention=abstention(hits[:2])), ASKED, SHA)
    for text in (markdown(record), page(record, lambda *_: NoPicture.GONE)):
        assert "Searched 2 documents" in text.replace("\\", "") and "4–5" in text and "not an answer" in text


def test_characters_xml_cannot_carry_are_replaced() -> None:
    assert "\ufffd" in Document(io.BytesIO(word(hostile("a\x00b\ud800")))).paragraphs[0].text
