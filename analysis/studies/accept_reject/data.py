"""What the questions of accept_reject are asked of: its tables, read once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from analysis.data.tables import Dataset
from analysis.mixed.result import Outcome
from analysis.questions.inquiry import Setting
from analysis.questions.question import Lacking
from analysis.report.checks import general_checks
from analysis.report.flow import FlowStep, arms_of, intake, leaving, leaving_by_rule, stage
from analysis.report.frame import Shared
from analysis.report.missing import FEW_PARTICIPANTS, no_protocol
from analysis.report.results import (
    Described,
    Drawing,
    Taken,
    take_trials,
    values,
)
from analysis.report.sessions import Timing, count_incidents
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import LEVEL
from analysis.studies.accept_reject.checks import design_checks, exclusions_by_order
from analysis.studies.accept_reject.contour import ContourReading
from analysis.studies.accept_reject.controls import Controls
from analysis.studies.accept_reject.model import FEW_EXPERTS, MainModel, fit_main_model, main_model
from analysis.studies.accept_reject.people import ExcludedLead, Lead, each_lead, excluded
from analysis.studies.accept_reject.rates import Rates, intervals, measure
from analysis.studies.accept_reject.repeated import Repeated, repeat_analysis
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from analysis.studies.accept_reject.words import ORDER_WORDS, called_experts
from stimuli.studies.accept_reject.protocol import AcceptReject

LEVELS: Final = {"interval": LEVEL, "equivalence_interval": 0.90}


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class LeadData:
    """A dataset, its judged trials, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules. Of the tables beside the trials ``items`` is used where it is
        there.
    taken
        The trials of the chosen purpose.
    left_out
        Participants who were left out by hand.
    judged
        The analysed trials with their judgement.
    plan
        How intervals are found, and how often is drawn.
    """

    dataset: Dataset
    protocol: AcceptReject
    taken: Taken
    left_out: tuple[str, ...]
    judged: ScoredTrials
    plan: Resampling

    @cached_property
    def each_lead(self) -> tuple[list[Lead], ContourReading]:
        """Every lead's results, and how reading the contour was judged."""
        return each_lead(self.judged, self.protocol.analysis)

    @property
    def leads(self) -> list[Lead]:
        """Every lead's results, by code."""
        return self.each_lead[0]

    @property
    def contour(self) -> ContourReading:
        """How reading the contour was judged."""
        return self.each_lead[1]

    @cached_property
    def excluded(self) -> tuple[ExcludedLead, ...]:
        """Whom the second analysis leaves out."""
        return excluded(self.leads)

    @cached_property
    def rates(self) -> Rates:
        """Acceptance in the seven cells of the main analysis."""
        return measure(self.judged, self.plan)

    @cached_property
    def controls(self) -> Controls:
        """Acceptance of every kind of control."""
        return Controls(self.judged, self.plan)

    @cached_property
    def fit(self) -> Outcome:
        """The fit of the main analysis's mixed model."""
        return fit_main_model(self.judged)

    @cached_property
    def model(self) -> MainModel:
        """What it says."""
        return main_model(self.judged, self.fit)

    def repeat(self, label: str, judged: ScoredTrials, rates: Rates | None = None) -> Repeated:
        """Return the main results of some of the trials, under a label."""
        return repeat_analysis(label, judged, self.plan, self.protocol.analysis.margin, rates)


def read_data(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> LeadData:
    """Return the data of accept_reject.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.

    Raises
    ------
    UserError
        If no trial is left to analyse.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, AcceptReject)
    rules = protocol.analysis
    plan = Resampling(rules.replicates, rules.seed, means=dataset.means)
    taken = take_trials(dataset, purpose, left_out)
    judged = judge_trials(taken.kept, protocol)
    return LeadData(dataset, protocol, taken, tuple(left_out), judged, plan)


def setting(data: LeadData) -> Setting:
    """Return what is told of the data beside the answers to the questions."""
    dataset, judged = data.dataset, data.judged
    return Setting(
        frame=Shared(
            data=Described.of(dataset, judged.frame, data.taken),
            levels=LEVELS,
            sources={},
            flow=_flow(data),
            incidents=count_incidents(dataset.sessions),
            timing=Timing.of(judged.frame, dataset.sessions),
            bootstrap=Drawing.of(data.plan, possible=judged.participants > 1),
            intervals=intervals(data.rates, data.plan),
            notes=[*dataset.notes, *judged.notes, *_remarks(data)],
        ),
        checks=[
            *general_checks(dataset.trials, judged.frame, dataset.sessions, judged.limit_s),
            *design_checks(judged, data.protocol, dataset.protocol_known),
            *exclusions_by_order(judged.frame, [row.participant for row in data.excluded]),
        ],
        lacking=_lacking(data),
    )


def _remarks(data: LeadData) -> list[str]:
    """Return what limits the results, one sentence each."""
    frame = data.judged.frame
    solved = frame[frame["solver"] == "E"]
    experts = values(solved, "solver_id")
    if not 0 < len(experts) < FEW_EXPERTS:
        return []
    called = called_experts(values(solved, "solver_origin"))
    who = f"one of the {called}" if len(experts) == 1 else f"{len(experts)} {called}"
    return [f"E is {who}: p_E belongs to them, not to experts at large."]


def _lacking(data: LeadData) -> list[Lacking]:
    rows = []
    judged = data.judged
    if judged.frame["item"].nunique() == 1:
        reason = "there is only one plate: results apply only to it"
        rows.append(Lacking("conclusions about other plates", reason))
    design = "the design in words, planned trials, and deviations from the paper"
    rows += no_protocol(data.dataset, design)
    if judged.participants < FEW_PARTICIPANTS:
        reason = f"there are only {judged.participants} participants: intervals are too narrow"
        if judged.participants == 1:
            reason = "there is only one participant: intervals apply to this person on such plates"
        rows.append(Lacking("conclusions about other leads", reason))
    return rows


def _flow(data: LeadData) -> list[FlowStep]:
    """Return participants and trials from the journals to the second analysis."""
    taken, frame = data.taken, data.judged.frame
    everyone = data.dataset.trials
    reasons = {row.participant: row.reason for row in data.excluded}
    by_rule, rest = leaving_by_rule(frame, reasons)
    return [
        *intake(
            data.dataset,
            leaving(f"of another purpose than {taken.purpose}", everyone, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("practice, or accepted without a time", taken.kept, frame),
        ),
        stage(
            "analysed by intention to treat",
            frame,
            by_rule,
            arms_of(frame, "order", lambda order: ORDER_WORDS.get(order, order)),
        ),
        stage("second analysis, without those left out by rule", rest),
    ]
