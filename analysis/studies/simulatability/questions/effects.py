"""Whether explanations help people predict the model: what each method adds to Change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.preregister.declared import Hypothesis
from analysis.questions.estimates import AGAINST, EstimateRow
from analysis.questions.pivot import Wide, corrected_of, n_of, pivot, with_p_of
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, WORDS, Unvarying, decides, disagreement
from analysis.report.declared import ReportFigure, changes
from analysis.report.parts import Bullets, Column, Fact, Paragraph, Part
from analysis.report.results import counted
from analysis.report.style import BLUE, ORANGE, WIDTH_IN, draw_estimate, figure_style, subplots
from analysis.report.wording import count, grouped, listed, signed
from analysis.studies.simulatability.contrasts import (
    UNDECIDED,
    VERDICTS,
    MethodEffects,
    effect_by,
    method_effects,
    over_tests,
    verdict_sentence,
)
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.people import WITH_ITEMS
from analysis.studies.simulatability.quantities import (
    CHANGE_POINTS,
    EFFECT,
    METHOD_EFFECTS,
    POOLED,
)
from analysis.studies.simulatability.questions.participants import NOUN, PARTICIPANTS, included
from analysis.studies.simulatability.tables import DOMAIN, METHOD, TEST, table_by
from analysis.studies.simulatability.words import (
    ALL,
    HEAD_IN,
    UP,
    domain_name,
    draw_legend,
    draw_zero,
    method_name,
    methods_axis,
    points_axis,
    signed_points,
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
    return Effects(own.estimates, own.by_model, dict(VERDICTS), unvarying)


def _unvarying(pairs: pd.DataFrame) -> Unvarying:
    twice = pd.concat([pairs, pairs])
    right = np.concatenate([pairs["pre"], pairs["post"]])
    return Unvarying.count(right, twice["participant"].to_numpy(), twice["item"].to_numpy())


def _other_analysis(answer: Effects) -> Column:
    """Return the column of the analysis that doesn't decide."""

    def write(row: Wide) -> str:
        of = {name: row[name] for name in ("domain", "method", "by", AGAINST) if row[name]}
        effect = answer.row(EFFECT, **of)
        other = effect_by(answer, MEANS if row["by"] == MODEL else MODEL, effect)
        return "" if other is None else signed_points(other.estimate, other)

    return Column("The other analysis", write, str, "points")


DECIDED: Final = (*corrected_of(EFFECT), Column("Verdict", f"{EFFECT.id}.verdict"))
"""Columns of what is decided."""


def _change_over_tests(here: Within[Effects]) -> Sequence[EstimateRow]:
    """Return a domain's Change over both tests by means; of its one test if there is only one."""
    rows = here.answer.rows(CHANGE_POINTS, by=MEANS)
    return over_tests([row for row in rows if row.of["domain"] != ALL])


CONTRASTS = pivot(
    "What each method adds to Change, over both tests.",
    lambda here: (DOMAIN, METHOD, *DECIDED, _other_analysis(here.answer)),
    by=("domain", "method", "by", AGAINST),
    of=lambda here: here.answer.rows(EFFECT),
    note="Effect: Change minus that of the arm without explanations, by the primary analysis; "
    "Change itself if there is no such arm. Holm’s correction is for the methods of a domain. "
    "Helps, harms: the effect differs from zero. Equivalent: the interval lies within the "
    "protocol’s margin, and two one-sided tests with Holm’s correction rule out a larger effect. "
    "Undecided: the data show neither.",
    strong=changes("domain"),
    row_headers=2,
)
MEAN_CHANGE = table_by(
    ("domain", "test", "method"),
    "Change as means over participants and items.",
    (n_of(CHANGE_POINTS, "n", "items"), *with_p_of(CHANGE_POINTS)),
    _change_over_tests,
    "The intervals treat both participants and items as random. tables/estimates.csv has each "
    "test, and the mixed model’s values.",
)
POOLED_TABLE = pivot(
    "All methods together: Change with explanations minus Change without.",
    (DOMAIN, replace(TEST, once=False), *with_p_of(POOLED)),
    by=("domain", "test"),
    of=lambda here: here.answer.rows(POOLED),
    note="Means over participants and items; each method has the same weight. p isn’t corrected.",
    strong=changes("domain"),
    row_headers=2,
)


