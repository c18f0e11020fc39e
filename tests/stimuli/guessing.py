"""Somebody who guesses a hidden truth from numbers, to find what gives it away."""

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

SURE = 3.3
"""Standard errors above a half that nobody who guesses by lot reaches (p < .0005)."""


def guessed_area(features: pd.DataFrame, truth: np.ndarray, groups: pd.Series) -> float:
    """Return how well a classifier tells the true from the false rows.

    Area under the ROC curve in five-fold cross-validation over groups: none is in both parts.
    """
    chance = cross_val_predict(
        _forest(),
        features.to_numpy(dtype=float),
        truth,
        groups=groups,
        cv=GroupKFold(5),
        method="predict_proba",
    )[:, 1]
    return float(roc_auc_score(truth, chance))


def taught_area(
    taught: tuple[pd.DataFrame, np.ndarray], asked: tuple[pd.DataFrame, np.ndarray]
) -> float:
    """Return how well a classifier that learnt from some rows tells the truth of others.

    Area under the ROC curve. Features and truth of what it is taught, then of what it is asked:
    where they were drawn apart, `lot_limit` holds exactly.
    """
    forest = _forest().fit(taught[0].to_numpy(dtype=float), taught[1])
    return float(
        roc_auc_score(asked[1], forest.predict_proba(asked[0].to_numpy(dtype=float))[:, 1])
    )


def _forest() -> ExtraTreesClassifier:
    return ExtraTreesClassifier(30, min_samples_leaf=3, random_state=1, n_jobs=1)


def lot_limit(trues: int, falses: int) -> float:
    """Return what guessing by lot stays below, with so many independent rows of either kind.

    A half and `SURE` standard errors of the area where nothing is known (Mann & Whitney 1947).
    """
    return 0.5 + SURE * float(np.sqrt((trues + falses + 1) / (12 * trues * falses)))
