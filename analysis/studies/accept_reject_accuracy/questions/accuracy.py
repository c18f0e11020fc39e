"""How accurate the system is for leads: acceptance of its labels and of the data set's."""

from fractions import Fraction
from typing import Any, Final

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Promise, Question, Whole, Within
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.few_people import few_rule, these_people, why_wide
from analysis.report.missing import holds_for
from analysis.report.parts import Column, Fact, Paragraph, share_with_limits
from analysis.report.results import called
from analysis.report.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    SOFT,
    WIDTH_IN,
    figure_style,
    subplots,
)
from analysis.report.wording import (
    NOTHING,
    count,
    grouped,
    interval,
    no_finer,
    number,
    rounded,
    unsigned_points,
)
from analysis.studies.accept_reject.words import difference_words, verdict_sentence
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import Judgements
from analysis.studies.accept_reject_accuracy.questions.participants import NOUN
from analysis.studies.accept_reject_accuracy.rates import (
    Acceptance,
    Accuracy,
    ClassRates,
    Ratio,
    WholeSet,
    acceptance,
    accuracy_ratio,
    as_share,
    class_rates,
    comparison,
    plain_accuracy,
)
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

MOST_CLASSES: Final = 30
ROW_IN: Final = 0.24
APART: Final = 0.18
"""How far the two marks of a class are above and below its line, so that both can be seen."""

SOLVER_WORDS: Final = {"S": "system (S)", "E": "data set (E)"}


def draw(here: Within[Accuracy]) -> Figure:
    """Return p_S, p_E and acc_L with intervals, plain accuracy as a line."""
    found = here.answer
    ratio, system, expert = found.ratio, found.of_solver["S"], found.of_solver["E"]
    shown = [
        ("acc$_L$(S) = p$_S$ / p$_E$", ratio.estimate, ratio, "D", INK),
        ("p$_E$, data set’s labels", expert.rate, expert, "s", ORANGE),
        ("p$_S$, system’s labels", system.rate, system, "o", BLUE),
    ]
    with figure_style(), mpl.rc_context({"text.parse_math": True}):
        figure, axes = subplots(figsize=(WIDTH_IN, 1.75), layout="constrained")
        for place, (_, value, row, marker, colour) in enumerate(shown):
            if value is not None:
                _draw_limits(axes, place, row, colour)
                axes.plot(value, place, marker, color=colour, markersize=6)
                write = no_finer(rounded(number, 3), row.ci_low, row.ci_high, value)
                axes.annotate(
                    write(value), (value, place), xytext=(0, 7), textcoords="offset points",
                    ha="center", fontsize=8, color=INK,
                )  # fmt: skip
        axes.set_yticks(range(len(shown)), [label for label, *_ in shown])
        axes.set_ylim(-0.6, len(shown) - 0.25)
        plain = ratio.plain_accuracy
        if plain is not None:
            axes.axvline(plain, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=0)
            axes.annotate(
                f"plain accuracy {number(plain, 3)}", (plain, -0.6), xytext=(4, 3),
                textcoords="offset points", fontsize=7.5, color=SOFT,
            )  # fmt: skip
        highest = max((row.ci_high or value or 0) for _, value, row, *_ in shown)
        axes.set_xlim(0, max(1.03, 1.03 * highest))
        axes.set_xlabel("share accepted; ratio of the two shares")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _draw_limits(axes: Axes, place: float, row: Ratio | Acceptance, colour: str) -> None:
    if row.ci_low is not None and row.ci_high is not None:
        axes.plot([row.ci_low, row.ci_high], [place, place], color=colour, linewidth=1.6)


FIGURE = ReportFigure(
    "accuracy",
    "Acceptance of the system’s and of the data set’s labels, and their ratio. Bars: 95 % "
    "intervals. Dashed: plain accuracy on the same images.",
    "Three points with intervals: p_S, p_E and acc_L; a line at plain accuracy",
    draw,
)


def draw_classes(here: Within[Accuracy]) -> Figure:
    """Return p_S, p_E and plain accuracy class by class."""
    found = here.answer
    rows = sorted(found.classes, key=lambda row: (row.p_S is None, row.p_S or 0))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 1.0 + ROW_IN * len(rows)), layout="constrained")
        for place, row in enumerate(rows):
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            _draw_class(axes, place, row)
        names = [found.label_words.get(row.label, row.label) for row in rows]
        labels = [f"{name} ({row.tasks})" for name, row in zip(names, rows, strict=True)]
        axes.set_yticks(range(len(rows)), labels)
        axes.set_ylim(-0.7, len(rows) - 0.3)
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("share of the class’s images")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize=8
        )
        axes.tick_params(axis="y", length=0)
    return figure