def draw(here: Within[Effects]) -> Figure:
    """Return what is decided: Change less the reference's, by the model and by means."""
    sample, answer = here.found.of(PARTICIPANTS), here.answer
    methods = answer.levels("method", EFFECT)[::-1]
    with figure_style():
        figure, panels = subplots(
            1, len(sample.domains), sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + HEAD_IN + 0.34 * len(methods)),
        )  # fmt: skip
        for axes, name in zip(panels.flat, sample.domains, strict=True):
            axes.set_title(domain_name(name).capitalize())
            draw_zero(axes)
            effects = answer.rows(EFFECT, domain=name)
            for effect in sorted(effects, key=lambda row: methods.index(row.of["method"])):
                _draw_effect(axes, answer, effect, methods.index(effect.of["method"]))
            methods_axis(axes, methods)
            points_axis(axes)
        draw_legend(figure, (("mixed model", BLUE, "o", False), ("means", ORANGE, "s", False)))
        less = f" minus that of {method_name(sample.reference)}" if sample.reference else ""
        figure.supxlabel(f"Change{less}, percentage points; filled: primary analysis", fontsize=8.5)
    return figure


def _draw_effect(axes: Axes, answer: Effects, effect: EstimateRow, place: int) -> None:
    for by, aside, colour, marker in ((MODEL, UP / 2, BLUE, "o"), (MEANS, -UP, ORANGE, "s")):
        row = effect_by(answer, by, effect)
        if row is not None:
            draw_estimate(axes, row, place + aside, colour, marker, effect.of["by"] != by)


FIGURE = ReportFigure(
    "contrasts",
    "What each method adds to Change, over both tests, with 95 % intervals. Filled marks "
    "show the primary analysis.",
    "A row for each method with two points and intervals, a panel for each domain",
    draw,
    lambda here: here.answer.rows(EFFECT),
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


def _stand_ins(answer: Effects, asked: str) -> str:
    """Return where the means decide instead of the model."""
    narrow = [domain_name(name) for name, model in answer.by_model.items() if model.narrow]
    if asked != MODEL or not narrow:
        return ""
    return (
        f" In {listed(narrow)} the means decide: the model’s intervals may be too narrow, since it "
        "has no term for how much Change differs between people, or between items within methods."
    )


def _disagreements(here: Within[Effects]) -> Part | None:
    answer = here.answer
    sentences = [
        sentence
        for effect in answer.rows(EFFECT)
        if (model := effect_by(answer, MODEL, effect))
        and (means := effect_by(answer, MEANS, effect))
        for sentence in disagreement(f"{_named(effect)}, points", "means", means, model, signed)
    ]
    return Bullets(tuple(sentences)) if sentences else None


def _named(row: EstimateRow, form: str = "{}, {}") -> str:
    """Return the method and the domain of a row, in words."""
    return form.format(method_name(row.of["method"]), domain_name(row.of["domain"]))


def _facts(answer: Effects, _: Whole) -> list[Fact]:
    decided_first = sorted(answer.rows(EFFECT), key=lambda row: row.verdict == UNDECIDED)
    return [
        Fact(f"{value} points", f"{_named(effect)} {ends}")
        for effect in decided_first
        for row in (effect_by(answer, MEANS, effect) or effect,)
        for value, ends in [signed_points(row.estimate, row).split(" ", 1)]
    ]


def _headline(answer: Effects, whole: Whole) -> list[str]:
    sample, data = whole.of(PARTICIPANTS), whole.frame.data
    margin = 100 * cast(Simulatability, whole.protocol).analysis.margin
    again = sample.tested_again
    twice = f", {count(again, 'of them', 'of them')} with several methods," if again else ""
    return [
        *(
            verdict_sentence(name, answer, answer.unvarying[name], margin)
            for name in sample.domains
        ),
        *_unsettled(answer, whole),
        f"{counted(data, NOUN)}{twice} predicted {count(data.items, 'item')} before "
        f"and after explanations: {grouped(sample.pairs)} pairs of predictions.",
    ]


def _unsettled(answer: Effects, whole: Whole) -> Iterator[str]:
    """Yield what has no verdict because it rests on one item, or on one person in an arm."""
    if whole.frame.data.items == 1:
        yield "All predictions are of one item: the data say nothing of other items."
    people = whole.of(PARTICIPANTS).rows(WITH_ITEMS)
    alone = [_named(row, "{} ({})") for row in people if row.estimate == 1]
    if alone and answer.rows(EFFECT):
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
    quantities=METHOD_EFFECTS,
    compute=compute,
    step="fitting the mixed models",
    parts=(_introduction, FIGURE, CONTRASTS, _disagreements, POOLED_TABLE, MEAN_CHANGE),
    view=Within,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Whether explanations help people predict the model."""
