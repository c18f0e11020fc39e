"""A participant's trials on a screen: the judgement, what is asked before it, and feedback."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from PIL import ImageDraw

from experiments.engine.picture import Layer, Layers, Picture, Pixels
from experiments.pages.feedback import show_feedback
from experiments.pages.presenting import WindowPresenter
from experiments.pages.settings import ScreenSettings
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen, side_hints
from experiments.screens import headed
from experiments.screens.fitting import Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.screens.trial import KeyHint, fixation_layers
from experiments.studies.human_ai_team.painter import TeamPainter
from experiments.studies.human_ai_team.places import (
    CAPTION_GAP,
    HelpWanted,
    Notes,
    Places,
    caption_fitted,
    notes_layers,
)
from experiments.studies.human_ai_team.prior import PriorScreens
from participants.planning import about_cases
from participants.session import Choice, SessionPlan
from participants.session.feedback import FeedbackShown
from participants.studies.human_ai_team.shown import help_texts
from participants.studies.human_ai_team.trial import Asked, Judgement, PriorQuestion
from participants.texts import written_number
from stimuli.io.canonical import sha256_hex
from stimuli.studies.human_ai_team.protocol import RATIONALE, help_kind
from stimuli.studies.human_ai_team.stimulus import TeamStimulus

TICK = 0.010
SCALE: Final = (1.0, 0.5, 0.0)
"""Numbers beside the scale of heatmaps, from its top."""


@dataclass(frozen=True, slots=True)
class AskedWords:
    """Words above the image, and hints on the keys.

    Attributes
    ----------
    statement
        Statement about the image: the label, and how sure the AI is.
    question
        The question whether the statement is right.
    left, right
        Hints on the keys for both sides.
    """

    statement: str
    question: str
    left: KeyHint
    right: KeyHint


def image_layer(area: Area, pixels: Pixels) -> Layer:
    """Return a picture at its place."""
    return Layer(pixels, area[0], area[1])


def asking_layers(look: Look, places: Places, words: AskedWords) -> Layers:
    """Return the parts around the image, without its help."""
    return (
        *headed.heading_layers(look, places.heading, words.statement, words.question),
        *headed.keys_layers(look, places.keys, words.left, words.right),
    )


def caption_layers(look: Look, places: Places, caption: str) -> Layers:
    """Return the help's caption, directly above the help."""
    assert places.help is not None
    left, top, right, _ = places.help
    canvas = look.canvas()
    text = caption_fitted(look, places, caption)
    middle = top - look.px(CAPTION_GAP) - text.height_px / 2
    pictures_end = places.parts[0][2] if places.scale is not None else right
    centre = (left + pictures_end) / 2
    draw_fitted(look, ImageDraw.Draw(canvas), text, centre, middle, look.text)
    return look.layers(canvas)


def scale_layers(look: Look, area: Area, pixels: Pixels, numbers: Sequence[str]) -> Layers:
    """Return the scale beside a heatmap, with numbers from its top to its foot.

    Parameters
    ----------
    look, area
        Look of the screens, and the area of the bar.
    pixels
        Pixels of the bar.
    numbers
        Numbers from the top down, at equal distances.
    """
    canvas, draw = look.drawing()
    left, top, right, bottom = area
    away = -1 if look.right_to_left else 1
    edge = left - 1 if look.right_to_left else right
    for number, text in enumerate(numbers):
        at = top + (bottom - 1 - top) * number / (len(numbers) - 1)
        draw.line((edge, at, edge + away * look.px(TICK), at), fill=look.text, width=look.px(0.002))
        anchor = ("r" if look.right_to_left else "l") + "m"
        beside = edge + away * look.px(2 * TICK)
        font = look.font(look.hint_px)
        # The outer numbers stay within the bar's height.
        shift = (0.5 - number / (len(numbers) - 1)) * 0.7 * look.hint_px
        draw.text((beside, at + shift), text, fill=look.text, font=font, anchor=anchor)
    return (*look.layers(canvas), Layer(pixels, left, top))


def place_held_layers(look: Look, places: Places, words: str) -> Layers:
    """Return the empty place of a help that comes later, with words on how it comes."""
    assert places.help is not None
    canvas, draw = look.drawing()
    left, top, right, bottom = places.help
    if places.scale is not None:
        left, _, right, _ = places.parts[0]
    draw.rounded_rectangle(
        (left, top, right - 1, bottom - 1),
        radius=look.px(0.012),
        outline=look.line,
        width=look.px(0.002),
    )
    centre, middle = (left + right) / 2, (top + bottom) / 2
    width = right - left - 2 * look.px(headed.PAD)
    text = fitted(look, words, Room(width, 3, look.body_px, look.px(headed.SMALLEST)))
    draw_fitted(look, draw, text, centre, middle, look.text)
    return look.layers(canvas)


