"""What is asked of the data: do people choose the answer that stands first?

A question is its answer's type, what computes it, and what the report says of it.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Found, Promise, Question, Whole
from analysis.questions.trials import TrialData, trial_inquiry
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, Fact, limits
from analysis.report.wording import count, interval, percent
from analysis.statistics.proportions import Count, wilson
from analysis.study import Study, TableBeside


@dataclass(frozen=True, slots=True)
class ItemShare:
    """How often an item's first answer was chosen."""

    answers: Annotated[str, about("The answers from left to right.")]
    share: Annotated[float, about("Share of answers, 0 to 1.")]
    ci_low: Annotated[float, about("Lower end of Wilson's 95 % interval.")]
    ci_high: Annotated[float, about("Its upper end.")]
    n: Annotated[int, about("Number of answers.")]


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """How often the answer that stands first was chosen."""

    chance: Annotated[float, about("The share by chance, 0 to 1.")]
    share: Annotated[float, about("Share of answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Lower end of its 95 % interval.")]
    ci_high: Annotated[float | None, about("Its upper end.")]
    by_item: Annotated[tuple[ItemShare, ...], about("The same by item.")]


def compute(data: TrialData, found: Found) -> FirstAnswer:
    """Return how often the first answer was chosen."""
    answered = data.answered
    share = data.share(answered["place"] == 1)
    by_item = tuple(item_share(str(name), own) for name, own in answered.groupby("answers"))
    keys = data.dataset.protocol.choice.keys
    return FirstAnswer(1 / len(keys), share.estimate, share.ci_low, share.ci_high, by_item)


def item_share(answers: str, own: Any) -> ItemShare:
    """Return how often an item's first answer was chosen; each person saw the item once."""
    share = wilson(Count(int((own["place"] == 1).sum()), len(own)))
    return ItemShare(answers, share.estimate, share.ci_low, share.ci_high, len(own))


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
        Column("Answers", "answers"),
        Column("First", "share", percent),
        limits(percent),
        Column("n", "n", str, "answers"),
    ),
)
FIRST_ANSWER = Question(
    id="first_answer",
    title="The answer that stands first",
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
STUDY = Study.of_questions(
    lambda: trial_inquiry(
        "preferences",
        "preferences: do people choose what stands first?",
        (FIRST_ANSWER,),
        limit_s=lambda protocol: protocol.choice.limit_s,
    ),
    beside={"items": TableBeside(("item",), "Its item table, with --trials.")},
)
