"""What leads saw: a trial's screens, and explained plates, drawn from the pack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from analysis.questions.question import Pictured, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import Paragraph
from analysis.report.seen import LABEL_IN, NO_PICTURES, Pixels, grid, name_row, note, show
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.report.wording import number
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS, Participants
from analysis.studies.accept_reject.words import solver_words
from participants.studies.accept_reject.shown import stimulus_of
from stimuli.colour.display import SRGB
from stimuli.devices import is_pointing
from stimuli.maps.relevance import contour_image, outlined, region_from_bytes
from stimuli.pack import Pack
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.render import render
from stimuli.studies.accept_reject.protocol import AcceptReject, Trial
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tables import ITEMS, KEY
from stimuli.studies.accept_reject.tasks import plate_spec

LARGE_PX: Final = 420
SMALL_PX: Final = 160
LINE_LEAST_PX: Final = 2.0
SOLVERS: Final = ("S", "E")
_SCREEN: Final = (16.0, 10.0)
"""Width and height of a drawn screen, in units of its own."""
_PLATE: Final = 7.2
_MIDDLE: Final = (8.0, 5.6)
_GAP: Final = 0.22
_ABREAST: Final = 5
"""Most plates side by side: with more, contours are too small to be seen."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TrialSequence:
    """A plate that the system solved correctly, without and with its explanation."""

    label: Annotated[str, about("Its solution.")]
    unexplained: Annotated[str, about("Its presentation without explanation, by its name.")]
    explained: Annotated[str, about("Its presentation with explanation.")]


@dataclass(frozen=True, slots=True)
class ExplainedPlate:
    """An example of the plates with a digit and an explanation by a solver."""

    digit: Annotated[str, about("The plate's digit.")]
    presentation: Annotated[str, about("Its presentation, by its name.")]
    solver: Annotated[str, about("Who explained: S or E.")]
    method: Annotated[str, about("The method of the explanation.")]
    label: Annotated[str, about("The solution.")]


@dataclass(frozen=True, slots=True)
class SeenPlates:
    """The plates that figures show."""

    sequence: Annotated[TrialSequence | None, about("A trial; null if the pack has none to show.")]
    examples: Annotated[tuple[ExplainedPlate, ...], about("Explained plates, by digit.")]


@dataclass(frozen=True, slots=True)
class Seen:
    """What leads saw."""

    plates: Annotated[SeenPlates | None, about("Plates; null if the pack isn't at hand.")]


Shown = Pictured[Seen]


def compute(data: LeadData) -> Seen:
    """Return which plates of the pack the figures show."""
    pack = data.dataset.pack
    return Seen(None if pack is None else seen_plates(pack))


def seen_plates(pack: Pack) -> SeenPlates:
    """Return which plates of a pack, with its pictures, the figures show."""
    shown = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    rows = [
        {
            **{name: row[name] for name in ("presentation", "item", "solver", "true_label")},
            "method": row["method"] or "",
            "explained": bool(row["explained"]),
            "outlined": own["region_file"] is not None,
            "label": own["shown_label"],
            "place": f"{own['axis']} {own['rung']}",
        }
        for row in pack.table(KEY)
        if row["solver"] in SOLVERS
        for own in [shown[str(row["presentation"])]]
    ]
    rows.sort(key=lambda row: (row["item"], row["place"], row["presentation"]))
    return SeenPlates(_sequence(rows), _examples(rows))


def _sequence(rows: Sequence[Row]) -> TrialSequence | None:
    """Return a plate that S solved rightly and that is shown without and with an explanation."""
    right = [row for row in rows if row["solver"] == "S" and row["label"] == row["true_label"]]
    plain = {(r["item"], r["place"]): r for r in right if not r["explained"]}
    for row in right:
        same = plain.get((row["item"], row["place"]))
        if row["explained"] and row["outlined"] and same is not None:
            return TrialSequence(row["label"], same["presentation"], row["presentation"])
    return None


def _examples(rows: Sequence[Row]) -> tuple[ExplainedPlate, ...]:
    """Return for each digit the plate of which most explanations are shown, with these."""
    by_plate: dict[tuple[str, str, str], dict[tuple[str, str], Row]] = {}
    for row in rows:
        if row["explained"] and row["outlined"]:
            plate = by_plate.setdefault((row["true_label"], row["item"], row["place"]), {})
            plate.setdefault((row["solver"], row["method"]), row)
    by_digit: dict[str, dict[tuple[str, str], Row]] = {}
    for (digit, *_), ways in by_plate.items():
        if len(ways) > len(by_digit.get(digit, {})):
            by_digit[digit] = ways
    names = ("presentation", "solver", "method", "label")
    return tuple(
        ExplainedPlate(digit, *(row[name] for name in names))
        for digit in sorted(by_digit)
        for row in by_digit[digit].values()
    )


