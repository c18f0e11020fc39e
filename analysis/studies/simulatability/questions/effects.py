"""Whether explanations help people predict the model: what each method adds, test by test."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.estimates import AGAINST, EstimateRow
from analysis.questions.pivot import (
    Wide,
    bayes_of,
    corrected_of,
    level_of,
    n_of,
    pivot,
    standardised_of,
    with_p_of,
)
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.questions.registered import Criterion, Hypothesis
from analysis.report.about import about
from analysis.report.deciding import (
    MEANS,
    MODEL,
    WORDS,
    Unvarying,
    decides,
    disagreement,
    ruled_out,
)
from analysis.report.declared import ReportFigure, changes
from analysis.report.methods import equivalence
from analysis.report.parts import Bullets, Column, Fact, Paragraph, Part
from analysis.report.results import counted
from analysis.report.style import BLUE, ORANGE, draw_estimate, figure_style, panel_grid
from analysis.report.wording import count, estimated_alike, grouped, listed, sentence_if, signed
from analysis.studies.simulatability.contrasts import (
    HELPS,
    MEASURED,
    MEASURES,
    UNDECIDED,
    VERDICTS,
    MethodEffects,
    carried_over,
    effect_by,
    method_effects,
    test_name,
    verdict_sentences,
)
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.people import WITH_ITEMS
from analysis.studies.simulatability.quantities import (
    AFTER,
    BEFORE,
    CHANGE_POINTS,
    DIFFERENCE,
    EFFECT,
    METHOD_EFFECTS,
    POOLED,
)
from analysis.studies.simulatability.questions.participants import NOUN, PARTICIPANTS, included
from analysis.studies.simulatability.tables import DOMAIN, METHOD, TEST, table_by
from analysis.studies.simulatability.words import (
    FORWARD,
    HEAD_IN,
    TEST_WORDS,
    UP,
    condition_name,
    domain_name,
    draw_legend,
    draw_zero,
    method_name,
    methods_axis,
    points_axis,
    signed_points,
)
from stimuli.studies.simulatability.protocol import Simulatability

MOST_FACTS: Final = 6
"""Effects up to which the strip at the top has each."""
CHANGE_IS: Final = "Change is the accuracy after explanations minus the accuracy before"
TAUGHT: Final = (
    "Explanations of the test that comes first may teach people something before they predict in "
    "the second one, and Change in the second test doesn’t show that gain. So accuracy after "
    "explanations is compared in the counterfactual test, and in the forward test unless everybody "
    "takes it first."
)


@dataclass(frozen=True, slots=True)
class Effects(MethodEffects):
    """What each method adds in each test, and what the verdicts say."""

    verdict_words: Annotated[dict[str, str], about("What each verdict says.")]
    unvarying: Annotated[
        dict[str, Unvarying], about("People and items that hardly vary, by domain.")
    ]


def compute(data: SimulatabilityData) -> Effects:
    """Return what each method adds, with everybody who predicted an item twice."""
    effects = method_effects(data.predictions, data.models, data.protocol, data.plan)
    pairs = data.predictions.pairs
    unvarying = {str(name): _unvarying(part) for name, part in pairs.groupby("domain")}
    return Effects(effects.estimates, effects.by_model, dict(VERDICTS), unvarying)


def _unvarying(pairs: pd.DataFrame) -> Unvarying:
    twice = pd.concat([pairs, pairs])
    right = np.concatenate([pairs["pre"], pairs["post"]])
    return Unvarying.count(right, twice["participant"].to_numpy(), twice["item"].to_numpy())


def _other_analysis(answer: Effects) -> Column:
    """Return the column of the analysis that doesn't decide."""

    def write(row: Wide) -> str:
        of = {name: row[name] for name in EFFECT_OF if row[name]}
        effect = answer.row(EFFECT, **of)
        other = effect_by(answer, MEANS if row["by"] == MODEL else MODEL, effect)
        return "" if other is None else signed_points([other])[0]

    return Column("The other analysis", write, str, "points")


EFFECT_OF: Final = ("domain", "test", "method", MEASURED, "by", AGAINST)
"""What names an effect."""
SHORT_MEASURES: Final[Mapping[str, str]] = {
    DIFFERENCE.id: "Change", CHANGE_POINTS.id: "Change", AFTER.id: "accuracy after",
}  # fmt: skip


def _verdict(row: Wide) -> str:
    """Return the verdict; if it is undecided, with what is ruled out."""
    verdict = row[f"{EFFECT.id}.verdict"]
    names = ("adjusted_low", "adjusted_high", "margin")
    out = ruled_out(*(row[f"{EFFECT.id}.{name}"] for name in names))
    return f"{verdict}, {out} by the margin" if verdict == UNDECIDED and out else verdict


