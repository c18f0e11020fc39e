"""What the question before a judgement is made of, from its task and the session's words."""

from experiments.engine.picture import Layers, Pixels
from experiments.pages.settings import ScreenSettings
from experiments.pages.sides import side_hints
from experiments.screens.look import Look
from experiments.studies.human_ai_team.notes import note_layers
from experiments.studies.human_ai_team.painter import TeamPainter
from experiments.studies.human_ai_team.prior_screen import (
    PriorPlaces,
    definition_fitted,
    prior_words_layers,
    sample_layers,
)
from experiments.studies.human_ai_team.screen import keys_layers
from experiments.studies.human_ai_team.words_fit import heading_fitted
from participants.studies.human_ai_team.trial import PriorQuestion


class PriorScreens:
    """Draws the questions whether such a thing was ever seen.

    Parameters
    ----------
    settings
        What screens are made with.
    """

    def __init__(self, settings: ScreenSettings[TeamPainter]) -> None:
        self._settings, self._words = settings, settings.words

    @property
    def _look(self) -> Look:
        return self._settings.look

    def check(self, task: PriorQuestion) -> None:
        """Refuse a question whose words have no room (UserError)."""
        places = self._places(task)
        heading_fitted(self._look, places.question, "", self._question(task))
        if task.stimulus.definition is not None:
            definition_fitted(self._look, places.definition, task.stimulus.definition)

    def shown(self, task: PriorQuestion) -> list[Pixels]:
        """Return the samples as they are shown, uint8 (side, side, 3) each."""
        samples = self._places(task).samples
        if not samples:
            return []
        left, _, right, _ = samples[0]
        return self._settings.painter.images(task.stimulus.sample_files, right - left)

    def layers(self, task: PriorQuestion, samples: list[Pixels]) -> Layers:
        """Return the question's screen with these samples."""
        places, look = self._places(task), self._look
        question, definition = self._question(task), task.stimulus.definition
        caption = self._words.filled("samples", label=task.stimulus.label_name)
        return (
            *prior_words_layers(look, places, question, definition, caption),
            *keys_layers(look, places.keys, *side_hints(self._settings, task)),
            *(self._notes(places) if task.annotated else ()),
            *sample_layers(places, samples),
        )

    def _places(self, task: PriorQuestion) -> PriorPlaces:
        stimulus = task.stimulus
        defined = stimulus.definition is not None
        return PriorPlaces.of(self._look, len(stimulus.sample_files), defined=defined)

    def _question(self, task: PriorQuestion) -> str:
        return self._words.filled("prior_question", label=task.stimulus.label_name)

    def _notes(self, places: PriorPlaces) -> Layers:
        return note_layers(self._look, self._words["note_prior"], places.note, 1)