def picture_key(presentation: str, size_px: int) -> str:
    """Return a picture's key in the figures' pictures."""
    return f"{presentation} {size_px}"


def pictures(pack: Pack, answer: Seen) -> dict[str, Pixels]:
    """Return the figures' pictures by `picture_key`, on an assumed sRGB display."""
    if answer.plates is None:
        return {}
    shown = {str(row["presentation"]): row for row in pack.table(ITEMS)}
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    sequence = answer.plates.sequence
    wanted = [(row.presentation, SMALL_PX) for row in answer.plates.examples]
    if sequence is not None:
        wanted += [(name, LARGE_PX) for name in (sequence.unexplained, sequence.explained)]
    return {
        picture_key(name, size_px): _picture(
            pack, protocol, stimulus_of(shown[name], protocol), size_px
        )
        for name, size_px in wanted
    }


def _picture(pack: Pack, protocol: AcceptReject, stimulus: PlateStimulus, size_px: int) -> Pixels:
    plate = plate_from_bytes(pack.asset(stimulus.plate_file))
    spec = plate_spec(protocol.plates)
    pixels = render(plate, stimulus.axis, stimulus.contrast, size_px, SRGB, spec)
    if stimulus.region_file is None:
        return pixels
    region = region_from_bytes(pack.asset(stimulus.region_file))
    line_px = max(LINE_LEAST_PX, protocol.explanation.line_share * size_px)
    return outlined(pixels, contour_image(region, size_px, line_px))


def _rules(here: Shown) -> AcceptReject:
    return cast(AcceptReject, here.protocol)


def _sample(here: Shown) -> Participants:
    return here.found.of(PARTICIPANTS)


def draw_sequence(here: Shown) -> Figure:
    """Return a trial's screens: fixation, then the plate without and with its explanation."""
    plates, rules = here.answer.plates, _rules(here).trial
    assert plates is not None
    assert plates.sequence is not None
    sequence, stays = plates.sequence, _stays(rules)
    screens = (
        (f"Fixation\n{number(rules.fixation_s, 1)} s", None),
        (f"Run without explanations\n{stays}", sequence.unexplained),
        (f"Run with explanations\n{stays}", sequence.explained),
    )
    with figure_style():
        figure, panels = subplots(1, 3, figsize=(WIDTH_IN, 1.85), layout="constrained")
        for axes, (title, presentation) in zip(panels, screens, strict=True):
            _draw_screen(axes, here)
            axes.set_title(title, fontsize=7.5, fontweight="normal", loc="left")
            if presentation is None:
                _draw_fixation(axes, here)
                continue
            _draw_plate(axes, here.pictures[picture_key(presentation, LARGE_PX)])
            _draw_solution(axes, here, sequence.label)
            _draw_keys(axes, here)
    return figure


def draw_examples(here: Shown) -> Figure:
    """Return explained plates: one column per digit, one row for each who explained.

    Digits that don't fit side by side continue in a block below.
    """
    assert here.answer.plates is not None
    examples, images = here.answer.plates.examples, here.pictures
    digits = list(dict.fromkeys(row.digit for row in examples))
    ways = sorted(
        {(row.solver, row.method) for row in examples}, key=lambda way: (way[0] != "S", way[1])
    )
    of = {(row.digit, row.solver, row.method): row for row in examples}
    across = min(len(digits), _ABREAST)
    blocks = [digits[start : start + across] for start in range(0, len(digits), across)]
    lines = [*[1.0] * len(ways), _GAP]
    cell = (WIDTH_IN - LABEL_IN) / _ABREAST
    with figure_style():
        figure, panels = grid((lines * len(blocks))[:-1], across, cell, 0.25)
        for nth, block in enumerate(blocks):
            rows = panels[nth * len(lines) :]
            for axes, digit in zip(rows[0], block, strict=False):
                axes.set_title(digit, fontsize=8, loc="center")
            for line, way in zip(rows, ways, strict=False):
                name_row(line[0], _way_name(way, here))
                for axes, digit in zip(line, block, strict=False):
                    row = of.get((digit, *way))
                    if row is None:
                        continue
                    show(axes, images[picture_key(row.presentation, SMALL_PX)])
                    if row.label != digit:
                        note(axes, f"solved as {row.label.replace('_', ' ')}")
    return figure


def _stays(rules: Trial) -> str:
    if rules.cutoff_mode == "visible":
        return f"{number(rules.cutoff_s, 1)} s"
    return f"until the answer, {number(rules.limit_s, 0)} s at most"


