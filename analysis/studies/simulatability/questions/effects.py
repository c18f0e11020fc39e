"""Whether explanations help people predict the model: what each method adds to Change."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.estimates import MEANS, MODEL, WORDS, Unvarying, decides, disagreement
from analysis.report.parts import (
    Bullets,
    Column,
    Fact,
    Paragraph,
    Part,
    holm_limits,
    limits,
)
from analysis.report.results import counted
from analysis.report.style import BLUE, ORANGE, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import count, grouped, listed, p_value, signed
from analysis.studies.simulatability.contrasts import (
    UNDECIDED,
    VERDICTS,
    Contrast,
    MethodEffects,
    method_effects,
    verdict_sentence,
)
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.means import MeanChange
from analysis.studies.simulatability.questions.participants import NOUN, PARTICIPANTS, included
from analysis.studies.simulatability.words import (
    ALL,
    HEAD_IN,
    UP,
    domain,
    domain_name,
    draw_legend,
    draw_zero,
    method,
    method_name,
    methods_axis,
    points_axis,
    signed_points,
    test,
)
from stimuli.studies.simulatability.protocol import Simulatability

CHANGE_IS: Final = "Change is the accuracy after explanations minus the accuracy before"


@dataclass(frozen=True, slots=True)
class Effects(MethodEffects):
    """What each method adds to Change, and what the verdicts say."""

    verdict_words: Annotated[dict[str, str], about("What each verdict says.")]
    unvarying: Annotated[
        dict[str, Unvarying], about("People and items that hardly vary, by domain.")
    ]


def compute(data: SimulatabilityData) -> Effects:
    """Return what each method adds to Change, with everybody who predicted an item twice."""
    own = method_effects(data.predictions, data.models, data.protocol, data.plan)
    pairs = data.predictions.pairs
    unvarying = {str(name): _unvarying(part) for name, part in pairs.groupby("domain")}
    return Effects(own.contrasts, own.by_model, own.means, dict(VERDICTS), unvarying)


def _unvarying(pairs: pd.DataFrame) -> Unvarying:
    twice = pd.concat([pairs, pairs])
    right = np.concatenate([pairs["pre"], pairs["post"]])
    return Unvarying.count(right, twice["participant"].to_numpy(), twice["item"].to_numpy())


def decided_columns(row: Contrast) -> dict[str, Any]:
    """Return a contrast as a row of a file, only by the analysis that decides."""
    return {name: own for name, own in asdict(row).items() if not isinstance(own, dict)}


def _both_columns(row: Contrast) -> dict[str, Any]:
    """Return a contrast as a row of a file, by both analyses."""
    return decided_columns(row) | {
        f"{by}_{name}": value
        for by, own in asdict(row).items()
        if isinstance(own, dict)
        for name, value in own.items()
    }


def _other_analysis(row: Contrast) -> str:
    """Return the result of the analysis that doesn't decide."""
    own = row.means if row.by == MODEL else row.model
    return "" if own is None else signed_points(own.estimate, own)


def _over_tests(here: Within[Effects]) -> list[MeanChange]:
    """Return a domain's rows over both tests; those of its one test if there is only one."""
    rows = [row for row in here.answer.means.change if row.domain != ALL]
    return [row for row in rows if row.test == ALL] or rows


def _of_models(kind: str) -> Callable[[Within[Effects]], list[dict[str, Any]]]:
    return lambda here: [
        {"domain": name, **asdict(row)}
        for name, own in here.answer.by_model.items()
        for row in getattr(own, kind)
    ]


