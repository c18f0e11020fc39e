"""p_S, p_E, and acc_L = p_S / p_E, exactly and with intervals.

p_S is the mean over tasks of L(τ, S(τ)), with the share of leads who accept in the place
of L where several judge (Saralajew et al. 2022, definition 2.1 and section 2.3). Each task
counts once, however many leads judged it. The values are computed as fractions: where L
accepts exactly the labelled class, acc_L is plain accuracy to the last digit.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, percentile_interval
from analysis.statistics.means import Means, mean_interval, measure_means, share_limits
from analysis.statistics.proportions import UNKNOWN, Count, Interval, wilson
from analysis.studies.accept_reject.rates import comparison_row
from analysis.studies.accept_reject_accuracy.pairs import Judgements, Pair

Array = np.ndarray

SOLVERS = ("S", "E")
CONTRAST = np.array([1.0, -1.0])
WIDE, NARROW = 0.95, 0.90


@dataclass(frozen=True, slots=True)
class Rates:
    """Acceptance of S's and of E's labels.

    Attributes
    ----------
    p
        p_S and p_E as fractions by solver; None where none of its labels was judged.
    tasks, judgements
        How many tasks, and judgements of them, each rests on.
    found
        p_S and p_E as means over leads and images.
    """

    p: dict[str, Fraction | None]
    tasks: dict[str, int]
    judgements: dict[str, int]
    found: Means

    @property
    def ratio(self) -> Fraction | None:
        """acc_L as a fraction; None where p_E is 0 or either is unknown."""
        p_s, p_e = self.p["S"], self.p["E"]
        return None if p_s is None or not p_e else p_s / p_e


def mean_rate(pairs: Iterable[Pair]) -> Fraction | None:
    """Return the mean over pairs of the share of judgements that accept; None without one."""
    shares = [pair.rate for pair in pairs]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def plain_accuracy(tasks: Iterable[tuple[str, str]]) -> Fraction | None:
    """Return the share of (S's label, data set's label) that are alike; None without one."""
    right = [said == true for said, true in tasks]
    return Fraction(sum(right), len(right)) if right else None


def measure(judged: Judgements, plan: Resampling) -> Rates:
    """Return acceptance rates with what their intervals over leads and images need."""
    own = {solver: list(judged.of(solver)) for solver in SOLVERS}
    return Rates(
        p={solver: mean_rate(pairs) for solver, pairs in own.items()},
        tasks={solver: len({pair.task for pair in pairs}) for solver, pairs in own.items()},
        judgements={solver: sum(pair.n for pair in pairs) for solver, pairs in own.items()},
        found=_means(judged, plan),
    )


def rate_interval(rates: Rates, solver: str) -> Interval:
    """Return p_S or p_E with its 95 % interval.

    Where every judgement was alike nothing varies: Wilson's interval over tasks.
    """
    p = rates.p[solver]
    if p is None:
        return UNKNOWN
    if p in (0, 1):
        return wilson(Count(int(p) * rates.tasks[solver], rates.tasks[solver]))
    return Interval(float(p), *share_limits(rates.found, np.eye(2)[SOLVERS.index(solver)]))


def ratio_row(rates: Rates, plain: Fraction | None) -> dict[str, Any]:
    """Return acc_L beside plain accuracy, as it stands in results.json."""
    ratio = rates.ratio
    found = _ratio_interval(rates) if ratio is not None else UNKNOWN
    return {
        "estimate": None if ratio is None else float(ratio),
        "exact": _text(ratio),
        "ci_low": found.ci_low,
        "ci_high": found.ci_high,
        "plain_accuracy": None if plain is None else float(plain),
        "plain_exact": _text(plain),
        "equal_to_plain": None if ratio is None or plain is None else ratio == plain,
        "tasks": rates.tasks["S"],
    }


def _ratio_interval(rates: Rates) -> Interval:
    """Return the interval of acc_L; from Wilson's limits where nothing varies."""
    p_s, p_e = rates.p["S"], rates.p["E"]
    if p_s == 0 or p_s == p_e == 1:
        found = rate_interval(rates, "S")
        return Interval(found.estimate / p_e, found.ci_low / p_e, found.ci_high / p_e)
    if constant(rates):
        found, whole = _constant_difference(rates, WIDE), float(p_e)
        return Interval(
            1.0, max(0.0, 1 + found.ci_low / whole), min(1 + found.ci_high / whole, 1 / whole)
        )
    if isinstance(rates.found, Bootstrap):
        drawn = rates.found.replicates
        positive = drawn[:, 1] > 0
        ratios = drawn[positive, 0] / drawn[positive, 1]
        return Interval(float(p_s / p_e), *percentile_interval(ratios, WIDE))
    gradient = np.array([1 / float(p_s), -1 / float(p_e)])
    log = rates.found.around(float(np.log(float(p_s / p_e))), gradient)
    return Interval(float(p_s / p_e), float(np.exp(log.ci_low)), float(np.exp(log.ci_high)))