def _draw_class(axes: Axes, place: int, row: ClassRates) -> None:
    marks = (
        (row.plain_accuracy, 0.0, "plain accuracy", "|", GREY, 12),
        (row.p_E, -APART, "accepted, data set’s label", "s", ORANGE, 4),
        (row.p_S, APART, "accepted, system’s label", "o", BLUE, 4),
    )
    for value, up, words, marker, colour, size in marks:
        values = [] if value is None else [value]
        axes.plot(
            values, [place + up] * len(values), marker, label=words if place == 0 else None,
            linestyle="none", color=colour, markersize=size,
        )  # fmt: skip


CLASSES_FIGURE = ReportFigure(
    "classes",
    "Class by class, with the number of judged images: circles, accepted labels of the "
    "system; squares, accepted labels of the data set; strokes, plain accuracy.",
    "For each class p_S, p_E and plain accuracy",
    draw_classes,
    lambda here: 1 < len(here.answer.classes) <= MOST_CLASSES,
)


def compute(data: AccuracyData) -> Accuracy:
    """Return acceptance rates, their ratio and difference, and the same by class."""
    rates, judged, margin = data.rates, data.judgements, data.protocol.analysis.margin
    return Accuracy(
        ratio=accuracy_ratio(rates, _plain_accuracy(judged)),
        acceptance=acceptance(rates, data.judged.cutoff_s),
        comparison=comparison(rates, margin),
        whole_set=_whole_set(data.dataset.items),
        classes=tuple(
            class_rates(label, [pair for pair in judged.pairs if pair.true_label == label])
            for label in sorted({pair.true_label for pair in judged.pairs})
        ),
        label_words=data.label_words,
        general=None if data.general is None else comparison(data.general, margin),
    )


def _plain_accuracy(judged: Judgements) -> Fraction | None:
    """Return plain accuracy over the tasks whose S's label was judged."""
    true = {pair.task: pair.true_label for pair in judged.pairs}
    tasks = {pair.task: pair.label for pair in judged.of("S")}
    return plain_accuracy((label, true[task]) for task, label in tasks.items())


def _whole_set(items: pd.DataFrame | None) -> WholeSet | None:
    if items is None or not {"model_label", "true_label"} <= set(items):
        return None
    own = items.dropna(subset=["model_label", "true_label"])
    found = plain_accuracy(zip(own["model_label"], own["true_label"], strict=True))
    return WholeSet(as_share(found), len(own))


INTRODUCTION = Paragraph(
    "p_S and p_E are the shares of the system’s and of the data set’s labels that leads "
    "accept, each image counting once; where both gave the same label a judgement counts "
    "for both. acc_L(S) = p_S / p_E."
)


def ratio_words(estimate: float | None, low: float | None, high: float | None) -> tuple[str, str]:
    """Return acc_L and its interval in words, no finer than the interval supports."""
    write = no_finer(rounded(number, 3), low, high, estimate)
    return write(estimate), interval(low, high, write)


def _ratio_words(ratio: Ratio) -> tuple[str, str]:
    return ratio_words(ratio.estimate, ratio.ci_low, ratio.ci_high)


def _quantities(here: Within[Accuracy]) -> list[dict[str, Any]]:
    """Return p_S, p_E, acc_L and plain accuracy with their cells."""
    found = here.answer
    ratio, (rate, limits) = found.ratio, share_with_limits("")
    accuracies = (
        (
            "acc_L(S) = p_S / p_E",
            *_ratio_words(ratio),
        ),
        ("plain accuracy", number(ratio.plain_accuracy, 3), NOTHING),
    )
    return [
        *(
            {
                "quantity": f"p_{row.solver}, {SOLVER_WORDS[row.solver]}",
                "value": rate.text(row),
                "limits": limits.text(row),
                "tasks": row.tasks,
                "n": row.n,
            }
            for row in found.acceptance
        ),
        *(
            {
                "quantity": quantity,
                "value": value,
                "limits": ends,
                "tasks": ratio.tasks,
                "n": None,
            }
            for quantity, value, ends in accuracies
        ),
    ]


ACCEPTANCE = ReportTable(
    "acceptance",
    "answer.acceptance",
    "Acceptance of labels, and accuracy.",
    (
        Column("Quantity", "quantity"),
        Column("Value", "value", str),
        Column("95 % interval", "limits", str),
        Column("Images", "tasks", grouped, "n"),
        Column("Judgements", "n", grouped, "n"),
    ),
    shown=_quantities,
    strong=lambda _: (2,),
)
RATIO = ReportTable("accuracy", lambda here: [here.answer.ratio])
CLASSES = ReportTable("classes", "answer.classes")


