"""How often the first answer is right, raw and corrected for guessing."""

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import limits_of, n_of, pivot, value_of
from analysis.questions.question import Promise, Question
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.questions.participants import RevealView
from analysis.studies.progressive_reveal.rates import CORRECTED, FIRST, GUESS, first_answers
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named


def compute(data: RevealData) -> Estimates:
    """Return how often first answers are right, by method; no rows if the table lacks them."""
    return Estimates(tuple(first_answers(data.table, data.plan)))


TABLE = pivot(
    "Right at the first attempt.",
    named(
        METHOD_COLUMN,
        value_of(FIRST),
        limits_of(FIRST),
        value_of(CORRECTED),
        limits_of(CORRECTED),
        n_of(FIRST, "Rounds"),
    ),
    by=("method",),
    of=lambda here: here.answer.estimates,
    note="Corrected: (rate − guess) / (1 − guess), guess one over the number of classes. Rounds "
    "without an answer count as not right.",
)
FIRST_ANSWERS = Question(
    id="first_answers",
    title="First answers",
    answer=Estimates,
    quantities=(FIRST, GUESS, CORRECTED),
    compute=compute,
    parts=(TABLE,),
    view=RevealView,
    needs={
        "first_attempt_right": "recognition at the first attempt, raw and corrected for guessing",
        "guess_rate": "recognition at the first attempt, corrected for guessing",
    },
    registered=lambda _: Promise("How often the first answer is right."),
)
"""How often the first answer is right."""
