"""Controls: acceptance within the decision time, d′, and whether explanations do harm.

Explanations do harm if leads tell right from wrong digits less well with them. This is tested by a
mixed probit of acceptance within the decision time, on matched right and wrong digits. On the
probit scale, the coefficient of ``signal`` is d′ (DeCarlo 1998, Psychol. Methods 3(2)), and that of
``signal:explained`` is d′ with explanations minus d′ without. Controls whose contour misleads on
purpose are left out, because they reverse the sign.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, cast

import numpy as np

from analysis.distributions import normal_quantile
from analysis.mixed import MixedResult, fit_probit
from analysis.mixed.result import Outcome, fit_or_reason
from analysis.mixed.simplify import rule
from analysis.questions.cells import Cells, Key, Weights
from analysis.questions.estimates import (
    AGAINST,
    Contrast,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
)
from analysis.report.about import about
from analysis.report.model import ModelFit, model_fit
from analysis.report.wording import number, points
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.detection import CRITERION, D_PRIME, z_sum
from analysis.statistics.proportions import Interval
from analysis.studies.accept_reject.model import factors, few_leads, has_orders
from analysis.studies.accept_reject.rates import less
from analysis.studies.accept_reject.trials import MISLEADING, NOISE, SIGNAL, ScoredTrials
from analysis.studies.accept_reject.words import RUN_WORDS, TENTHS
from stimuli.studies.accept_reject.tables import CONTROL_KINDS

_RANDOM = "(1 + signal*explained || participant) + (1 + signal*explained || item)"
HARM_FORMULA = f"accepted ~ signal * explained + run + order + {_RANDOM}"
HARM_FORMULA_WITHOUT_ORDER = f"accepted ~ signal * explained + {_RANDOM}"
HARM_CODING = (
    "Accepted within the decision time. Two-level factors are coded ±½: signal (right digit +½, "
    "wrong digit −½), explained (with +½), run (the lead's second run +½), order (run with "
    "explanations first +½). signal:explained is d′ with explanations minus d′ without."
)
HARM_TERM = "signal:explained"
MOST_SE = 5.0
"""Standard error of a change of d′ from which the estimate counts as infinite."""
MIXED, POOLED = "mixed probit", "pooled counts"


CONTROL = Quantity(
    "control_accepted", "Accepted",
    "Share of a kind of controls that is accepted within the decision time.", TENTHS,
)  # fmt: skip
WHENEVER = Quantity("control_accepted_whenever", "At any time", "The same at any time.", TENTHS)
SENSITIVITY = Quantity(
    "d_prime", "d′", "Sensitivity d′ to matched right against wrong digits.", number
)
BIAS = Quantity("criterion", "c", "The criterion of the same; positive leans to rejecting.", number)
CHANGE = Quantity("d_prime_change", "Change of d′", "d′ with explanations less d′ without.", number)
MISLED = Quantity(
    "misled", "Difference",
    "Acceptance of a kind of control whose contour misleads less that of the matched kind.",
    points, "points",
)  # fmt: skip
RISE = Quantity(
    "wrong_digits_rise", "Rise",
    "Acceptance of matched wrong digits with explanations less that without.", points, "points",
)  # fmt: skip
RIGHT_BEYOND_WRONG = Quantity(
    "right_beyond_wrong", "Right beyond wrong",
    "The rise of matched right digits with explanations less that of wrong ones.",
    points, "points",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Harm(Estimates):
    """What was accepted of controls, and whether explanations do harm."""

    method: Annotated[str, about("Where d′ comes from: mixed probit or pooled counts.")]
    reason: Annotated[str, about("Why it doesn't come from the mixed probit; empty if it does.")]
    less_sensitive: Annotated[bool, about("Whether the change of d′ is harm: it lies below zero.")]
    rises: Annotated[
        bool, about("Whether wrong digits' rise is beyond the margin and beyond chance.")
    ]
    more_wrong: Annotated[
        bool,
        about("Whether that is or may be harm: right digits aren't shown to rise by more."),
    ]
    model: Annotated[ModelFit, about("The mixed probit, or why it wasn't fitted.")]

    @property
    def undecided(self) -> bool:
        """Whether it only may be harm: chance could explain that right digits rise by more.

        They rise by more than the margin over wrong ones, but the interval holds zero.
        """
        beyond, margin = self.row(RIGHT_BEYOND_WRONG).estimate, self.row(RISE).margin
        more = beyond is not None and margin is not None and beyond > margin
        return self.more_wrong and not self.less_sensitive and more

    @property
    def change(self) -> EstimateRow:
        """The change of d′, by the method that was taken."""
        return self.row(CHANGE, by=self.method)

    def sensitivity(self, explanation: str) -> EstimateRow:
        """Return d′ in a run, by the method that was taken."""
        return self.row(SENSITIVITY, by=self.method, explanation=explanation)

    def accepted(self, kind: str, explanation: str) -> EstimateRow:
        """Return acceptance of a kind of control in a run."""
        return self.row(CONTROL, control_kind=kind, explanation=explanation)


def of_kind(kind: str, explanation: str) -> dict[str, str]:
    """Return the factors of a kind of control in a run."""
    return {"explanation": explanation, "control_kind": kind}


class Controls:
    """Acceptances of every kind of control within the decision time, by explanation."""

    def __init__(self, judged: ScoredTrials, plan: Resampling) -> None:
        frame = judged.frame[(judged.frame["solver"] == "control") & ~judged.aside]
        runs = frame["explained"].map(RUN_WORDS)
        late = (frame["decision"] == "accept").astype(float)
        frame = frame.assign(explanation=runs, whenever=late)
        by = {"explanation": tuple(RUN_WORDS.values()), "control_kind": tuple(CONTROL_KINDS)}
        self.cells = Cells.of(frame, "accepted", by, plan)
        self._whenever = frame.groupby(list(by))["whenever"].mean()

    def rows(self) -> Iterator[EstimateRow]:
        """Yield acceptance of every kind, d′ and criterion, and what misleading contours change."""
        yield from self.cells.rows(CONTROL)
        for key, share in self._whenever.items():
            run, kind = cast(Key, key)
            yield estimate_row(WHENEVER, of_kind(kind, run), float(share))
        for run in RUN_WORDS.values():
            if self._has((run, SIGNAL), (run, NOISE)):
                of = {"explanation": run, "by": POOLED}
                yield estimate_row(SENSITIVITY, of, self._z(_detection(run, D_PRIME)))
                yield estimate_row(BIAS, of, self._z(_detection(run, CRITERION)))
        for kind, base in MISLEADING.items():
            if self._has(("with", kind)):
                part = self.cells.estimate(_less(("with", kind), ("with", base)))
                yield estimate_row(MISLED, of_kind(kind, "with") | {AGAINST: base}, part)

    def rise(self, margin: float) -> EstimateRow:
        """Return how much more often matched wrong digits are accepted with explanations."""
        weights = _less(("with", NOISE), ("without", NOISE))
        of = of_kind(NOISE, "with")
        part = self.cells.estimate(weights)
        return Contrast(RISE, of, part, self.cells.n(weights)).row(margin)

    def right_beyond_wrong(self) -> EstimateRow:
        """Return the rise of matched right digits with explanations less that of wrong ones."""
        right, wrong = (_less(("with", kind), ("without", kind)) for kind in (SIGNAL, NOISE))
        part = self.cells.estimate(less(right, wrong))
        return Contrast(RIGHT_BEYOND_WRONG, {"explanation": "with"}, part).row()

    def change(self) -> EstimateRow:
        """Return d' with explanations minus d' without, from pooled counts.

        Matched right digits against wrong ones, with the log-linear correction.
        """
        with_, without = (_detection(run, D_PRIME) for run in ("with", "without"))
        n = self.cells.n({**with_, **without})
        return estimate_row(CHANGE, {"by": POOLED}, self._z(less(with_, without)), n)

    def _z(self, weights: Weights) -> Interval:
        counts = self.cells.counts
        contrast = np.array([weights.get(key, 0.0) for key in counts])
        return z_sum(list(counts.values()), contrast, self.cells.measured)

    def _has(self, *cells: Key) -> bool:
        return all(self.cells.counts[cell].n for cell in cells)


def _less(first: Key, second: Key) -> Weights:
    return {first: 1.0, second: -1.0}


def _detection(run: str, of: np.ndarray) -> Weights:
    """Return the weights of d′ or the criterion in a run."""
    return dict(zip([(run, SIGNAL), (run, NOISE)], of, strict=True))


def find_harm(judged: ScoredTrials, controls: Controls, margin: float) -> Harm:
    """Return whether explanations do harm, from controls.

    By d′ they do if the interval of its change lies below zero. By wrong digits they do if their
    acceptance rises by more than the margin, and its interval lies above zero; unless that of
    matched right digits rises by more: unless the interval of their rise less that of wrong ones
    lies above zero. Leads who see more in the same time accept more of both. A small study can't
    always show of which they accept more: where the estimate of that difference is beyond the
    margin, but its interval holds zero, explanations only may do harm. d' alone doesn't show harm
    if right and wrong digits rise alike.

    Parameters
    ----------
    judged
        All trials.
    controls
        Their rates, from which d′ is taken if no model can be fitted.
    margin
        A rise of wrong digits up to this margin isn't called harm: a lead who sees more in the same
        time decides more often, and so errs a little more often, too.
    """
    outcome, pooled = _fitted(judged), controls.change()
    unfit = _why_not(outcome)
    by_model = () if unfit or outcome.sound is None else tuple(_of_model(outcome.sound))
    change = by_model[0] if by_model else pooled
    rise, beyond = controls.rise(margin), controls.right_beyond_wrong()
    rises = bool(rise.interval.estimate > margin and rise.interval.ci_low > 0)
    return Harm(
        (pooled, *by_model, rise, beyond),
        method=MIXED if by_model else POOLED,
        reason=unfit,
        less_sensitive=bool(change.interval.ci_high < 0),
        rises=rises,
        more_wrong=rises and not beyond.interval.ci_low > 0,
        model=model_fit(ModelFit, outcome, {"coding": HARM_CODING, "rule": rule("probit")}),
    )


def margin_of_d_prime(margin: float) -> float:
    """Return the fall of d′ that costs an unbiased lead at most a share of right decisions.

    Such a lead decides rightly in Φ(d′ / 2) of the trials (Macmillan & Creelman 2005, Detection
    Theory, ch. 2), which falls fastest from d′ = 0 on.
    """
    return 2 * float(normal_quantile(0.5 + min(margin, 0.49)))


def _fitted(judged: ScoredTrials) -> Outcome:
    frame = judged.frame[~judged.aside & (judged.frame["solver"] == "control").to_numpy()]
    frame = frame[frame["control_kind"].isin([SIGNAL, NOISE])]
    signal = np.where(frame["control_kind"] == SIGNAL, 0.5, -0.5)
    rows = factors(frame).assign(signal=signal).reset_index(drop=True)
    formula = HARM_FORMULA if has_orders(rows) else HARM_FORMULA_WITHOUT_ORDER
    reason = few_leads(rows["participant"].nunique())
    return fit_or_reason(fit_probit, formula, rows, reason)


def _why_not(outcome: Outcome) -> str:
    """Return why d′ isn't taken from the model; empty if it is."""
    if outcome.result is None:
        return outcome.reason
    if outcome.sound is None:
        return "its fit isn't sound"
    errors = {row.term: row.se for row in outcome.result.fixed}
    if not {"signal", HARM_TERM} <= set(errors):
        return "a kind of control is missing in one of the runs"
    if errors[HARM_TERM] > MOST_SE:
        return "it has no finite estimate, since nearly all controls of a kind were judged alike"
    return ""


def _of_model(result: MixedResult) -> Iterator[EstimateRow]:
    """Yield the change of d′ with explanations, and d′ in both runs, for an average lead."""
    rows = {row.term: row for row in result.fixed}
    change, mean = rows[HARM_TERM], rows["signal"].estimate
    limits = Interval(change.estimate, change.ci_low, change.ci_high)
    yield estimate_row(CHANGE, {"by": MIXED}, limits, result.n)
    for run, sign in (("without", -1), ("with", 1)):
        of = {"explanation": run, "by": MIXED}
        yield estimate_row(SENSITIVITY, of, mean + sign * change.estimate / 2)
