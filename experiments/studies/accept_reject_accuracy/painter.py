"""Labelled images on a screen, in the place of plates: the rest of a lead's session is shared.

Texts are no pixels: `texts.TextPresenter` sets them for each screen.
"""

from experiments.engine.picture import Pixels
from experiments.studies.accept_reject.presenter import LeadPainter
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LabelledCase


class ImagePainter(LeadPainter[AcceptRejectAccuracy]):
    """Draws a pack's images as pixels for one display, as `PlatePainter` draws plates."""

    @property
    def size_deg(self) -> float:
        """Side of the square on screen in degrees of visual angle."""
        return self.protocol.images.size_deg

    def plate(self, stimulus: LabelledCase, size_px: int) -> Pixels:
        """Return an image, uint8 (size_px, size_px, 3)."""
        return self.image(stimulus.image_file, size_px)

    def explained(self, plate: Pixels, stimulus: LabelledCase) -> Pixels:
        """Return the same pixels: images come without an explanation."""
        return plate