def acceptance_rows(rates: Rates, cutoff_s: float) -> list[dict[str, Any]]:
    """Return p_S and p_E with intervals."""
    rows = []
    for solver in SOLVERS:
        p, found = rates.p[solver], rate_interval(rates, solver)
        rows.append(
            {
                "solver": solver,
                "explained": False,
                "cutoff_s": cutoff_s,
                "rate": None if p is None else float(p),
                "exact": _text(p),
                "ci_low": found.ci_low,
                "ci_high": found.ci_high,
                "n": rates.judgements[solver],
                "tasks": rates.tasks[solver],
            }
        )
    return rows


def comparison(rates: Rates, margin: float) -> dict[str, Any]:
    """Return whether S is worse than, like or better than E (Saralajew et al. 2022, section 2.1).

    Where p_S - p_E can't vary its limits are those of `_constant_difference`.
    """
    p_s, p_e = rates.p["S"], rates.p["E"]
    if p_s is None or p_e is None:
        return {
            "difference": None, "ci_low": None, "ci_high": None, "ci90_low": None,
            "ci90_high": None, "margin": margin, "verdict": "unknown",
        }  # fmt: skip
    limits = _constant_difference if constant(rates) else _difference
    wide, narrow = (limits(rates, level) for level in (WIDE, NARROW))
    return comparison_row(wide, narrow, margin, {})


def constant(rates: Rates) -> bool:
    """Return whether p_S - p_E doesn't vary over leads and images.

    This is so if S's and E's labels are judged alike on every task (S and E gave the same labels,
    or all are accepted), or if all labels of one are accepted and none of the other's.
    """
    p_s, p_e = rates.p["S"], rates.p["E"]
    if p_s is None or p_e is None or p_s - p_e not in (-1, 0, 1):
        return False
    part = mean_interval(rates.found, CONTRAST)
    return bool(part.ci_high - part.ci_low < 1e-9)


def _difference(rates: Rates, level: float) -> Interval:
    found = mean_interval(rates.found, CONTRAST, level)
    return Interval(float(rates.p["S"] - rates.p["E"]), found.ci_low, found.ci_high)


def _constant_difference(rates: Rates, level: float) -> Interval:
    """Return p_S - p_E with Wilson's limits for the share of tasks judged differently.

    Of n tasks S's and E's labels were judged differently on none (or on all); the difference
    can't exceed the share of such tasks, of which 0 (or n) of n leaves Wilson's interval.
    """
    difference = int(rates.p["S"] - rates.p["E"])
    tasks = min(rates.tasks.values())
    share = wilson(Count(abs(difference) * tasks, tasks), level)
    if difference == 0:
        return Interval(0.0, -share.ci_high, share.ci_high)
    low, high = sorted((difference * share.ci_low, difference * share.ci_high))
    return Interval(float(difference), low, high)


def _means(judged: Judgements, plan: Resampling) -> Means:
    """Return p_S and p_E; a judgement weighs as its share of its pair's judgements."""
    frame = judged.frame
    per_pair = frame.groupby("pair")["accepted"].transform("size")
    of = [frame[name].to_numpy(dtype=float) for name in ("of_system", "of_expert")]
    weights = np.column_stack(of) / per_pair.to_numpy(dtype=float)[:, None]
    units = Units.of(frame["participant"], frame["task"])
    return measure_means(frame["accepted"].to_numpy(dtype=float), weights, units, plan)


def _text(value: Fraction | None) -> str | None:
    return None if value is None else f"{value.numerator}/{value.denominator}"
