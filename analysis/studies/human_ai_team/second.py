"""The same for those who qualified: what the published analysis rests on."""

from typing import Any

from analysis.statistics.bootstrap import Resampling
from analysis.studies.human_ai_team.accuracy import per_user_accuracy
from analysis.studies.human_ai_team.comparisons import accuracy_pairs
from analysis.studies.human_ai_team.model import model_results
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.trials import ALL, Answers
from analysis.studies.human_ai_team.verdicts import verdict_rows


def second_analysis(
    everybody: Answers, qualified: Answers, plan: Resampling, *, primary: bool
) -> dict[str, Any] | None:
    """Return accuracy, tests and the model for the other group than the report's.

    Parameters
    ----------
    everybody, qualified
        Answers of everybody, and of those who qualified.
    plan
        How often is drawn.
    primary
        Whether the report rests on the qualified: then this is everybody.

    Returns
    -------
    dict or None
        None where the two groups are the same, or nobody is left.
    """
    if len(qualified.frame) in (0, len(everybody.frame)):
        return None
    answers = everybody if primary else qualified
    rates = measure(answers, plan)
    model = model_results(answers)
    return {
        "of": "everybody" if primary else "qualified",
        "participants": answers.participants,
        "per_user_accuracy": per_user_accuracy(answers, rates, ALL),
        "pairs": accuracy_pairs(answers, rates),
        "model": model,
        "verdicts": verdict_rows(model["pairs"], answers.reference),
    }
