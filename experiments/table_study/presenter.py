"""A participant's items on a screen."""

import numpy as np
from PIL import Image

from experiments.engine.picture import Layers, Picture, Pixels
from experiments.pages.feedback import show_feedback
from experiments.pages.line_field import FieldTexts, LineField, TypedAnswer, WithField
from experiments.pages.presenting import WindowPresenter
from experiments.pages.settings import Painter, display_codes
from experiments.pages.timed_choice import ChoicePictures
from experiments.screens.foot import Button, Foot, Place, check_foot, foot_areas, foot_layers
from experiments.screens.parts import Area
from experiments.table_study.layout import Content, arranged, field_box, item_layers
from participants.session import Choice, SessionPlan
from participants.session.feedback import FeedbackShown
from participants.table_study.trial import ItemTrial, text_entry
from stimuli.devices import is_pointing
from stimuli.table_study.protocol import TableStudy


class ItemPainter(Painter[TableStudy]):
    """Draws a pack's pictures as pixels for one display."""

    @property
    def size_deg(self) -> float:
        """Side of a picture on screen in degrees of visual angle."""
        return self.protocol.trial.size_deg

    def picture(self, file: str, side_px: int) -> Pixels:
        """Return a picture, uint8 (height, width, 3); its longer side is as asked."""
        stored = Image.fromarray(self.stored(file))
        scale = side_px / max(stored.size)
        size = tuple(max(1, round(length * scale)) for length in stored.size)
        scaled = stored.resize((size[0], size[1]), Image.Resampling.LANCZOS)
        return display_codes(np.asarray(scaled), self.display)


class ItemScreens(WindowPresenter[ItemPainter]):
    """A `participants.table_study.trial.ItemPresenter` with a real window."""

    def _prepare(self, plan: SessionPlan) -> None:
        """Refuse an item or an answer that doesn't fit."""
        self._wanted_px = self._settings.stimulus_px()
        for trial in plan.trials:
            arranged(self._look, self._content(trial), self._wanted_px)
            check_foot(self._look, self._foot(trial))
        self._typing = self._field = None
        if self._painter.protocol.trial.typed:
            self._typing = self._context.typing(self._stage)
            texts = FieldTexts(self._words["type_answer"], {})
            self._field = LineField(self._stage, self._look, field_box(self._look), texts)
        self._items = self._choices("stimulus", "help_shown")

    def choose(self, trial: ItemTrial) -> Choice:
        """Run a trial; run it again if a chord interrupts it and the session continues."""
        self._begin(trial.phase)
        return self._items.run(
            trial,
            prepare=lambda: self._pictures(trial),
            started=lambda: trial.record_start(self._context.recorder),
        )

    def feedback(self, feedback: FeedbackShown) -> None:
        """Show whether an answer was right."""
        show_feedback(self._waiting, self._settings, feedback, feedback.expected)

    def _pictures(self, trial: ItemTrial) -> ChoicePictures:
        typed = self._typed()
        stimulus = self._picture(_kind(trial), self._layers(trial, advised=trial.has_advice))
        after = later = None
        if trial.later is not None:
            later = self._picture("trial-advised", self._layers(trial, advised=True))
        elif trial.exposure_s is not None:
            after = self._with_field(self._stage.picture(self._answers(trial)))
        return ChoicePictures(stimulus, after, later, areas=self._areas(trial), typed=typed)

    def _typed(self) -> TypedAnswer | None:
        """Return the emptied field of an answer that is typed."""
        if self._field is None or self._typing is None:
            return None
        self._field.begin(text_entry())
        return TypedAnswer(self._field, self._typing)

    def _with_field(self, picture: Picture) -> Picture | WithField:
        return picture if self._field is None else WithField(picture, self._field)

    def _picture(self, name: str, layers: Layers) -> Picture | WithField:
        """Return a picture with the field; the album saves one of each kind."""
        picture = self._with_field(self._stage.picture(layers))
        self._context.album.keep(name, self._stage, picture)
        return picture

    def _areas(self, trial: ItemTrial) -> dict[str, Area]:
        """Return where a click answers, or asks for advice; nowhere without a mouse."""
        if not is_pointing(trial.device):
            return {}
        return foot_areas(self._look, self._words, self._foot(trial, asks=True), 1)

    def _layers(self, trial: ItemTrial, *, advised: bool) -> Layers:
        content, look = self._content(trial), self._settings.look
        sizes = arranged(look, content, self._wanted_px)
        paint = self._settings.painter.picture
        layers = item_layers(look, content, sizes, paint, advised=advised)
        return (*layers, *self._answers(trial, asks=trial.later is not None and not advised))

    def _content(self, trial: ItemTrial) -> Content:
        def advice_says(answer: str) -> str:
            return self._settings.words.filled("advice_says", answer=answer)

        advised = self._settings.painter.protocol.advice is not None
        return Content.of(trial.stimulus, advice_says, advised=advised)

    def _answers(self, trial: ItemTrial, *, asks: bool = False) -> Layers:
        foot = self._foot(trial, asks=asks)
        place = Place(0, 1, label=self._first_answer(trial))
        return foot_layers(self._settings.look, self._settings.words, foot, place)

    def _first_answer(self, trial: ItemTrial) -> str:
        """Return what was answered before the advice, cut to a line; empty if nothing was."""
        if trial.first is None:
            return ""
        look, answer = self._settings.look, trial.first
        font, room = look.font(look.hint_px), look.column_px
        line = self._settings.words.filled("first_answer", answer=answer)
        while font.getlength(line) > room:
            answer = answer.removesuffix("…")[:-1] + "…"
            line = self._settings.words.filled("first_answer", answer=answer)
        return line

    def _foot(self, trial: ItemTrial, *, asks: bool = False) -> Foot:
        """Return question and answers, and the hint on the key that asks for advice."""
        words, scale = self._settings.words, self._settings.painter.protocol.trial.scale
        asked = trial.later.key if trial.later is not None and asks else None
        clicked = is_pointing(trial.device)
        buttons = [
            Button(key, "" if clicked else words.cap(key), answer)
            for key, answer in trial.options.items()
        ]
        return Foot(
            question=self._content(trial).question,
            buttons=tuple(buttons) if scale is None else (),
            scale=None if scale is None else (scale.steps, scale.low, scale.high),
            aside=None
            if asked is None
            else Button(asked, "?" if clicked else words.cap(asked), words["ask_advice"]),
        )


def _kind(trial: ItemTrial) -> str:
    return "trial-own" if trial.stage == "own" else "trial"
