"""Acceptance rates, usefulness, and the system compared with the experts."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from analysis.distributions import normal_quantile
from analysis.questions.cells import Cells, Weights
from analysis.questions.estimates import EstimateRow, Of, Quantity, estimate_row
from analysis.report.results import interval_words
from analysis.report.wording import number
from analysis.statistics.bootstrap import Resampling, percentile_interval
from analysis.statistics.estimate import Estimate
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.accept_reject.quantities import ACCEPTED, GAIN, NET, RAW, WITHOUT_NUMERAL
from analysis.studies.accept_reject.trials import CELLS, E_LIKE, NO_CONTOUR, S_LIKE, ScoredTrials
from analysis.studies.accept_reject.words import RUN_WORDS

Array = np.ndarray

RATIO = Quantity("acc_l", "acc_L", "acc_L = p_S / p_E with explanation.", number)
CONTOURS: Final[Mapping[str, str]] = {
    "without": NO_CONTOUR,
    "S_like": S_LIKE,
    "E_like": E_LIKE,
}
"""Controls without a numeral, by what their contour is like."""
SOLVED: Final = tuple(f"{solver} {RUN_WORDS[explained]}" for solver, explained in CELLS)
NAMES: Final = (*SOLVED, *CONTOURS)
"""The seven cells: S and E without and with explanation, and plates without a numeral."""
_KEYS: Final = [(name,) for name in NAMES]


OF_EVERYBODY: Final[Of] = MappingProxyType({})
"""Levels that rows have beside their own: none, if they aren't of one lead."""


def less(first: str | Weights, second: str | Weights) -> Weights:
    """Return the weights of a cell, or sum of cells, less another."""
    more, fewer = ({(term,): 1.0} if isinstance(term, str) else term for term in (first, second))
    return {key: more.get(key, 0.0) - fewer.get(key, 0.0) for key in {**more, **fewer}}


_RAW: Final = {solver: less(f"{solver} with", f"{solver} without") for solver in ("S", "E")}
_NET: Final = {solver: less(raw, less(f"{solver}_like", "without")) for solver, raw in _RAW.items()}
GAINS: Final[Mapping[tuple[str, str], Weights]] = {
    (solver, part): weights
    for part, gains in ((RAW, _RAW), (NET, _NET))
    for solver, weights in {**gains, "S-E": less(gains["S"], gains["E"])}.items()
}
"""Usefulness of S's and E's explanations and their difference, raw and net, as sums of cells."""
COMPARISON: Final = less("S with", "E with")


def cells_of(judged: ScoredTrials) -> Array:
    """Return (n,) the cell of each trial by its place in `NAMES`, -1 for trials outside the seven.

    Probes and the sham group are outside: they belong to neither of the two compared runs.
    """
    frame = judged.frame
    cell = np.full(len(frame), -1)
    by_solver = {solver: (frame["solver"] == solver).to_numpy() for solver in ("S", "E", "control")}
    for place, (solver, explained) in enumerate(CELLS):
        cell[by_solver[solver] & (frame["explained"] == explained)] = place
    for place, kind in enumerate(CONTOURS.values(), start=len(CELLS)):
        cell[by_solver["control"] & (frame["control_kind"] == kind)] = place
    cell[judged.aside] = -1
    return cell


def counted_cells(judged: ScoredTrials, group: Array, groups: int) -> list[Cells]:
    """Return the seven cells of every group of trials, whose trials count as independent.

    Parameters
    ----------
    judged
        The trials.
    group, groups
        (n,) group of each trial from 0, e.g. its participant, and their number.
    """
    cell = cells_of(judged)
    inside = cell >= 0
    place = group[inside] * len(NAMES) + cell[inside]
    accepted = judged.frame["accepted"].to_numpy(dtype=bool)[inside]
    hits, n = (
        np.bincount(part, minlength=groups * len(NAMES)).reshape(groups, -1).tolist()
        for part in (place[accepted], place)
    )
    return [
        Cells({"cell": NAMES}, dict(zip(_KEYS, map(Count, *pair), strict=True)), None)
        for pair in zip(hits, n, strict=True)
    ]


def measure(judged: ScoredTrials, plan: Resampling) -> Cells:
    """Return acceptance in the seven cells; of one participant without resampling."""
    return measure_cells(judged, cells_of(judged), NAMES, plan)


def measure_cells(
    judged: ScoredTrials, cell: Array, names: tuple[str, ...], plan: Resampling
) -> Cells:
    """Return acceptance in any cells.

    Parameters
    ----------
    judged
        The trials.
    cell, names
        (n,) place of each trial's cell among the names, -1 for none.
    plan
        How intervals are found.
    """
    named = np.array([*names, ""], dtype=object)[cell]
    return Cells.of(judged.frame.assign(cell=named), "accepted", {"cell": names}, plan)


