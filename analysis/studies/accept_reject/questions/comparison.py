"""Whether S is worse than, like or better than E, with explanations."""

from typing import cast

from analysis.questions.estimates import Estimates
from analysis.questions.question import Lacking, Question, Whole
from analysis.report.few_people import these_people
from analysis.report.methods import equivalence
from analysis.report.results import called
from analysis.report.wording import interval, number
from analysis.studies.accept_reject.against_experts import (
    AGAINST_E,
    difference_words,
    in_general,
    of_all,
    verdict_fact,
    verdict_sentence,
)
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.rates import COMPARISON as WITH
from analysis.studies.accept_reject.rates import RATIO, ratio
from stimuli.studies.accept_reject.protocol import AcceptReject


def compute(data: LeadData) -> Estimates:
    """Return S's acceptance less E's within the decision time, with explanation; their ratio."""
    against = of_all(
        data.rates.estimate(WITH),
        None if data.general is None else data.general.estimate(WITH),
        data.protocol.analysis.margin,
        few=data.plan.people == "fixed",
        n=data.rates.n(WITH),
    )
    return Estimates((*against, ratio(data.rates)))


def comparison_words(answer: Estimates, noun: str) -> str:
    """Return difference, verdict and ratio; it stands beside acceptance.

    Parameters
    ----------
    answer
        The answer.
    noun
        What a lead is called.
    """
    row, general, acc_l = answer.row(AGAINST_E), in_general(answer), answer.row(RATIO)
    if row.estimate is None:
        return "S can’t be compared with E: one of them has no explained trials."
    text = (
        f"With explanations S against E: {difference_words(row)} (like: the 90 % interval lies "
        "within the margin; worse or better: the 95 % interval lies wholly beyond it; else "
        "undecided). "
    )
    if general is not None:
        text += f"For {noun}s in general: {difference_words(general)}. "
    if acc_l.estimate is None:
        return f"{text}The ratio acc_L = p_S / p_E is {acc_l.note}."
    text += f"Ratio acc_L = p_S / p_E = {number(acc_l.estimate)}"
    if acc_l.ci_low is None:
        return f"{text} ({acc_l.note})."
    return f"{text} {interval(acc_l.ci_low, acc_l.ci_high)}, limits found on the log scale."


def compared_sentences(whole: Whole) -> list[str]:
    """Return S against E, for the top of the report."""
    answer = whole.of(COMPARISON)
    row, general = answer.row(AGAINST_E), in_general(answer)
    if row.estimate is None:
        return ["S can't be compared with E: one of them has no explained trials."]
    if general is None:
        return [f"With explanations, {verdict_sentence(row)}."]
    noun, beyond = called(whole.frame.data, "lead"), ""
    who = these_people(whole.frame.data.participants, noun)
    if general.ci_low is not None:
        beyond = f" For {noun}s in general, {verdict_sentence(general)}."
    return [f"For {who}, with explanations, {verdict_sentence(row)}.{beyond}"]


def _methods(answer: Estimates, whole: Whole) -> list[str]:
    rules = cast(AcceptReject, whole.protocol).analysis
    return [
        *equivalence(answer.row(AGAINST_E).margin, rules.margin_reason, "Calling S like E"),
        f"Intervals of rates and their differences are {whole.frame.intervals}.",
    ]


def _lacking(_: LeadData, answer: Estimates | None) -> list[Lacking]:
    assert answer is not None
    reason = answer.row(RATIO).note
    return [Lacking("the ratio p_S / p_E or its limits", reason)] if reason else []


COMPARISON = Question(
    id="comparison",
    title="S against E",
    answer=Estimates,
    quantities=(AGAINST_E, RATIO),
    compute=compute,
    facts=lambda answer, _: [verdict_fact(answer.row(AGAINST_E), "S against E, explained")],
    methods=_methods,
    lacking=_lacking,
)
"""S against E. It has no section of its own: its sentences stand beside acceptance."""
