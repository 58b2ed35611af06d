import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded.evaluation import metrics
from grounded.evaluation.statistics import compare, mean_over_documents

RANKED = ["d3", "d1", "d7", "d2"]


def test_retrieval_by_hand() -> None:
    relevant = {"d1", "d2", "d9"}
    assert metrics.recall_at(RANKED, relevant, 2) == pytest.approx(1 / 3)
    assert metrics.recall_at(RANKED, relevant, 4) == pytest.approx(2 / 3)
    assert metrics.hit_at(RANKED, relevant, 1) == 0.0
    assert metrics.reciprocal_rank(RANKED, relevant) == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg_at(RANKED, relevant, 10) == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_nothing_relevant_is_not_defined() -> None:
    assert metrics.recall_at(RANKED, set(), 5) is None
    assert metrics.reciprocal_rank(RANKED, set()) is None
    assert metrics.ndcg_at(RANKED, set(), 5) is None
    assert metrics.reciprocal_rank(RANKED, {"d9"}) == 0.0


@given(st.lists(st.integers(0, 1), min_size=2, max_size=12))
def test_ndcg_agrees_with_scikit_learn(gains: list[int]) -> None:
    from sklearn.metrics import ndcg_score

    ranked = list(range(len(gains)))
    relevant = {i for i, gain in enumerate(gains) if gain}
    mine = metrics.ndcg_at(ranked, relevant, 5)
    if not relevant:
        assert mine is None
    else:
        scores = np.arange(len(gains), 0, -1)
        assert mine == pytest.approx(ndcg_score([gains], [scores], k=5))


LABELLED = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.8, 0.9]), st.booleans()), min_size=1, max_size=40)


@given(LABELLED)
def test_verdict_metrics_agree_with_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score

    scores, gold = [s for s, _ in rows], [g for _, g in rows]
    said = [s >= 0.5 for s in scores]
    if len(set(gold)) < 2:
        assert metrics.auroc(scores, gold) is None
        assert metrics.balanced_accuracy(said, gold) is None
        return
    assert metrics.auroc(scores, gold) == pytest.approx(roc_auc_score(gold, scores))
    assert metrics.balanced_accuracy(said, gold) == pytest.approx(balanced_accuracy_score(gold, said))
    assert metrics.brier(scores, gold) == pytest.approx(brier_score_loss(gold, scores))


def test_calibration_by_hand() -> None:
    confidences, right = [0.95, 0.95, 0.15, 0.15], [True, False, False, False]
    assert metrics.reliability(confidences, right) == [(0.15, 0.0, 2), (0.95, 0.5, 2)]
    assert metrics.calibration_error(confidences, right) == pytest.approx(0.5 * 0.15 + 0.5 * 0.45)
    assert metrics.calibration_error([], []) is None


def test_spans_and_boxes_by_hand() -> None:
    assert metrics.span_f1([(0, 10)], [(5, 15)]) == 0.5
    assert metrics.span_jaccard([(0, 10)], [(5, 15)]) == pytest.approx(1 / 3)
    assert metrics.span_f1([], []) is None
    assert metrics.span_f1([(0, 5)], []) == 0.0
    assert metrics.box_iou([(0, 0, 10, 10)], [(5, 0, 15, 10)]) == pytest.approx(1 / 3)
    assert metrics.box_iou([(0, 0, 5, 10), (5, 0, 10, 10)], [(0, 0, 10, 10)]) == 1.0
    assert metrics.box_iou([], []) is None
    assert metrics.precision_recall({"a", "b"}, {"b", "c", "d"}) == (0.5, pytest.approx(1 / 3))
    assert metrics.precision_recall(set(), {"b"}) == (None, 0.0)


def test_squad_metrics_by_hand() -> None:
    assert metrics.exact_match("The Denver Broncos!", "denver broncos") == 1.0
    assert metrics.token_f1("in Denver, Colorado", "Denver") == 0.5
    assert metrics.token_f1("the", "a") == 1.0
    assert metrics.token_f1("", "Denver") == 0.0


def test_numbers_match_at_the_golds_precision_and_scale() -> None:
    assert metrics.numeric_match(Decimal("12.3456"), "million", Decimal("12.35"), "million") == 1.0
    assert metrics.numeric_match(Decimal("12.34"), "million", Decimal("12.35"), "million") == 0.0
    assert metrics.numeric_match(Decimal("12.35"), "thousand", Decimal("12.35"), "million") == 0.0
    assert metrics.numeric_match(Decimal("1"), "", None, "") is None


def test_means_count_what_is_undefined_and_vary_by_document() -> None:
    figure = mean_over_documents([1.0, 1.0, 0.0, None], ["a", "a", "b", "b"])
    assert (figure.value, figure.n, figure.undefined) == (pytest.approx(2 / 3), 3, 1)
    assert figure.low == 0.0
    assert figure.high == 1.0
    assert mean_over_documents([None], ["a"]).value is None


def test_a_difference_needs_an_interval_that_excludes_zero() -> None:
    documents = {str(i): str(i) for i in range(40)}
    worse = dict.fromkeys(documents, 0.0)
    better = {key: float(int(key) % 2) for key in documents}
    assert compare(worse, better, documents).verdict == "better"
    assert compare(better, worse, documents).verdict == "worse"
    assert compare(better, better, documents).verdict == "no difference"
    assert compare({"x": None}, {"x": 1.0}, {"x": "d"}).verdict == "n/a"
