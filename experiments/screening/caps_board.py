"""The board on which the caps of the D-15 are put in order: places, and how it looks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Pixels
from experiments.engine.window import Rgb
from experiments.screens.look import Look
from experiments.screens.parts import Area
from participants.screening.trials import Arrangement
from stimuli.screening.d15 import CAPS

Place = tuple[float, float]
Spot = tuple[str, int]
"""``row`` and a place from 0 (the fixed cap) to 15, or ``tray`` and one from 0 to 14."""

WIDTH: Final = 0.90
"""Width of the row, as a share of the screen's width."""
CAP: Final = 0.86
"""Diameter of a cap, as a share of the distance between caps."""
TRAY_ROW, ROW = 0.36, 0.60
"""Vertical positions of the tray and of the row, as shares of the screen's height."""
TITLE, HINT = 0.13, 0.20
SUPERSAMPLING: Final = 4
RING: Final = 0.98
"""Diameter of the ring around a chosen cap, as a share of the distance between caps."""


@dataclass(frozen=True, slots=True)
class CapsBoard:
    """Layout of the board; lengths in pixels from the screen's top left corner.

    Attributes
    ----------
    look
        Look of the screens.
    tray
        The caps in the order of their places in the tray.
    """

    look: Look
    tray: tuple[int, ...]

    @property
    def pitch_px(self) -> float:
        """Distance between the middles of neighbouring caps."""
        return WIDTH * self.look.size_px[0] / (CAPS + 1)

    @property
    def cap_px(self) -> int:
        """Diameter of a cap."""
        return 2 * round(CAP * self.pitch_px / 2)

    def middle(self, spot: Spot) -> Place:
        """Return the middle of a spot."""
        where, place = spot
        width, height = self.look.size_px
        first = (width - WIDTH * width) / 2 + self.pitch_px / 2
        column = place if where == "row" else place + 1
        return first + column * self.pitch_px, height * (ROW if where == "row" else TRAY_ROW)

    def spot_at(self, place_px: Place) -> Spot | None:
        """Return the spot nearest to a position on the screen, if it is near enough."""
        spots: list[Spot] = [("row", place) for place in range(CAPS + 1)]
        spots += [("tray", place) for place in range(CAPS)]
        away, spot = min((_distance(self.middle(one), place_px), one) for one in spots)
        return spot if away <= self.pitch_px else None

    def cap_at(self, spot: Spot, arrangement: Arrangement) -> int | None:
        """Return the cap on a spot, if there is one; the fixed cap doesn't count."""
        where, place = spot
        if where == "row":
            return arrangement.row[place - 1] if 1 <= place <= len(arrangement.row) else None
        cap = self.tray[place]
        return None if cap in arrangement.row else cap

    def spot_of(self, cap: int, arrangement: Arrangement) -> Spot:
        """Return where a cap lies."""
        if cap in arrangement.row:
            return "row", 1 + arrangement.row.index(cap)
        return "tray", self.tray.index(cap)

    def board_layers(self, title: str, hint: str, start: str) -> tuple[Layer, ...]:
        """Return the parts that never change: the title, the instructions and the row's places."""
        look, canvas = self.look, self.look.canvas()
        draw = ImageDraw.Draw(canvas)
        width, height = look.size_px
        at = (width / 2, TITLE * height)
        font = look.font(look.subheading_px, "bold")
        draw.text(at, title, fill=look.strong, font=font, anchor="mm")
        under, small = (width / 2, HINT * height), look.font(look.hint_px)
        draw.text(under, hint, fill=look.quiet, font=small, anchor="mm")
        x, y = self.middle(("row", 0))
        below = (x, y + self.cap_px / 2 + look.px(0.035))
        draw.text(below, start, fill=look.quiet, font=small, anchor="mm")
        empty = disc(self.cap_px, look.background, look.background, look.line)
        layers = [self._layer(empty, ("row", place)) for place in range(1, CAPS + 1)]
        return (*look.layers(canvas), *layers)

    def cap_layers(
        self, colours: Sequence[Rgb], arrangement: Arrangement, held: int | None, chosen: int | None
    ) -> tuple[Layer, ...]:
        """Return the caps in their places, except the cap that is held.

        Parameters
        ----------
        colours
            Colours of the fixed cap and of caps 1 to 15.
        arrangement
            The caps in the row.
        held, chosen
            The cap that moves with the pointer, and the cap with a ring around it.
        """
        ground = self.look.background
        layers = [self._layer(disc(self.cap_px, colours[0], ground), ("row", 0))]
        for cap in range(1, CAPS + 1):
            if cap == held:
                continue
            spot = self.spot_of(cap, arrangement)
            pixels = disc(self.cap_px, colours[cap], ground)
            if cap == chosen:
                pixels = _ringed(pixels, round(RING * self.pitch_px), ground, self.look.strong)
            layers.append(self._layer(pixels, spot))
        return tuple(layers)

    def done_area(self, hint: Area) -> Area:
        """Return the area in which a click confirms the row: around the hint for it."""
        room = self.look.px(0.015)
        left, top, right, bottom = hint
        return left - room, top - room, right + room, bottom + room

    def _layer(self, pixels: Pixels, spot: Spot) -> Layer:
        x, y = self.middle(spot)
        side = len(pixels)
        return Layer(pixels, round(x - side / 2), round(y - side / 2))


def disc(side_px: int, colour: Rgb, ground: Rgb, outline: Rgb | None = None) -> Pixels:
    """Return a disc on a background, uint8 (side, side, 3), with a smoothed edge."""
    fine = side_px * SUPERSAMPLING
    picture = Image.new("RGB", (fine, fine), ground)
    width = 2 * SUPERSAMPLING if outline is not None else 0
    ImageDraw.Draw(picture).ellipse(
        (0, 0, fine - 1, fine - 1), fill=colour, outline=outline, width=width
    )
    return np.asarray(picture.resize((side_px, side_px), Image.Resampling.LANCZOS))


def _ringed(cap: Pixels, side_px: int, ground: Rgb, colour: Rgb) -> Pixels:
    """Return a cap within a ring of a wider diameter."""
    ring = disc(side_px, ground, ground, colour).copy()
    margin = (side_px - len(cap)) // 2
    rows, columns = np.ogrid[: len(cap), : len(cap)]
    middle = (len(cap) - 1) / 2
    inside = (rows - middle) ** 2 + (columns - middle) ** 2 <= (len(cap) / 2 + 1) ** 2
    within = ring[margin : margin + len(cap), margin : margin + len(cap)]
    within[inside] = cap[inside]
    return ring


def held_cap(side_px: int, colour: Rgb) -> Pixels:
    """Return a cap that moves with the pointer, uint8 (side, side, 4), transparent around it."""
    cover = disc(side_px, (255, 255, 255), (0, 0, 0))[..., :1]
    flat = np.broadcast_to(np.array(colour, dtype=np.uint8), (side_px, side_px, 3))
    return np.ascontiguousarray(np.concatenate([flat, cover], axis=2))


def _distance(one: Place, other: Place) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))
