"""The main results twice: with everybody, and without those whom the rules leave out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Final

from analysis.mixed.result import Outcome
from analysis.report.about import about
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.life_tables import LifeTables, MeanSteps, life_tables
from analysis.studies.progressive_reveal.models import PrimaryModel, fit_hazard, primary_model
from analysis.studies.progressive_reveal.rates import ALL_LAST_STEP, Averages, table3
from analysis.studies.progressive_reveal.restricted import (
    RestrictedMean,
    RestrictedMeans,
    restricted_shares,
)
from analysis.studies.progressive_reveal.trials import RoundTable

EVERYBODY: Final = "everybody"
KEPT: Final = "without those left out"


# Without slots: each is computed when it is first needed.
@dataclass(frozen=True)
class MainResults:
    """What is computed of all rounds, and again of some of them."""

    table: RoundTable
    plan: Resampling

    @cached_property
    def averages(self) -> Averages:
        """Table III."""
        return table3(self.table, self.plan)

    @cached_property
    def life_tables(self) -> LifeTables:
        """Recognition step by step."""
        return life_tables(self.table, self.plan)

    @cached_property
    def restricted(self) -> RestrictedMeans:
        """Restricted means of the uncovered share."""
        return restricted_shares(self.table, self.plan)

    @cached_property
    def fit(self) -> Outcome | None:
        """The fit of the discrete-time model."""
        return fit_hazard(self.table)

    @cached_property
    def model(self) -> PrimaryModel:
        """What it says."""
        return primary_model(self.table, self.fit)


@dataclass(frozen=True, slots=True)
class MethodTwice:
    """A method's main results in one of the two analyses."""

    analysis: Annotated[str, about("Who is in it.")]
    method: Annotated[str, about("The method.")]
    people: Annotated[int, about("Participants.")]
    rounds: Annotated[int, about("Completed rounds.")]
    recognition_rate: Annotated[float | None, about("Share of these recognised, 0 to 1.")]
    recognition_rate_low: Annotated[float | None, about("Its lower 95 % limit.")]
    recognition_rate_high: Annotated[float | None, about("Its upper 95 % limit.")]
    restricted: Annotated[float | None, about("Restricted mean share of the image, 0 to 1.")]
    restricted_low: Annotated[float | None, about("Its lower 95 % limit.")]
    restricted_high: Annotated[float | None, about("Its upper 95 % limit.")]
    steps: Annotated[float | None, about("Mean number of steps.")]
    steps_low: Annotated[float | None, about("Its lower 95 % limit.")]
    steps_high: Annotated[float | None, about("Its upper 95 % limit.")]
    model: Annotated[float | None, about("Recognition by the last step, by the model.")]


def second_analysis(first: MainResults, left_out: Sequence[str]) -> tuple[MethodTwice, ...]:
    """Return each method's main results in both analyses; none where nobody is left out.

    Parameters
    ----------
    first
        The results of everybody.
    left_out
        Who is left out.
    """
    table = first.table
    kept = table.of(~table.frame["participant"].isin(left_out))
    if not left_out or kept.frame.empty or set(kept.frame["method"]) != set(table.methods):
        return ()
    return (*_rows(EVERYBODY, first), *_rows(KEPT, MainResults(kept, first.plan)))


def _rows(label: str, found: MainResults) -> list[MethodTwice]:
    table = found.table
    third = found.averages.of(ALL_LAST_STEP)
    restricted = {row.method: row for row in found.restricted.methods}
    steps = {row.method: row for row in found.life_tables.mean_steps}
    by_model = {row.method: row.estimate for row in found.model.curves if row.step == table.steps}
    return [
        MethodTwice(
            analysis=label,
            method=method,
            people=table.participants,
            rounds=third[method].n,
            recognition_rate=third[method].recognition_rate,
            recognition_rate_low=third[method].recognition_rate_low,
            recognition_rate_high=third[method].recognition_rate_high,
            **_with_limits(restricted[method], "restricted"),
            **_with_limits(steps[method], "steps"),
            model=by_model.get(method),
        )
        for method in table.methods
    ]


def _with_limits(row: RestrictedMean | MeanSteps, name: str) -> dict[str, float | None]:
    return {name: row.estimate, f"{name}_low": row.ci_low, f"{name}_high": row.ci_high}
