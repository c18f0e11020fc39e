"""Photodiodes and button boxes of a real rig: devices that tell when there was light."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from experiments.rig.timing.instruments import Edge, Injected
from stimuli.errors import UserError

PLACES = "serial:PORT, serial:PORT@BAUD, lsl:STREAM or psychopy[:DEVICE]"


class Sensor(Protocol):
    """A device that records light, and that may press keys itself."""

    name: str

    def close(self) -> None:
        """Stop recording."""

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges it saw, on the monotonic clock; call this after `close`."""

    def injected(self) -> tuple[Injected, ...]:
        """Return its presses, on the monotonic clock; call this after `close`."""


@contextmanager
def open_sensor(place: str) -> Iterator[Sensor]:
    """Open a sensor that records during the block; close it at the end.

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
