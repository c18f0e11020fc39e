"""Usefulness of S's and of E's explanations, two tests of one family: by means and by model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.report.about import about
from analysis.report.estimates import MEANS, MODEL, Unvarying, used
from analysis.report.wording import unknown
from analysis.statistics.comparison import holm
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.accept_reject.model import MarginalGain
from analysis.studies.accept_reject.rates import USEFULNESS, Gain, Rates
from analysis.studies.accept_reject.trials import ScoredTrials

FAMILY: Final = ("S", "E")
ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True)
class PrimaryRow:
    """Usefulness of a solver's explanations by one of the two analyses."""

    solver: Annotated[str, about("Whose solutions: S or E.")]
    by: Annotated[str, about("The analysis: model or means.")]
    estimate: Annotated[float | None, about("Difference of shares, −1 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p, two-sided.")]
    p_holm: Annotated[float | None, about("p after Holm, over S and E.")]
    primary: Annotated[bool, about("Whether this is the primary analysis.")]

    @property
    def direction(self) -> int:
        """1 or −1 where acceptance was found to rise or to fall, else 0.

        By p after Holm; where there is none, as if nothing varied, by the 95 % interval.
        """
        if self.estimate is None or self.ci_low is None or self.ci_high is None:
            return 0
        found = (
            self.ci_low > 0 or self.ci_high < 0 if unknown(self.p_holm) else is_found(self.p_holm)
        )
        return (1 if self.estimate > 0 else -1) if found else 0


def is_found(p: float | None) -> bool:
    """Whether a test found a difference."""
    return p is not None and p < ALPHA


@dataclass(frozen=True, slots=True)
class Primary:
    """Usefulness by the means, and by the mixed model beside them."""

    asked: Annotated[str, about("The analysis that the protocol names: model or means.")]
    used: Annotated[str, about("The analysis that was used: the means if no model is sound.")]
    rows: Annotated[tuple[PrimaryRow, ...], about("Usefulness, by the means first.")]
    unvarying: Annotated[
        Unvarying | None,
        about("Leads and plates that hardly vary; null in results of version 1."),
    ] = None

    def row(self, by: str, solver: str) -> PrimaryRow | None:
        """Return usefulness for a solver by one of the analyses; None where there is none."""
        return next((row for row in self.rows if (row.by, row.solver) == (by, solver)), None)

    def deciding(self, solver: str) -> PrimaryRow | None:
        """Return usefulness for a solver by the analysis that decides."""
        return self.row(self.used, solver)


def primary_analysis(
    asked: str,
    gains: Sequence[Gain],
    by_model: Sequence[MarginalGain],
    rates: Rates,
    unvarying: Unvarying,
) -> Primary:
    """Return usefulness by both analyses, and which of them is primary.

    Parameters
    ----------
    asked
        What the protocol names: ``model`` or ``means``.
    gains
        Usefulness by the means.
    by_model
        Usefulness by the mixed model; none without a sound fit.
    rates
        Gives the p values of the means.
    unvarying
        Leads and plates that hardly vary.
    """
    taken = used(asked, bool(by_model))
    raw = {row.solver: row for row in gains if not row.net}
    rows = _rows(MEANS, taken, raw, [p_of_means(rates, name) for name in FAMILY])
    if by_model:
        modelled = {row.solver: row for row in by_model}
        p = [modelled[name].p for name in FAMILY]
        rows += _rows(MODEL, taken, modelled, [float("nan") if one is None else one for one in p])
    return Primary(asked, taken, tuple(rows), unvarying)


def unvarying_leads(judged: ScoredTrials) -> Unvarying:
    """Count leads and plates that hardly vary, over S's and E's solutions in both runs."""
    frame = judged.frame[judged.frame["solver"].isin(("S", "E")) & ~judged.aside]
    columns = (frame[name].to_numpy() for name in ("accepted", "participant", "item"))
    return Unvarying.count(*columns)


def p_of_means(rates: Rates, solver: str) -> float:
    """Return p of raw usefulness for S, E or S-E by the means; NaN where it isn't known."""
    (weights,) = (own for name, net, own in USEFULNESS if name == solver and not net)
    found = rates.found
    return found.p(weights) if isinstance(found, TwoWayMeans) else float("nan")


def _rows(
    by: str, taken: str, found: Mapping[str, Gain | MarginalGain], p: Sequence[float]
) -> list[PrimaryRow]:
    return [
        PrimaryRow(
            solver=name,
            by=by,
            estimate=found[name].estimate,
            ci_low=found[name].ci_low,
            ci_high=found[name].ci_high,
            p=own,
            p_holm=adjusted,
            primary=by == taken,
        )
        for name, own, adjusted in zip(FAMILY, p, holm(p), strict=True)
    ]


def tested_difference(
    primary: Primary, gains: Sequence[Gain], by_model: Sequence[MarginalGain], rates: Rates
) -> tuple[float | None, bool]:
    """Return S's usefulness less E's by the primary analysis, and whether a test found it."""
    if primary.used == MODEL:
        row = next(row for row in by_model if row.solver == "S-E")
        return row.estimate, is_found(row.p)
    raw = next(row for row in gains if row.solver == "S-E" and not row.net)
    return raw.estimate, is_found(p_of_means(rates, "S-E"))
