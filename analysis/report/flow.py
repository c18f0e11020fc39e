"""Participants and trials at each step, from the recorded sessions to each analysis."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.data.sessions import Sessions
from analysis.data.tables import Dataset
from analysis.report.declared import ReportFigure, ReportTable, Results
from analysis.report.parts import Column
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, subplots, text_width_in
from analysis.report.wording import count, grouped

Row = Mapping[str, Any]

# Inches.
_WIDTH, _LEFT, _RIGHT, _MIDDLE = 3.3, 0.05, 3.65, 1.7
_LINE, _PAD, _GAP, _MARGIN = 0.155, 0.16, 0.26, 0.1
_SIZE_PT = 7.8
# A line's signs: as many as go into its box in the font that this PC has, within these.
_MOST_SIGNS, _LEAST_SIGNS = 58, 20


def stage(
    step: str, frame: pd.DataFrame, left_out: Sequence[Row] = (), arms: Sequence[Row] = ()
) -> dict[str, Any]:
    """Return one step of the flow as it stands in results.json.

    Parameters
    ----------
    step
        What is left, in words.
    frame
        Its trials.
    left_out
        Who is left out after it; see `leaving`.
    arms
        How its participants are spread; see `arms_of`.
    """
    return {
        "step": step,
        "participants": int(frame["participant"].nunique()),
        "trials": len(frame),
        "left_out": list(left_out),
        "arms": list(arms),
    }


def arms_of(frame: pd.DataFrame, column: str, called: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return participants and trials of each arm; none where the table doesn't state it.

    ``called`` says what an arm is called.
    """
    if column not in frame:
        return []
    return [
        {
            "arm": called(str(name)),
            "participants": int(own["participant"].nunique()),
            "trials": len(own),
        }
        for name, own in frame.groupby(column)
    ]


def leaving(reason: str, before: pd.DataFrame, after: pd.DataFrame) -> dict[str, Any]:
    """Return who and what is left out between two steps, and why."""
    return {
        "reason": reason,
        "participants": int(before["participant"].nunique() - after["participant"].nunique()),
        "trials": len(before) - len(after),
    }


def intake(dataset: Dataset, *left_out: Row) -> list[dict[str, Any]]:
    """Return the first steps: who began a session, and the trial table.

    Parameters
    ----------
    dataset
        The tables.
    *left_out
        Who is left out of the trial table, see `leaving`. A reason that concerns nobody is dropped.
    """
    left = [row for row in left_out if row["participants"] or row["trials"]]
    return [
        *begun_stages(dataset.sessions, dataset.trials),
        stage("in the trial table", dataset.trials, left),
    ]


def begun_stages(sessions: Sessions | None, table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return who began a session, where journals tell it, and who isn't in the table."""
    if sessions is None or not sessions.facts:
        return []
    begun = {fact.participant for fact in sessions.facts}
    missing = begun - set(table["participant"].unique())
    withdrawn = missing & {fact.participant for fact in sessions.facts if fact.withdrawn}
    suspect = (missing - withdrawn) & {
        fact.participant for fact in sessions.facts if fact.session in sessions.suspect
    }
    missing -= suspect
    declined = (missing - withdrawn) & {
        fact.participant for fact in sessions.facts if fact.declined
    }
    missing -= declined
    waiting = (missing - withdrawn) & {
        fact.participant for fact in sessions.facts if fact.trials and not fact.released
    }
    reasons = {
        "declined to take part": len(declined),
        "withdrew their data": len(withdrawn),
        "whose records can’t be trusted": len(suspect),
        "unfinished, and not asked again for the data": len(waiting),
        "finished no main trial": len(missing - withdrawn - waiting),
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
            "arms": [],
        }
    ]


