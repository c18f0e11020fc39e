"""What a dataset of viewers must show of each method, on average over its images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from participants.studies.progressive_reveal.robots.viewers import RoundView, Viewer
from tests.participants.studies.progressive_reveal.robots.viewer_truth import ViewerTruth

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MethodTruth:
    """The expected values of the published Table III, and the curves behind them.

    Attributes
    ----------
    rate
        Share of rounds that are recognised.
    attempts
        Mean number of confirmed answers.
    pixels_recognised, pixels_of_all
        Mean pixels at the confirming press: of recognised rounds, and of all, the others counted
        at their last step.
    seen_by, first_key_by, confirmed_by
        float64, one a step: share of rounds recognised by then, in the head, at the right
        answer's first key, at its confirming press.
    """

    rate: float
    attempts: float
    pixels_recognised: float
    pixels_of_all: float
    seen_by: Floats
    first_key_by: Floats
    confirmed_by: Floats


def method_truths(
    kind: Viewer,
    rounds: Sequence[RoundView],
    pixels: Mapping[tuple[str, str], Sequence[int]],
    seed: int | None = None,
) -> dict[str, MethodTruth]:
    """Return what is expected of each method when all people are of one kind.

    Parameters
    ----------
    kind
        The kind.
    rounds
        Each image with each method once, as balanced lists show them; main rounds alone.
    pixels
        Uncovered at each step, by item and method.
    seed
        Of the simulation, whose images have effects of their own; over images of their kind where
        it is None.
    """
    truth = ViewerTruth.of(kind, rounds[0])
    methods = dict.fromkeys(view.method for view in rounds)
    return {
        method: _mean(truth, [view for view in rounds if view.method == method], pixels, seed)
        for method in methods
    }


def _mean(
    truth: ViewerTruth,
    rounds: Sequence[RoundView],
    pixels: Mapping[tuple[str, str], Sequence[int]],
    seed: int | None,
) -> MethodTruth:
    expected = [truth.expected(view, seed) for view in rounds]
    counts = [pixels[view.item, view.method] for view in rounds]
    rate = float(np.mean([one.rate for one in expected]))
    both = list(zip(expected, counts, strict=True))
    recognised = float(np.mean([one.pixels_if_recognised(own) for one, own in both]))
    return MethodTruth(
        rate=rate,
        attempts=float(np.mean([one.attempts for one in expected])),
        pixels_recognised=recognised / rate if rate else float("nan"),
        pixels_of_all=float(np.mean([one.pixels_of_all(own) for one, own in both])),
        seen_by=np.mean([one.seen_by for one in expected], axis=0),
        first_key_by=np.mean([one.first_key_by for one in expected], axis=0),
        confirmed_by=np.mean([one.confirmed_by for one in expected], axis=0),
    )
