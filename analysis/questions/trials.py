"""Studies whose data are their trials: what reads them, and what every report says of them.

Such a study declares its questions alone, see `trial_inquiry`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from analysis.data.selected import rows_of
from analysis.data.tables import Dataset
from analysis.preregister.declared import Registered, Variable
from analysis.questions.inquiry import Inquiry, Setting
from analysis.questions.question import Found, Question, Whole
from analysis.report.about import about
from analysis.report.checks import general_checks
from analysis.report.flow import intake, leaving, stage
from analysis.report.frame import Shared
from analysis.report.results import (
    Described,
    Drawing,
    Taken,
    counted,
    interval_words,
    robots_first,
    sample_facts,
    take_trials,
)
from analysis.report.sessions import Timing, count_incidents
from analysis.report.wording import are, count
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import LEVEL, Count, Interval, wilson
from participants.session import NO_CHOICE
from stimuli.errors import UserError
from stimuli.protocol import Protocol
from stimuli.versions import Schema

NOUN = "participant"
Questions = tuple[Question[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class ShareOf:
    """A share of answered trials in a part of the data."""

    name: Annotated[str, about("The part.")]
    share: Annotated[float, about("The share, 0 to 1.")]
    ci_low: Annotated[float, about("Lower end of Wilson's 95 % interval.")]
    ci_high: Annotated[float, about("Its upper end.")]
    n: Annotated[int, about("Number of answers.")]


@dataclass(frozen=True, slots=True)
class TrialData:
    """Trials of timed choices.

    Attributes
    ----------
    dataset
        The tables, and the rules.
    taken
        The trials of the chosen purpose.
    answered
        Those of them that were answered.
    plan
        How intervals are found.
    """

    dataset: Dataset
    taken: Taken
    answered: pd.DataFrame
    plan: Resampling

    def share(self, chosen: pd.Series) -> Interval:
        """Return a share of answered trials, with its interval over participants and items.

        Parameters
        ----------
        chosen
            Whether a trial counts as a success; of all answered trials, or some, by their index.
        """
        return self._shares(chosen, np.zeros(len(chosen), dtype=int), np.ones(1))

    def share_by(self, chosen: pd.Series, column: str) -> tuple[ShareOf, ...]:
        """Return shares by the values of a column, with Wilson's intervals.

        The intervals take answers as independent: each participant may have at most one in each
        part.
        """
        parts = chosen.groupby(self.answered.loc[chosen.index, column])
        found = ((str(name), Count(int(own.sum()), len(own))) for name, own in parts)
        return tuple(
            ShareOf(name, part.estimate, part.ci_low, part.ci_high, counted.n)
            for name, counted in found
            for part in (wilson(counted),)
        )

    def difference(self, chosen: pd.Series, first: pd.Series) -> Interval:
        """Return a difference of two shares of answered trials, with its interval.

        Parameters
        ----------
        chosen
            As in `share`.
        first
            Whether a trial belongs to the first share, by the same index; else to the second.
        """
        return self._shares(chosen, np.where(first, 0, 1), np.array([1.0, -1.0]))

    def _shares(self, chosen: pd.Series, cell: np.ndarray, contrast: np.ndarray) -> Interval:
        rows = self.answered.loc[chosen.index]
        units = Units.of(rows["participant"].tolist(), rows["item"].tolist())
        values, cells = chosen.to_numpy(dtype=float), len(contrast)
        inside = [cell == number for number in range(cells)]
        counts = [Count(int(values[own].sum()), int(own.sum())) for own in inside]
        found = measure_shares(values, cell, cells, units, self.plan)
        return estimate_shares(counts, contrast, found).at(LEVEL)


@dataclass(frozen=True, slots=True)
class Participants:
    """Who took part."""

    unanswered: Annotated[int, about("Trials without an answer within the time limit.")]


def read_trials(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> TrialData:
    """Return the trials to analyse; arguments and errors as those of `take_trials`."""
    taken = take_trials(dataset, purpose, left_out)
    answered = rows_of(taken.kept, taken.kept["decision"] != NO_CHOICE)
    if answered.empty:
        raise UserError(f"{dataset.source}: no answered trials are left")
    # Nothing is resampled: intervals come from the variance over participants and items.
    return TrialData(dataset, taken, answered, Resampling(0, dataset.protocol.assignment.seed))


def trial_setting(data: TrialData, limit_s: float) -> Setting:
    """Return what the report says about trials apart from the answers."""
    dataset, taken, answered = data.dataset, data.taken, data.answered
    left = (
        leaving("of another purpose", dataset.trials, taken.chosen),
        leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
        leaving("without an answer", taken.kept, answered),
    )
    return Setting(
        frame=Shared(
            data=Described.of(dataset, answered, taken),
            levels={"interval": LEVEL},
            sources={},
            flow=[*intake(dataset, *left), stage("answered trials", answered)],
            incidents=count_incidents(dataset.sessions),
            timing=Timing.of(taken.kept, dataset.sessions),
            bootstrap=Drawing.of(data.plan),
            intervals=interval_words(data.plan),
            notes=dataset.notes,
        ),
        checks=general_checks(dataset.trials, answered, dataset.sessions, limit_s),
        lacking=(),
    )


def _methods(found: Participants, whole: Whole) -> list[str]:
    data, silent = whole.frame.data, found.unanswered
    return [
        f"{counted(data, NOUN)} made {count(data.trials, 'timed choice')} on "
        f"{count(data.items, 'item')}; {count(silent, 'trial')} without an answer within "
        f"the time limit {are(silent)} left out.",
        f"Intervals: {whole.frame.intervals}.",
    ]


def _participants(data: TrialData, found: Found) -> Participants:
    return Participants(len(data.taken.kept) - len(data.answered))


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    compute=_participants,
    facts=lambda _, whole: sample_facts(
        whole.frame.data, NOUN, whole.frame.data.trials, "answers", "item"
    ),
    headline=lambda found, whole: robots_first(whole.frame.data, NOUN),
    methods=_methods,
    needs={"purpose": "selection of the main sessions"},
)
"""Who took part."""


def trial_inquiry(
    study: str, title: str, questions: Questions, limit_s: Callable[[Any], float]
) -> Inquiry[TrialData]:
    """Return what a study asks of its trials.

    Parameters
    ----------
    study, title
        Its name in the catalogue; the title of its report.
    questions
        Its questions, in the order of the page.
    limit_s
        Returns the longest time for an answer, from the protocol.
    """
    return Inquiry(
        study=study,
        title=title,
        schema=Schema(f"results_{study}"),
        read=read_trials,
        setting=lambda data: trial_setting(data, limit_s(data.dataset.protocol)),
        sample=PARTICIPANTS,
        people=lambda found, whole: "Trials without an answer are left out.",
        questions=questions,
        published=None,
        methods=((PARTICIPANTS, *questions),),
        lacking=(),
        promised=questions,
        registered=lambda protocol: _registered(title, protocol),
        resampling=lambda whole: f"Intervals: {whole.frame.intervals}. Nothing is resampled.",
    )


def _registered(title: str, protocol: Protocol) -> Registered:
    return Registered(
        question=title,
        people="participants",
        design=("Participants see items one after the other, and choose an answer by a key.",),
        blinding="Participants are told what the study is about in the debrief.",
        assignment="The registry deals lists evenly to participants within each rig; the seed "
        f"{protocol.assignment.seed} breaks ties.",
        items="all items of the pack, in the order of the participant's list",
        manipulated=(Variable("item", "what is shown, within participants", "the items"),),
        measured=(
            Variable("decision", "the answer that was chosen", "the answers of the item"),
            Variable("rt_s", "time from the onset to the answer", "seconds"),
        ),
        primary="The questions in the order of this page.",
        exclusions=("Trials without an answer within the time limit are left out.",),
        multiplicity="Intervals aren't corrected.",
        missing="Nothing is imputed.",
    )
