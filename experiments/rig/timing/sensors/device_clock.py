"""The clock of a device, put on the monotonic one by questions and answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MICROS_WRAP = 2**32
LEAST_KEPT = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer to the question what time it is.

    Attributes
    ----------
    asked_s, heard_s
        Monotonic times of question and answer, between which the device looked at its clock.
    device_s
        What that clock said.
    """

    asked_s: float
    heard_s: float
    device_s: float


@dataclass(frozen=True, slots=True)
class DeviceClock:
    """A line from a device's clock to the monotonic one: offset and rate.

    Attributes
    ----------
    zero_s, device_zero_s
        A point of the line.
    rate
        Monotonic seconds in a second of the device; crystals err by some 0.00005.
    """

    zero_s: float
    device_zero_s: float
    rate: float

    def to_monotonic(self, device_s: float) -> float:
        """Return a time of the device on the monotonic clock."""
        return self.zero_s + (device_s - self.device_zero_s) * self.rate


def fit_clock(readings: Sequence[Reading]) -> DeviceClock:
    """Return the line through the tighter half of some readings, by least squares.

    Raises
    ------
    ValueError
        If there is no reading.
    """
    if not readings:
        raise ValueError("the device told no time")
    by_span = sorted(readings, key=lambda reading: reading.heard_s - reading.asked_s)
    kept = by_span[: max(LEAST_KEPT, (len(by_span) + 1) // 2)]
    device_s = np.array([reading.device_s for reading in kept])
    middle_s = np.array([(reading.asked_s + reading.heard_s) / 2 for reading in kept])
    zero_s, device_zero_s = float(middle_s.mean()), float(device_s.mean())
    spread = device_s - device_zero_s
    squares = float(spread @ spread)
    rate = float(spread @ (middle_s - zero_s)) / squares if squares else 1.0
    return DeviceClock(zero_s, device_zero_s, rate)


class Micros:
    """Turns a counter of microseconds that starts again after 2³² of them into seconds."""

    def __init__(self) -> None:
        self._last = 0
        self._turns = 0

    def seconds(self, micros: int) -> float:
        """Return the seconds of a count; counts come nearly in order."""
        step = micros - self._last
        self._turns += (step < -MICROS_WRAP // 2) - (step > MICROS_WRAP // 2)
        self._last = micros
        return (micros + self._turns * MICROS_WRAP) / 1e6
