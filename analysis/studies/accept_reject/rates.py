"""Acceptance rates, usefulness, and the system compared with the experts.

The verdict on S against E is here too, as power simulations of this study and of
accept_reject_accuracy count it.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

import numpy as np
from statsmodels.stats.proportion import confint_proportions_2indep

from analysis.power.question import Verdicts
from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.report.results import interval_words
from analysis.statistics.bootstrap import Resampling, Units, percentile_interval
from analysis.statistics.estimate import NARROW, Estimate
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import LEVEL, Count, true_verdict, wilson
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.accept_reject.trials import CELLS, E_LIKE, NO_CONTOUR, S_LIKE, ScoredTrials

Array = np.ndarray

KINDS = (NO_CONTOUR, S_LIKE, E_LIKE)
_S, _E = np.array([-1, 1, 0, 0, 0, 0, 0]), np.array([0, 0, -1, 1, 0, 0, 0])
_S_CONTOUR, _E_CONTOUR = np.array([0, 0, 0, 0, -1, 1, 0]), np.array([0, 0, 0, 0, -1, 0, 1])
USEFULNESS: tuple[tuple[str, bool, Array], ...] = (
    ("S", False, _S),
    ("E", False, _E),
    ("S-E", False, _S - _E),
    ("S", True, _S - _S_CONTOUR),
    ("E", True, _E - _E_CONTOUR),
    ("S-E", True, (_S - _S_CONTOUR) - (_E - _E_CONTOUR)),
)
COMPARISON = np.array([0, 1, 0, -1, 0, 0, 0])

AGAINST_EXPERTS: Final = "comparison"
VERDICTS_SAID: Final = {
    "worse": "the 95 % interval of p_S − p_E lies below the margin",
    "like": "its 90 % interval lies within the margin",
    "better": "its 95 % interval lies above the margin",
    "undecided": "none of these",
}


@dataclass(frozen=True, slots=True)
class Share:
    """A share of accepted or right decisions."""

    rate: Annotated[float | None, about("The share, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Trials.")]


@dataclass(frozen=True, slots=True)
class AcceptedShare:
    """Acceptance of a solver's solutions within the decision time."""

    solver: Annotated[str, about("Who gave the solutions: S or E.")]
    explained: Annotated[bool, about("Whether explanations were shown.")]
    cutoff_s: Annotated[float, about("The decision time, seconds.")]
    rate: Annotated[float | None, about("Share accepted, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Trials.")]


@dataclass(frozen=True, slots=True)
class Gain:
    """Usefulness: acceptance with explanation less acceptance without."""

    solver: Annotated[str, about("Whose solutions: S, E, or S-E for S's less E's.")]
    net: Annotated[bool, about("Whether the part due to contour reading is subtracted.")]
    cutoff_s: Annotated[float, about("The decision time, seconds.")]
    estimate: Annotated[float | None, about("Difference of shares, −1 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Trials that it is computed from.")]


