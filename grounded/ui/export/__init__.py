"""Answers to hand on: Markdown, HTML with page images, Word with footnotes, CSV, JSON. No Streamlit here."""

from grounded.ui.export.markdown import markdown
from grounded.ui.export.page import NoPicture, page
from grounded.ui.export.record import Record
from grounded.ui.export.table import answer_json, claims_csv
from grounded.ui.export.word import word

__all__ = ["NoPicture", "Record", "answer_json", "claims_csv", "markdown", "page", "word"]
