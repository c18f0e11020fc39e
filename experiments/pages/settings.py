"""What a session's screens are made with: a painter for the display, the rig, look and words.

Painters convert pictures made for sRGB displays to the codes of the display in use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from experiments.engine.picture import Pixels
from experiments.rig.profile import RigProfile
from experiments.screens.look import Look
from participants.session import SessionPlan
from participants.texts import Words
from stimuli.colour.display import DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import srgb_decode
from stimuli.pack import Pack


def display_codes(codes: Pixels, display: DisplayProfile) -> Pixels:
    """Return a display's codes for sRGB codes; the same on a display taken for sRGB.

    Parameters
    ----------
    codes
        uint8 (height, width, 3).
    display
        Whose codes are wanted.
    """
    if not display.calibrated:
        return codes
    linear = srgb_decode(codes.reshape(-1, 3) / 255)
    return lms_to_rgb8(linear_to_lms(linear), display).reshape(codes.shape)


STIMULUS_SHARE = 0.667
LARGEST_STIMULUS_SHARE = 0.76


class Painter(Protocol):
    """Makes what a study shows into pixels for one display."""

    @property
    def pack(self) -> Pack:
        """What is drawn."""

    @property
    def protocol(self) -> Any:
        """The rules by which it is shown; each painter names its own kind."""

    @property
    def size_deg(self) -> float:
        """Width on screen in degrees of visual angle."""

    def check(self, plan: SessionPlan) -> None:
        """Refuse a session that the display can't show as it is meant (UserError)."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the possible side on screen nearest to the wanted one (UserError if none fits)."""


AnyPainter = TypeVar("AnyPainter", bound=Painter, covariant=True)


def even_side_px(wanted_px: float, most_px: float) -> int:
    """Return a side of an even number of pixels, so that it has a middle."""
    return 2 * round(min(wanted_px, most_px) / 2)


@dataclass(frozen=True, slots=True)
class ScreenSettings(Generic[AnyPainter]):
    """What a session's screens are made with.

    Attributes
    ----------
    painter, rig, look
        Makes the study's stimuli for this display; what is known of the rig; how screens look.
    words, lab_values
        Short words in the language; what the texts call the lab.
    countdown_s
        From a pause's end to the session's going on.
    """

    painter: AnyPainter
    rig: RigProfile
    look: Look
    words: Words
    lab_values: Mapping[str, str]
    countdown_s: float = 0.0

    def stimulus_px(self) -> int:
        """Return the size of the stimulus on this screen, as its painter has it.

        The protocol's angle where the display's geometry was measured, else a share of
        the screen's height; never more than fits.
        """
        height = self.look.size_px[1]
        per_degree = self.rig.px_per_deg(self.look.size_px[0])
        wanted = STIMULUS_SHARE * height
        if per_degree is not None:
            wanted = self.painter.size_deg * per_degree
        return self.painter.side_px(wanted, LARGEST_STIMULUS_SHARE * height)
