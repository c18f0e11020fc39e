"""Sessions whose trials are timed choices and no more: presenter, painter and robot's keys.

A study from outside that has no ``experiments.py`` has these screens: text, picture, and the
answers above their keys.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from experiments.engine.picture import Layers, Pixels
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings, display_codes, even_side_px
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen
from experiments.pages.waiting import Waiting
from experiments.robot_input.actor import ChoiceActor
from experiments.screens.parts import Option
from experiments.screens.trial import fixation_layers, option_layers
from experiments.study import ScreenParts, SessionScreens, Study
from participants.session import Choice, ChoiceTrial, SessionPlan
from stimuli.choices import ChoiceRules
from stimuli.colour.display import DisplayProfile
from stimuli.errors import UserError
from stimuli.images.pictures import pixels_of
from stimuli.pack import Pack

Draw = Callable[[ScreenSettings, ChoiceTrial, bool], Layers]
"""Returns a trial's layers: with the stimulus, or (False) once the stimulus has gone."""


@dataclass(frozen=True, slots=True)
class PicturePainter:
    """Draws a pack's pictures as pixels for one display.

    Attributes
    ----------
    pack, protocol
        The pack with the pictures, and the protocol.
    display
        The display; sRGB codes are converted to its codes.
    size_deg
        Side of a picture on screen in degrees of visual angle.
    """

    pack: Pack
    protocol: Any
    display: DisplayProfile
    size_deg: float

    def check(self, plan: SessionPlan) -> None:
        """Refuse nothing: every display can show a picture."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return a picture's side on a screen."""
        return even_side_px(wanted_px, most_px)

    def picture(self, file: str, size_px: int) -> Pixels:
        """Return a square picture of the pack, uint8 (size_px, size_px, 3)."""
        stored = pixels_of(self.pack.asset(file), f"pack {self.pack.pack_id}: {file}")
        scaled = Image.fromarray(stored).resize((size_px, size_px), Image.Resampling.LANCZOS)
        return display_codes(np.asarray(scaled), self.display)


class PlainChoices:
    """A `participants.session.ChoicePresenter` with a real window.

    Parameters
    ----------
    draw
        Returns the layers of a trial.
    context, settings, waiting
        The open window; the settings of screens; the handler of chords.
    """

    def __init__(
        self, draw: Draw, context: SessionContext, settings: ScreenSettings, waiting: Waiting
    ) -> None:
        self._draw, self._context, self._settings = draw, context, settings
        self._waiting, self._phase = waiting, ""
        fixation = context.stage.picture(fixation_layers(settings.look))
        self._choices = ChoiceScreen(context, waiting, fixation, settings.rig.lag_s, "stimulus")

    def choose(self, trial: ChoiceTrial) -> Choice:
        """Run a trial; run it again if a chord interrupts it and the session continues."""
        if trial.phase != self._phase:
            self._phase = trial.phase
            self._waiting.begin_block()
        return self._choices.run(
            trial,
            prepare=lambda: self._pictures(trial),
            started=lambda: trial.record_start(self._context.recorder),
        )

    def _pictures(self, trial: ChoiceTrial) -> ChoicePictures:
        stage = self._context.stage
        picture, after = stage.picture(self._draw(self._settings, trial, True)), None
        if trial.exposure_s is not None:
            after = stage.picture(self._draw(self._settings, trial, False))
        self._context.album.keep("trial", stage, picture)
        return ChoicePictures(picture, after)


def item_layers(settings: ScreenSettings, trial: ChoiceTrial, seen: bool) -> Layers:
    """Return a trial's layers: its item's text, picture and answers.

    Parameters
    ----------
    settings
        Settings of the screens.
    trial
        The trial; its stimulus is a row of ``items.csv`` (`stimuli.choices.item_table`).
    seen
        False once the picture's exposure is over.
    """
    item, painter = trial.stimulus, settings.painter
    answers = [Option(settings.words.cap(key), answer) for key, answer in trial.options.items()]
    picture = None
    if item["picture"]:
        picture = painter.picture(item["picture"], settings.stimulus_px())
    return option_layers(settings.look, answers, picture, item["text"] or "", gone=not seen)


def choice_screens(
    draw: Draw = item_layers,
    size_deg: Callable[[Any], float] = lambda protocol: protocol.choice.size_deg,
) -> SessionScreens:
    """Return the screens of sessions whose trials are `ChoiceTrial`.

    Parameters
    ----------
    draw
        Returns a trial's layers; `experiments.screens.trial.option_layers` draws options.
    size_deg
        Returns the side of a picture in degrees of visual angle, from the protocol.
    """
    return SessionScreens(
        lambda: ScreenParts(
            painter=lambda pack, protocol, display: PicturePainter(
                pack, protocol, display, size_deg(protocol)
            ),
            presenter=lambda context, settings, plan, waiting: PlainChoices(
                draw, context, settings, waiting
            ),
            actor=ChoiceActor,
        )
    )


def declare_choices(name: str) -> Study:
    """Declare the screens of an external study without an ``experiments`` module."""

    def size_deg(protocol: Any) -> float:
        rules = getattr(protocol, "choice", None)
        if not isinstance(rules, ChoiceRules):
            raise UserError(f"{name}: the study declares no screens; write its experiments.py")
        return rules.size_deg

    return Study(sessions={"solutions": choice_screens(size_deg=size_deg)})
