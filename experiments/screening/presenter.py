"""A screening's stages in a window, and their screens with a plate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.engine.window import Rgb
from experiments.pages.interruptions import CONFIRM, Awaited
from experiments.pages.presenting import WindowPresenter
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.text_pages import PageStimuli
from experiments.pages.timed_choice import ChoicePictures
from experiments.pages.waiting import go_on
from experiments.screening.caps_screen import CapsScreen
from experiments.screens.look import Look
from experiments.screens.page import figure_px, page_layers, sheets_of
from experiments.screens.parts import Area, Footer
from experiments.screens.trial import stimulus_top
from participants.journal import Recorder
from participants.screening.stages import D15Task, OnePlate, TitrationTask, TrivectorTask
from participants.screening.trials import Arrangement, ScreeningPlate, ScreeningTrial
from participants.screening.verdict import IshiharaEdition
from participants.session import Choice, SessionPlan
from stimuli.io.canonical import sha256_hex
from stimuli.keys import DIGITS
from stimuli.plates.render import render
from stimuli.plates.spec import PlateSpec, check_gamut
from stimuli.screening.d15 import caps_rgb8
from stimuli.screening.gap_plates import GAPS, SCREENING_SPEC, UNIT, Gap, check_excursion, picture
from stimuli.study import FreshPlates


@dataclass(frozen=True, slots=True)
class ScreeningPainter(Painter[Any]):
    """Draws a screening's stimuli as pixels for one display.

    Attributes
    ----------
    plate_deg
        Diameter of a plate; None for the diameter of a plate with a gap.
    """

    plate_deg: float | None = None

    @property
    def size_deg(self) -> float:
        """Diameter of a plate on the screen in degrees of visual angle."""
        plate_deg = self.plate_deg
        return float(self.protocol.screening.size_deg if plate_deg is None else plate_deg)

    def check(self, plan: SessionPlan) -> None:
        """Refuse a screening with colours that the display can't show (UserError)."""
        for step in plan.steps:
            match step:
                case TrivectorTask():
                    check_excursion(step.rules.start_1e4, self.display)
                case OnePlate(plates=None):
                    check_excursion(step.trial.stimulus.excursion_1e4, self.display)
                case (
                    TitrationTask(plates=FreshPlates() as plates)
                    | OnePlate(plates=FreshPlates() as plates)
                ):
                    for axis, ladder in plates.ladders.items():
                        check_gamut(axis, max(ladder), plates.spec, self.display)

    def gap(self, stimulus: ScreeningPlate, size_px: int) -> Pixels:
        """Return a plate with a gap, uint8 (size_px, size_px, 3)."""
        spec = replace(SCREENING_SPEC, ground_srgb=self.protocol.plates.ground_srgb)
        return np.ascontiguousarray(picture(stimulus.plate, size_px, self.display, spec))

    def digit(self, stimulus: ScreeningPlate, size_px: int, spec: PlateSpec) -> Pixels:
        """Return a plate with a digit, uint8 (size_px, size_px, 3)."""
        assert stimulus.axis, "a plate with a digit has a confusion line"
        contrast = stimulus.excursion_1e4 * UNIT
        pixels = render(stimulus.plate, stimulus.axis, contrast, size_px, self.display, spec)
        return np.ascontiguousarray(pixels)

    def caps(self) -> tuple[Rgb, ...]:
        """Return the codes of the fixed cap and of caps 1 to 15."""
        return tuple((int(r), int(g), int(b)) for r, g, b in caps_rgb8(self.display))


ERASE: Final = "backspace"
MOST_DIGITS: Final = 2

ARROW: Final = 0.05
"""Side of an arrow, as a share of the screen's height."""

AWAY: Final = 0.055
"""Distance from the plate's edge to an arrow's middle."""

CLICKED: Final = 0.11
"""Side of the square around an arrow in which a click counts."""

SUPERSAMPLING: Final = 4

SHAPE: Final = ((0.30, 0.08), (0.92, 0.50), (0.30, 0.92))
"""Corners of an arrow that points right, as shares of its side."""

QUARTERS: Final[Mapping[Gap, int]] = {"right": 0, "up": 1, "left": 2, "down": 3}

QUESTION: Final = 0.935
"""Vertical position of the question below a plate, as a share of the screen's height."""

ACROSS, DOWN = {"right": 1, "left": -1}, {"down": 1, "up": -1}


