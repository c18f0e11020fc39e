"""The keyboard: every press once, stamped when the key went down.

PsychoPy's keyboard with the psychtoolbox backend listens in a thread of its own. Asked only
for keys that are still down it forgets those already released (a press shorter than a
frame), asked only for released keys it waits for the release; so both are asked, and a press
that was seen going down is not taken a second time when it comes up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from experiments.engine.clock import StimulusClock
from stimuli.errors import UserError

BACKEND = "ptb"
REMEDY = (
    "install psychtoolbox and its system libraries (Debian: libjack-jackd2-0 libportaudio2 "
    "libusb-1.0-0), then start again"
)
CONTROL = frozenset({"lctrl", "rctrl"})
SHIFT = frozenset({"lshift", "rshift"})
Device = Literal["keyboard", "mouse"]
MODIFIERS = CONTROL | SHIFT | {"lalt", "ralt"}


@dataclass(frozen=True, slots=True)
class Press:
    """A key or a mouse button that went down.

    Attributes
    ----------
    key
        Its name, as PsychoPy names keys; buttons are ``left``, ``middle``, ``right``.
    t_s
        When, on the monotonic clock.
    chord
        Whether Ctrl and Shift were held at that instant.
    device
        What it belongs to.
    place_px
        Of a click on a page, in pixels from the window's top left corner; else None.
    """

    key: str
    t_s: float
    chord: bool = False
    device: Device = "keyboard"
    place_px: tuple[float, float] | None = None


class Keyboard:
    """Polls PsychoPy's keyboard without losing a press.

    Parameters
    ----------
    device
        PsychoPy's ``Keyboard``, or anything with its ``getKeys``.
    zero_s
        Returns the zero of the device's stamps, on the clock that `clock` converts.
    clock
        Converts stamps.
    """

    backend = BACKEND

    def __init__(self, device: Any, zero_s: Callable[[], float], clock: StimulusClock) -> None:
        self._device = device
        self._zero_s = zero_s
        self.clock = clock
        self._down: list[Any] = []

    def poll(self) -> tuple[Press, ...]:
        """Return the presses since the last poll, in the order in which they went down."""
        down = self._device.getKeys(waitRelease=False, clear=True)
        released = self._device.getKeys(waitRelease=True, clear=True)
        if not down and not released:
            return ()
        known = self._down + down
        short = [key for key in released if not any(key is other for other in known)]
        self._down = [key for key in known if key.duration is None]
        return self._presses(down + short, known + short)

    def is_down(self, key: str) -> bool:
        """Return whether a key that was polled going down is still down."""
        self._down = [down for down in self._down if down.duration is None]
        return any(down.name == key for down in self._down)

    def _presses(self, new: list[Any], around: list[Any]) -> tuple[Press, ...]:
        self.clock.measure()
        zero_s = self._zero_s()
        return tuple(
            Press(
                key=key.name,
                t_s=self.clock.to_monotonic(key.tDown + zero_s),
                chord=_held(CONTROL, key.tDown, around) and _held(SHIFT, key.tDown, around),
            )
            for key in sorted(new, key=lambda key: key.tDown)
        )


def _held(names: frozenset[str], at_s: float, keys: list[Any]) -> bool:
    return any(
        key.name in names
        and key.tDown <= at_s
        and (key.duration is None or key.tDown + key.duration >= at_s)
        for key in keys
    )


def open_keyboard() -> Keyboard:
    """Return the keyboard.

    Raises
    ------
    UserError
        If PsychoPy would stamp keys when they are polled (another backend than
        psychtoolbox's), or with another clock than psychtoolbox's.
    """
    try:
        import psychtoolbox
    except Exception as error:
        raise UserError(f"keyboard: psychtoolbox can't be loaded ({error}); {REMEDY}") from None
    from psychopy import clock as psychopy_clock
    from psychopy import logging
    from psychopy.hardware import keyboard

    if psychopy_clock.getTime is not psychtoolbox.GetSecs:
        raise UserError(f"keyboard: PsychoPy's clock is not psychtoolbox's; {REMEDY}")
    device = keyboard.Keyboard(backend=BACKEND)
    if device.getBackend() != BACKEND:
        raise UserError(
            f"keyboard: the backend is {device.getBackend()!r}, which stamps keys when they "
            f"are polled; {REMEDY}"
        )
    stimulus_clock = StimulusClock(psychtoolbox.GetSecs, "psychtoolbox.GetSecs")
    return Keyboard(device, logging.defaultClock.getLastResetTime, stimulus_clock)
