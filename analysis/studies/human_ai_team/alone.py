"""The AI alone, and teams with it, on one base: all natural images, or the six bins.

The published design shows images of six bins, with the gaps between them left out, and compares
teams on these with the AI on all images. A comparison needs one base: here both are printed, and
teams are compared with the AI on the bins, which both have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.questions.cells import Cells, Key
from analysis.questions.estimates import EstimateRow, Quantity, estimate_row, row_of, select
from analysis.report.about import about
from analysis.report.wording import points
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import LEVEL, Count, Interval, mover, wilson
from analysis.studies.human_ai_team.trials import ATTACKED, NATURAL, Answers
from analysis.studies.human_ai_team.words import tenths
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


AI_AT = Quantity(
    "ai_at_threshold", "Right",
    "Right decisions of the AI alone, which accepts its label if its confidence reaches a "
    "threshold, of n images; without n weights stand for images.",
    tenths,
)  # fmt: skip
BEST_T = Quantity(
    "ai_best_threshold", "T",
    "The threshold than which no other is better; of adversarial images the one that is best on "
    "natural ones.",
)  # fmt: skip
AI_BEST = Quantity("ai_at_best_threshold", "AI alone", "The same at this threshold.", tenths)
TEAM = Quantity(
    "weighted_accuracy", "Team",
    "Right answers of an arm on natural images, its bins weighted by how often they occur.", tenths,
)  # fmt: skip
BINS = Quantity(
    "bins_with_answers", "Bins", "Bins in which the arm has answers; all six are needed."
)
OVER_AI = Quantity(
    "weighted_over_ai", "Team less AI", "The team less the best of the AI alone on the same bins.",
    points, "points",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """Images of which the AI's confidence is known."""

    words: Annotated[str, about("Where they come from.")]
    images: Annotated[int, about("Images.")]
    in_bins: Annotated[int, about("Images in one of the six bins.")]
    right: Annotated[float, about("Share of right labels, 0 to 1.")]


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
    images = frame[np.isfinite(frame["confidence"])].drop_duplicates("item")
    if images.empty:
        return None
    return Source(
        "the natural images that were shown",
        images["confidence"].to_numpy(dtype=float),
        images["right"].to_numpy(dtype=bool),
        in_bins(images)["bin"].to_numpy(dtype=object),
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
        weights = dict(zip(known["bin"].astype(str), known["weight"].astype(float), strict=True))
        if sum(weights.values()) > 0:
            return {PACK: weights, EQUAL: dict.fromkeys(NATURAL_BINS, 1.0)}
    published = {name: dict(bins) for name, bins in PUBLISHED_WEIGHTS.items()}
    return published | {EQUAL: dict.fromkeys(NATURAL_BINS, 1.0)}


def sweep_rows(
    source: Source | None,
    weights: Mapping[str, Mapping[str, float]],
    attacked: Array | None = None,
) -> tuple[EstimateRow, ...]:
    """Return the AI alone over its threshold T on each base, and at the best T.

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
    rows: list[EstimateRow] = []
    if source is not None:
        inside = source.bin != ""
        for base, keep in (("all", np.ones(len(inside), dtype=bool)), ("bins", inside)):
            if keep.any():
                rows += _best(_swept(base, source.confidence[keep], source.correct[keep]))
    for name, by_bin in weights.items():
        rows += _best(
            _by_weights(name, by_bin) if source is None else _weighted(name, by_bin, source)
        )
    if attacked is not None and len(attacked):
        chosen = chosen_threshold(rows, source)
        swept = _swept(ATTACKED, attacked, np.zeros(len(attacked), dtype=bool))
        rows += swept if chosen is None else _best(swept, chosen)
    return tuple(rows)


def chosen_threshold(rows: Sequence[EstimateRow], source: Source | None) -> float | None:
    """Return the threshold of the AI's own rule: the best on natural images as they occur.

    It is the best threshold on all images of the source if these are known, as published; else the
    best with the bins weighted; None if no image's confidence is known.
    """
    if source is None:
        return None
    best = {row.of["base"]: row.estimate for row in select(rows, BEST_T)}
    if source.whole:
        return best["all"]
    weighted = [best[name] for name in (PACK, *PUBLISHED_WEIGHTS) if name in best]
    return weighted[0] if weighted else best.get("bins", best["all"])


def attacked_confidence(answers: Answers) -> Array:
    """Return (n,) the AI's confidence in the adversarial images that were shown, where known."""
    frame = answers.frame
    attacked = frame[frame["adversarial"] & np.isfinite(frame["confidence"])].drop_duplicates(
        "item"
    )
    return attacked["confidence"].to_numpy(dtype=float)


def _swept(base: str, confidence: Array, correct: Array) -> list[EstimateRow]:
    n = len(confidence)
    right = [Count(int(((confidence >= t) == correct).sum()), n) for t in THRESHOLDS]
    return _named_at(base, THRESHOLDS, map(wilson, right), n)


def _named_at(
    base: str, at: Sequence[float], shares: Iterable[Interval], images: int | None = None
) -> list[EstimateRow]:
    return [
        estimate_row(AI_AT, {"base": base, "threshold": f"{t:g}"}, share, images)
        for t, share in zip(at, shares, strict=True)
    ]


def _best(rows: list[EstimateRow], chosen: float | None = None) -> list[EstimateRow]:
    """Return the AI alone on a base, with the best threshold, or the chosen one, by itself.

    If several thresholds are best, the smallest of them counts.
    """
    if chosen is None:
        best = rows[int(np.argmax([round(row.interval.estimate, 12) for row in rows]))]
    else:
        best = next(row for row in rows if row.of["threshold"] == f"{chosen:g}")
    of = {"base": best.of["base"]}
    threshold = estimate_row(BEST_T, of, float(best.of["threshold"]))
    return [*rows, threshold, replace(best, quantity=AI_BEST.id, of=of)]


def _weighted(name: str, weights: Mapping[str, float], source: Source) -> list[EstimateRow]:
    """Return the AI alone at every threshold, each bin's images weighted by how often it occurs.

    Images of a bin are a random sample of it, whatever their number. If a bin that occurs has no
    image, only the weights are used.
    """
    total = sum(weights.values())
    wanted = {bin_: share / total for bin_, share in weights.items() if share > 0}
    if not set(wanted) <= set(source.bin):
        return _by_weights(name, weights)
    sums = []
    for t in THRESHOLDS:
        right = (source.confidence >= t) == source.correct
        counts = [
            Count(int(right[source.bin == bin_].sum()), int((source.bin == bin_).sum()))
            for bin_ in wanted
        ]
        sums.append(mover(counts, list(wanted.values())))
    return _named_at(name, THRESHOLDS, sums)


def _by_weights(name: str, weights: Mapping[str, float]) -> list[EstimateRow]:
    """Return the AI alone by weights: T accepts only high bins, or middle ones as well.

    A T between the bins' limits splits no bin; other thresholds can't be computed from weights.
    """
    high = ("right_easy", "wrong_medium", "wrong_easy")
    middle = ("right_easy", "right_medium", "wrong_easy")
    total = sum(weights.values())
    shares = (sum(weights.get(b, 0.0) for b in accepted) / total for accepted in (middle, high))
    unknown = float("nan")
    return _named_at(name, (0.35, 0.7), [Interval(share, unknown, unknown) for share in shares])


def weighted_rows(
    answers: Answers,
    weights: Mapping[str, Mapping[str, float]],
    sweep: Sequence[EstimateRow],
    plan: Resampling,
) -> Iterator[EstimateRow]:
    """Yield each arm's accuracy on natural images, its bins weighted by how often they occur.

    The accuracy is NaN for an arm without answers in one of the six bins.
    """
    natural = answers.part(NATURAL) if answers.frame["adversarial"].any() else answers
    frame = in_bins(natural.frame)
    if not (frame["bin"] != "").any():
        return
    cells = Cells.of(frame, "correct", {"method": natural.arms, "bin": NATURAL_BINS}, plan)
    for name, by_bin in weights.items():
        total = sum(by_bin.get(bin_, 0.0) for bin_ in NATURAL_BINS)
        ai = row_of(sweep, AI_BEST, base=name).interval
        for arm in natural.arms:
            of = {"weights": name, "method": arm}
            shares: dict[Key, float] = {
                (arm, bin_): by_bin.get(bin_, 0.0) / total for bin_ in NATURAL_BINS
            }
            team = cells.estimate(shares).at(LEVEL)
            yield estimate_row(TEAM, of, team)
            yield estimate_row(BINS, of, sum(cells.counts[key].n > 0 for key in shares))
            yield estimate_row(AI_BEST, of, ai)
            yield estimate_row(OVER_AI, of, _over(team, ai))


def _over(team: Interval, ai: Interval) -> Interval:
    """Return a team less the AI alone, with the uncertainty of both (Zou & Donner 2008).

    The AI's uncertainty is left out if it isn't known. Images that a team and the AI share make the
    difference less uncertain than that.
    """
    known = np.isfinite(ai.ci_low)
    below, above = (ai.estimate - ai.ci_low, ai.ci_high - ai.estimate) if known else (0.0, 0.0)
    value = team.estimate - ai.estimate
    low = value - np.hypot(team.estimate - team.ci_low, above)
    high = value + np.hypot(team.ci_high - team.estimate, below)
    return Interval(value, float(low), float(high))


def in_bins(frame: pd.DataFrame) -> pd.DataFrame:
    """Return answers to natural images with their ``bin``; empty if the level isn't known."""
    return frame.assign(bin=_named(frame["right"].to_numpy(), frame["level"].to_numpy()))


def _named(right: Array, level: Array) -> Array:
    """Return the natural bin of each row; empty if the level isn't known."""
    return np.array(
        [
            f"{'right' if ok else 'wrong'}_{of}" if of else ""
            for ok, of in zip(right, level, strict=True)
        ],
        dtype=object,
    )
