"""Participants and trials at each step, from the recorded sessions to each analysis."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analysis.data.sessions import Sessions
from analysis.data.tables import Dataset
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.results import TrialSelection
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, subplots, text_width_in
from analysis.report.wording import count

# Inches.
_WIDTH, _LEFT, _RIGHT, _MIDDLE = 3.3, 0.05, 3.65, 1.7
_LINE, _PAD, _GAP, _MARGIN = 0.155, 0.16, 0.26, 0.1
_SIZE_PT = 7.8
# Characters per line: as many as fit the box in this PC's font, within these limits.
_MOST_SIGNS, _LEAST_SIGNS = 58, 20


@dataclass(frozen=True, slots=True)
class FlowPart:
    """Participants and trials that are left out after a step."""

    reason: Annotated[str, about("Why.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int | None, about("Trials; null if not known.")]


@dataclass(frozen=True, slots=True)
class FlowArm:
    """An arm's participants and trials at a step."""

    arm: Annotated[str, about("The arm's name.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int, about("Trials.")]


@dataclass(frozen=True, slots=True)
class FlowStep:
    """A step from the recorded sessions to the analysis."""

    step: Annotated[str, about("What is left.")]
    participants: Annotated[int, about("Participants.")]
    trials: Annotated[int | None, about("Trials; null if not known.")]
    left_out: Annotated[list[FlowPart], about("Who is left out after it.")]
    arms: Annotated[list[FlowArm], about("The same by arm.")]


@dataclass(frozen=True, slots=True)
class FlowLine:
    """A line of the flow in a flat table: a step, one of its arms, or who is left out after it."""

    kind: str
    what: str
    participants: int
    trials: int | None


def stage(
    step: str,
    frame: pd.DataFrame,
    left_out: Sequence[FlowPart] = (),
    arms: Sequence[FlowArm] = (),
) -> FlowStep:
    """Return one step of the flow.

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
    people = int(frame["participant"].nunique())
    return FlowStep(step, people, len(frame), list(left_out), list(arms))


def arms_of(frame: pd.DataFrame, column: str, called: Callable[[str], str]) -> list[FlowArm]:
    """Return participants and trials of each arm; none if the table doesn't state it.

    ``called`` says what an arm is called.
    """
    if column not in frame:
        return []
    counts = frame.groupby(column)["participant"].agg(["nunique", "size"])
    return [
        FlowArm(called(str(name)), int(people), int(trials))
        for name, people, trials in counts.itertuples()
    ]


def leaving(reason: str, before: pd.DataFrame, after: pd.DataFrame) -> FlowPart:
    """Return who and what is left out between two steps, and why."""
    people = before["participant"].nunique() - after["participant"].nunique()
    return FlowPart(reason, int(people), len(before) - len(after))


def leaving_by_rule(
    frame: pd.DataFrame, reasons: Mapping[str, str]
) -> tuple[list[FlowPart], pd.DataFrame]:
    """Return who is left out for each reason in turn, and the trials that stay.

    Parameters
    ----------
    frame
        The trials.
    reasons
        Why a participant is left out, by code.
    """
    left_out, rest = [], frame
    for reason in dict.fromkeys(reasons.values()):
        codes = [code for code, code_reason in reasons.items() if code_reason == reason]
        smaller = rest[~rest["participant"].isin(codes)]
        left_out.append(leaving(reason, rest, smaller))
        rest = smaller
    return left_out, rest


def intake(dataset: Dataset, selection: TrialSelection, *left_out: FlowPart) -> list[FlowStep]:
    """Return the first steps: who began a session, and the trial table.

    Parameters
    ----------
    dataset, selection
        The tables, and the trials of the purpose.
    *left_out
        Who else is left out of the trial table, see `leaving`. A reason that applies to nobody is
        dropped.
    """
    purpose = f" than {selection.purpose}" if selection.purpose else ""
    parts = (
        leaving(f"of another purpose{purpose}", dataset.trials, selection.chosen),
        leaving("left out by hand (--exclude)", selection.chosen, selection.kept),
        *left_out,
    )
    left = [part for part in parts if part.participants or part.trials]
    return [
        *begun_stages(dataset.sessions, dataset.trials),
        stage("in the trial table", dataset.trials, left),
    ]


def begun_stages(sessions: Sessions | None, table: pd.DataFrame) -> list[FlowStep]:
    """Return who began a session, if there are journals, and who isn't in the table."""
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
    left_out = [FlowPart(reason, n, None) for reason, n in reasons.items() if n]
    return [FlowStep("began a session", len(begun), None, left_out, [])]


def flow_lines(flow: Sequence[FlowStep]) -> Iterator[FlowLine]:
    """Yield the flow flat, for a table as a file."""
    for step in flow:
        yield FlowLine("step", step.step, step.participants, step.trials)
        for arm in step.arms:
            yield FlowLine("arm", arm.arm, arm.participants, arm.trials)
        for part in step.left_out:
            yield FlowLine("left out", part.reason, part.participants, part.trials)


FLOW = ReportTable("flow", lambda frame: list(flow_lines(frame.flow)))
"""Participants and trials at each step, as a file: the figure shows them."""


def _alt(flow: Sequence[FlowStep]) -> str:
    steps = "; ".join(f"{row.step}: {_words(row)}" for row in flow)
    return f"Flow diagram. {steps}."


def _caption(flow: Sequence[FlowStep]) -> str:
    if any(step.left_out for step in flow):
        return "Participant flow. Left: who is in each step; right: who was left out, and why."
    return "Participant flow: who is in each step. Nobody was left out."


FLOW_FIGURE = ReportFigure(
    "flow",
    lambda frame: _caption(frame.flow),
    lambda frame: _alt(frame.flow),
    lambda frame: flow_figure(frame.flow),
)


def flow_figure(flow: Sequence[FlowStep]) -> Figure:
    """Return the flow as a diagram in the manner of the CONSORT statement."""
    boxes = [_main_lines(row) for row in flow]
    sides = [_side_lines(row) for row in flow]
    tops, y = [], 0.0
    for lines, side in zip(boxes, sides, strict=True):
        tops.append(y)
        y += _height(lines) + (_height(side) + _GAP if side else _GAP)
    total = tops[-1] + _height(boxes[-1])
    width = WIDTH_IN if any(sides) else _LEFT + _WIDTH + _LEFT
    with figure_style():
        figure, axes = subplots(figsize=(width, total + 0.1))
        figure.subplots_adjust(0, 0, 1, 1)
        axes.set_xlim(0, width)
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


def _main_lines(step: FlowStep) -> list[str]:
    texts = [_capital(step.step), _words(step)]
    texts += [f"{arm.arm}: {_words(arm)}" for arm in step.arms]
    return _wrapped(texts)


def _side_lines(step: FlowStep) -> list[str]:
    return _wrapped([f"{_capital(part.reason)}: {_words(part)}" for part in step.left_out])


def _wrapped(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in _lines(text)]


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
    place = Rectangle((left, top), _WIDTH, _height(lines), facecolor="white", edgecolor=edge)
    place.set_linewidth(0.8)
    axes.add_patch(place)
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


def _words(row: FlowStep | FlowArm | FlowPart) -> str:
    people = count(row.participants, "participant")
    return people if row.trials is None else f"{people}, {count(row.trials, 'trial')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
