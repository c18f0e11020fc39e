"""Whether S is worse than, like or better than E, with explanations."""

from dataclasses import asdict, dataclass
from typing import Annotated

from analysis.questions.question import Lacking, Question, Whole
from analysis.report.about import about
from analysis.report.few_people import these_people
from analysis.report.parts import Fact
from analysis.report.results import called
from analysis.report.wording import interval, number, unsigned_points
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.rates import Ratio, TimedDifference, comparison, ratio
from analysis.studies.accept_reject.words import difference_words, verdict_sentence


@dataclass(frozen=True, slots=True)
class Comparison(TimedDifference):
    """S's acceptance against E's within the decision time, both with explanation."""

    ratio: Annotated[Ratio, about("acc_L = p_S / p_E.")]
    general: Annotated[
        TimedDifference | None,
        about("The same for leads in general, if these are few; else null: it is the above."),
    ] = None


def compute(data: LeadData) -> Comparison:
    """Return S's acceptance less E's, and their ratio."""
    rates = data.rates
    cutoff_s, margin = data.judged.cutoff_s, data.protocol.analysis.margin
    general = None if data.general is None else comparison(data.general, cutoff_s, margin)
    difference = comparison(rates, cutoff_s, margin)
    return Comparison(**asdict(difference), ratio=ratio(rates), general=general)


def comparison_words(found: Comparison, noun: str) -> str:
    """Return difference, verdict and ratio; it stands beside acceptance.

    Parameters
    ----------
    found
        The answer.
    noun
        What a lead is called.
    """
    if found.difference is None:
        return "S can’t be compared with E: one of them has no explained trials."
    text = (
        f"With explanations S against E: {difference_words(found)} (like: the 90 % interval lies "
        "within the margin; worse or better: the 95 % interval lies wholly beyond it; else "
        "undecided). "
    )
    if found.general is not None:
        text += f"For {noun}s in general: {difference_words(found.general)}. "
    own = found.ratio
    if own.estimate is None:
        return f"{text}The ratio acc_L = p_S / p_E is {own.reason}."
    text += f"Ratio acc_L = p_S / p_E = {number(own.estimate)}"
    if own.ci_low is None:
        return f"{text} ({own.reason})."
    return f"{text} {interval(own.ci_low, own.ci_high)}, limits found on the log scale."


def _headline(found: Comparison, whole: Whole) -> list[str]:
    if found.difference is None:
        return ["S can't be compared with E: one of them has no explained trials."]
    if found.general is None:
        return [f"With explanations, {verdict_sentence(found)}."]
    noun, general = called(whole.frame.data, "lead"), found.general
    who, beyond = these_people(whole.frame.data.participants, noun), ""
    if general.ci_low is not None:
        beyond = f" For {noun}s in general, {verdict_sentence(general)}."
    return [f"For {who}, with explanations, {verdict_sentence(found)}.{beyond}"]


def _methods(found: Comparison, whole: Whole) -> list[str]:
    return [
        f"S was compared with E at an equivalence margin of {unsigned_points(found.margin)} "
        "percentage points. Intervals of rates and their differences are "
        f"{whole.frame.intervals}."
    ]


def _lacking(_: LeadData, found: Comparison | None) -> list[Lacking]:
    assert found is not None
    if not found.ratio.reason:
        return []
    return [Lacking("the ratio p_S / p_E or its limits", found.ratio.reason)]


COMPARISON = Question(
    id="comparison",
    title="S against E",
    answer=Comparison,
    compute=compute,
    facts=lambda found, _: [Fact(found.verdict, "S against E, explained")],
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
)
"""S against E. It has no section of its own: its sentences stand beside acceptance."""
