"""How people rely on the AI's advice: too much, too little, and whether they switch to it."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Of, Quantity, estimate_row
from analysis.questions.pivot import level_of, pivot, with_limits_of
from analysis.questions.question import Question, Unavailable
from analysis.report.wording import percent, points
from analysis.statistics.bootstrap import Units
from analysis.statistics.reliance import MEASURES, SWITCHING, Advice, reliance
from analysis.table_study.data import ItemData
from analysis.table_study.measures import first_is

HEADINGS: Final = {
    "reliance": "Followed",
    "over_reliance": "Over-reliance",
    "under_reliance": "Under-reliance",
    "appropriate_reliance": "Appropriate",
    "discrimination": "Right less wrong",
    "switch_fraction": "Switched",
    "relative_ai_reliance": "To a right AI",
    "relative_self_reliance": "Kept against a wrong AI",
}
QUANTITIES: Final = {
    name: Quantity(name, HEADINGS[name], f"{about[0].upper()}{about[1:]}.",
                   points if name == "discrimination" else percent)
    for name, about in {**MEASURES, **SWITCHING}.items()
}  # fmt: skip
FACTOR, LEVEL = "factor", "level"


def compute(data: ItemData) -> Estimates | Unavailable:
    """Return each measure of reliance, over all advice and by the levels of each factor."""
    if data.protocol.advice is None:
        return Unavailable("reliance", "")
    frame = data.answered
    columns = [name for name in ("agrees", "ai_correct") if name in frame]
    trials = frame.dropna(subset=columns)
    if len(columns) < 2 or trials.empty:
        return Unavailable(
            "reliance", "no answer has advice of which it is known whether it is right"
        )
    rows = _rows(trials, {FACTOR: "all"}, ("all",), np.zeros(len(trials), dtype=int), data)
    for name, levels in data.factors.items():
        group = np.array([levels.index(level) for level in trials[name]])
        rows += _rows(trials, {FACTOR: name}, levels, group, data)
    return Estimates(rows)


def _rows(
    trials: pd.DataFrame, of: Of, levels: Sequence[str], group: np.ndarray, data: ItemData
) -> tuple[EstimateRow, ...]:
    """Return the measures at each level of a factor.

    Changes of one's own answer are those at levels where everybody has answered before.
    """
    answered_first = (
        trials["own_rt_s"].notna() if "own_rt_s" in trials else pd.Series(False, trials.index)
    )
    before = ~np.isin(group, group[~answered_first.to_numpy()])
    measures = reliance(_advice(trials), _units(trials), data.plan, group, len(levels))
    if before.any():
        rest = trials[before]
        changes = reliance(
            _advice(rest, changed=True), _units(rest), data.plan, group[before], len(levels)
        )
        for of_level, more in zip(measures, changes, strict=True):
            of_level.update((name, more[name]) for name in SWITCHING)
    return tuple(
        estimate_row(QUANTITIES[name], {**of, LEVEL: level}, value, n)
        for level, of_level in zip(levels, measures, strict=True)
        for name, (value, n) in of_level.items()
        if np.isfinite(value.estimate)
    )


def _advice(trials: pd.DataFrame, *, changed: bool = False) -> Advice:
    return Advice(
        trials["ai_correct"].to_numpy(dtype=bool),
        trials["agrees"].to_numpy(dtype=bool),
        first_is(trials, "right") if changed else None,
        first_is(trials, "advice") if changed else None,
    )


def _units(trials: pd.DataFrame) -> Units:
    return Units.of(trials["participant"], trials["item"])


def _table(caption: str, names: Any) -> Any:
    quantities = [QUANTITIES[name] for name in names]
    return pivot(
        caption,
        (
            level_of(FACTOR, "Factor", once=True),
            level_of(LEVEL, "Level"),
            *(with_limits_of(quantity) for quantity in quantities),
        ),
        by=(FACTOR, LEVEL),
        of=lambda answer: answer.rows(*quantities),
        note=" ".join(
            f"{quantity.heading}: {quantity.about[0].lower()}{quantity.about[1:]}"
            for quantity in quantities
        ),
        row_headers=2,
    )


RELIANCE = Question(
    id="reliance",
    title="Reliance on the AI",
    answer=Estimates,
    quantities=tuple(QUANTITIES.values()),
    compute=compute,
    parts=(
        _table("How often advice was followed, with 95 % intervals.", tuple(MEASURES)[:3]),
        _table(
            "How well people told right advice from wrong, with 95 % intervals.",
            tuple(MEASURES)[3:],
        ),
        _table("Changes of one’s own first answer, with 95 % intervals.", SWITCHING),
    ),
    shown=lambda answer: answer.estimates,
)
"""How people rely on the AI's advice."""
