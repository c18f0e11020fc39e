"""Label uncertainty: on which labels leads disagree, and how far they agree at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row, share_row
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, spelled
from analysis.report.parts import Column, Fact, Paragraph, limits
from analysis.report.results import called
from analysis.report.style import BLUE, INK, ORANGE, WIDTH_IN, figure_style, subplots
from analysis.report.wording import (
    bare_percent,
    count,
    grouped,
    number,
    percent,
    with_limits,
)
from analysis.statistics.agreement import (
    Votes,
    alphas,
    entropy_bits,
    fleiss,
    krippendorff_alpha,
    pairwise_agreement,
)
from analysis.statistics.bootstrap import Resampling, percentile_interval
from analysis.statistics.proportions import LEVEL, Count, Interval, wilson
from analysis.studies.accept_reject.against_experts import AGAINST_E, verdict_fact
from analysis.studies.accept_reject.words import TENTHS
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import HALF, Pair
from analysis.studies.accept_reject_accuracy.questions.accuracy import ACCURACY
from analysis.studies.accept_reject_accuracy.questions.participants import NOUN

BINS: Final = 20
DISPUTED = Quantity(
    "disputed", "Disputed",
    "Share of the data set's labels with two judgements or more on which leads disagree.", TENTHS,
)  # fmt: skip
REJECTED = Quantity(
    "rejected_by_most", "Rejected by most",
    "Share of the data set's judged labels that most leads reject: they may be wrong.", TENTHS,
)  # fmt: skip
ENTROPY = Quantity(
    "mean_entropy_bits", "Entropy", "Mean entropy of labels with two judgements or more.",
    unit="bit",
)  # fmt: skip
ALIKE = Quantity(
    "agreement",
    "Plain agreement",
    "Share of pairs of judgements of a label that are alike.",
    TENTHS,
)
ALPHA = Quantity(
    "alpha", "Krippendorff’s alpha", "Krippendorff's alpha, with limits by resampling labels."
)
KAPPA = Quantity(
    "fleiss_kappa", "Fleiss’ kappa",
    "Fleiss' kappa; null if labels have unequal numbers of judgements.",
)  # fmt: skip
GIVEN_WORDS: Final = {"S": "system", "E": "data set", "both": "both"}


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """An image with a label, and how it was judged."""

    item: Annotated[str, about("The image.")]
    label: Annotated[str, about("The label.")]
    true_label: Annotated[str, about("The data set's label of the image.")]
    given_by: Annotated[str, about("Who gave the label: S, E or both.")]
    n: Annotated[int, about("Judgements.")]
    accepted: Annotated[int, about("Judgements that accept.")]
    rate: Annotated[float, about("Their share, 0 to 1.")]
    ci_low: Annotated[float, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float, about("Its upper 95 % limit (Wilson).")]
    entropy_bits: Annotated[
        float | None, about("Entropy of the judgements, bits; null for one judgement.")
    ]
    disputed: Annotated[bool, about("Whether leads disagree.")]


@dataclass(frozen=True, slots=True)
class Uncertainty(Estimates):
    """How certain labels are."""

    pairs: Annotated[tuple[JudgedLabel, ...], about("Every image with each of its judged labels.")]
    label_words: Annotated[dict[str, str], about("What labels are called in English.")]


def compute(data: AccuracyData) -> Uncertainty:
    """Return how certain labels are, the data set's above all."""
    pairs = data.judgements.pairs
    true = [pair for pair in pairs if pair.of_expert]
    twice = [pair for pair in true if pair.n > 1]
    disputed = Count(sum(pair.disputed for pair in twice), len(twice))
    rejected = Count(sum(pair.rate < HALF for pair in true), len(true))
    entropies = [entropy_bits(pair.accepted, pair.n) for pair in twice]
    mean_bits = float(np.mean(entropies)) if entropies else None
    return Uncertainty(
        (
            share_row(DISPUTED, {}, disputed),
            share_row(REJECTED, {}, rejected),
            estimate_row(ENTROPY, {}, mean_bits, len(twice)),
            *_agreement("all judged labels", pairs, data.plan),
            *_agreement("the data set’s labels", true, data.plan),
        ),
        tuple(_judged_label(pair) for pair in pairs),
        data.label_words,
    )


