"""What a study says about its data apart from the answers to its questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import pandas as pd

from analysis.data.tables import Dataset
from analysis.report.checks import Check, general_checks
from analysis.report.flow import FlowStep
from analysis.report.frame import AboutData
from analysis.report.missing import Lacking
from analysis.report.results import Described, Drawing, TrialSelection
from analysis.report.sessions import Timing, count_incidents
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import LEVEL


class StudyData(Protocol):
    """A study's data, as it read them."""

    @property
    def dataset(self) -> Dataset:
        """The tables, and the rules."""
        ...

    @property
    def selection(self) -> TrialSelection:
        """The trials of the chosen purpose."""
        ...

    @property
    def plan(self) -> Resampling:
        """How intervals are found."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a study says about its data apart from the answers.

    Attributes
    ----------
    data
        The data.
    analysed
        The analysed trials.
    intervals
        How intervals of means and shares were found.
    flow
        From the recorded sessions to the analysis.
    limit_s
        The longest decision time that the protocol allows.
    timed, checked
        The trials whose timing is described, and those that are checked, if they aren't the
        analysed ones.
    notes
        What limits the results, beside the notes on the dataset.
    design_checks
        Checks that the data follow the design.
    lacking
        Results that can't be given, for reasons that don't concern a single question.
    levels, sources
        Levels of other intervals than those at 95 %; sources of the methods, as cited.
    items
        Number of items, if it isn't that of the analysed trials.
    possible
        Whether participants can be drawn again.
    """

    data: StudyData
    analysed: pd.DataFrame
    intervals: str
    flow: Sequence[FlowStep]
    limit_s: float
    timed: pd.DataFrame | None = None
    checked: pd.DataFrame | None = None
    notes: Sequence[str] = ()
    design_checks: Sequence[Check] = ()
    lacking: Sequence[Lacking] = ()
    levels: Mapping[str, float] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    items: int | None = None
    possible: bool = True

    @property
    def frame(self) -> AboutData:
        """What every study says about its data."""
        dataset = self.data.dataset
        described = Described.of(dataset, self.analysed, self.data.selection)
        return AboutData(
            data=described if self.items is None else replace(described, items=self.items),
            levels={"interval": LEVEL, **self.levels},
            sources=self.sources,
            flow=self.flow,
            incidents=count_incidents(dataset.sessions),
            timing=Timing.of(self.analysed if self.timed is None else self.timed, dataset.sessions),
            bootstrap=Drawing.of(self.data.plan, possible=self.possible),
            intervals=self.intervals,
            notes=[*dataset.notes, *self.notes],
        )

    @property
    def checks(self) -> Sequence[Check]:
        """Checks of the data."""
        dataset = self.data.dataset
        checked = self.analysed if self.checked is None else self.checked
        general = general_checks(dataset.trials, checked, dataset.sessions, self.limit_s)
        return [*general, *self.design_checks]
