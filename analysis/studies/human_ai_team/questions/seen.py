"""What participants saw: one trial of the pack, with its screen in every arm."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from analysis.questions.question import Pictured, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import AS_SHOWN, Paragraph
from analysis.report.seen import NO_PICTURES, Pixels, at_most, picture_of
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name
from participants.planning import about_cases
from participants.studies.human_ai_team.shown import help_texts
from participants.texts.load import load_words
from stimuli.cases import Cases, texts_in
from stimuli.devices import is_pointing
from stimuli.languages import ENGLISH
from stimuli.names import words_of
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LABELS

LARGEST_PX: Final = 224
Box = tuple[float, float, float]
"""Left, bottom and side of a picture on a screen."""

_SCREEN: Final = (16.0, 9.0)
"""Width and height of a drawn screen, in units of its own."""
_PICTURE: Final = 4.7
_BOTTOM: Final = 1.9
_ACROSS: Final = 2
_REDS: Final = mpl.colormaps["Reds"]
_MOST_SIGNS: Final = 34
_MOST_LINES: Final = 12


@dataclass(frozen=True, slots=True)
class Screen:
    """A trial's screen in an arm, with the words that a session shows."""

    arm: Annotated[str, about("The arm.")]
    kind: Annotated[str, about("Kind of help: none, heatmap, examples or text.")]
    files: Annotated[tuple[str, ...], about("The help's pictures in the pack.")]
    text: Annotated[str | None, about("The help's text, if any.")]
    said: Annotated[str, about("What the AI says.")]
    question: Annotated[str, about("The question.")]
    heading: Annotated[str, about("The heading of the help.")]
    answers: Annotated[tuple[str, ...], about("The answers' words: yes, no.")]


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """The trial that is shown as an example."""

    presentation: Annotated[str, about("The trial's name in the pack.")]
    ai_correct: Annotated[bool, about("Whether the AI's label is right.")]
    confidence: Annotated[int, about("The AI's confidence, per cent.")]
    image: Annotated[str | None, about("The image in the pack; null if a text was judged.")]
    screens: Annotated[tuple[Screen, ...], about("Its screen in each arm.")]
    case_text: Annotated[str | None, about("The text that was judged, if any.")] = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What participants saw."""

    trial: Annotated[ShownTrial | None, about("A trial; null if the pack isn't at hand.")]


Shown = Pictured[Seen]


def compute(data: TeamData) -> Seen:
    """Return a natural main trial with its screen in each arm, arms without answers last."""
    pack = data.dataset.pack
    return Seen(None if pack is None else _trial(pack, data.answers.arms))


def _trial(pack: Pack, arms: Sequence[str]) -> ShownTrial | None:
    protocol = pack.protocol
    assert isinstance(protocol, HumanAiTeam)
    key = [row for row in pack.table(KEY) if row["role"] == "main" and not row["adversarial"]]
    if not key:
        return None
    chosen = min(key, key=lambda row: (not row["ai_correct"], row["level"] != "easy", row["item"]))
    name = str(chosen["presentation"])
    item = next(row for row in pack.table(ITEMS) if row["presentation"] == name)
    names = words_of(pack.table(LABELS), protocol.language_near(ENGLISH))
    label = names.get(str(item["shown_label"]), str(item["shown_label"]))
    helps = [row for row in pack.table(HELPS) if row["presentation"] == name]
    order = [*arms, *(arm for arm in protocol.help.arms if arm not in arms)]
    percent = int(str(item["confidence_percent"]))
    texts = texts_in(pack, protocol.language_near(ENGLISH))
    return ShownTrial(
        presentation=name,
        ai_correct=bool(chosen["ai_correct"]),
        confidence=percent,
        image=None if item["image_file"] is None else str(item["image_file"]),
        screens=tuple(
            _screen(arm, helps, label, percent, protocol.cases)
            for arm in order
            if arm in protocol.help.arms
        ),
        case_text=texts.get(name),
    )


def _screen(
    arm: str, helps: Sequence[Mapping[str, Any]], label: str, percent: int, cases: Cases
) -> Screen:
    """Return an arm's help and words, as a session shows them."""
    own = sorted((row for row in helps if row["arm"] == arm), key=lambda row: row["place"])
    text = next((row["help_text"] for row in own if row["help_text"]), None)
    files = tuple(str(row["help_file"]) for row in own if row["help_file"])
    words, kind = load_words("human_ai_team", ENGLISH), help_kind(arm)
    shown = {"label": label, "percent": str(percent), "count": str(len(files))}
    told = "proposal" if arm == HUMAN_ALONE else "advice"
    return Screen(
        arm=arm,
        kind=kind,
        files=files,
        text=text,
        said=words.filled(told, **shown),
        question=words.filled(about_cases("question", cases, words.words), **shown),
        heading="" if kind == "none" else words.filled(help_texts(arm), **shown),
        answers=(words["yes"], words["no"]),
    )


