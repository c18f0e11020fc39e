"""p_S, p_E, and acc_L = p_S / p_E, exactly and with intervals.

p_S is the mean over tasks of L(τ, S(τ)), with the share of leads who accept in the place
of L where several judge (Saralajew et al. 2022, definition 2.1 and section 2.3). Each task
counts once, however many leads judged it. The values are computed as fractions: where L
accepts exactly the labelled class, acc_L is plain accuracy to the last digit.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from analysis.report.about import about
from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, percentile_interval
from analysis.statistics.estimate import NOTHING, Estimate
from analysis.statistics.means import Means, estimate_curve, estimate_mean, measure_means
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval
from analysis.studies.accept_reject.rates import SolverDifference, solver_difference
from analysis.studies.accept_reject_accuracy.pairs import Judgements, Pair

Array = np.ndarray

SOLVERS = ("S", "E")
CONTRAST = np.array([1.0, -1.0])


@dataclass(frozen=True, slots=True)
class Ratio:
    """acc_L(S) = p_S / p_E beside plain accuracy."""

    estimate: Annotated[float | None, about("acc_L; null if p_E is 0, or either isn't known.")]
    exact: Annotated[str | None, about("The same as a fraction.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over leads and images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    plain_accuracy: Annotated[
        float | None, about("Share of S's judged labels that are the data set's, 0 to 1.")
    ]
    plain_exact: Annotated[str | None, about("The same as a fraction.")]
    equal_to_plain: Annotated[bool | None, about("Whether both are exactly equal.")]
    tasks: Annotated[int, about("Images whose label by S was judged.")]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """How often a solver's labels are accepted: p_S or p_E."""

    solver: Annotated[str, about("S (system) or E (data set).")]
    explained: Annotated[bool, about("Whether labels came with an explanation; never here.")]
    cutoff_s: Annotated[float, about("Within what time an acceptance counts, seconds.")]
    rate: Annotated[
        float | None, about("Mean over images of the share of leads who accept, 0 to 1.")
    ]
    exact: Annotated[str | None, about("The same as a fraction.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over leads and images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Judgements.")]
    tasks: Annotated[int, about("Images.")]


@dataclass(frozen=True, slots=True)
class ClassRates:
    """How the labels of one class's images are accepted."""

    label: Annotated[str, about("The class: the data set's label.")]
    tasks: Annotated[int, about("Judged images.")]
    p_S: Annotated[float | None, about("Mean share of leads who accept S's label, 0 to 1.")]  # noqa: N815
    p_E: Annotated[float | None, about("The same of the data set's label.")]  # noqa: N815
    plain_accuracy: Annotated[
        float | None, about("Share of S's judged labels that are the data set's, 0 to 1.")
    ]


@dataclass(frozen=True, slots=True)
class WholeSet:
    """Plain accuracy over all images of the item table."""

    rate: Annotated[float | None, about("Share of S's labels that are the data set's, 0 to 1.")]
    items: Annotated[int, about("Images.")]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Acceptance of labels, and accuracy."""

    ratio: Annotated[Ratio, about("acc_L beside plain accuracy.")]
    acceptance: Annotated[tuple[Acceptance, ...], about("p_S and p_E.")]
    comparison: Annotated[SolverDifference, about("S against E; for these leads if they are few.")]
    whole_set: Annotated[
        WholeSet | None, about("Plain accuracy over all images; null without S's labels of them.")
    ]
    classes: Annotated[tuple[ClassRates, ...], about("The same class by class.")]
    label_words: Annotated[dict[str, str], about("What labels are called in English.")]
    general: Annotated[
        SolverDifference | None,
        about("S against E for leads in general, if these are few; else null."),
    ] = None

    @property
    def of_solver(self) -> dict[str, Acceptance]:
        """Acceptance by solver."""
        return {row.solver: row for row in self.acceptance}


@dataclass(frozen=True, slots=True)
class Rates:
    """Acceptance of S's and of E's labels.

    Attributes
    ----------
    p
        p_S and p_E as fractions by solver; None if none of its labels was judged.
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
        """acc_L as a fraction; None if p_E is 0 or either is unknown."""
        p_s, p_e = self.p["S"], self.p["E"]
        return None if p_s is None or not p_e else p_s / p_e

    @property
    def difference(self) -> Fraction | None:
        """p_S - p_E as a fraction; None if either is unknown."""
        p_s, p_e = self.p["S"], self.p["E"]
        return None if p_s is None or p_e is None else p_s - p_e


def mean_rate(pairs: Iterable[Pair]) -> Fraction | None:
    """Return the mean over pairs of the share of judgements that accept; None without one."""
    shares = [pair.rate for pair in pairs]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def plain_accuracy(tasks: Iterable[tuple[str, str]]) -> Fraction | None:
    """Return the share of (S's label, data set's label) that are alike; None without one."""
    right = [said == true for said, true in tasks]
    return Fraction(sum(right), len(right)) if right else None


