"""The mouse's buttons: every press once, stamped when the button went down.

psychtoolbox listens to a pointer in a thread of its own, as it does to the keyboard, so a
press is stamped when it happens and not when the window's events are looked at.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from experiments.engine.clock import StimulusClock
from experiments.engine.input import REMEDY, Press
from stimuli.errors import UserError

MASTER_POINTER, SLAVE_POINTER, MOUSE_USAGE = 1, 3, 2
BUTTONS = {1: "left", 2: "middle", 3: "right"}
BUTTONS_ELSEWHERE = {1: "left", 2: "right", 3: "middle"}

Listen = Callable[[], list[Mapping[str, Any]]]


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
        Of psychtoolbox's stamps.

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
    """Return the devices to listen to: on Linux the one pointer that all mice move."""
    if sys.platform.startswith("linux"):
        return [device["index"] for device in hid("Devices", MASTER_POINTER)][:1]
    if sys.platform == "win32":
        return [device["index"] for device in hid("Devices", SLAVE_POINTER)]
    return [device["index"] for device in hid("Devices") if device["usageValue"] == MOUSE_USAGE]


def _events(hid: Callable[..., Any], pointers: list[float]) -> list[Mapping[str, Any]]:
    found = []
    for pointer in pointers:
        event, left = hid("KbQueueGetEvent", pointer)
        while isinstance(event, Mapping):
            found.append(event)
            if not left:
                break
            event, left = hid("KbQueueGetEvent", pointer)
    return found