def rate(cells: Cells, name: str) -> Estimate:
    """Return acceptance in a cell."""
    return cells.estimate({(name,): 1.0})


def acceptance_rows(cells: Cells, whose: Of = OF_EVERYBODY) -> tuple[EstimateRow, ...]:
    """Return p_S and p_E without and with explanation; `whose` are levels that each row has."""
    return tuple(
        estimate_row(
            ACCEPTED,
            {**whose, "solver": solver, "explanation": RUN_WORDS[explained]},
            rate(cells, name),
            cells.counts[name,].n,
        )
        for name, (solver, explained) in zip(SOLVED, CELLS, strict=True)
    )  # fmt: skip


def contour_rows(cells: Cells) -> tuple[EstimateRow, ...]:
    """Return acceptance of plates without a numeral by contour."""
    return tuple(
        estimate_row(WITHOUT_NUMERAL, {"contour": name}, rate(cells, name), cells.counts[name,].n)
        for name in CONTOURS
    )


def usefulness_rows(cells: Cells, whose: Of = OF_EVERYBODY) -> tuple[EstimateRow, ...]:
    """Return usefulness of S's and E's explanations and their difference, raw and net.

    Usefulness is acceptance with less acceptance without. Net of contour reading means:
    less [P(accept | no numeral, digit-shaped contour) - P(accept | no numeral, none)],
    S-like contours for S, E-like for E. `whose` are levels that each row has.
    """
    return tuple(
        estimate_row(
            GAIN,
            {**whose, "solver": solver, "part": part},
            cells.estimate(weights),
            cells.n(weights),
        )
        for (solver, part), weights in GAINS.items()
    )


def ratio(cells: Cells) -> EstimateRow:
    """Return acc_L = p_S / p_E with explanation, or why it or its limits can't be given."""
    part, reason = _ratio(cells)
    return estimate_row(RATIO, {}, part, note=reason)


def _ratio(cells: Cells) -> tuple[Interval, str]:
    """Return the ratio, its limits found on the log scale, and why something isn't known."""
    system, expert = (cells.counts[f"{solver} with",] for solver in ("S", "E"))
    if system.n == 0 or expert.n == 0:
        return UNKNOWN, f"there are no explained trials of {'S' if system.n == 0 else 'E'}"
    if expert.successes == 0:
        return UNKNOWN, "undefined: nothing of E's was accepted"
    estimate = system.rate / expert.rate
    alone = Interval(estimate, float("nan"), float("nan"))
    if system.successes == 0:
        return alone, "no limits on the log scale: nothing of S's was accepted"
    plain = _independent_limits(system, expert)
    if cells.measured is None:
        low, high = plain
    elif isinstance(cells.measured, TwoWayMeans):
        low, high = _ratio_limits(cells.measured, estimate)
        if 1.0 in (system.rate, expert.rate) or not np.isfinite([low, high]).all():
            low, high = np.fmin(low, plain[0]), np.fmax(high, plain[1])
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(cells.measured[:, 1]) - np.log(cells.measured[:, 3])
        if np.mean(~np.isfinite(logs)) > (1 - LEVEL) / 2:
            return alone, "no limits: too many resamples without an acceptance"
        low, high = np.exp(percentile_interval(logs, LEVEL))
    return Interval(estimate, float(low), float(high)), ""


def _independent_limits(system: Count, expert: Count) -> Array:
    """Return the limits of p_S / p_E of independent answers (Katz et al. 1978, Biometrics 34)."""
    parts = [1 / count.successes - 1 / count.n for count in (system, expert)]
    reach = normal_quantile((1 + LEVEL) / 2) * np.sqrt(sum(parts))
    return system.rate / expert.rate * np.exp([-reach, reach])


def _ratio_limits(means: TwoWayMeans, ratio: float) -> tuple[float, float]:
    """Return the limits of p_S / p_E by the delta method on the log scale."""
    gradient = np.zeros(len(means.means))
    gradient[[1, 3]] = 1 / means.means[1, 0], -1 / means.means[3, 0]
    part = means.around(float(np.log(ratio)), gradient)
    return float(np.exp(part.ci_low)), float(np.exp(part.ci_high))


def intervals(cells: Cells, plan: Resampling) -> str:
    """Return how intervals were found, for the methods paragraph."""
    if cells.measured is not None:
        return interval_words(plan, "leads", "plates")
    return (
        "Wilson's score interval for rates and the MOVER interval for sums and differences, "
        "trials taken as independent"
    )
