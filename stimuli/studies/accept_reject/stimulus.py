"""What a lead is shown: a plate with a solution."""

from dataclasses import dataclass

from stimuli.colour.spaces import Axis


@dataclass(frozen=True, slots=True)
class PlateStimulus:
    """A plate with a solution, and with an explanation where there is one.

    Attributes
    ----------
    plate_file, region_file
        Paths in the pack; ``region_file`` is None without an explanation.
    shown_label
        The solution's digit, or ``no_solution``.
    axis, rung
        Confusion axis, and rung of its ladder (1 is the lowest).
    contrast
        The rung's contrast, Δu′v′.
    """

    plate_file: str
    region_file: str | None
    shown_label: str
    axis: Axis
    rung: int
    contrast: float