def _ground(here: Shown) -> np.ndarray:
    """Return the ground's colour as matplotlib takes it, 0…1."""
    return np.array(_rules(here).plates.ground_srgb) / 255


def _draw_screen(axes: Axes, here: Shown) -> None:
    axes.set(xticks=[], yticks=[], xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]), aspect="equal")
    axes.spines[:].set_visible(False)
    axes.set_facecolor(tuple(_ground(here)))


def _towards_white(here: Shown, part: float) -> np.ndarray:
    """Return the ground's colour mixed with white, as the screens do."""
    return (1 - part) * _ground(here) + part


def _draw_fixation(axes: Axes, here: Shown) -> None:
    """Draw the bull's eye with a cross hair that holds the eyes."""
    light, ground = _towards_white(here, 0.86), _ground(here)
    x, y = _MIDDLE
    axes.add_patch(Circle(_MIDDLE, 0.42, color=light, linewidth=0))
    for wide, high in ((0.84, 0.17), (0.17, 0.84)):
        corner = (x - wide / 2, y - high / 2)
        axes.add_patch(Rectangle(corner, wide, high, facecolor=ground, edgecolor="none"))
    axes.add_patch(Circle(_MIDDLE, 0.09, color=light, linewidth=0))


def _draw_plate(axes: Axes, pixels: Pixels) -> None:
    x, y, half = *_MIDDLE, _PLATE / 2
    axes.imshow(
        pixels, extent=(x - half, x + half, y - half, y + half), interpolation="antialiased"
    )
    axes.set(xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]))


def _draw_solution(axes: Axes, here: Shown, label: str) -> None:
    across = (_MIDDLE[0] + _PLATE / 2 + _SCREEN[0]) / 2
    for text, up, size, part in (("Solution", 1.2, 6, 0.58), (label, 0, 12, 1.0)):
        colour = _towards_white(here, part)
        axes.text(across, _MIDDLE[1] + up, text, color=colour, fontsize=size, ha="center",
                  va="center", fontweight="bold" if size > 6 else "normal")  # fmt: skip


def _draw_keys(axes: Axes, here: Shown) -> None:
    """Draw the answer keys below the plate; which of them accepts is each lead's own."""
    session = _rules(here).session
    mouse = is_pointing(session.device)
    keys = ("left", "right") if mouse else (session.left_key, session.right_key)
    for key, word, across in zip(keys, ("Accept", "Reject"), (4.6, 11.4), strict=True):
        cap = key if mouse else key.upper()
        colour = _towards_white(here, 0.86)
        wide = 0.9 + 0.34 * (len(cap) - 1)
        left = across - (wide + 2.0) / 2
        axes.add_patch(
            FancyBboxPatch((left, 0.5), wide, 0.9, boxstyle="round,pad=0,rounding_size=0.15",
                           facecolor="none", edgecolor=colour, linewidth=0.6)
        )  # fmt: skip
        axes.text(left + wide / 2, 0.92, cap, color=colour, fontsize=5.5, ha="center", va="center")
        axes.text(left + wide + 0.3, 0.92, word, color=colour, fontsize=6, ha="left", va="center")


def _way_name(way: tuple[str, str], here: Shown) -> str:
    """Return who explained and how, a word or two a line."""
    solver, method = way
    name = solver_words(_sample(here))[solver].replace("simulated ", "simulated\n")
    return f"{name}\n{method}".strip()


def _without_pictures(here: Shown) -> Paragraph | None:
    return NO_PICTURES if here.answer.plates is None else None


TRIAL = ReportFigure(
    "trial",
    "A trial, drawn from the pack on an assumed sRGB display: fixation, then one plate "
    "with its solution in the run without and in the run with explanations. The lead "
    "answers with one of the keys below; which of them accepts is drawn for each lead. "
    "Colours stand for a measured display’s and don’t show what a lead could read.",
    "Three drawn screens: fixation, a plate without and with its explanation",
    draw_sequence,
    lambda here: here.pictures and here.answer.plates.sequence,
)
EXAMPLES = ReportFigure(
    "explained_plates",
    "Explained plates by digit and by who explained: of each digit the plate of which most "
    "explanations are in the pack. A note says where the solution isn’t the plate’s digit.",
    "Rows of plates with contours, a column for each digit",
    draw_examples,
    lambda here: here.pictures and here.answer.plates.examples,
)
SEEN = Question(
    id="seen",
    title="What leads saw",
    answer=Seen,
    compute=compute,
    parts=(TRIAL, EXAMPLES, _without_pictures),
    pictures=pictures,
)
"""What leads saw."""
