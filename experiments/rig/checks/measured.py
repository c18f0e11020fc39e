"""Checks of what was measured of the rig: the display's colours and size, and the timing.

The values are in the rig's profile. The grade of the timing says how well the rig did when it was
measured from outside.
"""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, Literal

from experiments.rig.checks.finding import Check, Finding
from experiments.rig.profile import RIG_SCHEMA, RigProfile

Colours = Literal["critical", "shown", "none"]
"""How a session depends on the display's colours."""
OLD_DAYS: Final = 30
"""Days after which a measurement is old. Displays drift with use: colour labs measure monthly."""
DEMANDING_PURPOSE: Final = "main"
HOW: Final = "docs/lab_pc.md; doctor --colours FILE"

CALIBRATION = Check(
    "calibration",
    "the display's colours were measured, and when",
    warns=f"more than {OLD_DAYS} days ago, or at an unknown date; never, for any purpose but main",
    fails="never, before a session of purpose main",
    every_session=True,
)
GEOMETRY = Check(
    "geometry",
    "width and distance of the display, for visual angles",
    warns="they are unknown",
    every_session=True,
)
HOW_TIMED: Final = "python3 lab.py timing --sensor … (docs/timing_rig.md)"
TIMING = Check(
    "timing",
    "grade of the rig's timing, measured by photodiode",
    warns="it was never measured or is poor; unfit, for any purpose but main",
    fails="unfit, before a session of purpose main",
    every_session=True,
)


def calibration(
    rig: RigProfile, path: Path, purpose: str | None = None, today: date | None = None
) -> Finding:
    """Check that the display's colours were measured recently.

    Parameters
    ----------
    rig, path
        The rig's profile, and its file.
    purpose
        The session's purpose; without measured colours, sessions of purpose main fail.
    today
        The date, UTC.
    """
    display = rig.display
    if display is None or not display.calibrated:
        found = "the display's colours were never measured; it is taken for sRGB"
        if purpose == DEMANDING_PURPOSE:
            return CALIBRATION.failed(
                found,
                f"measure them ({HOW}), or run a pilot (participants enrol --purpose pilot)",
            )
        return CALIBRATION.warned(found, f"measure them before sessions of purpose main ({HOW})")
    measured = _date(display.measured_on)
    if measured is None:
        remedy = f"write its date into {path}: measured_on = YYYY-MM-DD in quotes"
        return CALIBRATION.warned(f"{display.name}, measured at an unknown date", remedy)
    days = ((today or datetime.now(UTC).date()) - measured).days
    found = f"{display.name}, measured {measured.isoformat()}"
    if days < -1:
        return CALIBRATION.warned(f"{found}, in the future", f"correct the date in {path}")
    found = f"{found}, {_ago(days)}"
    if days > OLD_DAYS:
        return CALIBRATION.warned(found, f"measure again ({HOW})")
    return CALIBRATION.passed(found)


def geometry(rig: RigProfile, path: Path) -> Finding:
    """Check that the display's width and distance are known."""
    if rig.geometry is not None:
        found = f"{rig.geometry.width_cm:g} cm wide, {rig.geometry.distance_cm:g} cm away"
        return GEOMETRY.passed(found)
    what = "measure width and distance and write them"
    remedy = f"{what} into {path} under [geometry] as width_cm and distance_cm"
    if not path.exists():
        remedy += f'; the first line of this new file is schema = "{RIG_SCHEMA.tag}"'
    return GEOMETRY.warned("stimuli have no known visual angle here", remedy)


def _ago(days: int) -> str:
    if days <= 0:
        return "today"
    return f"{days} day{'' if days == 1 else 's'} ago"


def _date(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None


def timing(rig: RigProfile, path: Path, purpose: str | None = None) -> Finding:
    """Check that the rig's timing was measured and is good enough.

    Parameters
    ----------
    rig, path
        The rig's profile, and its file.
    purpose
        The session's purpose; on a rig graded unfit, sessions of purpose main fail.
    """
    grade = "" if rig.timing is None else rig.timing.grade
    if rig.timing is None or not grade:
        return TIMING.warned(
            "times were never measured from outside here",
            f"measure them: {HOW_TIMED}; kept in {path}",
        )
    on = f", measured {rig.timing.measured_on}" if rig.timing.measured_on else ""
    found = f"{grade}{on}"
    remedy = f"correct what doctor names, then measure again: {HOW_TIMED}"
    if grade == "unfit" and purpose == DEMANDING_PURPOSE:
        return TIMING.failed(
            found, f"{remedy}; or run a pilot (participants enrol --purpose pilot)"
        )
    if grade in ("unfit", "poor"):
        return TIMING.warned(found, remedy)
    return TIMING.passed(found)
