"""How long people take, and whether they get better or worse over the trials."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, again, estimate_row
from analysis.questions.pivot import level_of, n_of, pivot, value_of, with_limits_of
from analysis.questions.question import Question, Unavailable
from analysis.questions.trials import FIRST, LAST, MIDDLE, THIRDS, in_thirds
from analysis.report.parts import Column
from analysis.report.wording import number, percent, points
from analysis.table_study.comparing import cells_of
from analysis.table_study.data import ItemData
from analysis.table_study.measures import Value, values_of

MEDIAN = Quantity("median_s", "Median", "Median of participants’ median times.", unit="s")
LOWER = Quantity("quarter_low_s", "Lower quartile", "Lower quartile of the same medians.", unit="s")
UPPER = Quantity("quarter_high_s", "Upper quartile", "Upper quartile of them.", unit="s")
FACTOR, LEVEL = "factor", "level"


def _parts(data: ItemData) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """Yield all answers, and those of each level of each factor."""
    yield {FACTOR: "all", LEVEL: "all"}, data.answered
    for name, levels in data.factors.items():
        for level in levels:
            yield {FACTOR: name, LEVEL: level}, data.answered[data.answered[name] == level]


def times(data: ItemData) -> Estimates:
    """Return medians of participants' median times, by the level of each factor."""
    rows: list[EstimateRow] = []
    if "rt_s" not in data.answered:
        return Estimates(())
    for of, trials in _parts(data):
        medians = trials.groupby("participant")["rt_s"].median().dropna()
        for quantity, share in ((MEDIAN, 0.5), (LOWER, 0.25), (UPPER, 0.75)):
            if len(medians):
                rows.append(
                    estimate_row(quantity, of, float(medians.quantile(share)), len(medians))
                )
    return Estimates(tuple(rows))


def _middle_half(row: Any) -> str:
    return f"{number(row[LOWER.id])}–{number(row[UPPER.id])}"


TIMES = Question(
    id="times",
    title="Time",
    answer=Estimates,
    quantities=(MEDIAN, LOWER, UPPER),
    compute=times,
    parts=(
        pivot(
            "Times to the answer, the last one to an item: medians of participants’ medians.",
            (
                level_of(FACTOR, "Factor", once=True),
                level_of(LEVEL, "Level"),
                n_of(MEDIAN, "Participants"),
                value_of(MEDIAN),
                Column("Middle half", _middle_half, str, "s"),
            ),
            by=(FACTOR, LEVEL),
            row_headers=2,
        ),
    ),
    shown=lambda answer: answer.estimates,
    needs={"rt_s": "times to the answer"},
)
"""How long people take."""

BY_THIRD = Quantity(
    "share_by_third", "Share", "A share in a third of each person’s trials.", percent
)
CHANGE = Quantity(
    "share_change", "Last less first", "The share in the last third less that in the first.",
    points, "points, 95 % interval",
)  # fmt: skip
MEAN_BY_THIRD = Quantity("mean_by_third", "Mean", "A mean in a third of each person’s trials.")
MEAN_CHANGE = Quantity(
    "mean_change", "Last less first", "The mean in the last third less that in the first.",
    unit="95 % interval",
)  # fmt: skip
MEASURE, THIRD = "measure", "third"
LEAST = 3


def _primary(data: ItemData) -> Value | None:
    """Return the first measure but time of which most trials have a value; None without one."""
    values = [value for value in values_of(data.protocol) if not value.kind.is_time]
    known = {value.id: len(value.rows(data.answered)) for value in values}
    most = max(known.values(), default=0)
    return next((value for value in values if most and known[value.id] == most), None)


def learning(data: ItemData) -> Estimates | Unavailable:
    """Return the measure that most trials have by third of each participant's trials."""
    value = _primary(data)
    if value is None:
        return Unavailable("learning over trials", "nothing but times is measured")
    frame = value.rows(data.answered)
    if frame["participant"].value_counts().min() < LEAST:
        return Unavailable("learning over trials", f"a participant has fewer than {LEAST} answers")
    by_third, change = (BY_THIRD, CHANGE) if value.ends is None else (MEAN_BY_THIRD, MEAN_CHANGE)
    cells = cells_of(value, in_thirds(frame), {THIRD: THIRDS}, data.plan)
    rows: list[EstimateRow] = list(cells.rows(by_third))
    rows += [contrast.row() for contrast in cells.contrasts(change, THIRD, [(LAST, FIRST)])]
    return Estimates(again(rows, **{MEASURE: value.words}))


def _learning_table(by_third: Quantity, change: Quantity) -> Any:
    return pivot(
        "The measure that most trials have, by third of each participant’s trials.",
        (
            level_of(MEASURE, "What"),
            value_of(by_third, FIRST, "First third"),
            value_of(by_third, MIDDLE, "Middle"),
            value_of(by_third, LAST, "Last"),
            with_limits_of(change, level=LAST),
        ),
        by=(MEASURE,),
        over=THIRD,
        of=lambda answer: answer.rows(by_third, change),
    )


LEARNING = Question(
    id="learning",
    title="Learning over trials",
    answer=Estimates,
    quantities=(BY_THIRD, CHANGE, MEAN_BY_THIRD, MEAN_CHANGE),
    compute=learning,
    parts=(_learning_table(BY_THIRD, CHANGE), _learning_table(MEAN_BY_THIRD, MEAN_CHANGE)),
)
"""Whether people get better or worse over the trials."""
