"""p_S, p_E, and acc_L = p_S / p_E, exactly and with intervals.

p_S is the mean over tasks of L(τ, S(τ)), with the share of leads who accept in the place
of L where several judge (Saralajew et al. 2022, definition 2.1 and section 2.3). Each task
counts once, however many leads judged it. The values are computed as fractions: where L
accepts exactly the labelled class, acc_L is plain accuracy to the last digit.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, percentile_interval
from analysis.statistics.estimate import NOTHING, Estimate
from analysis.statistics.means import Means, estimate_curve, estimate_mean, measure_means
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval
from analysis.studies.accept_reject_accuracy.pairs import Judgements, Pair

SOLVERS = ("S", "E")
CONTRAST = np.array([1.0, -1.0])


@dataclass(frozen=True, slots=True)
class Rates:
    """Acceptance of S's and of E's labels.

    Attributes
    ----------
    p
        p_S and p_E as fractions by solver; None if none of its labels was judged.
    tasks, judgements
        How many tasks, and judgements of them, each rests on.
    means
        p_S and p_E as means over leads and images.
    """

    p: dict[str, Fraction | None]
    tasks: dict[str, int]
    judgements: dict[str, int]
    means: Means

    @property
    def ratio(self) -> Fraction | None:
        """acc_L as a fraction; None if p_E is 0 or either is unknown."""
        p_s, p_e = self.p["S"], self.p["E"]
        return None if p_s is None or not p_e else p_s / p_e

    @property
    def difference(self) -> Estimate:
        """p_S - p_E; if it can't vary, its limits are exact ones (`Alike`)."""
        if None in self.p.values():
            return NOTHING
        return estimate_mean(self.means, CONTRAST, (0.0, 1.0))

    def rate(self, solver: str) -> Estimate:
        """Return p_S or p_E; with Wilson's limits over tasks, too, if all judgements were alike."""
        tasks = np.array([self.tasks[name] for name in SOLVERS])
        return estimate_curve(self.means, np.eye(2)[SOLVERS.index(solver)], tasks)

    @property
    def ratio_interval(self) -> Interval:
        """acc_L with its limits; from those of shares where nothing varies."""
        if self.ratio is None:
            return UNKNOWN
        ratio = float(self.ratio)
        p_s, p_e = (float(self.p[solver] or 0) for solver in SOLVERS)
        if p_s == 0 or p_s == p_e == 1:
            share = self.rate("S")
            return Interval(share.estimate / p_e, share.ci_low / p_e, share.ci_high / p_e)
        if self._constant:
            part = self.difference
            return Interval(
                1.0, max(0.0, 1 + part.ci_low / p_e), min(1 + part.ci_high / p_e, 1 / p_e)
            )
        if isinstance(self.means, Bootstrap):
            drawn = self.means.replicates
            positive = drawn[:, 1] > 0
            ratios = drawn[positive, 0] / drawn[positive, 1]
            return Interval(ratio, *percentile_interval(ratios, LEVEL))
        log = self.means.around(float(np.log(ratio)), np.array([1 / p_s, -1 / p_e]))
        return Interval(ratio, float(np.exp(log.ci_low)), float(np.exp(log.ci_high)))

    @property
    def _constant(self) -> bool:
        """Whether p_S - p_E doesn't vary over leads and images.

        This is so if S's and E's labels are judged alike on every task (S and E gave the same
        labels, or all are accepted), or if all labels of one are accepted and none of the other's.
        """
        return abs(self.difference.estimate) in (0, 1) and self.difference.se == 0


def mean_rate(pairs: Iterable[Pair]) -> Fraction | None:
    """Return the mean over pairs of the share of judgements that accept; None without one."""
    shares = [pair.rate for pair in pairs]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def plain_accuracy(tasks: Iterable[tuple[str, str]]) -> Fraction | None:
    """Return the share of (S's label, data set's label) that are alike; None without one."""
    right = [label == true for label, true in tasks]
    return Fraction(sum(right), len(right)) if right else None


def as_share(rate: Fraction | None) -> float | None:
    """Return a fraction as a number."""
    return None if rate is None else float(rate)


def as_text(rate: Fraction | None) -> str | None:
    """Return a fraction as text."""
    return None if rate is None else f"{rate.numerator}/{rate.denominator}"


def measure(judged: Judgements, plan: Resampling) -> Rates:
    """Return acceptance rates with what their intervals over leads and images need."""
    pairs = {solver: list(judged.of(solver)) for solver in SOLVERS}
    return Rates(
        p={solver: mean_rate(of_solver) for solver, of_solver in pairs.items()},
        tasks={
            solver: len({pair.task for pair in of_solver}) for solver, of_solver in pairs.items()
        },
        judgements={
            solver: sum(pair.n for pair in of_solver) for solver, of_solver in pairs.items()
        },
        means=_means(judged, plan),
    )


def _means(judged: Judgements, plan: Resampling) -> Means:
    """Return p_S and p_E; a judgement weighs as its share of its pair's judgements."""
    frame = judged.frame
    per_pair = frame.groupby("pair")["accepted"].transform("size")
    of = [frame[name].to_numpy(dtype=float) for name in ("of_system", "of_expert")]
    weights = np.column_stack(of) / per_pair.to_numpy(dtype=float)[:, None]
    units = Units.of(frame["participant"], frame["task"])
    return measure_means(frame["accepted"].to_numpy(dtype=float), weights, units, plan)
