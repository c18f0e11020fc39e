"""Checks of what the design of human_ai_team promises."""

import pandas as pd

from analysis.report.checks import Check, arm_sizes_check
from analysis.report.wording import count, percent
from analysis.studies.human_ai_team.trials import Answers
from stimuli.studies.human_ai_team.protocol import HumanAiTeam


def design_checks(answers: Answers, protocol: HumanAiTeam, known: bool) -> list[Check]:
    """Return whether the trials are those that the design plans."""
    return [
        _one_arm(answers),
        _once(answers),
        _balanced(answers),
        _complete(answers, protocol, known),
        _answered(answers),
        _one_truth(answers.frame),
    ]


def _one_arm(answers: Answers) -> Check:
    both = int((answers.frame.groupby("participant")["method"].nunique() > 1).sum())
    said = (
        f"{count(both, 'participant')} answered in several arms; comparisons are within "
        "participants."
        if both
        else "Everybody answered in one arm."
    )
    return Check(
        "Arms are between participants", "note" if both else "passed", said, {"both": both}
    )


def _once(answers: Answers) -> Check:
    twice = int(answers.frame.duplicated(["participant", "item", "method"]).sum())
    said = f"{count(twice, 'image')} shown twice to the same participant in an arm."
    return Check(
        "Nobody saw an image twice",
        "warning" if twice else "passed",
        said if twice else "Nobody did.",
        {"repeated_images": twice},
    )


def _balanced(answers: Answers) -> Check:
    sizes = answers.frame.groupby("method")["participant"].nunique()
    return arm_sizes_check("Arms are about equally large", sizes)


def _complete(answers: Answers, protocol: HumanAiTeam, known: bool) -> Check:
    name = "Everyone has all main trials"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    planned = protocol.bins.trials_per_sheet
    short = int((answers.frame["participant"].value_counts() < planned).sum())
    said = f"{count(short, 'participant')} with fewer than the {planned} planned."
    return Check(name, "note" if short else "passed", said, {"with_fewer": short})


def _answered(answers: Answers) -> Check:
    silent, n = sum(answers.unanswered.values()), len(answers.frame)
    said = f"{count(silent, 'main trial')} without an answer ({percent(silent / (silent + n), 1)})."
    return Check(
        "Every main trial was answered", "note" if silent else "passed", said, {"silent": silent}
    )


def _one_truth(frame: pd.DataFrame) -> Check:
    odd = int((frame.groupby("item")["right"].nunique() > 1).sum())
    said = (
        f"For {count(odd, 'image')} the table says both that the AI is right and that it is "
        "wrong. An image with another label is another item."
        if odd
        else "The table is consistent for every image."
    )
    state = "warning" if odd else "passed"
    return Check("The AI is right or wrong on an image", state, said, {"odd_images": odd})
