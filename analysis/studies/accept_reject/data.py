"""The data of accept_reject that its questions use, read once from its tables.

Checks that the data follow the design are here too.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from analysis.data.tables import Dataset
from analysis.mixed.result import Outcome
from analysis.questions.cells import Cells
from analysis.questions.estimates import EstimateRow
from analysis.questions.question import Lacking
from analysis.questions.setting import Setting
from analysis.report.checks import Check, exclusion_check
from analysis.report.flow import FlowStep, arms_of, intake, leaving, leaving_by_rule, stage
from analysis.report.methods import TWO_TESTS
from analysis.report.missing import about_others, no_protocol
from analysis.report.model import MOST_ROWS, people_within, sample_note
from analysis.report.results import (
    TrialSelection,
    take_trials,
    values,
)
from analysis.report.wording import count, number
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.estimate import NARROW
from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.controls import Controls
from analysis.studies.accept_reject.exclusions import ContourReading
from analysis.studies.accept_reject.model import FEW_EXPERTS, MainModel, fit_main_model, main_model
from analysis.studies.accept_reject.people import ExcludedLead, LeadResult, each_lead, excluded
from analysis.studies.accept_reject.rates import intervals, measure
from analysis.studies.accept_reject.repeated import repeat_analysis
from analysis.studies.accept_reject.trials import SIGNAL, ScoredTrials, judge_trials
from analysis.studies.accept_reject.usefulness import separated_by
from analysis.studies.accept_reject.words import ORDER_WORDS, called_experts
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import ENOUGH_MATCHED

SHARE_TOLERANCE = 0.02


def design_checks(judged: ScoredTrials, protocol: AcceptReject, known: bool) -> list[Check]:
    """Return the checks that the trials are those that the design plans.

    Parameters
    ----------
    judged
        The analysed trials.
    protocol
        The rules.
    known
        Whether these are the rules of the data.
    """
    return [
        _seen_once(judged.frame),
        _complete(judged.frame, protocol, known),
        _same_shares(judged.frame),
        _matched(judged.frame),
        _orders(judged.frame),
        _stored(judged),
    ]


def exclusions_by_order(frame: pd.DataFrame, left_out: Collection[str]) -> list[Check]:
    """Return the check that rules leave out as many leads of each order of runs.

    Parameters
    ----------
    frame
        The analysed trials.
    left_out
        Leads who are left out of the second analysis.

    Returns
    -------
    list of Check
        Empty if there are fewer than two orders (or groups, if there is a sham group).
    """
    if "order" not in frame or frame["order"].nunique() < 2:
        return []
    order = frame.groupby("participant")["order"].first().dropna()
    by_order = pd.Series(order.index.isin(list(left_out)), order.index).groupby(order)
    arms = {
        ORDER_WORDS.get(name, name): Count(int(left.sum()), len(left)) for name, left in by_order
    }
    return [exclusion_check(arms, "Each order of runs lost about the same number of people")]


def _seen_once(frame: pd.DataFrame) -> Check:
    solved = frame[frame["solver"].isin(["S", "E"])]
    twice = int(solved.duplicated(["participant", "item"]).sum())
    text = f"{count(twice, 'plate')} shown twice to the same lead."
    name = "No lead saw a plate of S or E twice"
    return Check.unless(name, twice, text, "No lead did.", repeated_plates=twice)


def _complete(frame: pd.DataFrame, protocol: AcceptReject, known: bool) -> Check:
    name = "Every lead has all trials"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    planned = 2 * protocol.solutions.trials_per_run
    short = int((frame["participant"].value_counts() < planned).sum())
    text = f"{count(short, 'lead')} with fewer than the {planned} planned."
    return Check.unless(
        name, short, text, state="note", planned_trials=planned, leads_with_fewer=short
    )


def _same_shares(frame: pd.DataFrame) -> Check:
    """Compare the share of every kind of trial between the runs, over all leads.

    A probe belongs to the run with explanations; the sham group has no such run.
    """
    name = "Equal shares of S, E and controls in both runs"
    frame = frame[~frame["sham"]]
    of_explained = frame["explained"] | frame["probe"]
    shares = [
        frame.loc[of_explained == explained, "solver"].value_counts(normalize=True)
        for explained in (False, True)
    ]
    if any(part.empty for part in shares):
        return Check(name, "not checked", "One of the runs has no trials.")
    widest = float(shares[1].sub(shares[0], fill_value=0).abs().max())
    text = f"The largest difference of a share is {number(100 * widest, 1)} percentage points."
    state = "passed" if widest <= SHARE_TOLERANCE else "warning"
    return Check(name, state, text, {"largest_difference_points": 100 * widest})


def _matched(frame: pd.DataFrame) -> Check:
    """Count matched right digits of every lead in both runs: harm rests on them."""
    name = f"At least {ENOUGH_MATCHED} matched right digits of each lead in each run"
    frame = frame[~frame["sham"]]
    rows = frame[(frame["solver"] == "control") & (frame["control_kind"] == SIGNAL)]
    if rows.empty:
        return Check(name, "not checked", "There are no right digits among the controls.")
    counts = pd.crosstab(rows["participant"], rows["explained"])
    counts = counts.reindex(index=frame["participant"].unique(), columns=[False, True])
    fewest = int(counts.fillna(0).to_numpy().min())
    text = f"The smallest number is {fewest}."
    if fewest < ENOUGH_MATCHED:
        text += " With so few, harm by explanations is hard to detect."
    state = "passed" if fewest >= ENOUGH_MATCHED else "note"
    return Check(name, state, text, {"fewest_matched_right_digits": fewest})


def _orders(frame: pd.DataFrame) -> Check:
    name = "Equal numbers of both orders of the runs"
    if "order" not in frame or frame["order"].isna().all():
        return Check(name, "not checked", "The table doesn’t state the order.")
    leads = frame.groupby("order")["participant"].nunique()
    first, other = int(leads.get("without_first", 0)), int(leads.get("with_first", 0))
    text = f"Without explanations first: {count(first, 'lead')}; with them first: {other}."
    counts = {"without_first": first, "with_first": other}
    others = set(separated_by(frame)) - {"order"}
    if (not first or not other) and others:
        by = " and ".join(
            {"probes": "probes", "sham": "a sham group"}[name] for name in sorted(others)
        )
        text += f" There is only one order, but {by} separate the effects of explanation and run."
        return Check(name, "note", text, counts)
    if not first or not other:
        text += (
            " With only one order, the effect of explanations is confounded with practice and "
            "fatigue."
        )
        return Check(name, "warning", text, counts)
    return Check(name, "passed" if abs(first - other) <= 1 else "note", text, counts)


def _stored(judged: ScoredTrials) -> Check:
    name = "Stored judgements agree with decision and time"
    if "accepted" not in judged.stored:
        return Check(name, "not checked", "The table has no column accepted.")
    differing = judged.stored["accepted"]
    text = f"In {count(differing, 'trial')} they differ; the analysis uses decision and time."
    return Check.unless(name, differing, text, "All of them do.", differing_trials=differing)


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class LeadData:
    """A dataset, its judged trials, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules. Of the tables beside the trials ``items`` is used where it is
        there.
    selection
        The trials of the chosen purpose.
    left_out
        Participants who were left out by hand.
    judged
        The analysed trials with their judgement.
    plan
        How intervals are found, and the number of replicates. With few leads
        (``analysis.few_people``) everything is about these leads, but for `general`.
    """

    dataset: Dataset
    protocol: AcceptReject
    selection: TrialSelection
    left_out: tuple[str, ...]
    judged: ScoredTrials
    plan: Resampling

    @cached_property
    def each_lead(self) -> tuple[list[LeadResult], ContourReading]:
        """Every lead's results, and how reading the contour was judged."""
        return each_lead(self.judged, self.protocol.analysis)

    @property
    def leads(self) -> list[LeadResult]:
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
    def rates(self) -> Cells:
        """Acceptance in the seven cells of the main analysis."""
        return measure(self.judged, self.plan)

    @cached_property
    def general(self) -> Cells | None:
        """`rates` as they are for leads in general.

        None if `rates` are that already, or if there is one lead.
        """
        if self.plan.people == "random" or self.judged.participants < 2:
            return None
        return measure(self.judged, replace(self.plan, people="random"))

    @cached_property
    def controls(self) -> Controls:
        """Acceptance of every kind of control."""
        return Controls(self.judged, self.plan)

    @cached_property
    def modelled(self) -> ScoredTrials:
        """The trials that mixed models are fitted to; of a random sample of leads if many."""
        leads = self.judged.frame["participant"]
        trials = {str(code): int(n) for code, n in leads.value_counts().items()}
        drawn = people_within(trials, MOST_ROWS)
        return self.judged if len(drawn) == len(trials) else self.judged.of(leads.isin(drawn))

    @cached_property
    def fit(self) -> Outcome:
        """The fit of the main analysis's mixed model."""
        return fit_main_model(self.modelled)

    @cached_property
    def model(self) -> MainModel:
        """What the main analysis's mixed model says."""
        return main_model(self.modelled, self.fit)

    def repeat(
        self, analysis: str, judged: ScoredTrials, rates: Cells | None = None
    ) -> tuple[EstimateRow, ...]:
        """Return the main results of some of the trials, under a name."""
        return repeat_analysis(analysis, judged, self.plan, self.protocol.analysis.margin, rates)


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
    selection = take_trials(dataset, purpose, left_out)
    judged = judge_trials(selection.kept, protocol)
    units = Units.of(judged.frame["participant"], judged.frame["item"])
    plan = plan.for_people(units, rules.few_people)
    return LeadData(dataset, protocol, selection, tuple(left_out), judged, plan)