def pictures(pack: Pack, found: Seen) -> dict[str, Pixels]:
    """Return the figure's pictures by their path in the pack."""
    trial = found.trial
    if trial is None:
        return {}
    image = () if trial.image is None else (trial.image,)
    wanted = [*image, *(path for screen in trial.screens for path in screen.files)]
    maps = {p for screen in trial.screens if screen.kind == "heatmap" for p in screen.files}
    return {
        path: at_most(picture_of(pack.asset(path), "L" if path in maps else "RGB"), LARGEST_PX)
        for path in wanted
    }


def draw(here: Shown) -> Figure:
    """Return the same trial in each arm: the image, what the AI says of it, and the help."""
    trial = here.answer.trial
    assert trial is not None
    screens = trial.screens
    down = -(-len(screens) // _ACROSS)
    height = 0.1 + down * (WIDTH_IN / _ACROSS * _SCREEN[1] / _SCREEN[0] + 0.26)
    with figure_style():
        figure, panels = subplots(
            down, _ACROSS, squeeze=False, figsize=(WIDTH_IN, height), layout="constrained"
        )
        for axes, screen in zip(panels.flat, screens, strict=False):
            _blank(axes, here)
            axes.set_title(arm_name(screen.arm), fontsize=8, loc="left")
            _draw_question(axes, here, screen)
            _draw_help(axes, here, screen)
            _draw_keys(axes, here, screen.answers)
        for axes in panels.flat[len(screens) :]:
            axes.set_visible(False)
    return figure


def _blank(axes: Axes, here: Shown) -> None:
    axes.set(xticks=[], yticks=[], xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]), aspect="equal")
    axes.spines[:].set_visible(False)
    axes.set_facecolor(_ground(here))


def _rules(here: Shown) -> HumanAiTeam:
    return cast(HumanAiTeam, here.protocol)


def _ground(here: Shown) -> tuple[float, float, float]:
    red, green, blue = _rules(here).images.ground_srgb
    return red / 255, green / 255, blue / 255


def _ink(here: Shown, part: float) -> np.ndarray:
    """Return a grey with a given part of the largest possible contrast to the ground."""
    ground = np.array(_ground(here))
    far = 1.0 if ground.mean() < 0.5 else 0.0
    return (1 - part) * ground + part * far


def _draw_question(axes: Axes, here: Shown, screen: Screen) -> None:
    for text, up in ((screen.said, 8.3), (screen.question, 7.55)):
        axes.text(_SCREEN[0] / 2, up, text, color=_ink(here, 0.9), fontsize=6, ha="center",
                  va="center", gid=AS_SHOWN)  # fmt: skip
    alone, trial = screen.kind == "none", here.answer.trial
    assert trial is not None
    if trial.image is None:
        _draw_text(axes, here, trial.case_text or "", 4.4 if alone else 0.6)
        return
    left = (_SCREEN[0] - _PICTURE) / 2 if alone else 2.2
    _picture(axes, here.pictures[trial.image], (left, _BOTTOM, _PICTURE))