DECIDED: Final = (*corrected_of(EFFECT), Column("Verdict", _verdict))
"""Columns of what is decided."""


CONTRASTS = pivot(
    "What each method adds, test by test.",
    lambda here: (
        DOMAIN,
        TEST,
        METHOD,
        level_of(MEASURED, "Compared", SHORT_MEASURES.__getitem__),
        *DECIDED,
        standardised_of(EFFECT),
        bayes_of(EFFECT),
        _other_analysis(here.answer),
    ),
    by=EFFECT_OF,
    of=lambda here: here.answer.rows(EFFECT),
    note="Effect: Change, or accuracy after explanations, minus that of the arm without "
    "explanations, by the primary analysis; Change itself if there is no such arm. Holm’s "
    "correction is for the methods of a test in a domain. "
    "Helps, harms: the effect differs from zero. Equivalent: the interval lies within the "
    "protocol’s margin, and two one-sided tests with Holm’s correction rule out a larger effect. "
    "Undecided: the data show neither; not better or not worse: the interval leaves out effects of "
    "the margin or more on this side.",
    strong=changes("domain", "test"),
    row_headers=3,
)
CARRIED = table_by(
    ("domain", "test", "method"),
    "A check of what one test carries over to the other: accuracy before a test’s explanations, "
    "minus that of the arm without explanations, of people who had taken the other test.",
    corrected_of(BEFORE),
    lambda here: here.answer.rows(BEFORE),
    lambda here: (
        "Means over participants and items. "
        + (
            "Holm’s correction is for the methods of a test in a domain. "
            if any(row.p_adjusted is not None for row in here.answer.rows(BEFORE))
            else ""
        )
        + "If nothing is carried over, these differences are zero but for chance."
    ),
)
MEAN_CHANGE = table_by(
    ("domain", "test", "method"),
    "Change as means over participants and items, against zero.",
    (n_of(CHANGE_POINTS, "n", "items"), *with_p_of(CHANGE_POINTS)),
    lambda here: here.answer.rows(CHANGE_POINTS, by=MEANS),
    f"Change includes practice. {TAUGHT} The intervals treat both participants and items as "
    "random. tables/estimates.csv has the mixed model’s values.",
)
POOLED_TABLE = pivot(
    "All methods together minus the arm without explanations.",
    (DOMAIN, replace(TEST, once=False), *with_p_of(POOLED)),
    by=("domain", "test"),
    of=lambda here: here.answer.rows(POOLED),
    note="Of the same values as the effects. Means over participants and items; each method has "
    "the same weight. p isn’t corrected.",
    strong=changes("domain"),
    row_headers=2,
)


def draw(here: Within[Effects]) -> Figure:
    """Return what is decided, by the model and by means, a panel for each test of each domain."""
    sample, answer = here.whole.of(PARTICIPANTS), here.answer
    methods = answer.levels("method", EFFECT)[::-1]
    tests = [(domain, test) for domain in sample.domains for test in sample.tests]
    with figure_style():
        figure, panels = panel_grid(
            len(tests), len(sample.tests), head_in=0.6,
            panel_in=HEAD_IN + 0.34 * len(methods), sharex=True, sharey=True,
        )  # fmt: skip
        for axes, (domain, test) in zip(panels, tests, strict=True):
            effects = answer.rows(EFFECT, domain=domain, test=test)
            compared = {SHORT_MEASURES[row.of[MEASURED]] for row in effects}
            axes.set_title(f"{test_name(domain, test)}:\n{', '.join(compared)}")
            draw_zero(axes)
            for effect in sorted(effects, key=lambda row: methods.index(row.of["method"])):
                _draw_effect(axes, answer, effect, methods.index(effect.of["method"]))
            methods_axis(axes, methods)
            points_axis(axes)
        draw_legend(figure, (("mixed model", BLUE, "o", False), ("means", ORANGE, "s", False)))
        less = f"minus that of {method_name(sample.reference)}, " if sample.reference else ""
        figure.supxlabel(f"{less}percentage points; filled: primary analysis", fontsize=8.5)
    return figure


def _draw_effect(axes: Axes, answer: Effects, effect: EstimateRow, place: int) -> None:
    for by, aside, colour, marker in ((MODEL, UP / 2, BLUE, "o"), (MEANS, -UP, ORANGE, "s")):
        row = effect_by(answer, by, effect)
        if row is not None:
            draw_estimate(axes, row, place + aside, colour, marker, effect.of["by"] != by)


