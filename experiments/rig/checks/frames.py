"""Frames of an open window: what paces them, at which rate, how evenly."""

import sys
from typing import Final

import numpy as np

from experiments.engine.pacing import DROPPED_BEYOND, HIGHEST_HZ, LOWEST_HZ, Refresh
from experiments.engine.picture import Picture
from experiments.engine.stage import Stage
from experiments.rig.checks.finding import Check, Finding
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
    remedy = (
        "allow it to this account: in /etc/security/limits.conf the line '@audio - rtprio 20', "
        "sudo usermod -aG audio $USER, log out and in"
        if sys.platform == "linux"
        else "run as an account that may raise priorities"
    )
    return PRIORITY.warned(stage.priority, remedy)


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
    found = (
        f"{measured.hz:.2f} Hz measured, SD {measured.sd_s * 1000:.2f} ms, "
        f"{_against(measured.hz, nominal_hz)}"
    )
    if pacing != "vsync":
        found = f"{paced_hz:.2f} Hz by the clock, swaps don't wait for the display: {found}"
    # Swaps that don't wait are faster than any display, and never too slow.
    slow = measured.hz < LOWEST_HZ
    if slow or not LOWEST_HZ <= paced_hz <= HIGHEST_HZ:
        return REFRESH.failed(found, "choose a video mode of 50 to 360 Hz, close other programs")
    if pacing != "vsync":
        return REFRESH.warned(
            found,
            "switch on vertical sync in the graphics driver, and use full screen without scaling",
        )
    if nominal_hz is not None and abs(measured.hz / nominal_hz - 1) > NOMINAL_TOLERANCE:
        return REFRESH.warned(
            found, "switch off variable refresh (G-Sync, FreeSync) and mirrored displays"
        )
    return REFRESH.passed(found)


def _against(hz: float, nominal_hz: float | None) -> str:
    """Return in words how far a rate is from the video mode's rate."""
    if nominal_hz is None:
        return "the video mode's rate is unknown"
    return f"{hz / nominal_hz - 1:+.1%} against the video mode's {nominal_hz:.2f} Hz"


def jitter(stage: Stage, flips: int = JITTER_FLIPS, picture: Picture | None = None) -> Finding:
    """Measure the intervals of paced frames that show a picture, and grade them."""
    stamps_s = np.array([stage.frame(picture) for _ in range(flips + 1)])
    return graded(np.diff(stamps_s), stage.period_s)


def graded(intervals_s: np.ndarray, period_s: float) -> Finding:
    """Return the grade of frame intervals (seconds) at a refresh period."""
    sd_ms = float(intervals_s.std(ddof=1)) * 1000
    late = float(np.mean(intervals_s > period_s + LATE_S))
    dropped = int((intervals_s > DROPPED_BEYOND * period_s).sum())
    said = f"SD {sd_ms:.3f} ms, {100 * late:.1f} % late, {dropped} of {len(intervals_s)} dropped"
    remedy = "close other programs, switch off compositing and power saving, check again"
    grade = grade_of(sd_ms, late)
    if grade == "unfit":
        return JITTER.failed(f"unfit: {said}", remedy)
    if grade == "poor" or dropped:
        return JITTER.warned(f"poor: {said}", remedy)
    return JITTER.passed(f"{grade}: {said}")
