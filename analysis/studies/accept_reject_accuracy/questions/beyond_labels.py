"""Answers beyond the data set's labels: whether leads accept what S says instead."""

from dataclasses import dataclass
from typing import Annotated, Final

from analysis.questions.estimates import Estimates, Quantity, estimate_row, share_row
from analysis.questions.question import Question
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import bare_percent, count, estimated
from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.words import TENTHS
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import HALF

MOST_LABELS: Final = 20
ACCEPTED = Quantity(
    "other_accepted", "Accepted",
    "Share of judgements that accept S's labels where these aren't the data set's.", TENTHS,
)  # fmt: skip
BY_MOST = Quantity(
    "other_accepted_by_most", "Accepted by most",
    "Share of S's labels that aren't the data set's which most leads accept.", TENTHS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BetterLabel:
    """An image on which most leads accept S's label and most reject the data set's."""

    item: Annotated[str, about("The image.")]
    system_label: Annotated[str, about("S's label.")]
    true_label: Annotated[str, about("The data set's label.")]


@dataclass(frozen=True, slots=True)
class BeyondLabels(Estimates):
    """S's labels where they aren't the data set's."""

    better_than_label: Annotated[
        tuple[BetterLabel, ...], about("Images whose label by S most leads prefer.")
    ]


def compute(data: AccuracyData) -> BeyondLabels:
    """Return how often S's label is accepted where it is not the data set's."""
    pairs = data.judgements.pairs
    other = [pair for pair in pairs if pair.of_system and not pair.of_expert]
    expert = {pair.task: pair for pair in pairs if pair.of_expert}
    accepted = Count(sum(pair.accepted for pair in other), sum(pair.n for pair in other))
    liked = [pair for pair in other if pair.rate > HALF]
    share = len(liked) / len(other) if other else None
    return BeyondLabels(
        (
            share_row(ACCEPTED, {}, accepted),
            estimate_row(BY_MOST, {}, share, len(other)),
        ),
        tuple(
            BetterLabel(pair.item, pair.label, pair.true_label)
            for pair in liked
            if pair.task in expert and expert[pair.task].rate < HALF
        ),
    )


def summary(answer: BeyondLabels) -> Paragraph:
    """Return on how many images S's label differs, and how often it is accepted."""
    share, labels = answer.row(ACCEPTED), answer.row(BY_MOST)
    accepted = estimated(bare_percent, share.estimate, share.ci_low, share.ci_high, " %")
    return Paragraph(
        f"On {count(labels.n, 'judged image')} the system’s label differs from the data "
        f"set’s. Leads accept {accepted} of these; most "
        f"leads accept {labels.count} of them. Against the data set each counts as "
        "an error."
    )


BETTER = ReportTable(
    "",
    lambda answer: answer.better_than_label[:MOST_LABELS],
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
    quantities=(ACCEPTED, BY_MOST),
    compute=compute,
    parts=(summary, BETTER),
    shown=lambda answer: answer.row(BY_MOST).n,
)
"""Whether leads accept S's label where it isn't the data set's."""
