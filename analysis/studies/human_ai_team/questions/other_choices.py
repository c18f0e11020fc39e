"""Whether the verdicts are the same under other choices."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from analysis.questions.choices import (
    ANALYSIS,
    ID,
    SILENT,
    STEP,
    TITLE,
    agreement,
    choices_table,
    promise,
    repeated,
)
from analysis.questions.estimates import AGAINST, EstimateRow, Estimates, again, select
from analysis.questions.pivot import corrected_of, level_of
from analysis.questions.question import Question, TypedAnswers, Unavailable
from analysis.report.deciding import MEANS, MODEL, WORDS
from analysis.report.parts import Column, Paragraph
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.differences import Rule, mean_pairs
from analysis.studies.human_ai_team.quantities import DIFFERENCES, TESTED, TOLD_APART, VERDICT
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.trials import ALL, NO, YES, Answers, read_answers
from analysis.studies.human_ai_team.trust import used_on
from analysis.studies.human_ai_team.verdicts import verdict_rows
from analysis.studies.human_ai_team.words import arm_name

FIRST_HALF: Final = "first half of each participant’s trials"
SECOND_HALF: Final = "second half of each participant’s trials"
OTHER_GROUP: Final = "only those who qualified, or everybody if the main analysis is of these"
OTHER_WAY: Final = "the mixed model, or the means if the model decides"
PRIMARY: Final = DIFFERENCES[TOLD_APART]


def combine(data: TeamData, earlier: TypedAnswers) -> Estimates | Unavailable:
    """Return discrimination and verdicts on the images that were shown, under each choice."""
    trust = earlier.of(TRUST)
    if trust.reference is None:
        return Unavailable()
    main = used_on(trust, ALL)
    groups = ("those who qualified", "everybody")
    who, others = groups if data.rests_on_qualified else groups[::-1]
    rule = Rule.of(data.answers, data.protocol.analysis.margin)
    rows = [
        again(_decided(pairs, rule), **{ANALYSIS: f"{who}, by {WORDS[by]}"})
        for by in (main, MODEL if main == MEANS else MEANS)
        if (pairs := trust.rows(*TESTED, base=ALL, by=by))
    ]
    choices = {
        others: data.other_group,
        SILENT: _with_silent(data),
        FIRST_HALF: _half(data.answers, later=False),
        SECOND_HALF: _half(data.answers, later=True),
    }
    return Estimates(
        (
            *(row for decided in rows for row in decided),
            *repeated(choices, partial(_by_means, data)),
        )
    )


def _by_means(data: TeamData, answers: Answers) -> Iterator[EstimateRow]:
    margin = data.protocol.analysis.margin
    pairs = mean_pairs(answers, measure(answers, answers.plan(data.plan)), ALL, margin)
    if None not in {row.estimate for row in select(pairs, PRIMARY)}:
        yield from _decided(pairs, Rule.of(answers, margin))


def _decided(pairs: Sequence[EstimateRow], rule: Rule) -> Iterator[EstimateRow]:
    """Yield each arm's discrimination less the reference's, and its verdict."""
    if rule.reference is not None:
        yield from select(pairs, PRIMARY, **{AGAINST: rule.reference})
        yield from verdict_rows(pairs, rule)


def _half(answers: Answers, *, later: bool) -> Answers | None:
    """Return the answers to half of each person's trials; None if their order isn't known."""
    position = answers.frame["position"]
    if position.isna().any():
        return None
    middle = position.groupby(answers.frame["participant"]).transform("median")
    return answers.of((position > middle) == later)


def _with_silent(data: TeamData) -> Answers | None:
    """Return the answers with silent trials as wrong ones; None if all were answered."""
    main = data.main[data.main["participant"].isin(data.answers.frame["participant"])]
    answered = main["decision"].isin([YES, NO])
    if answered.all():
        return None
    wrong = main["ai_correct"].astype(bool).map({True: NO, False: YES})
    decision = main["decision"].where(answered, wrong)
    return read_answers(main.assign(decision=decision), data.protocol)


def _agreement(answer: Estimates) -> Paragraph | None:
    return agreement(answer.rows(VERDICT), ("method",), lambda row: arm_name(row.of["method"]))


TABLE = choices_table(
    "Discrimination and verdicts on the images that were shown, under other choices.",
    (
        level_of("method", "Arm", arm_name),
        *corrected_of(PRIMARY),
        Column("Verdict", f"{VERDICT.id}.verdict"),
    ),
    by=("method",),
    note="Each arm less the reference. Choices are by means over participants and images, unless "
    "they say otherwise.",
)
OTHER_CHOICES = Question(
    id=ID,
    title=TITLE,
    answer=Estimates,
    quantities=(PRIMARY, VERDICT),
    combine=combine,
    step=STEP,
    parts=(_agreement, TABLE),
    registered=lambda _: promise(OTHER_WAY, OTHER_GROUP, SILENT, FIRST_HALF, SECOND_HALF),
)
"""Whether the verdicts are the same under other choices."""