def identity(here: Within[Accuracy]) -> Paragraph | None:
    """Return the sentence that acc_L is plain accuracy, if it is."""
    ratio = here.answer.ratio
    if not ratio.equal_to_plain:
        return None
    return Paragraph(
        f"acc_L = {ratio.exact} equals plain accuracy ({ratio.plain_exact}) exactly, as it must "
        "where leads accept exactly the data set’s labels."
    )


def solvers_compared(here: Within[Accuracy]) -> Paragraph | None:
    """Return S against E; None if either isn't known."""
    row, general = here.answer.comparison, here.answer.general
    if row.difference is None:
        return None
    beyond = ""
    if general is not None:
        noun = called(here.found.frame.data, NOUN)
        beyond = f" For {noun}s in general: {difference_words(general)}."
    return Paragraph(f"S against E: {difference_words(row)}.{beyond}")


def whole_set(here: Within[Accuracy]) -> Paragraph | None:
    """Return plain accuracy over all images."""
    whole = here.answer.whole_set
    if whole is None:
        return None
    return Paragraph(
        f"Over all {grouped(whole.items)} images of the pack plain accuracy is "
        f"{number(whole.rate, 3)}.",
        "quiet",
    )


def _facts(found: Accuracy, _: Whole) -> list[Fact]:
    value, ends = _ratio_words(found.ratio)
    return [
        Fact(value, f"acc_L of the system {ends}"),
        Fact(number(found.ratio.plain_accuracy, 3), "plain accuracy on the same images"),
    ]


def _headline(found: Accuracy, whole: Whole) -> list[str]:
    ratio, rates, data = found.ratio, found.of_solver, whole.frame.data
    if ratio.estimate is None:
        leads = f"{called(data, NOUN)}s"
        return [f"acc_L can’t be given: {leads} judged no label of S, or accepted none of E."]
    same = ", equal to it to the last digit" if ratio.equal_to_plain else ""
    (rate, _), verdict = share_with_limits(""), verdict_sentence(found.comparison)
    who = ""
    if found.general is not None:
        who = f"For {these_people(data.participants, called(data, NOUN))}, "
    return [
        f"acc_L(S) = p_S / p_E = {' '.join(_ratio_words(ratio))}, from p_S = "
        f"{rate.text(rates['S'])} and p_E = {rate.text(rates['E'])} on "
        f"{count(ratio.tasks, 'image')}; plain accuracy against the data set’s labels is "
        f"{number(ratio.plain_accuracy, 3)}{same}.",
        f"{who}{verdict}." if who else f"{verdict[0].upper()}{verdict[1:]}.",
        *_beyond(found, data.participants, called(data, NOUN)),
        *holds_for(data.participants, data.items, NOUN, "image"),
    ]


def _beyond(found: Accuracy, leads: int, noun: str) -> list[str]:
    """Return what is said of leads in general, and why it is vague; empty with many leads."""
    general = found.general
    if general is None:
        return []
    said = [why_wide(leads, noun, "image")]
    if general.ci_low is not None:
        said.insert(0, f"For {noun}s in general, {verdict_sentence(general)}.")
    return said


def _methods(_: Accuracy, whole: Whole) -> list[str]:
    return [
        "p_S and p_E are means over images of the share of leads who accept S’s and E’s label; "
        "where both gave the same label a judgement counts for both. acc_L(S) = p_S / p_E.",
        f"Intervals are {whole.frame.intervals}. They are the primary analysis, as the protocol "
        "names it.",
    ]


def _registered(protocol: AcceptRejectAccuracy) -> Promise:
    margin = unsigned_points(protocol.analysis.margin)
    return Promise(
        "primary",
        "p_S and p_E are means over images of the share of leads who accept S's and E's "
        "label; acc_L is p_S / p_E (Saralajew et al. 2022, section 2.3). Intervals hold "
        "for leads and images drawn at random.",
        hypotheses=(
            Hypothesis(
                "H1",
                "Leads accept the classifier's labels (S) as often as the data set's (E).",
                f"p_S − p_E lies within an equivalence margin of {margin} percentage points: its "
                f"90 % interval lies within ± {margin}. acc_L = p_S / p_E is given with its 95 % "
                "interval." + few_rule(protocol.analysis.few_people, NOUN, "image"),
            ),
        ),
    )


ACCURACY = Question(
    id="accuracy",
    title="Accuracy with the leads",
    answer=Accuracy,
    compute=compute,
    step="measuring rates over leads and images",
    parts=(
        INTRODUCTION,
        FIGURE,
        ACCEPTANCE,
        identity,
        solvers_compared,
        whole_set,
        CLASSES_FIGURE,
        RATIO,
        CLASSES,
    ),
    view=Within,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    registered=_registered,
)
"""How accurate the system is for leads."""
