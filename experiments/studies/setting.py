"""What a session's screens are made with."""

from collections.abc import Mapping
from dataclasses import dataclass

from experiments.rig.profile import RigProfile
from experiments.screens.look import Look
from experiments.studies.accept_reject_accuracy import ImagePainter
from experiments.studies.plate_painter import PlatePainter
from participants.texts import Words
from stimuli.studies.accept_reject.tables import NO_SOLUTION

PLATE_SHARE = 0.667
LARGEST_PLATE_SHARE = 0.76


@dataclass(frozen=True, slots=True)
class Setting:
    """What a session's screens are made with.

    Attributes
    ----------
    painter, rig, look
        Plates or images for this display, what is known of it, and the look of all screens.
    words, lab_values
        Short words in the language; what the texts call the lab.
    """

    painter: PlatePainter | ImagePainter
    rig: RigProfile
    look: Look
    words: Words
    lab_values: Mapping[str, str]

    def plate_px(self) -> int:
        """Return the plate's diameter on this screen, an even number of pixels.

        The protocol's angle where the display's geometry was measured, else a share of
        the screen's height; never more than fits.
        """
        height = self.look.size_px[1]
        per_degree = self.rig.px_per_deg(self.look.size_px[0])
        wanted = PLATE_SHARE * height
        if per_degree is not None:
            wanted = self.painter.size_deg * per_degree
        return 2 * round(min(wanted, LARGEST_PLATE_SHARE * height) / 2)

    def solution(self, label: str) -> str:
        """Return a solution's label in words: itself, or that there is none."""
        return self.words["no_solution"] if label == NO_SOLUTION else label
