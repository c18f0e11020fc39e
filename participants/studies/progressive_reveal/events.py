"""Events of rounds and of bubbling sessions.

In a round an image is uncovered, and the events have what was typed, key by key. In a bubbling
session they have where bubbles were set, stroke by stroke.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from participants.journal.events import Count, Ordinal, Recorded, Seconds, Sha256
from participants.journal.trials import (
    KEYSTROKES,
    FieldEvent,
    FieldText,
    FramesShown,
    MarkingAct,
    ShownWhileMarked,
)


class ConfirmedAnswer(BaseModel):
    """An answer that was confirmed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    t_s: float
    first_key_s: float
    text: FieldText
    class_id: Annotated[str, Field(min_length=1)]
    right: bool
    device: Annotated[str, Field(min_length=1)]


class CopiedWord(BaseModel):
    """How a word was copied."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    word: Annotated[str, Field(min_length=1)]
    onset_t_monotonic_s: float
    keystrokes: list[FieldEvent]
    done_s: float


class RevealFlip(Recorded):
    """A refresh that showed an image, uncovered more of it, or removed it."""

    durable: ClassVar[bool] = False

    what: Literal["image_on", "step", "image_off"] = Field(
        description="What appeared or disappeared."
    )
    trial: Ordinal = Field(description="The round.")
    frame: Count = Field(description="Frame of the round; 0 is the onset of the image.")
    step: Ordinal | None = Field(
        description="The step that began: 1 with `image_on`; null for `image_off`."
    )


class _OfRound(Recorded):
    """What both events of a round begin with."""

    trial: Ordinal = Field(description="Number among all rounds, from 1, including practice.")
    phase: Literal["practice", "main"] = Field(description="Practice, or a sitting.")
    sitting: Count = Field(
        description="0 for practice, at any time; 1 for the first sitting, and so on."
    )
    position: Ordinal = Field(description="Number within the sitting, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")


class RevealTrialStart(_OfRound):
    """A round is about to be shown. From now on its image counts as seen."""

    image_sha256: str = Field(
        description="SHA-256 of the whole image's pixels as shown; empty if not rendered."
    )


class _Round(_OfRound):
    """What was typed and recognised."""

    keystrokes: list[FieldEvent] = Field(
        description=f"Everything done in the answer field, {KEYSTROKES}"
    )
    attempts: list[ConfirmedAnswer] = Field(
        description="All confirmed answers, in order: `t_s` of the confirming press and "
        "`first_key_s` of the answer's first key, both since onset; `text`, `class_id`, `right`, "
        "`device`."
    )
    step_onsets_s: list[Seconds] = Field(
        description="Onset of each shown step, from the onset of the first."
    )
    recognised: bool = Field(
        description="Whether an answer was right; otherwise the round is censored."
    )
    step: Count = Field(
        description="Step during which the right answer was confirmed. In a censored round, the "
        "last step that was shown completely; 0 if there was none."
    )
    pixels: Count = Field(description="Pixels uncovered at that step.")
    step_first_key: Count = Field(
        description="Step during which the first key of the right answer was pressed; in a "
        "censored round the same as `step`."
    )
    pixels_first_key: Count = Field(description="Pixels uncovered at that step.")
    left: bool = Field(description="Whether the person left during the round.")


class RevealTrialEnd(FramesShown, _Round):
    """A round is finished. The trial table is made from these events."""


class Copy(Recorded):
    """The person copied words, which measures typing speed."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    words: list[CopiedWord] = Field(
        description="One a word: `word`, `onset_t_monotonic_s`, `done_s` (the press that confirmed "
        f"it, since onset), and `keystrokes`, {KEYSTROKES}"
    )


def round_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a session of rounds by name."""
    return {
        "trial_start": RevealTrialStart,
        "flip": RevealFlip,
        "trial_end": RevealTrialEnd,
        "copy": Copy,
    }


class BubblingAct(MarkingAct):
    """Something that was done to the bubbles on an image: no eraser takes single ones back."""

    act: Literal["brush", "undo", "clear"]


class _OfImage(Recorded):
    """What both events of an image that is marked with bubbles begin with."""

    trial: Ordinal = Field(description="Number in the session, from 1.")
    phase: Literal["main"] = Field(description="Always main: there is no practice.")
    position: Ordinal = Field(description="The same number.")
    item: str = Field(min_length=1, description="The image, as in tasks.csv.")


class BubbleTrialStart(_OfImage):
    """An image that the person marks with bubbles is about to be shown."""

    durable: ClassVar[bool] = False

    image_sha256: str = Field(
        description="SHA-256 of the image's pixels as shown; empty if not rendered."
    )


class _Bubbled(_OfImage):
    done_s: Seconds = Field(description="Time from onset to the confirming press.")
    acts: list[BubblingAct] = Field(
        description="Everything that was done, in order: `act` (brush, undo, clear), `t_ms` since "
        "onset, `radius` (half a bubble's side), and `points`, a flat list of t_ms, x, y; "
        "coordinates and radii in quarters of a pixel of the image at 256 × 256, from its top left."
    )
    bubble_px: Annotated[int, Field(ge=1)] = Field(
        description="Side of a bubble, in pixels of the image at 256 × 256."
    )
    bubble_ms: Annotated[int, Field(ge=1)] = Field(
        description="Time from bubble to bubble while the pointer moves, ms."
    )
    counts_sha256: Sha256 = Field(
        description="SHA-256 of the counts that follow from the acts, two bytes a pixel."
    )
    area: Annotated[float, Field(ge=0, le=1)] = Field(
        description="Share of the image under at least one bubble."
    )


class BubbleTrialEnd(ShownWhileMarked, _Bubbled):
    """A person finished marking an image with bubbles. Its map is made from these events."""


def bubbling_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a bubbling session by name."""
    return {"trial_start": BubbleTrialStart, "trial_end": BubbleTrialEnd}
