"""The same for those who qualified: what the published analysis rests on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from analysis.questions.estimates import AGAINST, EstimateRow, Estimates
from analysis.questions.pivot import pivot
from analysis.questions.question import Answered, Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.deciding import MEANS
from analysis.report.model import LogisticFit
from analysis.report.parts import Paragraph
from analysis.report.wording import count, interval, points
from analysis.studies.human_ai_team.accuracy import accuracy_pairs, per_user_accuracy
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.differences import mean_pairs
from analysis.studies.human_ai_team.model import effects_of, fitted_model, model_row
from analysis.studies.human_ai_team.quantities import (
    ACCURACY,
    DIFFERENCES,
    OF_ARM,
    OF_MODEL,
    OF_PAIR,
    TESTED,
    VERDICT,
)
from analysis.studies.human_ai_team.questions.accuracy import (
    arm_columns,
    of_reference,
    pair_columns,
)
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.strata import Base
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.trust import OF_CHANGES, Changes
from analysis.studies.human_ai_team.words import against, arm_name, pair


@dataclass(frozen=True, slots=True)
class Second(Estimates):
    """Accuracy, tests and the model for the group that the main results don't show."""

    of: Annotated[Literal["everybody", "qualified"], about("The group.")]
    reference: Annotated[str | None, about("The arm that others of the report are compared with.")]
    participants: Annotated[int, about("Participants.")]
    model: Annotated[LogisticFit, about("The mixed model.")]
    changed: Annotated[
        tuple[str, ...],
        about("Arms whose verdict differs from the report's, or which only one of both has."),
    ]


def combine(data: TeamData, earlier: Answered) -> Second | Unavailable:
    """Return the same for the other group; for everybody, if the report is of the qualified."""
    everybody, qualified = data.everybody, data.qualified
    if len(qualified.frame) in (0, len(everybody.frame)):
        return Unavailable()
    answers = everybody if data.rests_on_qualified else qualified
    rules, rates, fit = data.protocol.analysis, measure(answers, data.plan), fitted_model(answers)
    base = Base.shown(answers)
    changes = Changes(
        answers,
        base,
        mean_pairs(answers, rates, ALL, rules.margin),
        effects_of(answers, fit, base, rules.margin),
    )
    verdicts = tuple(changes.verdicts(rules))
    return Second(
        (
            *per_user_accuracy(answers, rates, ALL),
            *accuracy_pairs(answers, rates),
            *changes.rows(),
            *verdicts,
        ),
        of="everybody" if data.rests_on_qualified else "qualified",
        reference=data.answers.reference,
        participants=answers.participants,
        model=model_row(fit),
        changed=changed_arms(verdicts, earlier.of(TRUST).rows(VERDICT, base=ALL)),
    )


def changed_arms(second: Iterable[EstimateRow], first: Iterable[EstimateRow]) -> tuple[str, ...]:
    """Return the arms of either group whose verdict isn't the same in both."""
    here, there = ({row.of["method"]: row.verdict for row in rows} for rows in (second, first))
    return tuple(arm for arm in {**there, **here} if here.get(arm) != there.get(arm))


def _group(answer: Second) -> str:
    return "everybody" if answer.of == "everybody" else "only those who qualified"


BY_ARM = pivot(
    lambda answer: f"Accuracy per participant, {_group(answer)}.",
    arm_columns(),
    by=("method",),
    of=lambda answer: answer.rows(*OF_ARM, part=ALL),
)
PAIRS = pivot(
    lambda answer: f"Arms compared, {_group(answer)}.",
    pair_columns(),
    by=("method", AGAINST),
    of=of_reference,
)


def summary(answer: Second) -> Paragraph:
    """Return who they are, which verdicts differ, and accuracy by means."""
    who = "Everybody" if answer.of == "everybody" else "Only those who qualified"
    rows = answer.rows(DIFFERENCES[ACCURACY], by=MEANS, **against(answer.reference))
    differences = [
        f"{pair(row)} {points(row.estimate)} {interval(row.ci_low, row.ci_high, points)}"
        for row in rows
    ]
    by = f" By means, in points of right answers: {'; '.join(differences)}." if differences else ""
    number_of = count(answer.participants, "participant")
    return Paragraph(f"{who}: {number_of}{_compared(answer)}.{by}")


def _compared(answer: Second) -> str:
    """Return which verdicts differ, or that every verdict is the same; empty without verdicts."""
    verdicts = {row.of["method"]: row.verdict for row in answer.rows(VERDICT)}
    if answer.changed:
        each = [f"{arm_name(arm)}: {verdicts.get(arm, 'no verdict')}" for arm in answer.changed]
        return f"; verdicts that differ: {'; '.join(each)}"
    return "; every verdict is the same" if verdicts else ""


def _lacking(data: TeamData, _: Second | None) -> list[Lacking]:
    if any(person.qualified is not None for person in data.people):
        return []
    reason = "there are neither validation trials nor a column qualified"
    return [Lacking("the second analysis, of the qualified", reason)]


SECOND = Question(
    id="second",
    title="The same for those who qualified",
    answer=Second,
    quantities=tuple(dict.fromkeys((*OF_ARM, *OF_PAIR, *OF_MODEL, *TESTED, *OF_CHANGES))),
    combine=combine,
    step="repeating for those who qualified",
    parts=(summary, BY_ARM, PAIRS),
    lacking=_lacking,
    registered=lambda _: Promise(
        "The same results for the group that the primary analysis doesn't take."
    ),
)
"""The same for the group that the main results don't show."""
