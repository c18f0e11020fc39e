"""Colours of weights: blue speaks for the positive class, orange for the negative one.

Blue and orange stay apart for every kind of colour vision. What is read is always dark on them.
"""

from dataclasses import dataclass
from typing import Final

from experiments.engine.window import Rgb

FAINTEST: Final = 0.22
"""How far the colour of the smallest weight is from the ground, as a share of the way."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Codes of the two colours on a display; as they stand here, of one taken for sRGB.

    Attributes
    ----------
    positive, negative
        Behind words with the largest weight; black letters have a contrast of more than 7:1.
    positive_bar, negative_bar
        Of bars, which nothing is written on.
    """

    positive: Rgb = (92, 157, 214)
    negative: Rgb = (238, 150, 64)
    positive_bar: Rgb = (36, 102, 173)
    negative_bar: Rgb = (201, 98, 20)

    def tint(self, share: float, ground: Rgb) -> Rgb:
        """Return the colour behind what has a weight.

        Parameters
        ----------
        share
            The weight as a share of the largest one, −1…1; above 0 it speaks for the positive
            class.
        ground
            Of the screen.
        """
        if share == 0:
            return ground
        colour = self.positive if share > 0 else self.negative
        return mixed(ground, colour, FAINTEST + (1 - FAINTEST) * min(1.0, abs(share)))

    def bar(self, weight: float) -> Rgb:
        """Return the colour of a weight's bar."""
        return self.positive_bar if weight > 0 else self.negative_bar


def mixed(ground: Rgb, colour: Rgb, share: float) -> Rgb:
    """Return the colour a share of the way from a ground to a colour."""
    red, green, blue = (
        round(code + share * (far - code)) for code, far in zip(ground, colour, strict=True)
    )
    return red, green, blue
