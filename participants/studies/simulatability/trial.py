"""What a person does with an item: look at an example, rate an explanation, predict an output.

Each is a step of its own, and its answer is on disk before the next screen.
"""

from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

from participants import session
from participants.journal import Recorder
from stimuli.devices import DeviceName
from stimuli.studies.simulatability.material import Section
from stimuli.studies.simulatability.stimulus import CaseStimulus

LEARNING: Final = ("learning", "learning_again")
RATING_STEPS: Final = 7


@dataclass(frozen=True, slots=True)
class Look:
    """How long an example was looked at: until a press, or the limit (then only `presented`)."""

    look_s: float
    presented: session.Presented


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating, 1…7, and when it was given, in seconds since the onset."""

    rating: int
    rt_s: float
    presented: session.Presented


class CasePresenter(Protocol):
    """Shows items.

    All three methods record ``trial_start`` (by the task's `record_start`) and ``flip``
    themselves, at their own stamps; `prediction` also records ``response``.
    """

    def example(self, example: "Learn") -> Look:
        """Show an example with its label and output until a press or `Learn.limit_s`."""

    def rating(self, rate: "Rate") -> Rated:
        """Show an explanation and ask how good it is, from 1 to 7."""

    def prediction(self, predict: "Predict") -> session.Choice:
        """Ask what the model says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownItem:
    """An item that a person only looks at or rates.

    Attributes
    ----------
    step
        Unique in the plan.
    trial
        Number in the session, from 1; a rating has the number of its prediction.
    test_number, arm
        1, or 2 in a second cell; and the cell's domain and method.
    section, position
        Part of the session, and place in it, from 1.
    presentation
        Opaque id of the item.
    stimulus
        What is shown.
    device
        What answers are given with.
    """

    step: str
    trial: int
    test_number: int
    section: Section
    position: int
    presentation: str
    stimulus: CaseStimulus
    device: DeviceName
    arm: str = ""

    def record_start(self, recorder: Recorder) -> None:
        """Record that the item is about to be shown; for presenters, outside timed windows."""
        recorder.append("trial_start", **_place(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Learn(ShownItem):
    """An example with its label, the model's output and, the second time, its explanation.

    Attributes
    ----------
    limit_s
        Longest time for which it is shown; None until a press.
    """

    limit_s: float | None = None

    def perform(self, presenter: CasePresenter, recorder: Recorder) -> frozenset[str]:
        """Show the example, and record how long it was looked at."""
        look = presenter.example(self)
        recorder.append(
            "trial_end", durable=True, **_ended(self, look.presented, look_s=look.look_s)
        )
        return frozenset({self.step})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(ShownItem):
    """How good is this explanation, from 1 to 7?

    Attributes
    ----------
    ends
        Whether the rating ends the trial, as with an example; else a prediction follows.
    """

    ends: bool = False

    def perform(self, presenter: CasePresenter, recorder: Recorder) -> frozenset[str]:
        """Ask, and record the rating."""
        rated = presenter.rating(self)
        if not 1 <= rated.rating <= RATING_STEPS:
            raise ValueError(f"a rating is 1 to {RATING_STEPS}, not {rated.rating}")
        rt_s = session.to_microseconds(rated.rt_s)
        if self.ends:
            fields = _ended(self, rated.presented, look_s=rt_s)
            fields |= {"rating": rated.rating, "rating_rt_s": rt_s}
            recorder.append("trial_end", durable=True, **fields)
        else:
            recorder.append(
                "rating_end", durable=True, **_place(self), rating=rated.rating, rating_rt_s=rt_s
            )
        return frozenset({self.step})


@dataclass(frozen=True, slots=True, kw_only=True)
class Predict(session.TimedChoice):
    """What will the model say? The options are ids of classes.

    Attributes
    ----------
    test_number, section, arm
        As in `ShownItem`. `phase` is ``main`` throughout.
    stimulus
        What is shown, without the output to predict.
    learning
        The examples, if they can be looked at again; else empty.
    learning_key
        The key that shows them.
    """

    test_number: int
    section: Section
    stimulus: CaseStimulus
    learning: tuple[CaseStimulus, ...] = ()
    learning_key: str = ""
    arm: str = ""

    @property
    def keys(self) -> frozenset[str]:
        """The keyboard's keys that a person may need for it."""
        return super(Predict, self).keys | ({self.learning_key} - {""})

    def record_start(self, recorder: Recorder) -> None:
        """Record that the item is about to be shown; for presenters, outside timed windows."""
        recorder.append("trial_start", **_place(self))

    def perform(self, presenter: CasePresenter, recorder: Recorder) -> frozenset[str]:
        """Ask, and record the answer."""
        chosen = presenter.prediction(self)
        fields = _ended(self, chosen.presented) | chosen.recorded()
        recorder.append("trial_end", durable=True, **fields)
        return frozenset({self.step})


SETTLES: Final = {"rating_end": ("rating",), "trial_end": ("rating", "trial")}
"""The parts of a trial that an event settles."""


def _place(task: "ShownItem | Predict") -> dict[str, Any]:
    names = ("trial", "test_number", "arm", "section", "position", "presentation")
    return {"phase": "main"} | {name: getattr(task, name) for name in names}


def _ended(
    task: "ShownItem | Predict", presented: session.Presented, look_s: float | None = None
) -> dict[str, Any]:
    return {
        **_place(task),
        "decision": session.NO_CHOICE,
        "rt_s": None,
        "rt_corrected_s": None,
        "look_s": None if look_s is None else session.to_microseconds(look_s),
        "rating": None,
        "rating_rt_s": None,
        **asdict(presented),
    }
