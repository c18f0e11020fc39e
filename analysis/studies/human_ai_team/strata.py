"""Kinds of images, and the bases over which answers to them are averaged.

An answer depends on whether the AI is right, how hard the image is, and whether it was attacked. So
a share of right answers always has a base: the images that were shown, the natural ones among them,
or natural images as often as they occur.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from analysis.studies.human_ai_team.trials import ALL, NATURAL, Answers
from stimuli.studies.human_ai_team.tables import (
    ADVERSARIAL,
    BINS,
    NATURAL_BINS,
    RIGHT,
    WRONG,
)

Array = np.ndarray
OCCURRING: Final = "occurring"
"""The base of natural images whose bins are weighted by how often they occur."""
BASE_LEVEL: Final = "base"
"""The kind of images that the model's coefficients start from: the first of right labels, and the
first of wrong ones."""


def strata(frame: pd.DataFrame) -> Array:
    """Return (n,) the kind of image of each answer: its bin, such as ``wrong_hard``.

    If the level isn't known, the kind is ``right``, ``wrong`` or ``adversarial``.
    """
    source = np.where(frame["adversarial"], ADVERSARIAL, np.where(frame["right"], RIGHT, WRONG))
    return np.array(
        [
            f"{of}_{level}" if level else str(of)
            for of, level in zip(source, frame["level"], strict=True)
        ],
        dtype=object,
    )


def model_strata(frame: pd.DataFrame) -> Array:
    """Return (n,) the kind of image as the model takes it.

    The first kind of right labels and the first kind of wrong ones share a level: together with
    ai_correct the other levels then distinguish all kinds, without redundancy.
    """
    kinds, right = strata(frame), frame["right"].to_numpy(dtype=bool)
    codes = kinds.copy()
    for ok in (True, False):
        present = kinds[right == ok]
        if len(present):
            codes[(right == ok) & (kinds == min(present, key=_order))] = BASE_LEVEL
    return codes


def _order(kind: str) -> tuple[int, str]:
    names = list(BINS)
    return (names.index(kind) if kind in names else len(names), kind)


@dataclass(frozen=True, slots=True)
class Base:
    """What answers are averaged over.

    Attributes
    ----------
    name
        ``all`` (the images that were shown), ``natural``, ``adversarial`` or ``occurring``.
    mix
        Share of right labels, 0 to 1.
    right, wrong
        Shares of the kinds of images among right and among wrong labels; each sums to 1.
    """

    name: str
    mix: float
    right: Mapping[str, float]
    wrong: Mapping[str, float]

    @classmethod
    def shown(cls, answers: Answers, name: str = ALL) -> "Base":
        """Return the base of answers as they are."""
        kinds, right = strata(answers.frame), answers.frame["right"].to_numpy(dtype=bool)
        return cls(name, answers.right_share, _shares(kinds[right]), _shares(kinds[~right]))

    @classmethod
    def occurring(cls, answers: Answers, weights: Mapping[str, float]) -> "Base | None":
        """Return the base of natural images as they occur; None if a bin has no answer."""
        total = sum(weights.get(name, 0.0) for name in NATURAL_BINS)
        wanted = {name: weights[name] / total for name in NATURAL_BINS if weights.get(name)}
        natural = answers.part(NATURAL) if answers.parts != (ALL,) else answers
        if not set(wanted) <= set(strata(natural.frame)):
            return None
        right, wrong = (
            {name: share for name, share in wanted.items() if name.startswith(of)}
            for of in (RIGHT, WRONG)
        )
        if not right or not wrong:
            return None
        mix = sum(right.values())
        return cls(
            OCCURRING,
            mix,
            {name: share / mix for name, share in right.items()},
            {name: share / (1 - mix) for name, share in wrong.items()},
        )

    def kinds(self, ok: bool) -> Mapping[str, float]:
        """Return the shares of kinds of images among right or among wrong labels."""
        return self.right if ok else self.wrong


def _shares(kinds: Array) -> dict[str, float]:
    names, counts = np.unique(kinds.astype(str), return_counts=True)
    return {str(name): float(n) / len(kinds) for name, n in zip(names, counts, strict=True)}
