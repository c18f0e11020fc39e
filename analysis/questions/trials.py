"""Studies whose data are their trials: what reads them, and what every report says of them.

Such a study declares its questions alone, see `trial_inquiry`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd

from analysis.data.selected import rows_of
from analysis.data.tables import Dataset
from analysis.questions.cells import Cells
from analysis.questions.estimates import EstimateRow, Quantity, share_row
from analysis.questions.inquiry import Inquiry
from analysis.questions.question import Question, Whole
from analysis.questions.registered import Registered, Variable
from analysis.questions.setting import Setting
from analysis.report.about import about
from analysis.report.flow import FlowPart, intake, leaving, stage
from analysis.report.results import (
    TrialSelection,
    counted,
    interval_words,
    robots_first,
    sample_facts,
    take_trials,
)
from analysis.report.wording import count, listed, were
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import Count
from participants.session import NO_CHOICE
from stimuli.errors import UserError
from stimuli.protocol import Protocol
from stimuli.versions import Schema

NOUN = "participant"
FIRST, MIDDLE, LAST = "first", "middle", "last"
THIRDS: Final = (FIRST, MIDDLE, LAST)
Questions = tuple[Question[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class TrialData:
    """Trials of timed choices.

    Attributes
    ----------
    dataset
        The tables, and the rules.
    selection
        The trials of the chosen purpose.
    answered
        Those of them that were answered.
    plan
        How intervals are found.
    left
        What is left out between the trials of the purpose and those that are analysed.
    """

    dataset: Dataset
    selection: TrialSelection
    answered: pd.DataFrame
    plan: Resampling
    left: tuple[FlowPart, ...]

    def share(self, quantity: Quantity, chosen: pd.Series) -> EstimateRow:
        """Return a share of answered trials, with its interval over participants and items.

        Parameters
        ----------
        quantity
            What the share is.
        chosen
            Whether a trial counts as a success; of all answered trials, or some, by their index.
        """
        (row,) = self._cells(chosen, {}).rows(quantity)
        return row

    def share_by(
        self, quantity: Quantity, chosen: pd.Series, column: str
    ) -> tuple[EstimateRow, ...]:
        """Return shares by the values of a column, with Wilson's intervals.

        The intervals take answers as independent: each participant may have at most one in each
        part.
        """
        parts = chosen.groupby(self.answered.loc[chosen.index, column])
        counts = {str(name): Count(int(part.sum()), len(part)) for name, part in parts}
        return tuple(share_row(quantity, {column: name}, count) for name, count in counts.items())

    def difference(
        self, quantity: Quantity, chosen: pd.Series, column: str, first: str, second: str
    ) -> EstimateRow:
        """Return the share at one value of a column less that at another, tested against zero."""
        cells = self._cells(chosen, {column: (first, second)})
        (contrast,) = cells.contrasts(quantity, column, [(first, second)])
        return contrast.row()

    def _cells(self, chosen: pd.Series, by: Mapping[str, Sequence[str]]) -> Cells:
        rows = self.answered.loc[chosen.index].assign(chosen=chosen.to_numpy())
        return Cells.of(rows, "chosen", by, self.plan)


@dataclass(frozen=True, slots=True)
class Participants:
    """Who took part."""

    unanswered: Annotated[int, about("Trials without an answer within the time limit.")]


def in_thirds(frame: pd.DataFrame) -> pd.DataFrame:
    """Return trials with the third of their participant's trials, by position, as ``third``."""
    by_person = frame.groupby("participant")["position"]
    place = (by_person.rank(method="first") - 1) * len(THIRDS) // by_person.transform("size")
    return frame.assign(third=np.array(THIRDS)[place.to_numpy(dtype=int)])


def read_trials(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> TrialData:
    """Return the trials to analyse; arguments and errors as those of `take_trials`."""
    selection = take_trials(dataset, purpose, left_out)
    chosen = selection.kept["decision"] != NO_CHOICE
    if "rt_s" in selection.kept:  # another program's table may have no times
        # Somebody may type the word that stands for no answer.
        chosen |= selection.kept["rt_s"].notna()
    answered = rows_of(selection.kept, chosen)
    if answered.empty:
        raise UserError(f"{dataset.source}: no answered trials are left")
    # Nothing is resampled: intervals come from the variance over participants and items.
    plan = Resampling(0, dataset.protocol.assignment.seed)
    left = (leaving("without an answer within the time limit", selection.kept, answered),)
    return TrialData(dataset, selection, answered, plan, left)


def trial_setting(data: TrialData, limit_s: float) -> Setting:
    """Return what the report says about trials apart from the answers."""
    return Setting(
        data=data,
        analysed=data.answered,
        intervals=interval_words(data.plan),
        flow=[
            *intake(data.dataset, data.selection, *data.left),
            stage("answered trials", data.answered),
        ],
        limit_s=limit_s,
        timed=data.selection.kept,
    )


def _methods(_: Participants, whole: Whole) -> list[str]:
    data = whole.frame.data
    lost = [part for step in whole.frame.flow for part in step.left_out if part.trials]
    left = [f"{count(part.trials, 'trial')} {part.reason}" for part in lost]
    number = sum(part.trials or 0 for part in lost)
    return [
        f"{counted(data, NOUN)} made {count(data.trials, 'timed choice')} on "
        f"{count(data.items, 'item')}.",
        *([f"{listed(left)} {were(number)} left out."] if left else []),
        f"Intervals are {whole.frame.intervals}.",
    ]


def _participants(data: TrialData) -> Participants:
    return Participants(data.left[0].trials or 0)


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    compute=_participants,
    facts=lambda _, whole: sample_facts(
        whole.frame.data, NOUN, whole.frame.data.trials, "answers", "item"
    ),
    headline=lambda _, whole: robots_first(whole.frame.data, NOUN),
    methods=_methods,
    needs={"purpose": "selection of the main sessions"},
)
"""Who took part."""


def trial_inquiry(
    study: str,
    title: str,
    questions: Questions,
    limit_s: Callable[[Any], float],
    read: Callable[[Dataset, str | None, Sequence[str]], Any] = read_trials,
) -> Inquiry[Any]:
    """Return what a study asks of its trials.

    Parameters
    ----------
    study, title
        Its name in the catalogue; the title of its report.
    questions
        Its questions, in the order of the page.
    limit_s
        Returns the longest time for an answer, from the protocol.
    read
        Returns the trials, a `TrialData` or more.
    """
    return Inquiry(
        study=study,
        title=title,
        schema=Schema(f"results_{study}"),
        read=read,
        setting=lambda data: trial_setting(data, limit_s(data.dataset.protocol)),
        sample=PARTICIPANTS,
        people=lambda *_: "Trials without an answer are left out.",
        questions=questions,
        published=None,
        methods=((PARTICIPANTS,),),
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