def flow_rows(flow: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the flow flat, for a table as a file."""
    rows: list[dict[str, Any]] = []
    for step in flow:
        rows.append({"kind": "step", "what": step["step"], **_counts(step)})
        rows += [{"kind": "arm", "what": arm["arm"], **_counts(arm)} for arm in step["arms"]]
        rows += [{"kind": "left out", "what": p["reason"], **_counts(p)} for p in step["left_out"]]
    return rows


_LEADS = {"step": "", "left out": "left out: ", "arm": "of these: "}
FLOW = ReportTable(
    "flow",
    lambda results: flow_rows(results["flow"]),
    "Participants and trials at each step.",
    (
        Column("Step", lambda row: _LEADS[row["kind"]] + row["what"]),
        Column("Participants", "participants", grouped, "n"),
        Column("Trials", "trials", grouped, "n"),
    ),
    strong=lambda rows: [n for n, row in enumerate(rows) if n and row["kind"] == "step"],
)


def _alt(results: Results) -> str:
    said = "; ".join(f"{row['step']}: {_words(row)}" for row in results["flow"])
    return f"Flow diagram. {said}."


FLOW_FIGURE = ReportFigure(
    "flow",
    "Participant flow. Left: who is in each step; right: who was left out, and why.",
    _alt,
    lambda results: flow_figure(results["flow"]),
)


def flow_figure(flow: Sequence[Row]) -> Figure:
    """Return the flow as a diagram in the manner of the CONSORT statement."""
    boxes = [_main_lines(row) for row in flow]
    sides = [_side_lines(row) for row in flow]
    tops, y = [], 0.0
    for lines, side in zip(boxes, sides, strict=True):
        tops.append(y)
        y += _height(lines) + (_height(side) + _GAP if side else _GAP)
    total = tops[-1] + _height(boxes[-1])
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, total + 0.1))
        figure.subplots_adjust(0, 0, 1, 1)
        axes.set_xlim(0, WIDTH_IN)
        axes.set_ylim(total + 0.05, -0.05)
        axes.axis("off")
        for place, (top, lines, side) in enumerate(zip(tops, boxes, sides, strict=True)):
            _box(axes, _LEFT, top, lines)
            bottom = top + _height(lines)
            if place + 1 < len(tops):
                _arrow(axes, (_MIDDLE, bottom), (_MIDDLE, tops[place + 1]))
            if side:
                middle = bottom + (_GAP + _height(side)) / 2
                _arrow(axes, (_MIDDLE, middle), (_RIGHT, middle))
                _box(axes, _RIGHT, middle - _height(side) / 2, side, SOFT)
    return figure


def _main_lines(row: Row) -> list[str]:
    said = [_capital(row["step"]), _words(row)]
    said += [f"{arm['arm']}: {_words(arm)}" for arm in row["arms"]]
    return _wrapped(said)


def _side_lines(row: Row) -> list[str]:
    return _wrapped([f"{_capital(part['reason'])}: {_words(part)}" for part in row["left_out"]])


def _wrapped(said: Sequence[str]) -> list[str]:
    return [line for text in said for line in _lines(text)]


def _lines(text: str) -> list[str]:
    lines: list[str] = []
    for signs in range(_MOST_SIGNS, _LEAST_SIGNS - 1, -1):
        lines = textwrap.wrap(text, signs, subsequent_indent="   ")
        if all(text_width_in(line, _SIZE_PT) <= _WIDTH - 2 * _MARGIN for line in lines):
            break
    return lines


def _height(lines: Sequence[str]) -> float:
    return _LINE * len(lines) + _PAD


def _box(axes: Axes, left: float, top: float, lines: Sequence[str], edge: str = INK) -> None:
    size = {"width": _WIDTH, "height": _height(lines)}
    axes.add_patch(Rectangle((left, top), **size, facecolor="white", edgecolor=edge, linewidth=0.8))
    for place, line in enumerate(lines):
        axes.text(
            left + _MARGIN,
            top + _PAD / 2 + _LINE * (place + 0.5),
            line,
            va="center",
            fontsize=_SIZE_PT,
        )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=style)


def _counts(row: Row) -> dict[str, Any]:
    return {"participants": row["participants"], "trials": row["trials"]}


def _words(row: Row) -> str:
    people = count(row["participants"], "participant")
    return people if row["trials"] is None else f"{people}, {count(row['trials'], 'trial')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
