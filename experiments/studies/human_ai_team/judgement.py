"""What a judgement's screen is made of, from its task and the session's words."""

from dataclasses import replace
from typing import Final

from experiments.engine.picture import Layers, Pixels
from experiments.pages.settings import ScreenSettings
from experiments.pages.sides import side_hints
from experiments.screens.look import Look
from experiments.screens.trial import KeyHint
from experiments.studies.human_ai_team.notes import Notes, notes_layers
from experiments.studies.human_ai_team.places import Places
from experiments.studies.human_ai_team.screen import (
    AskedWords,
    asking_layers,
    caption_layers,
    image_layer,
    place_held_layers,
    scale_layers,
    text_layers,
)
from experiments.studies.human_ai_team.words_fit import (
    caption_fitted,
    heading_fitted,
    help_text_fitted,
)
from participants.studies.human_ai_team.trial import Judgement
from participants.texts import written_number
from stimuli.studies.human_ai_team.protocol import help_kind
from stimuli.studies.human_ai_team.stimulus import TeamStimulus

SCALE: Final = (1.0, 0.5, 0.0)
"""Numbers beside the scale of heatmaps, from its top."""
SALIENT: Final = "salient_object"
"""The arm whose heatmaps say nothing of the system."""


class JudgementScreens:
    """Draws judgements.

    Parameters
    ----------
    settings
        What screens are made with.
    """

    def __init__(self, settings: ScreenSettings) -> None:
        self._settings, self._words = settings, settings.words
        self._wanted_px = settings.stimulus_px()

    @property
    def _look(self) -> Look:
        return self._settings.look

    def check(self, task: Judgement) -> None:
        """Refuse a judgement whose words have no room (UserError)."""
        places, asked, stimulus = self._places(task), self._asked(task), task.stimulus
        heading_fitted(self._look, places.heading, asked.guess, asked.question)
        if help_kind(stimulus.arm) == "examples":
            caption_fitted(self._look, places, self._caption(stimulus))
        if stimulus.help_text is not None:
            help_text_fitted(self._look, places, stimulus.help_text)

    def image(self, task: Judgement) -> Pixels:
        """Return the image as it is shown, uint8 (side, side, 3)."""
        left, _, right, _ = self._places(task).image
        return self._settings.painter.image(task.stimulus.image_file, right - left)

    def layers(self, task: Judgement, image: Pixels, *, helped: bool) -> Layers:
        """Return a judgement's screen.

        Parameters
        ----------
        task, image
            What is shown.
        helped
            Whether the help is there; else its place is held for it.
        """
        places, look = self._places(task), self._look
        help_layers = self._help(task, places) if helped else self._held(task, places)
        notes = self._notes(task, helped=helped) if task.annotated else Notes()
        return (
            *asking_layers(look, places, self._asked(task)),
            *notes_layers(look, places, notes),
            *help_layers,
            image_layer(places.image, image),
        )

    def _places(self, task: Judgement) -> Places:
        kind, files = help_kind(task.stimulus.arm), task.stimulus.help_files
        examples = len(files) or self._settings.painter.protocol.help.neighbours
        return Places.of(self._look, self._wanted_px, kind, examples, annotated=task.annotated)

    def _asked(self, task: Judgement) -> AskedWords:
        """Return what stands above; without its confidence the system isn't spoken of."""
        stimulus, words = task.stimulus, self._words
        guess = ""
        if stimulus.confidence_percent is not None:
            percent = str(stimulus.confidence_percent)
            guess = words.filled("guess", percent=percent, label=stimulus.label_name)
        question = words.filled("question", label=stimulus.label_name)
        return AskedWords(guess, question, *side_hints(self._settings, task))

    def _help(self, task: Judgement, places: Places) -> Layers:
        """Return what stands beside the image; nothing before advice, and where no arm helps."""
        stimulus, look, painter = task.stimulus, self._look, self._settings.painter
        if stimulus.help_text is not None:
            return text_layers(look, places, stimulus.help_text)
        if not stimulus.help_files:
            return ()
        side = places.parts[0][2] - places.parts[0][0]
        caption = caption_layers(look, places, self._caption(stimulus))
        if places.scale is None:
            shown = painter.images(stimulus.help_files, side)
            return (*caption, *map(image_layer, places.parts, shown))
        left, top, right, bottom = places.scale
        bar = painter.scale(right - left, bottom - top)
        numbers = [written_number(value, look.language) for value in SCALE]
        heatmap = image_layer(places.parts[0], painter.heatmap(stimulus, side))
        return (*caption, *scale_layers(look, places.scale, bar, numbers), heatmap)

    def _held(self, task: Judgement, places: Places) -> Layers:
        assert task.later is not None
        hint = None
        if task.later.key is not None:
            hint = KeyHint(self._words["show_help"], self._words.cap(task.later.key))
        return place_held_layers(self._look, places, hint, self._words["help_follows"])

    def _caption(self, stimulus: TeamStimulus) -> str:
        if help_kind(stimulus.arm) == "heatmap":
            return self._words["heatmap"]
        count = len(stimulus.help_files) or self._settings.painter.protocol.help.neighbours
        return self._words.filled(f"examples_{count}", label=stimulus.label_name)

    def _notes(self, task: Judgement, *, helped: bool) -> Notes:
        words, stimulus = self._words, task.stimulus
        sure = stimulus.confidence_percent is not None
        notes = Notes(
            heading=words["note_guess" if sure else "note_question"],
            image=words["note_image"],
            keys=words["note_buttons" if task.device == "mouse" else "note_keys"],
        )
        if not helped:
            return replace(notes, help=self._note_on_later(task))
        if stimulus.help_text is None and not stimulus.help_files:
            return notes
        kind = "salient" if stimulus.arm == SALIENT else help_kind(stimulus.arm)
        return replace(notes, help=words[f"note_{kind}"])

    def _note_on_later(self, task: Judgement) -> str:
        assert task.later is not None
        if task.later.key is None:
            return self._words["note_help_delay"]
        return self._words.filled("note_help_key", key=self._words.key(task.later.key))
