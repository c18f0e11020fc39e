"""Images, heatmaps and examples of a pack, for one display."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from experiments.engine.picture import Pixels
from experiments.pages.settings import even_side_px
from experiments.screens.codes import display_codes
from experiments.studies.human_ai_team.heatmap import heatmap, red_scale
from participants.session import SessionPlan
from stimuli.colour.display import DisplayProfile
from stimuli.images.pictures import pixels_of
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.stimulus import TeamStimulus


@dataclass(frozen=True, slots=True)
class TeamPainter:
    """Makes a pack's pictures into pixels for one display.

    Attributes
    ----------
    pack, protocol
        What is drawn, and how large.
    display
        Whose pixels: sRGB codes become this display's.
    """

    pack: Pack
    protocol: HumanAiTeam
    display: DisplayProfile

    @property
    def size_deg(self) -> float:
        """Side of an image on screen in degrees of visual angle."""
        return self.protocol.images.size_deg

    def check(self, plan: SessionPlan) -> None:
        """Every display can show an image: there is nothing to refuse."""

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return an image's side on a screen, as far as nothing stands beside it."""
        return even_side_px(wanted_px, most_px)

    def image(self, file: str, side_px: int) -> Pixels:
        """Return an image of the pack, uint8 (side_px, side_px, 3)."""
        stored = Image.fromarray(self._stored(file))
        scaled = stored.resize((side_px, side_px), Image.Resampling.LANCZOS)
        return display_codes(np.asarray(scaled), self.display)

    def heatmap(self, stimulus: TeamStimulus, side_px: int) -> Pixels:
        """Return the heatmap that helps to judge an image, uint8 (side_px, side_px, 3)."""
        relevance = self._stored(stimulus.help_files[0])[..., 0]
        image = self._stored(stimulus.image_file)
        share = self.protocol.help.edge_share
        return display_codes(heatmap(relevance, image, share, side_px), self.display)

    def scale(self, width_px: int, height_px: int) -> Pixels:
        """Return the scale of heatmaps, 1 on top, uint8 (height_px, width_px, 3)."""
        return display_codes(red_scale(width_px, height_px), self.display)

    def images(self, files: Sequence[str], side_px: int) -> list[Pixels]:
        """Return several images, as `image` does."""
        return [self.image(file, side_px) for file in files]

    def _stored(self, file: str) -> Pixels:
        """Return a picture of the pack as it is stored, uint8 (height, width, 3)."""
        return pixels_of(self.pack.asset(file), f"pack {self.pack.pack_id}: {file}")
