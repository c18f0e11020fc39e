"""The AI alone, and teams with it, on one base: all natural images, or the six bins.

The published design shows images of six bins, with the gaps between them left out, and compares
teams on these with the AI on all images. A comparison needs one base: here both are printed, and
teams are compared with the AI on the bins, which both have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import Count, Interval
from analysis.statistics.shares import measure_shares, share_interval
from analysis.studies.human_ai_team.trials import NATURAL, Answers
from stimuli.studies.human_ai_team.bins import bin_of
from stimuli.studies.human_ai_team.protocol import Bins, HumanAiTeam
from stimuli.studies.human_ai_team.tables import NATURAL_BINS

Array = np.ndarray

THRESHOLDS: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""T of the AI alone: it accepts its own label where its confidence reaches T."""
PUBLISHED_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "ImageNet, published": dict(
        zip(NATURAL_BINS, (0.6777, 0.0791, 0.0197, 0.0742, 0.0935, 0.0553), strict=True)
    ),
    "Stanford Dogs, published": dict(
        zip(NATURAL_BINS, (0.7093, 0.1045, 0.0112, 0.0320, 0.0974, 0.0456), strict=True)
    ),
}
"""Shares of the bins (right: easy, medium, hard; wrong: easy, medium, hard)."""
PACK: Final = "pack"


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """Images of which the AI's confidence is known."""

    words: Annotated[str, about("Where they come from.")]
    images: Annotated[int, about("Images.")]
    in_bins: Annotated[int, about("Images in one of the six bins.")]
    right: Annotated[float, about("Share of right labels, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """The AI alone, which accepts its label if its confidence reaches a threshold."""

    base: Annotated[str, about("Images: all, bins, or the name of weights of the bins.")]
    threshold: Annotated[float, about("Threshold T of the confidence, 0 to 1.")]
    accuracy: Annotated[float, about("Share of right decisions, 0 to 1.")]
    images: Annotated[int | None, about("Images; null if weights stand for them.")]
    best: Annotated[bool, about("Whether no other threshold is better.")]


@dataclass(frozen=True, slots=True)
class WeightedTeam:
    """An arm on natural images, its bins weighted by how often they occur."""

    weights: Annotated[str, about("Name of the weights.")]
    method: Annotated[str, about("The arm.")]
    bins: Annotated[int, about("Bins in which the arm has answers; all six are needed.")]
    estimate: Annotated[float | None, about("Share of right answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over participants and images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    ai: Annotated[float, about("The best that the AI alone reaches on the same bins.")]
    over_ai: Annotated[float | None, about("The team less the best of the AI alone.")]
    over_ai_low: Annotated[float | None, about("Its lower 95 % limit.")]
    over_ai_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Source:
    """Images of which the AI's confidence is known, whatever people were shown of them.

    Attributes
    ----------
    words
        Where they come from.
    confidence, correct
        (n,) the AI's, 0…1; whether its label is right.
    bin
        (n,) the natural bin of each; empty between them.
    """

    words: str
    confidence: Array
    correct: Array
    bin: Array

    def counts(self) -> SourceCounts:
        """Return how many images there are, in the bins and at all."""
        in_bins = int((self.bin != "").sum())
        return SourceCounts(self.words, len(self.bin), in_bins, float(self.correct.mean()))


def source_of(ai: pd.DataFrame | None, answers: Answers, protocol: HumanAiTeam) -> Source | None:
    """Return the images of the table of the AI alone, else the natural images that were shown.

    None where neither tells the AI's confidence.

    Parameters
    ----------
    ai
        ``confidence`` and ``correct`` of all images of a source; None without the table.
    answers
        What was shown.
    protocol
        Gives the limits of the bins.
    """
    if ai is not None and len(ai):
        return _source(
            "all images of the source",
            ai["confidence"].astype(float).tolist(),
            ai["correct"].astype(bool).tolist(),
            protocol.bins,
        )
    frame = answers.frame[~answers.frame["adversarial"]]
    shown = frame[np.isfinite(frame["confidence"])].drop_duplicates("item")
    if shown.empty:
        return None
    bins = _named(shown["right"].to_numpy(dtype=bool), shown["level"].to_numpy(dtype=object))
    return Source(
        "the natural images that were shown",
        shown["confidence"].to_numpy(dtype=float),
        shown["right"].to_numpy(dtype=bool),
        bins,
    )


def _source(words: str, confidence: Sequence[float], correct: Sequence[bool], bins: Bins) -> Source:
    named = [bin_of(p, ok, False, bins) or "" for p, ok in zip(confidence, correct, strict=True)]
    return Source(
        words, np.array(confidence), np.array(correct, dtype=bool), np.array(named, dtype=object)
    )


def weights_of(available: pd.DataFrame | None) -> dict[str, dict[str, float]]:
    """Return the bins' weights by their name: the pack's, or where there is none the published."""
    if available is not None:
        known = available.dropna(subset=["weight"])
        own = dict(zip(known["bin"].astype(str), known["weight"].astype(float), strict=True))
        if sum(own.values()) > 0:
            return {PACK: own}
    return {name: dict(own) for name, own in PUBLISHED_WEIGHTS.items()}


def sweep_rows(
    source: Source | None, weights: Mapping[str, Mapping[str, float]]
) -> tuple[AtThreshold, ...]:
    """Return the AI alone over its threshold T on each base: ``all``, ``bins``, each of weights.

    ``bins`` are the same images as ``all``, those between the bins left out. Of several
    thresholds that are best the smallest is.
    """
    rows: list[AtThreshold] = []
    if source is not None:
        inside = source.bin != ""
        for base, keep in (("all", np.ones(len(inside), dtype=bool)), ("bins", inside)):
            if keep.any():
                rows += _swept(base, source.confidence[keep], source.correct[keep])
    for name, own in weights.items():
        rows += _by_weights(name, own)
    return tuple(rows)


def _swept(base: str, confidence: Array, correct: Array) -> list[AtThreshold]:
    found = [float(((confidence >= t) == correct).mean()) for t in THRESHOLDS]
    return _marked(base, THRESHOLDS, found, len(confidence))


def _by_weights(name: str, weights: Mapping[str, float]) -> list[AtThreshold]:
    """Return the AI alone by weights: all that T can do is to accept high bins, or middle ones.

    T between the bins' limits splits none of them; others can't be computed from weights.
    """
    high = ("right_easy", "wrong_medium", "wrong_easy")
    middle = ("right_easy", "right_medium", "wrong_easy")
    total = sum(weights.values())
    found = [sum(weights.get(b, 0.0) for b in accepted) / total for accepted in (middle, high)]
    return _marked(name, (0.35, 0.7), found, None)


def _marked(
    base: str, at: Sequence[float], found: Sequence[float], images: int | None
) -> list[AtThreshold]:
    best = int(np.argmax(found))
    return [
        AtThreshold(base, t, value, images, place == best)
        for place, (t, value) in enumerate(zip(at, found, strict=True))
    ]


def weighted_rows(
    answers: Answers,
    weights: Mapping[str, Mapping[str, float]],
    sweep: Sequence[AtThreshold],
    plan: Resampling,
) -> tuple[WeightedTeam, ...]:
    """Return each arm's accuracy on natural images, its bins weighted by how often they occur.

    It is NaN for an arm without answers in one of the six bins.
    """
    natural = answers.part(NATURAL) if answers.frame["adversarial"].any() else answers
    frame = natural.frame
    named = _named(frame["right"].to_numpy(dtype=bool), frame["level"].to_numpy(dtype=object))
    if not (named != "").any():
        return ()
    arms, correct = natural.arms, frame["correct"].to_numpy(dtype=float)
    cell = np.full(len(frame), -1)
    for place, (arm, bin_) in enumerate(product(arms, NATURAL_BINS)):
        cell[(frame["method"] == arm).to_numpy() & (named == bin_)] = place
    cells = len(arms) * len(NATURAL_BINS)
    counts = [Count(int(correct[cell == k].sum()), int((cell == k).sum())) for k in range(cells)]
    found = measure_shares(correct, cell, cells, natural.units(), plan)
    rows = []
    for name, own in weights.items():
        share = np.array([own.get(bin_, 0.0) for bin_ in NATURAL_BINS])
        ai = max(row.accuracy for row in sweep if row.base == name)
        for place, arm in enumerate(arms):
            own_counts = counts[place * len(share) : (place + 1) * len(share)]
            filled = sum(count.n > 0 for count in own_counts)
            contrast = np.kron(np.eye(len(arms))[place], share / share.sum())
            value = share_interval(counts, contrast, found)
            over = Interval(value.estimate - ai, value.ci_low - ai, value.ci_high - ai)
            rows.append(
                WeightedTeam(
                    weights=name,
                    method=arm,
                    bins=filled,
                    **limits_row(value),
                    ai=ai,
                    **named_row(over, "over_ai"),
                )
            )
    return tuple(rows)


def _named(right: Array, level: Array) -> Array:
    """Return the natural bin of each row; empty where the level isn't known."""
    return np.array(
        [
            f"{'right' if ok else 'wrong'}_{of}" if of else ""
            for ok, of in zip(right, level, strict=True)
        ],
        dtype=object,
    )
