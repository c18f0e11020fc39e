"""The AI alone, and teams with it, on one base: all natural images, or the six bins.

The published design shows images of six bins, with the gaps between them left out, and compares
teams on these with the AI on all images. A comparison needs one base: here both are printed, and
teams are compared with the AI on the bins, which both have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import LEVEL, Count, Interval, mover, wilson
from analysis.studies.human_ai_team.trials import ATTACKED, NATURAL, Answers
from stimuli.studies.human_ai_team.material import bin_of
from stimuli.studies.human_ai_team.protocol import Bins, HumanAiTeam
from stimuli.studies.human_ai_team.tables import NATURAL_BINS

Array = np.ndarray

THRESHOLDS: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""T of the AI alone: it accepts its own label if its confidence reaches T."""
PUBLISHED_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "ImageNet, published": dict(
        zip(NATURAL_BINS, (0.6777, 0.0791, 0.0197, 0.0742, 0.0935, 0.0553), strict=True)
    ),
    "Stanford Dogs, published": dict(
        zip(NATURAL_BINS, (0.7093, 0.1045, 0.0112, 0.0320, 0.0974, 0.0456), strict=True)
    ),
}
"""Shares of the bins (right: easy, medium, hard; wrong: easy, medium, hard)."""
PACK, EQUAL = "pack", "equal"
"""Names of weights: how often bins occur in the pack's source; all bins equally."""


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

    base: Annotated[
        str, about("Images: all, bins, adversarial, or the name of weights of the bins.")
    ]
    threshold: Annotated[float, about("Threshold T of the confidence, 0 to 1.")]
    accuracy: Annotated[float, about("Share of right decisions, 0 to 1.")]
    images: Annotated[int | None, about("Images; null if weights stand for them.")]
    best: Annotated[
        bool,
        about(
            "Whether no other threshold is better; of adversarial images, whether it is best on "
            "natural ones."
        ),
    ]
    ci_low: Annotated[float | None, about("Lower 95 % limit over images; null if unknown.")] = None
    ci_high: Annotated[float | None, about("Upper 95 % limit over images.")] = None


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
    ai_low: Annotated[float | None, about("Its lower 95 % limit over images; null if unknown.")]
    ai_high: Annotated[float | None, about("Its upper 95 % limit.")]
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
    whole
        Whether these are all images of the source, not only those that people were shown.
    """

    words: str
    confidence: Array
    correct: Array
    bin: Array
    whole: bool = False

    def counts(self) -> SourceCounts:
        """Return how many images there are, in the bins and at all."""
        in_bins = int((self.bin != "").sum())
        return SourceCounts(self.words, len(self.bin), in_bins, float(self.correct.mean()))


def source_of(ai: pd.DataFrame | None, answers: Answers, protocol: HumanAiTeam) -> Source | None:
    """Return the images of the table of the AI alone, else the natural images that were shown.

    None if neither has the AI's confidence.

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
        words,
        np.array(confidence),
        np.array(correct, dtype=bool),
        np.array(named, dtype=object),
        whole=True,
    )


def weights_of(available: pd.DataFrame | None) -> dict[str, dict[str, float]]:
    """Return the bins' weights by their name: the pack's or else the published, and equal ones."""
    if available is not None:
        known = available.dropna(subset=["weight"])
        own = dict(zip(known["bin"].astype(str), known["weight"].astype(float), strict=True))
        if sum(own.values()) > 0:
            return {PACK: own, EQUAL: dict.fromkeys(NATURAL_BINS, 1.0)}
    published = {name: dict(own) for name, own in PUBLISHED_WEIGHTS.items()}
    return published | {EQUAL: dict.fromkeys(NATURAL_BINS, 1.0)}


def sweep_rows(
    source: Source | None,
    weights: Mapping[str, Mapping[str, float]],
    attacked: Array | None = None,
) -> tuple[AtThreshold, ...]:
    """Return the AI alone over its threshold T on each base.

    Bases are ``all``, ``bins`` (the same images, those between the bins left out), each of the
    weights, and ``adversarial``. If several thresholds are best, the smallest of them counts. On
    adversarial images, which the AI always gets wrong, it is right if it rejects its label; the
    threshold is the one that is best on natural images.

    Parameters
    ----------
    source
        Natural images.
    weights
        How often bins occur, by the name of the weights.
    attacked
        (n,) the AI's confidence in adversarial images.
    """
    rows: list[AtThreshold] = []
    if source is not None:
        inside = source.bin != ""
        for base, keep in (("all", np.ones(len(inside), dtype=bool)), ("bins", inside)):
            if keep.any():
                rows += _swept(base, source.confidence[keep], source.correct[keep])
    for name, own in weights.items():
        rows += _by_weights(name, own) if source is None else _weighted(name, own, source)
    if attacked is not None and len(attacked):
        chosen = chosen_threshold(rows, source)
        every = _swept(ATTACKED, attacked, np.zeros(len(attacked), dtype=bool))
        rows += [replace(row, best=row.threshold == chosen) for row in every]
    return tuple(rows)


