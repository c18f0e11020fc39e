"""The line on which triggers go out: never in the way of a flip, and nothing forgotten."""

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from experiments.engine.triggers.codes import CODES, RESTING, Mark


class TriggerDevice(Protocol):
    """Something that takes numbers from 0 to 255.

    Attributes
    ----------
    name
        What it is called in the journal.
    rests
        Whether a code stands on the line until it is taken back.
    """

    name: str
    rests: bool

    def write(self, code: int) -> None:
        """Hand over a code without waiting, or raise whatever is wrong."""

    def close(self) -> None:
        """Let the device go."""


@dataclass(frozen=True, slots=True)
class SentTrigger:
    """What became of a trigger.

    Attributes
    ----------
    what, code
        What it marks, and the number.
    t_s
        When writing began, monotonic.
    took_s
        How long writing took.
    reason
        Why the device didn't take it; empty where it did.
    """

    what: Mark
    code: int
    t_s: float
    took_s: float
    reason: str


class TriggerLine:
    """Sends codes to a device, or to none.

    A device that fails stops nothing: the reason stands with each trigger that it cost.

    Parameters
    ----------
    device
        Where codes go; None sends nothing and keeps nothing.
    """

    def __init__(self, device: TriggerDevice | None = None) -> None:
        self._device = device
        self._raised = False
        self._sent: list[SentTrigger] = []

    @property
    def name(self) -> str:
        """What the device is called; ``none`` without one."""
        return "none" if self._device is None else self._device.name

    def send(self, what: Mark) -> None:
        """Send the code of something that is now."""
        if self._device is None:
            return
        code = CODES[what]
        began_s = time.perf_counter()
        reason = _write(self._device, code)
        took_s = time.perf_counter() - began_s
        # A code that was not taken leaves the one before it on the line.
        self._raised = self._device.rests and (self._raised or not reason)
        self._sent.append(SentTrigger(what, code, began_s, took_s, reason))

    def rest(self) -> None:
        """Take the last code back from a line that has a resting state, a frame after it."""
        if self._device is not None and self._raised:
            _write(self._device, RESTING)
            self._raised = False

    def take_sent(self) -> tuple[SentTrigger, ...]:
        """Return what was sent since the last call."""
        sent, self._sent = tuple(self._sent), []
        return sent

    def close(self) -> None:
        """Let the device go, the line at rest."""
        if self._device is not None:
            self.rest()
            with suppress(Exception):
                # What was unplugged can't be closed; nothing of the session hangs on it.
                self._device.close()


def _write(device: TriggerDevice, code: int) -> str:
    """Send a code; return why it was not taken, or nothing."""
    try:
        device.write(code)
    except Exception as error:
        # Every driver has errors of its own, and none of them may stop a trial.
        return f"{type(error).__name__}: {error}"[:200]
    return ""
