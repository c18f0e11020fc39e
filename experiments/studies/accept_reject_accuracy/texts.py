"""Labelled texts on a screen: the label above, the text on a panel, the keys below."""

from collections.abc import Callable
from typing import Final

from experiments.engine.picture import Layers, Pixels
from experiments.pages.timed_choice import side_hints
from experiments.screens import headed
from experiments.screens.look import Look
from experiments.screens.page import figure_px
from experiments.screens.parts import Area
from experiments.screens.trial import fixation_layers
from experiments.studies.accept_reject.presenter import LeadPresenter, solution_words
from participants.session import Page, SessionPlan
from participants.studies.accept_reject.trial import Trial
from stimuli.studies.accept_reject_accuracy.tables import LabelledCase

PANEL_WIDTH: Final = 0.82
"""Width of a text, as a share of the screen's height: about 50 characters a line."""
HIGHEST_FIGURE: Final = 0.74
"""Largest height of a text beside a page's words, as a share of the screen's height."""


class TextPresenter(LeadPresenter):
    """A `LeadPresenter` for texts."""

    def _prepare(self, plan: SessionPlan) -> None:
        """Refuse a text or a label that doesn't fit."""
        super()._prepare(plan)
        look = self._look
        for trial in plan.trials:
            headed.heading_fitted(
                look, headed.across(look, headed.HEADING_ROW), *self._heading(trial.stimulus)
            )
            headed.panel_text_fitted(look, panel_area(look), _text(trial.stimulus))
        for step in plan.steps:
            if isinstance(step, Page) and step.figure is not None:
                text_figure(look, step.figure)

    def _fixation(self) -> Layers:
        _, top, _, bottom = panel_area(self._look)
        return fixation_layers(self._look, (top + bottom) / 2)

    def _content_and_layers(self, trial: Trial) -> tuple[bytes, Callable[[], Layers]]:
        look, text = self._look, _text(trial.stimulus)

        def layers() -> Layers:
            return (*headed.text_layers(look, panel_area(look), text), *self._around(trial))

        return text.encode("utf-8"), layers

    def _around(self, trial: Trial) -> Layers:
        look = self._look
        keys = side_hints(self._settings, trial)
        return (
            *headed.heading_layers(
                look, headed.across(look, headed.HEADING_ROW), *self._heading(trial.stimulus)
            ),
            *headed.keys_layers(look, headed.KeyPlaces.of(look, headed.KEYS_TOP), *keys),
        )

    def _heading(self, stimulus: LabelledCase) -> tuple[str, str]:
        label = solution_words(self._settings, stimulus.shown_label)
        return self._words["solution"], label


def panel_area(look: Look) -> Area:
    """Return the area of a text: in the middle, the same for all texts."""
    width, height = look.size_px
    top, bottom = (round(share * height) for share in headed.PANEL_ROW)
    panel = look.px(PANEL_WIDTH)
    left = (width - panel) // 2
    return left, top, left + panel, bottom


def text_figure(look: Look, stimulus: LabelledCase) -> Pixels:
    """Return a text to show beside a page's words, uint8 (height, width, 3), as high as it needs.

    Raises
    ------
    UserError
        If it doesn't fit at any size.
    """
    words, left = _text(stimulus), look.px(headed.PAD)
    right, lowest = left + figure_px(look), look.px(HIGHEST_FIGURE)
    lines = headed.panel_text_fitted(look, (left, 0, right, lowest), words)
    high = lines.height_px + 2 * look.px(headed.PAD)
    top = (look.size_px[1] - high) // 2
    (layer,) = headed.text_layers(look, (left, top, right, top + high), words)
    return layer.pixels


def _text(stimulus: LabelledCase) -> str:
    assert stimulus.case_text is not None
    return stimulus.case_text
