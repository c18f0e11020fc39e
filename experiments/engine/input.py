"""Keyboard and mouse: each press once, with the time at which the key or button went down.

psychtoolbox listens to both in its own threads, so a press is stamped when it happens, not when the
window's events are read.

If PsychoPy's keyboard is asked only for keys that are still down, it forgets those already released
(a press shorter than a frame). If it is asked only for released keys, it waits for the release. So
`Keyboard` asks for both, and doesn't take a press a second time when its key comes up.

PsychoPy names most keys by their place on a US keyboard. Digits and Enter of the number pad bear
the same labels as the others, so here they have the same names.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from experiments.engine.clock import StimulusClock
from stimuli.devices import DeviceName
from stimuli.errors import UserError

BACKEND = "ptb"
REMEDY = (
    "install psychtoolbox and its system libraries (Debian: libjack-jackd2-0 libportaudio2 "
    "libusb-1.0-0), then start again"
)
CONTROL = frozenset({"lctrl", "rctrl"})
SHIFT = frozenset({"lshift", "rshift"})
ON_THE_PAD: Final = {"num_enter": "return"} | {f"num_{digit}": f"{digit}" for digit in range(10)}
MODIFIERS = CONTROL | SHIFT | {"lalt", "ralt"}
MASTER_POINTER, SLAVE_POINTER, MOUSE_USAGE = 1, 3, 2
BUTTONS = {1: "left", 2: "middle", 3: "right"}
BUTTONS_ELSEWHERE = {1: "left", 2: "right", 3: "middle"}
Listen = Callable[[], list[Mapping[str, Any]]]


class ResponseDevice(Protocol):
    """Something that participants press; each press has its own time stamp."""

    def poll(self) -> "tuple[Press, ...]":
        """Return the presses since the last poll, in the order in which they were made."""
        ...


@dataclass(frozen=True, slots=True)
class Press:
    """A key or a mouse button that went down.

    Attributes
    ----------
    key
        Its name, as `named` gives it; ``left``, ``middle`` or ``right`` for a button.
    t_s
        When it went down, on the monotonic clock.
    chord
        Whether Ctrl and Shift were held at that moment.
    device
        The device that it belongs to.
    place_px
        Place of a click on a page, in pixels from the window's top left corner; else None.
    """

    key: str
    t_s: float
    chord: bool = False
    device: DeviceName = "keyboard"
    place_px: tuple[float, float] | None = None


def named(key: str) -> str:
    """Return what a key is called here, given PsychoPy's name."""
    return ON_THE_PAD.get(key, key)


class Keyboard:
    """Polls PsychoPy's keyboard without losing a press.

    Parameters
    ----------
    device
        PsychoPy's ``Keyboard``, or anything with its ``getKeys``.
    zero_s
        Returns the zero of the device's time stamps, on the clock that `clock` converts.
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
        """Return whether a key whose press was polled is still down."""
        self._down = [down for down in self._down if down.duration is None]
        return any(named(down.name) == key for down in self._down)

    def _presses(self, new: list[Any], around: list[Any]) -> tuple[Press, ...]:
        self.clock.measure()
        zero_s = self._zero_s()
        return tuple(
            Press(
                key=named(key.name),
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
        If PsychoPy would stamp keys when they are polled (with a backend other than
        psychtoolbox), or with a clock other than psychtoolbox's.
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


class MouseButtons:
    """Polls the presses of a mouse's buttons.

    Parameters
    ----------
    listen
        Returns the events since the last call, each with ``Keycode`` (number of the
        button, from 1), ``Pressed`` and ``Time``.
    clock
        Converts the events' times.
    names
        Buttons by their number.
    """

    def __init__(self, listen: Listen, clock: StimulusClock, names: Mapping[int, str]) -> None:
        self._listen = listen
        self._clock = clock
        self._names = names

    def poll(self) -> tuple[Press, ...]:
        """Return the presses since the last poll, in the order in which they were made."""
        pressed = [event for event in self._listen() if event["Pressed"]]
        if not pressed:
            return ()
        self._clock.measure()
        return tuple(
            Press(
                key=self._names.get(int(event["Keycode"]), f"button{event['Keycode']:.0f}"),
                t_s=self._clock.to_monotonic(event["Time"]),
                device="mouse",
            )
            for event in sorted(pressed, key=lambda event: event["Time"])
        )


def open_mouse(clock: StimulusClock) -> MouseButtons:
    """Return the mouse's buttons; all mice of this PC count as one.

    Parameters
    ----------
    clock
        The clock of psychtoolbox's time stamps.

    Raises
    ------
    UserError
        If there is no mouse, or psychtoolbox can't listen to it.
    """
    try:
        from psychtoolbox import PsychHID

        pointers = _pointers(PsychHID)
        for pointer in pointers:
            PsychHID("KbQueueCreate", pointer)
            PsychHID("KbQueueStart", pointer)
    except Exception as error:
        raise UserError(f"mouse: psychtoolbox can't listen to it ({error}); {REMEDY}") from None
    if not pointers:
        raise UserError("mouse: none is connected; plug one in, or let the protocol use keys")
    names = BUTTONS if sys.platform.startswith("linux") else BUTTONS_ELSEWHERE
    return MouseButtons(lambda: _events(PsychHID, pointers), clock, names)


def _pointers(hid: Callable[..., Any]) -> list[float]:
    """Return the devices to listen to: on Linux the single pointer that all mice move."""
    if sys.platform.startswith("linux"):
        return [device["index"] for device in hid("Devices", MASTER_POINTER)][:1]
    if sys.platform == "win32":
        return [device["index"] for device in hid("Devices", SLAVE_POINTER)]
    return [device["index"] for device in hid("Devices") if device["usageValue"] == MOUSE_USAGE]


def _events(hid: Callable[..., Any], pointers: list[float]) -> list[Mapping[str, Any]]:
    events = []
    for pointer in pointers:
        event, left = hid("KbQueueGetEvent", pointer)
        while isinstance(event, Mapping):
            events.append(event)
            if not left:
                break
            event, left = hid("KbQueueGetEvent", pointer)
    return events
