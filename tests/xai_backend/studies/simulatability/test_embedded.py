"""Data that come with the suite: a simple model is right on most of them, and wrong on enough."""

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder

from xai_backend.studies.simulatability.embedded import LOAN_COLUMNS, loans, reviews

NEEDED = 60
"""Wrong outputs of a kind that a fifth of the data should have, for 16 that both models share."""


def outcomes(features, labels):
    """Return how often a logistic regression says what of which class, in cross-validation."""
    said = cross_val_predict(LogisticRegression(max_iter=500), features, labels, cv=5)
    return Counter(zip(labels, said, strict=True))


def check_outcomes(found, classes):
    total = sum(found.values())
    right = sum(found[name, name] for name in classes) / total
    assert 0.75 < right < 0.88
    for name in classes:
        (other,) = set(classes) - {name}
        assert found[name, other] / 5 > NEEDED * total / 5000


def test_reviews_are_different_short_and_made_the_same_again():
    made = reviews(800)
    assert made == reviews()[:800] == reviews(800)
    texts = [text for text, _ in made]
    assert len(set(texts)) == len(texts)
    assert max(len(text.split()) for text in texts) <= 30
    assert all(text == " ".join(text.lower().split()) for text in texts)


def test_pairs_of_words_are_right_on_most_reviews():
    texts, labels = zip(*reviews(), strict=True)
    features = CountVectorizer(token_pattern=r"\S+", ngram_range=(1, 2)).fit_transform(texts)
    check_outcomes(outcomes(features, np.array(labels)), ("negative", "positive"))


def test_binned_columns_are_enough_to_be_right_on_most_loans():
    rows = loans()
    assert rows == loans()
    assert {len(row) for row in rows} == {len(LOAN_COLUMNS)}
    numbers = np.array([[float(value) for value in row[:4]] for row in rows])
    binned = KBinsDiscretizer(4, encode="onehot-dense").fit_transform(numbers)
    named = OneHotEncoder(sparse_output=False).fit_transform([row[4:-1] for row in rows])
    labels = np.array([row[-1] for row in rows])
    check_outcomes(outcomes(np.hstack([binned, named]), labels), ("denied", "granted"))
    assert abs(np.mean(labels == "granted") - 0.5) == pytest.approx(0, abs=0.03)
