"""The same for those who qualified: what the published analysis rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from analysis.questions.question import Answered, Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.estimates import MODEL, used
from analysis.report.model import LogisticFit
from analysis.report.parts import Column, Paragraph, holm_limits, limits
from analysis.report.wording import (
    count,
    grouped,
    interval,
    number,
    p_value,
    points,
    rounded,
)
from analysis.studies.human_ai_team.accuracy import (
    AccuracyPair,
    ArmAccuracy,
    accuracy_pairs,
    per_user_accuracy,
)
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.model import Effects, effects_of, fitted_model, model_row
from analysis.studies.human_ai_team.questions.accuracy import of_all_images
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.rates import ACCURACY, PairEffect, mean_pairs, measure
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.verdicts import Rule, Verdict, verdict_rows
from analysis.studies.human_ai_team.words import against, arm, arm_name, pair, statistic


@dataclass(frozen=True, slots=True)
class Second:
    """Accuracy, tests and the model for the group that the main results don't show."""

    of: Annotated[Literal["everybody", "qualified"], about("The group.")]
    reference: Annotated[str | None, about("The arm that others of the report are compared with.")]
    participants: Annotated[int, about("Participants.")]
    by_arm: Annotated[tuple[ArmAccuracy, ...], about("Accuracy per participant by arm.")]
    pairs: Annotated[tuple[AccuracyPair, ...], about("Arms compared pair by pair, by images.")]
    model: Annotated[LogisticFit, about("The mixed model.")]
    effects: Annotated[Effects, about("What the mixed model says.")]
    verdicts: Annotated[tuple[Verdict, ...], about("What each kind of help does.")]
    changed: Annotated[
        tuple[str, ...],
        about("Arms whose verdict differs from the report's, or which only one of both has."),
    ]
    means: Annotated[
        tuple[PairEffect, ...],
        about("Differences of arms by means over participants and images."),
    ]


def combine(data: TeamData, earlier: Answered) -> Second | Unavailable:
    """Return the same for the other group; for everybody, if the report is of the qualified."""
    everybody, qualified = data.everybody, data.qualified
    if len(qualified.frame) in (0, len(everybody.frame)):
        return Unavailable()
    answers = everybody if data.rests_on_qualified else qualified
    rates, fit = measure(answers, data.plan), fitted_model(answers)
    effects, means = effects_of(answers, fit), mean_pairs(answers, rates, ALL)
    rules = data.protocol.analysis
    by = used(rules.primary_test, bool(effects.pairs))
    decided = effects.pairs if by == MODEL else means
    verdicts = verdict_rows(decided, Rule.of(answers, rules.margin), ALL, by)
    first = [row for row in earlier.of(TRUST).verdicts if row.base == ALL]
    return Second(
        of="everybody" if data.rests_on_qualified else "qualified",
        reference=data.answers.reference,
        participants=answers.participants,
        by_arm=per_user_accuracy(answers, rates, ALL),
        pairs=accuracy_pairs(answers, rates),
        model=model_row(fit),
        effects=effects,
        verdicts=verdicts,
        changed=changed_arms(verdicts, first),
        means=means,
    )


def changed_arms(second: Sequence[Verdict], first: Sequence[Verdict]) -> tuple[str, ...]:
    """Return the arms of either group whose verdict isn't the same in both."""
    here, there = ({row.method: row.verdict for row in rows} for rows in (second, first))
    return tuple(arm for arm in {**there, **here} if here.get(arm) != there.get(arm))


def _group(found: Second) -> str:
    return "everybody" if found.of == "everybody" else "only those who qualified"


def _tested(found: Second) -> list[AccuracyPair]:
    return against(found.reference, of_all_images(found.pairs))


BY_ARM = ReportTable(
    "second",
    "by_arm",
    lambda found: f"Accuracy per participant, {_group(found)}.",
    (
        Column("Arm", arm()),
        Column("Participants", "n", grouped, "n"),
        Column("Mean", "mean", number, "%"),
        limits(rounded(number, 1)),
        Column("SD", "sd", number, "n − 1"),
        Column("SD", "sd_n", number, "n"),
    ),
)
PAIRS = ReportTable(
    "second_pairs",
    _tested,
    lambda found: f"Arms compared, {_group(found)}.",
    (
        Column("Arms", pair),
        Column("U or V", statistic, str),
        Column("Shift", "shift", points, "points"),
        holm_limits(points),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Not given", "note"),
    ),
)


def summary(found: Second) -> Paragraph:
    """Return who they are, which verdicts differ, and accuracy by means."""
    who = "Everybody" if found.of == "everybody" else "Only those who qualified"
    differences = [
        f"{pair(row)} {points(row.estimate)} {interval(row.ci_low, row.ci_high, points)}"
        for row in against(found.reference, found.means)
        if row.quantity == ACCURACY
    ]
    by = f" By means, in points of right answers: {'; '.join(differences)}." if differences else ""
    number_of = count(found.participants, "participant")
    return Paragraph(f"{who}: {number_of}{_compared(found)}.{by}")


def _compared(found: Second) -> str:
    """Return which verdicts differ, or that every verdict is the same; empty without verdicts."""
    if found.changed:
        own = {row.method: row.verdict for row in found.verdicts}
        each = [f"{arm_name(arm)}: {own.get(arm, 'no verdict')}" for arm in found.changed]
        return f"; verdicts that differ: {'; '.join(each)}"
    return "; every verdict is the same" if found.verdicts else ""


def _lacking(data: TeamData, _: Second | None) -> list[Lacking]:
    if any(person.qualified is not None for person in data.people):
        return []
    reason = "there are neither validation trials nor a column qualified"
    return [Lacking("the second analysis, of the qualified", reason)]


SECOND = Question(
    id="second",
    title="The same for those who qualified",
    answer=Second,
    combine=combine,
    step="repeating for those who qualified",
    parts=(summary, BY_ARM, PAIRS),
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "The same results for the group that the primary analysis doesn't take."
    ),
)
"""The same for the group that the main results don't show."""
