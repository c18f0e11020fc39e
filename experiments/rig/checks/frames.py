"""Frames of an open window: what paces them, at which rate, how evenly."""

import sys
from typing import Final

import numpy as np

from experiments.engine.pacing import DROPPED_BEYOND, HIGHEST_HZ, LOWEST_HZ, Refresh
from experiments.engine.picture import Picture
from experiments.engine.stage import Stage
from experiments.rig.checks.finding import Check, Finding, Sentence
from experiments.rig.profile import LATE_S, grade_of

JITTER_FLIPS: Final = 600
NOMINAL_TOLERANCE: Final = 0.02

PRIORITY = Check(
    "priority",
    "this process may have high priority",
    warns="it may not",
    every_session=True,
)
REFRESH = Check(
    "refresh",
    "rate of the display, measured and by its video mode",
    warns="swaps don't wait for the display, or the two rates differ by over 2 %",
    fails="outside 50 to 360 Hz",
    every_session=True,
)
JITTER = Check(
    "jitter",
    f"intervals of {JITTER_FLIPS} frames: SD, late ones (over .5 ms), dropped ones",
    warns="SD over .5 ms, over 5 % late, or a frame dropped",
    fails="SD over 1 ms, or over 10 % late",
)


def priority(stage: Stage) -> Finding:
    """Check whether the process has a raised priority."""
    if stage.priority == "realtime" or (stage.priority == "high" and sys.platform != "linux"):
        return PRIORITY.passed(stage.priority)
    return PRIORITY.warned(stage.priority, "do_linux" if sys.platform == "linux" else "do")


def refresh(stage: Stage, nominal_hz: float | None) -> Finding:
    """Check what paces the frames, and at which rate.

    Parameters
    ----------
    stage
        The open stage, which measured the refresh when it opened.
    nominal_hz
        Rate of the video mode; None if unknown.
    """
    return judged_refresh(stage.refresh, stage.pacing.name, 1 / stage.period_s, nominal_hz)


def judged_refresh(
    measured: Refresh, pacing: str, paced_hz: float, nominal_hz: float | None
) -> Finding:
    """Return the finding for a measured refresh; see `refresh`."""
    sentence = "vsync" if pacing == "vsync" else "unpaced"
    values = {
        "measured": [("measured", {
            "hz": f"{measured.hz:.2f}", "sd": f"{measured.sd_s * 1000:.2f}",
            "against": [_against(measured.hz, nominal_hz)],
        })],
        "paced": f"{paced_hz:.2f}",
    }  # fmt: skip
    # Swaps that don't wait are faster than any display, and never too slow.
    slow = measured.hz < LOWEST_HZ
    if slow or not LOWEST_HZ <= paced_hz <= HIGHEST_HZ:
        return REFRESH.failed(sentence, "do_rate", **values)
    if pacing != "vsync":
        return REFRESH.warned(sentence, "do_vsync", **values)
    if nominal_hz is not None and abs(measured.hz / nominal_hz - 1) > NOMINAL_TOLERANCE:
        return REFRESH.warned(sentence, "do_variable", **values)
    return REFRESH.passed(sentence, **values)


def _against(hz: float, nominal_hz: float | None) -> Sentence:
    """Return how far a rate is from the video mode's rate."""
    if nominal_hz is None:
        return "unknown", {}
    return "against", {"off": f"{hz / nominal_hz - 1:+.1%}", "nominal": f"{nominal_hz:.2f}"}


def jitter(stage: Stage, flips: int = JITTER_FLIPS, picture: Picture | None = None) -> Finding:
    """Measure the intervals of paced frames that show a picture, and grade them."""
    stamps_s = np.array([stage.frame(picture) for _ in range(flips + 1)])
    return graded(np.diff(stamps_s), stage.period_s)


def graded(intervals_s: np.ndarray, period_s: float) -> Finding:
    """Return the grade of frame intervals (seconds) at a refresh period."""
    sd_ms = float(intervals_s.std(ddof=1)) * 1000
    late = float(np.mean(intervals_s > period_s + LATE_S))
    dropped = int((intervals_s > DROPPED_BEYOND * period_s).sum())
    grade = grade_of(sd_ms, late)
    judged = JITTER.failed if grade == "unfit" else JITTER.passed
    if grade == "poor" or (dropped and grade != "unfit"):
        grade, judged = "poor", JITTER.warned
    return judged(
        "graded",
        grade=[(grade, {})],
        sd=f"{sd_ms:.3f}",
        late=f"{100 * late:.1f}",
        dropped=str(dropped),
        frames=str(len(intervals_s)),
    )