@dataclass(frozen=True, slots=True)
class SolverDifference:
    """Acceptance of S's solutions less that of E's, and what follows from it."""

    difference: Annotated[float | None, about("p_S − p_E.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    ci90_low: Annotated[float | None, about("Its lower 90 % limit.")]
    ci90_high: Annotated[float | None, about("Its upper 90 % limit.")]
    margin: Annotated[float, about("The equivalence margin, a difference of shares.")]
    verdict: Annotated[str, about("worse, like, better, undecided or unknown.")]

    @property
    def differs(self) -> bool:
        """Whether the 95 % interval excludes zero."""
        return (self.ci_low or 0) > 0 or (self.ci_high or 0) < 0


@dataclass(frozen=True, slots=True)
class TimedDifference(SolverDifference):
    """S's acceptance less E's within the decision time, both with explanation."""

    cutoff_s: Annotated[float, about("The decision time, seconds.")]
    n: Annotated[int, about("Trials that it is computed from.")]


@dataclass(frozen=True, slots=True)
class Ratio:
    """acc_L = p_S / p_E with explanation; its limits are found on the log scale."""

    estimate: Annotated[float | None, about("The ratio.")] = None
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")] = None
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")] = None
    reason: Annotated[str, about("Why it or its limits can't be given; empty if they can.")] = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """Acceptance in cells of trials.

    Attributes
    ----------
    counts
        Accepted and all trials. In the main analysis: S without, S with, E without, E with,
        and plates without a numeral: without contour, with an S-like, with an E-like contour.
    found
        The cells' means over participants and items, or (B, cells) bootstrap replicates; None if
        intervals are Wilson's and MOVER's.
    """

    counts: tuple[Count, ...]
    found: TwoWayMeans | Array | None

    def rate(self, cell: int) -> Estimate:
        """Return one cell's rate."""
        return self.sum_of(np.eye(len(self.counts))[cell])

    def sum_of(self, weights: Array) -> Estimate:
        """Return a weighted sum of rates; see `estimate_shares`."""
        return estimate_shares(self.counts, weights, self.found)

    def usefulness(self, solver: str, net: bool = False) -> Estimate:
        """Return usefulness for S, E or S-E, raw or net of contour reading."""
        (weights,) = (own for name, less, own in USEFULNESS if (name, less) == (solver, net))
        return self.sum_of(weights)

    def n_of(self, weights: Array) -> int:
        """Return the number of trials that a weighted sum rests on."""
        return sum(c.n for c, weight in zip(self.counts, weights, strict=True) if weight)


def cells_of(judged: ScoredTrials) -> Array:
    """Return (n,) the cell of each trial, -1 for trials outside the seven.

    Probes and the sham group are outside: they belong to neither of the two compared runs.
    """
    frame = judged.frame
    cell = np.full(len(frame), -1)
    for number, (solver, explained) in enumerate(CELLS):
        cell[(frame["solver"] == solver) & (frame["explained"] == explained)] = number
    for number, kind in enumerate(KINDS, start=len(CELLS)):
        cell[(frame["solver"] == "control") & (frame["control_kind"] == kind)] = number
    cell[judged.aside] = -1
    return cell


def cell_counts(judged: ScoredTrials, group: Array, groups: int) -> tuple[list, list]:
    """Return accepted and all trials of every group in the seven cells.

    Parameters
    ----------
    judged
        The trials.
    group, groups
        (n,) group of each trial from 0, e.g. its participant, and their number.

    Returns
    -------
    tuple
        Two lists of ``groups`` rows of seven whole numbers.
    """
    cell = cells_of(judged)
    size = len(CELLS) + len(KINDS)
    inside = cell >= 0
    place = group[inside] * size + cell[inside]
    accepted = judged.frame["accepted"].to_numpy(dtype=bool)[inside]
    chosen, shown = (
        np.bincount(part, minlength=groups * size).reshape(groups, size).tolist()
        for part in (place[accepted], place)
    )
    return chosen, shown


def measure(judged: ScoredTrials, plan: Resampling | None) -> Rates:
    """Return the seven rates; without a plan, or with one participant, without resampling."""
    return measure_cells(judged, cells_of(judged), len(CELLS) + len(KINDS), plan)


def measure_cells(judged: ScoredTrials, cell: Array, size: int, plan: Resampling | None) -> Rates:
    """Return the rates of any cells; as `measure`.

    Parameters
    ----------
    judged
        The trials.
    cell, size
        (n,) cell of each trial, -1 for none, and how many cells there are.
    plan
        None for no resampling.
    """
    accepted = judged.frame["accepted"].to_numpy(dtype=float)
    counts = tuple(
        Count(int(accepted[cell == number].sum()), int((cell == number).sum()))
        for number in range(size)
    )
    if plan is None:
        return Rates(counts, None)
    units = Units.of(judged.frame["participant"], judged.frame["item"])
    return Rates(counts, measure_shares(accepted, cell, size, units, plan))


def acceptance_rows(rates: Rates, cutoff_s: float) -> tuple[AcceptedShare, ...]:
    """Return p_S and p_E without and with explanation."""
    return tuple(
        AcceptedShare(
            solver=solver,
            explained=explained,
            cutoff_s=cutoff_s,
            **limits_row(rates.rate(cell), "rate"),
            n=rates.counts[cell].n,
        )
        for cell, (solver, explained) in enumerate(CELLS)
    )


def usefulness_rows(rates: Rates, cutoff_s: float) -> tuple[Gain, ...]:
    """Return usefulness of S's and E's explanations and their difference, raw and net.

    Usefulness is acceptance with less acceptance without. Net of contour reading means:
    less [P(accept | no numeral, digit-shaped contour) - P(accept | no numeral, none)],
    S-like contours for S, E-like for E.
    """
    return tuple(
        Gain(
            solver=solver,
            net=net,
            cutoff_s=cutoff_s,
            **limits_row(rates.sum_of(weights)),
            n=rates.n_of(weights),
        )
        for solver, net, weights in USEFULNESS
    )


def comparison(rates: Rates, cutoff_s: float, margin: float) -> TimedDifference:
    """Return p_S - p_E with explanation, and whether S is worse, like or better."""
    found = solver_difference(rates.sum_of(COMPARISON), margin)
    return TimedDifference(**asdict(found), cutoff_s=cutoff_s, n=rates.n_of(COMPARISON))


def solver_difference(part: Estimate, margin: float) -> SolverDifference:
    """Return a difference of S and E with its 95 % and 90 % limits and the verdict."""
    narrow = part.at(NARROW)
    return SolverDifference(
        **limits_row(part, "difference"),
        ci90_low=narrow.ci_low,
        ci90_high=narrow.ci_high,
        margin=margin,
        verdict=part.verdict(margin),
    )


def ratio(rates: Rates) -> Ratio:
    """Return acc_L = p_S / p_E with explanation, its limits found on the log scale."""
    system, expert = rates.counts[1], rates.counts[3]
    if system.n == 0 or expert.n == 0:
        return Ratio(reason=f"there are no explained trials of {'S' if system.n == 0 else 'E'}")
    if expert.successes == 0:
        return Ratio(reason="undefined: nothing of E's was accepted")
    found = system.rate / expert.rate
    if system.successes == 0:
        return Ratio(found, reason="no limits on the log scale: nothing of S's was accepted")
    plain = confint_proportions_2indep(
        system.successes, system.n, expert.successes, expert.n, compare="ratio", method="log"
    )
    if rates.found is None:
        low, high = plain
        return Ratio(found, float(low), float(high))
    if isinstance(rates.found, TwoWayMeans):
        low, high = _ratio_limits(rates.found, found)
        if 1.0 in (system.rate, expert.rate) or not np.isfinite([low, high]).all():
            low, high = np.fmin(low, plain[0]), np.fmax(high, plain[1])
        return Ratio(found, float(low), float(high))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(rates.found[:, 1]) - np.log(rates.found[:, 3])
    if np.mean(~np.isfinite(logs)) > (1 - LEVEL) / 2:
        return Ratio(found, reason="no limits: too many resamples without an acceptance")
    low, high = percentile_interval(logs, LEVEL)
    return Ratio(found, float(np.exp(low)), float(np.exp(high)))


def _ratio_limits(found: TwoWayMeans, ratio: float) -> tuple[float, float]:
    """Return the limits of p_S / p_E by the delta method on the log scale."""
    gradient = np.zeros(len(found.means))
    gradient[[1, 3]] = 1 / found.means[1, 0], -1 / found.means[3, 0]
    part = found.around(float(np.log(ratio)), gradient)
    return float(np.exp(part.ci_low)), float(np.exp(part.ci_high))


def intervals(rates: Rates, plan: Resampling) -> str:
    """Return how intervals were found, for the methods paragraph."""
    if rates.found is not None:
        return interval_words(plan, "leads", "plates")
    return (
        "Wilson's score interval for rates and the MOVER interval for sums and differences, "
        "trials taken as independent"
    )


def share(count: Count) -> Share:
    """Return a single person's rate with Wilson's interval."""
    return Share(**limits_row(wilson(count), "rate"), n=count.n)


def against_experts(difference: Callable[[Any], float], margin: float) -> Verdicts:
    """Return the verdicts on S against E.

    Parameters
    ----------
    difference
        Returns p_S − p_E for a simulated effect.
    margin
        Of the protocol, on the probability scale. At the margin nothing is right to say.
    """

    def right(effect: Any) -> str:
        return true_verdict(round(difference(effect), 12), margin)

    return Verdicts(
        AGAINST_EXPERTS, "S against E", VERDICTS_SAID, "undecided", right, "power_comparison"
    )
