"""The keys or buttons beside a stimulus: what they do, and in which order pages list them."""

from itertools import pairwise

from experiments.pages.settings import Painter, ScreenSettings
from experiments.screens.parts import Hint
from experiments.screens.strokes import MouseHint, ToolHint
from experiments.screens.trial import KeyHint
from participants.session import SessionPlan, TimedChoice
from participants.session.timed_choice import Device
from participants.texts import Words
from stimuli.protocol import Answers

ITEM = "- "


def side_hints(settings: ScreenSettings[Painter], task: TimedChoice) -> tuple[KeyHint, KeyHint]:
    """Return the hints on the left and on the right, for a choice between two.

    Parameters
    ----------
    settings
        Of the screens; the painter's protocol names both keys.
    task
        Its options say what they choose.
    """
    words, options = settings.words, task.options
    if task.device == "mouse":
        return (
            KeyHint(words[options["left"]], button="left"),
            KeyHint(words[options["right"]], button="right"),
        )
    session = settings.painter.protocol.session
    left, right = session.left_key, session.right_key
    return (
        KeyHint(words[options[left]], words.cap(left)),
        KeyHint(words[options[right]], words.cap(right)),
    )


def left_first(settings: ScreenSettings[Painter], markdown: str, device: Device) -> str:
    """Return a text whose list of two keys has the left one first, as the screen has.

    Parameters
    ----------
    settings
        Of the screens; a protocol without keys on two sides leaves the text as it is.
    markdown
        The text; items of a list that end with the name of a key are put in order.
    device
        What choices are made with.
    """
    session = getattr(settings.painter.protocol, "session", None)
    if not isinstance(session, Answers):
        return markdown
    sides = ("left", "right") if device == "mouse" else (session.left_key, session.right_key)
    left, right = (settings.words.key(side, device) for side in sides)
    lines = markdown.split("\n")
    for at, (one, other) in enumerate(pairwise(lines)):
        if one.startswith(ITEM) and one.endswith(right) and other.endswith(left):
            lines[at], lines[at + 1] = other, one
    return "\n".join(lines)


def choice_keys(plan: SessionPlan, words: Words) -> tuple[ToolHint, ...]:
    """Return what the two sides choose, each key for itself; which is which changes by person."""
    named = [words.words.get(choice, choice) for choice in plan.keys]
    if plan.device == "mouse":
        told = " / ".join(named)
        return MouseHint("left", told), MouseHint("right", told)
    caps = tuple(sorted(words.cap(key) for key in plan.keys.values()))
    return (Hint(caps, " / ".join(named)),) if caps else ()
