"""Change as published: against zero, by the published bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, cast

import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, Estimates, select
from analysis.questions.pivot import Wide, n_of, value_of, with_limits_of, with_p_of
from analysis.questions.question import Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.deciding import MEANS
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column
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
from analysis.report.wording import count, grouped, listed, number, percent, signed
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.published import (
    TOGETHER,
    WITHIN,
    accuracy_before,
    change_rows,
    plan_of,
)
from analysis.studies.simulatability.quantities import (
    CHANGE_POINTS,
    CHANGES,
    HALF_WIDTH,
    POST_RIGHT,
    PRE_RIGHT,
    PRE_SHRUNKEN,
    PUBLISHED_CHANGE,
    REPLICATES,
)
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.tables import table_by
from analysis.studies.simulatability.trials import Condition, Predictions, conditions, inside
from analysis.studies.simulatability.words import (
    ALL,
    DESIGN,
    DOTTED,
    HEAD_IN,
    ROW_IN,
    condition_name,
    domain_name,
    draw_zero,
    method_name,
    methods_axis,
    points_axis,
    signed_points,
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
class Change(Estimates):
    """Change and accuracy before explanations by the published bootstrap."""

    people: Annotated[tuple[PersonAccuracy, ...], about("Each participant, by test.")]


def compute(data: SimulatabilityData) -> Change:
    """Return Change against zero and accuracy before explanations."""
    rows = published_rows(data.predictions, data.protocol, within=True)
    return Change(tuple(rows), tuple(_people(data.predictions.pairs)))


def published_rows(
    predictions: Predictions, protocol: Simulatability, *, within: bool = False
) -> Iterator[EstimateRow]:
    """Yield Change and accuracy before explanations by the published bootstrap."""
    most = protocol.analysis.published_replicates
    for condition in conditions(predictions):
        inner = inside(predictions.pairs, *condition)
        pairs = predictions.pairs[inner].reset_index(drop=True)
        if len(pairs):
            plan = plan_of(protocol, condition, "change", most)
            yield from change_rows(pairs, predictions.methods, plan, condition, within=within)
            yield from accuracy_before(pairs, plan_of(protocol, condition, "pre"), condition)


def _people(pairs: pd.DataFrame) -> Iterator[PersonAccuracy]:
    names = ["domain", "test", "method", "participant"]
    groups = pairs.groupby(names, as_index=False)
    for row in groups.agg(n=("pre", "size"), pre=("pre", "mean"), post=("post", "mean")).to_dict(
        "records"
    ):
        of = {name: str(row[name]) for name in names}
        pre, post = (100 * float(row[name]) for name in ("pre", "post"))
        yield PersonAccuracy(**of, n=int(row["n"]), pre=pre, post=post)


def _survived(row: Wide) -> str:
    """Return how many replicates gave a value, pooled and within methods."""
    names = (f"{REPLICATES.id}/{how}" for how in (TOGETHER, WITHIN))
    used = [(row[name], row[f"{name}.n"]) for name in names if row[name] is not None]
    return ", ".join(percent(n / max(drawn, 1), 1) for n, drawn in used)


def marginal(rows: Sequence[EstimateRow]) -> Sequence[EstimateRow]:
    """Return the rows by domain and by test, as the paper's tables have them; all if few."""
    outer = [row for row in rows if (row.of["test"] == ALL) != (row.of["domain"] == ALL)]
    return outer or rows


def of_methods(answer: Estimates) -> Sequence[EstimateRow]:
    """Return what the published bootstrap says of each method, by domain and by test."""
    return marginal([row for row in answer.rows(*CHANGES) if row.of["method"] != ALL])