def setting(data: LeadData) -> Setting:
    """Return what the report says about the data apart from the answers."""
    judged, known = data.judged, data.dataset.protocol_known
    return Setting(
        data=data,
        analysed=judged.frame,
        intervals=intervals(data.rates, data.plan),
        flow=_flow(data),
        limit_s=judged.limit_s,
        notes=[*judged.notes, *_remarks(data), *_sample_notes(data)],
        design_checks=[
            *design_checks(judged, data.protocol, known),
            *exclusions_by_order(judged.frame, [row.participant for row in data.excluded]),
        ],
        lacking=_lacking(data),
        levels={"equivalence_interval": NARROW},
        sources={"equivalence": TWO_TESTS},
        possible=judged.participants > 1,
    )


def _remarks(data: LeadData) -> list[str]:
    """Return what limits the results, one sentence each."""
    frame = data.judged.frame
    solved = frame[frame["solver"] == "E"]
    experts = values(solved, "solver_id")
    if not 0 < len(experts) < FEW_EXPERTS:
        return []
    called = called_experts(values(solved, "solver_origin"))
    if len(experts) == 1:
        return [f"E is one of the {called}: p_E is that one’s, not that of experts at large."]
    return [f"E is {len(experts)} {called}: p_E is theirs, not that of experts at large."]


