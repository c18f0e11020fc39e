"""What the questions of progressive_reveal are asked of: its tables, read once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import pandas as pd

from analysis.data.tables import Dataset
from analysis.questions.inquiry import Setting
from analysis.questions.question import Lacking
from analysis.report.checks import general_checks
from analysis.report.flow import FlowStep, intake, leaving, leaving_by_rule, stage
from analysis.report.frame import Shared
from analysis.report.missing import FEW_PARTICIPANTS, no_protocol
from analysis.report.results import (
    Described,
    Drawing,
    Taken,
    interval_words,
    take_trials,
)
from analysis.report.sessions import Timing, count_incidents
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.checks import design_checks
from analysis.studies.progressive_reveal.exclusions import (
    Person,
    excluded,
    person_rows,
    split_catch,
)
from analysis.studies.progressive_reveal.images import ImageAverage, image_averages
from analysis.studies.progressive_reveal.models import sample_notes
from analysis.studies.progressive_reveal.second import MainResults
from analysis.studies.progressive_reveal.trials import RoundTable, read_rounds
from analysis.studies.progressive_reveal.words import SOURCES
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

LEVELS: Final = {"interval": LEVEL}


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class RevealData:
    """A dataset, who is analysed, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules. Of the tables beside the rounds ``curves`` (what each image
        uncovers step by step) and ``people`` (each person's session) are used where they are
        there.
    taken
        The rounds of the chosen purpose.
    left_out
        Participants who were left out by hand.
    main, catch
        Main rounds and catch rounds of the trial table.
    people
        What the exclusion rules find of everybody.
    table
        The rounds that are analysed.
    plan
        How intervals are found, and how often is drawn.
    """

    dataset: Dataset
    protocol: ProgressiveReveal
    taken: Taken
    left_out: tuple[str, ...]
    main: pd.DataFrame
    catch: pd.DataFrame
    people: tuple[Person, ...]
    table: RoundTable
    plan: Resampling

    @property
    def curves(self) -> pd.DataFrame | None:
        """The table of what each image uncovers step by step."""
        return self.dataset.beside.get("curves")

    @property
    def excluded(self) -> tuple[str, ...]:
        """Codes of those whom the rules leave out of the second analysis."""
        return excluded(self.people)

    @cached_property
    def results(self) -> MainResults:
        """Averages, life tables, restricted means and the primary model, of everybody."""
        return MainResults(self.table, self.plan)

    @cached_property
    def images(self) -> tuple[ImageAverage, ...]:
        """Every image by every method."""
        return image_averages(self.table)


def read_data(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> RevealData:
    """Return the data of progressive_reveal.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.

    Raises
    ------
    UserError
        If no round is left to analyse, or a recognised round lacks its step or pixels.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, ProgressiveReveal)
    taken = take_trials(dataset, purpose, left_out, "rounds")
    main, catch = split_catch(taken.kept)
    if main.empty:
        raise UserError(f"{dataset.source}: no rounds are left but catch rounds")
    rules = protocol.analysis
    return RevealData(
        dataset=dataset,
        protocol=protocol,
        taken=taken,
        left_out=tuple(left_out),
        main=main,
        catch=catch,
        people=person_rows(main, catch, protocol),
        table=read_rounds(main, protocol, dataset.beside.get("curves"), dataset.source),
        plan=Resampling(rules.replicates, rules.seed, means=dataset.means),
    )


def setting(data: RevealData) -> Setting:
    """Return what is told of the data beside the answers to the questions."""
    dataset, protocol, table = data.dataset, data.protocol, data.table
    frame = table.frame
    limit_s = protocol.reveal.steps * protocol.reveal.step_s
    return Setting(
        frame=Shared(
            data=Described.of(dataset, frame, data.taken),
            levels=LEVELS,
            sources=SOURCES,
            flow=_flow(data),
            incidents=count_incidents(dataset.sessions),
            timing=Timing.of(frame, dataset.sessions),
            bootstrap=Drawing.of(data.plan),
            intervals=interval_words(data.plan, what="images"),
            notes=[*dataset.notes, *table.notes, *sample_notes(table)],
        ),
        checks=[
            *general_checks(dataset.trials, frame, dataset.sessions, limit_s),
            *design_checks(table, protocol, dataset.protocol_known),
        ],
        lacking=_lacking(data),
    )


def _lacking(data: RevealData) -> list[Lacking]:
    design = "the design in words, and deviations from the paper"
    rows = no_protocol(data.dataset, design)
    number = data.table.participants
    if number < FEW_PARTICIPANTS:
        who = "one participant" if number == 1 else f"{number} participants"
        reason = f"there are only {who}: intervals are too narrow"
        rows.append(Lacking("conclusions about other participants", reason))
    return rows


def _flow(data: RevealData) -> list[FlowStep]:
    taken, frame, completed = data.taken, data.table.frame, data.table.completed.frame
    midway = leaving("left midway, censored", frame, completed)
    reasons = {person.participant: person.reason for person in data.people if person.reason}
    by_rule, rest = leaving_by_rule(completed, reasons)
    return [
        *intake(
            data.dataset,
            leaving("of another purpose", data.dataset.trials, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("catch rounds, not analysed", taken.kept, data.main),
        ),
        stage(
            "rounds in life tables and models, by intention to treat",
            frame,
            [midway] if midway.trials else [],
        ),
        stage("completed rounds, in Tables III and IV", completed, by_rule),
        *([stage("second analysis, without those left out by rule", rest)] if by_rule else []),
    ]