FIGURE = ReportFigure(
    "contrasts",
    "What each method adds to Change, or to accuracy after explanations, with 95 % intervals. "
    "Filled marks show the primary analysis.",
    "A row for each method with two points and intervals, a panel for each test of each domain",
    draw,
    lambda here: here.answer.rows(EFFECT),
)


def _introduction(here: Within[Effects]) -> Sequence[Part]:
    reference = here.whole.of(PARTICIPANTS).reference
    first = (
        f"{CHANGE_IS}. The arm “{method_name(reference)}” goes through the same phases without "
        "explanations. What a method adds to its values is the effect of its explanations. "
        f"{TAUGHT}"
        if reference
        else f"{CHANGE_IS}. No arm went through the same phases without explanations. So Change "
        "includes practice, and this report can’t separate it from the effect of explanations. "
        "Nor can it check what one test carries over to the other."
    )
    primary = cast(Simulatability, here.whole.protocol).analysis.primary_test
    return (Paragraph(f"{first} {decides(primary)}{_stand_ins(here.answer, primary)}"),)


def _stand_ins(answer: Effects, primary: str) -> str:
    """Return where the means decide instead of the model."""
    narrow = [domain_name(name) for name, model in answer.by_model.items() if model.narrow]
    if primary != MODEL or not narrow:
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
        for sentence in disagreement(
            f"{effect_name(effect)}, points", "means", means, model, signed
        )
    ]
    return Bullets(tuple(sentences)) if sentences else None


def effect_name(effect: EstimateRow) -> str:
    """Return the method, the domain and the test of an effect, in words."""
    condition = condition_name(effect.of["domain"], effect.of["test"])
    return f"{method_name(effect.of['method'])}, {condition}"


def _facts(answer: Effects, _: Whole) -> list[Fact]:
    """Return each effect; of many, in how many a test shows one."""
    effects = answer.rows(EFFECT)
    if len(effects) <= MOST_FACTS:
        ends = [(row.estimate, row.adjusted_low, row.adjusted_high) for row in effects]
        written = [text.partition(" ") for text in estimated_alike(signed, ends)]
        return [
            Fact(f"{value} points", f"{effect_name(row)} {limits}".rstrip())
            for row, (value, _, limits) in zip(effects, written, strict=True)
        ]
    tests: dict[str, list[str]] = {}
    for row in effects:
        tests.setdefault(condition_name(row.of["domain"], row.of["test"]), []).append(row.verdict)
    return [
        Fact(f"{verdicts.count(HELPS)} of {len(verdicts)}", f"methods help, {name}")
        for name, verdicts in tests.items()
    ]


def _headline(answer: Effects, whole: Whole) -> list[str]:
    sample, data = whole.of(PARTICIPANTS), whole.frame.data
    margin = 100 * cast(Simulatability, whole.protocol).analysis.margin
    again = sample.tested_again
    many = "all" if again == data.participants else grouped(again)
    twice = f", {many} of them with several methods," if again else ""
    tests = [(domain, test) for domain in sample.domains for test in sample.tests]
    return [
        *filter(None, (carried_over(*test, answer) for test in tests)),
        *verdict_sentences(tests, answer, answer.unvarying, margin),
        *_unsettled(answer, whole),
        f"{counted(data, NOUN)}{twice} predicted {count(data.items, 'item')} before "
        f"and after explanations: {grouped(sample.pairs)} pairs of predictions.",
    ]


def _unsettled(answer: Effects, whole: Whole) -> Iterator[str]:
    """Yield what has no verdict because it rests on one item, or on one person in an arm."""
    if whole.frame.data.items == 1:
        yield "All predictions are of one item: the data say nothing of other items."
    people = whole.of(PARTICIPANTS).rows(WITH_ITEMS)
    alone = [
        f"{method_name(row.of['method'])} ({domain_name(row.of['domain'])})"
        for row in people
        if row.estimate == 1
    ]
    if len(alone) == len(people) and alone:
        yield "Every arm has one person only, so nothing is concluded."
    elif alone and answer.rows(EFFECT):
        them = "it" if len(alone) == 1 else "them"
        yield f"Only one person predicted with {listed(alone)}: nothing is concluded about {them}."


