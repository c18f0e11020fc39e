"""Change as published: against zero, by the published bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, cast

import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.question import Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, changes
from analysis.report.parts import Column, limits
from analysis.report.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    panel_grid,
    subplots,
)
from analysis.report.wording import count, grouped, listed, number, p_value, percent, signed
from analysis.studies.simulatability import published as paper
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.means import PointsBrief
from analysis.studies.simulatability.published import (
    Before,
    MethodChange,
    accuracy_before,
    change_rows,
    plan_of,
)
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.trials import Condition, Predictions, conditions, inside
from analysis.studies.simulatability.words import (
    ALL,
    DESIGN,
    DOTTED,
    HEAD_IN,
    ROW_IN,
    UP,
    condition_name,
    domain,
    domain_name,
    draw_legend,
    draw_zero,
    method,
    method_name,
    methods_axis,
    points_axis,
    signed_points,
    tenth,
    test,
)
from stimuli.studies.simulatability.protocol import Simulatability

MOST_NAMED: Final = 4
LEVEL_OF_TEST: Final = 0.05


@dataclass(frozen=True, slots=True)
class PersonAccuracy:
    """A participant's accuracy before and after explanations in a test."""

    domain: Annotated[str, about("Domain.")]
    test: Annotated[str, about("Test.")]
    method: Annotated[str, about("The method.")]
    participant: Annotated[str, about("Code of the participant.")]
    n: Annotated[int, about("Items that were answered in both phases.")]
    pre: Annotated[float, about("Right before explanations, per cent.")]
    post: Annotated[float, about("Right after explanations, per cent.")]


@dataclass(frozen=True, slots=True)
class Change:
    """Change and accuracy before explanations by the published bootstrap."""

    by_method: Annotated[tuple[MethodChange, ...], about("Change by condition and method.")]
    before: Annotated[tuple[Before, ...], about("Accuracy before explanations, by condition.")]
    people: Annotated[tuple[PersonAccuracy, ...], about("Each participant, by test.")] = ()


def compute(data: SimulatabilityData) -> Change:
    """Return Change against zero and accuracy before explanations."""
    return published_change(data.predictions, data.protocol, within=True)


def published_change(
    predictions: Predictions, protocol: Simulatability, *, within: bool = False
) -> Change:
    """Return Change and accuracy before explanations by the published bootstrap."""
    rows: list[MethodChange] = []
    before: list[Before] = []
    pairs, most = predictions.pairs, protocol.analysis.published_replicates
    for condition in conditions(predictions):
        own = pairs[inside(pairs, *condition)].reset_index(drop=True)
        if own.empty:
            continue
        plan = plan_of(protocol, condition, "change", most)
        rows += change_rows(own, predictions.methods, plan, condition, within=within)
        before.append(accuracy_before(own, plan_of(protocol, condition, "pre"), condition))
    return Change(tuple(rows), tuple(before), tuple(_people(pairs)))


def _people(pairs: pd.DataFrame) -> Iterator[PersonAccuracy]:
    names = ["domain", "test", "method", "participant"]
    groups = pairs.groupby(names, as_index=False)
    for row in groups.agg(n=("pre", "size"), pre=("pre", "mean"), post=("post", "mean")).to_dict(
        "records"
    ):
        of = {name: str(row[name]) for name in names}
        pre, post = (100 * float(row[name]) for name in ("pre", "post"))
        yield PersonAccuracy(**of, n=int(row["n"]), pre=pre, post=post)


def flat_columns(row: MethodChange) -> dict[str, Any]:
    """Return a row of Change as a row of a file."""
    own = asdict(row)
    within = own.pop("within") or {}
    return own | {f"within_{name}": value for name, value in within.items()}


def _within_words(row: MethodChange) -> str:
    """Return Change where each method is resampled by itself."""
    own = row.within
    return "" if own is None else signed_points(own.published_change, own)


def _survived(row: MethodChange) -> str:
    """Return how many replicates gave a value, pooled and within methods."""
    counts = [row.replicates] + ([row.within.replicates] if row.within else [])
    return ", ".join(percent(n / max(row.drawn, 1), 1) for n in counts)


def marginal(rows: Sequence[MethodChange]) -> list[MethodChange]:
    """Return the rows by domain and by test, as the paper's tables have them; all if few."""
    own = [row for row in rows if (row.test == ALL) != (row.domain == ALL)]
    return own or list(rows)