def _draw_text(axes: Axes, here: Shown, text: str, left: float) -> None:
    """Draw a text, judged or a help in words, as far as there is room."""
    lines = textwrap.wrap(text, _MOST_SIGNS, max_lines=_MOST_LINES, placeholder=" …")
    axes.text(left, _BOTTOM + _PICTURE / 2, "\n".join(lines), color=_ink(here, 0.9), fontsize=5.5,
              ha="left", va="center", gid=AS_SHOWN)  # fmt: skip


def _draw_help(axes: Axes, here: Shown, screen: Screen) -> None:
    pictures = [here.pictures[path] for path in screen.files]
    if screen.heading:
        axes.text(8.4, _BOTTOM + _PICTURE + 0.3, screen.heading, color=_ink(here, 0.6),
                  fontsize=5, ha="left", va="center")  # fmt: skip
    if screen.kind == "heatmap" and pictures:
        _heatmap(axes, here, pictures[0])
    elif screen.kind == "examples":
        _examples(axes, pictures)
    elif screen.text:
        _draw_text(axes, here, screen.text, 8.4)


def _heatmap(axes: Axes, here: Shown, relevance: np.ndarray) -> None:
    box = (8.4, _BOTTOM, _PICTURE)
    _picture(axes, _REDS(relevance / 255.0), box)
    bar = np.linspace(1, 0, 64)[:, None]
    left = box[0] + _PICTURE + 0.35
    axes.imshow(_REDS(bar), extent=(left, left + 0.3, _BOTTOM, _BOTTOM + _PICTURE), aspect="equal")
    for value, up in (("0", 0.12), ("1", _PICTURE - 0.12)):
        axes.text(left + 0.5, _BOTTOM + up, value, color=_ink(here, 0.7), fontsize=5,
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


def _draw_keys(axes: Axes, here: Shown, answers: Sequence[str]) -> None:
    """Draw the answer keys; which of them says yes is each participant's own."""
    session = _rules(here).session
    mouse = is_pointing(session.device)
    keys = ("left", "right") if mouse else (session.left_key, session.right_key)
    for key, word, across in zip(keys, answers, (5.2, 10.8), strict=True):
        cap = key if mouse else key.upper()
        colour = _ink(here, 0.8)
        wide = 0.8 + 0.34 * (len(cap) - 1)
        left = across - (wide + 1.2) / 2
        axes.add_patch(
            FancyBboxPatch((left, 0.5), wide, 0.8, boxstyle="round,pad=0,rounding_size=0.15",
                           facecolor="none", edgecolor=colour, linewidth=0.6)
        )  # fmt: skip
        axes.text(left + wide / 2, 0.88, cap, color=colour, fontsize=5, ha="center", va="center")
        axes.text(left + wide + 0.3, 0.88, word, color=colour, fontsize=5.5, ha="left", va="center")


def _caption(here: Shown) -> str:
    trial, when = here.answer.trial, _rules(here).help.when
    assert trial is not None
    which = "right" if trial.ai_correct else "wrong"
    later = {
        "at_once": "",
        "after_delay": " The help comes after the image.",
        "on_demand": " The help comes when it is asked for.",
    }[when]
    maps = (
        " A map’s red runs from 0 to 1; the image’s edges, faint on the screen, aren’t drawn."
        if any(screen.kind == "heatmap" for screen in trial.screens)
        else ""
    )
    return (
        "The same trial in each arm, drawn from the pack on an assumed sRGB display; here the AI "
        f"is {which}.{later} The keys below say yes and no; which says yes is balanced over "
        f"participants.{maps}"
    )


FIGURE = ReportFigure(
    "trial",
    _caption,
    "A drawn screen for each arm: an image, the AI’s label, and the help beside it",
    draw,
    lambda here: here.answer.trial and (here.pictures or here.answer.trial.case_text),
)


def _without_pictures(here: Shown) -> Paragraph | None:
    return NO_PICTURES if here.answer.trial is None else None


SEEN = Question(
    id="seen",
    title="What participants saw",
    answer=Seen,
    compute=compute,
    parts=(FIGURE, _without_pictures),
    pictures=pictures,
)
"""What participants saw."""
