"""Plates on a screen, with and without their explanations."""

from experiments.engine.picture import Pixels
from experiments.studies.accept_reject.presenter import LeadPainter
from participants.session import SessionPlan
from stimuli.maps.relevance import contour_image, outlined, region_from_bytes
from stimuli.plates.plate import plate_from_bytes
from stimuli.plates.render import render
from stimuli.plates.spec import check_gamut
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.stimulus import PlateStimulus
from stimuli.studies.accept_reject.tasks import plate_spec

LINE_LEAST_PX = 2.0


class PlatePainter(LeadPainter[AcceptReject]):
    """Draws a pack's plates as pixels for one display."""

    @property
    def size_deg(self) -> float:
        """Diameter of a plate on screen in degrees of visual angle."""
        return self.protocol.plates.size_deg

    def check(self, plan: SessionPlan) -> None:
        """Refuse a session with a plate whose colours the display can't show.

        Raises
        ------
        UserError
            The message has the largest contrast that fits: clipped colours would show the digit.
        """
        spec = plate_spec(self.protocol.plates)
        plates = [task.stimulus for task in plan.trials]
        for axis, contrast in sorted({(plate.axis, plate.contrast) for plate in plates}):
            check_gamut(axis, contrast, spec, self.display)

    def plate(self, stimulus: PlateStimulus, size_px: int) -> Pixels:
        """Return a plate without its explanation, uint8 (size_px, size_px, 3)."""
        plate = plate_from_bytes(self.pack.asset(stimulus.plate_file))
        spec = plate_spec(self.protocol.plates)
        return render(plate, stimulus.axis, stimulus.contrast, size_px, self.display, spec)

    def explained(self, plate: Pixels, stimulus: PlateStimulus) -> Pixels:
        """Return a plate's pixels under its explanation, if it has one."""
        if stimulus.region_file is None:
            return plate
        region = region_from_bytes(self.pack.asset(stimulus.region_file))
        size_px = len(plate)
        line_px = max(LINE_LEAST_PX, self.protocol.explanation.line_share * size_px)
        return outlined(plate, contour_image(region, size_px, line_px))