CONTRASTS = ReportTable(
    "contrasts",
    lambda here: [_both_columns(row) for row in here.answer.contrasts],
    "What each method adds to Change, over both tests.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Effect", "estimate", signed, "points"),
        holm_limits(signed),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Verdict", "verdict"),
        Column("The other analysis", _other_analysis, str, "points"),
    ),
    "Effect: Change minus that of the arm without explanations, by the primary analysis; Change "
    "itself if there is no such arm. Holm’s correction is for the methods of a domain. Helps, "
    "harms: the effect differs from zero. Equivalent: the interval lies within the protocol’s "
    "margin, and two one-sided tests with Holm’s correction rule out a larger effect. Undecided: "
    "the data show neither.",
    shown="answer.contrasts",
    strong=changes("domain"),
    row_headers=2,
)
MODEL_CHANGE = ReportTable("model_change", _of_models("change"))
MODEL_DIFFERENCES = ReportTable("model_differences", _of_models("differences"))
MEAN_CHANGE = ReportTable(
    "mean_change",
    "answer.means.change",
    "Change as means over participants and items.",
    (
        Column("Domain", domain, once=True),
        Column("Test", test, once=True),
        Column("Method", method),
        Column("n", "n", grouped, "items"),
        Column("Change", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "The intervals treat both participants and items as random. tables/mean_change.csv has each "
    "test, tables/model_change.csv and tables/model_differences.csv have the mixed model’s values.",
    shown=_over_tests,
    strong=changes("domain", "test"),
    row_headers=3,
)
POOLED = ReportTable(
    "pooled",
    "answer.means.pooled",
    "All methods together: Change with explanations minus Change without.",
    (
        Column("Domain", domain, once=True),
        Column("Test", test),
        Column("Difference", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Means over participants and items; each method has the same weight. p isn’t corrected.",
    strong=changes("domain"),
    row_headers=2,
)
MEAN_DIFFERENCES = ReportTable("mean_differences", "answer.means.differences")


def draw(here: Within[Effects]) -> Figure:
    """Return what is decided: Change less the reference's, by the model and by means."""
    sample, contrasts = here.found.of(PARTICIPANTS), here.answer.contrasts
    methods = list(dict.fromkeys(row.method for row in contrasts))[::-1]
    with figure_style():
        figure, panels = subplots(
            1, len(sample.domains), sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + HEAD_IN + 0.34 * len(methods)),
        )  # fmt: skip
        for axes, name in zip(panels.flat, sample.domains, strict=True):
            axes.set_title(domain_name(name).capitalize())
            draw_zero(axes)
            own = [row for row in contrasts if row.domain == name]
            for row in sorted(own, key=lambda row: methods.index(row.method)):
                _draw_contrast(axes, row, methods.index(row.method))
            methods_axis(axes, methods)
            points_axis(axes)
        draw_legend(figure, (("mixed model", BLUE, "o", False), ("means", ORANGE, "s", False)))
        less = f" minus that of {method_name(sample.reference)}" if sample.reference else ""
        figure.supxlabel(f"Change{less}, percentage points; filled: primary analysis", fontsize=8.5)
    return figure


def _draw_contrast(axes: Axes, row: Contrast, place: int) -> None:
    if row.model is not None:
        draw_estimate(axes, row.model, place + UP / 2, BLUE, "o", row.by != MODEL)
    if row.means is not None:
        draw_estimate(axes, row.means, place - UP, ORANGE, "s", row.by != MEANS)


FIGURE = ReportFigure(
    "contrasts",
    "What each method adds to Change, over both tests, with 95 % intervals. Filled marks "
    "show the primary analysis.",
    "A row for each method with two points and intervals, a panel for each domain",
    draw,
    "answer.contrasts",
)


def _introduction(here: Within[Effects]) -> Sequence[Part]:
    reference = here.found.of(PARTICIPANTS).reference
    first = (
        f"{CHANGE_IS}. The arm “{method_name(reference)}” goes through the same phases without "
        "explanations, so its Change is practice and regression to the mean. What a method adds to "
        "it is the effect of its explanations."
        if reference
        else f"{CHANGE_IS}. No arm went through the same phases without explanations. So Change "
        "includes practice and regression to the mean, and this report can’t separate them from "
        "the effect of explanations."
    )
    asked = cast(Simulatability, here.found.protocol).analysis.primary_test
    return (Paragraph(f"{first} {decides(asked)}{_stand_ins(here.answer, asked)}"),)


def _stand_ins(found: Effects, asked: str) -> str:
    """Return where the means decide instead of the model."""
    narrow = [domain_name(name) for name, own in found.by_model.items() if own.narrow]
    if asked != MODEL or not narrow:
        return ""
    return (
        f" In {listed(narrow)} the means decide: the model’s intervals may be too narrow, since it "
        "has no term for how much Change differs between people, or between items within methods."
    )


def _disagreements(here: Within[Effects]) -> Part | None:
    sentences = [
        sentence
        for row in here.answer.contrasts
        if row.model and row.means
        for sentence in disagreement(
            f"{method(row)}, {domain(row)}, points",
            "means",
            asdict(row.means),
            asdict(row.model),
            signed,
        )
    ]
    return Bullets(tuple(sentences)) if sentences else None


def _facts(found: Effects, _: Whole) -> list[Fact]:
    decided_first = sorted(found.contrasts, key=lambda row: row.verdict == UNDECIDED)
    return [
        Fact(f"{value} points", f"{method(row)}, {domain(row)} {ends}")
        for row in decided_first
        for own in (row.means or row,)
        for value, ends in [signed_points(own.estimate, own).split(" ", 1)]
    ]


def _headline(found: Effects, whole: Whole) -> list[str]:
    sample, data = whole.of(PARTICIPANTS), whole.frame.data
    margin = 100 * cast(Simulatability, whole.protocol).analysis.margin
    again = sample.tested_again
    twice = f", {count(again, 'of them', 'of them')} with several methods," if again else ""
    return [
        *(
            verdict_sentence(name, found.contrasts, found.unvarying[name], margin)
            for name in sample.domains
        ),
        *_unsettled(found, whole),
        f"{counted(data, NOUN)}{twice} predicted {count(data.items, 'item')} before "
        f"and after explanations: {grouped(sample.pairs)} pairs of predictions.",
    ]


def _unsettled(found: Effects, whole: Whole) -> Iterator[str]:
    """Yield what has no verdict because it rests on one item, or on one person in an arm."""
    if whole.frame.data.items == 1:
        yield "All predictions are of one item: the data say nothing of other items."
    alone = [
        f"{method(row)} ({domain(row)})" for row in whole.of(PARTICIPANTS).by_arm
        if row.with_items == 1
    ]  # fmt: skip
    if alone and found.contrasts:
        yield f"Only one person predicted with {listed(alone)}: nothing is concluded about it."


def _methods(_: Effects, whole: Whole) -> list[str]:
    reference = whole.of(PARTICIPANTS).reference
    against = (
        "The primary effect is a method’s Change minus that of the arm "
        f"“{method_name(reference)}”, over both tests"
        if reference
        else "There is no arm without explanations, so Change is compared with zero and includes "
        "practice"
    )
    asked = cast(Simulatability, whole.protocol).analysis.primary_test
    return [
        f"The first analysis includes {included(whole.of(PARTICIPANTS))}. The second includes only "
        "those who qualified and weren’t too fast.",
        f"{CHANGE_IS}, in percentage points, for items that the same participant predicted in both "
        "phases.",
        f"{against}; the primary analysis, named in the protocol, is {WORDS[asked]}. p values have "
        "Holm’s correction for the methods of a domain.",
    ]


def _lacking(data: SimulatabilityData, _: Effects | None) -> list[Lacking]:
    predictions, rows = data.predictions, []
    if predictions.reference is None:
        wanted = data.protocol.analysis.reference_method
        reason = f"no arm {wanted} can be compared with another; Change is compared with zero"
        rows.append(Lacking("Change without practice", reason))
    if len(predictions.domains) < 2:
        rows.append(Lacking("the other domain", f"all items are {predictions.domains[0]}"))
    if len(predictions.tests) < 2:
        reason = f"all items are of the {predictions.tests[0]} test"
        rows.append(Lacking("the other test", reason))
    return rows


def _registered(protocol: Simulatability) -> Promise:
    return Promise(
        "primary",
        "Change of each method minus that of the arm without explanations, over both tests, by "
        "means over participants and items and by the mixed model.",
        hypotheses=(_hypothesis(protocol),),
    )


def _hypothesis(protocol: Simulatability) -> Hypothesis:
    methods, reference = protocol.design.methods, protocol.analysis.reference_method
    others = [name for name in methods if name != reference]
    named = listed([method_name(name) for name in others]) if others else "no method"
    if reference not in methods:
        return Hypothesis(
            "H1",
            f"Accuracy rises from before to after with {named}.",
            "Change over both tests differs from zero in this direction with p < .05 "
            "(two-sided) after Holm's correction. Change includes practice.",
        )
    return Hypothesis(
        "H1",
        f"Change (accuracy after explanations minus accuracy before) is larger with {named} "
        f"than with {method_name(reference)}.",
        "The difference of Change over both tests, averaged over participants and items, "
        "differs from zero in this direction with p < .05 (two-sided) after Holm's correction; "
        "it is given with its 95 % interval. Two methods count as equivalent if this interval lies "
        f"within ±{100 * protocol.analysis.margin:g} percentage points and two one-sided tests at "
        "5 % after Holm's correction rule out a larger difference.",
    )


EFFECTS = Question(
    id="effects",
    title="Whether explanations help people predict the model",
    answer=Effects,
    compute=compute,
    step="fitting the mixed models",
    parts=(
        _introduction,
        FIGURE,
        CONTRASTS,
        _disagreements,
        POOLED,
        MODEL_DIFFERENCES,
        MEAN_CHANGE,
        MODEL_CHANGE,
        MEAN_DIFFERENCES,
    ),
    view=Within,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Whether explanations help people predict the model."""
