"""How well the rig's timing did when it was measured from outside, as its profile has it."""

from pathlib import Path
from typing import Final

from experiments.rig.checks.finding import Check, Finding
from experiments.rig.profile import RigProfile

TIMED_PURPOSE: Final = "main"
HOW: Final = "python3 lab.py timing --sensor … (docs/timing_rig.md)"

TIMING = Check(
    "timing",
    "grade of the rig's timing, measured by photodiode",
    warns="it was never measured or is poor; unfit, for any purpose but main",
    fails="unfit, before a session of purpose main",
    every_session=True,
)


def timing(rig: RigProfile, path: Path, purpose: str | None = None) -> Finding:
    """Check that the rig's timing was measured, and was fit.

    Parameters
    ----------
    rig, path
        The rig's profile, and its file.
    purpose
        What a session is for; on a rig that was graded unfit none of purpose main is run.
    """
    grade = "" if rig.timing is None else rig.timing.grade
    if rig.timing is None or not grade:
        return TIMING.warned(
            "times were never measured from outside here", f"measure them: {HOW}; kept in {path}"
        )
    on = f", measured {rig.timing.measured_on}" if rig.timing.measured_on else ""
    found = f"{grade}{on}"
    remedy = f"correct what doctor names, then measure again: {HOW}"
    if grade == "unfit" and purpose == TIMED_PURPOSE:
        return TIMING.failed(
            found, f"{remedy}; or run a pilot (participants enrol --purpose pilot)"
        )
    if grade in ("unfit", "poor"):
        return TIMING.warned(found, remedy)
    return TIMING.passed(found)
