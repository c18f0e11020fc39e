"""Participants and trials from what was recorded to what each analysis rests on."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.report.parts import Picture, Table, table
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style
from analysis.report.wording import NOTHING, count, grouped
from analysis.sessions import Sessions

Row = Mapping[str, Any]

_BOX_HEIGHT, _GAP, _LINE = 0.52, 0.34, 0.155  # inches


def stage(step: str, frame: pd.DataFrame, left_out: Sequence[Row] = ()) -> dict[str, Any]:
    """Return one step of the flow as it stands in results.json.

    Parameters
    ----------
    step
        What is left, in words.
    frame
        Its trials.
    left_out
        Who is left out after it; see `leaving`.
    """
    return {
        "step": step,
        "participants": int(frame["participant"].nunique()),
        "trials": len(frame),
        "left_out": list(left_out),
    }


def leaving(reason: str, before: pd.DataFrame, after: pd.DataFrame) -> dict[str, Any]:
    """Return who and what is left out between two steps, and why."""
    return {
        "reason": reason,
        "participants": int(before["participant"].nunique() - after["participant"].nunique()),
        "trials": len(before) - len(after),
    }


def begun_stages(sessions: Sessions | None, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return who began a session, where journals tell it, and who isn't in the table."""
    if sessions is None or not sessions.facts:
        return []
    begun = {fact.participant for fact in sessions.facts}
    missing = begun - set(table["participant"].unique())
    withdrawn = missing & {fact.participant for fact in sessions.facts if fact.withdrawn}
    reasons = {
        "withdrew their data": len(withdrawn),
        "finished no main trial": len(missing - withdrawn),
    }
    left_out = [
        {"reason": reason, "participants": n, "trials": None} for reason, n in reasons.items() if n
    ]
    return [
        {
            "step": "began a session",
            "participants": len(begun),
            "trials": None,
            "left_out": left_out,
        }
    ]


def flow_rows(flow: Mapping[str, Sequence[Row]]) -> list[dict[str, Any]]:
    """Return the flow flat, for a table as a file."""
    rows: list[dict[str, Any]] = []
    for step in flow["stages"]:
        rows.append({"kind": "step", "what": step["step"], **_counts(step)})
        rows += [{"kind": "left out", "what": p["reason"], **_counts(p)} for p in step["left_out"]]
    rows += [{"kind": "arm", "what": arm["arm"], **_counts(arm)} for arm in flow["arms"]]
    return rows


def flow_table(flow: Mapping[str, Sequence[Row]]) -> Table:
    """Return participants and trials at each step as a table."""
    rows, strong = [], []
    for row in flow_rows(flow):
        if row["kind"] == "step" and rows:
            strong.append(len(rows))
        indent = {"step": "", "left out": "– ", "arm": "of these: "}[row["kind"]]
        rows.append((indent + row["what"], *_cells(row)))
    columns = [("Step", "", False), ("Participants", "n", True), ("Trials", "n", True)]
    return table("Participants and trials at each step.", columns, rows, strong=strong)


def flow_picture(flow: Mapping[str, Sequence[Row]]) -> Picture:
    """Return the flow as a diagram in the manner of the CONSORT statement."""
    said = "; ".join(f"{row['step']}: {_words(row)}" for row in flow["stages"])
    return Picture(
        "flow",
        "Participant flow. Left: who is in each step; right: who was left out, and why.",
        f"Flow diagram. {said}.",
        _drawing(flow),
    )


def _drawing(flow: Mapping[str, Sequence[Row]]) -> Figure:
    stages, arms = flow["stages"], flow["arms"]
    places: list[tuple[float, Row, float]] = []
    y = 0.0
    for row in stages:
        side = _BOX_HEIGHT if len(row["left_out"]) < 2 else _LINE * (len(row["left_out"]) + 1.2)
        places.append((y, row, side))
        y += _BOX_HEIGHT + (side + _GAP if row["left_out"] else _GAP)
    arms_at = y + 0.05
    height = (arms_at + _BOX_HEIGHT if arms else y - _GAP) + 0.05
    with figure_style():
        figure, axes = plt.subplots(figsize=(WIDTH_IN, height))
        figure.subplots_adjust(0, 0, 1, 1)
        axes.set_xlim(0, WIDTH_IN)
        axes.set_ylim(height - 0.02, -0.03)
        axes.axis("off")
        for place, (top, row, side) in enumerate(places):
            _box(axes, 0.05, top, 3.1, _BOX_HEIGHT, f"{_capital(row['step'])}\n{_words(row)}")
            if place + 1 < len(places):
                _arrow(axes, (1.6, top + _BOX_HEIGHT), (1.6, places[place + 1][0]))
            if row["left_out"]:
                middle = top + _BOX_HEIGHT + (_GAP + side) / 2
                text = "\n".join(f"{_capital(p['reason'])}: {_words(p)}" for p in row["left_out"])
                _arrow(axes, (1.6, middle), (3.45, middle))
                _box(axes, 3.45, middle - side / 2, 3.5, side, text, SOFT)
        if arms:
            _arms(axes, arms, arms_at, places[-1][0] + _BOX_HEIGHT)
    return figure


def _arms(axes: Axes, arms: Sequence[Row], top: float, above: float) -> None:
    width = (WIDTH_IN - 0.1 - 0.3 * (len(arms) - 1)) / len(arms)
    width = min(width, 3.1)
    for place, arm in enumerate(arms):
        left = 0.05 + place * (width + 0.3)
        _box(axes, left, top, width, _BOX_HEIGHT, f"{_capital(arm['arm'])}\n{_words(arm)}")
        _arrow(axes, (1.6, above), (left + width / 2, top))


def _box(
    axes: Axes, left: float, top: float, width: float, height: float, text: str, edge: str = INK
) -> None:
    axes.add_patch(
        plt.Rectangle((left, top), width, height, facecolor="white", edgecolor=edge, linewidth=0.8)
    )
    axes.text(left + 0.1, top + height / 2, text, va="center", fontsize=8, linespacing=1.35)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=style)


def _counts(row: Row) -> dict[str, Any]:
    return {"participants": row["participants"], "trials": row["trials"]}


def _cells(row: Row) -> tuple[str, str]:
    trials = NOTHING if row["trials"] is None else grouped(row["trials"])
    return grouped(row["participants"]), trials


def _words(row: Row) -> str:
    people = count(row["participants"], "participant")
    return people if row["trials"] is None else f"{people}, {count(row['trials'], 'trial')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