def _sample_notes(data: LeadData) -> list[str]:
    drawn, everybody = data.modelled.participants, data.judged.participants
    if drawn == everybody:
        return []
    return [sample_note(drawn, everybody, "The mixed models are fitted")]


def _lacking(data: LeadData) -> list[Lacking]:
    rows = []
    judged = data.judged
    if judged.frame["item"].nunique() == 1:
        reason = "there is only one plate: results apply only to it"
        rows.append(Lacking("conclusions about other plates", reason))
    design = "the design in words, planned trials, and deviations from the paper"
    rows += no_protocol(data.dataset, design)
    return [*rows, *about_others(judged.participants, "lead")]


def _flow(data: LeadData) -> list[FlowStep]:
    """Return participants and trials from the journals to the second analysis."""
    selection, frame = data.selection, data.judged.frame.filter(["participant", "order"])
    reasons = {row.participant: row.reason for row in data.excluded}
    by_rule, rest = leaving_by_rule(frame, reasons)
    return [
        *intake(
            data.dataset,
            selection,
            leaving("practice, or accepted without a time", selection.kept, frame),
        ),
        stage(
            "analysed by intention to treat",
            frame,
            by_rule,
            arms_of(frame, "order", lambda order: ORDER_WORDS.get(order, order)),
        ),
        stage("second analysis, without those left out by rule", rest),
    ]
