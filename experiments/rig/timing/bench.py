"""The timing bench: runs on the virtual rig or on a real one, and their results.

On the virtual rig, the suite and a plain PsychoPy script run alternately. On a real rig, what a
sensor at the screen saw is compared with what the suite recorded.
"""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from experiments.engine.virtual_display import SERVER
from experiments.rig.profile import Grade, Timing
from experiments.rig.timing.errors import (
    Errors,
    errors_of,
    graded,
    ratios,
    spread,
    summary,
    trusted,
)
from experiments.rig.timing.instruments import SLOT_S, program
from experiments.rig.timing.recording import (
    LEAD_S,
    PATIENCE_S,
    Programme,
    Recording,
    record,
    recorded_by,
    start_programme,
    wait_until_ready,
)
from experiments.rig.timing.sensors import Sensor
from experiments.rig.timing.settings import TrialSettings
from stimuli.errors import UserError

LEAST_TRIALS = 10
WORDS: dict[Programme, str] = {
    "suite": "suite",
    "plain": "plain PsychoPy",
    "plain_without_wait": "plain PsychoPy, waitBlanking=False",
}

Say = Callable[[str], None]
FIT = ("excellent", "acceptable")
INSTRUCTIONS = """\
Put the photodiode over the top left corner of the screen, where a patch of 64 × 64 pixels will
be white while a picture is shown and black else; shield it from the room's light. Switch off
night light, HDR and vendor enhancement, close other programs. Don't touch keyboard and mouse:
presses of the sensor's own button box, if it has one, are taken all the while.
"""


@dataclass(frozen=True, slots=True)
class VirtualRuns:
    """The runs of each program, in consecutive pairs.

    Attributes
    ----------
    settings
        The trials of a run.
    facts
        What each program reported: priority, pacing, backend.
    suite, plain, plain_without_wait
        Errors, run by run.
    """

    settings: TrialSettings
    facts: dict[str, Any]
    suite: tuple[Errors, ...]
    plain: tuple[Errors, ...]
    plain_without_wait: tuple[Errors, ...]

    def figures(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {
            "suite": summary(self.suite) | {"grade": graded(self.suite)},
            "plain": summary(self.plain) | {"grade": graded(self.plain)},
            "plain_without_wait": summary(self.plain_without_wait)
            | {"grade": graded(self.plain_without_wait)},
            "ratio": ratios(self.suite, self.plain),
            "pairs": len(self.suite),
            "trials_a_run": self.settings.trials,
            "settings": asdict(self.settings),
            "facts": self.facts,
        }


def run_virtual(
    settings: TrialSettings, pairs: int, say: Say, slot_s: float = SLOT_S
) -> VirtualRuns:
    """Run both programs in interleaved pairs, and the plain one once without waiting.

    Parameters
    ----------
    settings
        The trials of all runs of a program together.
    pairs
        Number of pairs that share the trials; fewer if a run would have less than 10 trials.
    say
        Called with progress messages.
    slot_s
        Length of a slot of `planned_presses`.

    Raises
    ------
    UserError
        If there is no virtual display or no C compiler here.
    """
    require_rig()
    sizes = shared_out(settings.trials, pairs)
    order = _order(sizes)
    runs: dict[Programme, list[Errors]] = {"suite": [], "plain": [], "plain_without_wait": []}
    facts: dict[str, Any] = {}
    for number, (programme, size) in enumerate(order, start=1):
        say(f"run {number} of {len(order)}: {WORDS[programme]}, {size} trials")
        part = replace(settings, trials=size)
        recording = record(programme, part, slot_s=slot_s)
        runs[programme].append(errors_of(recording))
        facts[programme] = recording.recorded.facts
    errors_by_name = {name: tuple(errors) for name, errors in runs.items()}
    return VirtualRuns(replace(settings, trials=sizes[0]), facts, **errors_by_name)


def require_rig() -> None:
    """Raise UserError if no virtual rig is possible here: what is missing and what to do."""
    if sys.platform != "linux":
        raise UserError(
            "timing: the virtual rig runs on Linux only; measure this PC's own screen with a "
            "photodiode (--sensor)"
        )
    if shutil.which(SERVER) is None:
        raise UserError(
            f"timing: {SERVER} is not installed (Debian: apt-get install xvfb libgl1-mesa-dri)"
        )
    for name in ("photodiode", "button_box"):
        program(name)


def _order(sizes: Sequence[int]) -> list[tuple[Programme, int]]:
    """Return the runs in pairs, in alternating order of the programs; the run without wait last."""
    order: list[tuple[Programme, int]] = []
    for number, size in enumerate(sizes):
        turn: tuple[Programme, ...] = ("suite", "plain") if number % 2 == 0 else ("plain", "suite")
        order += [(programme, size) for programme in turn]
    return [*order, ("plain_without_wait", sizes[0])]


def shared_out(trials: int, pairs: int) -> list[int]:
    """Return each run's number of trials: equal shares of at least 10, if there are 10 trials."""
    runs = max(1, min(pairs, trials // LEAST_TRIALS))
    return [trials // runs + (number < trials % runs) for number in range(runs)]


@dataclass(frozen=True, slots=True)
class RealRun:
    """Result of the bench on a real rig.

    Attributes
    ----------
    sensor
        Name of the sensor.
    errors
        What was recorded minus what the sensor saw and pressed.
    facts
        What the suite reported: refresh, pacing, priority, backend.
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
        errors = self.errors
        whole = errors.onsets_unseen == errors.presses_lost == errors.drops_unrecorded == 0
        return whole and self.grade in FIT

    def timing(self) -> Timing:
        """Return the rig's calibration.

        Raises
        ------
        UserError
            If a lag is implausibly long.
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
    """Return the excess of recorded times from onset to press over the true times."""
    return None if press is None else round((press.mean - onset.mean) / 1000, 6)


def run_real(sensor: Sensor, settings: TrialSettings, say: Callable[[str], None]) -> RealRun:
    """Show the trials on this PC's screen while a sensor records.

    Parameters
    ----------
    sensor
        The sensor; it is closed at the end.
    settings
        The trials; the refresh is the screen's.
    say
        Called with progress messages.
    """
    say(f"{settings.trials} trials, about {settings.trials * settings.trial_s:.0f} s")
    child = start_programme("suite", settings)
    try:
        wait_until_ready(child)
        output, _ = child.communicate(timeout=settings.trials * settings.trial_s * 2 + PATIENCE_S)
    finally:
        child.kill()
    if child.returncode:
        raise RuntimeError(f"the suite's trials failed with status {child.returncode}")
    time.sleep(LEAD_S)
    sensor.close()
    recorded = recorded_by(output)
    as_shown = replace(settings, refresh_hz=recorded.facts["refresh_hz"])
    recording = Recording(as_shown, recorded, sensor.edges(), sensor.injected(), ())
    return RealRun(sensor.name, errors_of(recording), recorded.facts)