class JudgementScreens:
    """Draws judgements.

    Parameters
    ----------
    settings
        What screens are made with.
    """

    def __init__(self, settings: ScreenSettings[TeamPainter]) -> None:
        self._settings, self._words = settings, settings.words
        self._wanted_px = settings.stimulus_px()

    @property
    def _look(self) -> Look:
        return self._settings.look

    def check(self, task: Judgement) -> None:
        """Refuse a judgement whose words don't fit (UserError)."""
        places, asked, stimulus = self._places(task), self._asked_words(task), task.stimulus
        headed.heading_fitted(self._look, places.heading, asked.statement, asked.question)
        if places.help is not None:
            caption_fitted(self._look, places, self._caption(stimulus))
        if stimulus.help_text is not None:
            assert places.help is not None
            headed.panel_text_fitted(self._look, places.help, stimulus.help_text)
        if stimulus.case_text is not None:
            headed.panel_text_fitted(self._look, places.image, stimulus.case_text)

    def image(self, task: Judgement) -> Pixels | None:
        """Return the image as shown, uint8 (side, side, 3); None if a text is judged."""
        if task.stimulus.case_text is not None:
            return None
        left, _, right, _ = self._places(task).image
        return self._settings.painter.image(task.stimulus.image_file, right - left)

    def layers(self, task: Judgement, image: Pixels | None, *, helped: bool) -> Layers:
        """Return a judgement's screen.

        Parameters
        ----------
        task, image
            The judgement and its image.
        helped
            Whether the help is shown; else its place stays empty.
        """
        places, look = self._places(task), self._look
        help_layers = self._help(task, places) if helped else self._held(task, places)
        notes = self._notes(task, helped=helped) if task.annotated else Notes()
        return (
            *asking_layers(look, places, self._asked_words(task)),
            *notes_layers(look, places, notes),
            *help_layers,
            *self._case(task, places, image),
        )

    def _case(self, task: Judgement, places: Places, image: Pixels | None) -> Layers:
        if image is not None:
            return (image_layer(places.image, image),)
        assert task.stimulus.case_text is not None
        return headed.text_layers(self._look, places.image, task.stimulus.case_text)

    def _word(self, name: str) -> str:
        """Return the name of a word, as one about what is judged."""
        return about_cases(name, self._settings.painter.protocol.cases, self._words.words)

    def _places(self, task: Judgement) -> Places:
        arm, files = task.stimulus.arm, task.stimulus.help_files
        examples = len(files) or self._settings.painter.protocol.help.neighbours
        # Wide by the arm, not by the text: an image has the same place in all trials.
        of_texts = task.stimulus.case_text is not None
        request = HelpWanted(help_kind(arm), examples, wide=arm == RATIONALE, of_texts=of_texts)
        return Places.of(self._look, self._wanted_px, request, annotated=task.annotated)

    def _asked_words(self, task: Judgement) -> AskedWords:
        """Return the words above the image; without its confidence the AI isn't mentioned."""
        stimulus, words = task.stimulus, self._words
        values = {"label": stimulus.label_name, "percent": str(stimulus.confidence_percent)}
        sure = stimulus.confidence_percent is not None
        statement = words.filled("advice" if sure else "proposal", **values)
        asked = self._word("final_question" if task.stage == "final" else "question")
        question = words.filled(asked, **values)
        return AskedWords(statement, question, *side_hints(self._settings, task))

    def _help(self, task: Judgement, places: Places) -> Layers:
        """Return the help beside the image; empty before advice, or in an arm without help."""
        stimulus, look, painter = task.stimulus, self._look, self._settings.painter
        if stimulus.help_text is None and not stimulus.help_files:
            return ()
        caption = caption_layers(look, places, self._caption(stimulus))
        if stimulus.help_text is not None:
            assert places.help is not None
            return (*caption, *headed.text_layers(look, places.help, stimulus.help_text))
        side = places.parts[0][2] - places.parts[0][0]
        if places.scale is None:
            pictures = painter.images(stimulus.help_files, side)
            return (*caption, *map(image_layer, places.parts, pictures))
        left, top, right, bottom = places.scale
        bar = painter.scale(right - left, bottom - top)
        numbers = [written_number(value, look.language) for value in SCALE]
        heatmap = image_layer(places.parts[0], painter.heatmap(stimulus, side))
        return (*caption, *scale_layers(look, places.scale, bar, numbers), heatmap)

    def _held(self, task: Judgement, places: Places) -> Layers:
        assert task.later is not None
        if task.later.key is None:
            words = self._words["help_comes"]
        else:
            words = self._words.filled("help_ask", key=self._words.key(task.later.key))
        return place_held_layers(self._look, places, words)

    def _caption(self, stimulus: TeamStimulus) -> str:
        """Return the help's caption; it says how many examples there are."""
        return self._words.filled(
            help_texts(stimulus.arm), count=str(len(stimulus.help_files)), label=stimulus.label_name
        )

    def _notes(self, task: Judgement, *, helped: bool) -> Notes:
        """Return the notes that explain the screen; a help's empty place needs no note."""
        words, stimulus = self._words, task.stimulus
        sure = stimulus.confidence_percent is not None
        notes = Notes(
            heading=words["note_advice" if sure else "note_proposal"],
            image=words[self._word("note_image")],
            keys=words["note_answer"],
        )
        there = stimulus.help_text is not None or stimulus.help_files
        return (
            replace(notes, help=words[self._word(f"note_{help_texts(stimulus.arm)}")])
            if helped and there
            else notes
        )


