"""A photodiode whose signal comes as a numeric stream of the Lab Streaming Layer.

Its first channel is the light. Half way between dark and light, as the whole recording shows
them, lies an edge, placed between samples by a straight line; the signal must pass a quarter of
the way to either side before the next one counts.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.engine.clock import Offset, measure_offset
from experiments.rig.timing.instruments import Edge, Injected
from stimuli.errors import UserError

FOUND_WITHIN_S = 5.0
SLOWEST_HZ = 500.0
DARK_QUANTILE, LIGHT_QUANTILE = 0.02, 0.98
QUARTER = 0.25
BUFFER_S = 3600


class LslSensor:
    """Takes all samples of a stream, which LSL collects in its own thread.

    Parameters
    ----------
    stream
        The stream's name.

    Raises
    ------
    UserError
        If pylsl or its library is missing, there is no such stream, or it has fewer than 500
        samples a second.
    """

    def __init__(self, stream: str) -> None:
        self.name = f"lsl:{stream}"
        self._lsl = _pylsl()
        streams = self._lsl.resolve_byprop("name", stream, 1, FOUND_WITHIN_S)
        if not streams:
            raise UserError(f"--sensor {self.name}: there is no such stream on this network")
        if streams[0].nominal_srate() < SLOWEST_HZ:
            raise UserError(
                f"--sensor {self.name}: {streams[0].nominal_srate():g} samples a second are too "
                f"few to time light by; at least {SLOWEST_HZ:g} are needed"
            )
        self._inlet: Any = self._lsl.StreamInlet(streams[0], max_buflen=BUFFER_S)
        try:
            self._inlet.open_stream(FOUND_WITHIN_S)
        except Exception as error:
            # pylsl's errors are RuntimeErrors, like Python's for other causes.
            raise UserError(f"--sensor {self.name}: the stream doesn't open ({error})") from None
        self._broken = ""
        self._stamps_s: list[float] = []
        self._values: list[float] = []
        self._offset = Offset(0.0, float("inf"))

    def close(self) -> None:
        """Take the samples, convert their time stamps to this PC's clock, and leave the stream."""
        inlet, self._inlet = self._inlet, None
        if inlet is None:
            return
        try:
            self._take_all(inlet)
            inlet.close_stream()
        except Exception as error:
            self._broken = str(error)

    def _take_all(self, inlet: Any) -> None:
        correction_s = inlet.time_correction(FOUND_WITHIN_S)
        self._offset = measure_offset(self._lsl.local_clock)
        while True:
            samples, stamps_s = inlet.pull_chunk(timeout=0.0, max_samples=4096)
            if not stamps_s:
                return
            self._values += [sample[0] for sample in samples]
            self._stamps_s += [stamp_s + correction_s for stamp_s in stamps_s]

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges of the signal; UserError if the stream broke off."""
        if self._broken:
            raise UserError(f"--sensor {self.name}: the stream broke off ({self._broken})")
        stamps_s = np.asarray(self._stamps_s) + self._offset.offset_s
        return tuple(Edge(at_s, 0.0, light) for at_s, light in signal_edges(stamps_s, self._values))

    def injected(self) -> tuple[Injected, ...]:
        """Return nothing: a stream of light presses no keys."""
        return ()


def signal_edges(
    stamps_s: NDArray[np.float64], values: Sequence[float]
) -> list[tuple[float, bool]]:
    """Return when a signal rose (True) or fell through its middle, with hysteresis.

    Parameters
    ----------
    stamps_s
        Times of the samples, rising.
    values
        The samples; dark and light are their 2 % and 98 % quantiles.
    """
    signal = np.asarray(values, dtype=np.float64)
    if len(signal) < 2:
        return []
    dark, light = np.quantile(signal, [DARK_QUANTILE, LIGHT_QUANTILE])
    if light <= dark:
        return []
    level = (signal - dark) / (light - dark)
    # 1: surely light, -1: surely dark, 0: in between
    sure = (level > 1 - QUARTER).astype(int) - (level < QUARTER).astype(int)
    places = np.flatnonzero(sure)
    turns = np.flatnonzero(np.diff(sure[places])) + 1
    return [
        (_crossing(stamps_s, level, places[turn - 1], places[turn]), bool(sure[places[turn]] > 0))
        for turn in turns
    ]


def _crossing(
    stamps_s: NDArray[np.float64], level: NDArray[np.float64], start: int, end: int
) -> float:
    """Return when the level last passed one half between two samples."""
    part = level[start : end + 1]
    rising = part[-1] > part[0]
    before = int(np.flatnonzero(part < 0.5 if rising else part >= 0.5)[-1])
    low, high = part[before], part[before + 1]
    share = (0.5 - low) / (high - low)
    first_s, next_s = stamps_s[start + before], stamps_s[start + before + 1]
    return float(first_s + share * (next_s - first_s))


def _pylsl() -> Any:
    try:
        # Not among the requirements: its library isn't built for every system.
        return import_module("pylsl")
    except Exception as error:
        # Without its library pylsl raises RuntimeError.
        raise UserError(
            f"--sensor lsl: LSL can't be loaded ({error}); install it (pip install pylsl)"
        ) from None
