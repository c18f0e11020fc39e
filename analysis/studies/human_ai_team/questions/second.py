"""The same for those who qualified: what the published analysis rests on."""

from dataclasses import dataclass
from typing import Annotated, Literal

from analysis.questions.estimates import AGAINST, Estimates
from analysis.questions.pivot import pivot
from analysis.questions.question import Lacking, Promise, Question, Unavailable
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
)
from analysis.studies.human_ai_team.questions.accuracy import (
    arm_columns,
    of_reference,
    pair_columns,
)
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.strata import Base
from analysis.studies.human_ai_team.trials import ALL
from analysis.studies.human_ai_team.trust import OF_CHANGES, Changes
from analysis.studies.human_ai_team.words import against, pair


@dataclass(frozen=True, slots=True)
class Second(Estimates):
    """Accuracy, tests and the model for the group that the main results don't show."""

    of: Annotated[Literal["everybody", "qualified"], about("The group.")]
    reference: Annotated[str | None, about("The arm that others of the report are compared with.")]
    participants: Annotated[int, about("Participants.")]
    model: Annotated[LogisticFit, about("The mixed model.")]


def compute(data: TeamData) -> Second | Unavailable:
    """Return the same for the other group; for everybody, if the report is of the qualified."""
    answers = data.other_group
    if answers is None:
        return Unavailable()
    rules, rates, fit = data.protocol.analysis, measure(answers, data.plan), fitted_model(answers)
    base = Base.shown(answers)
    changes = Changes(
        answers,
        base,
        mean_pairs(answers, rates, ALL, rules.margin),
        effects_of(answers, fit, base, rules.margin),
    )
    return Second(
        (
            *per_user_accuracy(answers, rates, ALL),
            *accuracy_pairs(answers, rates),
            *changes.rows(),
            *changes.verdicts(rules),
        ),
        of="everybody" if data.rests_on_qualified else "qualified",
        reference=data.answers.reference,
        participants=answers.participants,
        model=model_row(fit),
    )


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
    """Return who they are, and accuracy by means."""
    who = "Everybody" if answer.of == "everybody" else "Only those who qualified"
    rows = answer.rows(DIFFERENCES[ACCURACY], by=MEANS, **against(answer.reference))
    differences = [
        f"{pair(row)} {points(row.estimate)} {interval(row.ci_low, row.ci_high, points)}"
        for row in rows
    ]
    by = f" By means, in points of right answers: {'; '.join(differences)}." if differences else ""
    number_of = count(answer.participants, "participant")
    return Paragraph(f"{who}: {number_of}.{by}")


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
    compute=compute,
    step="repeating for those who qualified",
    parts=(summary, BY_ARM, PAIRS),
    lacking=_lacking,
    registered=lambda _: Promise(
        "The same results for the group that the primary analysis doesn't take."
    ),
)
"""The same for the group that the main results don't show."""
