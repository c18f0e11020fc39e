"""A photodiode, and maybe a button box, behind a serial port: a microcontroller's job.

Lines of ASCII, each ended by a newline, 115,200 baud unless told otherwise. MICROS is a free
running count of microseconds, which may start again after 2³²; the device takes it when the thing
happens, so that the port's own delay doesn't matter.

=====================  ======================================================================
from this PC           ``?`` : what time is it?
from the device        ``T MICROS`` : now, at once after each ``?``
from the device        ``L MICROS`` : the patch became light; ``D MICROS`` : dark
from the device        ``K NAME MICROS`` : it pressed this key, named as PsychoPy names keys
from the device        ``B NAME MICROS`` : it pressed this button: left, middle or right
=====================  ======================================================================

A device that presses (as a USB keyboard or mouse of its own, or by a solenoid) does so at a time
of its choice after ``L``. Its edges must be free of bounces, such as those of a backlight's
modulation: of a change it tells once.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.rig.timing.instruments import Edge, Injected
from stimuli.devices import DeviceName
from stimuli.errors import UserError

BAUD = 115_200
ANSWERS_WITHIN_S = 3.0
ASK_EVERY_S = 0.2
LOST_AFTER_S = 0.5
LAST_WORDS_S = 1.0
SILENT_LINES = 5
LINE_WITHIN_S = 0.02
DEVICES: dict[str, DeviceName] = {"K": "keyboard", "B": "mouse"}
LIGHT = {"L": True, "D": False}

MICROS_WRAP = 2**32

LEAST_KEPT = 2


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of the device's clock.

    Attributes
    ----------
    asked_s, heard_s
        Monotonic times of request and answer, between which the device read its clock.
    device_s
        The device's time.
    """

    asked_s: float
    heard_s: float
    device_s: float


@dataclass(frozen=True, slots=True)
class DeviceClock:
    """Linear conversion from a device's clock to the monotonic clock: offset and rate.

    Attributes
    ----------
    zero_s, device_zero_s
        A point of the line.
    rate
        Monotonic seconds per second of the device; crystals are off by about 0.00005.
    """

    zero_s: float
    device_zero_s: float
    rate: float

    def to_monotonic(self, device_s: float) -> float:
        """Convert a time of the device to the monotonic clock."""
        return self.zero_s + (device_s - self.device_zero_s) * self.rate


def fit_clock(readings: Sequence[Reading]) -> DeviceClock:
    """Fit a line to the tighter half of some readings, by least squares.

    Raises
    ------
    ValueError
        If there is no reading.
    """
    if not readings:
        raise ValueError("the device gave no time")
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
    """Converts a microsecond counter that wraps around after 2³² to seconds."""

    def __init__(self) -> None:
        self._last = 0
        self._turns = 0

    def seconds(self, micros: int) -> float:
        """Convert a count to seconds; counts must come nearly in order."""
        step = micros - self._last
        self._turns += (step < -MICROS_WRAP // 2) - (step > MICROS_WRAP // 2)
        self._last = micros
        return (micros + self._turns * MICROS_WRAP) / 1e6


class SerialSensor:
    """Listens to the device in a thread, and asks it for its time now and then.

    Parameters
    ----------
    where
        The port, and the baud rate after an ``@`` if it isn't 115,200.

    Attributes
    ----------
    unread
        Number of lines that couldn't be parsed.

    Raises
    ------
    UserError
        If the port can't be opened, or no device there answers with its time.
    """

    def __init__(self, where: str) -> None:
        self.name = f"serial:{where}"
        self.unread = 0
        self._broken = ""
        self._readings: list[Reading] = []
        self._light: list[tuple[float, bool]] = []
        self._pressed: list[tuple[float, DeviceName, str]] = []
        self._micros = Micros()
        self._pending = b""
        self._asked_s: float | None = None
        self._stop = threading.Event()
        self._port = _opened(where)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        self._wait_for_an_answer()

    def close(self) -> None:
        """Stop listening and close the port."""
        self._stop.set()
        self._thread.join()
        self._port.close()

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges it saw; its time stamps count as exact."""
        clock = self._clock()
        return tuple(Edge(clock.to_monotonic(at_s), 0.0, light) for at_s, light in self._light)

    def injected(self) -> tuple[Injected, ...]:
        """Return its presses; how long they were held is unknown."""
        clock = self._clock()
        return tuple(
            Injected(device, key, clock.to_monotonic(at_s), 0.0, float("inf"))
            for at_s, device, key in self._pressed
        )

    def _clock(self) -> DeviceClock:
        if self._broken:
            raise UserError(f"--sensor {self.name}: the port broke off ({self._broken})")
        return fit_clock(self._readings)

    def _wait_for_an_answer(self) -> None:
        until_s = time.perf_counter() + ANSWERS_WITHIN_S
        while not self._readings:
            if time.perf_counter() > until_s or not self._thread.is_alive():
                self.close()
                raise UserError(
                    f"--sensor {self.name}: it doesn't tell the time; its program must answer "
                    "'?' with 'T MICROS' (see docs/timing_rig.md)"
                )
            time.sleep(LINE_WITHIN_S)

    def _listen(self) -> None:
        try:
            self._ask_and_hear()
        except OSError as error:
            self._broken = str(error)

    def _ask_and_hear(self) -> None:
        next_s = time.perf_counter()
        while not self._stop.is_set():
            if time.perf_counter() >= next_s:
                self._ask()
                next_s = time.perf_counter() + ASK_EVERY_S
            self._hear()
        # Its last lines may still be on their way: a tenth of a second of silence ends the wait.
        until_s, silent = time.perf_counter() + LAST_WORDS_S, 0
        while silent < SILENT_LINES and time.perf_counter() < until_s:
            silent = 0 if self._hear() else silent + 1

    def _ask(self) -> None:
        """Ask for the time, unless an earlier answer may still come: the two would be confused."""
        now_s = time.perf_counter()
        if self._asked_s is None or now_s - self._asked_s > LOST_AFTER_S:
            self._asked_s = now_s
            self._port.write(b"?\n")

    def _hear(self) -> bool:
        """Read a line if one has come; return whether anything came."""
        came = self._port.read_until(b"\n")
        self._pending += came
        if self._pending.endswith(b"\n"):
            words = self._pending.decode("ascii", errors="replace").split()
            self._take(words, time.perf_counter())
            self._pending = b""
        return bool(came)

    def _take(self, words: list[str], heard_s: float) -> None:
        """Parse a line, or count it as unread."""
        try:
            kind, *names, micros = words
            device_s = self._micros.seconds(int(micros))
        except ValueError:
            self.unread += 1
            return
        if kind == "T" and not names and self._asked_s is not None:
            self._readings.append(Reading(self._asked_s, heard_s, device_s))
            self._asked_s = None
        elif kind in LIGHT and not names:
            self._light.append((device_s, LIGHT[kind]))
        elif kind in DEVICES and len(names) == 1:
            self._pressed.append((device_s, DEVICES[kind], names[0]))
        else:
            self.unread += 1


def _opened(where: str) -> Any:
    import serial

    port, _, baud = where.partition("@")
    if baud and not baud.isdecimal():
        raise UserError(f"--sensor serial:{where}: the baud rate after @ must be a number")
    try:
        return serial.Serial(port, int(baud or BAUD), timeout=LINE_WITHIN_S, write_timeout=1.0)
    except (serial.SerialException, ValueError) as error:
        raise UserError(f"--sensor serial:{where}: can't be opened ({error})") from None
