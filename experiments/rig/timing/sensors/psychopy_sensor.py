"""A light sensor through PsychoPy's device layer, such as the Black Box Toolkit's TPad."""

import threading
from collections.abc import Callable
from typing import Any

from experiments.engine.clock import StimulusClock
from experiments.engine.window import import_psychopy
from experiments.rig.timing.instruments import Edge, Injected
from stimuli.errors import UserError

EMULATOR = "psychopy.hardware.lightsensor.ScreenBufferSampler"
LOOK_EVERY_S = 0.005
DEVICE_NAME = "plainsight-light"


class PsychopySensor:
    """Collects the responses of PsychoPy's light sensor in a thread.

    Parameters
    ----------
    device
        PsychoPy's ``BaseLightSensorGroup`` or anything with its ``getResponses``.
    name
        The sensor's name.
    zero_s
        Returns the zero of the device's time stamps, on the clock that `clock` converts.
    clock
        Converts time stamps.
    """

    def __init__(
        self, device: Any, name: str, zero_s: Callable[[], float], clock: StimulusClock
    ) -> None:
        self.name = f"psychopy:{name}"
        self._device = device
        self._zero_s = zero_s
        self._clock = clock
        self._edges: list[Edge] = []
        self._broken = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Collect one last time and stop."""
        if not self._stop.is_set():
            self._stop.set()
            self._thread.join()

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges it saw; its time stamps count as exact. UserError if it failed."""
        if self._broken:
            raise UserError(f"--sensor {self.name}: the device broke off ({self._broken})")
        return tuple(sorted(self._edges, key=lambda edge: edge.seen_s))

    def injected(self) -> tuple[Injected, ...]:
        """Return nothing: a light sensor presses no keys."""
        return ()

    def _collect(self) -> None:
        stopped = False
        while not stopped and not self._broken:
            stopped = self._stop.wait(LOOK_EVERY_S)
            try:
                self._take_responses()
            except Exception as error:
                # Each maker's plugin has errors of its own.
                self._broken = f"{type(error).__name__}: {error}"

    def _take_responses(self) -> None:
        responses = self._device.getResponses(clear=True)
        if responses:
            self._clock.measure()
        for response in responses:
            at_s = self._clock.to_monotonic(response.t + self._zero_s())
            self._edges.append(Edge(at_s, 0.0, bool(response.value)))


def open_psychopy_sensor(name: str) -> PsychopySensor:
    """Return the light sensor of that name, or the only one if no name is given.

    Raises
    ------
    UserError
        If there is none, or it can't be opened; the message lists the available names.
    """
    import_psychopy()
    import psychtoolbox
    from psychopy import logging
    from psychopy.hardware import DeviceManager
    from psychopy.hardware.lightsensor import BaseLightSensorGroup

    profiles = [
        profile
        for profile in BaseLightSensorGroup.getAvailableDevices()
        if profile["deviceClass"] != EMULATOR and name in ("", profile["deviceName"])
    ]
    if len(profiles) != 1:
        names = ", ".join(profile["deviceName"] for profile in profiles) or "none"
        raise UserError(
            f"--sensor psychopy{':' if name else ''}{name}: PsychoPy finds {names}; plug it in, "
            "install its plugin (such as psychopy-bbtk), and name it if there are several"
        )
    profile = dict(profiles[0])
    sensor_name = profile.pop("deviceName")
    try:
        device = DeviceManager.addDevice(
            profile.pop("deviceClass"), deviceName=DEVICE_NAME, **profile
        )
    except Exception as error:
        # Each maker's plugin has errors of its own.
        raise UserError(f"--sensor psychopy:{sensor_name}: can't be opened ({error})") from None
    device.resetTimer(clock=logging.defaultClock)
    clock = StimulusClock(psychtoolbox.GetSecs, "psychtoolbox.GetSecs")
    return PsychopySensor(device, sensor_name, logging.defaultClock.getLastResetTime, clock)
