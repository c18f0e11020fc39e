"""The trials of a study from a table that its questions read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.data.selected import rows_of
from analysis.data.tables import Dataset
from analysis.questions.trials import TrialData, read_trials
from analysis.report.flow import leaving
from stimuli.table_study.protocol import TableStudy


@dataclass(frozen=True, slots=True)
class ItemData(TrialData):
    """Answered trials of those who answered enough catch items rightly.

    Attributes
    ----------
    everybody
        Answered trials of all.
    """

    everybody: pd.DataFrame

    @property
    def protocol(self) -> TableStudy:
        """The rules."""
        protocol = self.dataset.protocol
        assert isinstance(protocol, TableStudy)
        return protocol

    @property
    def factors(self) -> Mapping[str, Sequence[str]]:
        """The levels of each factor."""
        return {name: factor.levels for name, factor in self.protocol.factors.items()}


def read_items(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> ItemData:
    """Return the trials to analyse; arguments and errors as those of `read_trials`."""
    data = read_trials(dataset, purpose, left_out)
    everybody = kept = data.answered
    if "qualified" in everybody:
        kept = rows_of(everybody, everybody["qualified"].fillna(True).astype(bool))
    left = (*data.left, leaving("of people with too few catch items right", everybody, kept))
    return ItemData(dataset, data.selection, kept, data.plan, left, everybody)
