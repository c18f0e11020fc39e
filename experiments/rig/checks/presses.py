"""Keyboard, mouse and pad: where presses come from, and whether they arrive."""

from dataclasses import dataclass
from typing import Final

from experiments.engine.stage import Stage
from experiments.rig.checks.finding import Check, Finding

LATE_STAMP_S: Final = 0.002
PLUG_IN: Final = (
    "see that the keyboard is plugged in and nothing else takes its keys (macOS: allow Input "
    "Monitoring for the terminal), then check again"
)
TRY_YOURSELF: Final = "python3 lab.py doctor --interactive, at the PC itself"

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
class Tried:
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
    return KEYBOARD.passed(f"backend {board.backend}, stamped by {board.clock.name}")


def keys(tried: Tried | None) -> Finding:
    """Report whether a key's press, hold and release arrived.

    Parameters
    ----------
    tried
        The result; None if nobody was there to press.
    """
    if tried is None:
        return KEYS.warned("not tried: nobody was asked to press one", TRY_YOURSELF)
    if not tried.pressed:
        return KEYS.failed("no press arrived", PLUG_IN)
    if not tried.released:
        return KEYS.failed("pressed, but the release never arrived", PLUG_IN)
    if not tried.held:
        return KEYS.failed("pressed and released, but never seen to be held", PLUG_IN)
    if tried.error_s is None:
        return KEYS.passed("press, hold and release arrived")
    found = f"press, hold and release arrived, stamped {tried.error_s * 1000:+.2f} ms off"
    if abs(tried.error_s) <= LATE_STAMP_S:
        return KEYS.passed(found)
    return KEYS.warned(found, "close other programs: this PC is busy")


def mouse(tried: Tried | None) -> Finding:
    """Report whether a mouse button's press arrived; None if nobody was there to press."""
    if tried is None:
        return MOUSE.warned("not tried: nobody was asked to press a button", TRY_YOURSELF)
    if tried.pressed:
        return MOUSE.passed("a press of the left button arrived")
    return MOUSE.warned("no press arrived", "plug in a mouse, or use protocols with keys")


def pad(tried: Tried | None) -> Finding:
    """Report whether a pad's press arrived; None if nobody was there to press."""
    if tried is None:
        return PAD.warned("its port opens; not tried: nobody pressed a button", TRY_YOURSELF)
    if tried.pressed:
        return PAD.passed("a button's press arrived")
    return PAD.failed(
        "no press arrived", "compare keys and baud of [pad] in the rig's profile with the pad's"
    )


def no_pad(why: str = "") -> Finding:
    """Report that the pad can't be used, and why; or that the rig's profile names none."""
    if not why:
        return PAD.passed("the rig's profile names none")
    return PAD.failed(why, "plug the pad in, and compare port of [pad] in the rig's profile")


def no_mouse(why: str) -> Finding:
    """Report that the mouse can't be used, and why."""
    return MOUSE.warned(why, "only protocols answered by mouse need one: plug one in")
