"""The text size and the colours of a pack's cases, for one display."""

from typing import Final

import numpy as np

from experiments.engine.window import Rgb
from experiments.pages.settings import LARGEST_STIMULUS_SHARE, Painter, display_codes
from experiments.studies.simulatability.pieces import Palette
from stimuli.studies.simulatability.protocol import Simulatability

SMALLEST, USUAL, LARGEST = 0.025, 0.0255, 0.042
"""Sizes of letters, as shares of the screen's height; usual if the screen's size is unknown."""
LINE: Final = 1.164
"""Height of a line of the typeface without leading, as a share of its letters' size."""


class CasePainter(Painter[Simulatability]):
    """Knows how large a pack's text is on a display, and its colours."""

    @property
    def size_deg(self) -> float:
        """Size of the letters in degrees of visual angle."""
        return self.protocol.look.text_deg / LINE

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the size of the letters, between what can be read and what leaves room."""
        height = most_px / LARGEST_STIMULUS_SHARE
        if wanted_px > most_px / 2:
            # Letters can't be that large: the display wasn't measured.
            return round(USUAL * height)
        return round(min(max(wanted_px, SMALLEST * height), LARGEST * height))

    def palette(self) -> Palette:
        """Return the colours of weights."""
        plain = Palette()
        return Palette(
            self._codes(plain.positive),
            self._codes(plain.negative),
            self._codes(plain.positive_bar),
            self._codes(plain.negative_bar),
        )

    def _codes(self, colour: Rgb) -> Rgb:
        pixel = np.array(colour, dtype=np.uint8).reshape(1, 1, 3)
        red, green, blue = (int(code) for code in display_codes(pixel, self.display)[0, 0])
        return red, green, blue
