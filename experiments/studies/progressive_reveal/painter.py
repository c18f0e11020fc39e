"""Images at every step of their uncovering, for one display."""

import io
from collections.abc import Iterator
from typing import Literal

import numpy as np
from PIL import Image

from experiments.engine.picture import Pixels
from experiments.pages.settings import Painter, display_codes
from participants.studies.progressive_reveal.rounds import RevealRound
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import image_at
from stimuli.studies.progressive_reveal.tables import against_file


class RevealPainter(Painter[ProgressiveReveal]):
    """Draws a pack's images, as far as they are uncovered, as pixels for one display."""

    @property
    def size_deg(self) -> float:
        """Side of the image on screen in degrees of visual angle."""
        return self.protocol.images.size_deg

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the side on screen: a multiple of the image's side.

        Each pixel of the image fills the same square of screen pixels, so that uncovered parts are
        sharp and complete, and covered parts don't show through.

        Raises
        ------
        UserError
            If the image has more pixels than fit on the screen.
        """
        image_px = self.protocol.images.size_px
        if image_px > most_px:
            raise UserError(
                f"images.size_px {image_px}: this screen has room for {most_px:.0f}; take a screen "
                "of more pixels, or a pack of smaller images"
            )
        return image_px * max(1, min(round(wanted_px / image_px), int(most_px // image_px)))

    def whole(self, step: RevealRound) -> Pixels:
        """Return a round's whole image, uint8 (size_px, size_px, 3)."""
        return display_codes(self._picture(step.image_file, "RGB"), self.display)

    def steps(self, step: RevealRound) -> Iterator[Pixels]:
        """Return a round's image at each of its steps, uint8 (size_px, size_px, 3)."""
        return self._at_steps(step, step.steps_file)

    def against(self, step: RevealRound) -> Iterator[Pixels] | None:
        """Return what the window beside the image shows at each step, pixels as of `steps`.

        None if nothing is evidence against the class, or the protocol doesn't show it there.
        """
        file = against_file(step.presentation)
        if file not in self.pack.manifest.files:
            return None
        return self._at_steps(step, file)

    def prototype(self, step: RevealRound) -> Pixels | None:
        """Return the prototype to show beside a round's image, uint8 (height, width, 3)."""
        if step.prototype_file is None:
            return None
        return display_codes(self._picture(step.prototype_file, "RGB"), self.display)

    def _at_steps(self, step: RevealRound, file: str) -> Iterator[Pixels]:
        image = self._picture(step.image_file, "RGB")
        step_of = self._picture(file, "L")
        for number in range(1, step.steps + 1):
            yield display_codes(image_at(image, step_of, number), self.display)

    def _picture(self, file: str, mode: Literal["L", "RGB"]) -> Pixels:
        """Return a PNG of the pack, uint8 (height, width, 3), or (height, width) for grey."""
        try:
            with Image.open(io.BytesIO(self.pack.asset(file))) as image:
                return np.asarray(image.convert(mode), dtype=np.uint8)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            where = f"pack {self.pack.pack_id}: {file}"
            raise UserError(f"{where}: is not an image; copy the pack again") from None