BY_METHOD = ReportTable(
    "change",
    lambda here: [flat_columns(row) for row in here.answer.by_method],
    "Change by the published bootstrap: accuracy after minus accuracy before, against zero.",
    (
        Column("Domain", domain, once=True),
        Column("Test", test, once=True),
        Column("Method", method),
        Column("n", "n", grouped, "items"),
        Column("Before", "pre", tenth, "shrunken, %"),
        Column("After", "post", tenth, "%"),
        Column("Change", "published_change", signed, "code, points"),
        limits(signed),
        Column("p", "p", p_value),
        Column("Change", _within_words, str, "text, points"),
        Column("Replicates", _survived, str, "code, text"),
    ),
    "n: items × participants, answered in both phases. Shrunken: accuracy before explanations by a "
    "logistic model with a random intercept for each method. Change is the mean of the replicates, "
    "as in the paper. Code: people of all methods are pooled and resampled, as the authors’ code "
    "does. Text: people and items are resampled within each method, as the paper’s text says. "
    "Replicates: share that gave a value; those with a singular fit are discarded. Change includes "
    "practice: the arm without explanations shows how much. tables/change.csv also has each test "
    "of each domain, raw accuracy before, and Change itself.",
    shown=lambda here: marginal(here.answer.by_method),
    strong=changes("domain", "test"),
    row_headers=3,
)
BEFORE = ReportTable("pre_accuracies", "answer.before")
PEOPLE = ReportTable("person_accuracies", "answer.people")


def _panels(rows: Sequence[MethodChange]) -> list[Condition]:
    """Return the panels of Change: the paper's four, or those that there are."""
    there = list(dict.fromkeys((row.domain, row.test) for row in rows))
    marginal = [(domain, test) for domain, test in there if (domain == ALL) != (test == ALL)]
    alone = [of for of in there if ALL not in of]
    if not marginal:
        return alone
    one_domain = len({domain for domain, _ in there}) == 1
    return [*marginal, *(alone if one_domain else [])]


def draw_change(here: Within[Change]) -> Figure:
    """Return Change by method and condition, the published values as hollow marks."""
    rows, methods = here.answer.by_method, here.found.of(PARTICIPANTS).methods[::-1]
    panels = _panels(rows)
    with figure_style():
        figure, grid = panel_grid(
            len(panels), 2, head_in=0.3, panel_in=HEAD_IN + ROW_IN * len(methods),
            sharex=True, sharey=True,
        )  # fmt: skip
        for axes, of in zip(grid, panels, strict=True):
            axes.set_title(condition_name(*of).capitalize())
            draw_zero(axes)
            ours = {row.method: row for row in rows if (row.domain, row.test) == of}
            published = paper.CHANGE.get(of, {})
            for place, name in enumerate(methods):
                if name in ours:
                    draw_estimate(axes, _ours(ours[name]), place + UP / 2, BLUE, "o")
                if name in published:
                    theirs = _theirs(published[name])
                    draw_estimate(axes, theirs, place - UP, GREY, "s", hollow=True)
            methods_axis(axes, methods)
            points_axis(axes)
        draw_legend(figure, (("here", BLUE, "o", False), ("published", GREY, "s", True)))
        figure.supxlabel("Change, percentage points (published bootstrap)", fontsize=8.5)
    return figure


def _ours(row: MethodChange) -> PointsBrief:
    return PointsBrief(row.published_change, row.ci_low, row.ci_high, row.p)


def _theirs(own: paper.Change) -> PointsBrief:
    low, high = own.change - own.half_width, own.change + own.half_width
    return PointsBrief(own.change, low, high, own.p)


_LOOKS: Final[Sequence[dict[str, Any]]] = tuple(
    {"color": colour, "marker": marker, "linestyle": line, "markersize": 4, "linewidth": 1.1}
    for colour, marker, line in (
        (INK, "D", (0, (4, 1.6))), (BLUE, "o", "-"), (ORANGE, "s", "-"), (GREY, "^", "-"),
        (BLUE, "v", (0, (1, 1.2))), (ORANGE, "P", (0, (1, 1.2))), (GREY, "X", (0, (4, 1.6))),
    )
)  # fmt: skip


