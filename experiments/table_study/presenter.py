"""A participant's items on a screen."""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from experiments.engine.picture import Layers, Picture, Pixels
from experiments.pages.context import SessionContext
from experiments.pages.feedback import show_feedback
from experiments.pages.settings import ScreenSettings, display_codes, even_side_px
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen
from experiments.pages.waiting import Waiting
from experiments.screens.foot import Button, Foot, Place, check_foot, foot_layers
from experiments.screens.trial import fixation_layers
from experiments.table_study.layout import Content, arranged, item_layers
from participants.session import Choice, SessionPlan
from participants.session.feedback import FeedbackShown
from participants.table_study.trial import ItemTrial
from stimuli.colour.display import DisplayProfile
from stimuli.images.pictures import pixels_of
from stimuli.pack import Pack
from stimuli.table_study.protocol import TableStudy


@dataclass(frozen=True, slots=True)
class ItemPainter:
    """Draws a pack's pictures as pixels for one display.

    Attributes
    ----------
    pack, protocol
        The pack with the pictures, and its protocol.
    display
        The display; sRGB codes are converted to its codes.
    """

    pack: Pack
    protocol: TableStudy
    display: DisplayProfile

    @property
    def size_deg(self) -> float:
        """Side of a picture on screen in degrees of visual angle."""
        return self.protocol.trial.size_deg

    def check(self, plan: SessionPlan) -> None:
        """Refuse nothing: every display can show a picture."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return a picture's side on a screen."""
        return even_side_px(wanted_px, most_px)

    def picture(self, file: str, side_px: int) -> Pixels:
        """Return a picture, uint8 (height, width, 3); its longer side is as asked."""
        where = f"pack {self.pack.pack_id}: {file}"
        stored = Image.fromarray(pixels_of(self.pack.asset(file), where))
        scale = side_px / max(stored.size)
        size = tuple(max(1, round(length * scale)) for length in stored.size)
        scaled = stored.resize((size[0], size[1]), Image.Resampling.LANCZOS)
        return display_codes(np.asarray(scaled), self.display)


class ItemScreens:
    """A `participants.table_study.trial.ItemPresenter` with a real window.

    Parameters
    ----------
    context
        The open window, the actor and the recorder.
    settings
        Settings of the screens.
    plan
        The session's plan.
    waiting
        Handles the chords that pause and end the session.

    Raises
    ------
    UserError
        If an item or an answer doesn't fit on the screen.
    """

    def __init__(
        self,
        context: SessionContext,
        settings: ScreenSettings[ItemPainter],
        plan: SessionPlan,
        waiting: Waiting,
    ) -> None:
        self._context, self._stage, self._settings = context, context.stage, settings
        self._waiting, self._phase = waiting, ""
        self._wanted_px = settings.stimulus_px()
        for trial in plan.trials:
            arranged(settings.look, self._content(trial), self._wanted_px)
            check_foot(settings.look, self._foot(trial))
        fixation = context.stage.picture(fixation_layers(settings.look))
        self._choices = ChoiceScreen(
            context, waiting, fixation, settings.rig.lag_s, "stimulus", "help_shown"
        )

    def choose(self, trial: ItemTrial) -> Choice:
        """Run a trial; run it again if a chord interrupts it and the session continues."""
        if trial.phase != self._phase:
            self._phase = trial.phase
            self._waiting.begin_block()
        return self._choices.run(
            trial,
            prepare=lambda: self._pictures(trial),
            started=lambda: trial.record_start(self._context.recorder),
        )

    def feedback(self, feedback: FeedbackShown) -> None:
        """Show whether an answer was right."""
        show_feedback(self._waiting, self._settings, feedback, feedback.expected)

    def _pictures(self, trial: ItemTrial) -> ChoicePictures:
        stimulus = self._kept(_kind(trial), self._layers(trial, advised=trial.has_advice))
        if trial.later is not None:
            return ChoicePictures(
                stimulus, later=self._kept("trial-advised", self._layers(trial, advised=True))
            )
        after = None
        if trial.exposure_s is not None:
            after = self._stage.picture(self._answers(trial))
        return ChoicePictures(stimulus, after)

    def _kept(self, name: str, layers: Layers) -> Picture:
        """Return a picture on the card; the album saves one of each kind."""
        picture = self._stage.picture(layers)
        self._context.album.keep(name, self._stage, picture)
        return picture

    def _layers(self, trial: ItemTrial, *, advised: bool) -> Layers:
        content, look = self._content(trial), self._settings.look
        sizes = arranged(look, content, self._wanted_px)
        paint = self._settings.painter.picture
        shown = item_layers(look, content, sizes, paint, advised=advised)
        return (*shown, *self._answers(trial, asks=trial.later is not None and not advised))

    def _content(self, trial: ItemTrial) -> Content:
        def advice_says(answer: str) -> str:
            return self._settings.words.filled("advice_says", answer=answer)

        advised = self._settings.painter.protocol.advice is not None
        return Content.of(trial.stimulus, advice_says, advised=advised)

    def _answers(self, trial: ItemTrial, *, asks: bool = False) -> Layers:
        foot = self._foot(trial, asks=asks)
        return foot_layers(self._settings.look, self._settings.words, foot, Place(0, 1))

    def _foot(self, trial: ItemTrial, *, asks: bool = False) -> Foot:
        """Return question and answers, and the hint on the key that asks for advice."""
        words, scale = self._settings.words, self._settings.painter.protocol.trial.scale
        asked = trial.later.key if trial.later is not None and asks else None
        buttons = [Button(key, words.cap(key), answer) for key, answer in trial.options.items()]
        return Foot(
            question=str(trial.stimulus["question"] or ""),
            buttons=tuple(buttons) if scale is None else (),
            scale=None if scale is None else (scale.steps, scale.low, scale.high),
            aside=None if asked is None else Button(asked, words.cap(asked), words["ask_advice"]),
        )


def _kind(trial: ItemTrial) -> str:
    return "trial-own" if trial.stage == "own" else "trial"
