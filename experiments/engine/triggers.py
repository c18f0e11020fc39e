"""Triggers: numbers sent to another device (EEG, eye tracker) right after a flip or a press.

`open_triggers` gives the `TriggerLine` that a rig's profile or ``run --trigger`` names. Sending
never delays a flip, and every trigger is kept, with the reason if it failed.

Parallel ports are untested on real hardware, since PCs that have one are rare. Linux needs
pyparallel and ``ppdev``; Windows needs inpout32, inpoutx64 or dlportio.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final, Literal, Protocol

from stimuli.errors import UserError

Mark = Literal["onset", "offset", "step", "response", "block"]

CODES: Final[Mapping[Mark, int]] = {
    "onset": 1,
    "offset": 2,
    "step": 3,
    "response": 4,
    "block": 8,
}
"""Each code is sent once: right after the flip that shows the critical stimulus (onset), removes
it (offset) or changes it in steps (step); at the frame on which an answer was found (response;
the journal has the answer's exact time); and before the first trial of a run (block).
0 is the resting state of a line that has one."""

RESTING: Final = 0


class TriggerDevice(Protocol):
    """A device that takes numbers from 0 to 255.

    Attributes
    ----------
    name
        The device's name in the journal.
    rests
        Whether a code stays on the line until it is reset.
    """

    name: str
    rests: bool

    def write(self, code: int) -> None:
        """Send a code without waiting; raise the driver's error if that fails."""

    def close(self) -> None:
        """Close the device."""


@dataclass(frozen=True, slots=True)
class SentTrigger:
    """A trigger that was sent, or that the device didn't take.

    Attributes
    ----------
    what, code
        The event that it marks, and the number.
    t_s
        When writing began, monotonic seconds.
    took_s
        How long writing took.
    reason
        Why the device didn't take it; empty if it did.
    """

    what: Mark
    code: int
    t_s: float
    took_s: float
    reason: str


class TriggerLine:
    """Sends codes to a device, or to none.

    A device that fails doesn't stop the session: the reason is kept with each lost trigger.

    Parameters
    ----------
    device
        The device; None sends and keeps nothing.
    """

    def __init__(self, device: TriggerDevice | None = None) -> None:
        self._device = device
        self._raised = False
        self._sent: list[SentTrigger] = []

    @property
    def name(self) -> str:
        """The device's name; ``none`` without a device."""
        return "none" if self._device is None else self._device.name

    def send(self, mark: Mark) -> None:
        """Send the code of an event that happens now."""
        if self._device is None:
            return
        code = CODES[mark]
        began_s = time.perf_counter()
        reason = _write(self._device, code)
        took_s = time.perf_counter() - began_s
        # If a code isn't taken, the previous code stays on the line.
        self._raised = self._device.rests and (self._raised or not reason)
        self._sent.append(SentTrigger(mark, code, began_s, took_s, reason))

    def rest(self) -> None:
        """Set the line to its resting state, if it has one; a frame after the last code."""
        if self._device is not None and self._raised:
            _write(self._device, RESTING)
            self._raised = False

    def take_sent(self) -> tuple[SentTrigger, ...]:
        """Return the triggers since the last call."""
        sent, self._sent = tuple(self._sent), []
        return sent

    def close(self) -> None:
        """Set the line to its resting state and close the device."""
        if self._device is not None:
            self.rest()
            with suppress(Exception):
                # An unplugged device can't be closed; the session doesn't depend on it.
                self._device.close()


def _write(device: TriggerDevice, code: int) -> str:
    """Send a code; return why the device didn't take it, or an empty string."""
    try:
        device.write(code)
    except Exception as error:
        # Each driver raises its own errors, and none may stop a trial.
        return f"{type(error).__name__}: {error}"[:200]
    return ""


Kind = Literal["none", "serial", "parallel", "lsl"]
EXAMPLES = "none, serial:/dev/ttyUSB0, serial:COM3@115200, parallel:0x378, lsl, lsl:NAME"

STREAM = "Plainsight"

NO_DRIVER: Final = "no driver: install inpout32, inpoutx64 or dlportio"

BAUD = 115200


@dataclass(frozen=True, slots=True)
class TriggerPlace:
    """A device for triggers: its kind, its address, and for serial ports the bits per second."""

    kind: Kind
    place: str = ""
    baud: int = BAUD


def parse_place(text: str) -> TriggerPlace:
    """Return the device that a text such as ``serial:/dev/ttyUSB0@115200`` names.

    Raises
    ------
    UserError
        If it names no device; the message lists what may be given.
    """
    kind, _, place = text.partition(":")
    match kind:
        case "none" if not place:
            return TriggerPlace("none")
        case "serial" if place:
            return _serial(text, place)
        case "parallel" if place:
            return TriggerPlace("parallel", place)
        case "lsl":
            return TriggerPlace("lsl", place or STREAM)
    raise UserError(f"trigger {text!r}: must be like {EXAMPLES}")


@contextmanager
def open_triggers(place: TriggerPlace) -> Iterator[TriggerLine]:
    """Open a trigger line for the block; close the device at the end.

    Raises
    ------
    UserError
        If the device can't be opened; the message is one line.
    """
    line = TriggerLine(_device(place))
    try:
        yield line
    finally:
        line.close()


def _serial(text: str, place: str) -> TriggerPlace:
    port, at, baud = place.rpartition("@")
    if not at:
        return TriggerPlace("serial", place)
    if not (port and baud.isdecimal() and int(baud) > 0):
        raise UserError(f"trigger {text!r}: write bits per second after @, e.g. @{BAUD}")
    return TriggerPlace("serial", port, int(baud))


def _device(place: TriggerPlace) -> TriggerDevice | None:
    match place.kind:
        case "serial":
            return SerialTriggers(place.place, place.baud)
        case "parallel":
            return ParallelTriggers(place.place)
        case "lsl":
            return LslTriggers(place.place)
    return None


class LslTriggers:
    """Pushes each code as a sample, which LSL's clock stamps as it is pushed.

    Parameters
    ----------
    stream
        Name of the stream; its type is ``Markers``.

    Raises
    ------
    UserError
        If pylsl or its library is missing.
    """

    rests = False

    def __init__(self, stream: str = STREAM) -> None:
        self.name = f"lsl:{stream}"
        try:
            # Not among the requirements: its library isn't built for every system.
            pylsl = import_module("pylsl")
        except Exception as error:
            # Without its library pylsl raises RuntimeError.
            raise UserError(
                f"trigger: LSL can't be loaded ({error}); install it (pip install pylsl), or give "
                "--trigger none"
            ) from None
        rate = pylsl.IRREGULAR_RATE
        info = pylsl.StreamInfo(stream, "Markers", 1, rate, pylsl.cf_int32, f"plainsight-{stream}")
        self._outlet: Any = pylsl.StreamOutlet(info)

    def write(self, code: int) -> None:
        """Push a code; a thread of the library sends it."""
        self._outlet.push_sample([code])

    def close(self) -> None:
        """End the stream."""
        self._outlet = None


class ParallelTriggers:
    """Sets the eight data pins to a code, and back to 0 a frame later.

    Parameters
    ----------
    address
        ``0x378`` on Windows, ``/dev/parport0`` on Linux.

    Raises
    ------
    UserError
        If there is no driver or no such port.
    """

    rests = True

    def __init__(self, address: str) -> None:
        self.name = f"parallel:{address}"
        if sys.platform == "darwin":
            # On macOS PsychoPy opens a port that fails at every code.
            raise UserError("trigger: macOS has no parallel port; give --trigger none")
        try:
            from psychopy import parallel

            # On Windows this is None if PsychoPy finds no driver.
            driver: Any = parallel.ParallelPort
            if driver is None:
                raise OSError(NO_DRIVER)
            self._port: Any = driver(address=_address(address))
        except Exception as error:
            # Drivers raise any error, even Exception itself.
            raise UserError(
                f"trigger: the parallel port {address} can't be opened ({error}); check its "
                "address and driver, or give --trigger none"
            ) from None

    def write(self, code: int) -> None:
        """Set the pins."""
        self._port.setData(code)

    def close(self) -> None:
        """Drop the port object; drivers close the port with it."""
        self._port = None


def _address(text: str) -> int | str:
    return int(text, 16) if text.lower().startswith("0x") else text


class SerialTriggers:
    """Writes codes as single bytes (8 data bits, no parity, 1 stop bit).

    Parameters
    ----------
    port
        ``/dev/ttyUSB0``, ``COM3`` or another name that pyserial opens.
    baud
        Bits per second.

    Raises
    ------
    UserError
        If the port can't be opened.
    """

    rests = True

    def __init__(self, port: str, baud: int = BAUD) -> None:
        import serial

        self.name = f"serial:{port}@{baud}"
        try:
            self._port: Any = serial.Serial(port, baud, write_timeout=0)
        except (serial.SerialException, OSError, ValueError) as error:
            raise UserError(
                f"trigger: the serial port {port} can't be opened ({error}); check the cable, the "
                "port's name and that this account may use it, or give --trigger none"
            ) from None
        self._bytes = tuple(bytes([code]) for code in range(256))
        # If a port is a file, pyserial retries for as long as its buffer is full.
        file = self._port.fileno() if os.name == "posix" else None
        self._write = self._port.write if file is None else partial(os.write, file)

    def write(self, code: int) -> None:
        """Send a code without waiting; OSError if the port is gone or full."""
        if self._write(self._bytes[code]) != 1:
            raise OSError("the port takes no more bytes")

    def close(self) -> None:
        """Close the port."""
        self._port.close()
