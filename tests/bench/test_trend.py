"""Recorded figures as ratios, and what moved between two commits."""

from __future__ import annotations

from bench import trend
from bench.eval import kept, table
from bench.trend import Ratio

PEERS = """30 questions
             index s  / bm25    MiB  find ms  / bm25  page@1  page@5  cited F1
bm25             2.0     1.0    300      0.4     1.0   0.600   0.900     0.100
llamaindex      20.0    10.0   1200     20.0    50.0   0.500   0.800     0.090
docling     could not be run: no weights
"""
REPORT = {
    "id": "20260101T000000Z-aaaaaa", "started": "", "version": "1", "commit": "c", "code": "x", "reader": "extractive",
    "models": {}, "embedder": "e", "part": "ci", "absent": [], "settings": {"library": "/home/somebody"},
    "sets": [
        {"name": "ntsb", "about": "", "licence": "", "caution": "", "cases": 9, "documents": 3, "rows": [
            {"metric": "exact match", "section": "answers",
             "figure": {"value": 0.91234, "low": 0.8, "high": 0.95, "n": 9, "undefined": 0}},
            {"metric": "ECE of verdicts", "section": "calibration",
             "figure": {"value": 0.05, "low": None, "high": None, "n": 9, "undefined": 0}},
            {"metric": "milliseconds a question", "section": "cost",
             "figure": {"value": 80.0, "low": 70.0, "high": 90.0, "n": 9, "undefined": 0}},
        ]}
    ],
}  # fmt: skip


def test_ratios_of_printed_figures() -> None:
    found = dict(trend._printed({"index": "  indexing / (reading + embedding) = 1.02 (goal 1.15)", "peers": PEERS}))
    assert found["index: indexing / (reading + embedding)"] == Ratio(1.02, less=True, times=True)
    assert found["peers: llamaindex index / bm25"].value == 10 and found["peers: llamaindex page@5"].value == 0.8
    assert not any("docling" in name for name in found)


def test_what_is_published_of_a_report_has_no_paths_and_no_times() -> None:
    published = kept(REPORT)
    assert "settings" not in published and set(published["sets"][0]["figures"]) == {"exact match", "ECE of verdicts"}
    assert "0.912 [0.800, 0.950]" in table(published)


def test_what_moved() -> None:
    before = dict(trend._evaluated(kept(REPORT))) | {"a / b": Ratio(2.0, True, True), "old": Ratio(1.0)}
    better = {"a / b": Ratio(1.5, True, True), "eval: ntsb exact match": Ratio(0.94, False, False, 0.9, 0.98)}
    worse = {"eval: ntsb ECE of verdicts": Ratio(0.09, True), "new": Ratio(1.0)}
    assert list(trend.moved(before, better | worse)) == [
        "worse   eval: ntsb ECE of verdicts: 0.050 -> 0.090",
        "better  a / b: 2.000 -> 1.500",
        "gone    old",
        "new     new",
        "1 figures did not move",
    ]
