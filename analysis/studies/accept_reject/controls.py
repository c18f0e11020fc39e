"""Controls: acceptance within the decision time, d′, and whether explanations do harm.

Explanations do harm if leads tell right from wrong digits less well with them. This is tested by a
mixed probit of acceptance within the decision time, on matched right and wrong digits. On the
probit scale, the coefficient of ``signal`` is d′ (DeCarlo 1998, Psychol. Methods 3(2)), and that of
``signal:explained`` is d′ with explanations minus d′ without. Controls whose contour misleads on
purpose are left out, because they reverse the sign.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np

from analysis.mixed import MixedResult, fit_probit
from analysis.mixed.result import Outcome, fit_or_reason
from analysis.mixed.simplify import rule
from analysis.report.about import about
from analysis.report.estimates import limits_row, named_row
from analysis.report.model import ModelFit, model_fit
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.detection import CRITERION, D_PRIME, z_sum
from analysis.statistics.estimate import NOTHING, Estimate
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.model import factors, few_leads, has_orders
from analysis.studies.accept_reject.trials import MISLEADING, NOISE, SIGNAL, ScoredTrials
from stimuli.studies.accept_reject.tables import CONTROL_KINDS

Array = np.ndarray
_Cell = tuple[str, bool]

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


@dataclass(frozen=True, slots=True)
class ControlRow:
    """How often a kind of control was accepted in a run."""

    control_kind: Annotated[str, about("The kind.")]
    meaning: Annotated[str, about("The kind in words.")]
    explained: Annotated[bool, about("Whether explanations were shown.")]
    rate: Annotated[float | None, about("Share accepted within the decision time, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    rate_whenever: Annotated[float | None, about("Share accepted at any time, 0 to 1.")]
    n: Annotated[int, about("Trials.")]


@dataclass(frozen=True, slots=True)
class DetectionRow:
    """d′ and criterion of a run from pooled counts of matched right and wrong digits."""

    explained: Annotated[bool, about("Whether explanations were shown.")]
    hit_rate: Annotated[float | None, about("Share of right digits accepted, 0 to 1.")]
    n_signal: Annotated[int, about("Right digits.")]
    false_alarm_rate: Annotated[float | None, about("Share of wrong digits accepted, 0 to 1.")]
    n_noise: Annotated[int, about("Wrong digits.")]
    d_prime: Annotated[float | None, about("d′.")]
    d_prime_low: Annotated[float | None, about("Its lower 95 % limit.")]
    d_prime_high: Annotated[float | None, about("Its upper 95 % limit.")]
    criterion: Annotated[float | None, about("The criterion c; positive leans to rejecting.")]
    criterion_low: Annotated[float | None, about("Its lower 95 % limit.")]
    criterion_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A kind of control whose contour misleads, and the matched kind of the same run."""

    control_kind: Annotated[str, about("The kind.")]
    rate: Annotated[float | None, about("Share accepted, 0 to 1.")]
    n: Annotated[int, about("Trials.")]
    matched: Annotated[str, about("The matched kind.")]
    rate_matched: Annotated[float | None, about("Share of this kind that was accepted.")]
    difference: Annotated[float | None, about("The first share less the second.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class RightBeyondWrong:
    """The rise of matched right digits with explanations less that of wrong ones."""

    difference: Annotated[float | None, about("Difference of rises, −2 to 2.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class WrongDigits:
    """How much more often matched wrong digits are accepted with explanations."""

    difference: Annotated[float | None, about("The rise, −1 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    rate_without: Annotated[float | None, about("Share accepted without explanations.")]
    rate_with: Annotated[float | None, about("Share accepted with explanations.")]
    n: Annotated[int, about("Trials.")]
    margin: Annotated[float, about("The protocol's margin.")]
    right_beyond_wrong: Annotated[
        RightBeyondWrong, about("How much more acceptance of right digits rises.")
    ]
    rises: Annotated[bool, about("Whether the rise is beyond the margin and beyond chance.")]
    harm: Annotated[
        bool, about("Whether it is harm: acceptance of right digits doesn't rise by more.")
    ]


@dataclass(frozen=True, slots=True)
class SensitivityChange:
    """d′ with explanations less d′ without, of matched right against wrong digits."""

    difference: Annotated[float | None, about("The change of d′.")] = None
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")] = None
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")] = None
    d_prime_without: Annotated[float | None, about("d′ without explanations.")] = None
    d_prime_with: Annotated[float | None, about("d′ with explanations.")] = None
    n: Annotated[int, about("Trials.")] = 0
    harm: Annotated[bool, about("Whether the interval lies below zero.")] = False


class Controls:
    """Acceptances within the decision time of every kind of control, by explained."""

    def __init__(self, judged: ScoredTrials, plan: Resampling) -> None:
        frame = judged.frame[(judged.frame["solver"] == "control") & ~judged.aside]
        self.cells: list[_Cell] = [
            (kind, explained)
            for explained in (False, True)
            for kind in CONTROL_KINDS
            if ((frame["control_kind"] == kind) & (frame["explained"] == explained)).any()
        ]
        cell = np.full(len(frame), -1)
        for number, (kind, explained) in enumerate(self.cells):
            own = (frame["control_kind"] == kind) & (frame["explained"] == explained)
            cell[own.to_numpy()] = number
        accepted = frame["accepted"].to_numpy(dtype=float)
        self.counts = _counts(accepted, cell, len(self.cells))
        late = (frame["decision"] == "accept").to_numpy(dtype=float)
        self._whenever = _counts(late, cell, len(self.cells))
        units = Units.of(frame["participant"], frame["item"])
        self._found = measure_shares(accepted, cell, len(self.cells), units, plan)

    def kind_rows(self) -> tuple[ControlRow, ...]:
        """Return the share accepted of every kind, without and with explanations.

        ``rate`` counts acceptances within the decision time, ``rate_whenever`` all of them.
        """
        return tuple(
            ControlRow(
                control_kind=kind,
                meaning=CONTROL_KINDS[kind],
                explained=explained,
                **limits_row(self._share((kind, explained)), "rate"),
                rate_whenever=whenever.rate,
                n=count.n,
            )
            for (kind, explained), count, whenever in zip(
                self.cells, self.counts, self._whenever, strict=True
            )
        )

    def detection_rows(self) -> tuple[DetectionRow, ...]:
        """Return d' and criterion from pooled counts: matched right digits against wrong ones."""
        return tuple(
            self._detection(explained)
            for explained in (False, True)
            if self._has((SIGNAL, explained), (NOISE, explained))
        )

    def diagnostic_rows(self) -> tuple[Diagnostic, ...]:
        """Return each kind whose contour misleads beside its matched one of the same run."""
        rows = []
        for kind, base in MISLEADING.items():
            own, matched = (kind, True), (base, True)
            if not self._has(own):
                continue
            rows.append(
                Diagnostic(
                    control_kind=kind,
                    rate=self._count(own).rate,
                    n=self._count(own).n,
                    matched=base,
                    rate_matched=self._count(matched).rate if self._has(matched) else None,
                    **limits_row(self._difference(own, matched), "difference"),
                )
            )
        return tuple(rows)

    def wrong_digits(self, margin: float) -> WrongDigits:
        """Return how much more often matched wrong digits are accepted with explanations.

        ``rises`` is True if the rise is above the margin and its interval above zero. This is
        ``harm`` unless matched right digits rise by more: unless the interval of their rise less
        that of wrong ones lies above zero. Leads who see more in the same time accept more of both.
        d' alone doesn't show harm if right and wrong digits rise alike.
        """
        with_, without = (NOISE, True), (NOISE, False)
        rise = self._difference(with_, without)
        counts = [self._count(cell) for cell in (without, with_)]
        beyond = self._right_beyond_wrong()
        rises = bool(rise.known and rise.estimate > margin and rise.ci_low > 0)
        return WrongDigits(
            **limits_row(rise, "difference"),
            rate_without=counts[0].rate,
            rate_with=counts[1].rate,
            n=counts[0].n + counts[1].n,
            margin=margin,
            right_beyond_wrong=RightBeyondWrong(**limits_row(beyond, "difference")),
            rises=rises,
            harm=rises and not (beyond.known and beyond.ci_low > 0),
        )

    def _right_beyond_wrong(self) -> Estimate:
        """Return the rise of matched right digits with explanations less that of wrong ones."""
        right = {(SIGNAL, True): 1.0, (SIGNAL, False): -1.0}
        wrong = {(NOISE, True): -1.0, (NOISE, False): 1.0}
        if not self._has(*right, *wrong):
            return NOTHING
        return estimate_shares(self.counts, self._weights(right | wrong), self._found)

    def sensitivity_change(self) -> SensitivityChange:
        """Return d' with explanations minus d' without, from pooled counts.

        Matched right digits against wrong ones, with the log-linear correction. ``harm`` is True if
        the interval lies below zero.
        """
        cells = [[(SIGNAL, explained), (NOISE, explained)] for explained in (False, True)]
        if not all(self._has(*pair) for pair in cells):
            return SensitivityChange()
        without, with_ = (self._weights(dict(zip(pair, D_PRIME, strict=True))) for pair in cells)
        change = z_sum(self.counts, with_ - without, self._found)
        return SensitivityChange(
            **limits_row(change, "difference"),
            d_prime_without=z_sum(self.counts, without).estimate,
            d_prime_with=z_sum(self.counts, with_).estimate,
            n=sum(self._count(cell).n for pair in cells for cell in pair),
            harm=bool(change.ci_high < 0),
        )

    def _detection(self, explained: bool) -> DetectionRow:
        signal, noise = (SIGNAL, explained), (NOISE, explained)
        hits, false_alarms = self._count(signal), self._count(noise)
        d_prime, criterion = (
            z_sum(self.counts, self._weights({signal: of[0], noise: of[1]}), self._found)
            for of in (D_PRIME, CRITERION)
        )
        return DetectionRow(
            explained=explained,
            hit_rate=hits.rate,
            n_signal=hits.n,
            false_alarm_rate=false_alarms.rate,
            n_noise=false_alarms.n,
            **named_row(d_prime, "d_prime"),
            **named_row(criterion, "criterion"),
        )

    def _has(self, *cells: _Cell) -> bool:
        return all(cell in self.cells for cell in cells)

    def _count(self, cell: _Cell) -> Count:
        return self.counts[self.cells.index(cell)] if self._has(cell) else Count(0, 0)

    def _weights(self, of: Mapping[_Cell, float]) -> Array:
        """Return (cells,) weights, 0 for all others."""
        weights = np.zeros(len(self.cells))
        for cell, weight in of.items():
            weights[self.cells.index(cell)] = weight
        return weights

    def _share(self, cell: _Cell) -> Estimate:
        return estimate_shares(self.counts, self._weights({cell: 1.0}), self._found)

    def _difference(self, one: _Cell, other: _Cell) -> Estimate:
        """Return one rate minus another."""
        if not self._has(one, other):
            return NOTHING
        weights = self._weights({one: 1.0, other: -1.0})
        return estimate_shares(self.counts, weights, self._found)


def _counts(accepted: Array, cell: Array, cells: int) -> list[Count]:
    return [
        Count(int(accepted[cell == number].sum()), int((cell == number).sum()))
        for number in range(cells)
    ]


@dataclass(frozen=True, slots=True)
class Sensitivity(SensitivityChange):
    """The change of d′ with explanations, by the mixed probit or from pooled counts."""

    method: Annotated[str, about("Where it comes from: mixed probit or pooled counts.")] = POOLED
    reason: Annotated[
        str, about("Why it doesn't come from the mixed probit; empty if it does.")
    ] = ""


@dataclass(frozen=True, slots=True)
class Harm:
    """Whether explanations do harm, from controls."""

    sensitivity: Annotated[Sensitivity, about("The change of d′.")]
    pooled: Annotated[SensitivityChange, about("The same from pooled counts.")]
    wrong_digits: Annotated[WrongDigits, about("The rise in accepting wrong digits.")]
    model: Annotated[ModelFit, about("The mixed probit, or why it wasn't fitted.")]


def find_harm(judged: ScoredTrials, controls: Controls, margin: float) -> Harm:
    """Return whether explanations do harm, from controls.

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
    outcome = _fitted(judged)
    pooled = controls.sensitivity_change()
    unfit = _why_not(outcome)
    sensitivity = Sensitivity(**asdict(pooled), method=POOLED, reason=unfit)
    if not unfit and outcome.sound is not None:
        sensitivity = _of_model(outcome.sound)
    head = {"coding": HARM_CODING, "rule": rule("probit")}
    return Harm(
        sensitivity, pooled, controls.wrong_digits(margin), model_fit(ModelFit, outcome, head)
    )


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


def _of_model(result: MixedResult) -> Sensitivity:
    rows = {row.term: row for row in result.fixed}
    change, mean = rows[HARM_TERM], rows["signal"].estimate
    return Sensitivity(
        difference=change.estimate,
        ci_low=change.ci_low,
        ci_high=change.ci_high,
        d_prime_without=mean - change.estimate / 2,
        d_prime_with=mean + change.estimate / 2,
        n=result.n,
        harm=bool(change.ci_high < 0),
        method=MIXED,
    )
