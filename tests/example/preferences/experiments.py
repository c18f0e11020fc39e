"""How a question comes on the screen."""

from dataclasses import dataclass
from typing import Any

from PIL import ImageDraw

from experiments.engine.picture import Picture
from experiments.pages.context import SessionContext
from experiments.pages.settings import ScreenSettings, even_side_px
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen
from experiments.pages.waiting import Waiting
from experiments.robot_input.actor import ChoiceActor
from experiments.screens.trial import fixation_layers
from experiments.study import SessionScreens, Study
from participants.session import Choice, SessionPlan
from preferences.participants import Preference
from stimuli.colour.display import DisplayProfile
from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class Painter:
    """Says how wide the words are on this display."""

    pack: Pack
    protocol: Any
    display: DisplayProfile

    @property
    def size_deg(self) -> float:
        """Width on screen in degrees of visual angle."""
        return self.protocol.questions.size_deg

    def check(self, plan: SessionPlan) -> None:
        """Every display can show words: there is nothing to refuse."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the width on screen."""
        return even_side_px(wanted_px, most_px)


class Presenter:
    """Asks questions in the window."""

    def __init__(
        self, context: SessionContext, settings: ScreenSettings, plan: SessionPlan, waiting: Waiting
    ) -> None:
        self._context, self._settings = context, settings
        fixation = context.stage.picture(fixation_layers(settings.look))
        self._choices = ChoiceScreen(context, waiting, fixation, settings.rig.lag_s, "words")

    def ask(self, task: Preference) -> Choice:
        """Ask a question."""
        return self._choices.run(
            task,
            prepare=lambda: ChoicePictures(self._picture(task)),
            started=lambda: task.record_start(self._context.recorder),
        )

    def _picture(self, task: Preference) -> Picture:
        look, words = self._settings.look, task.stimulus
        canvas = look.canvas()
        draw = ImageDraw.Draw(canvas)
        apart_px, middle_px = self._settings.stimulus_px() // 2, look.size_px[1] // 2
        for place, word, key in ((-1, words.left, "left"), (1, words.right, "right")):
            at = (look.size_px[0] // 2 + place * apart_px, middle_px)
            heading = look.font(look.heading_px, "bold")
            draw.text(at, word, fill=look.strong, font=heading, anchor="mm")
            hint = task.key_of(key).upper()
            below = (at[0], middle_px + look.px(0.08))
            draw.text(below, hint, fill=look.quiet, font=look.font(look.hint_px), anchor="mm")
        picture = self._context.stage.picture(look.layers(canvas))
        self._context.album.keep("question", self._context.stage, picture)
        return picture


STUDY = Study(
    sessions={
        "solutions": SessionScreens(painter=Painter, presenter=Presenter, actor=ChoiceActor),
    },
)
