"""Where triggers go, as a rig's profile or the command line spells it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from experiments.engine.triggers.line import TriggerDevice, TriggerLine
from experiments.engine.triggers.lsl_stream import STREAM, LslTriggers
from experiments.engine.triggers.parallel_port import ParallelTriggers
from experiments.engine.triggers.serial_port import BAUD, SerialTriggers
from stimuli.errors import UserError

Kind = Literal["none", "serial", "parallel", "lsl"]
EXAMPLES = "none, serial:/dev/ttyUSB0, serial:COM3@115200, parallel:0x378, lsl, lsl:NAME"


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
