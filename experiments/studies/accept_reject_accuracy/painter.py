"""Labelled images on a screen, in the place of plates: the rest of a lead's session is shared.

Texts are no pixels: `texts.TextPresenter` sets them for each screen.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from experiments.engine.picture import Pixels
from experiments.pages.settings import display_codes, even_side_px
from participants.session import SessionPlan
from stimuli.colour.display import DisplayProfile
from stimuli.images.pictures import pixels_of
from stimuli.pack import Pack
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import LabelledCase


@dataclass(frozen=True, slots=True)
class ImagePainter:
    """Draws a pack's images as pixels for one display, as `PlatePainter` draws plates.

    Attributes
    ----------
    pack, protocol
        The pack with the images, and the protocol with their size.
    display
        The display; sRGB codes are converted to its codes, like plates' colours.
    """

    pack: Pack
    protocol: AcceptRejectAccuracy
    display: DisplayProfile

    @property
    def size_deg(self) -> float:
        """Side of the square on screen in degrees of visual angle."""
        return self.protocol.images.size_deg

    def check(self, plan: SessionPlan) -> None:
        """Refuse nothing: every display can show an image."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the image's side on a screen."""
        return even_side_px(wanted_px, most_px)

    def plate(self, stimulus: LabelledCase, size_px: int) -> Pixels:
        """Return an image, uint8 (size_px, size_px, 3)."""
        file = stimulus.image_file
        stored = pixels_of(self.pack.asset(file), f"pack {self.pack.pack_id}: {file}")
        scaled = Image.fromarray(stored).resize((size_px, size_px), Image.Resampling.LANCZOS)
        return display_codes(np.asarray(scaled), self.display)

    def explained(self, plate: Pixels, stimulus: LabelledCase) -> Pixels:
        """Return the same pixels: images come without an explanation."""
        return plate
