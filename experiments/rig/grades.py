"""How good a rig's timing is, in four words."""

from typing import Final, Literal

Grade = Literal["excellent", "acceptable", "poor", "unfit"]

GRADES: Final[tuple[tuple[Grade, float, float], ...]] = (
    ("excellent", 0.1, 0.01),
    ("acceptable", 0.5, 0.05),
    ("poor", 1.0, 0.10),
)
"""Below which SD (ms) and which share of late ones a grade is given; the best that fits."""
LATE_S: Final = 0.0005
"""What is off by more than this is late."""


def grade_of(sd_ms: float, late_share: float) -> Grade:
    """Return the grade of a spread.

    Parameters
    ----------
    sd_ms
        SD of what was timed, in milliseconds.
    late_share
        Share of it that was late, 0 to 1.
    """
    for name, sd_below_ms, share_below in GRADES:
        if sd_ms < sd_below_ms and late_share < share_below:
            return name
    return "unfit"
