"""The primary analysis: usefulness of S's and of E's explanations, two tests of one family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.report.about import about
from analysis.report.primary import MEANS, MODEL, used
from analysis.statistics.comparison import holm
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.accept_reject.model import MarginalGain
from analysis.studies.accept_reject.rates import USEFULNESS, Gain, Rates

FAMILY: Final = ("S", "E")


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


@dataclass(frozen=True, slots=True)
class Primary:
    """The primary analysis, and the other one beside it."""

    asked: Annotated[str, about("The analysis that the protocol names: model or means.")]
    used: Annotated[str, about("The analysis that was used: the means if no model is sound.")]
    rows: Annotated[tuple[PrimaryRow, ...], about("Usefulness, the primary analysis first.")]


def primary_analysis(
    asked: str, gains: Sequence[Gain], by_model: Sequence[MarginalGain], rates: Rates
) -> Primary:
    """Return the primary analysis and the other one beside it.

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
    """
    taken = used(asked, bool(by_model))
    raw = {row.solver: row for row in gains if not row.net}
    rows = [*_rows(MEANS, taken, raw, _p_of_means(rates))]
    if by_model:
        modelled = {row.solver: row for row in by_model}
        p = [modelled[name].p for name in FAMILY]
        rows += _rows(MODEL, taken, modelled, [float("nan") if one is None else one for one in p])
    return Primary(asked, taken, tuple(sorted(rows, key=lambda row: row.by != taken)))


def _p_of_means(rates: Rates) -> list[float]:
    weights = {name: own for name, net, own in USEFULNESS if not net}
    found = rates.found
    return [
        found.p(weights[name]) if isinstance(found, TwoWayMeans) else float("nan")
        for name in FAMILY
    ]


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
