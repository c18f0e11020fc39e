"""Photodiodes and button boxes of a real rig: devices that tell when there was light."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from experiments.rig.timing.instruments import Edge, Injected
from stimuli.errors import UserError

PLACES = "serial:PORT, serial:PORT@BAUD, lsl:STREAM or psychopy[:DEVICE]"


class Sensor(Protocol):
    """Something that saw light come and go, and maybe pressed keys itself."""

    name: str

    def close(self) -> None:
        """Listen no more."""

    def edges(self) -> tuple[Edge, ...]:
        """Return what it saw, on the monotonic clock; to be asked after closing."""

    def injected(self) -> tuple[Injected, ...]:
        """Return what it pressed, on the monotonic clock; to be asked after closing."""


@contextmanager
def open_sensor(place: str) -> Iterator[Sensor]:
    """Give a sensor that listens; it is closed at the end.

    Parameters
    ----------
    place
        ``serial:PORT``, ``serial:PORT@BAUD``, ``lsl:STREAM``, ``psychopy`` or
        ``psychopy:DEVICE``.

    Raises
    ------
    UserError
        If there is no such device, or it doesn't answer.
    """
    kind, _, where = place.partition(":")
    sensor: Sensor
    if kind == "serial" and where:
        from experiments.rig.timing.sensors.serial_sensor import SerialSensor

        sensor = SerialSensor(where)
    elif kind == "lsl" and where:
        from experiments.rig.timing.sensors.lsl_sensor import LslSensor

        sensor = LslSensor(where)
    elif kind == "psychopy":
        from experiments.rig.timing.sensors.psychopy_sensor import open_psychopy_sensor

        sensor = open_psychopy_sensor(where)
    else:
        raise UserError(f"--sensor {place}: must be like {PLACES}")
    try:
        yield sensor
    finally:
        sensor.close()
