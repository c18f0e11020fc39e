"""Fields that the events of trials share: place, timed choice, marking by hand, how it was shown.

A study's event takes over those that it has. Fields of the last base come first.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds


class OfTrial(Recorded):
    """What every event of a trial begins with."""

    trial: Ordinal = Field(description="Number in the session, from 1, including practice.")
    phase: Literal["practice", "validation", "main"] = Field(
        description="Practice, validation, or main trials."
    )
    position: Ordinal = Field(description="Number within the phase, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")


class Chosen(Recorded):
    """What was chosen, and when; `participants.session.Choice.recorded` gives it."""

    decision: str = Field(
        min_length=1, description="What was chosen; none if the time limit passed."
    )
    rt_s: float | None = Field(description="Time from onset to the press; null without a press.")
    rt_corrected_s: float | None = Field(
        description="rt_s minus the rig's constant lag; null without a press."
    )


FieldText = Annotated[str, Field(max_length=10_000)]


class FieldEvent(BaseModel):
    """Something that was done in the answer field, and the field after it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    t_s: float
    key: Annotated[str, Field(min_length=1)]
    text: FieldText
    entry: FieldText
    caret: Count


KEYSTROKES = (
    "in order: `t_s` since onset, `key` (the hardware's name, or `click`), `text` that came in by "
    "it, and the field after it: `entry`, and `caret` in characters from 0."
)


class FramesShown(Recorded):
    """How a stimulus stayed on the screen; `participants.session.Presented` gives it."""

    onset_t_monotonic_s: float = Field(description="Onset of the stimulus's first frame.")
    frames_planned: Count | None = Field(
        description="Planned number of frames; null if the person's answer or leaving ends it."
    )
    frames_shown: Count = Field(description="Number of frames for which it was shown.")
    frames_dropped: Count = Field(description="Number of dropped frames while it was on screen.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(
        description="Whether in that time a frame was dropped, a clock was set, a pause was "
        "requested or the window lost the keyboard focus."
    )


class MarkingAct(BaseModel):
    """Something that was done by hand to a picture; `participants.strokes.Act` gives it.

    ``t_ms`` is whole milliseconds since the picture's onset, ``radius`` quarter pixels of the grid,
    ``points`` a flat list of t_ms, x, y.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    act: Literal["brush", "eraser", "undo", "clear"]
    t_ms: Count
    radius: Count
    points: list[int]


class _Interrupted(Recorded):
    interruptions: Count = Field(
        description="How often the pause keys or another window hid the picture in that time."
    )


class ShownWhileMarked(FramesShown, _Interrupted):
    """How a picture stayed on the screen until the person who marked it was done."""

    frames_planned: None = Field(description="Always null: the answer ends it.")
    flagged: bool = Field(
        description="Whether in that time a clock was set, a pause was requested or the window "
        "lost the keyboard focus."
    )


class HelpShown(Recorded):
    """Help appeared after the onset; t_monotonic_s is the time of its first frame."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="The trial.")
