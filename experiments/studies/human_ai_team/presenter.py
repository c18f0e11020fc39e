"""A participant's trials on a screen."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from experiments.engine.picture import Picture, Pixels
from experiments.pages.feedback import show_feedback
from experiments.pages.presenting import WindowPresenter
from experiments.pages.timed_choice import ChoicePictures, ChoiceScreen
from experiments.screens.trial import fixation_layers
from experiments.studies.human_ai_team.judgement import JudgementScreens
from experiments.studies.human_ai_team.painter import TeamPainter
from experiments.studies.human_ai_team.prior import PriorScreens
from participants.session import Choice, SessionPlan
from participants.session.feedback import FeedbackShown
from participants.studies.human_ai_team.trial import Asked, Judgement, PriorQuestion
from stimuli.io.canonical import sha256_hex

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
        samples = self._priors.shown(question)

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


def _content(shown: Sequence[Pixels]) -> bytes:
    return b"".join(np.ascontiguousarray(one).tobytes() for one in shown)


def _kind(judgement: Judgement, *, helped: bool) -> str:
    if judgement.stage == "own":
        return "own"
    return judgement.stimulus.arm if helped else f"{judgement.stimulus.arm}-held"