def draw_slopes(here: Within[Change]) -> Figure:
    """Return accuracy before and after, a line a method, by domain and test."""
    rows, methods = here.answer.by_method, here.found.of(PARTICIPANTS).methods
    panels = [of for of in dict.fromkeys((row.domain, row.test) for row in rows) if ALL not in of]
    with figure_style():
        figure, grid = subplots(
            1, len(panels), sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 2.9),
        )  # fmt: skip
        for axes, of in zip(grid.flat, panels, strict=True):
            axes.set_title(f"{domain_name(of[0]).capitalize()},\n{of[1]}")
            axes.axhline(50, color=SOFT, linewidth=0.8, linestyle=DOTTED, zorder=0)
            for person in here.answer.people:
                if (person.domain, person.test) == of:
                    ends = [person.pre, person.post]
                    axes.plot([0, 1], ends, color=FAINT, linewidth=0.6, zorder=0)
            for row in rows:
                if (row.domain, row.test) == of:
                    look = _LOOKS[methods.index(row.method) % len(_LOOKS)]
                    axes.plot([0, 1], [row.pre_raw, row.post], **look)
            axes.set_xticks([0, 1], ["before", "after"])
            axes.set_xlim(-0.25, 1.25)
        grid.flat[0].set_ylabel("right predictions, %")
        for place, name in enumerate(methods):
            grid.flat[0].plot([], [], label=method_name(name), **_LOOKS[place % len(_LOOKS)])
        figure.legend(loc="outside lower center", ncols=4, fontsize=7.5)
    return figure


CHANGE_FIGURE = ReportFigure(
    "change",
    "Change by method, which the published study compares with zero, with 95 % intervals "
    "of the published bootstrap. Hollow marks show the published values.",
    "Panels by domain and test; a row for each method with our value and the published one",
    draw_change,
)
SLOPES_FIGURE = ReportFigure(
    "slopes",
    "Right predictions before and after explanations. Faint lines are participants, the dotted "
    "line is chance.",
    "A line for each method from before to after, a panel for each domain and test",
    draw_slopes,
)


def _headline(found: Change, whole: Whole) -> list[str]:
    """Return Change against zero, if it differs from zero, and Change by practice."""
    rows = marginal(found.by_method)
    differing = [row for row in rows if row.p is not None and row.p < LEVEL_OF_TEST]
    named = [
        f"{method(row)} ({condition_name(row.domain, row.test)}) {signed(row.published_change)} "
        f"± {number(row.half_width, 1)}"
        for row in sorted(differing, key=lambda row: -abs(row.published_change or 0.0))
    ]
    compared = count(len(rows), "comparison")
    which = (
        f"none of {compared}."
        if not named
        else f"{len(named)} of {compared}: {listed(named)}."
        if len(named) <= MOST_NAMED
        else f"{len(named)} of {compared}. The largest is {named[0]}."
    )
    first = f"By the published bootstrap, without a correction, Change differs from zero in {which}"
    return [first, *_practice(whole)]


def _practice(whole: Whole) -> Iterator[str]:
    """Yield Change of the arm without explanations, by means."""
    sample = whole.of(PARTICIPANTS)
    changed = [
        f"{signed_points(row.estimate, row, ' points')} ({domain(row)})"
        for row in whole.of(EFFECTS).means.change
        if row.method == sample.reference
        and (row.test == ALL or len(sample.tests) == 1)
        and row.domain != ALL
    ]
    if changed:
        yield (
            f"Without explanations, accuracy changed by {listed(changed)}. This is practice and "
            "regression to the mean. A test against zero counts it as an effect."
        )


def _methods(_: Change, whole: Whole) -> list[str]:
    replicates = cast(Simulatability, whole.protocol).analysis.published_replicates
    return [
        f"The published analysis ({DESIGN}) was repeated: a logistic model "
        "with a random intercept for each method shrinks the accuracy before explanations, and a "
        "block bootstrap that resamples participants and then items gives intervals and p "
        f"({grouped(replicates)} replicates, singular fits discarded)."
    ]


def _registered(protocol: Simulatability) -> Promise:
    return Promise(
        "secondary",
        "Change against zero, by the published block bootstrap of participants and items with "
        f"{protocol.analysis.published_replicates} replicates. The accuracy before "
        "explanations is shrunken over methods.",
    )


CHANGE = Question(
    id="change",
    title="Change as published",
    answer=Change,
    compute=compute,
    step="resampling people and items, as published",
    parts=(CHANGE_FIGURE, BY_METHOD, SLOPES_FIGURE, BEFORE, PEOPLE),
    view=Within,
    headline=_headline,
    methods=_methods,
    registered=_registered,
)
"""Change as published."""
