"""Events of a participant's session: what was shown, what was answered, who qualified."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal import trials
from participants.journal.events import Ordinal, Recorded
from participants.session.qualification import Qualified

Phase = Literal["practice", "validation", "main"]
Decision = Literal["yes", "no", "none"]


class _OfTrial(trials.OfTrial):
    """What every event of a trial begins with."""

    phase: Phase = Field(
        description="Practice with feedback, validation (clear images), or main trials."
    )
    position: Ordinal = Field(description="Number within practice, or among all images after it.")


class TrialStart(_OfTrial):
    """A question about a label or an image is about to be shown."""

    durable: ClassVar[bool] = False

    stage: Literal["prior", "own", "final", "only"] = Field(
        description="The question: whether the person has seen such a thing before (`prior`); "
        "whether the label is right, before advice (`own`), after it (`final`), or once (`only`)."
    )
    image_sha256: str = Field(
        description="SHA-256 of the image's pixels, or of the judged text in UTF-8; empty if "
        "none were rendered."
    )


class _Answered(trials.FramesShown, trials.Chosen, _OfTrial):
    """What every event of an answer holds."""

    decision: Decision = Field(description="The answer; none if the time limit passed.")


class PriorEnd(_Answered):
    """The person answered whether they have seen such a thing before."""


class OwnEnd(_Answered):
    """The person judged the label before advice and help were shown."""


class TrialEnd(_Answered):
    """A trial is finished. The trial table is made from these events."""

    arm: str = Field(min_length=1, description="The kind of help.")
    help_shown_s: Annotated[float, Field(ge=0)] | None = Field(
        description="Time from onset to help that appeared later; null if help was there at the "
        "onset, or there was none."
    )


def team_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a participant's session by name."""
    return {
        "trial_start": TrialStart,
        "help_shown": trials.HelpShown,
        "prior_end": PriorEnd,
        "own_end": OwnEnd,
        "trial_end": TrialEnd,
        "qualification": Qualified,
    }
