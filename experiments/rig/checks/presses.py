"""Keyboard, mouse and pad: where presses come from, and whether they arrive."""

from dataclasses import dataclass
from typing import Final

from experiments.engine.stage import Stage
from experiments.rig.checks.finding import Check, Finding

LATE_STAMP_S: Final = 0.002

KEYBOARD = Check(
    "keyboard",
    "presses are stamped as they happen, by psychtoolbox",
    fails="they aren't",
    every_session=True,
)
KEYS = Check(
    "keys",
    "a key is pressed, held and released: all three arrive",
    warns="nobody pressed one, or its stamp is over 2 ms off (virtual display)",
    fails="one of the three doesn't arrive",
)
MOUSE = Check(
    "mouse",
    "a mouse button is pressed and arrives; for answers by mouse, painting and clicks on names",
    warns="there is no mouse, nobody pressed, or the press doesn't arrive",
)


PAD = Check(
    "pad",
    "the response pad of the rig's profile can be read, and a button arrives",
    warns="nobody pressed a button",
    fails="its port can't be opened, or no press arrives",
)


@dataclass(frozen=True, slots=True)
class PressResult:
    """Result of a press that was asked for.

    Attributes
    ----------
    pressed, held, released
        Whether the press arrived, was seen down, and was seen coming up. For mouse buttons
        only the first is known.
    error_s
        Its time stamp minus the time at which it was made; None if a person made it.
    """

    pressed: bool
    held: bool = False
    released: bool = False
    error_s: float | None = None


def keyboard(stage: Stage) -> Finding:
    """Report the backend that stamps presses; with a wrong backend no stage opens."""
    board = stage.keyboard
    return KEYBOARD.passed("backend", backend=board.backend, clock=board.clock.name)


def keys(tried: PressResult | None) -> Finding:
    """Report whether a key's press, hold and release arrived.

    Parameters
    ----------
    tried
        The result; None if nobody was there to press.
    """
    if tried is None:
        return KEYS.warned("untried", "try")
    if not tried.pressed:
        return KEYS.failed("nothing")
    if not tried.released:
        return KEYS.failed("unreleased")
    if not tried.held:
        return KEYS.failed("unheld")
    if tried.error_s is None:
        return KEYS.passed("arrived")
    off = f"{tried.error_s * 1000:+.2f}"
    if abs(tried.error_s) <= LATE_STAMP_S:
        return KEYS.passed("stamped", off=off)
    return KEYS.warned("stamped", "do_busy", off=off)


def mouse(tried: PressResult | None) -> Finding:
    """Report whether a mouse button's press arrived; None if nobody was there to press."""
    if tried is None:
        return MOUSE.warned("untried", "try")
    return MOUSE.passed("arrived") if tried.pressed else MOUSE.warned("nothing")


def pad(tried: PressResult | None) -> Finding:
    """Report whether a pad's press arrived; None if nobody was there to press."""
    if tried is None:
        return PAD.warned("untried", "try")
    return PAD.passed("arrived") if tried.pressed else PAD.failed("nothing")


def no_pad(why: str = "") -> Finding:
    """Report that the pad can't be used, and why; or that the rig's profile names none."""
    return PAD.failed("unusable", "do_port", why=why) if why else PAD.passed("none")


def no_mouse(why: str) -> Finding:
    """Report that the mouse can't be used, and why."""
    return MOUSE.warned("unusable", "do_plug", why=why)
