"""What a session's screens are made with: a painter for the display, the rig, look and words.

Painters convert pictures made for sRGB displays to the codes of the display in use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from PIL import Image

from experiments.engine.picture import Pixels
from experiments.rig.profile import RigProfile
from experiments.screens.look import Look
from participants.session import SessionPlan
from participants.texts import Words
from stimuli.colour.display import DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import srgb_decode
from stimuli.images.pictures import pixels_of
from stimuli.pack import Pack


def display_codes(codes: Pixels, display: DisplayProfile) -> Pixels:
    """Convert sRGB codes to a display's codes; they are the same if the display counts as sRGB.

    Parameters
    ----------
    codes
        uint8 (height, width, 3).
    display
        The display that gets the codes.
    """
    if not display.calibrated:
        return codes
    linear = srgb_decode(codes.reshape(-1, 3) / 255)
    return lms_to_rgb8(linear_to_lms(linear), display).reshape(codes.shape)


STIMULUS_SHARE = 0.667
LARGEST_STIMULUS_SHARE = 0.76


def even_side_px(wanted_px: float, most_px: float) -> int:
    """Return a side with an even number of pixels, so that it has a middle."""
    return 2 * round(min(wanted_px, most_px) / 2)


Rules = TypeVar("Rules")


@dataclass(frozen=True, slots=True)
class Painter(Generic[Rules]):
    """Draws a study's stimuli as pixels for one display; a study's painter adds its own.

    Attributes
    ----------
    pack, protocol
        The pack with what is shown, and its protocol, which says how large it is.
    display
        The display; sRGB codes are converted to its codes.
    """

    pack: Pack
    protocol: Rules
    display: DisplayProfile

    @property
    def size_deg(self) -> float:
        """Width on screen in degrees of visual angle."""
        raise NotImplementedError

    def check(self, plan: SessionPlan) -> None:
        """Refuse a session that the display can't show correctly (UserError)."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the possible side on screen nearest to the wanted one (UserError if none fits)."""
        return even_side_px(wanted_px, most_px)

    def stored(self, file: str) -> Pixels:
        """Return a picture of the pack as it is stored, uint8 (height, width, 3)."""
        return pixels_of(self.pack.asset(file), f"pack {self.pack.pack_id}: {file}")

    def image(self, file: str, side_px: int) -> Pixels:
        """Return a picture of the pack as a square, uint8 (side_px, side_px, 3)."""
        stored = Image.fromarray(self.stored(file))
        scaled = stored.resize((side_px, side_px), Image.Resampling.LANCZOS)
        return display_codes(np.asarray(scaled), self.display)


AnyPainter = TypeVar("AnyPainter", bound=Painter[Any], covariant=True)


@dataclass(frozen=True, slots=True)
class ScreenSettings(Generic[AnyPainter]):
    """Settings of a session's screens.

    Attributes
    ----------
    painter, rig, look
        The painter of the study's stimuli on this display; the rig's profile; the screens' look.
    words, lab_values
        Short words in the session's language; values of the texts' placeholders for the lab.
    countdown_s
        Time from a pause's end until the session continues.
    """

    painter: AnyPainter
    rig: RigProfile
    look: Look
    words: Words
    lab_values: Mapping[str, str]
    countdown_s: float = 0.0

    def stimulus_px(self) -> int:
        """Return the stimulus's size on this screen, from its painter.

        The size is the protocol's angle if the display's geometry was measured, else a share of
        the screen's height; it never exceeds what fits.
        """
        height = self.look.size_px[1]
        per_degree = self.rig.px_per_deg(self.look.size_px[0])
        wanted = STIMULUS_SHARE * height
        if per_degree is not None:
            wanted = self.painter.size_deg * per_degree
        return self.painter.side_px(wanted, LARGEST_STIMULUS_SHARE * height)