def as_share(rate: Fraction | None) -> float | None:
    """Return a fraction as a number."""
    return None if rate is None else float(rate)


def class_rates(label: str, own: list[Pair]) -> ClassRates:
    """Return how the labels of a class's images are accepted, from the class's pairs."""
    system = [pair for pair in own if pair.of_system]
    right = [pair.of_expert for pair in system]
    return ClassRates(
        label=label,
        tasks=len({pair.task for pair in own}),
        p_S=as_share(mean_rate(system)),
        p_E=as_share(mean_rate(pair for pair in own if pair.of_expert)),
        plain_accuracy=sum(right) / len(right) if right else None,
    )


def measure(judged: Judgements, plan: Resampling) -> Rates:
    """Return acceptance rates with what their intervals over leads and images need."""
    own = {solver: list(judged.of(solver)) for solver in SOLVERS}
    return Rates(
        p={solver: mean_rate(pairs) for solver, pairs in own.items()},
        tasks={solver: len({pair.task for pair in pairs}) for solver, pairs in own.items()},
        judgements={solver: sum(pair.n for pair in pairs) for solver, pairs in own.items()},
        found=_means(judged, plan),
    )


def rate_of(rates: Rates, solver: str) -> Estimate:
    """Return p_S or p_E; with Wilson's limits over tasks, too, if all judgements were alike."""
    tasks = np.array([rates.tasks[name] for name in SOLVERS])
    return estimate_curve(rates.found, np.eye(2)[SOLVERS.index(solver)], tasks)


def accuracy_ratio(rates: Rates, plain: Fraction | None) -> Ratio:
    """Return acc_L beside plain accuracy."""
    ratio = rates.ratio
    found = _ratio_interval(rates, ratio) if ratio is not None else UNKNOWN
    return Ratio(
        estimate=as_share(ratio),
        exact=_text(ratio),
        ci_low=found.ci_low,
        ci_high=found.ci_high,
        plain_accuracy=as_share(plain),
        plain_exact=_text(plain),
        equal_to_plain=None if ratio is None or plain is None else ratio == plain,
        tasks=rates.tasks["S"],
    )


def _ratio_interval(rates: Rates, ratio: Fraction) -> Interval:
    """Return the interval of acc_L; from those of shares where nothing varies."""
    p_s, p_e = (float(rates.p[solver] or 0) for solver in SOLVERS)
    if p_s == 0 or p_s == p_e == 1:
        found = rate_of(rates, "S")
        return Interval(found.estimate / p_e, found.ci_low / p_e, found.ci_high / p_e)
    if constant(rates):
        found = _difference(rates)
        return Interval(
            1.0, max(0.0, 1 + found.ci_low / p_e), min(1 + found.ci_high / p_e, 1 / p_e)
        )
    if isinstance(rates.found, Bootstrap):
        drawn = rates.found.replicates
        positive = drawn[:, 1] > 0
        ratios = drawn[positive, 0] / drawn[positive, 1]
        return Interval(float(ratio), *percentile_interval(ratios, LEVEL))
    log = rates.found.around(float(np.log(float(ratio))), np.array([1 / p_s, -1 / p_e]))
    return Interval(float(ratio), float(np.exp(log.ci_low)), float(np.exp(log.ci_high)))


def acceptance(rates: Rates, cutoff_s: float) -> tuple[Acceptance, ...]:
    """Return p_S and p_E with intervals."""
    rows = []
    for solver in SOLVERS:
        p, found = rates.p[solver], rate_of(rates, solver)
        rows.append(
            Acceptance(
                solver=solver,
                explained=False,
                cutoff_s=cutoff_s,
                rate=as_share(p),
                exact=_text(p),
                ci_low=found.ci_low,
                ci_high=found.ci_high,
                n=rates.judgements[solver],
                tasks=rates.tasks[solver],
            )
        )
    return tuple(rows)


def comparison(rates: Rates, margin: float) -> SolverDifference:
    """Return whether S is worse than, like or better than E (Saralajew et al. 2022, section 2.1).

    If p_S - p_E can't vary, its limits are exact ones (`Alike`).
    """
    part = NOTHING if rates.difference is None else _difference(rates)
    return solver_difference(part, margin)


def constant(rates: Rates) -> bool:
    """Return whether p_S - p_E doesn't vary over leads and images.

    This is so if S's and E's labels are judged alike on every task (S and E gave the same labels,
    or all are accepted), or if all labels of one are accepted and none of the other's.
    """
    return rates.difference in (-1, 0, 1) and _difference(rates).se == 0


def _difference(rates: Rates) -> Estimate:
    return estimate_mean(rates.found, CONTRAST, (0.0, 1.0))


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
