"""The question before a judgement: what it is made of, and its screen."""

from dataclasses import dataclass
from typing import Final

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.pages.settings import ScreenSettings
from experiments.pages.timed_choice import side_hints
from experiments.screens import headed
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.studies.human_ai_team.painter import TeamPainter
from experiments.studies.human_ai_team.places import CAPTION_GAP, PLAIN, SIDE_MARGIN, note_layers
from participants.studies.human_ai_team.trial import PriorQuestion

QUESTION: Final = (0.045, 0.15)

DEFINITION: Final = (0.165, 0.33)

SAMPLES: Final = (0.385, 0.755)

SAMPLES_ALONE: Final = (0.22, 0.755)
"""The samples' row if there is no definition."""

NOTE: Final = (0.76, 0.83)

LARGEST: Final = 0.44

SAMPLE_GAP: Final = 0.03

COLUMN: Final = 1.2
"""Width of the definition, as a share of the screen's height."""


@dataclass(frozen=True, slots=True)
class PriorPlaces:
    """The places of the question about prior knowledge.

    Attributes
    ----------
    question, definition
        At the top; in the middle of the screen without samples.
    samples
        Squares side by side.
    note
        A note on the samples.
    keys
        The keys' hints.
    """

    question: Area
    definition: Area
    samples: tuple[Area, ...]
    note: Area
    keys: headed.KeyPlaces

    @classmethod
    def of(cls, look: Look, samples: int, *, defined: bool) -> "PriorPlaces":
        """Return the places for a number of samples, with or without a definition."""
        width = look.size_px[0]
        down = 0.0 if samples else 0.18
        column = min(look.px(COLUMN), width - 2 * look.px(headed.WORDS_MARGIN))
        beside = (width - column) // 2
        sample_areas = _samples(look, samples, SAMPLES if defined else SAMPLES_ALONE)
        margin = look.px(headed.WORDS_MARGIN)
        return cls(
            (margin, *_rows(look, QUESTION, down, width - margin)),
            (beside, *_rows(look, DEFINITION, down, width - beside)),
            sample_areas,
            _note(look, sample_areas),
            headed.KeyPlaces.of(look, PLAIN.keys_top),
        )


def definition_fitted(look: Look, area: Area, definition: str) -> FittedText:
    """Return a definition in lines; UserError if it doesn't fit."""
    height = area[3] - area[1]
    for size in range(look.px(0.030), look.px(headed.SMALLEST) - 1, -1):
        fit = fitted(look, definition, Room.of_size(area[2] - area[0], size))
        if fit.height_px <= height:
            return fit
    raise headed.no_room(definition, "above the samples")


def prior_words_layers(
    look: Look, places: PriorPlaces, question: str, definition: str | None, caption: str
) -> Layers:
    """Return the question, the label's definition below it, and the samples' caption."""
    canvas, draw = look.drawing()
    _, asked = headed.heading_fitted(look, places.question, "", question)
    left, top, right, bottom = places.question
    draw_fitted(look, draw, asked, (left + right) / 2, (top + bottom) / 2, look.strong)
    if definition is not None:
        text = definition_fitted(look, places.definition, definition)
        left, top, right, _ = places.definition
        middle = top + text.height_px / 2
        draw_fitted(look, draw, text, (left + right) / 2, middle, look.text)
    if places.samples:
        left, _, right, _ = places.note
        text = fitted(look, caption, Room(right - left, 1, look.hint_px, look.px(headed.SMALLEST)))
        middle = places.samples[0][1] - look.px(CAPTION_GAP) - text.height_px / 2
        draw_fitted(look, draw, text, (left + right) / 2, middle, look.quiet)
    return look.layers(canvas)


def sample_layers(places: PriorPlaces, pictures: list) -> tuple[Layer, ...]:
    """Return the samples at their places."""
    placed = zip(pictures, places.samples, strict=True)
    return tuple(Layer(pixels, area[0], area[1]) for pixels, area in placed)


def _rows(
    look: Look, shares: tuple[float, float], down: float, right_px: int
) -> tuple[int, int, int]:
    """Return top, right and bottom of a row."""
    top, bottom = (look.px(share + down) for share in shares)
    return top, right_px, bottom


def _note(look: Look, samples: tuple[Area, ...]) -> Area:
    """Return the room directly below the samples, or below where they would end."""
    margin, (top, bottom) = look.px(headed.WORDS_MARGIN), (look.px(share) for share in NOTE)
    under = samples[0][3] if samples else top
    return margin, under, look.size_px[0] - margin, max(bottom, under + bottom - top)


def _samples(look: Look, count: int, rows: tuple[float, float]) -> tuple[Area, ...]:
    if not count:
        return ()
    width = look.size_px[0]
    gap = look.px(SAMPLE_GAP)
    room = (width - 2 * look.px(SIDE_MARGIN) - (count - 1) * gap) // count
    top, bottom = (look.px(share) for share in rows)
    side = min(look.px(LARGEST), bottom - top, room) // 2 * 2
    left = (width - count * side - (count - 1) * gap) // 2
    top += (bottom - top - side) // 2
    lefts = [left + number * (side + gap) for number in range(count)]
    # The nearest to where lines begin comes first.
    if look.right_to_left:
        lefts.reverse()
    return tuple((at, top, at + side, top + side) for at in lefts)


class PriorScreens:
    """Draws the questions whether the person has ever seen such a thing.

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
        """Refuse a question whose words don't fit (UserError)."""
        places = self._places(task)
        headed.heading_fitted(self._look, places.question, "", self._question(task))
        if task.stimulus.definition is not None:
            definition_fitted(self._look, places.definition, task.stimulus.definition)

    def sample_pictures(self, task: PriorQuestion) -> list[Pixels]:
        """Return the samples as shown, each uint8 (side, side, 3)."""
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
            *headed.keys_layers(look, places.keys, *side_hints(self._settings, task)),
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
