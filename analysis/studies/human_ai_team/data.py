"""The data of human_ai_team that its questions use, read once from its tables.

Checks that the data follow the design are here too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.data.tables import Dataset
from analysis.mixed.result import Outcome
from analysis.questions.estimates import EstimateRow
from analysis.questions.question import Lacking
from analysis.questions.setting import Setting
from analysis.report.checks import Check, arm_sizes_check
from analysis.report.flow import FlowStep, arms_of, intake, leaving, stage
from analysis.report.missing import about_others, no_protocol
from analysis.report.results import TrialSelection, interval_words, take_trials
from analysis.report.wording import count, percent
from analysis.statistics.bootstrap import Resampling
from analysis.studies.human_ai_team.alone import (
    Source,
    attacked_confidence,
    chosen_threshold,
    source_of,
    sweep_rows,
    weights_of,
)
from analysis.studies.human_ai_team.model import fitted_model, once_sentence
from analysis.studies.human_ai_team.people import Person, person_rows, unqualified
from analysis.studies.human_ai_team.rates import Rates, measure
from analysis.studies.human_ai_team.trials import NO, YES, Answers, main_rows, read_answers
from analysis.studies.human_ai_team.words import SOURCES, arm_name
from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import HumanAiTeam


def design_checks(answers: Answers, protocol: HumanAiTeam, known: bool) -> list[Check]:
    """Return the checks that the trials are those that the design plans."""
    return [
        _one_arm(answers),
        _once(answers),
        _balanced(answers),
        _complete(answers, protocol, known),
        _answered(answers),
        _one_truth(answers.frame),
    ]


def _one_arm(answers: Answers) -> Check:
    both = int((answers.frame.groupby("participant")["method"].nunique() > 1).sum())
    return Check.unless(
        "Arms are between participants",
        both,
        f"{count(both, 'participant')} answered in several arms; comparisons are within "
        "participants.",
        "Everybody answered in one arm.",
        "note",
        both=both,
    )


def _once(answers: Answers) -> Check:
    twice = int(answers.frame.duplicated(["participant", "item", "method"]).sum())
    text = f"{count(twice, 'image')} shown twice to the same participant in an arm."
    name = "Nobody saw an image twice"
    return Check.unless(name, twice, text, "Nobody did.", repeated_images=twice)


def _balanced(answers: Answers) -> Check:
    sizes = answers.frame.groupby("method")["participant"].nunique()
    return arm_sizes_check("Arms are about equally large", sizes)


def _complete(answers: Answers, protocol: HumanAiTeam, known: bool) -> Check:
    name = "Everyone has all main trials"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    planned = protocol.bins.trials_per_sheet
    short = int((answers.frame["participant"].value_counts() < planned).sum())
    text = f"{count(short, 'participant')} with fewer than the {planned} planned."
    return Check.unless(name, short, text, state="note", with_fewer=short)


def _answered(answers: Answers) -> Check:
    silent, n = sum(answers.unanswered.values()), len(answers.frame)
    text = f"{count(silent, 'main trial')} without an answer ({percent(silent / (silent + n), 1)})."
    name = "Every main trial was answered"
    return Check.unless(name, silent, text, state="note", silent=silent)


def _one_truth(frame: pd.DataFrame) -> Check:
    odd = int((frame.groupby("item")["right"].nunique() > 1).sum())
    return Check.unless(
        "The AI is right or wrong on an image",
        odd,
        f"For {count(odd, 'image')} the table says both that the AI is right and that it is "
        "wrong. An image with another label is another item.",
        "The table is consistent for every image.",
        odd_images=odd,
    )


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class TeamData:
    """A dataset, who is analysed, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules. Of the tables beside the trials ``ai`` (the AI alone on all
        images), ``available`` (how often bins occur) and ``metrics`` (of maps) are used where
        they are there.
    selection
        The trials of the chosen purpose.
    left_out
        Participants who were left out by hand.
    people
        Everybody in the trial table.
    everybody, qualified
        Answers of everybody, and of those who qualified.
    plan
        How intervals are found, and the number of replicates.
    """

    dataset: Dataset
    protocol: HumanAiTeam
    selection: TrialSelection
    left_out: tuple[str, ...]
    people: tuple[Person, ...]
    everybody: Answers
    qualified: Answers
    plan: Resampling

    @property
    def rests_on_qualified(self) -> bool:
        """Whether the report rests on those who qualified."""
        return self.protocol.analysis.primary == "qualified" and len(self.qualified.frame) > 0

    @property
    def answers(self) -> Answers:
        """The answers that the report rests on."""
        return self.qualified if self.rests_on_qualified else self.everybody

    @property
    def other_group(self) -> Answers | None:
        """The answers of the group that the report doesn't rest on; None if both are the same."""
        if len(self.qualified.frame) in (0, len(self.everybody.frame)):
            return None
        return self.everybody if self.rests_on_qualified else self.qualified

    @property
    def failed(self) -> tuple[str, ...]:
        """Codes of those who didn't qualify."""
        return unqualified(self.people)

    @property
    def main(self) -> pd.DataFrame:
        """Main trials of everybody, including those without an answer."""
        return main_rows(self.selection.kept)

    @cached_property
    def weights(self) -> dict[str, dict[str, float]]:
        """How often bins occur, by the name of the weights."""
        return weights_of(self.dataset.beside.get("available"))

    @cached_property
    def source(self) -> Source | None:
        """Natural images of which the AI's confidence is known."""
        return source_of(self.dataset.beside.get("ai"), self.answers, self.protocol)

    @cached_property
    def thresholds(self) -> tuple[EstimateRow, ...]:
        """The AI alone at every threshold, on each base."""
        return sweep_rows(self.source, self.weights, attacked_confidence(self.answers))

    @property
    def threshold(self) -> float | None:
        """The confidence from which the AI alone accepts its own label; None if not known."""
        return chosen_threshold(self.thresholds, self.source)

    @cached_property
    def rates(self) -> Rates:
        """Shares of answers of all arms and parts."""
        return measure(self.answers, self.plan)

    @cached_property
    def fits(self) -> dict[str, Outcome]:
        """The mixed model of each part of the images."""
        answers = self.answers
        return {part: fitted_model(answers.part(part)) for part in answers.parts}