_CHANGE, _LIMITS, _P = with_p_of(PUBLISHED_CHANGE, TOGETHER)
BY_METHOD = table_by(
    ("domain", "test", "method"),
    "Change by the published bootstrap: accuracy after minus accuracy before, against zero.",
    (
        n_of(PRE_RIGHT, "n", "items"),
        value_of(PRE_SHRUNKEN),
        value_of(POST_RIGHT),
        replace(_CHANGE, unit="pooled, points"),
        _LIMITS,
        _P,
        replace(with_limits_of(PUBLISHED_CHANGE, WITHIN), unit="by method, points"),
        Column("Replicates", _survived, str, "pooled, by method"),
    ),
    lambda here: of_methods(here.answer),
    "n: items × participants, answered in both phases. Shrunken: accuracy before explanations "
    "by a logistic model with a random intercept for each method. Change is the mean of the "
    "replicates, as in the paper. Pooled: people of all methods are resampled together, as the "
    "authors’ code does. By method: people and items are resampled within each method, as the "
    "paper says. Replicates: share that gave a value; those with a singular fit are discarded. "
    "Change includes practice: the arm without explanations shows how much. In the test that came "
    "second, it lacks what explanations of the first test taught before. tables/estimates.csv also "
    "has each test of each domain, raw accuracy before, and Change itself.",
    over="resampled",
)
PEOPLE_TABLE = ReportTable("person_accuracies", "answer.people")


def _panels(rows: Sequence[EstimateRow]) -> list[Condition]:
    """Return the panels of Change: the paper's four, or those that there are."""
    there = _conditions_of(rows)
    outer = [(domain, test) for domain, test in there if (domain == ALL) != (test == ALL)]
    alone = [of for of in there if ALL not in of]
    if not outer:
        return alone
    one_domain = len({domain for domain, _ in there}) == 1
    return [*outer, *(alone if one_domain else [])]


def _conditions_of(rows: Sequence[EstimateRow]) -> list[Condition]:
    return list(dict.fromkeys((row.of["domain"], row.of["test"]) for row in rows))


def draw_change(here: Within[Change]) -> Figure:
    """Return Change by method and condition."""
    rows = here.answer.rows(PUBLISHED_CHANGE, resampled=TOGETHER)
    panels, methods = _panels(rows), here.whole.of(PARTICIPANTS).methods[::-1]
    with figure_style():
        figure, grid = panel_grid(
            len(panels), 2, head_in=0.3, panel_in=HEAD_IN + ROW_IN * len(methods),
            sharex=True, sharey=True,
        )  # fmt: skip
        for axes, (domain, test) in zip(grid, panels, strict=True):
            axes.set_title(condition_name(domain, test).capitalize())
            draw_zero(axes)
            for place, name in enumerate(methods):
                for row in select(rows, domain=domain, test=test, method=name):
                    draw_estimate(axes, row, place, BLUE, "o")
            methods_axis(axes, methods)
            points_axis(axes)
        figure.supxlabel("Change, percentage points (published bootstrap)", fontsize=8.5)
    return figure


_LOOKS: Final[Sequence[dict[str, Any]]] = tuple(
    {"color": colour, "marker": marker, "linestyle": line, "markersize": 4, "linewidth": 1.1}
    for colour, marker, line in (
        (INK, "D", (0, (4, 1.6))), (BLUE, "o", "-"), (ORANGE, "s", "-"), (GREY, "^", "-"),
        (BLUE, "v", (0, (1, 1.2))), (ORANGE, "P", (0, (1, 1.2))), (GREY, "X", (0, (4, 1.6))),
    )
)  # fmt: skip


def draw_slopes(here: Within[Change]) -> Figure:
    """Return accuracy before and after, a line a method, by domain and test."""
    answer, methods = here.answer, here.whole.of(PARTICIPANTS).methods
    rows = answer.rows(POST_RIGHT)
    panels = [of for of in _conditions_of(rows) if ALL not in of]
    with figure_style():
        figure, grid = subplots(
            1, len(panels), sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 2.9),
        )  # fmt: skip
        for axes, (domain, test) in zip(grid.flat, panels, strict=True):
            axes.set_title(f"{domain_name(domain).capitalize()},\n{test}")
            axes.axhline(50, color=SOFT, linewidth=0.8, linestyle=DOTTED, zorder=0)
            for person in answer.people:
                if (person.domain, person.test) == (domain, test):
                    ends = [person.pre, person.post]
                    axes.plot([0, 1], ends, color=FAINT, linewidth=0.6, zorder=0)
            for row in select(rows, domain=domain, test=test):
                look = _LOOKS[methods.index(row.of["method"]) % len(_LOOKS)]
                axes.plot([0, 1], [answer.row(PRE_RIGHT, **row.of).estimate, row.estimate], **look)
            axes.set_xticks([0, 1], ["before", "after"])
            axes.set_xlim(-0.25, 1.25)
        grid.flat[0].set_ylabel("right predictions, %")
        for place, name in enumerate(methods):
            grid.flat[0].plot([], [], label=method_name(name), **_LOOKS[place % len(_LOOKS)])
        figure.legend(loc="outside lower center", ncols=4, fontsize=7.5)
    return figure


