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
"""Each code is sent once, right after the flip that puts the critical stimulus on (onset), takes
it away (offset) or changes it in steps (step), at the frame on which an answer was found
(response; its own time stands in the journal), and before the first trial of a run (block).
0 is the resting state of a line that has one."""

RESTING: Final = 0


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


Kind = Literal["none", "serial", "parallel", "lsl"]
EXAMPLES = "none, serial:/dev/ttyUSB0, serial:COM3@115200, parallel:0x378, lsl, lsl:NAME"

STREAM = "Plainsight"

NO_DRIVER: Final = "no driver: install inpout32, inpoutx64 or dlportio"

BAUD = 115200


@dataclass(frozen=True, slots=True)
class TriggerPlace:
    """A kind of device, which one, and for serial ports the bits per second."""

    kind: Kind
    place: str = ""
    baud: int = BAUD


def parse_place(text: str) -> TriggerPlace:
    """Return what a text such as ``serial:/dev/ttyUSB0@115200`` names.

    Raises
    ------
    UserError
        If it names nothing: what may stand there.
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
    """Give an open line; the device is let go at the end.

    Raises
    ------
    UserError
        If the device can't be opened: one line.
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
    """Pushes each code as a sample, stamped by LSL's clock as it is pushed.

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
            # Not among the requirements: its library is not built for every system.
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
        """Push a code; sending it is a thread's of the library."""
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
            # PsychoPy opens a port there that fails at every code.
            raise UserError("trigger: macOS has no parallel port; give --trigger none")
        try:
            from psychopy import parallel

            # On Windows this is None where PsychoPy finds no driver.
            driver: Any = parallel.ParallelPort
            if driver is None:
                raise OSError(NO_DRIVER)
            self._port: Any = driver(address=_address(address))
        except Exception as error:
            # Drivers raise whatever they like, Exception itself among it.
            raise UserError(
                f"trigger: the parallel port {address} can't be opened ({error}); check its "
                "address and driver, or give --trigger none"
            ) from None

    def write(self, code: int) -> None:
        """Set the pins."""
        self._port.setData(code)

    def close(self) -> None:
        """Let the port go; drivers close it with the object."""
        self._port = None


def _address(text: str) -> int | str:
    return int(text, 16) if text.lower().startswith("0x") else text


class SerialTriggers:
    """Writes codes as single bytes (8 data bits, no parity, 1 stop bit).

    Parameters
    ----------
    port
        ``/dev/ttyUSB0``, ``COM3`` or whatever pyserial opens.
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
        # Where a port is a file pyserial tries again and again while its buffer is full.
        file = self._port.fileno() if os.name == "posix" else None
        self._write = self._port.write if file is None else partial(os.write, file)

    def write(self, code: int) -> None:
        """Hand over a code without waiting; OSError if the port is gone or full."""
        if self._write(self._bytes[code]) != 1:
            raise OSError("the port takes no more bytes")

    def close(self) -> None:
        """Close the port."""
        self._port.close()
