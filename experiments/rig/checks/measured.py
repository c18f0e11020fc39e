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
        if purpose == DEMANDING_PURPOSE:
            return CALIBRATION.failed("never", "do_main")
        return CALIBRATION.warned("never", "do_never")
    measured = _date(display.measured_on)
    if measured is None:
        return CALIBRATION.warned("undated", "do_undated", display=display.name, file=str(path))
    days = ((today or datetime.now(UTC).date()) - measured).days
    values = {"display": display.name, "date": measured.isoformat(), "file": str(path)}
    if days < -1:
        return CALIBRATION.warned("future", "do_future", **values)
    age = ("days", {"days": str(days)}) if days > 0 else ("today", {})
    judged = CALIBRATION.warned if days > OLD_DAYS else CALIBRATION.passed
    return judged("measured", age=[age], **values)


def geometry(rig: RigProfile, path: Path) -> Finding:
    """Check that the display's width and distance are known."""
    if rig.geometry is not None:
        width, distance = f"{rig.geometry.width_cm:g}", f"{rig.geometry.distance_cm:g}"
        return GEOMETRY.passed("known", width=width, distance=distance)
    remedy = "do" if path.exists() else "do_new"
    return GEOMETRY.warned("unknown", remedy, file=str(path), schema=RIG_SCHEMA.tag)


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
        return TIMING.warned("never", "do_never", file=str(path))
    on = [("on", {"date": rig.timing.measured_on})] if rig.timing.measured_on else []
    values = {"grade": [(grade, {})], "on": on}
    if grade == "unfit" and purpose == DEMANDING_PURPOSE:
        return TIMING.failed("graded", "do_main", **values)
    if grade in ("unfit", "poor"):
        return TIMING.warned("graded", **values)
    return TIMING.passed("graded", **values)
