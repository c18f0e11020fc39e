"""A screening's plates and caps as pixels of one display."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from experiments.engine.picture import Pixels
from experiments.engine.window import Rgb
from experiments.pages.settings import Painter
from participants.screening.stages import OnePlate, TitrationTask, TrivectorTask
from participants.screening.trials import ScreeningPlate
from participants.session import SessionPlan
from stimuli.plates.render import render
from stimuli.plates.spec import PlateSpec, check_gamut
from stimuli.screening.d15 import caps_rgb8
from stimuli.screening.gap_plates import SCREENING_SPEC, UNIT, check_excursion, picture
from stimuli.study import FreshPlates


@dataclass(frozen=True, slots=True)
class ScreeningPainter(Painter[Any]):
    """Draws a screening's stimuli as pixels for one display.

    Attributes
    ----------
    plate_deg
        Diameter of a plate; None for the diameter of a plate with a gap.
    """

    plate_deg: float | None = None

    @property
    def size_deg(self) -> float:
        """Diameter of a plate on the screen in degrees of visual angle."""
        own = self.plate_deg
        return float(self.protocol.screening.size_deg if own is None else own)

    def check(self, plan: SessionPlan) -> None:
        """Refuse a screening with colours that the display can't show (UserError)."""
        for step in plan.steps:
            match step:
                case TrivectorTask():
                    check_excursion(step.rules.start_1e4, self.display)
                case OnePlate(plates=None):
                    check_excursion(step.trial.stimulus.excursion_1e4, self.display)
                case (
                    TitrationTask(plates=FreshPlates() as plates)
                    | OnePlate(plates=FreshPlates() as plates)
                ):
                    for axis, ladder in plates.ladders.items():
                        check_gamut(axis, max(ladder), plates.spec, self.display)

    def gap(self, shown: ScreeningPlate, size_px: int) -> Pixels:
        """Return a plate with a gap, uint8 (size_px, size_px, 3)."""
        spec = replace(SCREENING_SPEC, ground_srgb=self.protocol.plates.ground_srgb)
        return np.ascontiguousarray(picture(shown.plate, size_px, self.display, spec))

    def digit(self, shown: ScreeningPlate, size_px: int, spec: PlateSpec) -> Pixels:
        """Return a plate with a digit, uint8 (size_px, size_px, 3)."""
        assert shown.axis, "a plate with a digit has a confusion line"
        contrast = shown.excursion_1e4 * UNIT
        pixels = render(shown.plate, shown.axis, contrast, size_px, self.display, spec)
        return np.ascontiguousarray(pixels)

    def caps(self) -> tuple[Rgb, ...]:
        """Return the codes of the fixed cap and of caps 1 to 15."""
        return tuple((int(r), int(g), int(b)) for r, g, b in caps_rgb8(self.display))
