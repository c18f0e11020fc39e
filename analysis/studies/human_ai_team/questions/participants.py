"""Who took part, on which images, and who qualified."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, cast

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.pivot import Wide, level_of, limits_of, pivot, value_of
from analysis.questions.question import Lacking, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportTable, cut, spelled
from analysis.report.parts import Column
from analysis.report.results import coded_name, counted, robots_first, sample_facts, values
from analysis.report.wording import (
    NOTHING,
    are,
    bare_percent,
    count,
    grouped,
    listed,
    number,
    percent,
)
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.design import confidence_sentences
from analysis.studies.human_ai_team.model import once_sentence
from analysis.studies.human_ai_team.people import (
    ENROLLED,
    LEFT_OUT,
    VALIDATION_RIGHT,
    WITH_MAIN,
    Person,
    arm_rows,
)
from analysis.studies.human_ai_team.trials import main_rows
from analysis.studies.human_ai_team.words import DESIGN, arm_name
from stimuli.maps.origin import RESPONSE_MODEL
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

NOUN: Final = "participant"
FEW_LISTED: Final = 12
"""Participants up to which the page lists everybody."""
STAGES: Final[Mapping[str, str]] = {
    "one_stage": "Participants answered once, with what their arm shows.",
    "two_stage": "Participants answered on their own first, and again with the AI’s confidence "
    "and their arm’s help.",
}


@dataclass(frozen=True, slots=True)
class Participants(Estimates):
    """Who took part, and what they were shown."""

    arms: Annotated[tuple[str, ...], about("The arms, the reference first.")]
    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    ai_right: Annotated[float, about("Share of trials in which the AI was right, 0 to 1.")]
    adversarial_share: Annotated[
        float | None, about("Share of trials on adversarial images; null if the table lacks it.")
    ]
    seen_twice: Annotated[bool, about("Whether any image has two answers.")]
    images_seen_twice: Annotated[int, about("Images with two answers or more.")]
    seen_twice_in_arm: Annotated[bool, about("Whether any image has two answers in one arm.")]
    answers_an_image: Annotated[float, about("Answers to an image, on average.")]
    unanswered: Annotated[dict[str, int], about("Main trials without an answer, by arm.")]
    help_origins: Annotated[dict[str, list[str]], about("Who made the help, by arm.")]
    sheets: Annotated[list[str], about("Sheets that were used.")]
    by_hand: Annotated[tuple[str, ...], about("Participants who were left out by hand.")]
    people: Annotated[tuple[Person, ...], about("Everybody in the trial table.")]
    by_rule: Annotated[tuple[str, ...], about("Participants who didn't qualify.")]
    without_main: Annotated[int, about("Participants without an answered main trial.")]
    needed: Annotated[int, about("Right validation trials that are needed to qualify.")]
    of: Annotated[int, about("Validation trials.")]
    primary: Annotated[str, about("Who is in the first analysis: all, or qualified.")]


def compute(data: TeamData) -> Participants:
    """Return who took part in what the report rests on, and everybody in the trial table."""
    answers, kept = data.answers, data.selection.kept
    main = main_rows(kept[kept["participant"].isin(answers.frame["participant"])])
    rules = data.protocol.validation
    return Participants(
        tuple(arm_rows(data.people, data.everybody.arms)),
        arms=answers.arms,
        reference=answers.reference,
        ai_right=answers.right_share,
        adversarial_share=(
            float(answers.frame["adversarial"].mean()) if "adversarial" in main else None
        ),
        seen_twice=answers.seen_twice,
        images_seen_twice=answers.images_twice,
        seen_twice_in_arm=answers.seen_twice_in_arm,
        answers_an_image=answers.answers_an_image,
        unanswered=dict(answers.unanswered),
        help_origins=_help_origins(data.dataset.beside.get("arms")),
        sheets=values(main, "sheet"),
        by_hand=data.left_out,
        people=data.people,
        by_rule=data.failed,
        without_main=sum(person.answered == 0 for person in data.people),
        needed=rules.pass_right,
        of=rules.trials,
        primary=data.protocol.analysis.primary,
    )


def _help_origins(arms: pd.DataFrame | None) -> dict[str, list[str]]:
    """Return who made the help of each arm, as far as packs say it."""
    if arms is None:
        return {}
    known = arms.dropna(subset=["help_origin"])
    return {str(name): values(group, "help_origin") for name, group in known.groupby("arm")}


def qualified(row: EstimateRow) -> int:
    """Return how many qualified, from the share that didn't."""
    return (row.n or 0) - row.count


def _qualified(row: Wide) -> str:
    n = row[f"{LEFT_OUT.id}.n"]
    return f"{n - round(n * row[LEFT_OUT.id])} of {n}" if n else NOTHING


def _arms_to_show(answer: Participants) -> list[EstimateRow]:
    """Return the rows of arms in which anybody qualified or didn't, or lacks main trials."""
    return [
        row
        for method in answer.levels("method")
        if answer.row(LEFT_OUT, method=method).n
        or answer.row(ENROLLED, method=method).estimate
        != answer.row(WITH_MAIN, method=method).estimate
        for row in answer.rows(method=method)
    ]