HELP_SHOWN: Final = "help_shown"
"""Name of the event for help that appears after the onset."""


class TeamPresenter(WindowPresenter[TeamPainter]):
    """A `participants.studies.human_ai_team.trial.TeamPresenter` with a real window."""

    def _prepare(self, plan: SessionPlan) -> None:
        """Refuse a label, a definition or a help in words that doesn't fit."""
        self._judgements = JudgementScreens(self._settings)
        self._priors = PriorScreens(self._settings)
        for task in plan.trials:
            screens = self._priors if isinstance(task, PriorQuestion) else self._judgements
            screens.check(task)
        fixation = fixation_layers(self._look, self._look.px(0.52))
        self._prior, self._judgement = (
            self._choices(what, HELP_SHOWN, fixation) for what in ("samples", "image")
        )

    def prior(self, question: PriorQuestion) -> Choice:
        """Ask whether the person has ever seen such a thing."""
        samples = self._priors.sample_pictures(question)

        def pictures() -> ChoicePictures:
            layers = self._priors.layers(question, samples)
            return ChoicePictures(self._kept(_named("prior", question), layers))

        return self._ask(self._prior, question, _content(samples), pictures)

    def judgement(self, judgement: Judgement) -> Choice:
        """Ask whether a label is right."""
        image = self._judgements.image(judgement)

        def picture(*, helped: bool) -> Picture:
            layers = self._judgements.layers(judgement, image, helped=helped)
            return self._kept(_named(_kind(judgement, helped=helped), judgement), layers)

        def pictures() -> ChoicePictures:
            if judgement.later is None:
                return ChoicePictures(picture(helped=True))
            return ChoicePictures(picture(helped=False), later=picture(helped=True))

        text = judgement.stimulus.case_text or ""
        content = text.encode("utf-8") if image is None else _content([image])
        return self._ask(self._judgement, judgement, content, pictures)

    def feedback(self, feedback: FeedbackShown) -> None:
        """Show whether an answer was right."""
        right = self._words[feedback.expected]
        show_feedback(self._waiting, self._settings, feedback, right)

    def _ask(
        self,
        screen: ChoiceScreen,
        task: Asked,
        content: bytes,
        pictures: Callable[[], ChoicePictures],
    ) -> Choice:
        """Run a question; run it again if a chord interrupts it and the session continues."""
        self._begin(task.phase)
        digest = sha256_hex(content)
        return screen.run(
            task,
            prepare=pictures,
            started=lambda: task.record_start(self._context.recorder, digest),
        )


def _named(kind: str, task: Asked) -> str:
    return f"trial-{kind}-annotated" if task.annotated else f"trial-{kind}"


def _content(pictures: Sequence[Pixels]) -> bytes:
    return b"".join(np.ascontiguousarray(pixels).tobytes() for pixels in pictures)


def _kind(judgement: Judgement, *, helped: bool) -> str:
    if judgement.stage == "own":
        return "own"
    return judgement.stimulus.arm if helped else f"{judgement.stimulus.arm}-held"
