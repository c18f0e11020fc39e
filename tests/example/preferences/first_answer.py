"""The question whether people choose the first answer.

A question is its answer's type, what computes it, and what the report says of it.
"""

from dataclasses import dataclass
from typing import Annotated

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Found, Promise, Question, Whole
from analysis.questions.trials import ShareOf, TrialData
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, Fact, limits
from analysis.report.wording import count, interval, percent


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """How often the first answer, on the left, was chosen."""

    chance: Annotated[float, about("The share by chance, 0 to 1.")]
    share: Annotated[float, about("Share of answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, about("Its upper end.")]
    by_item: Annotated[tuple[ShareOf, ...], about("The same by item, named by its answers.")]


def compute(data: TrialData, found: Found) -> FirstAnswer:
    """Return how often the first answer was chosen."""
    chosen = data.answered["place"] == 1
    share, by_item = data.share(chosen), data.share_by(chosen, "answers")
    keys = data.dataset.protocol.choice.keys
    return FirstAnswer(1 / len(keys), share.estimate, share.ci_low, share.ci_high, by_item)


def sentence(found: FirstAnswer, whole: Whole) -> list[str]:
    """Return what the study shows, for the top of the report."""
    people = count(whole.frame.data.participants, "participant")
    between = interval(found.ci_low, found.ci_high, percent)
    return [
        f"{people} chose the first answer in {percent(found.share)} {between}; "
        f"chance is {percent(found.chance)}."
    ]


BY_ITEM = ReportTable(
    "by_item",
    "by_item",
    "How often the first answer was chosen.",
    (
        Column("Answers", "name"),
        Column("First", "share", percent),
        limits(percent),
        Column("n", "n", str, "answers"),
    ),
)
FIRST_ANSWER = Question(
    id="first_answer",
    title="The first answer",
    answer=FirstAnswer,
    compute=compute,
    parts=(BY_ITEM,),
    facts=lambda found, whole: (Fact(percent(found.share), "of answers are the first one"),),
    headline=sentence,
    registered=lambda protocol: Promise(
        "primary",
        "The share of first answers, with its 95 % interval over participants and items.",
        hypotheses=(
            Hypothesis(
                "H1",
                "People choose the first answer more often than chance.",
                "The interval lies above the share by chance.",
            ),
        ),
    ),
)
