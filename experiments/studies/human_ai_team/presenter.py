"""A participant's trials on a screen."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from experiments.engine.picture import Layers, Picture, Pixels
from experiments.pages.context import SessionContext
from experiments.pages.feedback import show_feedback
from experiments.pages.settings import ScreenSettings
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen
from experiments.pages.waiting import Waiting
from experiments.screens.trial import fixation_layers
from experiments.studies.human_ai_team.judgement import JudgementScreens
from experiments.studies.human_ai_team.painter import TeamPainter
from experiments.studies.human_ai_team.prior import PriorScreens
from participants.session import Choice, SessionPlan
from participants.session.feedback import FeedbackShown
from participants.studies.human_ai_team.trial import (
    Asked,
    Judgement,
    PriorQuestion,
)
from stimuli.io.canonical import sha256_hex

HELP_SHOWN: Final = "help_shown"
"""Name of the event for help that appears after the onset."""


class TeamPresenter:
    """A `participants.studies.human_ai_team.trial.TeamPresenter` with a real window.

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
        If a label, a definition or a help in words doesn't fit on the screen.
    """

    def __init__(
        self,
        context: SessionContext,
        settings: ScreenSettings[TeamPainter],
        plan: SessionPlan,
        waiting: Waiting,
    ) -> None:
        self._context, self._stage, self._waiting = context, context.stage, waiting
        self._settings = settings
        self._judgements = JudgementScreens(settings)
        self._priors = PriorScreens(settings)
        for task in plan.trials:
            screens = self._priors if isinstance(task, PriorQuestion) else self._judgements
            screens.check(task)
        fixation = context.stage.picture(fixation_layers(settings.look, settings.look.px(0.52)))
        self._prior, self._judgement = (
            ChoiceScreen(context, waiting, fixation, settings.rig.lag_s, what, HELP_SHOWN)
            for what in ("samples", "image")
        )
        self._phase = ""

    def prior(self, question: PriorQuestion) -> Choice:
        """Ask whether the person has ever seen such a thing."""
        samples = self._priors.shown(question)

        def pictures() -> ChoicePictures:
            return ChoicePictures(
                self._kept("prior", question, self._priors.layers(question, samples))
            )

        return self._ask(self._prior, question, _content(samples), pictures)

    def judgement(self, judgement: Judgement) -> Choice:
        """Ask whether a label is right."""
        image = self._judgements.image(judgement)

        def picture(*, helped: bool) -> Picture:
            layers = self._judgements.layers(judgement, image, helped=helped)
            return self._kept(_kind(judgement, helped=helped), judgement, layers)

        def pictures() -> ChoicePictures:
            if judgement.later is None:
                return ChoicePictures(picture(helped=True))
            return ChoicePictures(picture(helped=False), later=picture(helped=True))

        text = judgement.stimulus.case_text or ""
        content = text.encode("utf-8") if image is None else _content([image])
        return self._ask(self._judgement, judgement, content, pictures)

    def feedback(self, feedback: FeedbackShown) -> None:
        """Show whether an answer was right."""
        right = self._settings.words[feedback.expected]
        show_feedback(self._waiting, self._settings, feedback, right)

    def _ask(
        self,
        screen: ChoiceScreen,
        task: Asked,
        content: bytes,
        pictures: Callable[[], ChoicePictures],
    ) -> Choice:
        """Run a question; run it again if a chord interrupts it and the session continues."""
        if task.phase != self._phase:
            self._phase = task.phase
            self._waiting.begin_block()
        digest = sha256_hex(content)
        return screen.run(
            task,
            prepare=pictures,
            started=lambda: task.record_start(self._context.recorder, digest),
        )

    def _kept(self, kind: str, task: Asked, layers: Layers) -> Picture:
        """Return a picture on the card; the album saves one of each kind."""
        picture = self._stage.picture(layers)
        name = f"trial-{kind}-annotated" if task.annotated else f"trial-{kind}"
        self._context.album.keep(name, self._stage, picture)
        return picture


def _content(shown: Sequence[Pixels]) -> bytes:
    return b"".join(np.ascontiguousarray(one).tobytes() for one in shown)


def _kind(judgement: Judgement, *, helped: bool) -> str:
    if judgement.stage == "own":
        return "own"
    return judgement.stimulus.arm if helped else f"{judgement.stimulus.arm}-held"