def read_data(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> TeamData:
    """Return the data of human_ai_team.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.

    Raises
    ------
    UserError
        If no answered main trial is left to analyse.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, HumanAiTeam)
    selection = take_trials(dataset, purpose, left_out)
    everybody = read_answers(selection.kept, protocol)
    if everybody.frame.empty:
        raise UserError(f"{dataset.source}: no answered main trials are left")
    people = person_rows(selection.kept, everybody, protocol)
    failed = everybody.frame["participant"].isin(unqualified(people))
    rules = protocol.analysis
    plan = everybody.plan(Resampling(rules.replicates, rules.seed, means=dataset.means))
    answers = everybody.of(~failed)
    return TeamData(dataset, protocol, selection, tuple(left_out), people, everybody, answers, plan)


def setting(data: TeamData) -> Setting:
    """Return what the report says about the data apart from the answers."""
    dataset, answers = data.dataset, data.answers
    kept = data.selection.kept
    main = main_rows(kept[kept["participant"].isin(answers.frame["participant"])])
    return Setting(
        data=data,
        analysed=main[main["decision"].isin([YES, NO])],
        intervals=interval_words(data.plan, items="images"),
        flow=_flow(data),
        limit_s=data.protocol.question.limit_s,
        timed=data.main,
        checked=data.main,
        notes=[*answers.notes, *_remarks(answers)],
        design_checks=design_checks(answers, data.protocol, dataset.protocol_known),
        lacking=_lacking(data),
        sources=SOURCES,
    )


def _remarks(answers: Answers) -> list[str]:
    within = "Some participants answered in several arms." if answers.within else ""
    return [remark for remark in (once_sentence(answers), within) if remark]


def _lacking(data: TeamData) -> list[Lacking]:
    design = "the design in words, and deviations from the paper"
    rows = [
        *no_protocol(data.dataset, design),
        *about_others(data.answers.participants, "participant"),
    ]
    if data.answers.frame["item"].nunique() == 1:
        rows.append(Lacking("conclusions about other images", "there is one image only"))
    return rows


def _flow(data: TeamData) -> list[FlowStep]:
    selection, main = data.selection, data.main
    answered = main[main["decision"].isin([YES, NO])]
    rest = answered[~answered["participant"].isin(data.failed)]
    without = selection.kept[~selection.kept["participant"].isin(main["participant"])]
    with_main = selection.kept[~selection.kept["participant"].isin(without["participant"])]
    failed = leaving("didn’t qualify in validation trials", answered, rest)
    last = stage("of those who qualified", rest, (), arms_of(rest, "method", arm_name))
    known = any(person.qualified is not None for person in data.people)
    return [
        *intake(
            data.dataset,
            selection,
            leaving("no main trial", selection.kept, with_main),
            leaving("practice and validation trials", with_main, main),
            leaving("without an answer", main, answered),
        ),
        stage(
            "main trials that were answered",
            answered,
            [failed] if failed.participants else [],
            arms_of(answered, "method", arm_name),
        ),
        *([last] if known else []),
    ]
