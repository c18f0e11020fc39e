"""What people saw on their screens: the pictures that `screens` made of a pack's session."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from matplotlib.figure import Figure

from analysis.data.tables import Dataset
from analysis.questions.question import Pictured, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import Paragraph
from analysis.report.seen import Pixels, at_most, picture_of, show
from analysis.report.style import WIDTH_IN, figure_style, subplots
from stimuli.languages import ENGLISH

TRIALS: Final = re.compile(r"\d+-((?:fixation|trial|round).*)(?<!-chosen)(?<!-annotated)")
"""Names of pictures of trials, without chosen answers and without notes for practice."""
MOST: Final = 12
WIDEST_PX: Final = 640
_ACROSS: Final = 3
_TITLE_IN: Final = 0.2


@dataclass(frozen=True, slots=True)
class Screens:
    """What people saw on their screens."""

    names: Annotated[tuple[str, ...], about("The pictures by name; empty without pictures.")]
    there: Annotated[int, about("How many pictures of trials there are.")]


def compute(data: Any) -> Screens | Unavailable:
    """Return which pictures of trials there are, in the order of the session."""
    if data.dataset.folder is None:
        return Unavailable()
    paths = _paths(data.dataset)
    return Screens(tuple(paths)[:MOST], len(paths))


def _paths(dataset: Dataset) -> dict[str, Path]:
    """Return the pictures of trials by name: the English ones, if there are any."""
    folders = sorted(dataset.screens.glob("*/")) if dataset.screens else []
    folders.sort(key=lambda folder: folder.name != ENGLISH)
    paths = sorted(folders[0].glob("*.png")) if folders else []
    named = ((TRIALS.fullmatch(path.stem), path) for path in paths)
    return {match[1]: path for match, path in named if match}


def pictures(dataset: Dataset, answer: Screens) -> dict[tuple[str, str], Pixels]:
    """Return the pictures that the figure shows, by name."""
    paths = _paths(dataset)
    return {
        ("screen", name): at_most(picture_of(paths[name].read_bytes()), WIDEST_PX)
        for name in answer.names
    }


def draw(here: Pictured[Screens]) -> Figure:
    """Return the screens side by side, each below its name."""
    screens: Mapping[str, Pixels] = {
        name: here.pictures["screen", name] for name in here.answer.names
    }
    down = -(-len(screens) // _ACROSS)
    height, width, _ = next(iter(screens.values())).shape
    row_in = WIDTH_IN / _ACROSS * height / width + _TITLE_IN
    with figure_style():
        figure, panels = subplots(
            down, _ACROSS, squeeze=False, figsize=(WIDTH_IN, down * row_in), layout="constrained"
        )
        for axes in panels.flat:
            show(axes, None)
        for axes, (name, pixels) in zip(panels.flat, screens.items(), strict=False):
            axes.imshow(pixels, interpolation="antialiased")
            axes.set_title(_title(name), fontsize=7.5, fontweight="normal", loc="left")
    return figure


def _title(name: str) -> str:
    words = name.removeprefix("trial-").replace("-", " ")
    return f"{words} explanation" if words in ("with", "without") else words


def _caption(here: Pictured[Screens]) -> str:
    drawn, there = len(here.answer.names), here.answer.there
    first = f" The first {drawn} of {there}." if drawn < there else ""
    return f"Screens of a trial, as a session shows them.{first}"


def _without_pictures(here: Pictured[Screens]) -> Paragraph | None:
    return None if here.answer.names else NO_SCREENS


NO_SCREENS: Final = Paragraph(
    "There are no screenshots of this pack. Type python3 lab.py screens PACK, with the pack’s "
    "folder; then analyse again.",
    "quiet",
)
SCREENS: Final[Question[Any, Screens]] = Question(
    id="screens",
    title="The screens",
    answer=Screens,
    compute=compute,
    parts=(
        ReportFigure(
            "screens",
            _caption,
            "Pictures of a session’s screens, a name above each",
            draw,
            lambda here: here.answer.names and here.pictures,
        ),
        _without_pictures,
    ),
    pictures=pictures,
)
"""What people saw on their screens; a question of every study."""