def chosen_threshold(rows: Sequence[AtThreshold], source: Source | None) -> float | None:
    """Return the threshold of the AI's own rule: the best on natural images as they occur.

    It is the best threshold on all images of the source if these are known, as published; else the
    best with the bins weighted; None if no image's confidence is known.
    """
    if source is None:
        return None
    best = {row.base: row.threshold for row in rows if row.best}
    if source.whole:
        return best["all"]
    weighted = [best[name] for name in (PACK, *PUBLISHED_WEIGHTS) if name in best]
    return weighted[0] if weighted else best.get("bins", best["all"])


def attacked_confidence(answers: Answers) -> Array:
    """Return (n,) the AI's confidence in the adversarial images that were shown, where known."""
    frame = answers.frame
    own = frame[frame["adversarial"] & np.isfinite(frame["confidence"])].drop_duplicates("item")
    return own["confidence"].to_numpy(dtype=float)


def _swept(base: str, confidence: Array, correct: Array) -> list[AtThreshold]:
    right = [(confidence >= t) == correct for t in THRESHOLDS]
    found = [wilson(Count(int(own.sum()), len(own))) for own in right]
    return _marked(base, THRESHOLDS, found, len(confidence))


def _weighted(name: str, weights: Mapping[str, float], source: Source) -> list[AtThreshold]:
    """Return the AI alone at every threshold, each bin's images weighted by how often it occurs.

    Images of a bin are a random sample of it, whatever their number. If a bin that occurs has no
    image, only the weights are used.
    """
    total = sum(weights.values())
    wanted = {bin_: share / total for bin_, share in weights.items() if share > 0}
    if not set(wanted) <= set(source.bin):
        return _by_weights(name, weights)
    found = []
    for t in THRESHOLDS:
        right = (source.confidence >= t) == source.correct
        counts = [
            Count(int(right[source.bin == bin_].sum()), int((source.bin == bin_).sum()))
            for bin_ in wanted
        ]
        found.append(mover(counts, list(wanted.values())))
    return _marked(name, THRESHOLDS, found, None)


def _by_weights(name: str, weights: Mapping[str, float]) -> list[AtThreshold]:
    """Return the AI alone by weights: T accepts only high bins, or middle ones as well.

    A T between the bins' limits splits no bin; other thresholds can't be computed from weights.
    """
    high = ("right_easy", "wrong_medium", "wrong_easy")
    middle = ("right_easy", "right_medium", "wrong_easy")
    total = sum(weights.values())
    shares = (sum(weights.get(b, 0.0) for b in accepted) / total for accepted in (middle, high))
    found = [Interval(share, float("nan"), float("nan")) for share in shares]
    return _marked(name, (0.35, 0.7), found, None)


def _marked(
    base: str, at: Sequence[float], found: Sequence[Interval], images: int | None
) -> list[AtThreshold]:
    best = int(np.argmax([round(part.estimate, 12) for part in found]))
    return [
        AtThreshold(base, t, part.estimate, images, place == best, part.ci_low, part.ci_high)
        for place, (t, part) in enumerate(zip(at, found, strict=True))
    ]


def weighted_rows(
    answers: Answers,
    weights: Mapping[str, Mapping[str, float]],
    sweep: Sequence[AtThreshold],
    plan: Resampling,
) -> tuple[WeightedTeam, ...]:
    """Return each arm's accuracy on natural images, its bins weighted by how often they occur.

    The accuracy is NaN for an arm without answers in one of the six bins.
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
        ai = next(row for row in sweep if row.base == name and row.best)
        for place, arm in enumerate(arms):
            own_counts = counts[place * len(share) : (place + 1) * len(share)]
            filled = sum(count.n > 0 for count in own_counts)
            contrast = np.kron(np.eye(len(arms))[place], share / share.sum())
            value = estimate_shares(counts, contrast, found).at(LEVEL)
            rows.append(
                WeightedTeam(
                    weights=name,
                    method=arm,
                    bins=filled,
                    **limits_row(value),
                    **_alone_row(ai),
                    **named_row(_over(value, ai), "over_ai"),
                )
            )
    return tuple(rows)


def _alone_row(ai: AtThreshold) -> dict[str, float | None]:
    return {"ai": ai.accuracy, "ai_low": ai.ci_low, "ai_high": ai.ci_high}


def _over(team: Interval, ai: AtThreshold) -> Interval:
    """Return a team less the AI alone, with the uncertainty of both (Zou & Donner 2008).

    The AI's uncertainty is left out if it isn't known. Images that a team and the AI share make the
    difference less uncertain than that.
    """
    known = ai.ci_low is not None and ai.ci_high is not None and np.isfinite(ai.ci_low)
    below, above = (ai.accuracy - ai.ci_low, ai.ci_high - ai.accuracy) if known else (0.0, 0.0)
    value = team.estimate - ai.accuracy
    low = value - np.hypot(team.estimate - team.ci_low, above)
    high = value + np.hypot(team.ci_high - team.estimate, below)
    return Interval(value, float(low), float(high))


def _named(right: Array, level: Array) -> Array:
    """Return the natural bin of each row; empty if the level isn't known."""
    return np.array(
        [
            f"{'right' if ok else 'wrong'}_{of}" if of else ""
            for ok, of in zip(right, level, strict=True)
        ],
        dtype=object,
    )