def _methods(answer: Effects, whole: Whole) -> list[str]:
    reference = whole.of(PARTICIPANTS).reference
    tests: dict[str, list[str]] = {}
    for row in answer.rows(EFFECT):
        named = tests.setdefault(row.of[MEASURED], [])
        if TEST_WORDS[row.of["test"]] not in named:
            named.append(TEST_WORDS[row.of["test"]])
    effects = [
        f"In the {listed(named)} {'tests' if len(named) > 1 else 'test'} the primary effect is a "
        f"method’s {MEASURES[measure]} minus that of the arm “{method_name(reference)}”"
        for measure, named in tests.items()
    ]
    against = (
        ". ".join(effects)
        if reference
        else "There is no arm without explanations, so Change is compared with zero and includes "
        "practice"
    )
    rules = cast(Simulatability, whole.protocol).analysis
    corrected = any(row.p_adjusted is not None for row in answer.rows(EFFECT))
    margin = rules.margin if corrected else None
    return [
        f"The first analysis includes {included(whole.of(PARTICIPANTS))}. The second includes only "
        "those who qualified and weren’t too fast.",
        f"{CHANGE_IS}, in percentage points, for items that the same participant predicted in both "
        "phases.",
        f"{against}; the primary analysis, named in the protocol, is {WORDS[rules.primary_test]}.",
        *sentence_if(
            corrected, "p values have Holm’s correction for the methods of a test in a domain."
        ),
        *equivalence(
            margin, rules.margin_reason, "Calling an effect too small to matter",
            ", with Holm’s correction",
        ),
    ]  # fmt: skip


def _lacking(data: SimulatabilityData, _: Effects | None) -> list[Lacking]:
    predictions, rows = data.predictions, []
    if predictions.reference is None:
        wanted = data.protocol.analysis.reference_method
        reason = f"no arm {wanted} can be compared with another; Change is compared with zero"
        rows.append(Lacking("Change without practice", reason))
        if len(predictions.tests) > 1:
            rows.append(Lacking("what one test carries over to the other", reason.split(";")[0]))
    if len(predictions.domains) < 2:
        rows.append(Lacking("the other domain", f"all items are {predictions.domains[0]}"))
    if len(predictions.tests) < 2:
        reason = f"all items are of the {predictions.tests[0]} test"
        rows.append(Lacking("the other test", reason))
    return rows


def _registered(protocol: Simulatability) -> Promise:
    conditions = [
        (domain, test) for test in protocol.design.tests for domain in protocol.design.domains
    ]
    expected = [_hypothesis(protocol, *condition) for condition in conditions]
    return Promise(
        "What each method adds in each test, by means over participants and items and by the mixed "
        "model. Before them, as a check, accuracy before the explanations of a test that came "
        "second, of each method minus that of the arm without explanations. A method counts as "
        "equivalent to that arm if this interval lies within "
        f"±{100 * protocol.analysis.margin:g} percentage points and two one-sided tests at 5 % "
        "after Holm's correction rule out a larger difference.",
        hypotheses=tuple(
            replace(hypothesis, name=f"H{number}")
            for number, hypothesis in enumerate(filter(None, expected), start=1)
        ),
    )


def _hypothesis(protocol: Simulatability, domain: str, test: str) -> Hypothesis | None:
    """Return what is expected of a test of a domain; None if no method has explanations."""
    methods, reference = protocol.design.methods, protocol.analysis.reference_method
    others = [method for method in methods if method != reference]
    if not others:
        return None
    named = listed([method_name(method) for method in others])
    named = f"at least one of {named}" if len(others) > 1 else named
    compared = reference in methods
    by_change = test == FORWARD and protocol.design.forward_is_first
    value = MEASURES[(DIFFERENCE if by_change else AFTER).id if compared else CHANGE_POINTS.id]
    less = f" minus that of {method_name(reference)}" if compared else ""
    of = {"domain": domain, "test": test} | ({AGAINST: reference} if compared else {})
    return Hypothesis(
        "",
        f"{test_name(domain, test)}: {value} is larger with {named} than with "
        f"{method_name(reference)}."
        if compared
        else f"{test_name(domain, test)}: accuracy rises from before to after with {named}.",
        tuple(
            Criterion(
                f"{condition_name(domain, test)}: {value} with {method_name(method)}{less}",
                EFFECT,
                of | {"method": method},
                "above",
            )
            for method in others
        ),
        "one",
        "the methods of a test in a domain",
    )


EFFECTS = Question(
    id="effects",
    title="Whether explanations help people predict the model",
    answer=Effects,
    quantities=METHOD_EFFECTS,
    compute=compute,
    step="fitting the mixed models",
    parts=(_introduction, CARRIED, FIGURE, CONTRASTS, _disagreements, POOLED_TABLE, MEAN_CHANGE),
    view=Within,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Whether explanations help people predict the model."""