def _judged_label(pair: Pair) -> JudgedLabel:
    share = wilson(Count(pair.accepted, pair.n))
    return JudgedLabel(
        item=pair.item,
        label=pair.label,
        true_label=pair.true_label,
        given_by=pair.given_by,
        n=pair.n,
        accepted=pair.accepted,
        rate=share.estimate,
        ci_low=share.ci_low,
        ci_high=share.ci_high,
        entropy_bits=entropy_bits(pair.accepted, pair.n),
        disputed=pair.disputed,
    )


def _agreement(labels: str, pairs: Sequence[Pair], plan: Resampling) -> Iterator[EstimateRow]:
    """Yield agreement between leads on some labels."""
    votes = Votes.of([pair.accepted for pair in pairs], [pair.n for pair in pairs])
    of, n = {"labels": labels}, int((votes.n > 1).sum())
    yield estimate_row(ALIKE, of, pairwise_agreement(votes), n)
    yield estimate_row(ALPHA, of, _alpha(votes, plan), n)
    yield estimate_row(KAPPA, of, fleiss(votes), n)


def _alpha(votes: Votes, plan: Resampling) -> Interval:
    """Return alpha with its percentile interval over resampled units.

    Without a disagreement there is no interval: every resample would agree, too.
    """
    units, alpha = len(votes.n), krippendorff_alpha(votes)
    if units < 2 or alpha >= 1:
        return Interval(alpha, float("nan"), float("nan"))
    # Units with equal votes are drawn together: there are few kinds, however many units.
    kinds, times = np.unique(np.stack([votes.accepted, votes.n]), axis=1, return_counts=True)
    rng = np.random.Generator(np.random.PCG64(plan.seed))
    counts = rng.multinomial(units, times / units, size=plan.replicates)
    low, high = percentile_interval(alphas(Votes(*kinds), counts.astype(float)), LEVEL)
    return Interval(alpha, low, high)


def counted(row: EstimateRow) -> str:
    """Return a share as ``k of n (p)``; ``none`` where there is nothing to share."""
    return f"{row.count} of {row.n} ({percent(row.estimate, 1)})" if row.n else "none"


def introduction(answer: Uncertainty) -> Paragraph:
    """Return on how many labels leads disagree, and how many most of them reject."""
    disputed, rejected = answer.row(DISPUTED), answer.row(REJECTED)
    return Paragraph(
        f"Of the data set’s {rejected.n} judged labels, {disputed.n} were judged by "
        f"two leads or more. Leads disagree on {counted(disputed)}; the mean "
        f"entropy of a label is {number(answer.row(ENTROPY).estimate)} bit (0: all agree, 1: split "
        f"in halves). Most leads reject {counted(rejected)}"
        f"{': candidates for a wrong label' if rejected.count else ''}."
    )


