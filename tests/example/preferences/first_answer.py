"""The question whether people choose the first answer.

A question is what it estimates, what computes that, and what the report says of it.
"""

from typing import Any

from analysis.questions.estimates import Estimates, Quantity, estimate_row
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Promise, Question, Whole
from analysis.questions.registered import Criterion, Hypothesis
from analysis.questions.trials import TrialData
from analysis.report.parts import Fact
from analysis.report.wording import count, interval, percent

CHANCE = Quantity("chance", "Chance", "Share of first answers by chance.", percent)
FIRST = Quantity("first", "First", "Share of answers that are the first one.", percent)
OF_ITEM = Quantity("first_of_item", "First", "The same of an item, by its answers.", percent)


def share_by_chance(protocol: Any) -> float:
    """Return the share of first answers by chance."""
    return 1 / len(protocol.trial.answer_keys)


def compute(data: TrialData) -> Estimates:
    """Return how often the first answer, on the left, was chosen."""
    chosen = data.answered["place"] == 1
    whole, items = data.share(FIRST, chosen), data.share_by(OF_ITEM, chosen, "answers")
    return Estimates(
        (estimate_row(CHANCE, {}, share_by_chance(data.dataset.protocol)), whole, *items)
    )


def sentence(answer: Estimates, whole: Whole) -> list[str]:
    """Return what the study shows, for the top of the report."""
    people = count(whole.frame.data.participants, "participant")
    share, chance = answer.row(FIRST), answer.row(CHANCE)
    between = interval(share.ci_low, share.ci_high, percent)
    return [
        f"{people} chose the first answer in {percent(share.estimate)} {between}; "
        f"chance is {percent(chance.estimate)}."
    ]


BY_ITEM = pivot(
    "How often the first answer was chosen.",
    (
        level_of("answers", "Answers"),
        value_of(OF_ITEM),
        limits_of(OF_ITEM),
        n_of(OF_ITEM, "n", "answers"),
    ),
    by=("answers",),
    of=lambda answer: answer.rows(OF_ITEM),
)
FIRST_ANSWER = Question(
    id="first_answer",
    title="The first answer",
    answer=Estimates,
    quantities=(CHANCE, FIRST, OF_ITEM),
    compute=compute,
    parts=(BY_ITEM,),
    facts=lambda answer, whole: (
        Fact(percent(answer.row(FIRST).estimate), "of answers are the first one"),
    ),
    headline=sentence,
    registered=lambda protocol: Promise(
        "The share of first answers, with its 95 % interval over participants and items.",
        hypotheses=(
            Hypothesis(
                "H1",
                "People choose the first answer more often than chance.",
                (
                    Criterion(
                        "the share of first answers", FIRST, {}, "above", share_by_chance(protocol)
                    ),
                ),
            ),
        ),
    ),
)
