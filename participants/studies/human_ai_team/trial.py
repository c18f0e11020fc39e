"""A participant's trial: what was known before, the judgement in one stage or two, feedback.

Each part is a step of its own, and its answer is on disk before the next screen.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from participants.journal import Recorder
from participants.session import Choice, TimedChoice, to_microseconds
from participants.session.feedback import FeedbackPresenter
from stimuli.studies.human_ai_team.stimulus import PriorStimulus, TeamStimulus

YES: Final = "yes"
NO: Final = "no"
ANSWERS: Final = (YES, NO)
Stage = Literal["prior", "own", "final", "only"]
"""``prior`` is the question before the image; a judgement is ``only`` one, or ``own`` (before
advice and help) and then ``final``."""


class TeamPresenter(FeedbackPresenter, Protocol):
    """Shows a participant's trials.

    `prior` and `judgement` record ``trial_start``, ``flip``, ``help_shown`` and ``response``
    themselves, at their own stamps.
    """

    def prior(self, question: "PriorQuestion") -> Choice:
        """Ask whether the person has ever seen such a thing."""

    def judgement(self, judgement: "Judgement") -> Choice:
        """Ask whether a label is right; `Choice.later_s` is the time of delayed help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(TimedChoice):
    """A question with the options yes and no.

    Attributes
    ----------
    stage
        What is asked.
    annotated
        Whether notes explain the screen, as in practice.
    """

    stage: Stage = "only"
    annotated: bool = False

    def record_start(self, recorder: Recorder, image_sha256: str) -> None:
        """Record that the question is about to be shown; for presenters, outside timed windows.

        Parameters
        ----------
        recorder
            Keeps what happens.
        image_sha256
            SHA-256 of the image's pixels, without its help; empty if none were rendered.
        """
        recorder.append("trial_start", **self.place(), stage=self.stage, image_sha256=image_sha256)

    def end(self, chosen: Choice) -> dict[str, Any]:
        """Return the fields of an answer's event."""
        return {**self.place(), **chosen.recorded()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorQuestion(Asked):
    """Have you ever seen a …? Before the image, with a definition and sample images.

    It has the number of the judgement that follows it; `stimulus` is a `PriorStimulus`.
    """

    stimulus: PriorStimulus
    stage: Stage = "prior"

    def perform(self, presenter: TeamPresenter, recorder: Recorder) -> frozenset[str]:
        """Ask, and record the answer."""
        chosen = presenter.prior(self)
        recorder.append("prior_end", durable=True, **self.end(chosen))
        return frozenset({self.step})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(Asked):
    """Is the label right?

    Attributes
    ----------
    stimulus
        What is shown. Before the own answer it has neither confidence nor help.
    stage
        ``own``, ``final`` or ``only``.
    """

    stimulus: TeamStimulus

    def perform(self, presenter: TeamPresenter, recorder: Recorder) -> frozenset[str]:
        """Ask, and record the answer."""
        chosen = presenter.judgement(self)
        if self.stage == "own":
            recorder.append("own_end", durable=True, **self.end(chosen))
        else:
            later_s = chosen.later_s
            recorder.append(
                "trial_end",
                durable=True,
                **self.end(chosen),
                arm=self.stimulus.arm,
                help_shown_s=None if later_s is None else to_microseconds(later_s),
            )
        return frozenset({self.step})


SETTLES: Final = {
    "prior_end": ("prior",),
    "own_end": ("own",),
    "trial_end": ("prior", "own", "trial", "feedback"),
}
"""The parts of a trial that an event settles. After an interruption between an
answer and its feedback, the feedback isn't shown."""
