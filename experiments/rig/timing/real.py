"""The bench on a real rig: what a sensor at the screen saw beside what the suite recorded."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from experiments.rig.grades import Grade
from experiments.rig.profile import Timing
from experiments.rig.timing.errors import Errors, errors_of
from experiments.rig.timing.recording import (
    LEAD_S,
    PATIENCE_S,
    Recording,
    recorded_by,
    start_programme,
    wait_until_ready,
)
from experiments.rig.timing.sensors import Sensor
from experiments.rig.timing.settings import TrialSettings
from experiments.rig.timing.spread import graded, spread, summary, trusted
from stimuli.errors import UserError

FIT = ("excellent", "acceptable")
INSTRUCTIONS = """\
Put the photodiode over the top left corner of the screen, where a patch of 64 × 64 pixels will
be white while a picture is shown and black else; shield it from the room's light. Switch off
night light, HDR and vendor enhancement, close other programs. Don't touch keyboard and mouse:
presses of the sensor's own button box, if it has one, are taken all the while.
"""


@dataclass(frozen=True, slots=True)
class RealRun:
    """What was found at a rig.

    Attributes
    ----------
    sensor
        Name of the sensor.
    errors
        What was recorded against what the sensor saw and pressed.
    facts
        What the suite said of itself: refresh, pacing, priority, backend.
    """

    sensor: str
    errors: Errors
    facts: dict[str, Any]

    @property
    def grade(self) -> Grade | Literal[""]:
        """The rig's grade."""
        return graded([self.errors])

    @property
    def passed(self) -> bool:
        """Whether the rig is fit, every picture was seen and every drop recorded."""
        found = self.errors
        whole = found.onsets_unseen == found.presses_lost == found.drops_unrecorded == 0
        return whole and self.grade in FIT

    def timing(self) -> Timing:
        """Return the rig's calibration.

        Raises
        ------
        UserError
            If a lag is too long to be one.
        """
        onset = spread([trusted(self.errors.onset)])
        if onset is None:
            raise UserError(
                f"--sensor {self.sensor}: it saw no picture; put it over the top left corner, "
                "and set its threshold between black and white"
            )
        key, button = (
            _lag_s(spread([trusted(samples)]), onset)
            for samples in (self.errors.key, self.errors.button)
        )
        try:
            return Timing(
                onset_lag_s=round(-onset.mean / 1000, 6),
                keyboard_lag_s=key,
                mouse_lag_s=button,
                onset_sd_s=round(onset.sd / 1000, 7),
                grade=self.grade,
                measured_on=datetime.now(UTC).date().isoformat(),
            )
        except ValueError as error:
            raise UserError(f"timing: the measured lags can't be right: {error}") from None

    def figures(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {
            "rig": summary([self.errors]) | {"grade": self.grade},
            "calibration": self.timing().model_dump(mode="json"),
            "passed": self.passed,
            "sensor": self.sensor,
            "facts": self.facts,
        }


def _lag_s(press: Any, onset: Any) -> float | None:
    """Return how much longer times from onset to press are recorded than they were."""
    return None if press is None else round((press.mean - onset.mean) / 1000, 6)


def run_real(sensor: Sensor, settings: TrialSettings, say: Callable[[str], None]) -> RealRun:
    """Show the trials on this PC's screen while a sensor listens.

    Parameters
    ----------
    sensor
        Is closed at the end.
    settings
        The trials; the refresh is the screen's own.
    say
        Told what is being done.
    """
    say(f"{settings.trials} trials, about {settings.trials * settings.trial_s:.0f} s")
    child = start_programme("suite", settings)
    try:
        wait_until_ready(child)
        said, _ = child.communicate(timeout=settings.trials * settings.trial_s * 2 + PATIENCE_S)
    finally:
        child.kill()
    if child.returncode:
        raise RuntimeError(f"the suite's trials failed with status {child.returncode}")
    time.sleep(LEAD_S)
    sensor.close()
    recorded = recorded_by(said)
    shown = replace(settings, refresh_hz=recorded.facts["refresh_hz"])
    recording = Recording(shown, recorded, sensor.edges(), sensor.injected(), ())
    return RealRun(sensor.name, errors_of(recording), recorded.facts)
