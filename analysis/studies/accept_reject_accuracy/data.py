"""What the questions of accept_reject_accuracy are asked of: its tables, read once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import pandas as pd

from analysis.data.tables import Dataset
from analysis.questions.setting import Setting
from analysis.report.flow import FlowStep, intake, leaving, leaving_by_rule, stage
from analysis.report.methods import TWO_TESTS
from analysis.report.results import TrialSelection, interval_words, take_trials
from analysis.report.wording import count, were
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.estimate import NARROW
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from analysis.studies.accept_reject_accuracy.pairs import Judgements, judgements
from analysis.studies.accept_reject_accuracy.people import (
    Lead,
    LeftOut,
    lead_rows,
    left_out_by_rule,
)
from analysis.studies.accept_reject_accuracy.rates import Rates, measure
from stimuli.errors import UserError
from stimuli.languages import ENGLISH
from stimuli.names import words_of
from stimuli.pack import Pack
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LABELS

SOURCES: Final = {
    "design": "Saralajew et al. 2022",
    "agreement": "Krippendorff 2011",
    "equivalence": TWO_TESTS,
}


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class AccuracyData:
    """A dataset, who is analysed, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules.
    selection
        The trials of the chosen purpose.
    kept
        Those that are analysed, with a column ``explained``.
    left_out
        Participants who were left out by hand.
    plan
        How intervals are found, and the number of replicates.
    """

    dataset: Dataset
    protocol: AcceptRejectAccuracy
    selection: TrialSelection
    kept: pd.DataFrame
    left_out: tuple[str, ...]
    plan: Resampling

    @cached_property
    def judged(self) -> ScoredTrials:
        """Trials with their judgement."""
        return judge_trials(self.kept, self.protocol)

    @cached_property
    def leads(self) -> tuple[Lead, ...]:
        """Everybody who judged a trial."""
        return lead_rows(self.judged.frame, self.protocol.analysis)

    @property
    def by_rule(self) -> tuple[LeftOut, ...]:
        """Who is left out of the second analysis."""
        return left_out_by_rule(self.leads)

    @cached_property
    def judgements(self) -> Judgements:
        """The judgements of S's and E's labels."""
        return judgements(self.judged, self.dataset.items)

    @cached_property
    def rates(self) -> Rates:
        """Acceptance of S's and of E's labels."""
        return measure(self.judgements, self.plan)

    @cached_property
    def general(self) -> Rates | None:
        """`rates` as they are for leads in general.

        None if `rates` are that already, or if there is one lead.
        """
        if self.plan.people == "random" or self.kept["participant"].nunique() < 2:
            return None
        return measure(self.judgements, replace(self.plan, people="random"))

    @cached_property
    def label_words(self) -> dict[str, str]:
        """What labels are called in English, as far as packs say it."""
        return _label_words(self.dataset.copies.values())


def read_data(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> AccuracyData:
    """Return the data of the assessment of accuracy.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.

    Raises
    ------
    UserError
        If no trial is left to analyse, or a column that the assessment rests on is missing.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, AcceptRejectAccuracy)
    missing = [name for name in ("true_label", "shown_label") if name not in dataset.trials]
    if missing:
        raise UserError(
            f"{dataset.source}: column missing: {', '.join(missing)}; the assessment of accuracy "
            "compares labels"
        )
    rules = protocol.analysis
    plan = Resampling(rules.replicates, rules.seed, means=dataset.means)
    selection = take_trials(dataset, purpose, left_out)
    kept = (
        selection.kept if "explained" in selection.kept else selection.kept.assign(explained=False)
    )
    plan = plan.for_people(Units.of(kept["participant"], kept["item"]), rules.few_people)
    return AccuracyData(dataset, protocol, selection, kept, tuple(left_out), plan)


def setting(data: AccuracyData) -> Setting:
    """Return what the report says about the data apart from the answers."""
    judged = data.judged
    return Setting(
        data=data,
        analysed=judged.frame,
        intervals=interval_words(data.plan, "leads", "images"),
        flow=_flow(data),
        limit_s=judged.limit_s,
        notes=[*judged.notes, *data.judgements.notes, *_remarks(data.judgements)],
        levels={"equivalence_interval": NARROW},
        sources=SOURCES,
    )


def _label_words(packs: Iterable[Pack]) -> dict[str, str]:
    words: dict[str, str] = {}
    for pack in packs:
        if f"{LABELS.name}.csv" in pack.manifest.files:
            words |= words_of(pack.table(LABELS), pack.protocol.language_near(ENGLISH))
    return words


def _flow(data: AccuracyData) -> list[FlowStep]:
    frame, selection = data.judged.frame, data.selection
    reasons = {row.participant: row.reason for row in data.by_rule}
    by_rule, rest = leaving_by_rule(frame, reasons)
    return [
        *intake(
            data.dataset,
            selection,
            leaving("practice, or accepted without a time", selection.kept, frame),
        ),
        stage("analysed by intention to treat", frame, by_rule),
        stage("second analysis, without those left out by rule", rest),
    ]


def _remarks(judged: Judgements) -> list[str]:
    remarks = []
    if judged.frame["participant"].nunique() == 1:
        remarks.append(
            "There is one lead: intervals are over images only, and hold for no other lead."
        )
    once = sum(pair.n < 2 for pair in judged.pairs)
    if once:
        remarks.append(
            f"{once} of {len(judged.pairs)} labels {were(once)} judged by one lead only: of these "
            "nothing can be said about disagreement."
        )
    unjudged = len(judged.system) - len({pair.task for pair in judged.of("S")})
    if unjudged > 0:
        remarks.append(
            f"S’s label of {count(unjudged, 'image')} was not judged: acc_L is over the other "
            f"{len(judged.system) - unjudged}; lists come in pairs, and each needs a lead."
        )
    return remarks