def draw(answer: Uncertainty) -> Figure:
    """Return how many labels are accepted by how many leads: the data set's, and S's others."""
    of_data_set = [row.rate for row in answer.pairs if row.given_by != "S"]
    other = [row.rate for row in answer.pairs if row.given_by == "S"]
    panels = (
        ("Labels of the data set", of_data_set, ORANGE),
        ("Other labels of the system", other, BLUE),
    )
    edges = np.linspace(0, 1, BINS + 1)
    with figure_style():
        figure, both = subplots(1, 2, figsize=(WIDTH_IN, 2.5), sharex=True, layout="constrained")
        for axes, (title, rates, colour) in zip(both, panels, strict=True):
            axes.set_title(f"{title}, n = {grouped(len(rates))}")
            counts, _ = np.histogram(rates, edges)
            axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=colour, edgecolor="w")
            axes.axvline(0.5, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
            axes.set_xlim(0, 1)
            axes.set_xlabel("share of leads who accept the label")
            axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
            axes.set_ylim(0, max(1, 1.08 * max(counts, default=1)))
        both[0].set_ylabel("labels")
    return figure


FIGURE = ReportFigure(
    "label_uncertainty",
    "How many leads accept a label. Left: the data set’s labels; whatever lies left of the "
    "dotted line is rejected by most. Right: the system’s labels where they differ.",
    "Two histograms of the share of leads who accept a label",
    draw,
)
AGREEMENT = pivot(
    "Agreement between leads.",
    (
        level_of("labels", "Of"),
        n_of(ALPHA, "Labels"),
        value_of(ALIKE),
        value_of(ALPHA),
        limits_of(ALPHA),
        value_of(KAPPA),
    ),
    by=("labels",),
    of=lambda answer: answer.rows(ALIKE, ALPHA, KAPPA),
)
READING = Paragraph(
    "Alpha is agreement beyond what chance gives at these shares; where nearly all labels "
    "are accepted it is low even with few disputes, so plain agreement is beside it. "
    "Fleiss’ kappa needs equally many judgements of every label.",
    "quiet",
)


def _disputed(answer: Uncertainty) -> list[JudgedLabel]:
    """Return the labels on which leads disagree, the most uncertain first, in words."""
    rows = [
        replace(row, label=answer.label_words.get(row.label, row.label))
        for row in answer.pairs
        if row.disputed
    ]
    return sorted(rows, key=lambda row: (-(row.entropy_bits or 0), row.item))


LABELS = ReportTable(
    "labels",
    "pairs",
    "Labels on which leads disagree, most uncertain first.",
    (
        Column("Image", "item"),
        Column("Label", "label"),
        Column("Given by", spelled("given_by", GIVEN_WORDS)),
        Column("Accepted", lambda row: f"{row.accepted} of {row.n}", str),
        limits(bare_percent),
        Column("Entropy", "entropy_bits", number, "bit"),
    ),
    shown=_disputed,
)


def _facts(answer: Uncertainty, whole: Whole) -> list[Fact]:
    return [
        Fact(percent(answer.row(DISPUTED).estimate), "of the data set’s labels disputed"),
        # The verdict is the last fact of the strip.
        verdict_fact(whole.of(ACCURACY).row(AGAINST_E), "S against E"),
    ]


def _headline(answer: Uncertainty, whole: Whole) -> list[str]:
    lead = called(whole.frame.data, NOUN)
    disputed, rejected = answer.row(DISPUTED), answer.row(REJECTED)
    twice = (
        f"{lead}s disagree on {disputed.count} of the {disputed.n} labels of the data set "
        "that two or more judged"
        if disputed.n
        else f"no label of the data set was judged by two {lead}s"
    )
    labels = (
        f"{twice[0].upper()}{twice[1:]}; most {lead}s reject {rejected.count} of its "
        f"{rejected.n} labels."
    )
    return [labels, _agreement_sentence(answer.row(ALPHA), lead)]


def _agreement_sentence(alpha: EstimateRow, lead: str) -> str:
    if alpha.estimate is None:
        return (
            f"Agreement between {lead}s beyond chance can’t be given: nothing was judged twice, or "
            "all judgements are alike."
        )
    return (
        f"Agreement between {lead}s: Krippendorff’s alpha {number(alpha.estimate)}"
        f"{with_limits(alpha.ci_low, alpha.ci_high)} over {count(alpha.n or 0, 'label')}."
    )


def _methods(answer: Uncertainty, _: Whole) -> list[str]:
    drawn = ", with an interval over labels drawn again" if answer.has_limits(ALPHA) else ""
    return [
        "Label uncertainty is the entropy of a label’s acceptance, with Wilson’s interval.",
        *[f"Agreement between leads is Krippendorff’s alpha (2011){drawn}."]
        * (answer.row(ALPHA).estimate is not None),
    ]


UNCERTAINTY = Question(
    id="uncertainty",
    title="Label uncertainty",
    answer=Uncertainty,
    quantities=(DISPUTED, REJECTED, ENTROPY, ALIKE, ALPHA, KAPPA),
    compute=compute,
    parts=(introduction, FIGURE, AGREEMENT, READING, LABELS),
    facts=_facts,
    headline=_headline,
    methods=_methods,
    registered=lambda _: Promise("Entropy of each label's acceptance; agreement between leads."),
)
"""On which labels leads disagree."""