_FAINT: Final = " Faint lines are participants."


def _several(people: Sequence[PersonAccuracy]) -> bool:
    """Return whether an arm has several people; the line of one is that of the arm."""
    return len({(row.domain, row.test, row.method) for row in people}) < len(people)


CHANGE_FIGURE = ReportFigure(
    "change",
    "Change by method, which the published study compares with zero, with 95 % intervals "
    "of the published bootstrap.",
    "Panels by domain and test; a row for each method",
    draw_change,
)
SLOPES_FIGURE = ReportFigure(
    "slopes",
    lambda here: (
        "Right predictions before and after explanations. The dotted line is chance."
        f"{_FAINT if _several(here.answer.people) else ''}"
    ),
    "A line for each method from before to after, a panel for each domain and test",
    draw_slopes,
)


def _headline(answer: Change, whole: Whole) -> list[str]:
    """Return Change against zero, if it differs from zero, and Change by practice."""
    rows = _by_test(answer.rows(PUBLISHED_CHANGE, resampled=TOGETHER))
    differing = [row for row in rows if row.p is not None and row.p < LEVEL_OF_TEST]
    named = [
        f"{method_name(row.of['method'])} ({condition_name(row.of['domain'], row.of['test'])}) "
        f"{signed(row.estimate)} ± {number(answer.row(HALF_WIDTH, **row.of).estimate, 1)}"
        for row in sorted(differing, key=lambda row: -abs(row.estimate or 0.0))
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


def _by_test(rows: Sequence[EstimateRow]) -> Sequence[EstimateRow]:
    """Return the rows of each test, of both domains together if there are two."""
    of_test = [row for row in rows if row.of["test"] != ALL]
    return select(of_test, domain=ALL) or of_test


def _practice(whole: Whole) -> Iterator[str]:
    """Yield Change of the arm without explanations, by means, and whether it differs from zero."""
    sample = whole.of(PARTICIPANTS)
    rows = whole.of(EFFECTS).rows(CHANGE_POINTS, by=MEANS, method=sample.reference or "")
    if not rows:
        return
    changed = [
        f"{written} ({condition_name(row.of['domain'], row.of['test'])})"
        for row, written in zip(rows, signed_points(rows, " points"), strict=True)
    ]
    differs = any(row.p is not None and row.p < LEVEL_OF_TEST for row in rows)
    meaning = (
        "A test against zero counts such a change as an effect of explanations."
        if differs
        else "The data don’t show that accuracy changed by practice."
    )
    yield f"Without explanations, Change was {listed(changed)}. {meaning}"


def _methods(answer: Change, whole: Whole) -> list[str]:
    if not answer.has_limits(PUBLISHED_CHANGE):
        return []
    replicates = cast(Simulatability, whole.protocol).analysis.published_replicates
    return [
        f"The published analysis ({DESIGN}) was repeated: a logistic model "
        "with a random intercept for each method shrinks the accuracy before explanations, and a "
        "block bootstrap that resamples participants and then items gives intervals and p "
        f"({grouped(replicates)} replicates, singular fits discarded)."
    ]


def _registered(protocol: Simulatability) -> Promise:
    return Promise(
        "Change against zero, by the published block bootstrap of participants and items with "
        f"{protocol.analysis.published_replicates} replicates. The accuracy before "
        "explanations is shrunken over methods.",
    )


CHANGE = Question(
    id="change",
    title="Change as published",
    answer=Change,
    quantities=CHANGES,
    compute=compute,
    step="resampling people and items, as published",
    parts=(CHANGE_FIGURE, BY_METHOD, SLOPES_FIGURE, PEOPLE_TABLE),
    view=Within,
    headline=_headline,
    methods=_methods,
    registered=_registered,
)
"""Change as published."""
