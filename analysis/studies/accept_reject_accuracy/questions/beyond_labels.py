"""Answers beyond the data set's labels: whether leads accept what S says instead."""

from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.question import Question
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.estimates import CountedShare
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import bare_percent, count, estimated
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import HALF

MOST_LABELS: Final = 20


@dataclass(frozen=True, slots=True)
class BetterLabel:
    """An image on which most leads accept S's label and most reject the data set's."""

    item: Annotated[str, about("The image.")]
    system_label: Annotated[str, about("S's label.")]
    true_label: Annotated[str, about("The data set's label.")]


@dataclass(frozen=True, slots=True)
class BeyondLabels:
    """S's labels where they aren't the data set's."""

    labels: Annotated[int, about("Judged labels of S that aren't the data set's.")]
    accepted: Annotated[CountedShare, about("Judgements of them that accept.")]
    accepted_by_most: Annotated[int, about("Of them, labels that most leads accept.")]
    better_than_label: Annotated[
        tuple[BetterLabel, ...], about("Images whose label by S most leads prefer.")
    ]


def compute(data: AccuracyData) -> BeyondLabels:
    """Return how often S's label is accepted where it is not the data set's."""
    pairs = data.judgements.pairs
    other = [pair for pair in pairs if pair.of_system and not pair.of_expert]
    expert = {pair.task: pair for pair in pairs if pair.of_expert}
    return BeyondLabels(
        labels=len(other),
        accepted=CountedShare.of(
            sum(pair.accepted for pair in other), sum(pair.n for pair in other)
        ),
        accepted_by_most=sum(pair.rate > HALF for pair in other),
        better_than_label=tuple(
            BetterLabel(pair.item, pair.label, pair.true_label)
            for pair in other
            if pair.rate > HALF and pair.task in expert and expert[pair.task].rate < HALF
        ),
    )


def summary(found: BeyondLabels) -> Paragraph:
    """Return on how many images S's label differs, and how often it is accepted."""
    share = found.accepted
    said = estimated(bare_percent, share.rate, share.ci_low, share.ci_high, " %")
    return Paragraph(
        f"On {count(found.labels, 'judged image')} the system’s label differs from the data "
        f"set’s. Leads accept {said} of these; most "
        f"leads accept {found.accepted_by_most} of them. Against the data set each counts as "
        "an error."
    )


BETTER = ReportTable(
    "",
    lambda found: found.better_than_label[:MOST_LABELS],
    "Most leads accept the system’s label and reject the data set’s.",
    (
        Column("Image", "item"),
        Column("System’s label", "system_label"),
        Column("Data set’s label", "true_label"),
    ),
)
BEYOND_LABELS = Question(
    id="beyond_labels",
    title="Answers beyond the data set’s labels",
    answer=BeyondLabels,
    compute=compute,
    parts=(summary, BETTER),
    shown=lambda found: found.labels,
)
"""Whether leads accept S's label where it isn't the data set's."""
