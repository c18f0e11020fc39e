"""A lead's trials on a screen, of plates or of labelled images or texts."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from experiments.engine.picture import Layers, Pixels
from experiments.pages.presenting import WindowPresenter
from experiments.pages.settings import Painter, Rules, ScreenSettings
from experiments.pages.text_pages import PageStimuli
from experiments.pages.timed_choice import ChoicePictures, side_hints
from experiments.screens.page import figure_px
from experiments.screens.trial import (
    LATE,
    RIGHT,
    WRONG,
    TrialScreen,
    feedback_layers,
    fixation_layers,
    stimulus_layers,
    surrounding_layers,
)
from participants.session import Choice, SessionPlan
from participants.studies.accept_reject.trial import Feedback, Trial
from participants.texts import written_number
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import sha256_hex


class LeadPainter(Painter[Rules]):
    """Draws what a lead decides on: plates, or labelled images."""

    def plate(self, stimulus: Any, size_px: int) -> Pixels:
        """Return a plate or an image, uint8 (size_px, size_px, 3)."""
        raise NotImplementedError

    def explained(self, plate: Pixels, stimulus: Any) -> Pixels:
        """Return the plate or image with the explanation's marks."""
        raise NotImplementedError


class LeadPresenter(WindowPresenter[LeadPainter[Any]]):
    """A `participants.studies.accept_reject.trial.LeadPresenter` with a real window."""

    def _prepare(self, plan: SessionPlan) -> None:
        self._trials = self._choices("plate", fixation=self._fixation())
        self._stimulus_px = self._settings.stimulus_px()

    def trial(self, trial: Trial) -> Choice:
        """Run a trial; run it again if a chord interrupts it and the session continues."""
        self._begin(trial.run)
        content, layers = self._content_and_layers(trial)
        digest = sha256_hex(content)
        return self._trials.run(
            trial,
            prepare=lambda: self._pictures(trial, layers()),
            started=lambda: trial.record_start(self._context.recorder, digest),
        )

    def feedback(self, feedback: Feedback) -> None:
        """Show whether the decision was right."""
        words = self._words
        limit = written_number(feedback.limit_s, self._look.language)
        told = {
            "right": (RIGHT, words["feedback_right"]),
            "late": (LATE, words.filled("feedback_none", seconds=limit)),
        }
        if feedback.expected == "as_seen":
            told["unseen"] = RIGHT, words["feedback_unseen"]
        else:
            right = words[feedback.expected]
            told["wrong"] = WRONG, words.filled("feedback_wrong", decision=right)
        if feedback.decision == "none":
            name = "late"
        elif feedback.if_unseen:
            name = "unseen"
        else:
            name = "right" if feedback.right else "wrong"
        kinds = {
            f"feedback-{kind}": partial(feedback_layers, self._look, *of)
            for kind, of in told.items()
        }
        self._waiting.notice_one_of(kinds, f"feedback-{name}", feedback.feedback_s)

    def _fixation(self) -> Layers:
        """Return the fixation mark, at the place of the stimulus."""
        return fixation_layers(self._look)

    def _content_and_layers(self, trial: Trial) -> tuple[bytes, Callable[[], Layers]]:
        """Return the stimulus's content, and the function that draws the whole screen."""
        plate = self._painter.plate(trial.stimulus, self._stimulus_px)

        def layers() -> Layers:
            explained = self._painter.explained(plate, trial.stimulus)
            return stimulus_layers(self._look, explained, self._screen(trial))

        return np.ascontiguousarray(plate).tobytes(), layers

    def _around(self, trial: Trial) -> Layers:
        """Return the layers that stay when the stimulus has gone."""
        return surrounding_layers(self._look, self._stimulus_px, self._screen(trial))

    def _pictures(self, trial: Trial, layers: Layers) -> ChoicePictures:
        """Upload what a trial shows."""
        picture, after = self._stage.picture(layers), None
        if trial.exposure_s is not None:
            after = self._kept("trial-plate-gone", self._around(trial))
        self._context.album.keep(_kind(trial.stimulus), self._stage, picture)
        return ChoicePictures(picture, after)

    def _screen(self, trial: Trial) -> TrialScreen:
        """Return the parts around a plate: the solution, and hints on the keys for both sides."""
        left, right = side_hints(self._settings, trial)
        return TrialScreen(
            text=solution_words(self._settings, trial.stimulus.shown_label),
            caption=self._words["solution"],
            left=left,
            right=right,
        )


def page_stimuli(settings: ScreenSettings[LeadPainter]) -> PageStimuli:
    """Return the functions that draw solutions on pages: worked examples, and questions."""

    def figure(stimulus: Any) -> np.ndarray:
        painter = settings.painter
        return painter.explained(painter.plate(stimulus, figure_px(settings.look)), stimulus)

    def caption(stimulus: Any) -> str:
        words = solution_words(settings, stimulus.shown_label)
        return f"{settings.words['solution']}: **{words}**"

    return PageStimuli(figure, caption, lambda values: label_words(settings, values))


def label_words(settings: ScreenSettings[Painter], values: Any) -> dict[str, str]:
    """Return the value ``label`` of a text in words, if the text has it."""
    return {"label": solution_words(settings, values["label"])} if "label" in values else {}


def solution_words(settings: ScreenSettings[Painter], label: str) -> str:
    """Return a solution's label, or words that say that there is none."""
    return settings.words["no_solution"] if label == NO_SOLUTION else label


def _kind(stimulus: Any) -> str:
    if stimulus.shown_label == NO_SOLUTION:
        return "trial-no-solution"
    return "trial-without" if stimulus.region_file is None else "trial-with"
