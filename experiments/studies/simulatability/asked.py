"""What a task waits for, as a choice among keys: what examples, ratings and predictions share."""

from dataclasses import dataclass
from typing import Any, Final

from experiments.studies.simulatability.deck import Deck
from experiments.studies.simulatability.foot import ON
from participants.session import TimedChoice
from participants.studies.simulatability.trial import RATING_STEPS, Learn, Predict, Rate

Task = Learn | Rate | Predict
UNTIL_A_PRESS_S: Final = 3600.0
"""A screen that waits for a press is drawn again after this time."""
SEEN: Final = "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(TimedChoice):
    """A task on the screen.

    Attributes
    ----------
    about
        The task.
    unseen
        How many pages are turned before it can be answered.
    """

    about: Task
    unseen: int = 0


def asked_of(task: Task, deck: Deck) -> Asked:
    """Return a task as a choice among keys.

    An example and a rating are answered by the keyboard, or by clicks, in every session.
    """
    how: dict[str, Any] = {
        "device": "keyboard", "fixation_s": 0.0, "limit_s": UNTIL_A_PRESS_S,
    }  # fmt: skip
    if isinstance(task, Learn):
        how |= {"options": {ON: SEEN}, "limit_s": task.limit_s or UNTIL_A_PRESS_S}
    elif isinstance(task, Rate):
        steps = [str(step) for step in range(1, RATING_STEPS + 1)]
        pads = {f"num_{step}": step for step in steps}
        how["options"] = {step: step for step in steps} | pads
    else:
        names = ("options", "device", "fixation_s", "limit_s", "exposure_s")
        how |= {name: getattr(task, name) for name in names}
        if len(task.options) > 2:
            # Digits, on either part of the keyboard, or clicks.
            pads = {f"num_{key}": choice for key, choice in task.options.items()}
            how |= {"options": {**task.options, **pads}, "device": "keyboard"}
    common = ("step", "trial", "position", "presentation", "stimulus")
    how |= {name: getattr(task, name) for name in common}
    return Asked(phase="main", about=task, unseen=min(deck.answered), **how)
