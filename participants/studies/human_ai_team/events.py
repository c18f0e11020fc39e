"""Events of a participant's session: what was shown, what was answered, who qualified."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds
from participants.session.qualification import Qualified

Phase = Literal["practice", "validation", "main"]
Decision = Literal["yes", "no", "none"]


class _OfTrial(Recorded):
    """What every event of a trial begins with."""

    trial: Ordinal = Field(description="Place in the session, from 1, practice included.")
    phase: Phase = Field(
        description="Practice with feedback, validation (unmistakable images), or what counts."
    )
    position: Ordinal = Field(description="Place in practice, or among all images after it.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")


class TrialStart(_OfTrial):
    """A question about a label or an image is about to be shown."""

    durable: ClassVar[bool] = False

    stage: Literal["prior", "own", "final", "only"] = Field(
        description="What is asked: whether such a thing was ever seen (`prior`); whether the "
        "label is right, before advice (`own`), after it (`final`), or once (`only`)."
    )
    image_sha256: str = Field(
        description="SHA-256 of the image's pixels; empty if none were rendered."
    )


class HelpShown(Recorded):
    """Help came that wasn't there from the onset; t_monotonic_s is its first frame's."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="The trial.")


class _Answered(_OfTrial):
    """What every event of an answer holds."""

    decision: Decision = Field(description="The answer; none if the limit passed.")
    rt_s: float | None = Field(description="Press minus onset; null without a press.")
    rt_corrected_s: float | None = Field(description="rt_s less the rig's constant lag.")
    onset_t_monotonic_s: float = Field(description="Onset of the screen's first frame.")
    frames_planned: Count | None = Field(description="Null: the answer ends it.")
    frames_shown: Count = Field(description="Frames the screen stayed.")
    frames_dropped: Count = Field(description="Refreshes missed while it was on screen.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(
        description="Whether a frame was lost, a clock was set, a pause was asked for or the "
        "keyboard's focus was lost meanwhile."
    )


class PriorEnd(_Answered):
    """It was answered whether such a thing was ever seen."""


class OwnEnd(_Answered):
    """The label was judged before advice and help were there."""


class TrialEnd(_Answered):
    """A trial is finished; the trial table derives from these."""

    arm: str = Field(min_length=1, description="The kind of help.")
    help_shown_s: Annotated[float, Field(ge=0)] | None = Field(
        description="When help came that came later, since the onset; null where it was there "
        "from the onset, is none, or never came."
    )


def team_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a participant's session by name."""
    return {
        "trial_start": TrialStart,
        "help_shown": HelpShown,
        "prior_end": PriorEnd,
        "own_end": OwnEnd,
        "trial_end": TrialEnd,
        "qualification": Qualified,
    }
