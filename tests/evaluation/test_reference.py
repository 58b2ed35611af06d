"""Our metrics against the implementations the field uses: trec_eval, scikit-learn, the SQuAD script."""

from __future__ import annotations

import random
import re
import string
from collections import Counter

import pytest
import pytrec_eval
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, roc_auc_score

from grounded.evaluation import metrics


def test_retrieval_equals_trec_eval() -> None:
    chance = random.Random(1)
    things = [f"d{n}" for n in range(40)]
    runs, gold = {}, {}
    for query in map(str, range(60)):
        gold[query] = dict.fromkeys(chance.sample(things, chance.randint(1, 6)), 1)
        runs[query] = chance.sample(things, chance.randint(1, 30))
    measures = {"recall_1,3,5,10,20", "success_1", "recip_rank", "ndcg_cut_10"}
    scored = {q: {d: -float(rank) for rank, d in enumerate(ranked)} for q, ranked in runs.items()}
    theirs = pytrec_eval.RelevanceEvaluator(gold, measures).evaluate(scored)
    for query, ranked in runs.items():
        relevant, expected = set(gold[query]), theirs[query]
        for k in (1, 3, 5, 10, 20):
            assert metrics.recall_at(ranked, relevant, k) == pytest.approx(expected[f"recall_{k}"])
        assert metrics.hit_at(ranked, relevant, 1) == expected["success_1"]
        assert metrics.reciprocal_rank(ranked, relevant) == pytest.approx(expected["recip_rank"])
        assert metrics.ndcg_at(ranked, relevant, 10) == pytest.approx(expected["ndcg_cut_10"])


def test_verdicts_equal_scikit_learn() -> None:
    chance = random.Random(2)
    gold = [chance.random() < 0.3 for _ in range(300)]
    scores = [round(0.3 * g + 0.7 * chance.random(), 1) for g in gold]  # ties on purpose
    said = [score > 0.5 for score in scores]
    assert metrics.auroc(scores, gold) == pytest.approx(roc_auc_score(gold, scores))
    assert metrics.balanced_accuracy(said, gold) == pytest.approx(balanced_accuracy_score(gold, said))
    assert metrics.brier(scores, gold) == pytest.approx(brier_score_loss(gold, scores))


def squad_normal(text: str) -> list[str]:
    """`normalize_answer` of the official evaluation script of SQuAD v1.1."""
    bare = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split()).split()


def squad_f1(prediction: str, truth: str) -> float:
    """`f1_score` of the same."""
    said, gold = squad_normal(prediction), squad_normal(truth)
    same = sum((Counter(said) & Counter(gold)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(said), same / len(gold)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        ("The Panthers' defense gave up just 308 points.", "308"),
        ("Denver Broncos", "the Denver Broncos"),
        ("a cat, a dog", "Dog; cat; cat"),
        ("nothing alike", "something else"),
        ("U.S. dollars", "US dollars"),
    ],
)
def test_words_equal_the_squad_script(said: str, gold: str) -> None:
    assert metrics.token_f1(said, gold) == pytest.approx(squad_f1(said, gold))
    assert metrics.exact_match(said, gold) == float(squad_normal(said) == squad_normal(gold))