class ScreeningWindow(WindowPresenter[ScreeningPainter]):
    """A `participants.screening.stages.ScreeningPresenter` with a real window."""

    def _prepare(self, plan: SessionPlan) -> None:
        self._digits = next(
            (
                step.plates
                for step in plan.steps
                if isinstance(step, TitrationTask | OnePlate) and step.plates
            ),
            None,
        )
        self._gap_px = self._settings.stimulus_px()
        self._plates = self._choices("plate")

    def plate(self, trial: ScreeningTrial) -> Choice:
        """Show a plate until it is answered or its time is over."""
        pixels = self._pixels(trial)
        digest = sha256_hex(pixels.tobytes())
        pictures = self._gap_pictures if trial.gap_trial is not None else self._digit_pictures
        return self._plates.run(
            trial,
            prepare=lambda: pictures(trial, pixels),
            started=lambda: trial.record_start(self._context.recorder, digest),
        )

    def caps(self, task: D15Task, arrangement: Arrangement, recorder: Recorder) -> Arrangement:
        """Let the person put the caps in a row."""
        screen = CapsScreen(self._context, self._waiting, self._look, self._words)
        return screen.run(task, self._painter.caps(), arrangement, recorder)

    def score(self, edition: IshiharaEdition) -> int:
        """Ask the experimenter how many of the book's scored plates were read."""
        values = {"edition": str(edition.plates), "items": str(edition.items)}
        self._context.actor.expect(edition)
        typed, since_s = "", None
        while True:
            fits = typed != "" and int(typed) <= edition.items
            keys = frozenset({*DIGITS, ERASE}) | ({CONFIRM} if fits else set())
            first = since_s is None
            press = self._waiting.for_key(
                f"score{'-typed' if fits else ''}",
                self._score_layers(typed, values, fits=fits),
                Awaited(keys, since_s=since_s),
                self._context.actor.onset if first else lambda from_s: None,
            )
            since_s = press.t_s
            if press.key == CONFIRM:
                return int(typed)
            if press.key == ERASE:
                typed = typed[:-1]
            elif len(typed) < MOST_DIGITS:
                typed += press.key

    def _score_layers(self, typed: str, values: Mapping[str, str], *, fits: bool) -> Layers:
        title, text = (self._words.filled(word, **values) for word in ("score_title", "score_text"))
        (sheet,) = sheets_of(self._look, f"# {title}\n\n{text}\n\n# {typed or '–'}\n")
        hint = self._words.filled("score_hint", **values)
        footer = Footer(on=go_on(self._words, "return")) if fits else Footer(note=hint)
        return page_layers(self._look, sheet, footer)

    def _pixels(self, trial: ScreeningTrial) -> Pixels:
        stimulus: ScreeningPlate = trial.stimulus
        if trial.gap_trial is not None:
            return self._painter.gap(stimulus, self._gap_px)
        assert self._digits is not None
        return self._painter.digit(stimulus, self._digit_px(), self._digits.spec)

    def _digit_px(self) -> int:
        """Return the size of plates with digits, which is the size of the study's plates."""
        assert self._digits is not None
        painter = replace(self._painter, plate_deg=self._digits.size_deg)
        return replace(self._settings, painter=painter).stimulus_px()

    def _gap_pictures(self, trial: ScreeningTrial, pixels: Pixels) -> ChoicePictures:
        percent = str(round(100 * trial.progress))
        words = (self._words["gap_question"], self._words.filled("gap_progress", percent=percent))
        layers = (
            plate_layer(self._look, pixels),
            *arrow_layers(self._look, self._gap_px),
            *line_layers(self._look, words),
        )
        picture = self._kept(f"gap-{trial.stimulus.axis or 'catch'}", layers)
        return ChoicePictures(picture, areas=arrow_areas(self._look, self._gap_px))

    def _digit_pictures(self, trial: ScreeningTrial, pixels: Pixels) -> ChoicePictures:
        words = line_layers(self._look, (self._words["digit_question"],))
        layers = (plate_layer(self._look, pixels), *words)
        picture = self._kept(f"digit-{trial.stimulus.phase}", layers)
        return ChoicePictures(picture, self._kept("digit-gone", words))


def page_stimuli(settings: ScreenSettings[ScreeningPainter]) -> PageStimuli:
    """Return the functions that draw a plate beside instructions and put reasons into words."""

    def words(values: Mapping[str, str]) -> dict[str, str]:
        if "reasons" not in values:
            return {}
        reasons = (settings.words[f"reason_{reason}"] for reason in values["reasons"].split(","))
        return {"reasons": " ".join(reasons)}

    return PageStimuli(
        figure=lambda stimulus: settings.painter.gap(stimulus, figure_px(settings.look)),
        words=words,
    )


def arrow_areas(look: Look, plate_px: int) -> dict[str, Area]:
    """Return the areas in which a click answers where the gap is, by the arrow key for it."""
    half = look.px(CLICKED) // 2
    centres = _centres(look, plate_px)
    return {gap: (x - half, y - half, x + half, y + half) for gap, (x, y) in centres.items()}


def arrow_layers(look: Look, plate_px: int) -> tuple[Layer, ...]:
    """Return four arrows around a plate of this size."""
    side = look.px(ARROW)
    fine = side * SUPERSAMPLING
    picture = Image.new("RGB", (fine, fine), look.background)
    corners = [(round(x * fine), round(y * fine)) for x, y in SHAPE]
    ImageDraw.Draw(picture).polygon(corners, fill=look.quiet)
    right = np.asarray(picture.resize((side, side), Image.Resampling.LANCZOS))
    return tuple(
        Layer(np.ascontiguousarray(np.rot90(right, QUARTERS[gap])), x - side // 2, y - side // 2)
        for gap, (x, y) in _centres(look, plate_px).items()
    )


def plate_layer(look: Look, plate: Pixels) -> Layer:
    """Return a plate in its place."""
    side = len(plate)
    return Layer(plate, (look.size_px[0] - side) // 2, stimulus_top(look, side))


def line_layers(look: Look, words: Sequence[str]) -> tuple[Layer, ...]:
    """Return words at the foot of the screen: the first in the middle, the second at the end."""
    canvas, draw = look.drawing()
    width, height = look.size_px
    row = QUESTION * height
    body, hint = look.font(look.body_px), look.font(look.hint_px)
    draw.text((width / 2, row), words[0], fill=look.text, font=body, anchor="mm")
    if len(words) > 1:
        at = (width - look.px(0.05), row)
        draw.text(at, words[1], fill=look.quiet, font=hint, anchor="rm")
    return look.layers(canvas)


def _centres(look: Look, plate_px: int) -> dict[Gap, tuple[int, int]]:
    away = plate_px // 2 + look.px(AWAY)
    x, y = look.size_px[0] // 2, stimulus_top(look, plate_px) + plate_px // 2
    return {gap: (x + ACROSS.get(gap, 0) * away, y + DOWN.get(gap, 0) * away) for gap in GAPS}
