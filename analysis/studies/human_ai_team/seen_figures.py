"""The trial's screens by arm, drawn from the pack."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from analysis.report.declared import ReportFigure
from analysis.report.plan import SectionPlan
from analysis.report.seen import drawable, no_pictures
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.studies.human_ai_team.words import arm_name

Results = Mapping[str, Any]
Box = tuple[float, float, float]
"""Left, bottom and side of a picture on a screen."""

_SCREEN: Final = (16.0, 9.0)
"""Width and height of a drawn screen, in units of its own."""
_PICTURE: Final = 4.7
_BOTTOM: Final = 1.9
_ACROSS: Final = 2
_REDS: Final = mpl.colormaps["Reds"]
_MOST_SIGNS: Final = 34


def screens_figure(results: Results) -> Figure:
    """Return the same trial in each arm: the image, what the AI says of it, and the help."""
    screens = results["seen"]["screens"]
    down = -(-len(screens) // _ACROSS)
    height = 0.1 + down * (WIDTH_IN / _ACROSS * _SCREEN[1] / _SCREEN[0] + 0.26)
    with figure_style():
        figure, panels = subplots(
            down, _ACROSS, squeeze=False, figsize=(WIDTH_IN, height), layout="constrained"
        )
        for axes, screen in zip(panels.flat, screens, strict=False):
            _screen(axes, results)
            axes.set_title(arm_name(screen["arm"]), fontsize=8, loc="left")
            _question(axes, results, screen)
            _help(axes, results, screen)
            _keys(axes, results, screen["answers"])
        for axes in panels.flat[len(screens) :]:
            axes.set_visible(False)
    return figure


def _screen(axes: Axes, results: Results) -> None:
    axes.set(xticks=[], yticks=[], xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]), aspect="equal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_facecolor(_ground(results))


def _ground(results: Results) -> np.ndarray:
    return np.array(results["protocol"]["images"]["ground_srgb"]) / 255


def _ink(results: Results, part: float) -> np.ndarray:
    """Return a grey that stands out from the ground by a part of what is possible."""
    ground = _ground(results)
    far = 1.0 if ground.mean() < 0.5 else 0.0
    return (1 - part) * ground + part * far


def _question(axes: Axes, results: Results, screen: Mapping[str, Any]) -> None:
    for text, up in ((screen["said"], 8.3), (screen["question"], 7.55)):
        axes.text(_SCREEN[0] / 2, up, text, color=_ink(results, 0.9), fontsize=6, ha="center",
                  va="center")  # fmt: skip
    alone = screen["kind"] == "none"
    left = (_SCREEN[0] - _PICTURE) / 2 if alone else 2.2
    _picture(axes, results["pictures"][results["seen"]["image"]], (left, _BOTTOM, _PICTURE))


def _help(axes: Axes, results: Results, screen: Mapping[str, Any]) -> None:
    pictures = [results["pictures"][path] for path in screen["files"]]
    if screen["heading"]:
        axes.text(8.4, _BOTTOM + _PICTURE + 0.3, screen["heading"], color=_ink(results, 0.6),
                  fontsize=5, ha="left", va="center")  # fmt: skip
    if screen["kind"] == "heatmap" and pictures:
        _heatmap(axes, results, pictures[0])
    elif screen["kind"] == "examples":
        _examples(axes, pictures)
    elif screen["text"]:
        said = textwrap.fill(screen["text"], _MOST_SIGNS)
        axes.text(8.4, _BOTTOM + _PICTURE / 2, said, color=_ink(results, 0.9), fontsize=5.5,
                  ha="left", va="center")  # fmt: skip


def _heatmap(axes: Axes, results: Results, relevance: np.ndarray) -> None:
    box = (8.4, _BOTTOM, _PICTURE)
    _picture(axes, _REDS(relevance / 255.0), box)
    bar = np.linspace(1, 0, 64)[:, None]
    left = box[0] + _PICTURE + 0.35
    axes.imshow(_REDS(bar), extent=(left, left + 0.3, _BOTTOM, _BOTTOM + _PICTURE), aspect="equal")
    for value, up in (("0", 0.12), ("1", _PICTURE - 0.12)):
        axes.text(left + 0.5, _BOTTOM + up, value, color=_ink(results, 0.7), fontsize=5,
                  ha="left", va="center")  # fmt: skip
    axes.set(xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]))


def _examples(axes: Axes, pictures: list[np.ndarray]) -> None:
    side = min(2.4, 7.0 / max(len(pictures), 1) - 0.15)
    bottom = _BOTTOM + (_PICTURE - side) / 2
    for place, pixels in enumerate(pictures):
        _picture(axes, pixels, (8.4 + place * (side + 0.15), bottom, side))


def _picture(axes: Axes, pixels: np.ndarray, box: Box) -> None:
    left, bottom, side = box
    axes.imshow(
        pixels, extent=(left, left + side, bottom, bottom + side), interpolation="antialiased"
    )
    axes.set(xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]))


def _keys(axes: Axes, results: Results, answers: Sequence[str]) -> None:
    """Draw the answer keys; which of them says yes is each participant's own."""
    session = results["protocol"]["session"]
    mouse = session["device"] == "mouse"
    keys = ("left", "right") if mouse else (session["left_key"], session["right_key"])
    for key, word, across in zip(keys, answers, (5.2, 10.8), strict=True):
        cap = key if mouse else key.upper()
        colour = _ink(results, 0.8)
        wide = 0.8 + 0.34 * (len(cap) - 1)
        left = across - (wide + 1.2) / 2
        axes.add_patch(
            FancyBboxPatch((left, 0.5), wide, 0.8, boxstyle="round,pad=0,rounding_size=0.15",
                           facecolor="none", edgecolor=colour, linewidth=0.6)
        )  # fmt: skip
        axes.text(left + wide / 2, 0.88, cap, color=colour, fontsize=5, ha="center", va="center")
        axes.text(left + wide + 0.3, 0.88, word, color=colour, fontsize=5.5, ha="left", va="center")


def _caption(results: Results) -> str:
    seen, when = results["seen"], results["protocol"]["help"]["when"]
    which = "right" if seen["ai_correct"] else "wrong"
    later = {
        "at_once": "",
        "after_delay": " The help comes after the image.",
        "on_demand": " The help comes when it is asked for.",
    }[when]
    return (
        "The same trial in each arm, drawn from the pack on an assumed sRGB display; here the AI "
        f"is {which}.{later} One of the keys below says yes; which of them is drawn for each "
        "participant. A map’s red runs from 0 to 1; the image’s edges, faint on the "
        "screen, aren’t drawn."
    )


SEEN = SectionPlan(
    "What participants saw",
    (
        ReportFigure(
            "trial",
            _caption,
            "A drawn screen for each arm: an image, the AI’s label, and the help beside it",
            screens_figure,
            lambda results: drawable(results) and results["seen"],
        ),
        no_pictures,
    ),
)