def _validated(row: Person) -> str:
    return f"{row.validation_right} of {row.validation}" if row.validation else NOTHING


def _listed_people(answer: Participants) -> tuple[Person, ...]:
    """Return those who didn't qualify; everybody if participants are few."""
    if len(answer.people) <= FEW_LISTED:
        return answer.people
    return tuple(person for person in answer.people if person.qualified is False)


def _listed_caption(answer: Participants) -> str:
    if len(answer.people) <= FEW_LISTED:
        return "Participants."
    return "Participants who didn’t qualify; tables/participants.csv has everybody."


BY_ARM = pivot(
    "Who qualified, by arm.",
    (
        level_of("method", "Arm", arm_name),
        value_of(ENROLLED),
        value_of(WITH_MAIN),
        Column("Qualified", _qualified, str),
        value_of(LEFT_OUT),
        limits_of(LEFT_OUT, write=bare_percent),
        value_of(VALIDATION_RIGHT),
    ),
    by=("method",),
    of=_arms_to_show,
    note="Participants without a main trial are counted here and averaged nowhere. Intervals are "
    "Wilson’s.",
)
PEOPLE = ReportTable(
    "participants",
    "people",
    _listed_caption,
    (
        Column("Participant", coded_name),
        Column("Arm", lambda row: ", ".join(arm_name(name) for name in row.methods)),
        Column("Validation", _validated, str),
        Column("Qualified", spelled("qualified", {None: NOTHING, True: "yes", False: "no"})),
        Column("Main trials", "answered", grouped, "answered"),
        Column("Right", "correct", percent),
        Column("Accepted", "accepted", percent),
        Column("Median time", "median_rt_s", number, "s"),
    ),
    shown=_listed_people,
    cut=lambda rows: cut(
        rows,
        "participants",
        "participants",
        lambda row: row.qualified is False,
        "those who didn’t qualify, by code",
    ),
)


def people(answer: Participants, whole: Whole) -> str:
    """Return who is analysed, and who qualified."""
    whom = "" if answer.without_main else " (intention to treat)"
    first = (
        f"All results are of everybody with main trials{whom}, unless they say otherwise."
        if answer.primary == "all"
        else "All results are of those who qualified, unless they say otherwise."
    )
    sentences = [first]
    if known := sum(row.n or 0 for row in answer.rows(LEFT_OUT)):
        rule = (
            f"Participants qualify with {answer.needed} of {answer.of} validation trials right"
            if whole.frame.data.protocol_known
            else "Validation trials, or the table’s own column, say who qualified"
        )
        failed = len(answer.by_rule)
        sentences.append(f"{rule}: {f'{failed} of {known} didn’t' if failed else 'everybody did'}.")
    if answer.without_main:
        who = count(answer.without_main, NOUN)
        sentences.append(
            f"{who} without a main trial {are(answer.without_main)} counted, and "
            "averaged nowhere; so this isn’t an analysis by intention to treat."
        )
    return " ".join(sentences)


def _headline(answer: Participants, whole: Whole) -> list[str]:
    """Return who answered, and which help response models made instead of people."""
    robots = robots_first(whole.frame.data, NOUN)
    made = [
        arm_name(name)
        for name in answer.arms
        if RESPONSE_MODEL in answer.help_origins.get(name, ())
    ]
    return [*robots, *([f"Response models made the help of {listed(made)}."] if made else [])]


def _methods(answer: Participants, whole: Whole) -> list[str]:
    data, rules = whole.frame.data, cast(HumanAiTeam, whole.protocol)
    share = answer.adversarial_share
    attacked = "" if not share else f"; {percent(share)} showed adversarial images"
    sentences = [
        f"{counted(data, NOUN)} judged whether an AI’s label of an image is right (design "
        f"of {DESIGN}): {count(data.trials, 'main trial')} on "
        f"{count(data.items, 'image')}.",
        f"Arms: {listed([arm_name(name) for name in answer.arms])}.",
        f"The AI was right in {percent(answer.ai_right)} of the trials{attacked}.",
    ]
    if not data.protocol_known:
        return sentences
    sentences += [*confidence_sentences(rules), STAGES[rules.question.decision]]
    if answer.of:
        sentences.append(
            f"Of {answer.of} validation trials {answer.needed} right answers were needed to "
            "qualify."
        )
    return sentences


def _lacking(data: TeamData, _: Participants | None) -> list[Lacking]:
    once = once_sentence(data.answers)
    return [Lacking("effects of images, in the model", once)] if once else []


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    quantities=(ENROLLED, WITH_MAIN, LEFT_OUT, VALIDATION_RIGHT),
    compute=compute,
    parts=(BY_ARM, PEOPLE),
    facts=lambda _, whole: sample_facts(
        whole.frame.data, NOUN, whole.frame.data.trials, "main trials", "image"
    ),
    headline=_headline,
    methods=_methods,
    needs={"purpose": "selection of the main sessions"},
    lacking=_lacking,
)
"""Who took part."""
