"""Events of a participant's session: what was shown, answered and rated; a test's length."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from participants.journal.events import Ordinal, Recorded, Seconds
from participants.journal.trials import Chosen, FramesShown
from participants.session.qualification import Qualified
from stimuli.studies.simulatability.material import Section

Rating = Annotated[int, Field(ge=1, le=7)]


class _OfItem(Recorded):
    """What every event of an item begins with."""

    trial: Ordinal = Field(description="Number in the session, from 1.")
    phase: Literal["main"] = Field(description="There is no practice: always main.")
    test_number: Annotated[int, Field(ge=1, le=2)] = Field(
        description="1, or 2 for a second test in another domain with another method."
    )
    arm: str = Field(description="Domain and method, such as text_lime.")
    section: Section = Field(description="The part of the session, as in lists.csv.")
    position: Ordinal = Field(description="Place in this part of the session, from 1.")
    presentation: str = Field(min_length=1, description="What is shown, as in items.csv.")


class TrialStart(_OfItem):
    """An item is about to be shown."""

    durable: ClassVar[bool] = False


class RatingEnd(_OfItem):
    """An explanation was rated, before the prediction that follows."""

    rating: Rating = Field(description="1 to 7.")
    rating_rt_s: Seconds = Field(description="Time from onset to the press.")


class _Answered(Chosen, _OfItem):
    decision: str = Field(
        min_length=1,
        description="The class that was predicted; none after the time limit, and for examples.",
    )
    look_s: Seconds | None = Field(
        description="How long the person looked at an example; null for predictions."
    )
    rating: Rating | None = Field(
        description="How good an example's explanation is, 1 to 7; null if not asked here."
    )
    rating_rt_s: Seconds | None = Field(description="Time from onset to the rating.")


class TrialEnd(FramesShown, _Answered):
    """An item is finished; the trial table derives from these."""


class LengthDecided(Recorded):
    """A test begins: it has all of its items, or half of them."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    spent_s: Seconds = Field(
        description="How long screens were shown in this sitting before the test."
    )
    short: bool = Field(description="Whether it has half of its items.")


def case_events() -> dict[str, type[Recorded]]:
    """Return the kinds of event of a participant's session by name."""
    return {
        "trial_start": TrialStart,
        "rating_end": RatingEnd,
        "trial_end": TrialEnd,
        "length": LengthDecided,
        "qualification": Qualified,
    }
