"""Who took part, under which rules, and who is left out of the second analysis."""

from dataclasses import dataclass
from typing import Annotated, Final, cast

from analysis.questions.question import Question, Whole
from analysis.report.about import about
from analysis.report.declared import MOST_LISTED, ReportTable
from analysis.report.parts import Column
from analysis.report.results import called, coded_name, counted, robots_first, sample_facts, values
from analysis.report.wording import NOTHING, count, grouped, number, percent
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.people import Lead, LeftOut
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

NOUN: Final = "lead"


@dataclass(frozen=True, slots=True)
class Participants:
    """Who took part, and what they were shown."""

    cutoff_s: Annotated[float, about("Within what time an acceptance counts, seconds.")]
    cutoff_mode: Annotated[
        str, about("internal: later acceptances don't count; visible: the image leaves the screen.")
    ]
    limit_s: Annotated[float, about("The longest time to an answer, seconds.")]
    systems: Annotated[list[str], about("Classifiers (S).")]
    experts: Annotated[list[str], about("Sources of the data set's labels (E).")]
    labels: Annotated[int, about("Classes of the images.")]
    leads: Annotated[tuple[Lead, ...], about("Everybody who judged a trial.")]
    compliance_minimum: Annotated[
        float, about("Least share of controls that a lead must reject, 0 to 1.")
    ]
    by_hand: Annotated[tuple[str, ...], about("Leads who were left out by hand.")]
    by_rule: Annotated[tuple[LeftOut, ...], about("Leads who are left out of the second analysis.")]


def compute(data: AccuracyData) -> Participants:
    """Return who took part, and who is left out."""
    judged = data.judged
    solver = judged.frame["solver"]
    return Participants(
        cutoff_s=judged.cutoff_s,
        cutoff_mode=judged.mode,
        limit_s=judged.limit_s,
        systems=values(judged.frame[solver == "S"], "solver_id"),
        experts=values(judged.frame[solver == "E"], "solver_id"),
        labels=int(judged.frame["true_label"].nunique()),
        leads=data.leads,
        compliance_minimum=data.protocol.analysis.compliance_minimum,
        by_hand=data.left_out,
        by_rule=data.by_rule,
    )


def _rejected(row: Lead) -> str:
    return f"{percent(row.controls_rejected)} of {row.controls}" if row.controls else NOTHING


LEFT_OUT = ReportTable(
    "exclusions",
    "by_rule",
    "Left out by rule.",
    (Column("Lead", "participant"), Column("Why", "reason")),
    otherwise="No lead is left out by rule.",
)
LEADS = ReportTable(
    "participants",
    "leads",
    "Leads.",
    (
        Column("Lead", coded_name),
        Column("Trials", "trials", grouped, "n"),
        Column("Accepted, S", "accepted_S", percent),
        Column("Accepted, E", "accepted_E", percent),
        Column("Controls rejected", _rejected, str),
        Column("Median time", "median_rt_s", number, "s"),
    ),
    "As the lists drew the solvers; S and E had other images in each list.",
    shown=lambda answer: answer.leads if len(answer.leads) <= MOST_LISTED else (),
)


def people(answer: Participants, _: Whole) -> str:
    """Return what controls are for, and who is left out by them."""
    return (
        "Controls are wrong labels and no-solutions: leads who keep the guidelines reject them. A "
        f"lead who rejects fewer than {percent(answer.compliance_minimum)} of "
        "them is left out of the second analysis only. All results below are by intention to treat "
        "unless they say otherwise."
    )


def _methods(answer: Participants, whole: Whole) -> list[str]:
    data, protocol = whole.frame.data, cast(AcceptRejectAccuracy, whole.protocol)
    shares, place = protocol.solutions.shares, "beside" if protocol.cases == "images" else "above"
    cutoff = (
        f"The image left the screen after {answer.cutoff_s:g} s; the answer might follow until "
        f"{answer.limit_s:g} s."
        if answer.cutoff_mode == "visible"
        else f"An acceptance counted within {answer.cutoff_s:g} s; trials ended after "
        f"{answer.limit_s:g} s without an answer."
    )
    return [
        f"We assessed classification accuracy with {called(data, NOUN)}s (Saralajew et al. 2022, "
        f"section 2.3). {counted(data, NOUN)} judged {count(data.items, 'image')} of "
        f"{count(answer.labels, 'class', 'classes')}, one at a time, each with a label {place} it, "
        "and accepted or rejected the label; they were not told where labels came from.",
        "A lead saw an image once. In half of the lists an image came with the classifier’s most "
        "likely label (S), in half with the data set’s (E).",
        f"{percent(shares.wrong_label + shares.no_solution)} of the trials were controls: wrong "
        "labels and the word for no solution.",
        cutoff,
    ]


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    compute=compute,
    step="judging trials",
    parts=(LEFT_OUT, LEADS),
    facts=lambda _, whole: sample_facts(
        whole.frame.data, NOUN, whole.frame.data.trials, "trials", "image"
    ),
    headline=lambda _, whole: robots_first(whole.frame.data, NOUN),
    methods=_methods,
)
"""Who took part."""
